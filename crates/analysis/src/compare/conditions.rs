//! The conditions in which two runs differ.
//!
//! Every field that describes the plan, the machine or the server is a condition, except for the fields listed here.
//!
//! Start reading at [`differences`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tacho_config::SETTINGS;
use tacho_store::record::Record;

/// A condition that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Path of the condition in the record, such as `server.settings.fsync`.
    pub name: String,
    /// Value in the baseline; absent if the baseline has none.
    pub baseline: Option<String>,
    /// Value in the run; absent if the run has none.
    pub run: Option<String>,
    /// True if this difference makes the results incomparable.
    pub hinders: bool,
}

impl Difference {
    /// Describes the difference as part of a sentence, for example `plan.scale is 1 and 10`.
    pub fn sentence(&self) -> String {
        let [a, b] = [&self.baseline, &self.run].map(|value| value.as_deref().unwrap_or("absent"));
        format!("{} is {a} and {b}", self.name)
    }

    /// Returns true if the record of one run lacks this server setting. Some servers list a setting only after it
    /// has been changed, so its absence does not prove a difference.
    pub(super) fn is_unknown_setting(&self) -> bool {
        self.name.starts_with(SERVER_SETTINGS) && (self.baseline.is_none() || self.run.is_none())
    }
}

/// Prefix of the server's settings.
const SERVER_SETTINGS: &str = "server.settings.";

/// Paths of fields that are not conditions, including all nested fields. For server settings, see [`SETTINGS`].
const NO_CONDITION: [&str; 5] = [
    "plan.command",
    "server.defaults",
    "server.durability_risks",
    "server.machine.data_path",
    "server.machine.source",
];
/// Name of the server setting for the port that clients connect to.
const PORT: &str = "port";
/// Prefix of fields that describe the server's machine. Older records lack these fields, which does not count as a
/// difference.
const MACHINE: &str = "server.machine.";
/// Size of the data. Because every run adds data, sizes that differ by at most 10 % count as equal.
pub(super) const DATA_BYTES: &str = "data.bytes_before";
const DATA_TOLERANCE: f64 = 0.1;
/// Fingerprint of the tables' columns, indexes, constraints and triggers. Fingerprints depend on the server version.
const STRUCTURE: &str = "data.structure";
const VERSION: &str = "server.version";
/// Conditions that must be equal for results to be comparable.
const HINDERING: [&str; 6] =
    ["plan.workload", "plan.scale", "plan.arrival", "host.name", "host.cpu", "host.cores"];

/// Conditions that must also be equal if both runs consist of query streams.
const HINDERING_QUERIES: [&str; 2] = ["plan.seed", "plan.sessions"];
/// Prefix of the workload parameters that select the queries, such as `query_sets`.
const QUESTIONS: &str = "plan.parameters.quer";

fn hinders(name: &str, streams: bool) -> bool {
    HINDERING.contains(&name)
        || (streams && (HINDERING_QUERIES.contains(&name) || name.starts_with(QUESTIONS)))
}

/// Returns true if a difference in this condition could change the results. Different seeds, for example, could not.
pub fn may_be_a_cause(name: &str) -> bool {
    !matches!(name, "plan.seed" | "plan.target_name")
}

/// Returns true if a server setting differs only in a port or a path, or if one server does not list it and the
/// other has its default value.
fn is_incidental(name: &str, values: [Option<&String>; 2], sides: [&Record; 2]) -> bool {
    let Some(name) = name.strip_prefix(SERVER_SETTINGS) else { return false };
    let is_default =
        |value: &String| sides.iter().any(|side| side.server.defaults.get(name) == Some(value));
    match values {
        [Some(one), Some(other)] => {
            let is_path = |value: &String| value.starts_with('/');
            name == PORT || name.ends_with("_port") || is_path(one) && is_path(other)
        }
        [Some(value), None] | [None, Some(value)] => is_default(value),
        [None, None] => true,
    }
}

/// Returns all conditions in which two runs differ, ordered by name.
pub fn differences(baseline: &Record, run: &Record) -> Vec<Difference> {
    let sides = [baseline, run];
    let ends =
        |record: &Record| record.result.as_ref().is_some_and(|result| !result.streams.is_empty());
    let streams = ends(baseline) || ends(run);
    let (mut first, mut second) = (condition_values(baseline), condition_values(run));
    let knows = |all: &BTreeMap<String, String>| all.keys().any(|name| name.starts_with(MACHINE));
    if !(knows(&first) && knows(&second)) {
        first.retain(|name, _| !name.starts_with(MACHINE));
        second.retain(|name, _| !name.starts_with(MACHINE));
    }
    if is_about_as_large(first.get(DATA_BYTES), second.get(DATA_BYTES)) {
        first.remove(DATA_BYTES);
        second.remove(DATA_BYTES);
    }
    let both = first.contains_key(STRUCTURE) && second.contains_key(STRUCTURE);
    if !both || first.get(VERSION) != second.get(VERSION) {
        first.remove(STRUCTURE);
        second.remove(STRUCTURE);
    }
    let names: Vec<String> = first.keys().chain(second.keys()).cloned().collect();
    let mut differences = Vec::new();
    for name in names {
        let (baseline, run) = (first.remove(&name), second.remove(&name));
        let values = [baseline.as_ref(), run.as_ref()];
        if baseline != run && !is_incidental(&name, values, sides) {
            let hinders = hinders(&name, streams);
            differences.push(Difference { name, baseline, run, hinders });
        }
    }
    differences.sort_by(|a, b| b.hinders.cmp(&a.hinders).then(a.name.cmp(&b.name)));
    differences
}

/// Returns true if two sizes are approximately equal or if at least one of them is unknown.
fn is_about_as_large(a: Option<&String>, b: Option<&String>) -> bool {
    let number = |text: Option<&String>| text?.parse::<f64>().ok();
    let (Some(a), Some(b)) = (number(a), number(b)) else { return true };
    (a - b).abs() <= a.max(b) * DATA_TOLERANCE
}

/// Returns all conditions of a run, by their path in the record.
pub fn condition_values(record: &Record) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    // Converting a record to JSON never fails, because all keys of its maps are strings.
    let value = |value: serde_json::Result<Value>| value.unwrap_or_default();
    flatten("plan", &value(serde_json::to_value(&record.plan)), &mut all);
    flatten("host", &value(serde_json::to_value(&record.host)), &mut all);
    flatten("server", &value(serde_json::to_value(&record.server)), &mut all);
    all.insert("tacho.version".into(), record.tool_version.clone());
    if let Some(data) = &record.data {
        all.insert("data.seed".into(), data.seed.to_string());
        all.extend(data.structure.clone().map(|structure| (STRUCTURE.into(), structure)));
    }
    let before = record.data.as_ref().and_then(|data| data.sizes_before.as_ref()?.total_bytes());
    all.extend(before.map(|bytes| (DATA_BYTES.into(), bytes.to_string())));
    let settings = SETTINGS.iter().filter(|setting| !setting.is_condition);
    let settings = settings.map(|setting| format!("plan.{}", setting.recorded_as()));
    let left_out: Vec<String> = settings.chain(NO_CONDITION.map(str::to_owned)).collect();
    let is_at_or_below = |name: &str, place: &String| {
        name.strip_prefix(place.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    all.retain(|name, _| !left_out.iter().any(|place| is_at_or_below(name, place)));
    all
}

fn flatten(name: &str, value: &Value, all: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (key, value) in fields {
                flatten(&format!("{name}.{key}"), value, all);
            }
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            all.insert(name.into(), items.join(", "));
        }
        other => {
            all.insert(name.into(), plain(other));
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
