//! Reads a machine's counters at one point in time, so that charts can show the host next to the database.
//!
//! A reading opens a few files in /proc and /sys and takes about a millisecond. Values that the kernel does not provide
//! are absent.
//!
//! Start reading at [`host_reading`].

#![expect(clippy::disallowed_methods, reason = "reads kernel files that describe the machine")]

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::host::line;
use crate::{governors, other, wall_clock};

/// Size of a sector in the kernel's counters. It does not depend on the sector size of the disk.
const SECTOR: u64 = 512;
/// Number of ticks per second in /proc. It is the same on every architecture that Linux currently supports.
const TICKS_PER_S: f64 = 100.0;

/// A processor's CPU time since the machine started, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTicks {
    /// Time in programs.
    pub user: u64,
    /// Time in the kernel.
    pub system: u64,
    /// Time in interrupts.
    pub interrupts: u64,
    /// Time during which the hypervisor ran other virtual machines instead.
    pub steal: u64,
    /// Time during which the processor was idle while waiting for a disk operation.
    pub io_wait: u64,
    /// Other idle time.
    pub idle: u64,
}

/// Counters of a disk since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskCounters {
    /// Completed reads.
    pub reads: u64,
    /// Completed writes.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Milliseconds during which the disk was busy.
    pub busy_ms: u64,
}

/// Counters of a network interface since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkCounters {
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Packets received and sent.
    pub packets: u64,
    /// Packets that were dropped or had errors.
    pub errors: u64,
}

/// A NUMA node's memory in bytes, and the allocations on it since the machine started, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// Free memory.
    pub free_bytes: u64,
    /// Allocations that were intended for this node and received memory on this node.
    pub hits: u64,
    /// Allocations on this node that were intended for another node, which had too little free memory.
    pub misses: u64,
}

/// Time during which tasks had to wait for a scarce resource (pressure stall information), in microseconds since the
/// machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pressure {
    /// Time during which at least one task was waiting for a processor.
    pub cpu_some_us: u64,
    /// Time during which at least one task was waiting for memory.
    pub memory_some_us: u64,
    /// Time during which all runnable tasks were waiting for memory.
    pub memory_full_us: u64,
    /// Time during which at least one task was waiting for I/O.
    pub io_some_us: u64,
    /// Time during which all runnable tasks were waiting for I/O.
    pub io_full_us: u64,
}

/// A snapshot of a machine's state. Counters never decrease.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostReading {
    /// Time of the snapshot, in seconds since 1970.
    pub date_s: f64,
    /// Time since the machine started, in seconds. It does not change when the wall clock is set.
    pub uptime_s: f64,
    /// Time of each processor.
    pub cores: Vec<CpuTicks>,
    /// Number of tasks that are running or waiting for a processor.
    pub running: u64,
    /// Number of tasks that are waiting for a disk.
    pub blocked: u64,
    /// Memory that programs can allocate without swapping.
    pub available_bytes: u64,
    /// Memory whose data has changed and must still be written to disk.
    pub dirty_bytes: u64,
    /// Swap space in use.
    pub swap_used_bytes: u64,
    /// Whole disks, by name.
    pub disks: BTreeMap<String, DiskCounters>,
    /// Network interfaces except the loopback interface, by name.
    pub networks: BTreeMap<String, NetworkCounters>,
    /// NUMA nodes, by number.
    pub numa: Vec<NumaNode>,
    /// Average frequency of the processors, if reported by the kernel.
    pub frequency_mhz: Option<f64>,
    /// Frequency governors, without duplicates.
    pub governors: Vec<String>,
    /// Pressure stall information, if measured by the kernel.
    pub pressure: Option<Pressure>,
}

impl CpuTicks {
    /// Returns the sum of all ticks.
    pub fn total(&self) -> u64 {
        self.user + self.system + self.interrupts + self.steal + self.io_wait + self.idle
    }

    /// Returns the sum of two readings.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            user: self.user + other.user,
            system: self.system + other.system,
            interrupts: self.interrupts + other.interrupts,
            steal: self.steal + other.steal,
            io_wait: self.io_wait + other.io_wait,
            idle: self.idle + other.idle,
        }
    }

    /// Returns the increase of each counter since an earlier reading. If a counter has decreased, its increase is 0.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            interrupts: self.interrupts.saturating_sub(earlier.interrupts),
            steal: self.steal.saturating_sub(earlier.steal),
            io_wait: self.io_wait.saturating_sub(earlier.io_wait),
            idle: self.idle.saturating_sub(earlier.idle),
        }
    }
}

