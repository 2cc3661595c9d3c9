//! Storage of a folder: its file system, device and disk model.
//!
//! Start reading at [`storage`].

#![expect(clippy::disallowed_methods, reason = "reads kernel files that describe the machine")]

use std::path::{Path, PathBuf};

use crate::host::line;
use crate::other;

const MOUNTS: &str = "/proc/self/mountinfo";
const DEVICES: &str = "/sys/dev/block";
/// Size of a sector in the kernel's counters. It does not depend on the sector size of the disk.
const SECTOR: u64 = 512;

/// Storage of a folder. Facts that the kernel does not report are empty or absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// File system, such as `ext4`, along with options that affect its speed.
    pub file_system: String,
    /// Device and disk models, such as `nvme0n1, Samsung SSD 990 PRO`. Empty if no device belongs to the file system.
    pub disk: String,
    /// Size of the disk.
    pub disk_bytes: Option<u64>,
    /// True if the disk is rotational; `None` for a virtual disk, because the physical disk behind it is unknown.
    pub rotational: Option<bool>,
}

/// Returns the storage of a file or folder on this machine, or `None` if it does not exist or is not accessible.
pub fn storage(path: &Path) -> Option<Storage> {
    if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return None;
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Ok(mounts) = std::fs::read_to_string(MOUNTS) else { return other::storage(&path) };
    let mount = mount_of(&mounts, &path)?;
    let folder = device_folder(&mount);
    let mut storage = Storage { file_system: mount.kind, ..Storage::default() };
    if let Some(folder) = folder {
        let disks = disks(&folder, 0);
        let named: Vec<String> = disks.iter().map(|disk| named(disk)).collect();
        storage.disk = named.join(" + ");
        let sizes = disks.iter().map(|disk| line(disk.join("size")).parse::<u64>().ok());
        storage.disk_bytes = sizes.sum::<Option<u64>>().map(|sectors| sectors * SECTOR);
        let turns = disks
            .iter()
            .zip(&named)
            .map(|(disk, name)| turns(name, &line(disk.join("queue/rotational"))));
        storage.rotational = turns.collect::<Option<Vec<_>>>().map(|all| all.contains(&true));
    }
    Some(storage)
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    /// The device number as `major:minor`.
    device: String,
    kind: String,
    source: String,
}

/// Returns the mount that contains the given path, which is the mount with the longest matching mount point. If several
/// file systems are mounted there, the last one hides the others; see proc(5).
fn mount_of(mounts: &str, path: &Path) -> Option<Mount> {
    let mounts = mounts.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(2);
        let (device, _root, place) = (before.next()?, before.next()?, before.next()?);
        let mut after = after.split(' ');
        let (kind, source) = (after.next()?, after.next()?);
        let place = PathBuf::from(plain(place));
        let mount = Mount { device: device.into(), kind: kind.into(), source: plain(source) };
        path.starts_with(&place).then(|| (place.components().count(), mount))
    });
    mounts.max_by_key(|(depth, _)| *depth).map(|(_, mount)| mount)
}

/// Decodes a path in which the kernel has escaped spaces, tabs and backslashes, such as `\040` for a space.
fn plain(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
}

/// Returns the sysfs folder of a mount's device. If a file system spans several devices, sysfs has no folder for its
/// device number. The folder is then found by the file name of the mounted device, such as `sda1`.
fn device_folder(mount: &Mount) -> Option<PathBuf> {
    let by_number = Path::new(DEVICES).join(&mount.device);
    let by_name = || {
        let name = Path::new(&mount.source).canonicalize().ok()?;
        Some(Path::new("/sys/class/block").join(name.file_name()?))
    };
    [Some(by_number), by_name()].into_iter().flatten().find_map(|folder| folder.canonicalize().ok())
}

/// Maximum number of device layers to follow. For example, an array on encrypted disks has several layers.
const LAYERS: usize = 8;

