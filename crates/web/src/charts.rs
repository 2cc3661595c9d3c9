//! The charts of the measurement that runs, made once for each interval however many pages are open.
//!
//! They are those of the report, from the same figures. Start reading at [`Charts::of`].

use serde_json::{Value, json};
use tacho_analysis::Measurement;
use tacho_store::event::Standing;
use tacho_store::record::{HeadlineRecord, Record, ResultRecord};

use crate::hub::{Course, Hub};
use crate::steps;

/// The charts of the last interval that were asked for.
#[derive(Default)]
pub(crate) struct Charts {
    mark: (u64, usize),
    text: String,
}

impl Charts {
    /// The charts so far, as JSON.
    pub(crate) fn of(&mut self, hub: &Hub) -> String {
        let mark = hub.course_mark();
        if self.text.is_empty() || self.mark != mark {
            let (number, intervals, course) = hub.course();
            let run = measurement(course);
            let text = json!({
                "activity": number,
                "intervals": intervals,
                "charts": run.as_ref().map(tacho_report::live_charts).unwrap_or_default(),
                "steps": run.as_ref().map(steps_of).unwrap_or_default(),
            });
            (self.mark, self.text) = ((number, intervals), text.to_string());
        }
        self.text.clone()
    }
}

/// The measurement so far, with the figure that the workload is known for and what the server waits for.
fn measurement(course: Course) -> Option<Measurement> {
    let Course { record, intervals, server, standing, .. } = course;
    let mut record: Record = *record?;
    let steps = steps::begun(record.plan.steps.as_ref(), &intervals);
    record.result = Some(ResultRecord { steps, ..result(&standing, &server) });
    Some(Measurement {
        record,
        intervals,
        histograms: Vec::new(),
        server,
        hosts: Vec::new(),
        gaps: Vec::new(),
    })
}

/// Rows of the steps so far.
fn steps_of(run: &Measurement) -> Vec<Value> {
    let steps = run.record.result.iter().flat_map(|result| &result.steps);
    steps
        .map(|own| {
            json!({
                "number": own.number,
                "load": own.step.words(),
                "planned_s": own.step.length.as_secs_f64(),
                "measured_s": own.measured_s,
                "throughput_per_s": own.throughput_per_s,
                "headline_per_minute": own.headline_per_minute,
                "failed": own.failed,
            })
        })
        .collect()
}

fn result(standing: &Value, server: &[tacho_store::ServerIntervalRecord]) -> ResultRecord {
    let standing: Option<Standing> = serde_json::from_value(standing.clone()).ok();
    let headline = standing.as_ref().and_then(|standing| standing.headline.as_ref());
    let all = standing.as_ref().and_then(|standing| standing.transactions.last());
    let elapsed = standing.as_ref().map_or(0.0, |standing| standing.elapsed_s);
    ResultRecord {
        headline: headline.map(|own| HeadlineRecord {
            name: own.name.clone(),
            per_minute: own.per_minute,
            ..HeadlineRecord::default()
        }),
        throughput_per_s: match (all, elapsed > 0.0) {
            (Some(all), true) => all.count as f64 / elapsed,
            _ => 0.0,
        },
        server_load: server.last().map(|last| last.load.clone()),
        ..ResultRecord::default()
    }
}
