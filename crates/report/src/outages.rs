//! Times without the server: seen, connected again, first commit, back to speed.

use std::time::Duration;

use tacho_core::units::{counted, grouped, latency, span};
use tacho_store::record::{FaultRecord, OutageRecord, ResultRecord};

use crate::document::Fact;

/// Outages in a summary; all are in the record.
const OUTAGES_MAX: usize = 3;

/// One paragraph for each outage; nothing if there was none.
pub(crate) fn outages(result: &ResultRecord) -> Option<Fact> {
    let mut paragraphs: Vec<String> =
        result.outages.iter().take(OUTAGES_MAX).map(paragraph).collect();
    if let Some(more @ 1..) = result.outages.len().checked_sub(OUTAGES_MAX) {
        paragraphs.push(format!("and {more} more: tacho show --output json"));
    }
    Fact::of("outages", paragraphs)
}

/// The faults that were made, or not.
pub(crate) fn faults(result: &ResultRecord) -> Option<Fact> {
    let paragraph = |fault: &FaultRecord| match &fault.error {
        None => format!(
            "at {} of the load: {}, done in {}",
            span(seconds((fault.at_s * 10.0).round() / 10.0)),
            fault.what,
            latency(seconds(fault.took_s))
        ),
        Some(error) => format!("✗ {} was not made: {error}", fault.what),
    };
    Fact::of("faults", result.faults.iter().map(paragraph).collect())
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
    format!(
        "at {} of the load, seen {} after the last good transaction: {} lost{missing}; {}, {}, {}",
        span(seconds(outage.at_s.round())),
        latency(seconds(outage.detected_after_s)),
        counted(outage.sessions_lost, "connection"),
        after("connected again", outage.connected_after_s),
        after("first commit", outage.first_commit_after_s),
        after("95 % of the throughput", outage.recovered_after_s),
    )
}

fn seconds(time: f64) -> Duration {
    Duration::try_from_secs_f64(time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_told_in_one_sentence() {
        let outage = OutageRecord {
            at_s: 5.0,
            detected_after_s: 0.003,
            sessions_lost: 10,
            attempts_refused: 60,
            sessions_missing: 0,
            connected_after_s: Some(2.1),
            first_commit_after_s: Some(2.25),
            recovered_after_s: None,
        };
        assert_eq!(
            paragraph(&outage).replace('\u{202F}', " "),
            "at 5s of the load, seen 3.00 ms after the last good transaction: 10 connections lost; \
             connected again after 2.10 s, first commit after 2.25 s, 95 % of the throughput not seen"
        );
    }
}
