//! Computes the metrics of a run in progress from its folder, for use by a process that does not execute the run.
//!
//! The metrics do not include percentiles, because percentiles of several intervals cannot be combined.
//!
//! Start reading at [`Followed::add`].

use tacho_metrics::Phase;
use tacho_store::IntervalRecord;
use tacho_store::event::{Standing, StandingHeadline};
use tacho_store::record::{ErrorRecord, TransactionRecord};

/// The metrics of the current phase and the errors of the entire run.
#[derive(Debug, Default)]
pub struct Followed {
    /// The name of the workload's headline metric.
    headline: Option<String>,
    standing: Standing,
    /// The number of transactions in this phase that count toward the headline metric.
    counted: f64,
}

impl Followed {
    /// Creates the metrics for a run with this headline metric, such as NOPM.
    pub fn new(headline: Option<String>) -> Self {
        Self { headline, ..Self::default() }
    }

    /// Adds an interval of the run. If a new phase starts with this interval, returns the name of the phase.
    pub fn add(&mut self, interval: &IntervalRecord) -> Option<Phase> {
        let begins = self.standing.phase != interval.phase;
        if begins {
            let errors = std::mem::take(&mut self.standing.errors);
            self.standing =
                Standing { phase: interval.phase.clone(), errors, ..Standing::default() };
            self.counted = 0.0;
        }
        let standing = &mut self.standing;
        standing.elapsed_s += interval.length_s;
        let kinds = interval.transactions.iter().chain([&interval.totals]);
        standing.transactions.resize_with(kinds.clone().count(), TransactionRecord::default);
        for (sum, transaction) in standing.transactions.iter_mut().zip(kinds) {
            sum.name.clone_from(&transaction.name);
            sum.count += transaction.count();
            sum.rolled_back += transaction.rolled_back;
            sum.failed += transaction.failed;
            sum.latency.count += transaction.count();
            sum.latency.max_us = sum.latency.max_us.max(transaction.max_us.unwrap_or(0.0));
        }
        let all = standing.transactions.last().map_or(0, |all| all.count);
        for transaction in &mut standing.transactions {
            transaction.share = if all > 0 { transaction.count as f64 / all as f64 } else { 0.0 };
        }
        self.add_errors(interval);
        self.add_headline(interval);
        Phase::named(&interval.phase).filter(|_| begins)
    }

    /// Returns the current metrics.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    fn add_errors(&mut self, interval: &IntervalRecord) {
        let errors = &mut self.standing.errors;
        for transaction in &interval.transactions {
            for (kind, count) in &transaction.failed_by_kind {
                let known = errors
                    .iter_mut()
                    .find(|error| error.transaction == transaction.name && error.kind == *kind);
                match known {
                    Some(error) => error.count += count,
                    None => errors.push(ErrorRecord {
                        transaction: transaction.name.clone(),
                        kind: kind.clone(),
                        count: *count,
                        ..ErrorRecord::default()
                    }),
                }
            }
        }
    }

    fn add_headline(&mut self, interval: &IntervalRecord) {
        let Some(per_minute) = interval.headline_per_minute else { return };
        self.counted += per_minute * interval.length_s;
        self.standing.headline = Some(StandingHeadline {
            name: self.headline.clone().unwrap_or_else(|| "headline metric/min".into()),
            per_minute: self.counted / self.standing.elapsed_s,
        });
    }
}

#[cfg(test)]
mod tests {
    use tacho_store::IntervalTransaction;

    use super::*;

    fn interval(phase: &str, committed: u64, failed: u64) -> IntervalRecord {
        let transaction = |name: &str| IntervalTransaction {
            name: name.into(),
            committed,
            rolled_back: 1,
            failed,
            failed_by_kind: [("deadlock".to_owned(), failed)].into(),
            max_us: Some(committed as f64),
            ..IntervalTransaction::default()
        };
        IntervalRecord {
            phase: phase.into(),
            length_s: 2.0,
            headline_per_minute: Some(committed as f64 * 30.0),
            transactions: vec![transaction("payment")],
            totals: transaction("all"),
            ..IntervalRecord::default()
        }
    }

    #[test]
    fn intervals_are_added_by_phase() {
        let mut followed = Followed::new(Some("NOPM".into()));
        let begins = [("ramp-up", 90, 1), ("measure", 10, 2), ("measure", 20, 0)]
            .map(|(phase, committed, failed)| followed.add(&interval(phase, committed, failed)));
        assert_eq!(begins, [Some(Phase::RampUp), Some(Phase::Measure), None]);
        let standing = followed.standing();
        let payment = &standing.transactions[0];
        assert_eq!(
            (payment.name.as_str(), payment.count, payment.rolled_back, payment.failed),
            ("payment", 32, 2, 2)
        );
        assert_eq!(
            (standing.elapsed_s, payment.latency.max_us, payment.latency.p50_us),
            (4.0, 20.0, None)
        );
        let headline = standing.headline.as_ref().expect("a figure");
        assert_eq!((headline.name.as_str(), headline.per_minute), ("NOPM", 450.0));
        // The errors in the ramp-up are included.
        assert_eq!((standing.errors.len(), standing.errors[0].count), (1, 3));
    }
}
