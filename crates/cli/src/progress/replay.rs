//! Events of another process as if they happened here.

use std::time::Duration;

use serde_json::Value;
use tacho_app::{PointState, Progress, Standing};
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
        Some("point") => progress.point(&point(event)),
        _ => {}
    }
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
