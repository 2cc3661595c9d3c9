//! The charts of the running measurement, drawn once for each interval however many pages are open.
//!
//! They are the report's, from the same figures. Start reading at [`Charts::of`].

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
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
            let charts = LiveCharts {
                activity: mark.0,
                intervals: mark.1,
                charts: run.as_ref().map(tacho_report::live_charts).unwrap_or_default(),
                steps: run.as_ref().map(steps).unwrap_or_default(),
            };
            // It consists of numbers and texts.
            (self.mark, self.text) = (mark, serde_json::to_string(&charts).unwrap_or_default());
        }
        self.text.clone()
    }
}

/// The charts of the running measurement, and its steps.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LiveCharts {
    /// Number of the activity.
    activity: u64,
    /// Number of intervals so far.
    intervals: usize,
    /// The charts with their data, in the form that `charts.js` draws.
    charts: Vec<Value>,
    steps: Vec<LiveStep>,
}

/// A step of the load that has begun.
#[derive(Serialize, JsonSchema)]
struct LiveStep {
    number: u32,
    /// Its load in words.
    load: String,
    planned_s: f64,
    measured_s: f64,
    throughput_per_s: f64,
    headline_per_minute: Option<f64>,
    failed: u64,
}

/// Returns a row for each step so far.
fn steps(run: &Measurement) -> Vec<LiveStep> {
    let steps = run.record.result.iter().flat_map(|result| &result.steps);
    steps
        .map(|step| LiveStep {
            number: step.number,
            load: step.step.words(),
            planned_s: step.step.length.as_secs_f64(),
            measured_s: step.measured_s,
            throughput_per_s: step.throughput_per_s,
            headline_per_minute: step.headline_per_minute,
            failed: step.failed,
        })
        .collect()
}
