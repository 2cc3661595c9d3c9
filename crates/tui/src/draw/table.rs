//! The table of transactions in the current phase. Its values are computed in the same way as those
//! in the run's record.
//!
//! If the table is too narrow, the least important columns are omitted. Numbers are never truncated.

use ratatui::layout::Rect;
use tacho_core::units::{grouped, percent};
use tacho_report::ALL;
use tacho_store::event::Standing;
use tacho_store::record::{ThresholdRecord, TransactionRecord};

use super::{Look, Pen};
use crate::words::{ABSENT, micros, name, rate, width};
use crate::{Model, Ui};

/// The titles of all columns except the one with the names.
const TITLES: [&str; 9] =
    ["share", "count", "tps", "p50", "p95", "p99", "max", "failed", "threshold"];
/// Indexes of the columns, in the order in which they are omitted.
const GIVE_WAY: [usize; 9] = [1, THRESHOLD, 0, 4, 3, 2, 5, 7, 6];
/// Index of the last column, which contains text rather than numbers.
const THRESHOLD: usize = 8;
/// Maximum number of columns for a name.
const NAME_MAX: usize = 20;
const GAP: usize = 2;

/// Returns the number of rows needed for the line above the table, the column titles, and at least
/// one transaction.
pub(super) fn height(model: &Model) -> u16 {
    let rows = model.history.standing.as_ref().map_or(0, |standing| rows(standing).len());
    rows.max(model.history.names().len()).max(1) as u16 + 2
}

struct Row<'a> {
    name: String,
    choice: &'a str,
    cells: [String; TITLES.len()],
    failed: bool,
    crossed: bool,
}

pub(super) fn draw(model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let Some(standing) = &model.history.standing else {
        pen.rule(area, "transactions");
        pen.text(area.x + 1, area.y + 1, "no interval has ended yet", Look::Dim);
        return;
    };
    let rows = rows(standing);
    let choice = ui.choice(model);
    let chosen = rows.iter().position(|row| row.choice == choice).unwrap_or(0);
    let shown = usize::from(area.height) - 2;
    // If some rows do not fit, scroll so that the selected row is in the middle.
    let from = chosen.saturating_sub(shown / 2).min(rows.len().saturating_sub(shown));
    let to = (from + shown).min(rows.len());
    pen.rule(area, &title(standing, (from, to), rows.len()));
    let shown = &rows[from..to];
    // Compute the column widths from all rows, not only the visible ones, so that the columns do
    // not move while scrolling.
    let (names, columns) = layout(&rows, usize::from(area.width));
    line(area.y + 1, "", &TITLES.map(str::to_owned), (names, &columns), Look::Dim, pen);
    let measured = standing.phase == "measure";
    for (place, row) in shown.iter().enumerate() {
        let y = area.y + 2 + place as u16;
        let usual = if measured { Look::Plain } else { Look::Dim };
        let strong = if row.choice == choice { Look::Strong } else { usual };
        line(y, &row.name, &row.cells, (names, &columns), strong, pen);
        if row.choice == choice {
            pen.text(0, y, "▸", Look::Figure);
        }
        mark(y, row, (names, &columns), pen);
    }
}

fn title(standing: &Standing, (from, to): (usize, usize), count: usize) -> String {
    let phase = match standing.phase.as_str() {
        "measure" => "measured so far".to_owned(),
        phase => format!("{phase}, not in the result"),
    };
    if to - from == count {
        return format!("transactions, {phase}");
    }
    format!("transactions {}–{to} of {count}, {phase}", from + 1)
}

fn rows(standing: &Standing) -> Vec<Row<'_>> {
    let transactions = standing.transactions.iter().map(|one| row(standing, one, true));
    transactions.chain(standing.queries.iter().map(|one| row(standing, one, false))).collect()
}

