//! The web server. It has its own thread and event loop, and stops when the command that started it ends.
//!
//! The server limits connections and the duration of requests. Start reading at [`Server::start`].

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tacho_app::Context;
use tacho_core::{Error, ErrorKind, Result};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio_rustls::TlsAcceptor;

use crate::access::Access;
use crate::activity::Program;
use crate::guard::Guard;
use crate::hub::Hub;
use crate::routes::{guarded, routes};
use crate::site::Site;
use crate::tls::Certificate;

/// Maximum number of simultaneous connections. A browser opens up to six.
const CONNECTIONS: usize = 256;
/// Maximum time that a client may take for the TLS handshake, and likewise for sending its request headers.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time allowed for sending the last events.
const FAREWELL: Duration = Duration::from_millis(200);
/// Maximum size of the request headers in bytes.
const HEAD_MAX: usize = 16 * 1024;

const TOO_MANY: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The options of a server.
pub struct Options {
    /// Address to listen on; port 0 selects any free port.
    pub listen: SocketAddr,
    /// Additional host names of the server.
    pub hosts: Vec<String>,
    /// The certificate, if the server uses encryption.
    pub certificate: Option<Certificate>,
    /// True if other machines may access the server without encryption.
    pub plain_http: bool,
    /// The tokens that grant access.
    pub access: Access,
    /// The program that starts measurements. `None` if this process runs a measurement itself.
    pub program: Option<Program>,
    /// The context, which contains the location of saved runs.
    pub context: Context,
    /// The state of the running command.
    pub hub: Hub,
    /// Additional routes of another front end.
    pub more: Router,
}

/// The address at which a server listens, its host names, and its encryption.
pub struct Listening {
    /// Address to listen on; port 0 selects any free port.
    pub listen: SocketAddr,
    /// Additional host names of the server.
    pub hosts: Vec<String>,
    /// The certificate, if the server uses encryption.
    pub certificate: Option<Certificate>,
    /// True if other machines may access the server without encryption.
    pub plain_http: bool,
}

/// A server that handles requests until it is dropped.
pub struct Server {
    address: SocketAddr,
    is_tls: bool,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server for the web view.
    pub fn start(options: Options) -> Result<Self> {
        demand_safety(options.listen, options.certificate.is_some() || options.plain_http)?;
        let tls = options.certificate.as_ref().map(Certificate::acceptor).transpose()?;
        let (listener, address) = bound(options.listen)?;
        let hosts = hosts(address, &options.hosts);
        let access = Some(options.access);
        let guard = Arc::new(Guard::new(access, hosts, tls.is_some(), address.port()));
        let site = Site::new(options.context, options.program, options.hub, Arc::clone(&guard))?;
        Self::run(listener, address, tls, routes(site, options.more), guard)
    }

    /// Starts an agent, which is a server that reports the load of this machine.
    pub fn agent(listening: &Listening, access: Access) -> Result<Self> {
        demand_safety(listening.listen, listening.certificate.is_some() || listening.plain_http)?;
        let tls = listening.certificate.as_ref().map(Certificate::acceptor).transpose()?;
        let (listener, address) = bound(listening.listen)?;
        let (names, is_tls) = (hosts(address, &listening.hosts), tls.is_some());
        let guard = Arc::new(Guard::new(Some(access), names, is_tls, address.port()));
        let router = guarded(crate::agent::routes(), Arc::clone(&guard));
        Self::run(listener, address, tls, router, guard)
    }

    /// Starts a server with these routes on a loopback port, with read-only access for everyone on
    /// this machine.
    pub fn open(port: u16, router: Router) -> Result<Self> {
        let (listener, address) = bound(SocketAddr::from(([127, 0, 0, 1], port)))?;
        let guard = Arc::new(Guard::new(None, hosts(address, &[]), false, address.port()));
        Self::run(listener, address, None, guarded(router, Arc::clone(&guard)), guard)
    }

