//! Observed machines: the host of the database, by its agent, and the load host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HiccupsRecord, HostRecord};

/// Shares of the time of processors, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuShares {
    /// In programs.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// In interrupts.
    pub interrupts: f64,
    /// Given to other machines by a hypervisor.
    pub steal: f64,
    /// Unused while a disk was waited for.
    pub io_wait: f64,
    /// Unused.
    pub idle: f64,
}

/// Rates of a disk.
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
    /// Share of the time in which it had something to do.
    pub busy: f64,
}

/// Rates of a network interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkRates {
    /// Bytes received per second.
    pub received_bytes_per_s: f64,
    /// Bytes sent per second.
    pub sent_bytes_per_s: f64,
    /// Packets received and sent per second.
    pub packets_per_s: f64,
    /// Packets that were lost or broken, per second.
    pub errors_per_s: f64,
}

/// Allocations of a NUMA node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumaRates {
    /// Free memory at the end.
    pub free_bytes: u64,
    /// Pages allocated as wanted, per second.
    pub hits_per_s: f64,
    /// Pages allocated here that were wanted on another node, per second.
    pub misses_per_s: f64,
}

/// Shares of the time in which work was held up for want of a resource (PSI), 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PressureShares {
    /// At least one task waited for a processor.
    pub cpu_some: f64,
    /// At least one task waited for memory.
    pub memory_some: f64,
    /// All tasks that could run waited for memory.
    pub memory_full: f64,
    /// At least one task waited for a disk.
    pub io_some: f64,
    /// All tasks that could run waited for a disk.
    pub io_full: f64,
}

/// What a machine did in a time: rates are means over it, levels are those at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLoadRecord {
    /// Length of the time, by the machine's own clock.
    pub length_s: f64,
    /// All processors together.
    pub cpu: CpuShares,
    /// Each processor.
    pub cores: Vec<CpuShares>,
    /// Tasks that ran or waited for a processor.
    pub running: u64,
    /// Tasks that waited for a disk.
    pub blocked: u64,
    /// Memory that programs could have without swapping.
    pub available_bytes: u64,
    /// Memory with data that was still to be written.
    pub dirty_bytes: u64,
    /// Swap in use.
    pub swap_used_bytes: u64,
    /// Whole disks.
    pub disks: BTreeMap<String, DiskRates>,
    /// Interfaces but the loopback.
    pub networks: BTreeMap<String, NetworkRates>,
    /// NUMA nodes, by number.
    pub numa: Vec<NumaRates>,
    /// Mean frequency of the processors; absent if the kernel does not report it.
    pub frequency_mhz: Option<f64>,
    /// Pressure; absent if the kernel does not count it.
    pub pressure: Option<PressureShares>,
}

/// A machine that was observed during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedHostRecord {
    /// `client`, or the address of its agent without a token.
    pub source: String,
    /// The machine.
    pub host: HostRecord,
    /// Frequency governors, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub governors: Vec<String>,
    /// Its calendar minus that of the load host, by the exchange with the shortest round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_s: Option<f64>,
    /// Greatest error of that offset: half the round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_s: Option<f64>,
    /// The measured phase; absent if there were not two readings in it.
    pub load: Option<HostLoadRecord>,
    /// Readings in the measured phase.
    pub readings: u64,
    /// Attempts to read that failed.
    #[serde(default)]
    pub failures: u64,
    /// The first failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// What a machine did in one interval: a line of `hosts.jsonl.zst`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostIntervalRecord {
    /// End of the interval, since the start of the run.
    pub at_s: f64,
    /// `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// Place of the machine in `result.hosts`, from 0.
    pub host: u32,
    /// What it did.
    pub load: HostLoadRecord,
}

/// A load host: an agent that ran a share of the sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadHostRecord {
    /// Name of the agent.
    pub name: String,
    /// Place of its share, from 1: of N hosts, it ran the sessions whose number leaves this rest, less 1.
    pub share: u32,
    /// Its sessions.
    pub sessions: u32,
    /// Transactions of the measured phase that it reported, by their due time.
    pub due: u64,
    /// Cores that it may use.
    pub cores: u32,
    /// Mean number of CPU cores that it used in the measured phase; absent if it was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_cores: Option<f64>,
    /// Times in the measured phase in which it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hiccups: Option<HiccupsRecord>,
    /// Greatest error of the start of its load against that of the coordinator: half the shortest round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_s: Option<f64>,
    /// Its calendar minus the coordinator's; of no effect on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_s: Option<f64>,
    /// Time by which its clock went ahead of the coordinator's between start and end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_drift_s: Option<f64>,
    /// Comparisons of the clocks.
    pub clock_exchanges: u64,
    /// Why it was lost; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// End of the records of a host that was lost, since the start of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at_s: Option<f64>,
    /// Since when of the load it continued the share of a lost host; absent if it was there from the begin on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_at_s: Option<f64>,
}
