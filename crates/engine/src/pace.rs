//! Determines when a session's transactions are due.
//!
//! Start reading at [`Pace::next`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Clock, Instant};
use tacho_workload::Ticket;

use crate::Schedule;
use crate::terminals::Seat;

/// The rule that determines when a session's transactions are due.
#[derive(Clone)]
pub(crate) enum Pace {
    /// Each transaction is due as soon as the previous one has ended.
    Unpaced,
    /// A transaction is due when the think time of the previous transaction and its own keying time have passed. Both
    /// times are multiplied by this factor.
    Paced(f64),
    /// Open arrivals at times that were recorded in advance. The value is the start of the load, and the recorded times
    /// are relative to it.
    Recorded(Instant),
    /// Open arrivals that follow a schedule, regardless of when the session is free.
    Scheduled {
        /// The arrivals of all sessions.
        schedule: Arc<Schedule>,
        /// Maximum time that an arrival may wait for a free session.
        backlog: Duration,
    },
    /// Keying and think times of terminals that share the worker's sessions.
    Terminals(Seat),
}

/// The two times that determine when a session can start its next transaction.
pub(crate) struct Turn {
    /// The time at which the session is ready for its next transaction.
    pub(crate) free: Instant,
    /// The time when the transaction is due.
    pub(crate) due: Instant,
}

impl Pace {
    /// Returns the pace for closed arrivals, where virtual users follow their keying and think times. These times are
    /// multiplied by `factor`, so 0 disables them.
    pub(crate) fn closed(factor: f64) -> Self {
        if factor > 0.0 { Self::Paced(factor) } else { Self::Unpaced }
    }

    /// Returns the schedule, if arrivals follow one.
    pub(crate) fn schedule(&self) -> Option<&Arc<Schedule>> {
        match self {
            Self::Scheduled { schedule, .. } => Some(schedule),
            Self::Unpaced | Self::Paced(_) | Self::Recorded(_) | Self::Terminals(_) => None,
        }
    }

    /// Returns true if arrivals are open.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Scheduled { .. } | Self::Recorded(_))
    }

    /// Returns true if a transaction can be due before a session is free to run it.
    #[inline]
    pub(crate) fn queues(&self) -> bool {
        self.is_open() || matches!(self, Self::Terminals(_))
    }

    /// Returns the terminal that the session serves, if terminals share the sessions.
    #[inline]
    pub(crate) fn seat(&mut self) -> Option<&mut Seat> {
        match self {
            Self::Terminals(seat) => Some(seat),
            Self::Unpaced | Self::Paced(_) | Self::Recorded(_) | Self::Scheduled { .. } => None,
        }
    }

    /// Returns true if no transaction may start before it is due, even while the run is being stopped.
    #[inline]
    pub(crate) fn is_never_early(&self) -> bool {
        matches!(self, Self::Recorded(_) | Self::Terminals(_))
    }

    /// Returns true if a session waits for a due time before each transaction.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        !matches!(self, Self::Unpaced)
    }

    /// Returns the times for a session's next transaction. The session became free at `ready`.
    #[inline]
    pub(crate) fn next(&self, ready: Instant, ticket: &Ticket, clock: &dyn Clock) -> Turn {
        match self {
            Self::Unpaced => Turn { free: ready, due: clock.now() },
            Self::Paced(factor) => {
                Turn { free: ready, due: ready.plus(ticket.keying.mul_f64(*factor)) }
            }
            Self::Recorded(begin) => Turn { free: ready, due: begin.plus(ticket.keying) },
            Self::Scheduled { schedule, .. } => Turn { free: clock.now(), due: schedule.take() },
            Self::Terminals(seat) => Turn { free: clock.now(), due: seat.due() },
        }
    }

    /// Returns the time when a session is free again after a transaction that ended at `end`.
    #[inline]
    pub(crate) fn ready(&mut self, end: Instant, ticket: &Ticket) -> Instant {
        match self {
            Self::Terminals(seat) => {
                seat.leave(end, ticket);
                end
            }
            Self::Paced(factor) => end.plus(ticket.think.mul_f64(*factor)),
            Self::Unpaced | Self::Recorded(_) | Self::Scheduled { .. } => end,
        }
    }

    /// Returns true if a transaction waited longer than the backlog allows. It was due at the time `due` and sent at
    /// the time `sent`.
    #[inline]
    pub(crate) fn is_backlog_full(&self, due: Instant, sent: Instant) -> bool {
        match self {
            Self::Scheduled { schedule, backlog } => schedule.between(due, sent) > *backlog,
            Self::Unpaced | Self::Paced(_) | Self::Recorded(_) | Self::Terminals(_) => false,
        }
    }
}
