//! What differs between two runs besides their results.
//!
//! It must never leave out a condition because it did not know it: all fields of plan, machine and
//! server count, but for those named here. Start reading at [`differences`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tacho_config::SETTINGS;
use tacho_store::record::Record;

/// A condition that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Its place in the record, such as `server.settings.fsync`.
    pub name: String,
    /// Its value in the baseline; absent if there was none.
    pub baseline: Option<String>,
    /// Its value in the run.
    pub run: Option<String>,
    /// Whether it makes the figures incomparable.
    pub hinders: bool,
}

impl Difference {
    /// As part of a sentence: `plan.scale is 1 and 10`.
    pub fn sentence(&self) -> String {
        let [a, b] = [&self.baseline, &self.run].map(|value| value.as_deref().unwrap_or("absent"));
        format!("{} is {a} and {b}", self.name)
    }
}

/// These are no conditions, nor is what is below them: how the run was asked for, what settings of the server would be,
/// and where files are. [`SETTINGS`] tells which settings are none.
const NO_CONDITION: [&str; 4] =
    ["plan.command", "server.defaults", "server.machine.data_path", "server.machine.source"];
/// Records before these were kept know nothing of it, which is no difference.
const MACHINE: &str = "server.machine.";
/// Room that the data takes: it grows with each run, so that only more than a tenth is a difference.
pub(super) const DATA_BYTES: &str = "data.bytes_before";
const DATA_TOLERANCE: f64 = 0.1;
/// With one of these different, figures say nothing about each other.
const HINDERING: [&str; 6] =
    ["plan.workload", "plan.scale", "plan.arrival", "host.name", "host.cpu", "host.cores"];

/// The same for runs of streams, which are compared query by query: what was asked, and by how many.
const HINDERING_QUERIES: [&str; 2] = ["plan.seed", "plan.sessions"];
/// Parameters of a workload whose names begin so decide what is asked, such as `query_sets`.
const QUESTIONS: &str = "plan.parameters.quer";

fn hinders(name: &str, streams: bool) -> bool {
    HINDERING.contains(&name)
        || (streams && (HINDERING_QUERIES.contains(&name) || name.starts_with(QUESTIONS)))
}

/// Whether a condition may be why figures differ: a seed is chance, and a risk follows from settings
/// that are conditions themselves.
pub fn may_be_a_cause(name: &str) -> bool {
    !matches!(name, "plan.seed" | "server.durability_risks")
}

/// All conditions in which two runs differ, by name.
pub fn differences(baseline: &Record, run: &Record) -> Vec<Difference> {
    let ends = |record: &Record| record.result.as_ref().is_some_and(|own| !own.streams.is_empty());
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
    let names: Vec<String> = first.keys().chain(second.keys()).cloned().collect();
    let mut differences = Vec::new();
    for name in names {
        let (baseline, run) = (first.remove(&name), second.remove(&name));
        if baseline != run {
            let hinders = hinders(&name, streams);
            differences.push(Difference { name, baseline, run, hinders });
        }
    }
    differences.sort_by(|a, b| b.hinders.cmp(&a.hinders).then(a.name.cmp(&b.name)));
    differences
}

/// Whether two sizes are about the same; so are those of which one is not known.
fn is_about_as_large(a: Option<&String>, b: Option<&String>) -> bool {
    let number = |text: Option<&String>| text?.parse::<f64>().ok();
    let (Some(a), Some(b)) = (number(a), number(b)) else { return true };
    (a - b).abs() <= a.max(b) * DATA_TOLERANCE
}

/// All conditions of a run, by their places in the record.
pub fn condition_values(record: &Record) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    // Types of ours with text keys: always JSON.
    let value = |value: serde_json::Result<Value>| value.unwrap_or_default();
    flatten("plan", &value(serde_json::to_value(&record.plan)), &mut all);
    flatten("host", &value(serde_json::to_value(&record.host)), &mut all);
    flatten("server", &value(serde_json::to_value(&record.server)), &mut all);
    all.insert("tacho.version".into(), record.tool_version.clone());
    if let Some(data) = &record.data {
        all.insert("data.seed".into(), data.seed.to_string());
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
