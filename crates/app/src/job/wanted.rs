//! The load hosts of a run.

use std::time::Duration;

use tacho_cluster::Broker;

/// The hosts that a run is to have, and where they are found.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The NATS server.
    pub broker: Broker,
    /// How long agents are waited for.
    pub within: Duration,
    /// How long each side works on without a sign of the other.
    pub lease: Duration,
}
