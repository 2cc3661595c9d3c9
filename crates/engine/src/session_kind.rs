//! The kinds of sessions: what they work through, when they begin, and what is recorded of each transaction.
//!
//! The session loop does not know them: it follows a [`Pace`] and calls a [`QueryLog`].

use crate::pace::Pace;
use crate::query_log::QueryLog;
use crate::{Setup, Stop};

/// What a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionKind {
    /// Transactions until the load is over.
    Transactions,
    /// A fixed list of queries or transactions, which is the run.
    FixedWork,
    /// A stream of queries, one after the other, while other sessions run transactions.
    Stream,
}

impl SessionKind {
    /// That of session number `session`: the streams are the last ones.
    pub(crate) fn of(setup: &Setup, session: u32) -> Self {
        let streams = setup.instance.streams().map_or(0, |streams| streams.count);
        if session >= setup.plan.sessions.saturating_sub(streams) {
            Self::Stream
        } else if setup.plan.stop == Stop::Done && setup.instance.recorded().is_none() {
            Self::FixedWork
        } else {
            Self::Transactions
        }
    }

    /// Whether the first row of each answer is timed.
    pub(crate) fn times_first_row(self) -> bool {
        self != Self::Transactions
    }

    /// When its transactions begin, in a run with this pace: a stream begins its next query when the last one
    /// has ended.
    pub(crate) fn pace(self, of_the_run: &Pace) -> Pace {
        if self == Self::Stream { Pace::Unpaced } else { of_the_run.clone() }
    }

    /// What is recorded of each of its transactions; `exclusive` if no other client uses the database.
    pub(crate) fn query_log(self, exclusive: bool) -> QueryLog {
        match self {
            Self::Transactions => QueryLog::Off,
            Self::FixedWork => QueryLog::whole_run(exclusive),
            Self::Stream => QueryLog::measured_phase(),
        }
    }
}
