//! One JSON object per line.

use std::time::Duration;

use serde_json::{Value, json};
use tacho_analysis::Calibration;
use tacho_app::{BuildState, CheckState, PointState, Progress, StreamState};
use tacho_metrics::Phase;
use tacho_report::calibration_sentences;
use tacho_store::IntervalRecord;

use crate::printer::say;

/// Writes events as JSON lines; each has a key `event`.
pub(super) struct Json;

fn line(value: &Value) {
    say(&value.to_string());
}

impl Progress for Json {
    fn note(&mut self, text: &str) {
        line(&json!({ "event": "note", "text": text }));
    }

    fn calibration(&mut self, calibration: &Calibration, repeats: u32) {
        for said in calibration_sentences(calibration, repeats) {
            self.note(&said);
        }
    }

    fn build(&mut self, state: &BuildState) {
        let tables: Vec<Value> = state
            .tables
            .iter()
            .map(|table| json!({ "name": table.name, "rows": table.rows, "expected": table.expected }))
            .collect();
        line(&json!({
            "event": "build",
            "rows": state.rows,
            "rows_per_s": state.rate(),
            "elapsed_s": state.elapsed.as_secs_f64(),
            "remaining_s": state.time_remaining().map(|span| span.as_secs_f64()),
            "tables": tables,
        }));
    }

    fn phase(&mut self, phase: Phase, length: Option<Duration>) {
        let length = length.map(|length| length.as_secs_f64());
        line(&json!({ "event": "phase", "phase": phase.name(), "length_s": length }));
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        let mut value = serde_json::to_value(interval).unwrap_or_default();
        if let Value::Object(object) = &mut value {
            object.insert("event".into(), "interval".into());
        }
        line(&value);
    }

    fn streams(&mut self, at: Duration, streams: &[StreamState]) {
        let seconds = |span: Duration| span.as_secs_f64();
        let stream = |stream: &StreamState| {
            json!({
                "session": stream.session,
                "transaction": stream.now.map(|(name, _)| name),
                "since_s": stream.now.map(|(_, since)| seconds(since)),
                "done": stream.done,
                "failed": stream.failed,
                "left": stream.left,
                "remaining_s": stream.remaining.map(seconds),
            })
        };
        line(&json!({
            "event": "streams",
            "at_s": seconds(at),
            "streams": streams.iter().map(stream).collect::<Vec<_>>(),
        }));
    }

    fn point(&mut self, point: &PointState) {
        line(&json!({
            "event": "point",
            "number": point.number,
            "count": point.count,
            "values": point.words,
            "remaining_s": point.remaining.map(|remaining| remaining.as_secs_f64()),
        }));
    }

    fn checking(&mut self, state: &CheckState) {
        line(&json!({
            "event": "check",
            "done": state.done,
            "count": state.count,
            "elapsed_s": state.elapsed.as_secs_f64(),
            "remaining_s": state.time_remaining().map(|span| span.as_secs_f64()),
        }));
    }
}
