//! A simulated disk that loses data that was not synced: a file system in memory whose power a test can cut.
//!
//! The disk is mounted with FUSE, which only root can do without additional programs.
//!
//! After a simulated crash, only data that was synced with `fsync` is left.
//!
//! Start reading at [`VolatileDisk::start`].

mod files;

use std::ffi::OsStr;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fuser::{
    BackgroundSession, Config, Errno, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request,
    SessionACL, TimeOrNow, WriteFlags,
};

use files::{Body, Files, Node, ROOT};

/// Time for which the operating system may cache information about files. This is safe, because all changes go through
/// the operating system.
const KNOWN: Duration = Duration::from_hours(1);
/// Time limit for an unmount. The disk may be busy for a moment because of programs that are being started.
const BUSY_MAX: Duration = Duration::from_secs(10);
/// Free space that the file system reports, in blocks of 4 KiB.
const FREE: u64 = 1 << 20;

/// The disk, which is unmounted and removed when this value is dropped.
pub struct VolatileDisk {
    files: Shared,
    session: Option<BackgroundSession>,
    path: PathBuf,
    // The folder is declared after the session, because dropping this field removes it.
    folder: Option<tempfile::TempDir>,
}

impl VolatileDisk {
    /// Creates an empty disk. If this machine does not allow it to be mounted, prints a message and returns `None`.
    ///
    /// # Errors
    /// Returns an error if no temporary folder can be created.
    pub fn start() -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let disk = Self::on(folder.path());
        Ok(disk.map(|mut disk| {
            disk.folder = Some(folder);
            disk
        }))
    }

    /// Creates a disk like [`Self::start`] does, but at an existing empty folder.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    pub fn on(path: &Path) -> Option<Self> {
        let files = Shared(Arc::new(Mutex::new(Files::new())));
        match mount(&files, path) {
            Ok(session) => {
                Some(Self { files, session: Some(session), path: path.to_owned(), folder: None })
            }
            Err(error) => {
                eprintln!("NOT TESTED: a disk that loses what was not synced ({error})");
                None
            }
        }
    }

    /// Returns the path where the disk is mounted.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes all files to the simulated medium, as an operating system does after a few seconds.
    pub fn write_back(&self) {
        self.files.lock().sync_all();
    }

    /// Simulates a power failure followed by a restart. No program may have a file on the disk open.
    ///
    /// # Errors
    /// Returns an error if a program has a file open, or if the disk cannot be mounted again.
    pub fn crash(&mut self) -> Result<()> {
        // Unmounting the disk makes the operating system discard its cache.
        if let Some(session) = self.session.take() {
            unmount(&self.path)?;
            session.join()?;
        }
        self.files.lock().crash();
        self.session = Some(mount(&self.files, &self.path)?);
        Ok(())
    }
}

impl Drop for VolatileDisk {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            let _ = session.umount_and_join();
        }
    }
}

