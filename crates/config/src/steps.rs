//! A load that varies during a run, represented as a list of steps.
//!
//! Start reading at [`LoadSteps`]. `grammar.rs` parses the `--load` expression.

mod grammar;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::units::{exact_span, significant};

use crate::seconds;

/// A step, during which the load is constant. The load is a number of sessions or a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number of active virtual users in a closed load. All others stay connected but are idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// Arrivals per second of an open load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Duration of the step.
    #[serde(rename = "length_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub length: Duration,
}

impl Step {
    /// Describes the load, as in `20 sessions` or `2000/s`.
    pub fn words(&self) -> String {
        self.words_of("session")
    }

    /// Describes the load like [`Step::words`], with another noun for the virtual users.
    pub fn words_of(&self, noun: &str) -> String {
        match (self.sessions, self.rate_per_s) {
            (Some(1), _) => format!("1 {noun}"),
            (Some(users), _) => format!("{users} {noun}s"),
            (None, rate) => format!("{}/s", significant(rate.unwrap_or_default())),
        }
    }
}

/// The steps of the measured phase, and the expression that defines them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSteps {
    /// The expression as specified by the user.
    pub expression: String,
    /// The steps in order.
    pub steps: Vec<Step>,
}

impl LoadSteps {
    /// Maximum number of steps, because each step needs a row in the results and a latency histogram.
    pub const STEPS_MAX: usize = 500;

    /// Returns true if the load is open, that is, if its steps have rates.
    pub fn is_open(&self) -> bool {
        self.steps.first().is_some_and(|step| step.rate_per_s.is_some())
    }

    /// Returns the total duration of all steps.
    pub fn length(&self) -> Duration {
        self.steps.iter().map(|step| step.length).sum()
    }

    /// Returns the largest number of virtual users in any step, or 0 for an open load.
    pub fn sessions_max(&self) -> u32 {
        self.steps.iter().filter_map(|step| step.sessions).max().unwrap_or(0)
    }

    /// Returns the highest rate in any step, or 0 for a closed load.
    pub fn rate_max(&self) -> f64 {
        self.steps.iter().filter_map(|step| step.rate_per_s).fold(0.0, f64::max)
    }

    /// Returns the same steps as an expression without files, ramps or waves, such as `steps: 10x1m, 20x1m`.
    pub fn expanded(&self) -> String {
        let step = |step: &Step| {
            let level = match (step.sessions, step.rate_per_s) {
                (Some(sessions), _) => sessions.to_string(),
                (None, rate) => format!("{}/s", rate.unwrap_or_default()),
            };
            format!("{level}x{}", exact_span(step.length))
        };
        let steps: Vec<String> = self.steps.iter().map(step).collect();
        format!("steps: {}", steps.join(", "))
    }
}
