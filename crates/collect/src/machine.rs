//! The machine's resources that limit a measurement: processors, files, memory and disk.
//!
//! If the system does not report a fact, it is absent. Container limits come from control groups, version 2 or version
//! 1: <https://docs.kernel.org/admin-guide/cgroup-v2.html>.

#![expect(clippy::disallowed_methods, reason = "reads kernel files that describe the machine")]

use std::path::{Path, PathBuf};

use crate::host::{field, line};
use crate::other;

const GROUPS: &str = "/sys/fs/cgroup";
const PROCESSORS: &str = "/sys/devices/system/cpu";
const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// A memory limit above this value means "no limit" in version 1 of control groups.
const NO_LIMIT: u64 = 1 << 60;

/// The number of files that this process has open, including sockets, and its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFiles {
    /// Maximum number of open files; absent if unlimited.
    pub limit: Option<u64>,
    /// The highest value to which `ulimit -n` can raise the limit; absent if unlimited.
    pub limit_max: Option<u64>,
    /// Number of files that are currently open.
    pub open: u64,
}

/// The memory that is still available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Memory that programs can allocate without swapping, as estimated by the kernel.
    pub available_bytes: u64,
    /// Memory limit of the container, if any.
    pub limit_bytes: Option<u64>,
}

/// The disk of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Free disk space that this process may use.
    pub free_bytes: u64,
    /// True if this process has permission to write to the folder.
    pub writable: bool,
    /// Device number, which is the same for all folders on a disk.
    pub device: u64,
}

/// Returns the number of processors in the machine, including those that this process may not use.
pub fn processors() -> Option<u32> {
    let Ok(stat) = std::fs::read_to_string("/proc/stat") else { return other::processors() };
    let count = stat.lines().filter(|line| is_one(line)).count();
    u32::try_from(count).ok().filter(|count| *count > 0)
}

/// Returns true if a line of `/proc/stat` describes a single processor.
fn is_one(line: &str) -> bool {
    line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the number of processors that this process's container may use, or `None` if there is no limit.
pub fn cpu_quota() -> Option<f64> {
    cpu_quota_of("self")
}

/// Returns the number of processors that a process's control group may use, or `None` if there is no limit. `folder` is
/// the process's folder in `/proc`.
pub(crate) fn cpu_quota_of(process: &str) -> Option<f64> {
    let two = groups(process, "").into_iter();
    let two = two.filter_map(|folder| quota(&line(folder.join("cpu.max"))));
    let one = groups(process, "cpu").into_iter().filter_map(|folder| {
        let [quota, period] = ["cpu.cfs_quota_us", "cpu.cfs_period_us"];
        self::quota(&format!("{} {}", line(folder.join(quota)), line(folder.join(period))))
    });
    two.chain(one).min_by(f64::total_cmp)
}

/// Parses a quota: `200000 100000` means two processors, `max 100000` and `-1 100000` mean no limit.
fn quota(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.trim().parse().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

/// Returns the processors' frequency governors, such as `performance`, without duplicates.
pub fn governors() -> Vec<String> {
    let folders = std::fs::read_dir(PROCESSORS).into_iter().flatten().flatten();
    let mut found: Vec<String> = folders
        .map(|folder| line(folder.path().join("cpufreq/scaling_governor")))
        .filter(|governor| !governor.is_empty())
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Returns true if the processors report that they run under a hypervisor, or `None` if they report nothing about this.
pub fn is_virtual() -> Option<bool> {
    let flags = field("/proc/cpuinfo", "flags", ':')?;
    Some(flags.split(' ').any(|flag| flag == "hypervisor"))
}

/// Returns the kernel's clock source, such as `tsc`.
pub fn clock_source() -> Option<String> {
    Some(line(CLOCK_SOURCE)).filter(|source| !source.is_empty())
}

/// Returns the limit on open files and the number of files that this process has open.
pub fn open_files() -> Option<OpenFiles> {
    #[cfg(unix)]
    {
        let limits = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        // Do not count the folder that is being read, because it is open only for this purpose.
        let open = std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1) as u64;
        Some(OpenFiles { limit: limits.current, limit_max: limits.maximum, open })
    }
    #[cfg(not(unix))]
    None
}

/// Returns the available memory.
pub fn memory() -> Option<Memory> {
    let Some(text) = field("/proc/meminfo", "MemAvailable", ':') else { return other::memory() };
    let available: u64 = text.trim_end_matches("kB").trim().parse().ok()?;
    let limits = [("", "memory.max"), ("memory", "memory.limit_in_bytes")];
    let limit = limits.into_iter().flat_map(|(kind, name)| {
        groups("self", kind)
            .into_iter()
            .filter_map(move |folder| line(folder.join(name)).parse().ok())
    });
    Some(Memory {
        available_bytes: available * 1024,
        limit_bytes: limit.filter(|limit| *limit < NO_LIMIT).min(),
    })
}

/// Returns the folders of a process's control group and all its parent groups. `kind` is the name of a controller in
/// version 1 of control groups, and empty in version 2.
fn groups(process: &str, kind: &str) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
    let Some(path) = text.lines().find_map(|line| group(line, kind)) else { return Vec::new() };
    let root = Path::new(GROUPS).join(kind);
    let folder = root.join(path.trim_start_matches('/'));
    // Within a container, only the container's own group is visible, and it is mounted as the root.
    let above = folder.ancestors().take_while(|folder| folder.starts_with(&root));
    let mut all: Vec<PathBuf> = above.map(Path::to_owned).collect();
    if !all.contains(&root) {
        all.push(root);
    }
    all
}

/// Returns the path from a line of the form `number:controllers:path`, or `None` if the line is about another
/// controller.
fn group<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (kinds, path) = (parts.next()?, parts.next()?);
    kinds.split(',').any(|known| known == kind).then_some(path)
}

