//! Opens a session for a target: socket, TLS, login.

use tacho_core::{Error, ErrorKind, Result};
use tacho_net::{
    Found, Stream, TlsMode, Trust, UnixSocket, connect_tcp, encrypt, too_late, unexpected,
    unreachable, variable,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::auth;
use crate::cancel::Key;
use crate::config::{Address, Config, socket_file};
use crate::errors::server;
use crate::request;
use crate::wire::Wire;

/// A new connection, and the properties of the server.
pub struct Opened {
    /// The connection, ready to send requests.
    pub wire: Wire,
    /// The version that the server reports, such as `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: Box<str>,
    /// The key with which the session's work can be cancelled.
    pub key: Option<Key>,
    /// The statement that starts a transaction. It also sets the isolation level.
    pub begin: &'static str,
    /// True if a statement is parsed each time it is executed.
    pub parses_each: bool,
}

/// Opens a connection within the configured time limit.
pub async fn connect(config: &Config) -> Result<Opened> {
    let password = config.find_password(&variable);
    let limit = config.connect_timeout;
    let opened = if limit.is_zero() {
        try_ways(config, &password).await
    } else {
        let timed = tokio::time::timeout(limit, try_ways(config, &password)).await;
        timed.unwrap_or_else(|_| Err(too_late(limit, "connect_timeout")))
    };
    opened.map_err(|error| {
        let error = error.during(format!("connect to {}", config.shown_address()));
        match &password.note {
            Some(note) if error.kind() == ErrorKind::Auth => error.hint(note),
            _ => error,
        }
    })
}

/// Connects with or without TLS, depending on the mode. If the mode allows both, tries the second one only if the
/// server rejects the first.
async fn try_ways(config: &Config, password: &Found) -> Result<Opened> {
    let ways: &[bool] = match (&config.address, config.tls) {
        (Address::Socket(_), _) | (_, TlsMode::Disable) => &[false],
        (_, TlsMode::Allow) => &[false, true],
        (_, TlsMode::Prefer) => &[true, false],
        _ => &[true],
    };
    let mut refusal = None;
    for encrypted in ways {
        match open_one(config, password, *encrypted).await {
            Err(error) if error.native_code() == Some("28000") => {
                refusal.get_or_insert(error);
            }
            outcome => return outcome,
        }
    }
    Err(refusal.unwrap_or_else(|| unexpected("no way to connect")))
}

async fn open_one(config: &Config, password: &Found, encrypted: bool) -> Result<Opened> {
    let mut wire = Wire::new(socket(config, encrypted).await?);
    let auth::Greeting { version, key } = auth::log_in(&mut wire, config, password).await?;
    wire.shrink();
    let (begin, parses_each) = (begin(config.isolation), config.parses_each);
    Ok(Opened { wire, version, key, begin, parses_each })
}

/// Returns the statement that starts a transaction. It always sets the isolation level, because a connection pooler may
/// have changed it.
fn begin(isolation: Option<&str>) -> &'static str {
    match isolation {
        Some("READ COMMITTED") => "BEGIN ISOLATION LEVEL READ COMMITTED",
        Some("REPEATABLE READ") => "BEGIN ISOLATION LEVEL REPEATABLE READ",
        Some("SERIALIZABLE") => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        _ => "BEGIN",
    }
}

async fn socket(config: &Config, encrypted: bool) -> Result<Stream> {
    match &config.address {
        Address::Socket(folder) => {
            let path = socket_file(folder, config.port);
            UnixSocket::connect(&path).await.map(Stream::Unix).map_err(unreachable)
        }
        Address::Tcp(host) => {
            let stream = connect_tcp(host, config.port, config.silence).await;
            let stream = stream.map_err(unreachable)?;
            if encrypted {
                ask_for_tls(stream, host, config).await
            } else {
                Ok(Stream::Tcp(stream))
            }
        }
    }
}

/// Asks the server to use TLS, before anything else is sent. The server responds with one byte.
async fn ask_for_tls(mut stream: TcpStream, host: &str, config: &Config) -> Result<Stream> {
    stream.write_all(&request::tls_request()).await.map_err(unreachable)?;
    match stream.read_u8().await.map_err(unreachable)? {
        b'S' => {
            let authorities = config.authorities(&variable);
            let words = ["sslmode", "sslrootcert", "sslcert and sslkey"];
            let authorities = authorities.as_deref();
            let identity = config
                .certificate
                .as_ref()
                .map(|(certificate, key)| (certificate.as_path(), key.as_path()));
            let trust = Trust { mode: config.tls, authorities, identity, words };
            encrypt(stream, host, trust).await
        }
        b'N' if config.tls == TlsMode::Prefer => Ok(Stream::Tcp(stream)),
        b'N' => Err(Error::new(ErrorKind::Unsupported, "the server does not support TLS")
            .hint("set ssl=on in the server's configuration, or connect with sslmode=disable")),
        b'E' => Err(refused(stream).await),
        _ => Err(unexpected("no response to a TLS request")),
    }
}

/// Reads the rest of an error message from a server that is too busy or too old to respond to the request for TLS.
async fn refused(mut stream: TcpStream) -> Error {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer).await {
        Ok(_) => server(answer.get(4..).unwrap_or_default()),
        Err(error) => unreachable(error),
    }
}
