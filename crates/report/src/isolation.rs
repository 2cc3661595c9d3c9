//! Transaction isolation: what the isolation level promises, and which anomalies occurred.
//!
//! Start reading at [`isolation_lines`].

use tacho_core::units::{counted, grouped};
use tacho_isolation::{Anomaly, Class, Findings};
use tacho_store::record::{IsolationRecord, ResultRecord};

use crate::document::Fact;
use crate::words::ABSENT;

/// Number of examples of each violation in a summary.
const EXAMPLES: usize = 2;

/// Describes transaction isolation, if the run checked it.
pub(crate) fn isolation(result: &ResultRecord) -> Option<Fact> {
    Fact::of("isolation", isolation_lines(result.isolation.as_ref()?))
}

/// States in one sentence whether the database kept the promises of its isolation level.
pub(crate) fn in_brief(found: &IsolationRecord) -> String {
    let (violations, _) = found.by_promise();
    let Some(findings) = &found.findings else { return "Isolation: not checked.".into() };
    if !violations.is_empty() {
        let all: Vec<String> = violations.into_iter().map(times).collect();
        return format!("Isolation: {} excludes {}.", found.required(), all.join(", "));
    }
    let all = counted(findings.transactions, "transaction");
    match found.promised {
        Some(promised) => format!("Isolation: {promised} was kept in {all}."),
        None => format!("Isolation: the promise of the level is unknown; checked {all}."),
    }
}

/// Describes what the level promises and which anomalies there are, one sentence per line.
fn isolation_lines(found: &IsolationRecord) -> Vec<String> {
    let (violations, expected) = found.by_promise();
    let mut lines = vec![promise(found, violations.is_empty())];
    for anomaly in violations {
        lines.push(format!("✗ {}, which {} excludes", times(anomaly), found.required()));
        lines.extend(anomaly.examples.iter().take(EXAMPLES).flat_map(|example| {
            let all = example.transactions.iter().enumerate();
            let transactions = all.map(|(at, transaction)| transaction.words(at + 1));
            transactions.chain(example.reasons.iter().cloned()).collect::<Vec<String>>()
        }));
    }
    let (stale, expected): (Vec<&Anomaly>, Vec<&Anomaly>) =
        expected.into_iter().partition(|anomaly| anomaly.class == Class::StaleRead);
    if !expected.is_empty() {
        let all: Vec<String> = expected.into_iter().map(times).collect();
        lines.push(format!("expected at this level: {}", all.join(", ")));
    }
    lines.extend(stale.into_iter().map(|one| format!("apart from the level: {}", times(one))));
    lines.extend(found.findings.iter().flat_map(covered));
    lines.extend(found.incomplete.iter().map(|why| format!("{ABSENT} {why}")));
    lines
}

fn promise(found: &IsolationRecord, is_kept: bool) -> String {
    let strongest = match &found.findings {
        None => return format!("{ABSENT} not checked"),
        Some(Findings { strongest: Some(level), .. }) => {
            format!("the strongest level without a contradiction is {level}")
        }
        Some(_) => "the anomalies contradict every level".into(),
    };
    let mark = if is_kept { "✓" } else { "✗ VIOLATED:" };
    match (&found.asked, found.promised) {
        (Some(asked), Some(promised)) if asked.eq_ignore_ascii_case(promised.name()) => {
            format!("{mark} {promised}; {strongest}")
        }
        (Some(asked), Some(promised)) => {
            format!("{mark} {asked}, which promises {promised}; {strongest}")
        }
        (asked, _) => {
            let asked = asked.as_deref().unwrap_or("unknown");
            let mark = if is_kept { ABSENT } else { mark };
            format!("{mark} level {asked}, whose promise is not known; {strongest}")
        }
    }
}

/// `at least 1 204 × read skew (G-single)`
fn times(anomaly: &Anomaly) -> String {
    let at_least = if anomaly.is_limited { "at least " } else { "" };
    format!("{at_least}{} × {}", grouped(anomaly.count), anomaly.class.name())
}

