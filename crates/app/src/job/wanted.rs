//! The load hosts of a run.

use std::time::Duration;

use tacho_cluster::Broker;

/// The load hosts that a run requests, and the way to find them.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The NATS server.
    pub broker: Broker,
    /// The time to wait for agents.
    pub within: Duration,
    /// The time for which either side continues without hearing from the other.
    pub lease: Duration,
}
