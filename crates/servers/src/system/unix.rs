//! Operating system services on Linux, macOS and related systems.

use std::fs::{DirBuilder, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, fstatvfs, open};
use rustix::io::Errno;
use rustix::process::{Pid, kill_process, kill_process_group};
use tacho_core::Result;

pub use rustix::process::Signal;
pub use std::os::unix::net::UnixStream as LocalSocket;

/// Maximum number of bytes that [`take_space`] allocates at once.
const STEP_MAX: u64 = 16 << 20;

/// Always succeeds, because this system supports private servers.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it is an error")]
pub(crate) fn supported() -> Result<()> {
    Ok(())
}

/// Owner, permissions, inode number and device of a file.
pub(crate) struct About {
    pub(crate) user: u32,
    pub(crate) group: u32,
    pub(crate) mode: u32,
    pub(crate) number: u64,
    pub(crate) device: u64,
}

pub(crate) fn about(file: &Metadata) -> About {
    About {
        user: file.uid(),
        group: file.gid(),
        mode: file.mode(),
        number: file.ino(),
        device: file.dev(),
    }
}

/// Returns the effective user ID, which is 0 for the administrator.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Sends a signal to a process. The process may already have exited.
pub(crate) fn send(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().filter(|id| *id > 0).and_then(Pid::from_raw)
    {
        let _ = kill_process(process, signal);
    }
}

/// Sends a signal to all processes in a group. They may already have exited.
pub(crate) fn send_group(group: u32, signal: Signal) {
    // Do not send the signal to group 1, because the system would send it to all processes.
    if let Some(group) = i32::try_from(group).ok().filter(|id| *id > 1).and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

/// Puts a command in its own process group, so that Ctrl-C on the terminal does not interrupt it.
pub(crate) fn with_own_group(command: &mut Command) {
    command.process_group(0);
}

/// Makes a command run as another user.
pub(crate) fn run_as(command: &mut Command, user: u32, group: u32) {
    command.uid(user).gid(group);
}

/// Changes the owner of a file or folder.
pub(crate) fn give(path: &Path, user: u32, group: u32) -> io::Result<()> {
    std::os::unix::fs::chown(path, Some(user), Some(group))
}

/// Creates a link.
pub(crate) fn link(to: &Path, from: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, from)
}

/// Creates a folder that only its owner can access.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Returns the options for creating a file that only its owner can read.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Restricts a file's permissions to its owner.
pub(crate) fn set_private(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Creates a file that occupies all free space of its file system, including space that other programs free while this
/// function runs. Gives up after the given number of failed attempts.
///
/// The space is allocated in many small steps. If a step fails or the process is killed, the kernel undoes only that
/// step.
pub(crate) fn take_space(path: &Path, attempts: u32) -> io::Result<()> {
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::RUSR | Mode::WUSR)?;
    let (mut length, mut step, mut failures) = (0, STEP_MAX, 0);
    while failures < attempts {
        let free = fstatvfs(&file)?;
        let bytes = free.f_bavail.saturating_mul(free.f_frsize).min(step);
        if bytes == 0 {
            return Ok(());
        }
        match fallocate(&file, FallocateFlags::empty(), length, bytes) {
            Ok(()) => length += bytes,
            // Another writer was faster.
            Err(Errno::NOSPC) => {
                failures += 1;
                step = (step / 4).max(free.f_frsize);
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
