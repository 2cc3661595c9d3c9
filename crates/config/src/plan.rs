//! All settings of a request, typed.
//!
//! A plan is what the file, the environment, the flags and a saved run are read into, once; engine and
//! record take it as it is. Start reading at [`Plan`].

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::units::Amount;
use tacho_core::{Form, choice};

use crate::load::LoadPlan;
use crate::seconds;
use crate::steps::LoadSteps;

/// What is to be measured, how, and what is asked of the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Plan {
    /// What is measured.
    #[serde(flatten)]
    pub data: DataPlan,
    /// The load.
    #[serde(flatten)]
    pub load: LoadPlan,
    /// Steps of a load that changes; sessions, rate and length of the measured phase are theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<LoadSteps>,
    /// The checks and limits.
    #[serde(flatten)]
    pub judgement: JudgementPlan,
    /// Labels of the run.
    pub tags: Vec<String>,
    /// Note that is kept with the run.
    pub note: Option<String>,
}

/// What is measured. An absent value is that of the loaded data, or of the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DataPlan {
    /// Database: a URL or a name from the file; absent: the embedded one.
    pub target: Option<String>,
    /// Folders of database packs.
    pub packs: Vec<String>,
    /// Name of the workload.
    pub workload: Option<String>,
    /// Size of the data in the unit of the workload.
    #[schemars(with = "Option<f64>")]
    pub scale: Option<Amount>,
    /// Targets of kinds of transactions, as KIND=TARGETS.
    pub routes: Vec<String>,
    /// Complete sets of tables of that scale.
    pub sets: u32,
    /// Preset of workload parameters.
    pub profile: Option<String>,
    /// Workload parameters that are set.
    pub set: BTreeMap<String, String>,
    /// How transactions are sent.
    #[schemars(with = "String", extend("enum" = Form::WORDS))]
    pub form: Form,
}

/// The checks and limits of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JudgementPlan {
    /// Limits on metrics.
    pub thresholds: Vec<String>,
    /// The required verdict.
    pub require: Require,
    /// Faults of private servers at moments of the load.
    pub faults: Vec<String>,
    /// Commands that make faults at moments of the load.
    pub fault_commands: Vec<String>,
    /// What is proved of the commits.
    pub verify: Verify,
    /// When checks run; absent: after a run, and none after a preparation.
    pub check: Option<CheckWhen>,
    /// Number of sessions that check the data in parallel; absent: one for each core.
    pub check_sessions: Option<u32>,
    /// Longest wait after the load for deferred work of the server.
    #[serde(rename = "settle_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub settle: Duration,
}

choice! {
    /// The verdict that a run needs.
    #[derive(JsonSchema)]
    pub enum Require {
        /// VALID, whatever the figure varies.
        Valid = "valid",
        /// VALID and settled: UNSTABLE and TOO SHORT fail.
        Steady = "steady",
    }
}

choice! {
    /// What is proved of the commits of a run.
    #[derive(JsonSchema)]
    pub enum Verify {
        /// Their number and sums alone.
        None = "none",
        /// That each that was acknowledged is in the database.
        Commits = "commits",
    }
}

choice! {
    /// When the consistency of the data is checked.
    #[derive(JsonSchema)]
    pub enum CheckWhen {
        /// Before the load.
        Before = "before",
        /// After it.
        After = "after",
        /// Before and after it.
        Both = "both",
        /// Never.
        None = "none",
    }
}

impl CheckWhen {
    /// Whether the data is checked at this moment.
    pub fn includes(self, moment: Self) -> bool {
        self == moment || self == Self::Both
    }
}

impl Plan {
    /// A plan without any value, into which the defaults are read.
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
        Self { data, load, steps: None, judgement, tags: Vec::new(), note: None }
    }
}
