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
    /// Maximum time without a message between the coordinator and an agent. After this time, each gives up waiting.
    pub lease: Duration,
}
