//! Records individual transactions and the database's statistics for each of them.
//!
//! Every session calls these methods. They do nothing in runs that do not record individual transactions.
//!
//! Start reading at [`QueryLog`].

use tacho_core::{Error, QueryStats};
use tacho_driver::Exchange;
use tacho_metrics::Phase;

/// Maximum number of queries that are recorded for each stream. All further queries are only counted. Fast streams
/// reach this number in an hour.
const KEPT_MAX: u32 = 100_000;

/// Determines which of a session's transactions are recorded individually.
pub(crate) enum QueryLog {
    /// None.
    Off,
    /// All transactions, including their start times and the database's statistics.
    WholeRun(Box<Statistics>),
    /// Only transactions within the measured phase, without the database's statistics. Their number is limited, so
    /// `kept` counts how many have been recorded.
    MeasuredPhase { kept: u32 },
}

/// Reads the database's statistics between transactions, so that reading them does not prolong the transactions.
pub(crate) struct Statistics {
    /// True if no other client uses the database.
    exclusive: bool,
    /// The most recent reading.
    before: Option<QueryStats>,
    /// The statistics for the most recent transaction.
    last: Option<QueryStats>,
    /// The first error of a reading.
    error: Option<Error>,
}

impl QueryLog {
    /// Returns the log for a session that processes a fixed list of transactions.
    pub(crate) fn whole_run(exclusive: bool) -> Self {
        Self::WholeRun(Box::new(Statistics { exclusive, before: None, last: None, error: None }))
    }

    /// Returns the log for a query stream that runs alongside transactions.
    pub(crate) fn measured_phase() -> Self {
        Self::MeasuredPhase { kept: 0 }
    }

    /// Returns true if the start of each transaction is also recorded.
    #[inline]
    pub(crate) fn keeps_begins(&self) -> bool {
        matches!(self, Self::WholeRun(_))
    }

    /// Reads the statistics before a transaction, unless they were already read after the previous one.
    #[inline]
    pub(crate) async fn before(&mut self, exchange: Option<&mut Exchange>) {
        if let Self::WholeRun(statistics) = self
            && statistics.before.is_none()
        {
            statistics.before = statistics.read(exchange).await;
        }
    }

    /// Reads the statistics after a transaction. Their increase since the previous reading shows the work of this
    /// transaction.
    #[inline]
    pub(crate) async fn after(&mut self, exchange: Option<&mut Exchange>) {
        let Self::WholeRun(statistics) = self else { return };
        statistics.last = None;
        if let Some(before) = statistics.before.take() {
            statistics.before = statistics.read(exchange).await;
            statistics.last = statistics.before.map(|now| now.since(before));
        }
    }

    /// Returns the statistics of the most recent transaction.
    pub(crate) fn last(&self) -> Option<QueryStats> {
        match self {
            Self::WholeRun(statistics) => statistics.last,
            Self::Off | Self::MeasuredPhase { .. } => None,
        }
    }

    /// Returns true if a transaction that was due in `phase` must be recorded. If the transaction ended after this
    /// phase, `late` must be true.
    #[inline]
    pub(crate) fn keeps(&mut self, phase: Phase, late: bool) -> bool {
        match self {
            Self::Off => false,
            Self::WholeRun(_) => true,
            Self::MeasuredPhase { kept } => {
                let keeps = phase == Phase::Measure && !late && *kept < KEPT_MAX;
                *kept += u32::from(keeps);
                keeps
            }
        }
    }

    /// Returns the error that prevented the statistics from being read, if any.
    pub(crate) fn take_error(&mut self) -> Option<Error> {
        match self {
            Self::WholeRun(statistics) => statistics.error.take(),
            Self::Off | Self::MeasuredPhase { .. } => None,
        }
    }
}

impl Statistics {
    async fn read(&mut self, exchange: Option<&mut Exchange>) -> Option<QueryStats> {
        let exchange = exchange?;
        // A lost connection needs no handling here, because the next transaction reports it.
        exchange.inspector().query_stats(self.exclusive).await.unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_log_keeps_its_own_transactions() {
        let table = [
            (Phase::RampUp, false, [false, true, false]),
            (Phase::Measure, true, [false, true, false]),
            (Phase::Measure, false, [false, true, true]),
            (Phase::RampDown, false, [false, true, false]),
        ];
        for (phase, late, expected) in table {
            let logs = [QueryLog::Off, QueryLog::whole_run(true), QueryLog::measured_phase()];
            assert_eq!(logs.map(|mut log| log.keeps(phase, late)), expected, "{phase:?} {late}");
        }
    }

    #[test]
    fn a_stream_keeps_so_many_and_no_more() {
        let mut log = QueryLog::measured_phase();
        let kept = (0..KEPT_MAX + 10).filter(|_| log.keeps(Phase::Measure, false)).count();
        assert_eq!(kept, KEPT_MAX as usize);
    }
}
