//! Describes server outages: when they were detected, and when connections, commits and full
//! throughput came back.

use tacho_core::units::{counted, grouped, latency, span};
use tacho_store::record::{FaultRecord, OutageRecord, ResultRecord};

use crate::document::Fact;
use crate::words::seconds;

/// Maximum number of outages in a summary. The record contains all of them.
const OUTAGES_MAX: usize = 3;

/// Returns one paragraph per outage, or `None` if there was no outage.
pub(crate) fn outages(result: &ResultRecord) -> Option<Fact> {
    let mut paragraphs: Vec<String> =
        result.outages.iter().take(OUTAGES_MAX).map(paragraph).collect();
    if let Some(more @ 1..) = result.outages.len().checked_sub(OUTAGES_MAX) {
        paragraphs.push(format!("and {more} more; use tacho show --output json to list them"));
    }
    Fact::of("outages", paragraphs)
}

/// Describes the faults of the run, including those that could not be injected.
pub(crate) fn faults(result: &ResultRecord) -> Option<Fact> {
    let paragraph = |fault: &FaultRecord| match &fault.error {
        None => format!(
            "{} into the load: {}, done in {}{}",
            span(seconds((fault.at_s * 10.0).round() / 10.0)),
            fault.what,
            latency(seconds(fault.took_s)),
            normal(fault.latency_normal_after_s)
        ),
        Some(error) => format!("✗ {} failed: {error}", fault.what),
    };
    let proxied = result.faults.iter().any(|fault| fault.proxied);
    let proxy =
        "the sessions used a Tacho proxy throughout the run, so each round trip took longer";
    let paragraphs = result.faults.iter().map(paragraph);
    Fact::of("faults", paragraphs.chain(proxied.then(|| proxy.to_owned())).collect())
}

/// States how long latency took to return to normal after a fault. The text continues a sentence.
fn normal(after_s: Option<f64>) -> String {
    match after_s {
        // A recovery time of zero means that latency was normal even during the interval in which
        // the fault occurred.
        Some(0.0) => "; latency stayed normal".into(),
        Some(time) => format!("; latency normal after {}", latency(seconds(time))),
        None => String::new(),
    }
}

fn paragraph(outage: &OutageRecord) -> String {
    let after = |what: &str, time: Option<f64>| match time {
        Some(time) => format!("{what} after {}", latency(seconds(time))),
        None => format!("{what} not seen"),
    };
    let missing = match outage.sessions_missing {
        0 => String::new(),
        missing => format!(", {} did not reconnect", grouped(missing)),
    };
    let away = match &outage.away {
        Some(away) if away.sessions > 1 => {
            let [median, longest] = [away.p50_s, away.max_s].map(|time| latency(seconds(time)));
            format!("; sessions without the server for {median} (median), at most {longest}")
        }
        _ => String::new(),
    };
    let dropped = match outage.events_dropped {
        0 => String::new(),
        more => {
            format!("; {} not recorded, so the counts are too low", counted(more, "later event"))
        }
    };
    format!(
        "{} into the load, seen {} after the last good transaction: {} lost{missing}; {}, {}, {}{}{away}{dropped}",
        span(seconds(outage.at_s.round())),
        latency(seconds(outage.detected_after_s)),
        counted(outage.sessions_lost, "connection"),
        after("connected again", outage.connected_after_s),
        after("first commit", outage.first_commit_after_s),
        after("95 % of the throughput", outage.recovered_after_s),
        outage.latency_normal_after_s.map_or(String::new(), |time| format!(
            ", latency normal after {}",
            latency(seconds(time))
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_an_outage_in_one_sentence() {
        let outage = OutageRecord {
            at_s: 5.0,
            detected_after_s: 0.003,
            sessions_lost: 10,
            attempts_refused: 60,
            connected_after_s: Some(2.1),
            first_commit_after_s: Some(2.25),
            ..OutageRecord::default()
        };
        assert_eq!(
            paragraph(&outage).replace('\u{202F}', " "),
            "5s into the load, seen 3.00 ms after the last good transaction: 10 connections lost; \
             connected again after 2.10 s, first commit after 2.25 s, 95 % of the throughput not seen"
        );
        let cut = paragraph(&OutageRecord { events_dropped: 12, ..outage });
        assert!(
            cut.ends_with("; 12 later events not recorded, so the counts are too low"),
            "{cut}"
        );
    }
}
