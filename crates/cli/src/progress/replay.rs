//! Events of another process as if they happened here.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;
use tacho_app::{CheckState, EndedQuery, PointState, Progress, Standing, StreamState};
use tacho_metrics::Phase;
use tacho_store::record::Record;
use tacho_store::{IntervalRecord, ServerIntervalRecord};

/// Tells a listener of an event that [`Json`](super::json::Json) has written. What it does not know it leaves
/// out: the other process may be newer.
pub(crate) fn replay(event: &Value, progress: &mut dyn Progress) {
    let read = || event.clone();
    match event["event"].as_str() {
        Some("note") => progress.note(event["text"].as_str().unwrap_or_default()),
        Some("begins") => {
            if let Ok(record) = serde_json::from_value::<Record>(event["record"].clone()) {
                progress.begins(&record);
            }
        }
        Some("phase") => {
            let phase = Phase::ALL.into_iter().find(|phase| event["phase"] == phase.name());
            let length =
                event["length_s"].as_f64().and_then(|s| Duration::try_from_secs_f64(s).ok());
            if let Some(phase) = phase {
                progress.phase(phase, length);
            }
        }
        Some("interval") => {
            if let Ok(interval) = serde_json::from_value::<IntervalRecord>(read()) {
                progress.interval(&interval);
            }
        }
        Some("standing") => {
            if let Ok(standing) = serde_json::from_value::<Standing>(read()) {
                progress.standing(&standing);
            }
        }
        Some("server") => {
            if let Ok(server) = serde_json::from_value::<ServerIntervalRecord>(read()) {
                progress.server(&server);
            }
        }
        Some("streams") => {
            let own = event["streams"].as_array().into_iter().flatten();
            let own: Vec<StreamState> = own.map(stream).collect();
            progress.streams(span(&event["at_s"]).unwrap_or_default(), &own);
        }
        Some("point") => progress.point(&point(event)),
        Some("ending") => progress.ending(event["step"].as_str().unwrap_or_default()),
        Some("check") => progress.checking(&checks(event)),
        _ => {}
    }
}

fn span(seconds: &Value) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.as_f64()?).ok()
}

fn word(text: &Value) -> Option<Cow<'static, str>> {
    text.as_str().map(|text| text.to_owned().into())
}

fn stream(own: &Value) -> StreamState {
    let ended = own["ended"].as_array().into_iter().flatten().map(|own| EndedQuery {
        name: word(&own["transaction"]).unwrap_or_default(),
        took: span(&own["took_s"]).unwrap_or_default(),
        rows: own["rows"].as_u64(),
        failed: word(&own["failed"]),
    });
    StreamState {
        session: own["session"].as_u64().unwrap_or(0) as u32,
        now: word(&own["transaction"]).zip(span(&own["since_s"])),
        done: own["done"].as_u64().unwrap_or(0),
        failed: own["failed"].as_u64().unwrap_or(0),
        left: own["left"].as_u64(),
        remaining: span(&own["remaining_s"]),
        ended: ended.collect(),
    }
}

fn checks(event: &Value) -> CheckState {
    let count = |key: &str| event[key].as_u64().unwrap_or(0) as usize;
    let (done, count) = (count("done"), count("count"));
    let elapsed = span(&event["elapsed_s"]).unwrap_or_default();
    CheckState { done: done.min(count), count, elapsed }
}

fn point(event: &Value) -> PointState {
    let count = |key: &str| event[key].as_u64().unwrap_or(0) as usize;
    PointState {
        number: count("number"),
        count: count("count"),
        words: event["values"].as_str().unwrap_or_default().to_owned(),
        remaining: event["remaining_s"].as_f64().and_then(|s| Duration::try_from_secs_f64(s).ok()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::json::Json;
    use super::*;

    #[derive(Default)]
    struct Heard(Vec<(Duration, Vec<StreamState>)>);

    impl Progress for Heard {
        fn streams(&mut self, at: Duration, streams: &[StreamState]) {
            self.0.push((at, streams.to_vec()));
        }
    }

    #[test]
    fn streams_are_heard_elsewhere_as_they_were_told() {
        let asked = EndedQuery {
            name: "q14".into(),
            took: Duration::from_millis(250),
            rows: Some(1),
            failed: None,
        };
        let failed = EndedQuery { rows: None, failed: Some("timeout".into()), ..asked.clone() };
        let streams = [
            StreamState {
                session: 1,
                now: Some(("q2".into(), Duration::from_secs(3))),
                done: 2,
                failed: 1,
                left: Some(20),
                remaining: Some(Duration::from_mins(2)),
                ended: vec![asked, failed],
            },
            StreamState { session: 2, ..StreamState::default() },
        ];
        let events = RefCell::new(Vec::new());
        Json(|event: &Value| events.borrow_mut().push(event.clone()))
            .streams(Duration::from_secs(5), &streams);
        let mut heard = Heard::default();
        events.borrow().iter().for_each(|event| replay(event, &mut heard));
        assert_eq!(heard.0, [(Duration::from_secs(5), streams.to_vec())]);
    }
}