fn row<'a>(standing: &Standing, one: &'a TransactionRecord, is_transaction: bool) -> Row<'a> {
    let latency = &one.latency;
    let per_second = standing.elapsed_s > 0.0;
    let max = (latency.count > 0).then_some(latency.max_us);
    let (threshold, crossed) = threshold(standing, &one.name, is_transaction);
    let is_all = one.name == ALL;
    Row {
        name: if is_all && !is_transaction {
            "all queries".into()
        } else {
            name(&one.name, NAME_MAX)
        },
        choice: if is_all && !is_transaction { "" } else { &one.name },
        cells: [
            percent(one.share),
            grouped(one.count),
            if per_second { rate(one.count as f64 / standing.elapsed_s) } else { ABSENT.into() },
            micros(latency.p50_us),
            micros(latency.p95_us),
            micros(latency.p99_us),
            micros(max),
            grouped(one.failed),
            threshold,
        ],
        failed: one.failed > 0,
        crossed,
    }
}

/// Describes the thresholds for a transaction type. The second value is true if at least one of them is not met.
fn threshold(standing: &Standing, name: &str, is_transaction: bool) -> (String, bool) {
    let of_this = |limit: &&ThresholdRecord| match limit.expression.split_once('.') {
        Some((kind, rest)) if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => kind == name,
        _ => name == ALL,
    };
    let mut limits: Vec<&ThresholdRecord> = standing.thresholds.iter().filter(of_this).collect();
    if !is_transaction {
        limits.clear();
    }
    let crossed = limits.iter().any(|limit| !limit.passed);
    // Thresholds that are not met are shown first.
    let Some(first) = limits.iter().find(|limit| !limit.passed).or(limits.first()) else {
        return (String::new(), false);
    };
    let prefix = format!("{name}.");
    let short = first.expression.strip_prefix(&prefix).unwrap_or(&first.expression);
    let more = if limits.len() > 1 { format!(" +{}", limits.len() - 1) } else { String::new() };
    (format!("{} {short}{more}", if crossed { '✗' } else { '✓' }), crossed)
}

/// Returns the width of the name column, and the widths of the other columns that fit.
fn layout(rows: &[Row<'_>], room: usize) -> (usize, [Option<usize>; TITLES.len()]) {
    let names = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0).max(8);
    let mut columns: [Option<usize>; TITLES.len()] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| width(&row.cells[column]));
        let widest = cells.max().unwrap_or(0);
        // If there are no thresholds, omit the threshold column.
        (column != THRESHOLD || widest > 0).then(|| widest.max(width(TITLES[column])).max(7))
    });
    let used = |columns: &[Option<usize>]| {
        columns.iter().flatten().map(|width| width + GAP).sum::<usize>() + names + 3
    };
    for column in GIVE_WAY {
        if used(&columns) <= room {
            break;
        }
        columns[column] = None;
    }
    (names, columns)
}

type Columns<'a> = (usize, &'a [Option<usize>; TITLES.len()]);

fn line(
    y: u16,
    name: &str,
    cells: &[String; TITLES.len()],
    columns: Columns<'_>,
    look: Look,
    pen: &mut Pen<'_, '_>,
) {
    pen.text(2, y, name, look);
    for (place, end) in ends(columns) {
        match place {
            THRESHOLD => pen.text(start(columns, end), y, &cells[place], look),
            _ => pen.right(end, y, &cells[place], look),
        }
    }
}

/// If colours are available, draws failures and unmet thresholds in red.
fn mark(y: u16, row: &Row<'_>, columns: Columns<'_>, pen: &mut Pen<'_, '_>) {
    for (place, end) in ends(columns) {
        match TITLES[place] {
            "failed" if row.failed => pen.right(end, y, &row.cells[place], Look::Bad),
            "threshold" if !row.cells[place].is_empty() => {
                let look = if row.crossed { Look::Bad } else { Look::Good };
                pen.text(start(columns, end), y, &row.cells[place], look);
            }
            _ => {}
        }
    }
}

/// Returns the position at which each visible column ends.
fn ends((names, columns): Columns<'_>) -> impl Iterator<Item = (usize, u16)> {
    let mut end = names + 2;
    columns.iter().enumerate().filter_map(move |(place, width)| {
        end += (*width)? + GAP;
        Some((place, end as u16))
    })
}

/// Returns the position at which the threshold column starts.
fn start((_, columns): Columns<'_>, end: u16) -> u16 {
    end - columns[THRESHOLD].unwrap_or(0) as u16
}