/// Describes the transactions that were checked.
fn covered(findings: &Findings) -> Vec<String> {
    let mut line = format!(
        "checked {} with {} on {}",
        counted(findings.transactions, "transaction"),
        counted(findings.operations, "operation"),
        counted(findings.keys, "key")
    );
    if findings.unknown > 0 {
        line = format!("{line}, {} of them with an unknown outcome", grouped(findings.unknown));
    }
    let mut lines = vec![line];
    if !findings.undecided.is_empty() {
        let names: Vec<&str> = findings.undecided.iter().map(|class| class.name()).collect();
        lines.push(format!("{ABSENT} the search ended at its limit for: {}", names.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use tacho_core::IsolationLevel;
    use tacho_isolation::{Example, Participant};

    use super::*;

    fn found(class: Class, promised: Option<IsolationLevel>) -> IsolationRecord {
        let participant = Participant {
            index: 0,
            session: 3,
            begun_s: 0.25,
            ended_s: 0.5,
            operations: "append 1 2".into(),
        };
        let example = Example { transactions: vec![participant], reasons: vec!["because".into()] };
        let anomaly = Anomaly { class, count: 2_000, is_limited: true, examples: vec![example] };
        let strongest = tacho_isolation::strongest_level(&[class]);
        let findings = Findings {
            strongest,
            transactions: 5,
            anomalies: vec![anomaly],
            ..Findings::default()
        };
        IsolationRecord {
            asked: Some("REPEATABLE-READ".into()),
            promised,
            findings: Some(findings),
            ..IsolationRecord::default()
        }
    }

    #[test]
    fn an_anomaly_is_shown_with_an_example_only_if_the_level_excludes_it() {
        let lines = isolation_lines(&found(Class::LostUpdate, Some(IsolationLevel::ReadCommitted)));
        let brief = in_brief(&found(Class::LostUpdate, Some(IsolationLevel::ReadCommitted)));
        assert_eq!(brief, "Isolation: read committed was kept in 5 transactions.");
        assert_eq!(
            lines[..2],
            [
                "✓ REPEATABLE-READ, which promises read committed; the strongest level without a \
                    contradiction is read committed",
                "expected at this level: at least 2\u{202f}000 × lost update",
            ]
        );
        let promised = Some(IsolationLevel::SnapshotIsolation);
        let lines = isolation_lines(&found(Class::LostUpdate, promised));
        assert!(lines[0].starts_with("✗ VIOLATED: REPEATABLE-READ"), "{lines:?}");
        let brief = in_brief(&found(Class::LostUpdate, promised));
        let expected =
            "Isolation: snapshot isolation excludes at least 2\u{202f}000 × lost update.";
        assert_eq!(brief, expected);
        assert_eq!(
            lines[1..4],
            [
                "✗ at least 2\u{202f}000 × lost update, which snapshot isolation excludes",
                "T1 (session 3, 0.250000 s to 0.500000 s): append 1 2",
                "because",
            ]
        );
    }

    #[test]
    fn stale_reads_are_not_expected_at_a_level() {
        let lines = isolation_lines(&found(Class::StaleRead, Some(IsolationLevel::Serializable)));
        assert!(lines[0].starts_with('✓'), "{lines:?}");
        assert_eq!(lines[1], "apart from the level: at least 2\u{202f}000 × stale read");
    }

    #[test]
    fn an_unknown_promise_is_not_confirmed() {
        let lines = isolation_lines(&found(Class::LostUpdate, None));
        assert!(!lines[0].contains('✓'), "{lines:?}");
        assert!(in_brief(&found(Class::LostUpdate, None)).contains("unknown"));
        let lines = isolation_lines(&found(Class::LostWrite, None));
        assert!(lines[0].starts_with("✗ VIOLATED"), "{lines:?}");
        let lines = isolation_lines(&IsolationRecord::default());
        assert_eq!(lines, ["– not checked"]);
        assert_eq!(in_brief(&IsolationRecord::default()), "Isolation: not checked.");
    }
}
