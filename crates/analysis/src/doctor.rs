//! Whether machine, client and database are ready to be measured: lines with what was found.
//!
//! It must never look at anything itself. Start reading at [`Diagnosis`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tacho_core::Error;

const FORMAT: &str = "tacho-doctor";
const VERSION: u32 = 1;

/// What was found about machine, client and database.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Always `tacho-doctor`.
    pub format: &'static str,
    /// Version of this format.
    pub version: u32,
    /// Version of the tool.
    pub tool_version: String,
    /// Sessions that are to fit.
    pub sessions: u32,
    /// The machine that drives the load.
    pub machine: Vec<Finding>,
    /// This program and its drivers.
    pub client: Vec<Finding>,
    /// The database; absent if none was named.
    pub target: Option<TargetDiagnosis>,
    /// Findings that are warnings.
    pub warnings: u64,
    /// Findings that are problems: with one a measurement of that size would fail.
    pub problems: u64,
}

/// What was found about a database.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TargetDiagnosis {
    /// Its name, or the driver's.
    pub name: String,
    /// The target as a URL, without a password.
    pub url: String,
    /// What was found, in the order in which it was asked.
    pub findings: Vec<Finding>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// What was looked at, such as `open files`. Several lines may have the same name.
    pub name: String,
    /// The judgement.
    pub health: Health,
    /// What was found, in words.
    pub text: String,
    /// The figures in it, by name with the unit last. A figure that was not reported is absent.
    pub values: BTreeMap<String, Value>,
    /// What to do; empty if it is good.
    pub hints: Vec<String>,
}

/// How a finding is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// Ready.
    Good,
    /// Not there, and not needed for what was asked.
    Absent,
    /// A measurement works; the figure may be another than one thinks.
    Warning,
    /// A measurement would fail.
    Problem,
}

impl Finding {
    /// Something that is as it should be.
    pub fn good(name: &str, text: impl Into<String>) -> Self {
        let (name, text) = (name.to_owned(), text.into());
        Self { name, health: Health::Good, text, values: BTreeMap::new(), hints: Vec::new() }
    }

    /// Something that is not there and that nobody asked for.
    pub fn absent(name: &str, text: impl Into<String>) -> Self {
        Self { health: Health::Absent, ..Self::good(name, text) }
    }

    /// Something that may change the figure, with the remedy.
    pub fn warning(name: &str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Warning, hints: vec![hint.into()], ..Self::good(name, text) }
    }

    /// Something that would make a measurement fail, with the remedy.
    pub fn problem(name: &str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Problem, hints: vec![hint.into()], ..Self::good(name, text) }
    }

    /// The same from an error, with its own hints.
    pub fn failed(name: &str, error: &Error) -> Self {
        let hints = error.hints().to_vec();
        Self { health: Health::Problem, hints, ..Self::good(name, error.to_string()) }
    }

    /// The same where a measurement works in spite of it.
    pub fn warned(name: &str, error: &Error) -> Self {
        Self { health: Health::Warning, ..Self::failed(name, error) }
    }

    /// With a figure.
    #[must_use]
    pub fn value(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// With a figure, if it is known.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.value(name, value),
            None => self,
        }
    }
}

impl Diagnosis {
    /// Adds up the findings.
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
