//! What the server's sessions waited for, over time.
//!
//! Start reading at [`waits`].

use serde_json::json;
use tacho_store::ServerIntervalRecord;
use tacho_store::record::{ServerLoadRecord, WaitRecord};

use super::columns::{Column, columns, note};
use super::{shares_machine, short};
use crate::Measurement;
use crate::report::document::Chart;
use crate::words::clean;

/// Waits that have a colour of their own; the rest is their sum.
const WAITS_MAX: usize = 6;
const OTHER: &str = "other";

/// Sessions by what they wait for; `None` if the server was not watched.
pub(in crate::report) fn waits(run: &Measurement) -> Option<Chart> {
    let load = run.record.result.as_ref()?.server_load.as_ref()?;
    let names = busiest(load);
    if names.is_empty() || run.server.is_empty() {
        return None;
    }
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
        title: "Sessions in the server, by what they wait for".into(),
        reading: "The height is how many of our sessions had work open in the server; the colours \
                  say what held them. CPU means running; pale is waiting for the client's next \
                  statement. What runs above the line of the cores has to queue for them.",
        note: note(&run.intervals),
        data: json!({
            "from": columns.iter().map(Column::from).collect::<Vec<_>>(),
            "to": columns.iter().map(Column::to).collect::<Vec<_>>(),
            "measured_from": columns.iter().find(|one| one.phase() == "measure").map(Column::from),
            "cores": local.then_some(run.record.host.cores).filter(|cores| *cores > 0),
            "waits": names,
            "sessions": series,
        }),
    })
}

/// `IO:WALSync`, or the class alone.
pub(in crate::report) fn name(wait: &WaitRecord) -> String {
    match wait.event.as_str() {
        "" => clean(&wait.class),
        event => format!("{}:{}", clean(&wait.class), clean(event)),
    }
}

/// The most frequent waits of the measured phase, and the rest.
fn busiest(load: &ServerLoadRecord) -> Vec<String> {
    let own = load.waits.iter().map(name).filter(|name| name != OTHER);
    let mut names: Vec<String> = own.collect();
    let more = names.len() > WAITS_MAX || load.waits.iter().any(|wait| name(wait) == OTHER);
    names.truncate(WAITS_MAX);
    if more {
        names.push(OTHER.into());
    }
    names
}

/// Sessions with this wait on average, by the number of looks.
fn sessions(seen: &[ServerIntervalRecord], wanted: &str, names: &[String]) -> f64 {
    let looks: u64 = seen.iter().map(|one| one.load.samples).sum();
    let is_wanted = |wait: &WaitRecord| {
        let own = name(wait);
        own == wanted || (wanted == OTHER && !names.contains(&own))
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
