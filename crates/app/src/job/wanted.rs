//! The load hosts of a run.

use std::time::Duration;

use tacho_cluster::Broker;

/// The load hosts that a run requests, and how to find them.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The NATS server.
    pub broker: Broker,
    /// The time to wait for agents.
    pub within: Duration,
    /// Maximum time for which the coordinator and an agent wait for a message from each other.
    pub lease: Duration,
}