    fn run(
        listener: TcpListener,
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        router: Router,
        guard: Arc<Guard>,
    ) -> Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let is_tls = tls.is_some();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("web".into()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let accepting = std::pin::pin!(accept(listener, tls, router, guard));
                futures_util::future::select(accepting, stopped).await;
                // Give the clients that are watching some time to receive the last events.
                tokio::time::sleep(FAREWELL).await;
            });
            // Do not wait for reports that are still being generated.
            runtime.shutdown_background();
        })?;
        Ok(Self { address, is_tls, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the server's port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the address to open in a browser on this machine, without a token.
    pub fn url(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        let ip = match self.address.ip() {
            ip if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
            ip => ip,
        };
        format!("{scheme}://{}", SocketAddr::new(ip, self.address.port()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns an error if other machines can reach the address without encryption, unless the user allows it.
fn demand_safety(listen: SocketAddr, is_safe: bool) -> Result<()> {
    if listen.ip().is_loopback() || is_safe {
        return Ok(());
    }
    let what = format!(
        "{} can be reached from other machines, but without TLS its token can be intercepted",
        listen.ip()
    );
    Err(Error::usage(what)
        .hint("use --tls-cert FILE and --tls-key FILE to enable TLS")
        .hint("or use --plain-http behind an encrypting proxy or on a private network"))
}

fn bound(listen: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(listen).map_err(|error| busy(&error, listen))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn busy(error: &std::io::Error, listen: SocketAddr) -> Error {
    let kind = match error.kind() {
        std::io::ErrorKind::AddrInUse => ErrorKind::Resource,
        _ => ErrorKind::Usage,
    };
    Error::new(kind, format!("cannot listen on {listen}: {error}"))
        .hint(format!("use --listen {} to select any free port", SocketAddr::new(listen.ip(), 0)))
}

/// Returns the values that browsers send in the `Host` header for this server.
fn hosts(address: SocketAddr, more: &[String]) -> Vec<String> {
    let port = address.port();
    let mut names: Vec<String> = more.to_vec();
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        names.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
    }
    if !address.ip().is_unspecified() {
        names.push(match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
    }
    // Browsers omit the default port.
    let usual = matches!(port, 80 | 443);
    let with_port = names.iter().map(|name| format!("{name}:{port}"));
    let without = names.iter().filter(|name| usual || more.contains(name)).cloned();
    with_port.chain(without).collect()
}

async fn accept(
    listener: tokio::net::TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    guard: Arc<Guard>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // The process has no free file descriptors. Wait a moment, because some will be
            // released soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            guard.turned_away();
            let _ = stream.try_write(TOO_MANY);
            continue;
        };
        let (tls, router) = (tls.clone(), router.clone());
        tokio::spawn(async move {
            connection(stream, tls, router).await;
            drop(place);
        });
    }
}

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, router: Router) {
    let _ = stream.set_nodelay(true);
    match tls {
        None => answer(stream, router).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, tls.accept(stream)).await {
                answer(stream, router).await;
            }
        }
    }
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + 'static, router: Router) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(HEAD_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A client that closes the connection is not an error of the server.
    let _ = served.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_knows_its_names() {
        let at = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let names = hosts(at("127.0.0.1:4100"), &[]);
        assert!(
            names.contains(&"localhost:4100".to_owned())
                && names.contains(&"127.0.0.1:4100".to_owned())
        );
        assert!(!names.contains(&"localhost".to_owned()));
        let lan = hosts(at("10.0.0.5:443"), &["bench.example".into()]);
        assert!(lan.contains(&"bench.example".to_owned()) && lan.contains(&"10.0.0.5".to_owned()));
        assert!(!lan.iter().any(|name| name.starts_with("localhost")));
        assert_eq!(hosts(at("[::1]:1"), &[]).last().map(String::as_str), Some("[::1]:1"));
    }
}
