//! What the server said of itself during the measured phase: `show --server`.
//!
//! It must never name a database: counters and gauges are called as its driver calls them.

use tacho_analysis::clean;
use tacho_core::units::{grouped, percent, significant};
use tacho_store::record::{Record, ResultRecord, ServerLoadRecord};

use crate::layout::{Page, TextOptions};
use crate::show::with_result;
use crate::table::{Column, Table};
use crate::words::ABSENT;

/// Waits, counters and gauges, each in full.
pub fn server(record: &Record, options: &TextOptions) -> String {
    with_result(record, options, |page, result| match &result.server_load {
        None => page.line("The server was not watched."),
        Some(load) => {
            waits(page, load);
            counters(page, result, load);
            gauges(page, load);
            page.blank();
            for missing in &load.missing {
                page.text(&format!("! {}", clean(missing)), 2);
            }
        }
    })
}

fn waits(page: &mut Page, load: &ServerLoadRecord) {
    let looks = grouped(load.samples);
    let active = significant(load.active_sessions);
    page.line(format!("Waits ({active} active sessions on average over {looks} looks)"));
    let each = |cell: fn(&tacho_store::record::WaitRecord) -> String| load.waits.iter().map(cell);
    let columns = vec![
        Column::left("class", each(|wait| clean(&wait.class))),
        Column::left("event", each(|wait| clean(&wait.event))),
        Column::right("sessions", each(|wait| significant(wait.sessions))),
        Column::right("share", each(|wait| percent(wait.share))),
    ];
    page.lines(Table { columns, indent: 2, gap: 2 }.lines());
}

/// Those of the whole server, by time and by what ended in the run.
fn counters(page: &mut Page, result: &ResultRecord, load: &ServerLoadRecord) {
    let ended = result.accounting.committed + result.accounting.rolled_back;
    let by = |count: u64, divisor: f64| {
        if divisor > 0.0 { significant(count as f64 / divisor) } else { ABSENT.into() }
    };
    let counts = || load.counters.values().copied();
    let columns = vec![
        Column::left("counter", load.counters.keys().cloned()),
        Column::right("growth", counts().map(grouped)),
        Column::right("per second", counts().map(|count| by(count, result.measured_s))),
        Column::right("per transaction", counts().map(|count| by(count, ended as f64))),
    ];
    page.blank();
    page.line("Counters of the whole server");
    page.lines(Table { columns, indent: 2, gap: 2 }.lines());
}

fn gauges(page: &mut Page, load: &ServerLoadRecord) {
    if load.gauges.is_empty() {
        return;
    }
    let gauges = || load.gauges.values();
    let columns = vec![
        Column::left("gauge", load.gauges.keys().cloned()),
        Column::right("mean", gauges().map(|gauge| grouped(gauge.mean.round() as u64))),
        Column::right("least", gauges().map(|gauge| grouped(gauge.min))),
        Column::right("most", gauges().map(|gauge| grouped(gauge.max))),
        Column::right("at the end", gauges().map(|gauge| grouped(gauge.last))),
    ];
    page.blank();
    page.line("Gauges");
    page.lines(Table { columns, indent: 2, gap: 2 }.lines());
}
