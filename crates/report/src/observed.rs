//! Tables of measured values, such as wait times, that differ between the two sides of a
//! comparison.
//!
//! A difference that coincides with a change in performance is not necessarily its cause, so it is
//! never called one.
//!
//! Start reading at [`seen`].

use tacho_analysis::{Observation, Observed};
use tacho_core::units::significant;

use crate::document::Block;
use crate::table::{Column, Table};
use crate::words::{ABSENT, micros, relative_change};

/// Minimum change that is shown for a wait event, as a fraction of the largest change of any wait
/// event.
const WAIT_SHARE_MIN: f64 = 0.05;
/// Maximum number of rows in a table. The JSON output contains all rows.
const ROWS_MAX: usize = 8;
/// Explanation of the tables for the reader.
const REMARK: &str = "These values coincide with the change but are not proven to cause it. Server \
    time is the time of the server's sessions by wait event, and work is the growth of the \
    server's counters; both are divided by the number of ended transactions.";

/// Returns all tables that have rows, followed by an explanation for the reader.
pub(crate) fn seen(observed: &Observed) -> Vec<Block> {
    let titled = |title, table: Option<Table>| table.map(|table| Block::table(title, table));
    let waits = titled("Server time per transaction, by wait", waits_table(observed));
    let work = titled("Work per transaction", work_table(observed));
    let tables: Vec<Block> = waits.into_iter().chain(work).collect();
    let remark = (!tables.is_empty()).then(|| Block::text(REMARK));
    tables.into_iter().chain(remark).collect()
}

/// Returns the wait events with the largest changes in time.
fn waits_table(observed: &Observed) -> Option<Table> {
    let largest = observed.waits.first().map_or(0.0, |wait| (wait.run - wait.baseline).abs());
    let is_shown = |wait: &&Observation| {
        (wait.run - wait.baseline).abs() >= WAIT_SHARE_MIN * largest && largest > 0.0
    };
    let difference = |wait: &Observation| {
        let sign = if wait.run < wait.baseline { '−' } else { '+' };
        format!("{sign}{}", micros((wait.run - wait.baseline).abs()))
    };
    let rows: Vec<_> = observed.waits.iter().filter(is_shown).take(ROWS_MAX).collect();
    table(&rows, "wait", difference)
}

/// Returns the server counters that changed the most.
fn work_table(observed: &Observed) -> Option<Table> {
    let change = |row: &Observation| match row.baseline {
        before if before > 0.0 => relative_change(row.run / before - 1.0),
        _ => ABSENT.into(),
    };
    let rows: Vec<_> = observed.work.iter().take(ROWS_MAX).collect();
    table(&rows, "work", change)
}

fn table(
    rows: &[&Observation],
    title: &str,
    change: impl Fn(&Observation) -> String,
) -> Option<Table> {
    let figure = |row: &Observation, value: f64| match row.unit {
        _ if value == 0.0 => "0".into(),
        "us" => micros(value),
        _ => significant(value),
    };
    let columns = vec![
        Column::left(title, rows.iter().map(|row| row.name.clone())),
        Column::right("baseline", rows.iter().map(|row| figure(row, row.baseline))),
        Column::right("run", rows.iter().map(|row| figure(row, row.run))),
        Column::right("change", rows.iter().map(|row| change(row))),
    ];
    Table::new(columns).gap(3).filled()
}
