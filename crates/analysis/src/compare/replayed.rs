//! Comparison of two replays of a log, which finds statements with different row counts or errors.
//!
//! A statement whose rows were not counted is never reported as having equal results.
//!
//! Start reading at [`Replayed::of`].

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_store::record::{ReplayKindRecord, ReplayRecord, ResultRecord};

use super::Side;

/// The comparison of two replays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Replayed {
    /// True if both runs replay the same log; otherwise, nothing is compared.
    pub same_log: bool,
    /// Number of statements whose outcomes were compared.
    pub compared: u64,
    /// Number of statements that were compared only by their errors, because one of the sides did not count their rows.
    pub uncounted: u64,
    /// The kinds of statements that differ.
    pub differences: Vec<StatementDifference>,
}

/// A kind of statement with different row counts or errors on the two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatementDifference {
    /// Transaction name.
    pub transaction: String,
    /// Text of the statement with literals removed.
    pub statement: String,
    /// Number of statements sent in the baseline and in the run.
    pub sent: [u64; 2],
    /// Number of rows returned or written; absent if they were not counted.
    pub rows: [Option<u64>; 2],
    /// Number of failed statements.
    pub failed: [u64; 2],
}

impl Replayed {
    /// Compares two single replays. Returns `None` if a run is not a replay or if a side has several runs.
    pub(super) fn of(baseline: &Side, run: &Side) -> Option<Self> {
        let result = |side: &'_ Side| side.single()?.record.result.clone();
        let (baseline, run) = (result(baseline)?, result(run)?);
        let (a, b) = (baseline.replay.as_ref()?, run.replay.as_ref()?);
        let mut compared = Self {
            same_log: is_same_log(a, b),
            compared: 0,
            uncounted: 0,
            differences: Vec::new(),
        };
        if !compared.same_log {
            return Some(compared);
        }
        let others: HashMap<&str, &ReplayKindRecord> =
            b.kinds.iter().map(|kind| (kind.statement.as_str(), kind)).collect();
        for kind in &a.kinds {
            if let Some(other) = others.get(kind.statement.as_str()) {
                compared.add(&baseline, kind, &run, other);
            }
        }
        Some(compared)
    }

    fn add(
        &mut self,
        baseline: &ResultRecord,
        a: &ReplayKindRecord,
        run: &ResultRecord,
        b: &ReplayKindRecord,
    ) {
        self.compared += a.count_then;
        let found = StatementDifference {
            transaction: a.transaction.clone(),
            statement: a.statement.clone(),
            sent: [a.sent, b.sent],
            rows: [a.rows_now, b.rows_now],
            failed: [a.failed_now(&baseline.transactions), b.failed_now(&run.transactions)],
        };
        // Older records do not contain a digest of the outcomes.
        let counts = |kind: &ReplayKindRecord, failed| {
            !kind.outcomes_now.is_empty() && kind.counted_now + failed >= kind.sent
        };
        let counted = counts(a, found.failed[0]) && counts(b, found.failed[1]);
        if !counted {
            self.uncounted += a.count_then;
        }
        let is_equal = if counted {
            a.outcomes_now == b.outcomes_now
        } else {
            found.failed[0] == found.failed[1]
        };
        if !is_equal {
            self.differences.push(found);
        }
    }
}

/// Returns true if both runs replayed the same log, according to their records.
fn is_same_log(a: &ReplayRecord, b: &ReplayRecord) -> bool {
    let kinds = |replay: &ReplayRecord| -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> =
            replay.kinds.iter().map(|kind| (kind.statement.clone(), kind.count_then)).collect();
        all.sort_unstable();
        all
    };
    let whole =
        |replay: &ReplayRecord| (replay.statements, replay.sessions, replay.length_s.to_bits());
    whole(a) == whole(b) && kinds(a) == kinds(b)
}
