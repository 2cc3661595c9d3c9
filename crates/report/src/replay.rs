//! Lists the statements of a replay that were faster or slower than in the log, failed, were not
//! sent, or were not compared.
//!
//! Statements that were not sent are always mentioned. Start reading at [`facts`] and [`table`].

use tacho_core::units::{self, counted, grouped};
use tacho_store::record::{ReplayDifferenceRecord, ReplayKindRecord, ReplayRecord, ResultRecord};

use crate::document::Fact;
use crate::table::{Column, Table, latencies};
use crate::words::ABSENT;

/// Maximum number of rows in a summary's table. A report contains all of the rows.
const ROWS: usize = 20;
/// Maximum length of a statement on one line, in characters. Longer statements are truncated.
const TEXT_MAX: usize = 90;

/// Returns a table with a row for each kind of statement and its times in the log and in the
/// replay. If `texts` is true, the table includes the statement texts and may have more than
/// [`ROWS`] rows.
pub(crate) fn table(result: &ResultRecord, replay: &ReplayRecord, texts: bool) -> Table {
    let mut kinds: Vec<&ReplayKindRecord> = replay.kinds.iter().collect();
    kinds.sort_by(|a, b| change(b).total_cmp(&change(a)).then(b.sent.cmp(&a.sent)));
    if !texts {
        kinds.truncate(ROWS);
    }
    let each = |cell: &dyn Fn(&ReplayKindRecord) -> String| -> Vec<String> {
        kinds.iter().map(|kind| cell(kind)).collect()
    };
    let times = |value: &dyn Fn(&ReplayKindRecord) -> Option<f64>| -> Vec<String> {
        latencies(&kinds.iter().map(|kind| value(kind)).collect::<Vec<_>>())
    };
    let has_errors = replay.failed_then.is_some();
    let mut columns = vec![
        Column::left("statement", each(&|kind| kind.transaction.clone())),
        Column::right("sent", each(&|kind| grouped(kind.sent))),
        Column::right("mean then", times(&|kind| kind.mean_then_us)),
        Column::right("mean now", times(&|kind| mean_now(kind))),
        Column::right("now/then", each(&|kind| ratio(kind))),
        Column::right("p95 then", times(&|kind| kind.p95_then_us)),
        Column::right("p95 now", times(&|kind| kind.now.p95_us)),
        Column::right(
            "failed then",
            each(&|kind| if has_errors { grouped(kind.failed_then) } else { ABSENT.into() }),
        ),
        Column::right("failed now", each(&|kind| grouped(kind.failed_now(&result.transactions)))),
    ];
    if texts {
        let rows = |kind: &ReplayKindRecord| kind.rows_now.map_or(ABSENT.into(), grouped);
        if kinds.iter().any(|kind| kind.rows_then.is_some()) {
            let rows = |kind: &ReplayKindRecord| kind.rows_then.map_or(ABSENT.into(), grouped);
            columns.push(Column::right("rows then", each(&rows)));
        }
        columns.push(Column::right("rows now", each(&rows)));
        columns.push(Column::left("text", each(&|kind| kind.statement.clone())));
    }
    Table::new(columns).gap(if texts { 2 } else { 1 })
}

fn mean_now(kind: &ReplayKindRecord) -> Option<f64> {
    (kind.now.count > 0).then_some(kind.now.mean_us)
}

/// Returns the difference between a statement kind's original and replayed total times. If the log
/// has no times, returns the replayed time.
fn change(kind: &ReplayKindRecord) -> f64 {
    let now = mean_now(kind).unwrap_or(0.0) * kind.now.count as f64;
    kind.mean_then_us.map_or(now, |then| (now - then * kind.now.count as f64).abs())
}

fn ratio(kind: &ReplayKindRecord) -> String {
    match (kind.mean_then_us, mean_now(kind)) {
        (Some(then), Some(now)) if then > 0.0 => format!("{}×", units::significant(now / then)),
        _ => ABSENT.into(),
    }
}

/// Describes the log, the statements that were left out, the outcomes that differ from the log, and
/// the statements that were not compared.
pub(crate) fn facts(result: &ResultRecord) -> Vec<Fact> {
    let Some(replay) = &result.replay else { return Vec::new() };
    let facts = [
        Fact::of("log", log(result, replay)),
        Fact::of("left out", left_out(replay)),
        Fact::of("outcomes", outcomes(replay)),
        Fact::of("differences", replay.differences.iter().map(difference).collect()),
        Fact::of("not compared", not_compared(replay)),
    ];
    facts.into_iter().flatten().collect()
}

