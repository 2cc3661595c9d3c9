//! Slows down a disk. A Linux control group limits the reads and writes per second of a private server.
//!
//! The group contains only this server, so other programs are not slowed down.
//!
//! Start reading at [`ServerPool::slow_disk`].

#![expect(clippy::disallowed_methods, reason = "control groups are controlled through files")]

use std::fs::{read_to_string, write};
use std::io;
use std::path::{Path, PathBuf};

use tacho_core::{Error, ErrorKind, Result};

use crate::process::{Identity, all_below, tick};
use crate::server_pool::ServerPool;
use crate::system::about;

/// Number of attempts to remove a group. Several may be needed, because the group's processes take
/// a moment to leave it.
const ATTEMPTS: u32 = 50;
/// Prefix of the name of each control group. The rest of the name identifies the process that created the group, and
/// the server.
const PREFIX: &str = "tacho-";
const HINT: &str = "slowing down a disk requires root, Linux with control groups (controller io or \
    blkio), and a servers folder on a block device: choose such a folder with --dir, or use \
    --fault-command";

/// The control group hierarchy that can limit disks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    root: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// Version 1 of control groups. The controller `blkio` has separate files for reads and writes,
    /// and 0 means no limit.
    One,
    /// Version 2 of control groups. The controller `io` has a single file for both limits, and
    /// `max` means no limit.
    Two,
}

/// A limit on the speed of a server's disk. Dropping this value removes the limit.
pub struct SlowDisk {
    hierarchy: Hierarchy,
    group: PathBuf,
    /// The control group to which the server's processes belonged before.
    home: PathBuf,
    /// The disk that is limited. Unknown if the limit was set by an earlier command.
    device: Option<String>,
}

impl ServerPool {
    /// Checks that a server's disk can be limited, by creating and removing a control group.
    ///
    /// # Errors
    /// Returns a usage error if the name is unknown, or [`ErrorKind::Unsupported`] if the disk cannot be limited.
    pub fn require_slow_disk(&self, name: &str) -> Result<()> {
        self.state_of(name)?;
        self.limit(name).and_then(SlowDisk::remove)
    }

    /// Limits a disk to `per_second` reads and the same number of writes per second.
    ///
    /// # Errors
    /// Fails like [`ServerPool::require_slow_disk`], or returns a connection error if the server is
    /// not running.
    pub fn slow_disk(&self, name: &str, per_second: u32) -> Result<SlowDisk> {
        let (_, process) = self.running(name)?;
        let server = process.identity().pid;
        let mut disk = self.limit(name)?;
        let limited = disk.set(Some(per_second)).and_then(|()| {
            disk.home = disk.hierarchy.group_of(server)?;
            // Move the server's main process first. All processes that it starts after that also belong to the group.
            std::iter::once(server)
                .chain(all_below(server))
                .try_for_each(|pid| enter(&disk.group, pid))
        });
        limited.map_err(|error| failed(&error))?;
        Ok(disk)
    }

    /// Creates an empty control group that has no limit yet.
    fn limit(&self, name: &str) -> Result<SlowDisk> {
        let made = || {
            let folder = self.folder_of(name).canonicalize()?;
            let device = block_device(about(&folder.metadata()?).device)?;
            let hierarchy = Hierarchy::find(&read_to_string("/proc/self/mounts")?)?;
            hierarchy.allow()?;
            let identity = Identity::of(std::process::id());
            let identity =
                identity.ok_or_else(|| io::Error::other("/proc does not show this process"))?;
            let group = hierarchy.root.join(format!("{PREFIX}{}-{name}", maker(&identity)));
            std::fs::create_dir(&group)?;
            let home = hierarchy.root.clone();
            let disk = SlowDisk { hierarchy, group, home, device: Some(device) };
            disk.set(None)?;
            Ok(disk)
        };
        made().map_err(|error| failed(&error))
    }
}

