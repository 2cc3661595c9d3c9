//! Findings that show whether the machine, the client and the database are ready for a measurement.
//!
//! This module only describes findings. It examines nothing itself. Start reading at [`Diagnosis`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tacho_core::Error;

const FORMAT: &str = "tacho-doctor";
const VERSION: u32 = 1;

/// The findings about the machine, the client and the database.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Always `tacho-doctor`.
    pub format: &'static str,
    /// Version of the format.
    pub version: u32,
    /// Version of Tacho.
    pub tool_version: String,
    /// Number of sessions that the machine and the database must be able to support.
    pub sessions: u32,
    /// Findings about the machine that generates the load.
    pub machine: Vec<Finding>,
    /// Findings about this program and its drivers.
    pub client: Vec<Finding>,
    /// Findings about the database; absent if no target was specified.
    pub target: Option<TargetDiagnosis>,
    /// Number of warnings.
    pub warnings: u64,
    /// Number of problems. If there are any, a measurement with this number of sessions would fail.
    pub problems: u64,
}

/// The findings about a database.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TargetDiagnosis {
    /// Name of the target, or of its driver.
    pub name: String,
    /// The target as a URL without a password.
    pub url: String,
    /// The findings, in the order in which they were obtained.
    pub findings: Vec<Finding>,
}

/// A single finding.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Subject of the finding, such as `open files`. Several findings may share a subject.
    pub name: String,
    /// The rating of the finding.
    pub health: Health,
    /// The finding in words.
    pub text: String,
    /// The numbers that the finding mentions. Each name ends with the unit, and unknown numbers are absent.
    pub values: BTreeMap<String, Value>,
    /// Possible fixes; empty if nothing needs to be fixed.
    pub hints: Vec<String>,
}

/// The rating of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// Ready to measure.
    Good,
    /// Not available, but not required either.
    Absent,
    /// A measurement is possible, but its result may be misleading.
    Warning,
    /// A measurement would fail.
    Problem,
}

impl Finding {
    /// Creates a finding about something that is fine.
    pub fn good(name: &str, text: impl Into<String>) -> Self {
        let (name, text) = (name.to_owned(), text.into());
        Self { name, health: Health::Good, text, values: BTreeMap::new(), hints: Vec::new() }
    }

    /// Creates a finding about something that is neither available nor required.
    pub fn absent(name: &str, text: impl Into<String>) -> Self {
        Self { health: Health::Absent, ..Self::good(name, text) }
    }

    /// Creates a finding about something that may affect the result, with a fix.
    pub fn warning(name: &str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Warning, hints: vec![hint.into()], ..Self::good(name, text) }
    }

    /// Creates a finding about a problem that would make a measurement fail, with its fix.
    pub fn problem(name: &str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Problem, hints: vec![hint.into()], ..Self::good(name, text) }
    }

    /// Creates a problem from an error, including the error's hints.
    pub fn failed(name: &str, error: &Error) -> Self {
        let hints = error.hints().to_vec();
        Self { health: Health::Problem, hints, ..Self::good(name, error.to_string()) }
    }

    /// Creates a warning from an error that does not prevent a measurement.
    pub fn warned(name: &str, error: &Error) -> Self {
        Self { health: Health::Warning, ..Self::failed(name, error) }
    }

    /// Adds a number to the finding.
    #[must_use]
    pub fn value(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a number to the finding, provided that the number is known.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.value(name, value),
            None => self,
        }
    }
}

impl Diagnosis {
    /// Creates a diagnosis and counts its warnings and problems.
    pub fn new(
        sessions: u32,
        machine: Vec<Finding>,
        client: Vec<Finding>,
        target: Option<TargetDiagnosis>,
    ) -> Self {
        let all = machine.iter().chain(&client);
        let all = || all.clone().chain(target.iter().flat_map(|target| &target.findings));
        let count = |health| all().filter(|finding| finding.health == health).count() as u64;
        let (warnings, problems) = (count(Health::Warning), count(Health::Problem));
        Self {
            format: FORMAT,
            version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION").into(),
            sessions,
            machine,
            client,
            target,
            warnings,
            problems,
        }
    }
}
