//! Values shared by all sessions of a run.

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Instant;
use tacho_driver::HistoryLog;

use crate::control::Control;
use crate::pace::Pace;
use crate::session_log::Sample;
use crate::steps::StepTable;
use crate::{OnDisconnect, RetryPolicy};

/// The values that the session loop reads.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) control: Arc<Control>,
    /// The rule that determines when transactions are due.
    pub(crate) pace: Pace,
    /// The steps of a varying load.
    pub(crate) steps: Option<Arc<StepTable>>,
    pub(crate) retry: RetryPolicy,
    pub(crate) reconnect: Reconnect,
    pub(crate) logins: Logins,
    /// The log of all attempts, if they are logged.
    pub(crate) history: Option<Arc<dyn HistoryLog>>,
    /// Number of rules in the audit.
    pub(crate) audited: usize,
    /// Number of database counters that are read to verify the commits.
    pub(crate) counters: usize,
    /// True if no other client uses the database.
    pub(crate) exclusive: bool,
    /// True if latencies are also recorded separately for each session.
    pub(crate) session_times: bool,
    /// Latency above which a transaction is late. The longest possible duration means that there is no limit.
    pub(crate) latency_limit: Duration,
    /// True if each transaction uses a new connection.
    pub(crate) reconnects: bool,
    /// Selects the transactions to log, if any.
    pub(crate) log: Option<Sample>,
}

/// The policy for a session that loses its connection, which is either to stop or to reconnect.
#[derive(Clone, Copy)]
pub(crate) struct Reconnect {
    pub(crate) policy: OnDisconnect,
    /// Time limit for reconnecting if the load has no fixed end.
    pub(crate) within: Duration,
}

/// The times at which sessions log in during the load.
#[derive(Clone, Copy)]
pub(crate) struct Logins {
    /// Start of the load.
    pub(crate) begin: Instant,
    /// Time between two logins.
    pub(crate) stagger: Duration,
}