/// Removes speed limits that remained because the commands that set them were killed. Returns the
/// names of the servers whose disks were slowed down.
pub fn end_abandoned_limits() -> Vec<String> {
    let mounts = read_to_string("/proc/self/mounts").unwrap_or_default();
    let Ok(hierarchy) = Hierarchy::find(&mounts) else { return Vec::new() };
    let groups = std::fs::read_dir(&hierarchy.root).into_iter().flatten().flatten();
    let mut ended = Vec::new();
    for group in groups.map(|entry| entry.path()) {
        let name = group.file_name().unwrap_or_default().to_string_lossy();
        let Some((maker, server)) = made_by(&name) else { continue };
        if !lives(maker) {
            let (home, server) = (hierarchy.root.clone(), server.to_owned());
            drop(SlowDisk { hierarchy: hierarchy.clone(), group, home, device: None });
            ended.push(server);
        }
    }
    ended
}

/// Returns a process as it appears in group names: `PID.START`.
fn maker(identity: &Identity) -> String {
    // Use only the last word of the start time. On Linux, it is the time since the machine was booted; other systems
    // have no control groups.
    let start = identity.started.rsplit(' ').next().unwrap_or_default();
    format!("{}.{start}", identity.pid)
}

/// Splits the name of a group that Tacho created into the creating process and the server.
fn made_by(group: &str) -> Option<(&str, &str)> {
    let (maker, server) = group.strip_prefix(PREFIX)?.split_once('-')?;
    let is_ours = maker.chars().all(|c| c.is_ascii_digit() || c == '.') && !maker.is_empty();
    is_ours.then_some((maker, server))
}

/// Returns true if the process that created a group is still alive.
fn lives(maker_words: &str) -> bool {
    let pid = maker_words.split('.').next().and_then(|pid| pid.parse().ok());
    pid.and_then(Identity::of).is_some_and(|identity| maker(&identity) == maker_words)
}

fn failed(error: &io::Error) -> Error {
    let text = format!("cannot limit the server's disk: {error}");
    Error::new(ErrorKind::Unsupported, text).during("slow the disk down").hint(HINT)
}

impl SlowDisk {
    /// Removes the limit.
    ///
    /// # Errors
    /// Returns any I/O error.
    pub fn remove(self) -> Result<()> {
        self.end().map_err(|error| failed(&error))
    }

    fn set(&self, per_second: Option<u32>) -> io::Result<()> {
        let Some(device) = &self.device else { return Ok(()) };
        let limits = self.hierarchy.limits(device, per_second);
        limits.into_iter().try_for_each(|(file, line)| write(self.group.join(file), line))
    }

    /// Removes the limit first, and then the control group, because slowed-down processes would take longer to leave
    /// the group.
    fn end(&self) -> io::Result<()> {
        if !self.group.exists() {
            return Ok(());
        }
        self.set(None)?;
        let mut last = Ok(());
        for _ in 0..ATTEMPTS {
            for pid in read_to_string(self.group.join("cgroup.procs"))?.lines() {
                pid.parse().map_or(Ok(()), |pid| enter(&self.home, pid))?;
            }
            last = std::fs::remove_dir(&self.group);
            if last.is_ok() {
                break;
            }
            tick();
        }
        last
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Hierarchy {
    /// Finds the control group hierarchy in `/proc/mounts`, where each line contains a device,
    /// folder, type and options.
    fn find(mounts: &str) -> io::Result<Self> {
        let mounts = mounts.lines().filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Some((Path::new(fields.next()?), fields.next()?, fields.next()?))
        });
        let mut found = None;
        for (root, kind, options) in mounts {
            let has_io = || {
                let all = read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
                all.split_whitespace().any(|controller| controller == "io")
            };
            let version = match kind {
                "cgroup" if options.split(',').any(|option| option == "blkio") => Version::One,
                "cgroup2" if has_io() => Version::Two,
                _ => continue,
            };
            found = Some(Self { root: root.to_owned(), version });
        }
        found.ok_or_else(|| io::Error::other("no control groups that limit devices were found"))
    }

    /// Allows groups below the root to have disk limits. Only version 2 requires this.
    fn allow(&self) -> io::Result<()> {
        match self.version {
            Version::One => Ok(()),
            Version::Two => write(self.root.join("cgroup.subtree_control"), "+io"),
        }
    }

