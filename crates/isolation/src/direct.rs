//! Anomalies that can be found in individual versions, without a search for cycles.

use tacho_core::AttemptOutcome;

use crate::anomaly::{Class, EXAMPLES_MAX};
use crate::history::{FINAL_READ, History, Operation};
use crate::index::{Append, Index};
use crate::versions::NONE;

/// The occurrences of one class.
pub(crate) struct Found {
    pub(crate) class: Class,
    pub(crate) count: u64,
    /// The transactions of the first few occurrences, and an explanation of each occurrence.
    pub(crate) examples: Vec<(Vec<u32>, String)>,
}

impl Found {
    fn new(class: Class) -> Self {
        Self { class, count: 0, examples: Vec::new() }
    }

    fn add(&mut self, example: impl FnOnce() -> (Vec<u32>, String)) {
        self.count += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(example());
        }
    }
}

/// Finds the anomalies of all classes that are not cycles.
pub(crate) fn direct(index: &Index<'_>) -> Vec<Found> {
    let all = [
        incompatible_orders(index),
        impossible_values(index),
        own_writes(index),
        lost_writes(index),
        aborted_reads(index),
        intermediate_reads(index),
        lost_updates(index),
        stale_reads(index),
    ];
    all.into_iter().filter(|found| found.count > 0).collect()
}

/// Returns the key of a version and the version's last value.
fn named(history: &History, version: u32) -> (u64, u64) {
    let node = history.versions().node(version);
    (history.key(node.key), node.value)
}

/// Finds versions that several others directly follow, so that there is no single order of the writes. If all of these
/// others come from transactions that replaced the list, they count as lost updates and are not reported here.
fn incompatible_orders(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::IncompatibleOrder);
    let versions = index.history.versions();
    for version in 0..versions.nodes.len() as u32 {
        let mut children = versions.children(version);
        let (Some(_), Some(_)) = (children.next(), children.next()) else { continue };
        let children = versions.children(version).filter_map(|child| index.append(child));
        let effective = |append: &&Append| index.took_effect[append.transaction as usize];
        let children: Vec<&Append> = children.filter(effective).collect();
        if children.len() < 2 || children.iter().all(|append| append.replaces) {
            continue;
        }
        found.add(|| {
            let key = index.history.key(versions.node(version).key);
            let list = index.history.list(version);
            let values: Vec<u64> = children.iter().map(|append| append.value).collect();
            let text =
                format!("different values follow {list:?} in lists of key {key}: {values:?}");
            (children.iter().map(|append| append.transaction).collect(), text)
        });
    }
    found
}

/// For each version, finds the latest version that meets a condition, starting with the version itself and going back.
fn nearest(index: &Index<'_>, meets: impl Fn(u32) -> bool) -> Vec<u32> {
    let nodes = &index.history.versions().nodes;
    let mut nearest = vec![NONE; nodes.len()];
    for (version, node) in nodes.iter().enumerate().filter(|(_, node)| node.parent != NONE) {
        let is_met = meets(version as u32);
        nearest[version] = if is_met { version as u32 } else { nearest[node.parent as usize] };
    }
    nearest
}

/// Finds reads of values that no transaction appended.
fn impossible_values(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::ImpossibleValue);
    if index.history.is_partial() {
        return found;
    }
    let impossible = nearest(index, |version| index.append(version).is_none());
    index.external_reads(|reader, _, version| {
        let source = impossible[version as usize];
        if source != NONE {
            let (key, value) = named(index.history, source);
            found.add(|| {
                (
                    vec![reader],
                    format!("no transaction appended {value}, which was read from key {key}"),
                )
            });
        }
    });
    found
}

/// Finds reads in which a transaction does not see its own writes correctly. Either the list does not end with the
/// value that the transaction appended last, or it ends with a value that the transaction appended only later.
fn own_writes(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::OwnWrites);
    let mut appended: Vec<(u32, u64)> = Vec::new();
    for at in 0..index.history.transactions().len() {
        let reader = at as u32;
        appended.clear();
        for operation in index.history.operations(at) {
            match *operation {
                Operation::Append { key, value, .. } => {
                    appended.retain(|(known, _)| *known != key);
                    appended.push((key, value));
                }
                Operation::Read { key, version } => {
                    let last = appended.iter().find(|(known, _)| *known == key);
                    let append = index.append(version);
                    let own = append.filter(|append| append.transaction == reader);
                    if own.map(|append| append.value) != last.map(|(_, value)| *value) {
                        let key = index.history.key(key);
                        let values = index.history.list(version);
                        found.add(|| {
                            let text = "contradicts the transaction's appends";
                            (
                                vec![reader],
                                format!("the list {values:?} read from key {key} {text}"),
                            )
                        });
                    }
                }
            }
        }
    }
    found
}

/// Returns the last list of each key after the load.
fn final_versions(history: &History) -> Vec<u32> {
    let mut last = vec![NONE; history.key_count()];
    let transactions = history.transactions().iter().enumerate();
    for (at, _) in transactions.filter(|(_, transaction)| transaction.session == FINAL_READ) {
        for operation in history.operations(at) {
            if let Operation::Read { key, version } = *operation {
                last[key as usize] = version;
            }
        }
    }
    last
}

