//! What the server's sessions waited for, over time.
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

/// Waits that are drawn by themselves; the rest is their sum.
const WAITS_MAX: usize = 7;

/// Sessions by what they wait for; `None` if the server was not watched.
pub(in crate::report) fn waits(run: &Measurement) -> Option<Chart> {
    let load = run.record.result.as_ref()?.server_load.as_ref()?;
    let drawn = busiest(load);
    if drawn.is_empty() || run.server.is_empty() {
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
        reading: "The height is the number of sessions that ran or waited in the server; the colours \
                  show the wait events. CPU, at the bottom, means running; sessions above the line \
                  of the cores queue for CPU. A wait event has the same colour in every report.",
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

/// What the chart does not show: sessions that wait for their client.
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

/// `IO:WALSync`, or the class alone.
pub(in crate::report) fn name(wait: &WaitRecord) -> String {
    match wait.event.as_str() {
        "" => clean(&wait.class),
        event => format!("{}:{}", clean(&wait.class), clean(event)),
    }
}

/// The looks of waits by their names.
pub(in crate::report) fn looks<'a>(waits: impl Iterator<Item = &'a WaitRecord>) -> Value {
    let looks: BTreeMap<String, [u8; 2]> = waits
        .map(|wait| {
            let look = WaitLook::of(wait);
            (name(wait), [look.color, look.texture])
        })
        .collect();
    json!(looks)
}

/// The server's own most frequent waits of the measured phase with their looks: what runs first, then the
/// more frequent before the less, and last the rest.
fn busiest(load: &ServerLoadRecord) -> Vec<(String, WaitLook)> {
    let is_rest = |wait: &WaitRecord| name(wait) == OTHER;
    let mut own: Vec<&WaitRecord> =
        load.waits.iter().filter(|wait| !is_for_the_client(wait) && !is_rest(wait)).collect();
    own.sort_by_key(|wait| !is_running(wait));
    let more = own.len() > WAITS_MAX || load.waits.iter().any(is_rest);
    own.truncate(WAITS_MAX);
    let drawn = own.into_iter().map(|wait| (name(wait), WaitLook::of(wait)));
    drawn.chain(more.then(|| (OTHER.to_owned(), WaitLook::REST))).collect()
}

/// Sessions with this wait on average, by the number of looks.
fn sessions(seen: &[ServerIntervalRecord], wanted: &str, names: &[String]) -> f64 {
    let looks: u64 = seen.iter().map(|one| one.load.samples).sum();
    let is_wanted = |wait: &WaitRecord| {
        let own = name(wait);
        let is_rest = wanted == OTHER && !names.contains(&own) && !is_for_the_client(wait);
        own == wanted || is_rest
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
