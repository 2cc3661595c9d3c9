//! Reports whether the database still contains all commits that it acknowledged.
//!
//! Start reading at [`acknowledged_lines`].

use std::time::Duration;

use tacho_core::units::{self, counted, grouped};
use tacho_store::record::{AcknowledgedRecord, MarkedRecord, ResultRecord};

use crate::document::Fact;
use crate::words::ABSENT;

/// Describes how many acknowledged commits are in the database, if the run looked them up.
pub(crate) fn acknowledged(result: &ResultRecord) -> Option<Fact> {
    Fact::of("acknowledged", acknowledged_lines(result.acknowledged.as_ref()?))
}

/// Describes what happened to the acknowledged commits, one sentence per line.
pub(crate) fn acknowledged_lines(found: &AcknowledgedRecord) -> Vec<String> {
    let all = counted(found.acknowledged, "acknowledged commit");
    let mut lines = vec![match (&found.unread, found.lost) {
        (Some(why), 0) => format!("{ABSENT} {all} not compared: {why}"),
        (None, 0) if found.acknowledged == 0 => {
            format!("{ABSENT} no commit was acknowledged, so none was compared")
        }
        (None, 0) => format!("✓ all of {all} are in the database"),
        (_, lost) => format!(
            "✗ LOST: {} of {all}, of {}{}",
            grouped(lost),
            counted(found.sessions_lost.into(), "session"),
            lost_when(found)
        ),
    }];
    if let Some(why) = found.unread.as_ref().filter(|_| found.lost > 0) {
        lines.push(format!("{ABSENT} not all commits were compared: {why}"));
    }
    lines.extend(found.contradicted.iter().map(|why| format!("{ABSENT} but {why}")));
    if found.without_checksums {
        lines.push("the commit log was written by an earlier version and has no checksums".into());
    }
    if found.phantom > 0 {
        lines.push(format!("✗ {} in the database that no session sent", grouped(found.phantom)));
    }
    let unknown = found.unknown_committed + found.unknown_not_committed + found.unknown_unresolved;
    if unknown > 0 {
        let open = match found.unknown_unresolved {
            0 => String::new(),
            open => format!(", {} not checked", grouped(open)),
        };
        lines.push(format!(
            "{} without a response: {} committed, {} not committed{open}",
            grouped(unknown),
            grouped(found.unknown_committed),
            grouped(found.unknown_not_committed)
        ));
    }
    let part = |kind: &MarkedRecord| match kind.unmarked {
        0 => format!("{} {}", kind.transaction, grouped(kind.marked)),
        plain => {
            format!("{} {} (+ {} without)", kind.transaction, grouped(kind.marked), grouped(plain))
        }
    };
    let kinds: Vec<String> = found.transactions.iter().map(part).collect();
    if !kinds.is_empty() {
        lines.push(format!(
            "transactions that write data and therefore have a commit mark: {}",
            kinds.join(", ")
        ));
    }
    lines
}

fn lost_when(found: &AcknowledgedRecord) -> String {
    let moment = |seconds: f64| {
        let rounded = Duration::try_from_secs_f64((seconds * 1e3).round() / 1e3);
        units::span(rounded.unwrap_or_default())
    };
    match (found.lost_first_s, found.lost_last_s) {
        (Some(first), Some(last)) => {
            let from = if found.lost_earlier { "before" } else { "from" };
            format!(", acknowledged {from} {} to {} of the load", moment(first), moment(last))
        }
        (None, Some(last)) => {
            format!(", acknowledged by {} of the load at the latest", moment(last))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_that_were_not_compared_are_never_confirmed() {
        let first = |acknowledged, lost, unread: Option<&str>| {
            let unread = unread.map(str::to_owned);
            let found = AcknowledgedRecord { acknowledged, lost, unread, ..Default::default() };
            acknowledged_lines(&found)
        };
        assert_eq!(first(7, 0, None), ["✓ all of 7 acknowledged commits are in the database"]);
        for (acknowledged, lost, unread) in
            [(0, 0, None), (0, 0, Some("gone")), (7, 0, Some("gone")), (7, 1, Some("gone"))]
        {
            let lines = first(acknowledged, lost, unread);
            assert!(lines.iter().all(|line| !line.contains('✓')), "{lines:?}");
            let why = unread.unwrap_or("no commit was acknowledged");
            assert!(lines.iter().any(|line| line.contains(why)), "{lines:?}");
        }
    }
}
