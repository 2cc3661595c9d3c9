//! TCP connections that detect when the other machine has silently disappeared, for example because a cable was
//! unplugged.
//!
//! Without such a check, the operating system gives up only after a quarter of an hour, or never if nothing is being
//! sent.
//!
//! Start reading at [`connect_tcp`].

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;

/// Number of keepalive probes. If none of them is answered, the connection is considered lost. They are sent in the
/// second half of the time limit. Older versions of Windows always send 10.
const PROBES: u32 = if cfg!(windows) { 10 } else { 3 };

/// Opens a connection. It is considered lost if the other machine does not respond within this time. A slow server is
/// not affected, because its operating system responds to probes.
pub async fn connect_tcp(host: &str, port: u16, silence: Duration) -> io::Result<TcpStream> {
    let stream = TcpStream::connect((host, port)).await?;
    // Each request is a single write, so waiting for more data would only delay the request.
    stream.set_nodelay(true)?;
    if !silence.is_zero() {
        watch(&stream, silence)?;
    }
    Ok(stream)
}

fn watch(stream: &TcpStream, silence: Duration) -> io::Result<()> {
    let second = Duration::from_secs(1);
    let probes = TcpKeepalive::new()
        .with_time((silence / 2).max(second))
        .with_interval((silence / 2 / PROBES).max(second));
    #[cfg(not(windows))]
    let probes = probes.with_retries(PROBES);
    let socket = SockRef::from(stream);
    socket.set_tcp_keepalive(&probes)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(silence.min(Duration::from_millis(u32::MAX.into()))))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_watches_its_peer_unless_it_is_not_to() -> io::Result<()> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        event_loop.block_on(async {
            let stream = connect_tcp("127.0.0.1", port, Duration::from_secs(30)).await?;
            let socket = SockRef::from(&stream);
            assert!(socket.keepalive()?);
            assert_eq!(socket.tcp_keepalive_time()?, Duration::from_secs(15));
            assert_eq!(socket.tcp_keepalive_interval()?, Duration::from_secs(5));
            #[cfg(target_os = "linux")]
            assert_eq!(socket.tcp_user_timeout()?, Some(Duration::from_secs(30)));
            let stream = connect_tcp("127.0.0.1", port, Duration::ZERO).await?;
            assert!(!SockRef::from(&stream).keepalive()?);
            Ok(())
        })
    }
}
