//! All settings of a request in typed form.
//!
//! Settings files, the environment, flags and saved runs are all turned into a plan. The engine and the record use this
//! plan unchanged.
//!
//! Start reading at [`Plan`].

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::units::Amount;
use tacho_core::{Form, choice};

use crate::load::LoadPlan;
use crate::seconds;
use crate::steps::LoadSteps;

/// A complete request. It defines what to measure, under which load, and which requirements the result must meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Plan {
    /// The data and the database.
    #[serde(flatten)]
    pub data: DataPlan,
    /// The load.
    #[serde(flatten)]
    pub load: LoadPlan,
    /// Steps of a varying load. Each step sets the number of sessions or the rate. Together, they set the duration of
    /// the measured phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<LoadSteps>,
    /// The checks and limits.
    #[serde(flatten)]
    pub judgement: JudgementPlan,
    /// The log of transactions.
    #[serde(flatten)]
    pub log: LogPlan,
    /// Labels of the run.
    pub tags: Vec<String>,
    /// Note saved with the run.
    pub note: Option<String>,
}

/// The data and the database. Values that are absent are taken from the loaded data or the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DataPlan {
    /// The database, as a URL or a name from the file; absent for the embedded database.
    pub target: Option<String>,
    /// Folders of database packs.
    pub packs: Vec<String>,
    /// Workload name.
    pub workload: Option<String>,
    /// Size of the data in the workload's unit.
    #[schemars(with = "Option<f64>")]
    pub scale: Option<Amount>,
    /// Targets to which each transaction type is sent, as KIND=TARGETS.
    pub routes: Vec<String>,
    /// Number of complete copies of the workload's tables. The scale applies to each copy.
    pub sets: u32,
    /// Preset of workload parameters.
    pub profile: Option<String>,
    /// Workload parameters that the user has set explicitly.
    pub set: BTreeMap<String, String>,
    /// The way in which transactions are sent to the server, for example with one statement per round trip.
    #[schemars(with = "String", extend("enum" = Form::WORDS))]
    pub form: Form,
}

/// The log of transactions. No record contains it, so that repeating a run does not overwrite its log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LogPlan {
    /// Path of the file; absent if transactions are not logged.
    #[serde(rename = "log")]
    pub file: Option<String>,
    /// Length of the intervals over which the log is summed up; 0 if it contains single transactions.
    #[serde(rename = "log_interval_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub interval: Duration,
    /// Fraction of the transactions in the log.
    #[serde(rename = "log_sample")]
    pub sample: f64,
}

/// The checks and limits of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JudgementPlan {
    /// Limits on metrics.
    pub thresholds: Vec<String>,
    /// The required verdict.
    pub require: Require,
    /// Faults to inject into private servers at specific times during the load.
    pub faults: Vec<String>,
    /// Commands to execute at specific times during the load, in order to inject faults.
    pub fault_commands: Vec<String>,
    /// The verification of commits.
    pub verify: Verify,
    /// Times at which the data is checked. If absent, it is checked only after runs.
    pub check: Option<CheckWhen>,
    /// Number of sessions that check the data in parallel; one per core if absent.
    pub check_sessions: Option<u32>,
    /// Maximum time to wait, after the load, until the server has finished its deferred work.
    #[serde(rename = "settle_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub settle: Duration,
}

choice! {
    /// The verdict required of a run.
    #[derive(JsonSchema)]
    pub enum Require {
        /// The run must be VALID. It does not matter how much the results vary.
        Valid = "valid",
        /// The run must be VALID, and its results must be stable. UNSTABLE and TOO SHORT count as failures.
        Steady = "steady",
    }
}

choice! {
    /// The checks that a run performs on its commits.
    #[derive(JsonSchema)]
    pub enum Verify {
        /// Verifies only totals, such as the number of commits.
        None = "none",
        /// Verifies that every acknowledged commit is present in the database.
        Commits = "commits",
    }
}

choice! {
    /// Times at which the consistency of the data is checked.
    #[derive(JsonSchema)]
    pub enum CheckWhen {
        /// Before the load.
        Before = "before",
        /// After the load.
        After = "after",
        /// Before and after the load.
        Both = "both",
        /// Never.
        None = "none",
    }
}

impl CheckWhen {
    /// Returns true if the data is checked at this time.
    pub fn includes(self, moment: Self) -> bool {
        self == moment || self == Self::Both
    }
}

impl Plan {
    /// Returns a plan in which no value is set, for building the default plan.
    pub(crate) fn blank() -> Self {
        let data = DataPlan {
            target: None,
            packs: Vec::new(),
            workload: None,
            scale: None,
            routes: Vec::new(),
            sets: 0,
            profile: None,
            set: BTreeMap::new(),
            form: Form::Sql,
        };
        let judgement = JudgementPlan {
            thresholds: Vec::new(),
            require: Require::Valid,
            faults: Vec::new(),
            fault_commands: Vec::new(),
            verify: Verify::None,
            check: None,
            check_sessions: None,
            settle: Duration::ZERO,
        };
        let load = LoadPlan::blank();
        let log = LogPlan { file: None, interval: Duration::ZERO, sample: 0.0 };
        Self { data, load, steps: None, judgement, log, tags: Vec::new(), note: None }
    }
}
