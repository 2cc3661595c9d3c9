//! Recording transactions one by one, with what the database did for each.
//!
//! The session loop calls the same methods for every session; where transactions are only counted they do
//! nothing. Start reading at [`QueryLog`].

use tacho_core::{Error, QueryStats};
use tacho_driver::Exchange;
use tacho_metrics::Phase;

/// Most queries that a stream next to transactions keeps: as many as a quick one sends in an hour. Further
/// ones are counted.
const KEPT_MAX: u32 = 100_000;

/// Which transactions of a session are kept one by one.
#[expect(
    clippy::large_enum_variant,
    reason = "a session has one of them, and reads it in its loop"
)]
pub(crate) enum QueryLog {
    /// None.
    Off,
    /// All, with their begins and the statistics of the database.
    WholeRun(Statistics),
    /// Those that lie within the measured phase as a whole; `kept` is their number so far. The statistics are
    /// not read, since that would be load next to the transactions.
    MeasuredPhase { kept: u32 },
}

/// Reads what the database has done, between two transactions, so that it is in no time.
pub(crate) struct Statistics {
    /// Whether no other client uses the database.
    exclusive: bool,
    /// The last reading.
    before: Option<QueryStats>,
    /// What the database did for the transaction that ran last.
    last: Option<QueryStats>,
    /// Why the first reading that failed did.
    error: Option<Error>,
}

impl QueryLog {
    /// The log of a session whose work is the run.
    pub(crate) fn whole_run(exclusive: bool) -> Self {
        Self::WholeRun(Statistics { exclusive, before: None, last: None, error: None })
    }

    /// The log of a stream next to transactions.
    pub(crate) fn measured_phase() -> Self {
        Self::MeasuredPhase { kept: 0 }
    }

    /// Whether the begin of a transaction is recorded.
    #[inline]
    pub(crate) fn keeps_begins(&self) -> bool {
        matches!(self, Self::WholeRun(_))
    }

    /// Before a transaction: reads the statistics, if that is to be done and has not been.
    #[inline]
    pub(crate) async fn before(&mut self, exchange: Option<&mut Exchange>) {
        if let Self::WholeRun(statistics) = self
            && statistics.before.is_none()
        {
            statistics.before = statistics.read(exchange).await;
        }
    }

    /// After a transaction: reads what the database did for it. Where nothing was reported before it, the
    /// question is repeated before the next one, and not now.
    #[inline]
    pub(crate) async fn after(&mut self, exchange: Option<&mut Exchange>) {
        let Self::WholeRun(statistics) = self else { return };
        statistics.last = None;
        if let Some(before) = statistics.before.take() {
            statistics.before = statistics.read(exchange).await;
            statistics.last = statistics.before.map(|now| now.since(before));
        }
    }

    /// What the database did for the transaction that ran last.
    pub(crate) fn last(&self) -> Option<QueryStats> {
        match self {
            Self::WholeRun(statistics) => statistics.last,
            Self::Off | Self::MeasuredPhase { .. } => None,
        }
    }

    /// Whether a transaction is kept that was due in `phase`, and ended after it if it is `late`.
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

    /// Why the statistics could not be read, if so.
    pub(crate) fn into_error(self) -> Option<Error> {
        match self {
            Self::WholeRun(statistics) => statistics.error,
            Self::Off | Self::MeasuredPhase { .. } => None,
        }
    }
}

impl Statistics {
    async fn read(&mut self, exchange: Option<&mut Exchange>) -> Option<QueryStats> {
        let exchange = exchange?;
        // What a lost connection means, the next transaction finds out.
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
