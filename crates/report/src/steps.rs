//! The steps of a varying load, with one row per step.
//!
//! Start reading at [`table`].

use tacho_config::LoadSteps;
use tacho_core::units::{grouped, significant, span};
use tacho_store::record::{ResultRecord, StepRecord};

use tacho_analysis::clean;

use crate::table::{Column, Table};
use crate::words::{ABSENT, micros, relative};

/// Maximum number of rows in a summary. The report contains all of the rows.
pub(crate) const ROWS_MAX: usize = 40;

/// Returns a table of the first `most` steps of a varying load. If there are more, a note says so.
pub(crate) fn table(result: &ResultRecord, most: usize) -> Option<Table> {
    let shown = result.steps.len().min(most);
    let note = match result.steps.len() - shown {
        0 => String::new(),
        more => format!("{more} more steps are in the report and the record"),
    };
    let name = result.stated_headline().map(|headline| headline.name.as_str());
    let user = if result.terminals.is_some() { "terminal" } else { "session" };
    Table { note, ..rows(&result.steps[..shown], name, user) }.filled()
}

fn rows(steps: &[StepRecord], headline: Option<&str>, user: &str) -> Table {
    let each =
        |cell: &dyn Fn(&StepRecord) -> String| -> Vec<String> { steps.iter().map(cell).collect() };
    let percentile = |of: &dyn Fn(&StepRecord) -> Option<f64>| -> Vec<String> {
        steps.iter().map(|step| of(step).map_or(ABSENT.into(), micros)).collect()
    };
    let mut columns = vec![
        Column::right("step", each(&|step| step.number.to_string())),
        Column::left("load", each(&|step| step.step.words_of(user))),
        Column::right("time", each(&|step| span(step.step.length))),
    ];
    if let Some(name) = headline {
        let cell = |step: &StepRecord| step.headline_per_minute.map_or(ABSENT.into(), significant);
        columns.push(Column::right(name, each(&cell)));
    }
    columns.extend([
        Column::right("tps", each(&|step| significant(step.throughput_per_s))),
        Column::right("±95 %", each(&width)),
        Column::right("p50", percentile(&|step| step.latency.p50_us)),
        Column::right("p95", percentile(&|step| step.latency.p95_us)),
        Column::right("p99", percentile(&|step| step.latency.p99_us)),
        Column::right("failed", each(&|step| grouped(step.failed))),
        Column::right("skipped", each(&|step| grouped(step.accounting.skipped))),
        Column::left("verdict", each(&verdict)),
    ]);
    Table::new(columns)
}

fn width(step: &StepRecord) -> String {
    step.interval_95
        .map_or(ABSENT.into(), |interval| relative(interval.value, interval.low, interval.high))
}

fn verdict(step: &StepRecord) -> String {
    let word = step.verdict.word();
    let crossed = step.thresholds.iter().filter(|limit| !limit.passed);
    let crossed = crossed
        .map(|limit| format!("✗ {} ({})", clean(&limit.expression), clean(&limit.measured_text)));
    let all: Vec<String> = step.reasons.iter().map(|text| clean(text)).chain(crossed).collect();
    if all.is_empty() { word.into() } else { format!("{word}: {}", all.join(", ")) }
}

/// Returns a table of the planned steps, with one row per step.
pub(crate) fn planned(steps: &LoadSteps) -> Table {
    let mut at = std::time::Duration::ZERO;
    let mut begins = Vec::new();
    for step in &steps.steps {
        begins.push(span(at));
        at += step.length;
    }
    let numbers = (1..=steps.steps.len()).map(|number| number.to_string());
    Table::new(vec![
        Column::right("step", numbers),
        Column::right("from", begins),
        Column::right("time", steps.steps.iter().map(|step| span(step.length))),
        Column::left("load", steps.steps.iter().map(tacho_config::Step::words)),
    ])
}
