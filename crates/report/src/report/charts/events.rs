//! Events that may explain a change over time. Examples are failures, outages and checkpoints.
//!
//! Start reading at [`events`].

use serde_json::{Value, json};
use tacho_analysis::Measurement;
use tacho_core::units::{counted, grouped};
use tacho_store::record::OutageRecord;

use super::at;
use super::columns::{Column, columns};

/// Name of the server's checkpoint counter.
const CHECKPOINTS: &str = "checkpoints";

/// Returns the events of a run in chronological order, each with its start, end, kind and description.
pub(super) fn events(run: &Measurement) -> Vec<Value> {
    let columns = columns(&run.intervals);
    let outages = run.record.result.as_ref().map_or(&[][..], |result| &result.outages);
    let mut events: Vec<Value> = outages.iter().map(outage).collect();
    let faults = run.record.result.as_ref().map_or(&[][..], |result| &result.faults);
    events.extend(faults.iter().filter(|fault| fault.error.is_none()).map(|fault| {
        let (from, to) = (at(fault.at_s), at(fault.at_s + fault.took_s));
        json!({ "from": from, "to": to, "kind": "fault", "words": format!("fault: {}", fault.what) })
    }));
    for column in &columns {
        let failed: u64 = column.intervals.iter().map(|one| one.totals.failed).sum();
        if failed > 0 {
            events.push(event(column, "failures", &format!("{} failed", grouped(failed))));
        }
        let seen = column.server(&run.server).iter();
        let done: u64 = seen.filter_map(|one| one.load.counters.get(CHECKPOINTS)).sum();
        if done > 0 {
            events.push(event(column, "checkpoint", &counted(done, "checkpoint")));
        }
    }
    events.extend(steps(run));
    let begin = |event: &Value| event["from"].as_f64().unwrap_or_default();
    events.sort_by(|a, b| begin(a).total_cmp(&begin(b)));
    events
}

/// Returns an event for each step of the load, at the time when the step starts.
fn steps(run: &Measurement) -> impl Iterator<Item = Value> {
    let steps = run.record.result.iter().flat_map(|result| &result.steps);
    steps.map(|step| {
        let words = format!("step {}: {}", step.number, step.step.words());
        json!({ "from": at(step.at_s), "to": at(step.at_s), "kind": "step", "words": words })
    })
}

fn event(column: &Column<'_>, kind: &str, words: &str) -> Value {
    json!({ "from": column.from(), "to": column.to(), "kind": kind, "words": words })
}

fn outage(outage: &OutageRecord) -> Value {
    let back = outage.recovered_after_s.or(outage.first_commit_after_s);
    let lost = counted(outage.sessions_lost, "connection");
    json!({
        "from": at(outage.at_s),
        "to": back.map(|back| at(outage.at_s + back)),
        "kind": "outage",
        "words": format!("outage, {lost} lost"),
    })
}