/// Returns the physical disks behind a device. For a partition, this is the disk that contains it. For an array, these
/// are its members.
fn disks(folder: &Path, layer: usize) -> Vec<PathBuf> {
    let whole = match folder.parent() {
        Some(disk) if folder.join("partition").exists() => disk.to_owned(),
        _ => folder.to_owned(),
    };
    let below = std::fs::read_dir(whole.join("slaves")).into_iter().flatten().flatten();
    let below = below.filter_map(|entry| entry.path().canonicalize().ok());
    let mut all: Vec<PathBuf> = if layer < LAYERS {
        below.flat_map(|disk| disks(&disk, layer + 1)).collect()
    } else {
        Vec::new()
    };
    if all.is_empty() {
        all.push(whole);
    }
    all.sort();
    all.dedup();
    all
}

/// Words that occur in the names of virtual disks. The names come from drivers, hypervisors and cloud providers.
const VIRTUAL: [&str; 14] = [
    "virtio",
    "xen",
    "vbd",
    "pvscsi",
    "storvsc",
    "qemu",
    "vbox",
    "vmware",
    "virtual",
    "msft",
    "google",
    "amazon",
    "persistent",
    "loop",
];

/// Returns true if the kernel reports a rotational disk. Returns `None` for a virtual disk, because the kernel cannot
/// know the hardware behind it.
fn turns(name: &str, rotational: &str) -> Option<bool> {
    let name = name.to_lowercase();
    if VIRTUAL.iter().any(|word| name.contains(word)) {
        return None;
    }
    match rotational {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn named(disk: &Path) -> String {
    let name = disk.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let words = ["device/vendor", "device/model"].map(|file| line(disk.join(file)));
    // On some virtual disks, the vendor is only a hexadecimal number, so leave it out.
    let words = words.into_iter().filter(|word| !word.is_empty() && !word.starts_with("0x"));
    let model: Vec<String> = words.collect();
    let driver = std::fs::read_link(disk.join("device/driver")).ok();
    let driver = driver.and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned()));
    match (model.is_empty(), driver) {
        (false, _) => format!("{name}, {}", model.join(" ")),
        (true, Some(driver)) => format!("{name}, {driver}"),
        (true, None) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 27 0:21 / /proc rw - proc proc rw\n\
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        30 27 259:1 / /var/lib rw shared:1 - xfs /dev/nvme0n1p1 rw\n\
        31 27 0:44 / /tmp/a\\040b rw - tmpfs tmpfs rw\n\
        32 30 0:50 / /var/lib rw - btrfs /dev/sdb rw\n";

    #[test]
    fn the_nearest_mount_counts_and_of_equal_ones_the_last() {
        let of =
            |path: &str| mount_of(MOUNTS, Path::new(path)).map(|mount| (mount.kind, mount.source));
        let table = [
            ("/home/x", ("ext4", "/dev/vda")),
            ("/var/library", ("ext4", "/dev/vda")),
            ("/var/lib/postgresql", ("btrfs", "/dev/sdb")),
            ("/tmp/a b/c", ("tmpfs", "tmpfs")),
        ];
        for (path, (kind, source)) in table {
            assert_eq!(of(path), Some((kind.into(), source.into())), "{path}");
        }
    }

    #[test]
    fn a_virtual_disk_says_nothing_about_turning() {
        for (rotational, expected) in [("1", Some(true)), ("0", Some(false)), ("", None)] {
            assert_eq!(turns("sda, ATA ST1000DM003", rotational), expected);
            for name in
                ["vda, virtio_blk", "sda, QEMU HARDDISK", "nvme0n1, Amazon Elastic Block Store"]
            {
                assert_eq!(turns(name, rotational), None, "{name}");
            }
        }
    }

    #[test]
    fn this_machine_has_a_file_system() {
        let storage = storage(&std::env::temp_dir()).expect("a mount");
        assert!(!storage.file_system.is_empty());
        assert_eq!(super::storage(Path::new("/no/such/folder")), None);
    }
}
