//! Opens a session for a target: socket, TLS, login, and session settings.
//!
//! Start reading at [`open`].

use std::future::poll_fn;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Removed, Target};
use tacho_net::{
    Envelope, Framing, Handshake, Stream, connect_tcp, encrypt_as, is_last, too_late, unexpected,
    unreachable, variable,
};

use crate::admin;
use crate::bytes::{Bytes, Read, string};
use crate::config::{Config, Encryption};
use crate::greeting::{self, Cover};
use crate::link::Link;
use crate::product::Product;
use crate::tokens::{Event, Tokens};
use crate::wire::{HEADER_BYTES, LAST, LOGIN, PRELOGIN, Packets, Wire, begin, packet, seal};

/// Maximum packet size before login.
const FIRST_PACKET_BYTES: usize = 4_096;
/// Maximum number of times that a server may redirect the client.
const HOPS: usize = 3;
/// The protocol's name in TLS negotiation.
const PROTOCOL: &[u8] = b"tds/8.0";
/// Statement that lets readers see committed data instead of waiting for locks. `NO_WAIT` makes the statement fail
/// immediately if another session uses the database.
const ROW_VERSIONS: &str = "ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH NO_WAIT";

/// A new connection, and the properties of the server.
pub struct Opened {
    /// The connection, ready to send requests.
    pub link: Link,
    /// The product's name and version, such as `Microsoft SQL Server 16.0.4135`.
    pub version: Box<str>,
    /// The server's product. Tacho queries it, because the login response does not reveal it.
    pub product: Product,
    /// True if rows are loaded with `INSERT`.
    pub inserts: bool,
}

/// Opens a connection for a table set. If `create` is true, first creates the database if it is missing.
pub async fn open(target: &Target, create: bool, set: u32) -> Result<Opened> {
    let config = &Config::read(target, &variable)?.of_set(set);
    match connect(config).await {
        // The login may have failed because the database does not exist yet, so create it.
        Err(error) if create && error.kind() == ErrorKind::Missing => {
            // Return the error of the first connection attempt, with a hint that says why the database could not be
            // created.
            create_database(config).await.map_err(|why| error.hint(format!("Tacho {why}")))?;
            connect(config).await
        }
        outcome => outcome,
    }
}

/// Opens a connection to the login's default database.
pub async fn open_server(target: &Target) -> Result<Link> {
    let config = Config::read(target, &variable)?;
    Ok(connect(&config.nowhere()).await?.link)
}

/// Drops the database if it is empty. Never drops the login, because Tacho never creates one.
pub async fn remove(target: &Target) -> Result<Removed> {
    let config = &Config::read(target, &variable)?;
    let gone = admin::drop_own_database(&mut connect(config).await?.link).await;
    let gone = gone.map_err(|error| error.during("remove the database"))?;
    Ok(Removed::if_empty(&config.database, gone))
}

