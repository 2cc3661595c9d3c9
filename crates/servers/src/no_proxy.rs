//! Systems without private servers, which a proxy would stand before.

use std::time::Duration;

use tacho_core::Result;

use crate::server_pool::ServerPool;
use crate::system::supported;

/// As on other systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It passes, after this time.
    Open(Duration),
    /// Nothing passes and nothing is lost.
    Held,
    /// Connections are closed.
    Closed,
}

/// A proxy, which cannot be had.
pub enum Proxy {}

impl Proxy {
    /// Cannot be called.
    pub fn set(&self, _: Passage) {
        match *self {}
    }
}

impl ServerPool {
    /// Fails.
    ///
    /// # Errors
    /// Unsupported.
    pub fn proxied(&self, _: &str) -> Result<(Proxy, String)> {
        supported().and_then(|()| Err(tacho_core::Error::usage("no private servers")))
    }
}