/// Returns the disk that contains a folder. If the folder does not exist, its closest existing parent is used.
pub fn disk(folder: &Path) -> Option<Disk> {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access, statvfs};
        let there = folder.ancestors().find(|folder| folder.exists())?;
        let disk = statvfs(there).ok()?;
        let writable = there.is_dir() && access(there, Access::WRITE_OK | Access::EXEC_OK).is_ok();
        let device = std::os::unix::fs::MetadataExt::dev(&there.metadata().ok()?);
        Some(Disk { free_bytes: disk.f_bavail.saturating_mul(disk.f_frsize), writable, device })
    }
    #[cfg(not(unix))]
    other::disk(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_containers_are_read() {
        let table = [
            ("200000 100000", Some(2.0)),
            ("50000 100000", Some(0.5)),
            ("max 100000", None),
            ("-1 100000", None),
            (" ", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(quota(text), expected, "{text}");
        }
        assert_eq!(group("0::/a/b", ""), Some("/a/b"));
        assert_eq!(group("4:cpu,cpuacct:/c", "cpu"), Some("/c"));
        assert_eq!(group("4:cpu,cpuacct:/c", ""), None);
    }

    #[test]
    fn missing_folders_use_the_disk_of_their_parent() {
        let folder = std::env::temp_dir();
        let (here, below) = (disk(&folder), disk(&folder.join("absent/too")));
        assert!(here.is_some_and(|disk| disk.writable && disk.free_bytes > 0));
        assert!(below.is_some_and(|disk| disk.writable));
    }

    #[test]
    fn one_more_file_is_counted() {
        let Some(before) = open_files() else { return };
        let folder = std::env::temp_dir();
        let held: Vec<_> = (0..50).map(|_| std::fs::File::open(&folder)).collect();
        // Allow for a few more or fewer open files, because other tests run in the same process.
        assert!(open_files().is_some_and(|files| files.open + 10 > before.open + 50));
        drop(held);
    }

    #[test]
    fn this_machine_has_processors_and_memory() {
        assert!(
            processors() >= Some(1) && memory().is_some_and(|memory| memory.available_bytes > 0)
        );
    }
}
