//! The settings of a run. They come from a central table, so new settings are shown automatically.
//!
//! Start reading at [`shown`] and [`further`].

use tacho_analysis::clean;
use tacho_config::{Plan, SETTINGS, Setting};
use tacho_core::ParameterKind;
use tacho_core::units::{grouped, parse_count, parse_duration};
use tacho_store::record::Record;

use crate::headline::scale;
use crate::table::{Column, Table};
use crate::words::span;

/// Settings that a report shows elsewhere: in titles, sentences or tables.
const STATED: [&str; 25] = [
    "target",
    "workload",
    "scale",
    "profile",
    "set",
    "form",
    "seed",
    "sessions",
    "terminals",
    "rate",
    "load",
    "spacing",
    "backlog",
    "pacing",
    "duration",
    "transactions",
    "ramp_up",
    "ramp_down",
    "interval",
    "retry",
    "attempts",
    "backoff",
    "threshold",
    "tag",
    "note",
];

/// Returns all settings that have a value, along with the value.
pub(crate) fn shown(record: &Record) -> Vec<(&'static str, String)> {
    let mut plan = plan(record);
    plan.judgement.check = record.plan.judgement.check;
    let (is_open, is_logged) = (plan.load.arrival.rate.is_some(), plan.log.file.is_some());
    // Omit settings that have no effect: `spacing` and `backlog` without a rate, and those of the log without a log.
    let applies = |key: &str| match key {
        "spacing" | "backlog" => is_open,
        "log_interval" | "log_sample" => is_logged,
        _ => true,
    };
    let settings = SETTINGS.iter().filter(|setting| applies(setting.parameter.key));
    settings
        .flat_map(|setting| {
            let key = setting.parameter.key;
            let values = setting.show(&plan);
            values.into_iter().map(move |value| (key, words(record, setting, value)))
        })
        .collect()
}

/// Returns a table of the settings that differ from their defaults, except for those that the
/// report shows elsewhere. If `about_data` is true, it contains the settings that affect the data;
/// otherwise, it contains the others.
pub(crate) fn further(record: &Record, about_data: bool) -> Option<Table> {
    let (plan, usual) = (plan(record), Plan::default());
    let rows: Vec<(&str, String)> = SETTINGS
        .iter()
        .filter(|setting| {
            setting.is_about_data() == about_data && !STATED.contains(&setting.parameter.key)
        })
        .map(|setting| (setting, setting.show(&plan)))
        .filter(|(setting, values)| *values != setting.show(&usual))
        .map(|(setting, values)| {
            let values = values.into_iter().map(|value| words(record, setting, value));
            (setting.parameter.key, values.collect::<Vec<_>>().join("; "))
        })
        .collect();
    let columns = vec![
        Column::left("setting", rows.iter().map(|(key, _)| (*key).to_owned())),
        Column::left("value", rows.iter().map(|(_, value)| clean(value))),
    ];
    Table::new(columns).filled()
}

/// Returns the plan of a run, including its tags and its note.
fn plan(record: &Record) -> Plan {
    Plan { tags: record.tags.clone(), note: record.note.clone(), ..record.plan.plan() }
}

/// Formats a value for human readers.
fn words(record: &Record, setting: &Setting, value: String) -> String {
    let plan = &record.plan;
    let of_data = |value: String| {
        if plan.from_data.iter().any(|key| key == setting.parameter.key) {
            format!("taken from the loaded data, or {value} if no data is loaded")
        } else {
            value
        }
    };
    match (setting.parameter.key, setting.parameter.kind) {
        ("target", _) => format!("{} ({})", plan.target_name, plan.target),
        ("scale", _) => of_data(scale(plan)),
        ("profile", _) => of_data(value),
        (_, ParameterKind::Duration) => parse_duration(&value).map_or(value, span),
        (_, ParameterKind::Count { max, .. }) if max < u64::MAX => {
            parse_count(&value).map_or(value, grouped)
        }
        _ => value,
    }
}
