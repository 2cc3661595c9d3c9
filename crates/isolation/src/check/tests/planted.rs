//! One planted history for each class of anomalies.

use tacho_core::IsolationLevel as Level;

use super::*;
use crate::{Class, FINAL_READ, check};

/// The begin and end of each transaction, so that all transactions overlap. Only tests about times use other values.
const SPAN: (u64, u64) = (0, 100);

#[track_caller]
fn classes(txns: &[Txn]) -> Vec<Class> {
    let history = history(txns).expect("a history");
    let findings = check(&history).expect("findings");
    for anomaly in &findings.anomalies {
        assert!(anomaly.count > 0 && !anomaly.examples.is_empty(), "{anomaly:?}");
        for example in &anomaly.examples {
            assert!(!example.reasons.is_empty() && !example.transactions.is_empty());
            assert!(example.reasons.iter().all(|reason| !reason.contains("depends on")));
        }
    }
    findings.classes()
}

fn failed(session: u32, ops: &[Op]) -> Txn {
    Txn { outcome: Outcome::Failed, ..txn(session, SPAN, ops) }
}

#[test]
fn a_serial_history_has_no_anomaly() {
    let txns = [
        txn(0, (0, 1), &[append(1, 1), append(2, 1)]),
        txn(1, (2, 3), &[read(1, &[1]), append(1, 2), append(1, 3), read(1, &[1, 2, 3])]),
        failed(2, &[append(1, 9)]),
        txn(0, (4, 5), &[read(1, &[1, 2, 3]), replace(1, 4), read(1, &[1, 2, 3, 4])]),
        txn(FINAL_READ, (6, 7), &[read(1, &[1, 2, 3, 4]), read(2, &[1])]),
    ];
    assert_eq!(classes(&txns), []);
    let findings = check(&history(&txns).expect("a history")).expect("findings");
    assert_eq!(findings.strongest, Some(Level::Serializable));
    assert_eq!((findings.transactions, findings.committed, findings.keys), (5, 4, 2));
}

#[test]
fn dirty_writes_are_found() {
    let txns = [
        txn(0, SPAN, &[append(1, 1), append(2, 1)]),
        txn(1, SPAN, &[append(1, 2), append(2, 2)]),
        txn(2, SPAN, &[read(1, &[1, 2]), read(2, &[2, 1])]),
    ];
    let found = classes(&txns);
    assert!(found.contains(&Class::DirtyWrite), "{found:?}");
    let findings = check(&history(&txns).expect("a history")).expect("findings");
    assert_eq!(findings.strongest, None);
    let example = &findings.anomalies[0].examples[0];
    let reasons = [
        "T2 appended 2 to key 1 after T1 had appended 1",
        "T1 appended 1 to key 2 after T2 had appended 2",
    ];
    assert_eq!(example.reasons, reasons);
    assert_eq!(example.transactions[0].operations, "append 1 1, append 2 1");
}

#[test]
fn incompatible_orders_are_found() {
    let txns = [
        txn(0, SPAN, &[append(1, 1)]),
        txn(1, SPAN, &[append(1, 2)]),
        txn(2, SPAN, &[read(1, &[1, 2])]),
        txn(3, SPAN, &[read(1, &[2])]),
    ];
    assert_eq!(classes(&txns), [Class::IncompatibleOrder]);
}

#[test]
fn impossible_values_are_found_in_complete_histories() {
    let txns = [txn(0, SPAN, &[read(1, &[7])])];
    assert_eq!(classes(&txns), [Class::ImpossibleValue]);
    let mut history = history(&txns).expect("a history");
    history.set_partial();
    assert_eq!(check(&history).expect("findings").classes(), []);
}

#[test]
fn reads_without_own_writes_are_found() {
    let txns = [txn(0, SPAN, &[append(1, 1), read(1, &[])])];
    assert_eq!(classes(&txns), [Class::OwnWrites]);
    let txns = [txn(0, SPAN, &[read(1, &[1]), append(1, 1)])];
    assert_eq!(classes(&txns), [Class::OwnWrites]);
}

#[test]
fn lost_writes_are_found() {
    // The value was never read.
    let last = |list: &[u64]| txn(FINAL_READ, (200, 300), &[read(1, list)]);
    let append_2 = txn(1, SPAN, &[append(1, 2)]);
    let txns = [txn(0, SPAN, &[append(1, 1)]), append_2.clone(), last(&[1])];
    assert_eq!(classes(&txns), [Class::LostWrite]);
    // The value was read before it was lost.
    let early = txn(2, SPAN, &[read(1, &[1, 2])]);
    let txns = [txn(0, SPAN, &[append(1, 1)]), append_2, early, last(&[1])];
    let found = classes(&txns);
    assert!(found.contains(&Class::LostWrite), "{found:?}");
    // A transaction whose outcome is unknown may be missing.
    let mut unknown = txn(1, SPAN, &[append(1, 2)]);
    unknown.outcome = Outcome::Unknown;
    assert_eq!(classes(&[txn(0, SPAN, &[append(1, 1)]), unknown, last(&[1])]), []);
}

