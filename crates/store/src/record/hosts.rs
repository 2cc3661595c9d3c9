//! The observed machines: the load host, and the database host as its agent reports it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HiccupsRecord, HostRecord};

/// Shares of CPU time, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuShares {
    /// Time in user programs.
    pub user: f64,
    /// Time in the kernel.
    pub system: f64,
    /// Time in interrupt handlers.
    pub interrupts: f64,
    /// Time that the hypervisor gave to other machines.
    pub steal: f64,
    /// Idle time while a task waited for a disk.
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
    /// Share of the time in which the disk was busy.
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
    /// Pages per second that were allocated on this node as intended.
    pub hits_per_s: f64,
    /// Pages per second that were allocated on this node but were intended for another one.
    pub misses_per_s: f64,
}

/// Pressure stall information (PSI): the share of the time, from 0 to 1, in which tasks waited for a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PressureShares {
    /// At least one task waited for a processor.
    pub cpu_some: f64,
    /// At least one task waited for memory.
    pub memory_some: f64,
    /// All runnable tasks waited for memory.
    pub memory_full: f64,
    /// At least one task waited for a disk.
    pub io_some: f64,
    /// All runnable tasks waited for a disk.
    pub io_full: f64,
}

/// The activity of a machine in a period. Rates are means over the period; levels were read at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLoadRecord {
    /// Length of the period by the machine's clock.
    pub length_s: f64,
    /// CPU time of all processors together.
    pub cpu: CpuShares,
    /// CPU time of each processor.
    pub cores: Vec<CpuShares>,
    /// Number of tasks that ran or waited for a processor.
    pub running: u64,
    /// Number of tasks that waited for a disk.
    pub blocked: u64,
    /// Memory that is available to programs without swapping.
    pub available_bytes: u64,
    /// Memory with data that was still to be written to disk.
    pub dirty_bytes: u64,
    /// Swap in use.
    pub swap_used_bytes: u64,
    /// Activity of whole disks, by name.
    pub disks: BTreeMap<String, DiskRates>,
    /// Activity of network interfaces, by name, without the loopback interface.
    pub networks: BTreeMap<String, NetworkRates>,
    /// Activity of NUMA nodes, by number.
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
    /// Frequency governors of the processors, each listed once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub governors: Vec<String>,
    /// Wall clock of the machine minus that of the load host, taken from the exchange with the shortest round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_s: Option<f64>,
    /// Maximum error of the clock offset, which is half the round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_s: Option<f64>,
    /// Activity during the measured phase; absent if the machine was read fewer than twice in it.
    pub load: Option<HostLoadRecord>,
    /// Mean number of cores that the private server's processes used in the measured phase; absent for other servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores: Option<f64>,
    /// Number of cores that the private server may use, by its affinity mask and its control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores_allowed: Option<f64>,
    /// Number of readings in the measured phase.
    pub readings: u64,
    /// Number of readings that failed.
    #[serde(default)]
    pub failures: u64,
    /// Error message of the first failed reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The activity of a machine in one interval, which is a line of `hosts.jsonl.zst`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostIntervalRecord {
    /// End of the interval, since the start of the run.
    pub at_s: f64,
    /// Phase: `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// Index of the machine in `result.hosts`, from 0.
    pub host: u32,
    /// Activity of the machine.
    pub load: HostLoadRecord,
}

/// A load host, which is an agent that ran a share of the sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadHostRecord {
    /// Agent name.
    pub name: String,
    /// Number of this host's share, from 1. Share k of N contains the sessions whose number modulo N is k − 1.
    pub share: u32,
    /// Number of sessions that the host ran.
    pub sessions: u32,
    /// Number of transactions that the host reported as due in the measured phase.
    pub due: u64,
    /// Number of cores that the agent may use.
    pub cores: u32,
    /// Mean number of CPU cores that the agent used in the measured phase; absent if the host was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_cores: Option<f64>,
    /// Pauses of the agent in the measured phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hiccups: Option<HiccupsRecord>,
    /// Maximum difference between the start of the load on this host and on the coordinator: half the shortest round
    /// trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_s: Option<f64>,
    /// Wall clock of the host minus that of the coordinator. The offset does not affect the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_s: Option<f64>,
    /// Time by which the host's clock gained on the coordinator's clock during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_drift_s: Option<f64>,
    /// Number of clock comparisons.
    pub clock_exchanges: u64,
    /// The reason why the host was lost; absent if it was not lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// End of a lost host's records, since the start of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at_s: Option<f64>,
    /// Time since the start of the load at which this host took over the share of a lost host; absent if it took part
    /// from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_at_s: Option<f64>,
}