/// Creates the database. Several sessions may do this at the same time.
async fn create_database(config: &Config) -> Result<()> {
    let mut link = connect(&config.clone().nowhere()).await?.link;
    let sql = format!("CREATE DATABASE {}", admin::bracketed(&config.database));
    match admin::run(&mut link, &sql).await {
        Err(error) if error.kind() != ErrorKind::Exists => {
            return Err(error.during("create the database"));
        }
        _ => {}
    }
    let mut link = connect(config).await?.link;
    // A server that does not support row versions can still be measured. The facts about the server show that they are
    // off.
    match admin::run(&mut link, ROW_VERSIONS).await {
        Err(error) if is_last(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Opens a connection within the configured time limit.
pub async fn connect(config: &Config) -> Result<Opened> {
    let limit = config.connect_timeout;
    let opened = if limit.is_zero() {
        hop(config).await
    } else {
        let timed = tokio::time::timeout(limit, hop(config)).await;
        timed.unwrap_or_else(|_| Err(too_late(limit, "connect_timeout")))
    };
    opened.map_err(|error| error.during(format!("connect to {}", config.shown_address())))
}

/// Connects. If the server redirects the client, connects to the other server. Redirections are specified in [MS-TDS]
/// 2.2.7.9, type 20.
async fn hop(config: &Config) -> Result<Opened> {
    let mut config = config.clone();
    for _ in 0..=HOPS {
        let mut opened = greet(&config).await?;
        let Some(place) = opened.link.tokens.environment.routing.take() else {
            let product = Product::ask(&mut opened.link, &config.session_sql()).await;
            opened.product = product.map_err(|error| error.during("set the session up"))?;
            opened.version = opened.product.version(&opened.version);
            opened.link.shrink();
            return Ok(opened);
        };
        (config.host, config.port) = *place;
    }
    Err(unexpected("too many redirections"))
}

async fn greet(config: &Config) -> Result<Opened> {
    let stream = connect_tcp(&config.host, config.port, config.silence).await;
    let mut stream = Stream::Tcp(stream.map_err(unreachable)?);
    if config.encryption == Encryption::Strict {
        stream = secure(stream, config, Handshake { protocol: PROTOCOL, envelope: None }).await?;
    }
    let mut wire = Wire::new(stream);
    wire.begin()?;
    let mut body = Vec::new();
    greeting::ask(config.encryption, &mut body);
    packet(PRELOGIN, &body, &mut wire.out);
    let message = wire.message().await?;
    if message.tag & LAST == 0 {
        return Err(unexpected("a long greeting"));
    }
    let cover = greeting::agreed(config.encryption, wire.body(&message))?;
    wire.done();
    if cover != Cover::Nothing {
        let handshake = Handshake { protocol: &[], envelope: Some(ENVELOPE) };
        wire = Wire::new(secure(wire.into_stream(), config, handshake).await?);
    }
    log_in(wire, config, cover).await
}

/// The envelope for the TLS handshake: each of its messages is inside a prelogin message, as specified in [MS-TDS]
/// 2.2.6.5.
const ENVELOPE: Envelope =
    Envelope { header_bytes: HEADER_BYTES, length: body_length, wrap: wrap_handshake };

fn body_length(header: &[u8]) -> Option<usize> {
    Packets::header(header).map(|header| header.length)
}

fn wrap_handshake(body: &[u8], out: &mut Vec<u8>) {
    let mut writing = begin(PRELOGIN, out);
    out.extend_from_slice(body);
    seal(&mut writing, FIRST_PACKET_BYTES, true, out);
}

async fn secure(stream: Stream, config: &Config, handshake: Handshake) -> Result<Stream> {
    let Stream::Tcp(stream) = stream else {
        return Err(Error::new(ErrorKind::Unsupported, "only TCP can be encrypted"));
    };
    let host = config.certificate_name.as_ref().unwrap_or(&config.host);
    let authorities = config.trusted();
    encrypt_as(stream, host, config.trust(authorities.as_deref()), handshake).await
}

async fn log_in(mut wire: Wire, config: &Config, cover: Cover) -> Result<Opened> {
    wire.begin()?;
    let mut writing = begin(LOGIN, &mut wire.out);
    greeting::login(config, &mut wire.out)?;
    seal(&mut writing, FIRST_PACKET_BYTES, true, &mut wire.out);
    poll_fn(|context| wire.poll_send(context)).await;
    if cover == Cover::Login {
        wire = Wire::new(wire.into_stream().in_clear());
        wire.begin()?;
    }
    let mut link = Link { wire, tokens: Tokens::new(FIRST_PACKET_BYTES) };
    let mut version = None;
    link.answer(|event| {
        if let Event::Login(body) = event {
            version = Some(server_version(body)?);
        }
        Ok(())
    })
    .await?;
    let version = version.ok_or_else(|| unexpected("no response to the login"))?;
    let product = Product::SqlServer;
    Ok(Opened { link, version: version.into(), product, inserts: config.inserts })
}

/// Parses a login response: the interface, the protocol version, and the product's name and version.
fn server_version(body: &[u8]) -> Read<String> {
    let mut bytes = Bytes(body);
    bytes.take(5)?;
    let name = string(bytes.short_text()?);
    let [major, minor, high, low] = bytes.array()?;
    let name = name.trim_end_matches('\0').trim();
    Ok(format!("{name} {major}.{minor}.{}", u16::from_be_bytes([high, low])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::to_utf16;

    #[test]
    fn the_version_is_read() -> Result<()> {
        let mut body = vec![1, 0x74, 0, 0, 4, 5];
        to_utf16(b"SQL\0\0", &mut body)?;
        body.extend([16, 0, 0x10, 0x27]);
        assert_eq!(server_version(&body).map_err(Error::from)?, "SQL 16.0.4135");
        Ok(())
    }
}
