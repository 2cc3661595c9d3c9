//! The observed machines: the load host, and the database host as reported by its agent.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HiccupsRecord, HostRecord};

/// Fractions of CPU time, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuShares {
    /// Time in user programs.
    pub user: f64,
    /// Time in the kernel.
    pub system: f64,
    /// Time in interrupt handlers.
    pub interrupts: f64,
    /// Time during which the hypervisor ran other virtual machines.
    pub steal: f64,
    /// Idle time while at least one task was waiting for a disk.
    pub io_wait: f64,
    /// Idle time.
    pub idle: f64,
}

/// Disk activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskRates {
    /// Reads per second.
    pub reads_per_s: f64,
    /// Writes per second.
    pub writes_per_s: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Bytes written per second.
    pub written_bytes_per_s: f64,
    /// Fraction of the time during which the disk was busy.
    pub busy: f64,
}

/// Network interface activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkRates {
    /// Bytes received per second.
    pub received_bytes_per_s: f64,
    /// Bytes sent per second.
    pub sent_bytes_per_s: f64,
    /// Packets received and sent per second.
    pub packets_per_s: f64,
    /// Lost or damaged packets per second.
    pub errors_per_s: f64,
}

/// Memory allocations on a NUMA node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumaRates {
    /// Free memory at the end of the period.
    pub free_bytes: u64,
    /// Pages per second that were requested from this memory node and allocated on it.
    pub hits_per_s: f64,
    /// Pages per second that were meant for another memory node but had to be allocated on this
    /// one.
    pub misses_per_s: f64,
}

/// Pressure stall information (PSI): the fraction of time, from 0 to 1, in which tasks waited for a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PressureShares {
    /// At least one task was waiting for a processor.
    pub cpu_some: f64,
    /// At least one task was waiting for memory.
    pub memory_some: f64,
    /// All runnable tasks were waiting for memory.
    pub memory_full: f64,
    /// At least one task was waiting for a disk.
    pub io_some: f64,
    /// All runnable tasks were waiting for a disk.
    pub io_full: f64,
}

/// The activity of a machine over a period. Rates are averages over the period, and amounts such as available memory
/// are measured at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLoadRecord {
    /// Length of the period, as measured by the machine's clock.
    pub length_s: f64,
    /// Combined CPU time of all processors.
    pub cpu: CpuShares,
    /// CPU time of each processor.
    pub cores: Vec<CpuShares>,
    /// Number of tasks that were running or waiting for a processor.
    pub running: u64,
    /// Number of tasks that were waiting for a disk.
    pub blocked: u64,
    /// Memory that is available to programs without swapping.
    pub available_bytes: u64,
    /// Amount of memory holding data that had not yet been written to disk.
    pub dirty_bytes: u64,
    /// Swap in use.
    pub swap_used_bytes: u64,
    /// Activity of each whole disk, by name.
    pub disks: BTreeMap<String, DiskRates>,
    /// Activity of each network interface except the loopback interface, by name.
    pub networks: BTreeMap<String, NetworkRates>,
    /// Activity of each NUMA node, by number.
    pub numa: Vec<NumaRates>,
    /// Mean processor frequency; absent if the kernel does not report it.
    pub frequency_mhz: Option<f64>,
    /// Pressure stall information; absent if the kernel does not provide it.
    pub pressure: Option<PressureShares>,
}

/// A machine that was observed during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedHostRecord {
    /// `client`, or the address of the machine's agent without its token.
    pub source: String,
    /// Description of the machine.
    pub host: HostRecord,
    /// CPU frequency governors in use on the machine, each listed once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub governors: Vec<String>,
    /// Difference between this machine's wall clock and the load host's. It is taken from the message exchange with the
    /// shortest round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_s: Option<f64>,
    /// Maximum error of the clock offset: half of the round-trip time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_s: Option<f64>,
    /// Activity during the measured phase; absent if there were fewer than two readings in it.
    pub load: Option<HostLoadRecord>,
    /// Mean number of cores that the private server used in the measured phase; absent for other servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores: Option<f64>,
    /// Number of cores that the private server may use according to its affinity mask and control
    /// group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores_allowed: Option<f64>,
    /// Number of readings taken in the measured phase.
    pub readings: u64,
    /// Number of readings that failed.
    #[serde(default)]
    pub failures: u64,
    /// Error message of the first failed reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A machine's activity in one interval, stored as a line of `hosts.jsonl.zst`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostIntervalRecord {
    /// End of the interval, relative to the start of the run.
    pub at_s: f64,
    /// Phase: `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// Index of the machine in `result.hosts`, starting at 0.
    pub host: u32,
    /// Activity of the machine.
    pub load: HostLoadRecord,
    /// Mean number of cores that Tacho used; absent for all machines except Tacho's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tacho_cores: Option<f64>,
    /// Mean number of cores that the private server's processes used; absent for other servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores: Option<f64>,
}

impl HostIntervalRecord {
    /// Returns the number of busy cores.
    pub fn busy_cores(&self) -> f64 {
        (1.0 - self.load.cpu.idle - self.load.cpu.io_wait) * self.load.cores.len() as f64
    }

    /// Returns the number of cores that other programs used. `None` if Tacho's or the server's use is unknown.
    pub fn other_cores(&self) -> Option<f64> {
        let known = self.tacho_cores? + self.server_cores?;
        Some((self.busy_cores() - known).max(0.0))
    }
}

/// A load host, which is an agent that ran some of the sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadHostRecord {
    /// Agent name.
    pub name: String,
    /// Number of this host, starting at 1. Of N hosts, host k runs the sessions whose number modulo N is k − 1.
    pub share: u32,
    /// Number of sessions run by this host.
    pub sessions: u32,
    /// Number of transactions that were due in the measured phase, as reported by the host.
    pub due: u64,
    /// Number of cores that the agent may use.
    pub cores: u32,
    /// Mean number of CPU cores that the agent used in the measured phase; absent if the host was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_cores: Option<f64>,
    /// Pauses of the agent in the measured phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hiccups: Option<HiccupsRecord>,
    /// Maximum difference between the start of the load on this host and on the coordinator. This is half of the
    /// shortest round-trip time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_s: Option<f64>,
    /// Difference between this host's wall clock and the coordinator's wall clock. It has no effect on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_s: Option<f64>,
    /// Time that the host's clock gained on the coordinator's clock during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_drift_s: Option<f64>,
    /// Number of clock comparisons.
    pub clock_exchanges: u64,
    /// The reason why the host was lost; absent if it was not lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// Time at which a lost host's records end, relative to the start of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at_s: Option<f64>,
    /// Time at which this host took over a lost host's sessions; absent if it took part from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_at_s: Option<f64>,
}
