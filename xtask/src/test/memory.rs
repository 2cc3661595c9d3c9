//! An in-memory file system for the tests' temporary files. Hundreds of test servers would be slow
//! if their files were on a disk.
//!
//! Do not use `/dev/shm`, because MariaDB would treat it as persistent memory. It would then lose
//! nothing in a crash, which some tests rely on.
//!
//! Start reading at [`folder`].

use std::path::PathBuf;
use std::process::Command;

/// Environment variable with the folder for temporary files.
pub const VARIABLE: &str = "TMPDIR";
/// Minimum amount of available memory in KiB. Tests need part of the memory for themselves.
const KIB_MIN: u64 = 10 << 20;

/// The mounted folder, which is removed when this value is dropped.
pub struct Folder(pub PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be unmounted or removed remains until the machine is restarted.
        succeeds(Command::new("umount").arg("--lazy").arg(&self.0));
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Mounts a new file system. Returns `None` if memory is scarce, the caller has set a folder, or mounting is not
/// allowed.
pub fn folder() -> Option<Folder> {
    if std::env::var_os(VARIABLE).is_some() {
        return None;
    }
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let available = available(&memory)?;
    if available < KIB_MIN {
        return None;
    }
    let folder = std::env::temp_dir().join(format!("tacho-{}", std::process::id()));
    std::fs::create_dir(&folder).ok()?;
    // The folder is writable for everyone, because servers run as other users and create and remove files in it.
    let mut mount = Command::new("mount");
    // This size is only a limit. The file system takes up memory only for data that has been written.
    let options = format!("size={}k,mode=1777", available / 4 * 3);
    mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&folder);
    if !succeeds(&mut mount) {
        let _ = std::fs::remove_dir(&folder);
        return None;
    }
    Some(Folder(folder))
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Returns the available memory in KiB.
fn available(memory: &str) -> Option<u64> {
    let line = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   7000 kB\n"), Some(7_000));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }
}
