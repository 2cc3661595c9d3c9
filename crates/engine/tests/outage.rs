//! Simulates an outage of known length. Tests the recorded time of the loss, the first commit after the outage, and the
//! latencies.

use std::time::Duration;

use tacho_core::{Instant, Result};
use tacho_engine::{Arrival, LoadPlan, OnDisconnect, Spacing, Stop};
use tacho_metrics::Connection;

use crate::common::{measured, simulate};

#[test]
fn an_outage_is_measured_to_one_arrival() -> Result<()> {
    const RATE: f64 = 50.0;
    const SESSIONS: u32 = 20;
    let plan = LoadPlan {
        on_disconnect: OnDisconnect::Reconnect,
        arrival: Arrival::open(RATE, Spacing::Uniform),
        ..LoadPlan::closed(SESSIONS, Stop::After(Duration::from_secs(12)))
    };
    let arrival = Duration::from_secs_f64(1.0 / RATE);
    for length in [700, 2_000, 4_300].map(Duration::from_millis) {
        let target = "sim:?latency=1ms&spread=fixed&statement=0s&outage_at=5s&outage=";
        let (measurement, _) = simulate(&format!("{target}{}ms", length.as_millis()), plan)?;
        let mut events = measurement.total.connections.clone();
        events.sort_by_key(|event| event.at);
        let first = |wanted: fn(&Connection) -> bool| {
            events.iter().find(|event| wanted(&event.what)).map(|event| event.at)
        };
        let lost = first(|what| matches!(what, Connection::Lost { .. })).expect("a loss");
        let good = first(|what| matches!(what, Connection::FirstGood)).expect("a commit after it");
        let begin = Instant(0).plus(Duration::from_secs(5));
        assert!(lost >= begin && lost.since(begin) <= arrival, "{length:?}: lost at {lost:?}");
        // The measured time includes the first successful transaction, which takes a few round trips of 1 ms.
        let (found, error) = (good.since(lost), arrival + Duration::from_millis(100));
        assert!(found <= length + error && found + arrival >= length, "{length:?}: {found:?}");
        // A session notices the outage only when one of its arrivals fails. Its later arrivals then wait from the times
        // at which they are due.
        let noticed = arrival * (SESSIONS + 1);
        let waited = measured(&measurement).latency.quantile(1.0);
        let wait = length.saturating_sub(noticed)..length + error;
        assert!(wait.contains(&waited), "{length:?}: {waited:?} of {wait:?}");
    }
    Ok(())
}