fn log(result: &ResultRecord, replay: &ReplayRecord) -> Vec<String> {
    let length =
        |seconds: f64| units::span(std::time::Duration::from_millis((seconds * 1e3) as u64));
    let mut lines = vec![format!(
        "{}: {} in {} over {}, replayed in {}",
        replay.log_format,
        counted(replay.statements, "statement"),
        counted(replay.sessions, "session"),
        length(replay.length_s),
        length(result.measured_s)
    )];
    lines.push(match replay.statements.saturating_sub(replay.sent) {
        0 => "✓ all of them were sent".to_owned(),
        missing if replay.lost > 0 => format!(
            "✗ {} not sent, {} of them because the connection was lost within their transaction",
            counted(missing, "statement"),
            grouped(replay.lost)
        ),
        missing => format!("✗ {} not sent: the run ended first", counted(missing, "statement")),
    });
    if let Some(p95) = replay.session_wait.and_then(|wait| wait.p95_us).filter(|p95| *p95 >= 1.0) {
        lines.push(format!(
            "95th percentile of the wait for the session's previous statement: {}",
            units::span(std::time::Duration::from_micros(p95 as u64))
        ));
    }
    if replay.unclosed > 0 {
        lines.push(format!(
            "{} ended within a transaction, which was rolled back",
            counted(replay.unclosed, "session")
        ));
    }
    lines
}

fn left_out(replay: &ReplayRecord) -> Vec<String> {
    let mut lines: Vec<String> = replay
        .left_out
        .iter()
        .map(|reason| {
            format!("{} × {} (first in line {})", grouped(reason.count), reason.reason, reason.line)
        })
        .collect();
    if replay.lines_before > 0 {
        let lines_before = counted(replay.lines_before, "line");
        lines.push(format!(
            "{lines_before} before the first record: the file starts in the middle of a record"
        ));
    }
    if replay.broken > 0 {
        lines.push(format!(
            "{} damaged or truncated, the first on line {}",
            counted(replay.broken, "record"),
            replay.broken_line
        ));
    }
    if replay.idle_sessions > 0 {
        lines.push(format!(
            "{} with no statements to send",
            counted(replay.idle_sessions, "session")
        ));
    }
    lines
}

fn outcomes(replay: &ReplayRecord) -> Vec<String> {
    let sum = |count: fn(&ReplayKindRecord) -> u64| replay.kinds.iter().map(count).sum::<u64>();
    let Some(then) = replay.failed_then else { return Vec::new() };
    let (now, gone) = (sum(|kind| kind.fails_now), sum(|kind| kind.succeeds_now));
    let otherwise = sum(|kind| kind.fails_otherwise);
    let mark = if now + gone + otherwise == 0 { "✓" } else { "✗" };
    vec![format!(
        "{mark} {} failed originally: {} with the same code in the replay, {} with another code, {} no \
         longer; {} fail only in the replay",
        counted(then, "statement"),
        grouped(sum(|kind| kind.fails_again)),
        grouped(otherwise),
        grouped(gone),
        grouped(now)
    )]
}

fn difference(difference: &ReplayDifferenceRecord) -> String {
    let outcome =
        |text: &str| if text.is_empty() { "succeeded".to_owned() } else { text.to_owned() };
    let text: String = difference.statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(TEXT_MAX).collect();
    let now =
        if difference.now.is_empty() { "succeeds".to_owned() } else { difference.now.clone() };
    format!(
        "line {}: {short}: originally {}, now {now}",
        difference.line,
        outcome(&difference.then)
    )
}

fn not_compared(replay: &ReplayRecord) -> Vec<String> {
    let has_rows = replay.kinds.iter().any(|kind| kind.counted_now > 0);
    let rows = if replay.kinds.iter().any(|kind| kind.rows_then.is_some()) {
        "row counts of statements for which the log contains no row count"
    } else if has_rows {
        "rows: the log contains no row counts; use tacho compare to compare the row counts of two replays"
    } else {
        "rows: the log contains no row counts, and the driver does not count rows"
    };
    let mut lines = vec![rows.to_owned()];
    if replay.failed_then.is_none() {
        lines.push(
            "errors: the log contains none, so all failures occurred in the replay".to_owned(),
        );
    }
    match replay.statements.saturating_sub(replay.timed) {
        0 => {}
        all if all == replay.statements => {
            lines.push("durations: the log contains none".to_owned());
        }
        some => lines.push(format!(
            "durations of {}: the log does not contain them",
            counted(some, "statement")
        )),
    }
    if replay.timed > 0 {
        lines.push(
            "original durations were measured by the server; replayed durations are measured by the client \
             and include the network".to_owned(),
        );
    }
    if replay.kinds.len() > ROWS {
        let more = replay.kinds.len() - ROWS;
        lines.push(format!(
            "the table shows the {ROWS} kinds with the largest changes; a report also shows the other {more}"
        ));
    }
    lines
}
