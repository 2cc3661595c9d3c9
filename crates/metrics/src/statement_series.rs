//! Latencies and failures of individual statements in the measured phase.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Latencies;

/// Data on one statement.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatementRecords {
    /// Latencies of the successful executions.
    pub latency: Latencies,
    /// Number of failed executions.
    pub failed: u64,
}

/// Data on all statements, by number. Only statements that were executed take memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StatementSeries(Vec<Option<Box<StatementRecords>>>);

impl StatementSeries {
    /// Records an execution of the statement with this number.
    pub fn record(&mut self, statement: usize, took: Duration, failed: bool) {
        let records = self.at(statement);
        if failed {
            records.failed += 1;
        } else {
            records.latency.record(took);
        }
    }

    /// Returns the statements that were executed, with their numbers.
    pub fn executed(&self) -> impl Iterator<Item = (usize, &StatementRecords)> {
        let all = self.0.iter().enumerate();
        let known = all.filter_map(|(number, records)| Some((number, records.as_deref()?)));
        known.filter(|(_, records)| records.latency.count() + records.failed > 0)
    }

    /// Adds other data on the same statements.
    pub fn merge(&mut self, other: &Self) {
        for (number, theirs) in other.executed() {
            let records = self.at(number);
            records.latency.merge(&theirs.latency);
            records.failed += theirs.failed;
        }
    }

    /// Removes all data without freeing memory.
    pub fn clear(&mut self) {
        for records in self.0.iter_mut().flatten() {
            records.latency.clear();
            records.failed = 0;
        }
    }

    /// Returns true if there is no data.
    pub fn is_empty(&self) -> bool {
        self.executed().next().is_none()
    }

    fn at(&mut self, statement: usize) -> &mut StatementRecords {
        if self.0.len() <= statement {
            self.0.resize_with(statement + 1, || None);
        }
        self.0[statement].get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_adds_counts_and_failures_of_the_same_statement() {
        let span = Duration::from_millis(2);
        let (mut one, mut other) = (StatementSeries::default(), StatementSeries::default());
        one.record(3, span, false);
        other.record(3, span, false);
        other.record(3, span, true);
        other.record(7, span, true);
        one.merge(&other);
        let text = serde_json::to_string(&one).expect("text");
        let there: StatementSeries = serde_json::from_str(&text).expect("a series");
        let counts = |series: &StatementSeries| -> Vec<(usize, u64, u64)> {
            let all = series.executed();
            all.map(|(number, one)| (number, one.latency.count(), one.failed)).collect()
        };
        assert_eq!(counts(&there), [(3, 2, 1), (7, 0, 1)]);
        one.clear();
        assert!(one.is_empty() && counts(&one).is_empty());
    }
}