/// Unmounts the disk. Retries while it is busy, because a newly started process briefly inherits all open files.
#[expect(clippy::disallowed_methods, reason = "a test waits in real time")]
fn unmount(folder: &Path) -> Result<()> {
    let start = Instant::now();
    loop {
        let done = Command::new("umount").arg(folder).output()?;
        if done.status.success() {
            return Ok(());
        }
        if start.elapsed() > BUSY_MAX {
            return Err(Error::other(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn mount(files: &Shared, folder: &Path) -> Result<BackgroundSession> {
    let mut options = Config::default();
    options.mount_options =
        vec![MountOption::FSName("volatile".into()), MountOption::DefaultPermissions];
    options.acl = SessionACL::All;
    fuser::spawn_mount(files.clone(), folder, &options)
}

/// The files, which outlive a single mount.
#[derive(Clone)]
struct Shared(Arc<Mutex<Files>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a node that does not exist yet.
    fn add(
        &self,
        request: &Request,
        (folder, name): (INodeNo, &OsStr),
        body: Body,
        mode: u32,
    ) -> Option<u64> {
        let node =
            Node { body, mode: (mode & 0o7777) as u16, user: request.uid(), group: request.gid() };
        self.lock().add(folder.0, name, node)
    }

    fn entry(&self, number: Option<u64>, reply: ReplyEntry) {
        let files = self.lock();
        match number.and_then(|number| Some((number, files.get(number)?))) {
            Some((number, node)) => {
                reply.entry(&KNOWN, &node.attributes(number), Generation(0));
            }
            None => reply.error(Errno::ENOENT),
        }
    }
}

fn empty(done: Option<()>, reply: ReplyEmpty) {
    match done {
        Some(()) => reply.ok(),
        None => reply.error(Errno::ENOENT),
    }
}

impl Filesystem for Shared {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.lock().find(parent.0, name);
        self.entry(found, reply);
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.lock().get(number.0) {
            Some(node) => reply.attr(&KNOWN, &node.attributes(number.0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        mode: Option<u32>,
        user: Option<u32>,
        group: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<std::time::SystemTime>,
        _: Option<FileHandle>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut files = self.lock();
        if let Some(size) = size
            && files.resize(number.0, size as usize).is_none()
        {
            return reply.error(Errno::EINVAL);
        }
        let Some(node) = files.get_mut(number.0) else { return reply.error(Errno::ENOENT) };
        node.mode = mode.map_or(node.mode, |mode| (mode & 0o7777) as u16);
        node.user = user.unwrap_or(node.user);
        node.group = group.unwrap_or(node.group);
        reply.attr(&KNOWN, &node.attributes(number.0));
    }

    fn readlink(&self, _: &Request, number: INodeNo, reply: ReplyData) {
        match self.lock().get(number.0).map(|node| &node.body) {
            Some(Body::Link(to)) => reply.data(to.as_os_str().as_encoded_bytes()),
            _ => reply.error(Errno::EINVAL),
        }
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let body = Body::Folder(std::collections::BTreeMap::new());
        let number = self.add(request, (parent, name), body, mode & !umask);
        self.entry(number, reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let mut files = self.lock();
        // A program that has the file open can still use it, because the node remains until the next crash.
        empty(files.names(parent.0).and_then(|names| names.remove(name)).map(drop), reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let mut files = self.lock();
        let folder = files.find(parent.0, name);
        match folder.and_then(|folder| files.names(folder)).map(|names| names.is_empty()) {
            Some(true) => {}
            Some(false) => return reply.error(Errno::ENOTEMPTY),
            None => return reply.error(Errno::ENOENT),
        }
        empty(files.names(parent.0).and_then(|names| names.remove(name)).map(drop), reply);
    }

    fn symlink(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        to: &Path,
        reply: ReplyEntry,
    ) {
        let number = self.add(request, (parent, name), Body::Link(to.to_owned()), 0o777);
        self.entry(number, reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let mut files = self.lock();
        let number = files.names(parent.0).and_then(|names| names.remove(name));
        let done = number.and_then(|number| {
            files.names(new_parent.0)?.insert(new_name.to_owned(), number);
            Some(())
        });
        empty(done, reply);
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::empty());
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.lock().get(number.0).map(|node| &node.body) {
            Some(Body::File(bytes)) => {
                let from = (offset as usize).min(bytes.len());
                let to = (from + size as usize).min(bytes.len());
                reply.data(&bytes[from..to]);
            }
            _ => reply.error(Errno::EINVAL),
        }
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.lock().write(number.0, offset as usize, bytes) {
            Some(()) => reply.written(bytes.len() as u32),
            None => reply.error(Errno::EINVAL),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // Do nothing, because closing a file does not write it to the medium.
        reply.ok();
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        empty(self.lock().sync(number.0), reply);
    }

    fn readdir(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let mut files = self.lock();
        let Some(names) = files.names(number.0).cloned() else {
            return reply.error(Errno::ENOTDIR);
        };
        let dots = [(number.0, ".".into()), (ROOT, "..".into())];
        let all = dots.into_iter().chain(names.into_iter().map(|(name, number)| (number, name)));
        for (at, (number, name)) in (1..).zip(all).skip(offset as usize) {
            let kind =
                files.get(number).map_or(FileType::Directory, |node| node.attributes(number).kind);
            if reply.add(INodeNo(number), at, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        empty(self.lock().sync(number.0), reply);
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(FREE, FREE, FREE, FREE, FREE, 4096, 255, 4096);
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let number = self.add(request, (parent, name), Body::File(Vec::new()), mode & !umask);
        let files = self.lock();
        match number.and_then(|number| Some((number, files.get(number)?))) {
            Some((number, node)) => {
                let known = node.attributes(number);
                reply.created(&KNOWN, &known, Generation(0), FileHandle(0), FopenFlags::empty());
            }
            None => reply.error(Errno::ENOENT),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "files are written here")]

    use std::fs::{self, File};
    use std::io::{Seek, SeekFrom, Write};

    use super::*;

    #[test]
    fn a_crash_waits_for_a_file_that_another_process_closes() -> Result<()> {
        let Some(mut disk) = VolatileDisk::start()? else { return Ok(()) };
        let path = disk.path().join("a");
        fs::write(&path, "never synced")?;
        // Keep the file open for a moment, as a new process does before it runs its program.
        let mut holder =
            Command::new("sh").args(["-c", "exec sleep 0.3"]).stdin(File::open(&path)?).spawn()?;
        disk.crash()?;
        holder.wait()?;
        assert!(!path.exists());
        Ok(())
    }

    #[test]
    fn only_what_was_synced_is_there_after_a_crash() -> Result<()> {
        let Some(mut disk) = VolatileDisk::start()? else { return Ok(()) };
        let path = |name: &str| disk.path().join(name);
        let [a, b, c] = ["a", "b", "c"].map(path);
        fs::write(&a, "first")?;
        let mut file = File::options().write(true).open(&a)?;
        file.sync_all()?;
        File::open(disk.path())?.sync_all()?;
        file.seek(SeekFrom::Start(2))?;
        file.write_all(b"XX, longer")?;
        fs::write(&b, "never synced")?;
        File::open(&b)?.sync_all()?;
        drop(file);
        assert_eq!(fs::read_to_string(&a)?, "fiXX, longer");
        disk.crash()?;
        assert_eq!(fs::read_to_string(&a)?, "first");
        assert!(!b.exists(), "its name was not synced");

        // If a file is truncated and then extended, the bytes that were cut off must not reappear.
        let file = File::options().write(true).open(&a)?;
        file.set_len(2)?;
        file.set_len(4)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&a, &c)?;
        disk.crash()?;
        assert_eq!(fs::read(&a)?, b"fi\0\0");
        fs::rename(&a, &c)?;
        disk.write_back();
        fs::remove_file(&c)?;
        assert!(!c.exists());
        disk.crash()?;
        assert!(c.exists() && !a.exists());
        Ok(())
    }
}
