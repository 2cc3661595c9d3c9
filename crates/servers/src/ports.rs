//! Finds free ports on the loopback interface.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

use tacho_core::{Error, ErrorKind, Result};

/// Ports that the system does not use for outgoing connections. An outgoing connection could
/// otherwise take the port of a server while the server restarts.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// Returns a free port. Each search starts at a different port.
pub(crate) fn free() -> Result<u16> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let count = u32::from(PORTS.end - PORTS.start);
    let first = std::process::id() * 61 + CALLS.fetch_add(1, Ordering::Relaxed) * 7;
    let mut ports = (0..count).map(|next| PORTS.start + ((first + next) % count) as u16);
    ports.find(|port| is_free(*port)).ok_or_else(|| {
        Error::new(ErrorKind::Resource, "all ports from 20000 to 31999 are in use")
            .hint("choose another one with --port")
    })
}

/// Returns true if a server could currently listen on this port.
pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_in_use_are_not_free() -> Result<()> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        assert!(!is_free(listener.local_addr()?.port()));
        assert!(is_free(free()?));
        Ok(())
    }
}
