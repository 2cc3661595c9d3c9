//! Statistics reported by the server during the measured phase.
//!
//! The names of the counters and gauges come from the drivers, so this module does not depend on a particular database.
//! Start reading at [`blocks`].

use tacho_analysis::{clean, sessions_by_place};
use tacho_core::units::{grouped, percent, significant};
use tacho_store::record::{GaugeRecord, Record, ResultRecord, ServerLoadRecord, WaitRecord};

use crate::document::{Block, Remark, Tone};
use crate::layout::TextOptions;
use crate::show::with_result;
use crate::table::{Column, Table};
use crate::words::ABSENT;

/// Returns waits, counters and gauges as text, for use in `show --server`.
pub fn server(record: &Record, options: &TextOptions) -> String {
    with_result(record, options, blocks)
}

/// Returns how long sessions waited, how much the counters increased, the gauges, and which
/// statistics could not be read.
pub(crate) fn blocks(result: &ResultRecord) -> Vec<Block> {
    let Some(load) = &result.server_load else {
        return vec![Block::text(
            "The server was not monitored: either the driver does not support monitoring, or it failed.",
        )];
    };
    let missing = |text: &String| Remark {
        tone: Tone::Warn,
        text: format!("Not seen: {}", clean(text)),
        hint: String::new(),
    };
    let remarks = Block::remarks(load.missing.iter().map(missing));
    let tables = [waits(load), counters(result, load), gauges(load)];
    remarks.into_iter().chain(tables.into_iter().flatten()).collect()
}

fn waits(load: &ServerLoadRecord) -> Option<Block> {
    let each = |cell: fn(&WaitRecord) -> String| load.waits.iter().map(cell);
    let table = Table::new(vec![
        Column::left("class", each(|wait| clean(&wait.class))),
        Column::left("event", each(|wait| clean(&wait.event))),
        Column::right("sessions", each(|wait| significant(wait.sessions))),
        Column::right("share", each(|wait| percent(wait.share))),
    ]);
    let [in_server, for_client] = sessions_by_place(load).map(significant);
    let title = format!(
        "Mean number of sessions over the measured phase: {in_server} in the server, {for_client} waiting for \
         the client; {} samples",
        grouped(load.samples)
    );
    table.filled().map(|table| Block::folded(title, table))
}

/// Returns the counters of the entire server, per second and per completed transaction.
fn counters(result: &ResultRecord, load: &ServerLoadRecord) -> Option<Block> {
    let ended = result.accounting.committed + result.accounting.rolled_back;
    let by = |count: u64, divisor: f64| {
        if divisor > 0.0 { significant(count as f64 / divisor) } else { ABSENT.into() }
    };
    let counts = || load.counters.values().copied();
    let table = Table::new(vec![
        Column::left("counter", load.counters.keys().map(|name| clean(name))),
        Column::right("growth", counts().map(grouped)),
        Column::right("per second", counts().map(|count| by(count, result.measured_s))),
        Column::right("per transaction", counts().map(|count| by(count, ended as f64))),
    ]);
    let title = "Growth of the server's counters over the measured phase";
    table.filled().map(|table| Block::folded(title, table))
}

fn gauges(load: &ServerLoadRecord) -> Option<Block> {
    let each = |cell: fn(&GaugeRecord) -> u64| load.gauges.values().map(cell).map(grouped);
    let table = Table::new(vec![
        Column::left("gauge", load.gauges.keys().map(|name| clean(name))),
        Column::right("mean", each(|gauge| gauge.mean.round() as u64)),
        Column::right("least", each(|gauge| gauge.min)),
        Column::right("most", each(|gauge| gauge.max)),
        Column::right("at the end", each(|gauge| gauge.last)),
    ]);
    table.filled().map(|table| Block::folded("Gauges", table))
}
