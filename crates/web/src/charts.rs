//! The charts of the running measurement, drawn once for each interval however many pages are open.
//!
//! They are the report's, from the same figures. Start reading at [`Charts::of`].

use serde_json::{Value, json};
use tacho_analysis::Measurement;

use crate::hub::Hub;

/// The charts of the last interval that were requested.
#[derive(Default)]
pub(crate) struct Charts {
    mark: (u64, usize),
    text: String,
}

impl Charts {
    /// Returns the charts so far, as JSON.
    pub(crate) fn of(&mut self, hub: &Hub) -> String {
        if self.text.is_empty() || self.mark != hub.course_mark() {
            let (mark, run) = hub.measurement();
            let text = json!({
                "activity": mark.0,
                "intervals": mark.1,
                "charts": run.as_ref().map(tacho_report::live_charts).unwrap_or_default(),
                "steps": run.as_ref().map(steps).unwrap_or_default(),
            });
            (self.mark, self.text) = (mark, text.to_string());
        }
        self.text.clone()
    }
}

/// Returns a row for each step so far.
fn steps(run: &Measurement) -> Vec<Value> {
    let steps = run.record.result.iter().flat_map(|result| &result.steps);
    steps
        .map(|step| {
            json!({
                "number": step.number,
                "load": step.step.words(),
                "planned_s": step.step.length.as_secs_f64(),
                "measured_s": step.measured_s,
                "throughput_per_s": step.throughput_per_s,
                "headline_per_minute": step.headline_per_minute,
                "failed": step.failed,
            })
        })
        .collect()
}