/// Finds confirmed appends that are missing from the list after the load, unless another transaction replaced the
/// same version.
fn lost_writes(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::LostWrite);
    let history = index.history;
    let last = final_versions(history);
    let mut is_kept = vec![false; history.versions().nodes.len()];
    for version in last.iter().filter(|version| **version != NONE) {
        history.versions().line(*version).for_each(|version| is_kept[version as usize] = true);
    }
    let is_kept = |version| version != NONE && is_kept[version as usize];
    let is_confirmed = |append: &&Append| {
        history.transactions()[append.transaction as usize].outcome == AttemptOutcome::Committed
    };
    for append in index.appends.iter().filter(is_confirmed) {
        let end = last[append.key as usize];
        if end == NONE || is_kept(append.version) || is_explained(history, append, end) {
            continue;
        }
        let (key, value) = (history.key(append.key), append.value);
        found.add(|| {
            let text = format!("the commit that appended {value} to key {key} was confirmed, but");
            (vec![append.transaction], format!("{text} the value was missing after the load"))
        });
    }
    found
}

/// Returns true if another transaction replaced the same version as the append did, or an earlier one that leads to it.
/// This explains why the appended value is missing.
fn is_explained(history: &History, append: &Append, end: u32) -> bool {
    if append.version == NONE || !append.replaces {
        return false;
    }
    let versions = history.versions();
    let line = |version| {
        let mut line: Vec<u32> = versions.line(version).collect();
        line.reverse();
        line
    };
    let (kept, end) = (line(append.version), line(end));
    let common = kept.iter().zip(&end).take_while(|(one, other)| one == other).count();
    common < kept.len().min(end.len())
}

/// Finds reads of values whose transactions failed.
fn aborted_reads(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::AbortedRead);
    let history = index.history;
    let is_aborted = |version| {
        index.append(version).is_some_and(|append| {
            history.transactions()[append.transaction as usize].outcome == AttemptOutcome::Failed
        })
    };
    let aborted = nearest(index, is_aborted);
    index.external_reads(|reader, _, version| {
        let source = aborted[version as usize];
        if let Some(append) = (source != NONE).then(|| index.append(source)).flatten() {
            let (key, value) = named(history, source);
            found.add(|| {
                let text = format!("{value} was read from key {key}, but the transaction that");
                (vec![append.transaction, reader], format!("{text} appended it did not commit"))
            });
        }
    });
    found
}

/// Finds lists that end with a value after which the same transaction appended another one.
fn intermediate_reads(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::IntermediateRead);
    index.external_reads(|reader, _, version| {
        if let (Some(writer), Some(append)) = (index.writer(version), index.append(version))
            && !append.is_last
        {
            let (key, value) = named(index.history, version);
            found.add(|| {
                let text = format!("the list read from key {key} ended with {value}, after which");
                (
                    vec![writer, reader],
                    format!("{text} the same transaction appended another value"),
                )
            });
        }
    });
    found
}

/// Finds versions that several transactions read before they wrote to the key.
fn lost_updates(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::LostUpdate);
    let mut updates: Vec<(u32, u32)> = Vec::new();
    for at in (0..index.history.transactions().len()).filter(|at| index.took_effect[*at]) {
        let operations = index.history.operations(at);
        for (position, operation) in operations.iter().enumerate() {
            if let Operation::Append { key, .. } = *operation
                && let Some(version) = read_before(&operations[..position], key)
            {
                updates.push((version, at as u32));
            }
        }
    }
    updates.sort_unstable();
    for group in updates.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
        let version = group[0].0;
        found.add(|| {
            let key = index.history.key(index.history.versions().node(version).key);
            let list = index.history.list(version);
            let text = format!("all of them read {list:?} from key {key} before they wrote to it");
            (group.iter().map(|(_, transaction)| *transaction).collect(), text)
        });
    }
    found
}

/// Returns the version of a key that a transaction read last. Returns `None` if the transaction did not read the key or
/// has written to it.
fn read_before(operations: &[Operation], key: u32) -> Option<u32> {
    let mut read = None;
    for operation in operations {
        match *operation {
            Operation::Append { key: written, .. } if written == key => return None,
            Operation::Read { key: seen, version } if seen == key => read = Some(version),
            _ => {}
        }
    }
    read
}

/// Finds reads that miss a write whose commit was confirmed before the reading transaction began.
fn stale_reads(index: &Index<'_>) -> Found {
    let mut found = Found::new(Class::StaleRead);
    let history = index.history;
    let versions = history.versions();
    // For each version, the earliest-confirmed write among those that follow it.
    let mut first: Vec<(u64, u32)> = vec![(u64::MAX, NONE); versions.nodes.len()];
    for version in (0..versions.nodes.len()).rev() {
        let node = versions.nodes[version];
        if node.parent == NONE {
            continue;
        }
        let confirmed = index
            .writer(version as u32)
            .map(|writer| &history.transactions()[writer as usize])
            .filter(|transaction| transaction.outcome == AttemptOutcome::Committed)
            .map_or(u64::MAX, |transaction| transaction.ended);
        let here = (confirmed, version as u32).min(first[version]);
        let before = &mut first[node.parent as usize];
        *before = here.min(*before);
    }
    index.external_reads(|reader, _, version| {
        let (confirmed, missed) = first[version as usize];
        let transaction = &history.transactions()[reader as usize];
        if confirmed < transaction.begun && transaction.session != FINAL_READ {
            let (key, value) = named(history, missed);
            found.add(|| {
                let writer = index.writer(missed);
                let text = format!("the list read from key {key} lacks {value}, whose commit was");
                let all = writer.into_iter().chain([reader]).collect();
                (all, format!("{text} confirmed before the reading transaction began"))
            });
        }
    });
    found
}
