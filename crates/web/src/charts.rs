//! The charts of the running measurement, generated once per interval for all open pages.
//!
//! These charts are the same as in a report, and use the same data. Start reading at
//! [`Charts::of`].

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tacho_analysis::Measurement;

use crate::hub::Hub;

/// The charts that were generated most recently, and the interval to which they belong.
#[derive(Default)]
pub(crate) struct Charts {
    mark: (u64, usize),
    text: String,
}

impl Charts {
    /// Returns the charts so far as JSON.
    pub(crate) fn of(&mut self, hub: &Hub) -> String {
        if self.text.is_empty() || self.mark != hub.course_mark() {
            let (mark, run) = hub.measurement();
            let charts = LiveCharts {
                activity: mark.0,
                intervals: mark.1,
                charts: run.as_ref().map(tacho_report::live_charts).unwrap_or_default(),
                steps: run.as_ref().map(steps).unwrap_or_default(),
            };
            // Serialization cannot fail, because the charts contain only numbers and strings.
            (self.mark, self.text) = (mark, serde_json::to_string(&charts).unwrap_or_default());
        }
        self.text.clone()
    }
}

/// The charts and the steps of the running measurement.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LiveCharts {
    /// Number of the command.
    activity: u64,
    /// Number of intervals so far.
    intervals: usize,
    /// The charts with their data, in the format that `charts.js` expects.
    charts: Vec<Value>,
    steps: Vec<LiveStep>,
}

/// A load step that has started.
#[derive(Serialize, JsonSchema)]
struct LiveStep {
    number: u32,
    /// Description of the step's load.
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
