//! Checks a history.

use tacho_core::{AttemptOutcome, Result};

use crate::anomaly::{Anomaly, Class, Findings};
use crate::cycles::cycles;
use crate::direct::direct;
use crate::explain;
use crate::graph::Graph;
use crate::history::History;
use crate::index::Index;
use crate::level::strongest_level;

/// Finds the anomalies in a history, and the strongest level that excludes none of them.
///
/// # Errors
/// Returns a usage error if a value was appended twice to a key.
pub fn check(history: &History) -> Result<Findings> {
    let index = Index::new(history)?;
    let graph = Graph::new(&index);
    let mut undecided = Vec::new();
    let mut anomalies = Vec::new();
    for found in cycles(&index, &graph) {
        if found.count == 0 {
            undecided.push(found.class);
            continue;
        }
        let examples = found.shortest.iter().map(|cycle| explain::cycle(&index, cycle)).collect();
        let (class, count, is_limited) = (found.class, found.count, found.is_limited);
        anomalies.push(Anomaly { class, count, is_limited, examples });
    }
    for found in direct(&index) {
        let examples = found.examples.into_iter();
        let examples = examples.map(|(all, reason)| explain::occurrence(&index, &all, reason));
        let (class, count, examples) = (found.class, found.count, examples.collect());
        anomalies.push(Anomaly { class, count, is_limited: false, examples });
    }
    anomalies.sort_by_key(|anomaly| anomaly.class);
    let classes: Vec<Class> = anomalies.iter().map(|anomaly| anomaly.class).collect();
    let unknown = history.transactions().iter();
    let unknown =
        unknown.filter(|transaction| transaction.outcome == AttemptOutcome::Unknown).count();
    Ok(Findings {
        transactions: history.transactions().len() as u64,
        committed: index.took_effect.iter().filter(|took_effect| **took_effect).count() as u64,
        unknown: unknown as u64,
        operations: history.operation_count() as u64,
        keys: history.key_count() as u64,
        strongest: strongest_level(&classes),
        anomalies,
        undecided,
    })
}

#[cfg(test)]
mod tests;