impl HostReading {
    /// Returns the total time of all processors.
    pub fn cpu(&self) -> CpuTicks {
        self.cores.iter().fold(CpuTicks::default(), |sum, core| sum.plus(*core))
    }
}

/// Reads the machine's counters, or returns `None` if the system does not provide them.
pub fn host_reading() -> Option<HostReading> {
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let Ok(stat) = std::fs::read_to_string("/proc/stat") else { return other::host_reading() };
    let memory = text("/proc/meminfo");
    let of = |key: &str| memory_bytes(&memory, key);
    let uptime = text("/proc/uptime");
    Some(HostReading {
        date_s: wall_clock().as_secs_f64(),
        uptime_s: uptime
            .split_whitespace()
            .next()
            .and_then(|seconds| seconds.parse().ok())
            .unwrap_or(0.0),
        cores: cores(&stat),
        running: counter(&stat, "procs_running"),
        blocked: counter(&stat, "procs_blocked"),
        available_bytes: of("MemAvailable"),
        dirty_bytes: of("Dirty") + of("Writeback"),
        swap_used_bytes: of("SwapTotal").saturating_sub(of("SwapFree")),
        disks: disks(&text("/proc/diskstats")),
        networks: networks(&text("/proc/net/dev")),
        numa: numa(Path::new("/sys/devices/system/node")),
        frequency_mhz: frequency(&text("/proc/cpuinfo")),
        governors: governors(),
        pressure: pressure(|kind| text(&format!("/proc/pressure/{kind}"))),
    })
}

/// Converts ticks to seconds.
pub fn tick_seconds(ticks: u64) -> f64 {
    ticks as f64 / TICKS_PER_S
}

/// Parses lines of the form `cpuN user nice system idle iowait irq softirq steal`.
fn cores(stat: &str) -> Vec<CpuTicks> {
    let lines = stat.lines().filter_map(|line| line.strip_prefix("cpu"));
    let numbered = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let read = |line: &str| {
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
        let [user, nice, system, idle, io_wait, irq, soft, steal, ..] = ticks[..] else {
            return None;
        };
        let (user, interrupts) = (user + nice, irq + soft);
        Some(CpuTicks { user, system, interrupts, steal, io_wait, idle })
    };
    numbered.filter_map(read).collect()
}

fn counter(stat: &str, key: &str) -> u64 {
    let found = stat.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
    found.unwrap_or(0)
}

fn memory_bytes(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number =
        line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

/// Returns the counters of whole disks. Partitions are left out. The name of a partition starts with the name of its
/// disk.
fn disks(text: &str) -> BTreeMap<String, DiskCounters> {
    let mut found: BTreeMap<String, DiskCounters> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(name), Some(counts)) = (words.get(2), words.get(3..)) else { continue };
        let is_virtual = ["loop", "ram", "dm-", "zram"].iter().any(|kind| name.starts_with(kind));
        if is_virtual || found.keys().any(|disk| name.starts_with(disk.as_str())) {
            continue;
        }
        let count =
            |place: usize| counts.get(place).and_then(|word| word.parse().ok()).unwrap_or(0);
        let counters = DiskCounters {
            reads: count(0),
            read_bytes: count(2) * SECTOR,
            writes: count(4),
            written_bytes: count(6) * SECTOR,
            busy_ms: count(9),
        };
        found.insert((*name).to_owned(), counters);
    }
    found
}

/// Parses lines of the form `name: bytes packets errs drop fifo frame compressed multicast`. These columns are for
/// received data. The same columns follow for sent data.
fn networks(text: &str) -> BTreeMap<String, NetworkCounters> {
    let read = |line: &str| {
        let (name, counts) = line.split_once(':')?;
        let numbers: Vec<u64> =
            counts.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let (received, sent) = (numbers.get(..4)?, numbers.get(8..12)?);
        let counters = NetworkCounters {
            received_bytes: received[0],
            sent_bytes: sent[0],
            packets: received[1] + sent[1],
            errors: received[2] + received[3] + sent[2] + sent[3],
        };
        Some((name.trim().to_owned(), counters)).filter(|(name, _)| name != "lo")
    };
    text.lines().filter_map(read).collect()
}

