//! What all sessions of a run share.

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Instant;

use crate::control::Control;
use crate::pace::Pace;
use crate::steps::StepTable;
use crate::{OnDisconnect, RetryPolicy};

/// The values that the session loop reads.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) control: Arc<Control>,
    /// When transactions become due.
    pub(crate) pace: Pace,
    /// The steps of a load that changes.
    pub(crate) steps: Option<Arc<StepTable>>,
    pub(crate) retry: RetryPolicy,
    pub(crate) reconnect: Reconnect,
    pub(crate) logins: Logins,
    /// How many rules the audit has.
    pub(crate) audited: usize,
    /// How many counters in the database prove the commits.
    pub(crate) counters: usize,
    /// Whether no other client uses the database.
    pub(crate) exclusive: bool,
    /// Whether each session keeps its own latencies.
    pub(crate) session_times: bool,
}

/// What a session does whose connection is lost.
#[derive(Clone, Copy)]
pub(crate) struct Reconnect {
    pub(crate) policy: OnDisconnect,
    /// How long it is tried where the load has no end.
    pub(crate) within: Duration,
}

/// When sessions log in during the load.
#[derive(Clone, Copy)]
pub(crate) struct Logins {
    /// Begin of the load.
    pub(crate) begin: Instant,
    /// Time between two logins.
    pub(crate) stagger: Duration,
}
