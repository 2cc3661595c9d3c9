//! What happens as JSON objects: lines on standard error, and the events of the web view.
//!
//! Each has a key `event`. Start reading at [`Json`].

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tacho_analysis::Calibration;
use tacho_app::{BuildState, CheckState, EndedQuery, PointState, Progress, Standing, StreamState};
use tacho_metrics::Phase;
use tacho_report::calibration_sentences;
use tacho_store::record::Record;
use tacho_store::{IntervalRecord, ServerIntervalRecord};

/// Gives each event to a function.
pub(super) struct Json<F>(pub(super) F);

/// A record or the like as an event of this name.
fn named(name: &str, value: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(value).unwrap_or_default();
    if let Value::Object(object) = &mut value {
        object.insert("event".into(), name.into());
    }
    value
}

impl<F: Fn(&Value)> Progress for Json<F> {
    fn begins(&mut self, record: &Record) {
        (self.0)(&json!({ "event": "begins", "run": record.id, "record": record }));
    }

    fn wants_standing(&self) -> bool {
        true
    }

    fn standing(&mut self, standing: &Standing) {
        (self.0)(&named("standing", standing));
    }

    fn server(&mut self, server: &ServerIntervalRecord) {
        (self.0)(&named("server", server));
    }

    fn note(&mut self, text: &str) {
        (self.0)(&json!({ "event": "note", "text": text }));
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
        (self.0)(&json!({
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
        (self.0)(&json!({ "event": "phase", "phase": phase.name(), "length_s": length }));
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        (self.0)(&named("interval", interval));
    }

    fn streams(&mut self, at: Duration, streams: &[StreamState]) {
        let seconds = |span: Duration| span.as_secs_f64();
        let ended = |own: &EndedQuery| {
            json!({
                "transaction": own.name,
                "took_s": seconds(own.took),
                "rows": own.rows,
                "failed": own.failed,
            })
        };
        let stream = |stream: &StreamState| {
            json!({
                "session": stream.session,
                "transaction": stream.now.as_ref().map(|(name, _)| name),
                "since_s": stream.now.as_ref().map(|(_, since)| seconds(*since)),
                "done": stream.done,
                "failed": stream.failed,
                "left": stream.left,
                "remaining_s": stream.remaining.map(seconds),
                "ended": stream.ended.iter().map(ended).collect::<Vec<_>>(),
            })
        };
        (self.0)(&json!({
            "event": "streams",
            "at_s": seconds(at),
            "streams": streams.iter().map(stream).collect::<Vec<_>>(),
        }));
    }

    fn point(&mut self, point: &PointState) {
        (self.0)(&json!({
            "event": "point",
            "number": point.number,
            "count": point.count,
            "values": point.words,
            "remaining_s": point.remaining.map(|remaining| remaining.as_secs_f64()),
        }));
    }

    fn ending(&mut self, step: &str) {
        (self.0)(&json!({ "event": "ending", "step": step }));
    }

    fn checking(&mut self, state: &CheckState) {
        (self.0)(&json!({
            "event": "check",
            "done": state.done,
            "count": state.count,
            "elapsed_s": state.elapsed.as_secs_f64(),
            "remaining_s": state.time_remaining().map(|span| span.as_secs_f64()),
        }));
    }
}
