//! Describes anomalies in words.

use crate::anomaly::{Example, Participant};
use crate::graph::{Edge, Kind};
use crate::history::{FINAL_READ, Operation};
use crate::index::Index;
use crate::versions::NONE;

/// Maximum number of values of a list that a description shows.
const VALUES_MAX: usize = 6;
const NANOS: f64 = 1e9;

/// Describes a cycle.
pub(crate) fn cycle(index: &Index<'_>, cycle: &[Edge]) -> Example {
    let transactions = cycle.iter().map(|edge| participant(index, edge.from)).collect();
    let last = cycle.len() - 1;
    let reasons = cycle.iter().enumerate().map(|(at, edge)| {
        let next = if at == last { 0 } else { at + 1 };
        reason(index, *edge, at + 1, next + 1)
    });
    Example { transactions, reasons: reasons.collect() }
}

/// Describes an occurrence that is not a cycle.
pub(crate) fn occurrence(index: &Index<'_>, transactions: &[u32], reason: String) -> Example {
    let transactions = transactions.iter().map(|at| participant(index, *at)).collect();
    Example { transactions, reasons: vec![reason] }
}

fn participant(index: &Index<'_>, at: u32) -> Participant {
    let transaction = &index.history.transactions()[at as usize];
    let operations = index.history.operations(at as usize).iter();
    let operations: Vec<String> = match transaction.session {
        // This transaction reads all keys.
        FINAL_READ => vec!["final read of all keys".into()],
        _ => operations.map(|operation| operation_text(index, *operation)).collect(),
    };
    Participant {
        index: u64::from(at),
        session: transaction.session,
        begun_s: transaction.begun as f64 / NANOS,
        ended_s: transaction.ended as f64 / NANOS,
        operations: operations.join(", "),
    }
}

fn operation_text(index: &Index<'_>, operation: Operation) -> String {
    let key = |key| index.history.key(key);
    match operation {
        Operation::Append { key: number, value, replaces: false } => {
            format!("append {} {value}", key(number))
        }
        Operation::Append { key: number, value, replaces: true } => {
            format!("write {} […, {value}]", key(number))
        }
        Operation::Read { key: number, version } => {
            let list = index.history.list(version);
            let shown: Vec<String> =
                list.iter().rev().take(VALUES_MAX).rev().map(u64::to_string).collect();
            let more = if list.len() > VALUES_MAX { "…, " } else { "" };
            format!("r {} [{more}{}]", key(number), shown.join(", "))
        }
    }
}

/// Describes a dependency between the transactions numbered `one` and `other` in the example.
fn reason(index: &Index<'_>, edge: Edge, one: usize, other: usize) -> String {
    let found = match edge.kind {
        Kind::Write => overwrites(index, edge).map(|(key, before, after)| {
            format!("T{other} appended {after} to key {key} after T{one} had appended {before}")
        }),
        Kind::Read => reads(index, edge).map(|(key, value)| {
            format!("T{other} read {value} from key {key}, which T{one} had appended")
        }),
        Kind::Anti => misses(index, edge).map(|(key, value)| {
            format!("T{one} read key {key} without {value}, which T{other} appended")
        }),
    };
    found.unwrap_or_else(|| format!("T{other} depends on T{one}"))
}

/// Returns the key and both values of a write dependency.
fn overwrites(index: &Index<'_>, edge: Edge) -> Option<(u64, u64, u64)> {
    let versions = index.history.versions();
    let values = |version: u32| {
        let node = versions.node(version);
        let before = index.effective(node.parent)?;
        let is_edge =
            index.writer(version) == Some(edge.to) && index.writer(before) == Some(edge.from);
        let before = versions.node(before).value;
        is_edge.then(|| (index.history.key(node.key), before, node.value))
    };
    let appended = index.history.operations(edge.to as usize).iter().find_map(|operation| {
        let Operation::Append { key, value, .. } = *operation else { return None };
        let append =
            index.appends.binary_search_by_key(&(key, value), |a| (a.key, a.value)).ok()?;
        let version = index.appends[append].version;
        (version != NONE).then(|| values(version)).flatten()
    });
    // If the lists contradict each other, several versions can end with the same value, but an append refers to only
    // one of them. So search all versions.
    let mut written = (0..versions.nodes.len() as u32).filter(|node| index.writer(*node).is_some());
    appended.or_else(|| written.find_map(values))
}

/// Returns the key and the value of a read dependency.
fn reads(index: &Index<'_>, edge: Edge) -> Option<(u64, u64)> {
    index.history.operations(edge.to as usize).iter().find_map(|operation| {
        let Operation::Read { key, version } = *operation else { return None };
        let read = index.effective(version)?;
        let value = index.history.versions().node(read).value;
        (index.writer(read) == Some(edge.from)).then(|| (index.history.key(key), value))
    })
}

/// Returns the key and the missed value of an anti-dependency.
fn misses(index: &Index<'_>, edge: Edge) -> Option<(u64, u64)> {
    index.history.operations(edge.from as usize).iter().find_map(|operation| {
        let Operation::Read { key, version } = *operation else { return None };
        let is_own = index.append(version).is_some_and(|append| append.transaction == edge.from);
        let mut missed = None;
        if !is_own {
            index.followers(version, &mut |follower, writer| {
                if writer == edge.to {
                    missed = Some(index.history.versions().node(follower).value);
                }
            });
        }
        missed.map(|value| (index.history.key(key), value))
    })
}
