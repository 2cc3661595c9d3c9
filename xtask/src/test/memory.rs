//! A file system in memory for the temporary files of tests: on a disk, servers that come and go by the hundred
//! wait for it, and half of their time is that of its file system.
//!
//! It is one of its own and not `/dev/shm`, on which MariaDB takes its log for persistent memory and loses
//! nothing. Start reading at [`folder`].

use std::path::PathBuf;
use std::process::Command;

/// Names the folder of temporary files.
pub const VARIABLE: &str = "TMPDIR";
/// Memory that must be available. Tests that run at once take some of it.
const KIB_MIN: u64 = 10 << 20;

/// Removed when it is dropped.
pub struct Folder(pub PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left stays until the machine restarts.
        succeeds(Command::new("umount").arg("--lazy").arg(&self.0));
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// A new one, unless memory is scarce, the caller has named another place, or only the system's administrator
/// may mount.
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
    // Servers run as users of their own, who remove what is theirs.
    let mut mount = Command::new("mount");
    // Memory is taken only for what is written.
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

/// KiB of memory that programs can have.
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
