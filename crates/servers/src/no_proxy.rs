//! A substitute for the proxy to private servers. On this system, there are no private servers, so
//! the proxy cannot be started.

use std::time::Duration;

use tacho_core::Result;

use crate::server_pool::ServerPool;
use crate::system::supported;

/// The same modes as on other systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// Data passes after this delay.
    Open(Duration),
    /// No data is passed on, and none is lost.
    Held,
    /// Connections are closed.
    Closed,
}

/// A proxy. There are none on this system.
pub enum Proxy {}

impl Proxy {
    /// Cannot be called.
    pub fn set(&self, _: Passage) {
        match *self {}
    }
}

impl ServerPool {
    /// Returns an error.
    ///
    /// # Errors
    /// Always returns [`tacho_core::ErrorKind::Unsupported`].
    pub fn proxied(&self, _: &str) -> Result<(Proxy, String)> {
        supported().and_then(|()| Err(tacho_core::Error::usage("no private servers")))
    }
}
