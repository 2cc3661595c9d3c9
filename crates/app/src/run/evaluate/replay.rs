//! Notices about a replay that did less work than its log.

use tacho_core::units::{counted, grouped, percent};
use tacho_store::record::{NoticeRecord, ReplayKindRecord, ReplayRecord, ResultRecord};

use super::was_stopped;
use crate::run::notices::Notice;

/// Shares of the log's work that may be missing from the replay before there is a warning, and before the run is
/// `INVALID`.
const MISSING_NOTED: f64 = 0.01;
const MISSING_MAX: f64 = 0.1;
/// Shares of the log's rows that may be missing before there is a warning, and before the run is `INVALID`.
const ROWS_NOTED: f64 = 0.1;
const ROWS_MAX: f64 = 0.5;
/// Minimum number of rows or statements for a comparison.
const COMPARED_MIN: u64 = 20;

/// Returns notices if, compared with the log, the replay sent fewer statements, found fewer rows, or had fewer errors.
pub(super) fn notices(result: &ResultRecord) -> Vec<NoticeRecord> {
    let Some(replay) = &result.replay else { return Vec::new() };
    // If the user stopped the run, another notice already reports the missing rest of the log.
    let unsent = if was_stopped(result) { None } else { unsent(replay) };
    let findings = [unsent, missed(replay), rows(replay), errors(replay)];
    findings.into_iter().flatten().map(|(notice, text)| notice.found(text)).collect()
}

type Finding = Option<(Notice, String)>;

/// Returns no notice for a small share of missing work, a warning for a larger one, and `INVALID` for a share above
/// `max`.
fn grade(share: f64, noted: f64, max: f64) -> Option<Notice> {
    match share {
        _ if share > max => Some(Notice::ReplayIncomplete),
        _ if share > noted => Some(Notice::ReplayDiffers),
        _ => None,
    }
}

fn unsent(replay: &ReplayRecord) -> Finding {
    let unsent = replay.statements.saturating_sub(replay.sent);
    let share = unsent as f64 / replay.statements.max(1) as f64;
    let notice = grade(share, MISSING_NOTED, MISSING_MAX)?;
    let all = counted(replay.statements, "statement");
    Some((notice, format!("{} of {all} were not sent ({})", grouped(unsent), percent(share))))
}

fn missed(replay: &ReplayRecord) -> Finding {
    let all = replay.statements + replay.missed;
    let share = replay.missed as f64 / all.max(1) as f64;
    let notice = grade(share, MISSING_NOTED, MISSING_MAX)?;
    let (missed, all) = (grouped(replay.missed), counted(all, "statement"));
    let text = format!("{missed} of {all} in the log cannot be replayed ({})", percent(share));
    Some((notice, text))
}

fn rows(replay: &ReplayRecord) -> Finding {
    let compared = |kind: &&ReplayKindRecord| kind.counted_then > 0 && kind.counted_now > 0;
    let (then, now) = replay.kinds.iter().filter(compared).fold((0, 0), |(then, now), kind| {
        (then + kind.rows_then.unwrap_or(0), now + kind.rows_now.unwrap_or(0))
    });
    if then >= COMPARED_MIN {
        let share = 1.0 - now as f64 / then as f64;
        let notice = grade(share, ROWS_NOTED, ROWS_MAX)?;
        let (now, then) = (counted(now, "row"), grouped(then));
        return Some((
            notice,
            format!("the statements found {now} in the replay, but {then} in the log"),
        ));
    }
    // The log does not contain the number of rows. However, if most statements find no rows in the replay, the data is
    // probably missing.
    let finds = |kind: &&ReplayKindRecord| {
        let starts = |word: &str| kind.statement.starts_with(word);
        ["select ", "update ", "delete "].into_iter().any(starts)
    };
    let sum = |kinds: &[&ReplayKindRecord]| kinds.iter().map(|kind| kind.counted_now).sum::<u64>();
    let mut kinds: Vec<&ReplayKindRecord> = replay.kinds.iter().filter(finds).collect();
    let count = sum(&kinds);
    kinds.retain(|kind| kind.rows_now.unwrap_or(0) == 0);
    let without = sum(&kinds);
    let is_noted = count >= COMPARED_MIN && without as f64 > count as f64 * ROWS_MAX;
    is_noted.then(|| {
        let statements = counted(count, "SELECT, UPDATE and DELETE statement");
        let text = if without == count {
            format!("none of the {statements} found a row")
        } else {
            let without = grouped(without);
            format!(
                "{without} of the {statements} belong to groups in which no statement found a row"
            )
        };
        (Notice::ReplayDiffers, text)
    })
}

fn errors(replay: &ReplayRecord) -> Finding {
    let gone: u64 = replay.kinds.iter().map(|kind| kind.succeeds_now).sum();
    let share = gone as f64 / replay.sent.max(1) as f64;
    let notice = grade(share, MISSING_NOTED, MISSING_MAX)?;
    let statements = counted(gone, "statement");
    Some((
        notice,
        format!("{statements} that failed in the log succeeded in the replay ({})", percent(share)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(replay: ReplayRecord) -> Vec<String> {
        let result = ResultRecord { replay: Some(replay), ..ResultRecord::default() };
        notices(&result).into_iter().map(|notice| notice.id).collect()
    }

    #[test]
    fn replays_that_did_less_than_the_log_are_noticed() {
        let whole = ReplayRecord { statements: 1000, sent: 1000, ..ReplayRecord::default() };
        let sent = |sent| ids(ReplayRecord { sent, ..whole.clone() });
        assert_eq!(
            (sent(990), sent(980), sent(500)),
            (vec![], vec!["W33".into()], vec!["V33".into()])
        );
        let missed = |missed| ids(ReplayRecord { missed, ..whole.clone() });
        assert_eq!(
            (missed(10), missed(50), missed(500)),
            (vec![], vec!["W33".into()], vec!["V33".into()])
        );
        let kind =
            |kind: ReplayKindRecord| ids(ReplayRecord { kinds: vec![kind], ..whole.clone() });
        let rows = |then: Option<u64>, now: u64| {
            kind(ReplayKindRecord {
                statement: "select ?".into(),
                rows_then: then,
                counted_then: then.map_or(0, |_| 100),
                rows_now: Some(now),
                counted_now: 100,
                ..ReplayKindRecord::default()
            })
        };
        assert_eq!(rows(Some(100), 95), Vec::<String>::new());
        assert_eq!(
            (rows(Some(100), 80), rows(Some(100), 40)),
            (vec!["W33".into()], vec!["V33".into()])
        );
        assert_eq!((rows(None, 1), rows(None, 0)), (vec![], vec!["W33".into()]));
        // Empty tables cause a warning even if a few statements, such as `SELECT 1`, always return a row.
        let other = |count, rows| ReplayKindRecord {
            statement: "select ?".into(),
            rows_now: Some(rows),
            counted_now: count,
            ..ReplayKindRecord::default()
        };
        let both = |with: u64, without: u64| {
            let kinds = vec![other(with, with), other(without, 0)];
            ids(ReplayRecord { kinds, ..whole.clone() })
        };
        assert_eq!((both(1, 60), both(60, 1)), (vec!["W33".into()], vec![]));
        assert_eq!(both(1, 10), Vec::<String>::new(), "too few to tell");
        let gone =
            |gone| kind(ReplayKindRecord { succeeds_now: gone, ..ReplayKindRecord::default() });
        assert_eq!(
            (gone(10), gone(20), gone(200)),
            (vec![], vec!["W33".into()], vec!["V33".into()])
        );
    }
}
