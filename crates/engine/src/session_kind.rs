//! Kinds of sessions. They differ in their work, in their pace and in what they record.
//!
//! All kinds of sessions run the same session loop. A [`Pace`] determines when its transactions start, and a
//! [`QueryLog`] determines which of them are recorded individually.

use crate::pace::Pace;
use crate::query_log::QueryLog;
use crate::{Setup, Stop};

/// The work of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionKind {
    /// Runs transactions until the load is over.
    Transactions,
    /// Runs a fixed list of queries or transactions. The run ends when all sessions have completed their lists.
    FixedWork,
    /// Runs one query after another while other sessions run transactions.
    Stream,
}

impl SessionKind {
    /// Returns the kind of the session with this number. The highest numbers belong to streams.
    pub(crate) fn of(setup: &Setup, session: u32) -> Self {
        if session >= setup.transaction_sessions() {
            Self::Stream
        } else if setup.plan.stop == Stop::Done && setup.instance.recorded().is_none() {
            Self::FixedWork
        } else {
            Self::Transactions
        }
    }

    /// Returns true if the time to the first row of each result is measured.
    pub(crate) fn times_first_row(self) -> bool {
        self != Self::Transactions
    }

    /// Returns the pace of this kind of session. Streams run their queries without pauses, regardless of the run's
    /// pace.
    pub(crate) fn pace(self, of_the_run: &Pace) -> Pace {
        if self == Self::Stream { Pace::Unpaced } else { of_the_run.clone() }
    }

    /// Returns the log of this kind of session. `exclusive` means that no other client uses the database.
    pub(crate) fn query_log(self, exclusive: bool) -> QueryLog {
        match self {
            Self::Transactions => QueryLog::Off,
            Self::FixedWork => QueryLog::whole_run(exclusive),
            Self::Stream => QueryLog::measured_phase(),
        }
    }
}
