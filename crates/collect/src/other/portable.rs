//! Facts about the machine on macOS and Windows, from the `sysinfo` crate. This crate does not provide the processors'
//! time counters. On Windows, the `windows` module reads them instead.

use std::path::Path;

use sysinfo::{Disks, MemoryRefreshKind, Networks, System};

use crate::{
    CpuTicks, DiskCounters, Host, HostReading, Memory, NetworkCounters, Storage, wall_clock,
};

#[cfg(windows)]
use super::windows::cores;

/// Returns `None`, because this system does not have these counters.
#[cfg(not(windows))]
fn cores() -> Option<Vec<CpuTicks>> {
    None
}

pub(crate) fn host() -> Option<Host> {
    let mut system = with_memory()?;
    system.refresh_cpu_all();
    Some(Host {
        name: System::host_name().unwrap_or_default(),
        os: System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.into()),
        kernel: System::kernel_version().unwrap_or_default(),
        arch: std::env::consts::ARCH.into(),
        cpu: system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default(),
        cores: crate::cores(),
        memory_bytes: system.total_memory(),
    })
}

#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Option<std::time::Duration> {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate};
    let process = Pid::from_u32(std::process::id());
    let mut system = System::new().ok()?;
    let kind = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, kind);
    Some(std::time::Duration::from_millis(system.process(process)?.accumulated_cpu_time()))
}

pub(crate) fn processors() -> Option<u32> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    u32::try_from(system.cpus().len()).ok().filter(|count| *count > 0)
}

pub(crate) fn memory() -> Option<Memory> {
    let available_bytes = with_memory()?.available_memory();
    (available_bytes > 0).then_some(Memory { available_bytes, limit_bytes: None })
}

#[cfg(not(unix))]
pub(crate) fn disk(folder: &Path) -> Option<crate::Disk> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let writable = there.is_dir() && !there.metadata().ok()?.permissions().readonly();
    let free_bytes = below(there, |disk| disk.available_space())?;
    Some(crate::Disk { free_bytes, writable, device: 0 })
}

pub(crate) fn storage(path: &Path) -> Option<Storage> {
    below(path, |disk| Storage {
        file_system: disk.file_system().to_string_lossy().into_owned(),
        disk: disk.name().to_string_lossy().into_owned(),
        disk_bytes: Some(disk.total_space()),
        rotational: match disk.kind() {
            sysinfo::DiskKind::HDD => Some(true),
            sysinfo::DiskKind::SSD => Some(false),
            sysinfo::DiskKind::Unknown(_) => None,
        },
    })
}

/// Returns a property of the disk on which a path is located.
fn below<T>(path: &Path, of: impl Fn(&sysinfo::Disk) -> T) -> Option<T> {
    let path = path.canonicalize().ok()?;
    // On Windows, full paths have this prefix before the drive letter, but mount points do not.
    let plain = path.to_string_lossy().trim_start_matches(r"\\?\").to_owned();
    let disks = Disks::new_with_refreshed_list().ok()?;
    let above = disks.iter().filter(|disk| Path::new(&plain).starts_with(disk.mount_point()));
    above.max_by_key(|disk| disk.mount_point().as_os_str().len()).map(of)
}

pub(crate) fn host_reading() -> Option<HostReading> {
    let cores = cores()?;
    let memory = with_memory()?;
    let disks = Disks::new_with_refreshed_list().ok()?;
    let counters = |disk: &sysinfo::Disk| DiskCounters {
        read_bytes: disk.usage().total_read_bytes,
        written_bytes: disk.usage().total_written_bytes,
        ..DiskCounters::default()
    };
    let name = |disk: &sysinfo::Disk| disk.mount_point().to_string_lossy().into_owned();
    let networks = Networks::new_with_refreshed_list().ok()?;
    let counted = |data: &sysinfo::NetworkData| NetworkCounters {
        received_bytes: data.total_received(),
        sent_bytes: data.total_transmitted(),
        packets: data.total_packets_received() + data.total_packets_transmitted(),
        errors: data.total_errors_on_received() + data.total_errors_on_transmitted(),
    };
    Some(HostReading {
        date_s: wall_clock().as_secs_f64(),
        uptime_s: System::uptime().ok()? as f64,
        cores,
        available_bytes: memory.available_memory(),
        swap_used_bytes: memory.used_swap(),
        disks: disks.iter().map(|disk| (name(disk), counters(disk))).collect(),
        networks: networks
            .iter()
            .map(|(name, data)| (name.to_string_lossy().into_owned(), counted(data)))
            .collect(),
        ..HostReading::default()
    })
}

fn with_memory() -> Option<System> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::everything());
    Some(system)
}
