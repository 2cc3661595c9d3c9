//! Data on the steps of a varying load. Each step has its own results and its own ledger.
//!
//! Each recorder is emptied after every interval. It therefore usually contains only the current step and the one or
//! two steps before it.
//!
//! Start reading at [`StepSeries`].

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Ending, Latencies, Ledger, Outcomes};

/// Data on one step: the results of the transactions that ended in it, and the ledger of the transactions that were due
/// in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StepRecords {
    /// Latencies (end − due) of successful transactions that ended in the step.
    pub latency: Latencies,
    /// Outcomes of the transactions that ended in the step, by transaction type.
    pub ended: Vec<Outcomes>,
    /// Ledger of the transactions that were due during the step.
    pub ledger: Ledger,
}

impl StepRecords {
    /// Returns the outcomes of all transaction types combined.
    pub fn all(&self) -> Outcomes {
        let mut all = Outcomes::default();
        self.ended.iter().for_each(|one| all.merge(one));
        all
    }

    fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.ended.resize_with(self.ended.len().max(other.ended.len()), Outcomes::default);
        for (mine, theirs) in self.ended.iter_mut().zip(&other.ended) {
            mine.merge(theirs);
        }
        self.ledger.merge(&other.ledger);
    }

    fn clear(&mut self) {
        self.latency.clear();
        self.ended.iter_mut().for_each(|one| *one = Outcomes::default());
        self.ledger = Ledger::default();
    }
}

/// Data for all steps in which anything was recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StepSeries {
    used: Vec<(u32, StepRecords)>,
    /// Cleared data of earlier steps. It is kept so that its memory can be reused.
    #[serde(skip)]
    spare: Vec<StepRecords>,
}

impl StepSeries {
    /// Returns the data recorded for a step, or `None` if nothing was recorded.
    pub fn get(&self, step: u32) -> Option<&StepRecords> {
        self.used.iter().find(|(number, _)| *number == step).map(|(_, records)| records)
    }

    /// Returns a mutable reference to the data for a step, creating it if necessary.
    pub fn at(&mut self, step: u32) -> &mut StepRecords {
        let found = self.used.iter().position(|(number, _)| *number == step);
        let place = found.unwrap_or_else(|| {
            self.used.push((step, self.spare.pop().unwrap_or_default()));
            self.used.len() - 1
        });
        &mut self.used[place].1
    }

    /// Returns all steps in which anything was recorded, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &StepRecords)> {
        self.used.iter().map(|(step, records)| (*step, records))
    }

    /// Returns mutable data for all steps in which anything was recorded.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut StepRecords)> {
        self.used.iter_mut().map(|(step, records)| (*step, records))
    }

    /// Records that a transaction that was due during a step has started.
    pub fn start(&mut self, step: u32) {
        let ledger = &mut self.at(step).ledger;
        ledger.due += 1;
        ledger.started += 1;
    }

    /// Records that a transaction was due during a step but will not be started.
    pub fn skip(&mut self, step: u32) {
        let ledger = &mut self.at(step).ledger;
        ledger.due += 1;
        ledger.skipped += 1;
    }

    /// Records the end of a transaction. Its result is counted in the step in which it ended, but the ledger counts it
    /// in the step in which it was due to start. Either step is `None` if that time lies outside all steps.
    pub fn finish(
        &mut self,
        [due_in, ended_in]: [Option<u32>; 2],
        transaction: usize,
        ending: Ending,
        latency: Duration,
    ) {
        if let Some(step) = ended_in {
            let records = self.at(step);
            if records.ended.len() <= transaction {
                records.ended.resize_with(transaction + 1, Outcomes::default);
            }
            let ended = &mut records.ended[transaction];
            match ending {
                Ending::Committed => ended.committed += 1,
                Ending::RolledBack => ended.rolled_back += 1,
                Ending::Failed(kind) => ended.failed[kind as usize] += 1,
            }
            if !matches!(ending, Ending::Failed(_)) {
                records.latency.record(latency);
            }
        }
        let Some(step) = due_in else { return };
        let ledger = &mut self.at(step).ledger;
        match ending {
            _ if due_in != ended_in => ledger.unfinished += 1,
            Ending::Committed => ledger.committed += 1,
            Ending::RolledBack => ledger.rolled_back += 1,
            Ending::Failed(kind) => ledger.failed[kind as usize] += 1,
        }
    }

    /// Adds other records.
    pub fn merge(&mut self, other: &Self) {
        for (step, records) in other.iter() {
            self.at(step).merge(records);
        }
    }

    /// Removes all recorded data without freeing memory.
    pub fn clear(&mut self) {
        for (_, mut records) in self.used.drain(..) {
            records.clear();
            self.spare.push(records);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::ErrorKind;

    #[test]
    fn figures_are_of_the_step_of_the_end_and_accounts_of_the_step_that_it_was_due_in() {
        let mut series = StepSeries::default();
        let span = Duration::from_millis(3);
        series.start(4);
        series.finish([Some(4), Some(4)], 1, Ending::Committed, span);
        series.start(4);
        series.finish([Some(4), Some(5)], 0, Ending::RolledBack, span);
        series.start(5);
        series.finish([Some(5), None], 0, Ending::Failed(ErrorKind::Deadlock), span);
        series.skip(5);
        series.finish([None, Some(4)], 0, Ending::Failed(ErrorKind::Deadlock), span);
        let check = |series: &StepSeries, times: u64| {
            let (first, second) = (series.get(4).expect("4"), series.get(5).expect("5"));
            assert_eq!((first.ledger.committed, first.ledger.unfinished), (times, times));
            assert_eq!((first.all().good(), first.all().failures()), (times, times));
            assert_eq!((first.latency.count(), second.latency.count()), (times, times));
            assert_eq!((second.ledger.due, second.ledger.skipped), (2 * times, times));
            for ledger in [&first.ledger, &second.ledger] {
                assert_eq!(ledger.balance(0), Ok(()));
            }
        };
        check(&series, 1);
        let mut twice = series.clone();
        twice.merge(&series);
        check(&twice, 2);
        series.clear();
        assert!(series.get(4).is_none());
        series.start(7);
        assert_eq!(
            series.get(7).map(|one| one.ledger.due),
            Some(1),
            "memory is used again, cleared"
        );
        assert_eq!(series.get(7).map(|one| one.all().all()), Some(0));
    }
}
