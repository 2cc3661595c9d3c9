//! Wait events of the server sessions over time.
//!
//! Start reading at [`waits`].

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tacho_analysis::{Measurement, clean, is_for_the_client, is_running, shares_machine};
use tacho_core::units::significant;
use tacho_store::ServerIntervalRecord;
use tacho_store::record::{ServerLoadRecord, WaitRecord};

use super::columns::{Column, columns, note};
use super::{events, short};
use crate::document::Chart;
use crate::wait_look::{OTHER, WaitLook};

/// Maximum number of wait events that are drawn separately. All others are combined into one
/// series.
const WAITS_MAX: usize = 7;

/// Returns a chart of sessions by wait event, or `None` if the server was not monitored.
pub(in crate::report) fn waits(run: &Measurement) -> Option<Chart> {
    let load = run.record.result.as_ref()?.server_load.as_ref()?;
    let drawn = busiest(&run.server);
    if drawn.is_empty() {
        return None;
    }
    let names: Vec<String> = drawn.iter().map(|(name, _)| name.clone()).collect();
    let columns = columns(&run.intervals);
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for column in &columns {
        let seen = column.server(&run.server);
        for (name, series) in names.iter().zip(&mut series) {
            series.push(short(sessions(seen, name, &names)));
        }
    }
    let local = shares_machine(&run.record);
    Some(Chart {
        id: "waits".into(),
        kind: "waits",
        title: "Sessions in the server, by wait event".into(),
        reading: "The height is the number of sessions that ran or waited in the server; the \
            colours show the wait events. CPU, at the bottom, means running; sessions above the \
            core-count line are queuing for CPU. A wait event has the same colour in every report.",
        note: format!("{}{}", note(&run.intervals), left_out(load)),
        data: json!({
            "from": columns.iter().map(Column::from).collect::<Vec<_>>(),
            "to": columns.iter().map(Column::to).collect::<Vec<_>>(),
            "measured_from": columns.iter().find(|one| one.phase() == "measure").map(Column::from),
            "cores": local.then_some(run.record.host.cores).filter(|cores| *cores > 0),
            "waits": names,
            "looks": drawn.iter().map(|(_, look)| [look.color, look.texture]).collect::<Vec<_>>(),
            "sessions": series,
            "events": events::events(run),
        }),
    })
}

/// Describes the sessions that were waiting for the client, because the chart omits them.
fn left_out(load: &ServerLoadRecord) -> String {
    let clients: f64 =
        load.waits.iter().filter(|wait| is_for_the_client(wait)).map(|wait| wait.sessions).sum();
    if clients <= 0.0 {
        return String::new();
    }
    let clients = significant(clients);
    format!(
        " Not drawn: {clients} sessions on average that waited for the client's next statement."
    )
}

/// Returns a wait's name, such as `IO:WALSync`, or its class if the event has no name.
pub(in crate::report) fn name(wait: &WaitRecord) -> String {
    match wait.event.as_str() {
        "" => clean(&wait.class),
        event => format!("{}:{}", clean(&wait.class), clean(event)),
    }
}

/// Returns the colour and texture of each wait, chosen by its name.
pub(in crate::report) fn looks<'a>(waits: impl Iterator<Item = &'a WaitRecord>) -> Value {
    let looks: BTreeMap<String, [u8; 2]> = waits
        .map(|wait| {
            let look = WaitLook::of(wait);
            (name(wait), [look.color, look.texture])
        })
        .collect();
    json!(looks)
}

/// Returns the rows of the chart with their colours and textures. The running sessions come first,
/// then the most frequent waits, then the sum of the remaining waits.
fn busiest(seen: &[ServerIntervalRecord]) -> Vec<(String, WaitLook)> {
    let mut sums: BTreeMap<String, Seen<'_>> = BTreeMap::new();
    let mut has_rest = false;
    for interval in seen {
        for wait in interval.load.waits.iter().filter(|wait| !is_for_the_client(wait)) {
            let name = name(wait);
            if name == OTHER {
                has_rest = true;
                continue;
            }
            let sum = sums.entry(name).or_insert(Seen { wait, measured: 0.0, all: 0.0 });
            let sessions = wait.sessions * interval.load.samples as f64;
            sum.all += sessions;
            sum.measured += if interval.phase == "measure" { sessions } else { 0.0 };
        }
    }
    let mut waits: Vec<(String, Seen<'_>)> = sums.into_iter().collect();
    waits.sort_by(|(_, a), (_, b)| {
        let first = is_running(b.wait).cmp(&is_running(a.wait));
        first.then(b.measured.total_cmp(&a.measured)).then(b.all.total_cmp(&a.all))
    });
    let more = waits.len() > WAITS_MAX || has_rest;
    waits.truncate(WAITS_MAX);
    let drawn = waits.into_iter().map(|(name, seen)| (name, WaitLook::of(seen.wait)));
    drawn.chain(more.then(|| (OTHER.to_owned(), WaitLook::REST))).collect()
}

/// A wait event, with the number of sessions in which it was observed, summed over all samples.
struct Seen<'a> {
    wait: &'a WaitRecord,
    measured: f64,
    all: f64,
}

/// Returns the mean number of sessions in this wait event, over all samples of the server.
fn sessions(seen: &[ServerIntervalRecord], wanted: &str, names: &[String]) -> f64 {
    let looks: u64 = seen.iter().map(|one| one.load.samples).sum();
    let is_wanted = |wait: &WaitRecord| {
        let name = name(wait);
        let is_rest = wanted == OTHER && !names.contains(&name) && !is_for_the_client(wait);
        name == wanted || is_rest
    };
    let sum: f64 = seen
        .iter()
        .map(|one| {
            let waits = one.load.waits.iter().filter(|wait| is_wanted(wait));
            waits.map(|wait| wait.sessions).sum::<f64>() * one.load.samples as f64
        })
        .sum();
    if looks == 0 { 0.0 } else { sum / looks as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(phase: &str, waits: &[(&str, f64)]) -> ServerIntervalRecord {
        let waits = waits.iter().map(|(event, sessions)| WaitRecord {
            class: "IO".into(),
            event: (*event).into(),
            sessions: *sessions,
            kind: None,
            share: 0.0,
        });
        let load = ServerLoadRecord { samples: 10, waits: waits.collect(), ..Default::default() };
        ServerIntervalRecord { at_s: 0.0, phase: phase.into(), load }
    }

    #[test]
    fn a_wait_of_any_interval_is_drawn_or_in_the_rest() {
        let seen = [
            interval("ramp-up", &[("read", 9.0)]),
            interval("measure", &[("write", 1.0), ("sync", 2.0)]),
            interval("measure", &[("sync", 1.0)]),
        ];
        let names = |seen: &[ServerIntervalRecord]| -> Vec<String> {
            busiest(seen).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&seen), ["IO:sync", "IO:write", "IO:read"]);
        let many: Vec<(String, f64)> = (0..9).map(|n| (format!("e{n}"), 1.0)).collect();
        let many: Vec<(&str, f64)> = many.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let seen = [interval("measure", &many)];
        let drawn = names(&seen);
        assert_eq!((drawn.len(), drawn.last().map(String::as_str)), (WAITS_MAX + 1, Some(OTHER)));
        let whole: f64 = drawn.iter().map(|name| sessions(&seen, name, &drawn)).sum();
        assert!((whole - 9.0).abs() < 1e-9, "{whole}");
    }
}
