//! A load that changes while it runs, as a list of steps.
//!
//! Start reading at [`LoadSteps`]; `grammar.rs` reads the expression of `--load`.

mod grammar;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::units::{exact_span, significant};

use crate::seconds;

/// One step: a load that stays the same for a time. Either the sessions or the rate is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Active virtual users of a closed load; further ones are connected and wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// Arrivals per second of an open load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Length.
    #[serde(rename = "length_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub length: Duration,
}

impl Step {
    /// The load in words: `20 sessions` or `2000/s`.
    pub fn words(&self) -> String {
        match (self.sessions, self.rate_per_s) {
            (Some(1), _) => "1 session".into(),
            (Some(sessions), _) => format!("{sessions} sessions"),
            (None, rate) => format!("{}/s", significant(rate.unwrap_or_default())),
        }
    }
}

/// The steps of the measured phase, and the expression that they come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSteps {
    /// The expression as it was given.
    pub expression: String,
    /// The steps, one after the other.
    pub steps: Vec<Step>,
}

impl LoadSteps {
    /// Most steps: each has a row and its own histogram of latencies.
    pub const STEPS_MAX: usize = 500;

    /// Whether the load is open: each step then has a rate.
    pub fn is_open(&self) -> bool {
        self.steps.first().is_some_and(|step| step.rate_per_s.is_some())
    }

    /// The time of all steps.
    pub fn length(&self) -> Duration {
        self.steps.iter().map(|step| step.length).sum()
    }

    /// The most virtual users of a step; 0 for an open load.
    pub fn sessions_max(&self) -> u32 {
        self.steps.iter().filter_map(|step| step.sessions).max().unwrap_or(0)
    }

    /// The highest rate of a step; 0 for a closed load.
    pub fn rate_max(&self) -> f64 {
        self.steps.iter().filter_map(|step| step.rate_per_s).fold(0.0, f64::max)
    }

    /// The same steps without a file, a ramp or a wave: `steps: 10x1m, 20x1m`.
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
