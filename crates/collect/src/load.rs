//! The load of this machine since it was started, as the kernel counts it.

#![expect(clippy::disallowed_methods, reason = "reads what the kernel says of the machine")]

use std::time::Duration;

use crate::{other, wall_clock};

/// Counters that only grow. Times are in ticks of all processors together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineLoad {
    /// Date of the reading.
    pub at: Duration,
    /// Time in programs.
    pub user: u64,
    /// Time in the kernel.
    pub system: u64,
    /// Time in interrupts.
    pub interrupts: u64,
    /// Time that a hypervisor gave to other machines.
    pub steal: u64,
    /// Time unused, waits for disks included.
    pub idle: u64,
    /// All time.
    pub total: u64,
    /// Reads and writes of all disks.
    pub transfers: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// Reads the counters; `None` where the system does not tell them.
pub fn machine_load() -> Option<MachineLoad> {
    let Ok(cpu) = std::fs::read_to_string("/proc/stat") else { return other::machine_load() };
    let disks = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    let mut load = cpu_load(&cpu)?;
    (load.transfers, load.bytes) = disk_load(&disks);
    load.at = wall_clock();
    Some(load)
}

/// The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
fn cpu_load(text: &str) -> Option<MachineLoad> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [user, nice, system, idle, wait, irq, soft, steal, ..] = ticks[..] else { return None };
    Some(MachineLoad {
        user: user + nice,
        system,
        interrupts: irq + soft,
        steal,
        idle: idle + wait,
        total: user + nice + system + idle + wait + irq + soft + steal,
        ..MachineLoad::default()
    })
}

/// Transfers and bytes of whole disks: a partition's name begins with that of its disk.
fn disk_load(text: &str) -> (u64, u64) {
    /// The kernel counts sectors of this size, whatever the disk has.
    const SECTOR: u64 = 512;
    let mut disks: Vec<&str> = Vec::new();
    let (mut transfers, mut sectors) = (0, 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(name), Some(counts)) = (words.get(2), words.get(3..)) else { continue };
        let virtual_disk = ["loop", "ram", "dm-", "zram"].iter().any(|kind| name.starts_with(kind));
        if virtual_disk || disks.iter().any(|disk| name.starts_with(disk)) {
            continue;
        }
        disks.push(name);
        let count =
            |place: usize| counts.get(place).and_then(|w| w.parse::<u64>().ok()).unwrap_or(0);
        transfers += count(0) + count(4);
        sectors += count(2) + count(6);
    }
    (transfers, sectors * SECTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read() {
        let load = cpu_load("cpu  10 1 5 70 4 2 3 5 0 0\ncpu0 1 1 1 1\n").expect("a load");
        let parts = (load.user, load.system, load.interrupts, load.idle, load.total);
        assert_eq!(parts, (11, 5, 5, 74, 100));
        assert_eq!(load.steal, 5);
        assert_eq!(cpu_load("intr 5"), None);
    }

    #[test]
    fn partitions_and_virtual_disks_are_not_counted_again() {
        let text = "   8  0 sda 10 0 100 5 20 0 200 9 0 0 0\n\
                    8  1 sda1 9 0 90 5 19 0 190 9 0 0 0\n\
                    7  0 loop0 5 0 5 5 5 0 5 5 0 0 0\n";
        assert_eq!(disk_load(text), (30, 300 * 512));
    }
}