    /// Returns the files that define the limit of a disk, each with the text to write to it.
    fn limits(&self, device: &str, per_second: Option<u32>) -> Vec<(&'static str, String)> {
        match self.version {
            Version::One => {
                let line = format!("{device} {}", per_second.unwrap_or(0));
                ["blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"]
                    .map(|file| (file, line.clone()))
                    .into()
            }
            Version::Two => {
                let limit = per_second.map_or_else(|| "max".into(), |limit| limit.to_string());
                vec![("io.max", format!("{device} riops={limit} wiops={limit}"))]
            }
        }
    }

    /// Returns a process's control group.
    fn group_of(&self, pid: u32) -> io::Result<PathBuf> {
        let groups = read_to_string(format!("/proc/{pid}/cgroup"))?;
        let group = groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let is_own = match self.version {
                Version::One => controllers.split(',').any(|controller| controller == "blkio"),
                Version::Two => controllers.is_empty(),
            };
            is_own.then_some(path)
        });
        Ok(self.root.join(group.unwrap_or("/").trim_start_matches('/')))
    }
}

/// Moves a process to a group. If the process has already exited, does nothing.
fn enter(group: &Path, pid: u32) -> io::Result<()> {
    /// Error number of the system for a process that does not exist.
    const ESRCH: i32 = 3;
    match write(group.join("cgroup.procs"), pid.to_string()) {
        Err(error) if error.raw_os_error() == Some(ESRCH) => Ok(()),
        done => done,
    }
}

/// Returns the `MAJOR:MINOR` of an entire disk. Partitions cannot be limited.
fn block_device(device: u64) -> io::Result<String> {
    // The inverse of Linux's makedev.
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00));
    let numbers = format!("{major}:{minor}");
    let folder = Path::new("/sys/dev/block").join(&numbers).canonicalize().map_err(|_| {
        io::Error::other(
            "the servers' folder is not on a block device but in memory or on a network file system",
        )
    })?;
    if !folder.join("partition").exists() {
        return Ok(numbers);
    }
    let whole = folder.parent().unwrap_or(&folder).join("dev");
    Ok(read_to_string(whole)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "/dev/vda / ext4 rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n\
                          cgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0\n";

    #[test]
    fn the_hierarchy_of_devices_is_found() {
        let found = Hierarchy::find(MOUNTS).expect("blkio");
        let one = Hierarchy { root: "/sys/fs/cgroup/blkio".into(), version: Version::One };
        assert_eq!(found, one);
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path().join("cgroup.controllers"), "cpu io memory\n").expect("a file");
        let unified = format!("cgroup2 {} cgroup2 rw 0 0\n", folder.path().display());
        assert_eq!(Hierarchy::find(&unified).expect("io").version, Version::Two);
        assert!(Hierarchy::find("proc /proc proc rw 0 0\n").is_err());
    }

    #[test]
    fn limits_are_those_of_the_version() {
        let hierarchy = |version| Hierarchy { root: "/x".into(), version };
        let one = hierarchy(Version::One).limits("8:0", Some(50));
        assert_eq!(one[1], ("blkio.throttle.write_iops_device", "8:0 50".into()));
        assert_eq!(hierarchy(Version::One).limits("8:0", None)[0].1, "8:0 0");
        let two = hierarchy(Version::Two);
        assert_eq!(two.limits("8:0", Some(50)), [("io.max", "8:0 riops=50 wiops=50".into())]);
        assert_eq!(two.limits("8:0", None), [("io.max", "8:0 riops=max wiops=max".into())]);
    }

    #[test]
    fn a_group_names_the_process_that_made_it_and_its_start() {
        let identity = Identity::of(std::process::id()).expect("this process");
        let group = format!("{PREFIX}{}-pg-replica", maker(&identity));
        let (words, server) = made_by(&group).expect("a group of ours");
        assert!(lives(words) && server == "pg-replica");
        // The process ID is right, but the start time is not, so the ID has been reused.
        assert!(!lives(&format!("{}.1", identity.pid)) && !lives(&identity.pid.to_string()));
        assert!(made_by("tacho-x-pg").is_none() && made_by("user.slice").is_none());
    }

    #[test]
    fn a_file_system_in_memory_has_no_device() {
        assert!(block_device(0x29).is_err_and(|error| error.to_string().contains("in memory")));
    }
}