#[test]
fn lost_replacements_are_told_from_lost_updates() {
    let last = |list: &[u64]| txn(FINAL_READ, (200, 300), &[read(1, list)]);
    let first = || txn(0, SPAN, &[read(1, &[]), replace(1, 1)]);
    // Nobody else wrote, so the database lost the write.
    assert_eq!(classes(&[first(), last(&[])]), [Class::LostWrite]);
    // Another transaction replaced the same version, and a third one read the lost write before it wrote. This is a
    // lost update.
    let second = txn(1, SPAN, &[read(1, &[]), replace(1, 2)]);
    let third = txn(2, SPAN, &[read(1, &[1]), replace(1, 3)]);
    let found = classes(&[first(), second, third, last(&[2])]);
    assert!(found.contains(&Class::LostUpdate), "{found:?}");
    assert!(!found.contains(&Class::LostWrite), "{found:?}");
    assert!(!found.contains(&Class::IncompatibleOrder), "{found:?}");
}

#[test]
fn aborted_reads_are_found() {
    let txns = [failed(0, &[append(1, 1)]), txn(1, SPAN, &[read(1, &[1])])];
    assert_eq!(classes(&txns), [Class::AbortedRead]);
    // A later value does not hide the one that was rolled back.
    let later = txn(1, SPAN, &[append(1, 2)]);
    let txns = [failed(0, &[append(1, 1)]), later, txn(2, SPAN, &[read(1, &[1, 2])])];
    assert_eq!(classes(&txns), [Class::AbortedRead]);
}

#[test]
fn intermediate_reads_are_found() {
    let writer = txn(0, SPAN, &[append(1, 1), append(1, 2)]);
    let txns = [writer, txn(1, SPAN, &[read(1, &[1])]), txn(2, SPAN, &[read(1, &[1, 2])])];
    let found = classes(&txns);
    assert!(found.contains(&Class::IntermediateRead), "{found:?}");
}

#[test]
fn circular_information_flow_is_found() {
    let txns = [
        txn(0, SPAN, &[append(1, 1), read(2, &[2])]),
        txn(1, SPAN, &[append(2, 2), read(1, &[1])]),
    ];
    assert_eq!(classes(&txns), [Class::CircularFlow]);
}

#[test]
fn lost_updates_are_found() {
    let txns = [
        txn(0, SPAN, &[read(1, &[]), append(1, 1)]),
        txn(1, SPAN, &[read(1, &[]), append(1, 2)]),
        txn(2, SPAN, &[read(1, &[1, 2])]),
    ];
    assert_eq!(classes(&txns), [Class::LostUpdate, Class::ReadSkew]);
}

#[test]
fn read_skew_is_found() {
    let txns = [
        txn(0, SPAN, &[append(1, 1), append(2, 1)]),
        txn(1, SPAN, &[read(1, &[]), read(2, &[1])]),
        txn(2, SPAN, &[read(1, &[1])]),
    ];
    assert_eq!(classes(&txns), [Class::ReadSkew]);
}

#[test]
fn nonadjacent_skew_is_found() {
    // There are two independent writes. Each of the two readers saw only one of them, but not the same one. No order of
    // the transactions explains both reads.
    let txns = [
        txn(0, SPAN, &[append(1, 1)]),
        txn(1, SPAN, &[append(2, 2)]),
        txn(2, SPAN, &[read(1, &[1]), read(2, &[])]),
        txn(3, SPAN, &[read(1, &[]), read(2, &[2])]),
        txn(4, SPAN, &[read(1, &[1]), read(2, &[2])]),
    ];
    assert_eq!(classes(&txns), [Class::NonadjacentSkew, Class::WriteSkew]);
    let findings = check(&history(&txns).expect("a history")).expect("findings");
    assert_eq!(findings.strongest, Some(Level::ReadCommitted));
}

#[test]
fn write_skew_is_found() {
    let txns = [
        txn(0, SPAN, &[read(1, &[]), append(2, 1)]),
        txn(1, SPAN, &[read(2, &[]), append(1, 2)]),
        txn(2, SPAN, &[read(1, &[2]), read(2, &[1])]),
    ];
    assert_eq!(classes(&txns), [Class::WriteSkew]);
}

#[test]
fn stale_reads_are_found_apart_from_the_level() {
    let reads = |begun| {
        [
            txn(0, (0, 10), &[append(1, 1)]),
            txn(1, (begun, 30), &[read(1, &[])]),
            txn(2, (40, 50), &[read(1, &[1])]),
        ]
    };
    assert_eq!(classes(&reads(20)), [Class::StaleRead]);
    let findings = check(&history(&reads(20)).expect("a history")).expect("findings");
    assert_eq!(findings.strongest, Some(Level::Serializable));
    // The transaction began before the commit was confirmed.
    assert_eq!(classes(&reads(9)), []);
}

#[test]
fn unknown_transactions_count_if_they_took_effect() {
    let mut writer = txn(0, SPAN, &[append(1, 1), append(2, 1)]);
    writer.outcome = Outcome::Unknown;
    let skewed = txn(1, SPAN, &[read(1, &[]), read(2, &[1])]);
    let txns = [writer, skewed, txn(2, SPAN, &[read(1, &[1])])];
    assert_eq!(classes(&txns), [Class::ReadSkew]);
    // A transaction with an unknown outcome has no dependencies if no transaction reads its values.
    assert_eq!(classes(&[txns[0].clone()]), []);
}
