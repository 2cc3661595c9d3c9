//! When the transactions of a session become due.
//!
//! Start reading at [`Pace::next`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Clock, Instant};
use tacho_workload::Ticket;

use crate::Schedule;

/// How the transactions of a session become due.
#[derive(Clone)]
pub(crate) enum Pace {
    /// Each when the last one has ended.
    Unpaced,
    /// Each after its keying time and the think time of the last one, both multiplied by this factor.
    Paced(f64),
    /// Open: each at its own time since the begin of the load, which its ticket says.
    Recorded(Instant),
    /// Open: at the arrivals of a schedule, whatever the session did before.
    Scheduled {
        /// The arrivals of all sessions.
        schedule: Arc<Schedule>,
        /// How long an arrival may wait for a free session.
        backlog: Duration,
    },
}

/// When a session may begin its next transaction.
pub(crate) struct Turn {
    /// Since when the session is free for it.
    pub(crate) free: Instant,
    /// When the transaction is due.
    pub(crate) due: Instant,
}

impl Pace {
    /// Closed arrivals with keying and think times by this factor; 0 is none.
    pub(crate) fn closed(factor: f64) -> Self {
        if factor > 0.0 { Self::Paced(factor) } else { Self::Unpaced }
    }

    /// The schedule of open arrivals.
    pub(crate) fn schedule(&self) -> Option<&Arc<Schedule>> {
        match self {
            Self::Scheduled { schedule, .. } => Some(schedule),
            Self::Unpaced | Self::Paced(_) | Self::Recorded(_) => None,
        }
    }

    /// Whether arrivals are open.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Scheduled { .. } | Self::Recorded(_))
    }

    /// Whether each transaction has a due time of its own.
    #[inline]
    pub(crate) fn is_recorded(&self) -> bool {
        matches!(self, Self::Recorded(_))
    }

    /// Whether a session waits for a moment before each transaction.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        !matches!(self, Self::Unpaced)
    }

    /// Takes the next turn of a session that is ready since `ready`.
    #[inline]
    pub(crate) fn next(&self, ready: Instant, ticket: &Ticket, clock: &dyn Clock) -> Turn {
        match self {
            Self::Unpaced => Turn { free: ready, due: clock.now() },
            Self::Paced(factor) => {
                Turn { free: ready, due: ready.plus(ticket.keying.mul_f64(*factor)) }
            }
            Self::Recorded(begin) => Turn { free: ready, due: begin.plus(ticket.keying) },
            Self::Scheduled { schedule, .. } => Turn { free: clock.now(), due: schedule.take() },
        }
    }

    /// When a session is ready again after a transaction that ended at `end`.
    #[inline]
    pub(crate) fn ready(&self, end: Instant, ticket: &Ticket) -> Instant {
        match self {
            Self::Paced(factor) => end.plus(ticket.think.mul_f64(*factor)),
            Self::Unpaced | Self::Recorded(_) | Self::Scheduled { .. } => end,
        }
    }

    /// Whether an arrival that was due then and is sent now has waited too long: the backlog is full.
    #[inline]
    pub(crate) fn is_backlog_full(&self, due: Instant, sent: Instant) -> bool {
        match self {
            Self::Scheduled { schedule, backlog } => schedule.between(due, sent) > *backlog,
            Self::Unpaced | Self::Paced(_) | Self::Recorded(_) => false,
        }
    }
}
