//! A file system of a few megabytes, which only root can mount.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system that exists until this value is dropped.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts the file system on an empty folder, which will belong to the owner of `like`. If that
    /// fails, prints a message and returns `None`.
    pub fn on(path: &Path, like: &Path) -> Option<Self> {
        Self::of(path, like, "40m")
    }

    /// Mounts the file system like [`SmallDisk::on`], but with a different size, such as `1m`.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests must know what was not tested")]
    pub fn of(path: &Path, like: &Path, size: &str) -> Option<Self> {
        let owner = like.metadata().expect("a folder").uid();
        let options = format!("size={size},mode=700,uid={owner}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(path);
        if mount.output().is_ok_and(|done| done.status.success()) {
            return Some(Self(path.to_owned()));
        }
        eprintln!("NOT TESTED: only root can mount a small file system");
        None
    }

    /// Enlarges the file system.
    pub fn grow(&self) {
        let grown = Command::new("mount").args(["-o", "remount,size=600m"]).arg(&self.0).status();
        assert!(grown.is_ok_and(|status| status.success()), "a larger disk");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // If unmounting fails, the folder cannot be removed, and the test reports that.
        let _ = Command::new("umount").arg(&self.0).output();
    }
}