fn numa(folder: &Path) -> Vec<NumaNode> {
    let nodes = (0..).map(|node| folder.join(format!("node{node}")));
    nodes
        .take_while(|node| node.is_dir())
        .map(|node| {
            let (memory, counts) = (line(node.join("meminfo")), line(node.join("numastat")));
            let free = memory.lines().find(|line| line.contains("MemFree:"));
            let free =
                free.and_then(|line| line.split_whitespace().rev().nth(1)?.parse::<u64>().ok());
            let count = |key: &str| counter(&counts, key);
            NumaNode {
                free_bytes: free.unwrap_or(0) * 1024,
                hits: count("numa_hit"),
                misses: count("numa_miss"),
            }
        })
        .collect()
}

fn frequency(cpuinfo: &str) -> Option<f64> {
    let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let frequencies: Vec<f64> = lines
        .filter(|(key, _)| key.trim() == "cpu MHz")
        .filter_map(|(_, value)| value.trim().parse().ok())
        .collect();
    (!frequencies.is_empty()).then(|| frequencies.iter().sum::<f64>() / frequencies.len() as f64)
}

fn pressure(text: impl Fn(&str) -> String) -> Option<Pressure> {
    let total = |kind: &str, which: &str| -> Option<u64> {
        let text = text(kind);
        let line = text.lines().find(|line| line.starts_with(which))?;
        line.rsplit_once("total=")?.1.trim().parse().ok()
    };
    Some(Pressure {
        cpu_some_us: total("cpu", "some")?,
        memory_some_us: total("memory", "some")?,
        memory_full_us: total("memory", "full")?,
        io_some_us: total("io", "some")?,
        io_full_us: total("io", "full")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_kernel_are_read() {
        let stat = "cpu  9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 10 0 0 90 0 0 0 0\nprocs_running 3\nprocs_blocked 1\n";
        let ticks = cores(stat);
        assert_eq!(ticks.len(), 2);
        let first = CpuTicks { user: 3, system: 3, interrupts: 13, steal: 8, io_wait: 5, idle: 4 };
        assert_eq!((ticks[0], ticks[0].total()), (first, 36));
        assert_eq!((counter(stat, "procs_running"), counter(stat, "procs_blocked")), (3, 1));
        let disk = disks(
            "   8  0 sda 10 0 100 5 20 0 200 9 0 7 0\n 8 1 sda1 1 1 1 1 1 1 1 1 1 1 1\n 7 0 loop0 5 0 5\n",
        );
        let expected = DiskCounters {
            reads: 10,
            writes: 20,
            read_bytes: 51_200,
            written_bytes: 102_400,
            busy_ms: 7,
        };
        assert_eq!(disk, BTreeMap::from([("sda".to_owned(), expected)]));
        let head = "Inter-|   Receive\n face |bytes\n    lo: 5 5 0 0 0 0 0 0 5 5 0 0 0 0 0 0\n";
        let network = networks(&format!("{head}  eth0: 100 2 1 0 0 0 0 0 300 4 0 1 0 0 0 0\n"));
        let expected =
            NetworkCounters { received_bytes: 100, sent_bytes: 300, packets: 6, errors: 2 };
        assert_eq!(network, BTreeMap::from([("eth0".to_owned(), expected)]));
        assert_eq!(memory_bytes("MemTotal: 9 kB\nDirty:      12 kB\n", "Dirty"), 12 * 1024);
        assert_eq!(frequency("cpu MHz\t\t: 2000.0\ncpu MHz : 3000.0\n"), Some(2_500.0));
        let psi = pressure(|kind| {
            format!("some avg10=0.0 total=1{}\nfull avg10=0.0 total=7\n", kind.len())
        });
        assert_eq!(
            psi.map(|pressure| (
                pressure.cpu_some_us,
                pressure.memory_full_us,
                pressure.io_some_us
            )),
            Some((13, 7, 12))
        );
        assert_eq!(pressure(|_| String::new()), None);
    }

    #[test]
    fn this_machine_has_processors_that_count() {
        let Some(reading) = host_reading() else { return };
        assert!(!reading.cores.is_empty() && reading.cores.iter().all(|core| core.total() > 0));
        assert!(reading.available_bytes > 0 && reading.uptime_s > 0.0);
        let text = serde_json::to_string(&reading).expect("JSON");
        assert_eq!(
            serde_json::from_str::<HostReading>(&text).expect("a reading").cores,
            reading.cores
        );
    }
}
