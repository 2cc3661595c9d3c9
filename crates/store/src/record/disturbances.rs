//! A period of unusually low throughput, and the activity that coincided with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The drop in throughput that cost the most work in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisturbanceRecord {
    /// Start of the period, relative to the start of the load.
    pub from_s: f64,
    /// End of the period, relative to the start of the load.
    pub to_s: f64,
    /// Mean throughput in this period.
    pub throughput_per_s: f64,
    /// Median throughput of all intervals of the measured phase.
    pub usual_per_s: f64,
    /// Activity that was higher in this period than in the rest of the measured phase.
    #[serde(default)]
    pub coincided: Vec<CoincidenceRecord>,
}

/// An activity that was more intense while the throughput was low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoincidenceRecord {
    /// The kind of activity.
    pub activity: Activity,
    /// Mean amount of the activity while the throughput was low. The unit depends on the kind of
    /// activity.
    pub amount: f64,
    /// Mean amount of the activity in the rest of the measured phase.
    pub usual: f64,
}

/// A kind of activity that can slow a server down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Cores that programs other than Tacho and a private server used on this machine.
    OtherPrograms,
    /// Cores that were idle while processes waited for disks. If several machines were observed,
    /// this is the highest number.
    IoWait,
    /// Completed checkpoints per minute.
    Checkpoints,
    /// Sessions that waited for row or table locks in the server.
    Locks,
    /// Sessions that waited for log writes in the server.
    LogWrites,
    /// Sessions that waited for data files in the server.
    DataFiles,
}
