//! Session startup: identifies the user, authenticates, and reads the server's parameters.

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{
    ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};
use tacho_core::{Error, ErrorKind, Result};
use tacho_net::{Found, Message, Secret, unexpected};

use crate::cancel::Key;
use crate::config::{Binding, Config};
use crate::errors::server;
use crate::request;
use crate::wire::{Wire, answered};

/// The parameters that the server reports when a session starts.
#[derive(Default)]
pub struct Greeting {
    /// The server's version.
    pub version: Box<str>,
    /// The key with which the session's work can be cancelled.
    pub key: Option<Key>,
}

/// Logs in.
pub async fn log_in(wire: &mut Wire, config: &Config, password: &Found) -> Result<Greeting> {
    wire.begin()?;
    let mut parameters = vec![
        ("user", config.user.as_str()),
        ("database", &config.database),
        ("application_name", &config.application_name),
        ("client_encoding", "UTF8"),
    ];
    // Sets the isolation level for statements that are run outside a transaction.
    parameters.extend(config.isolation.map(|level| ("default_transaction_isolation", level)));
    parameters.extend(config.options.as_deref().map(|options| ("options", options)));
    request::startup(&parameters, &mut wire.out);
    authenticate(wire, config, password).await?;
    let mut greeting = Greeting::default();
    loop {
        let message = next(wire).await?;
        match message.tag {
            b'Z' => {
                answered(wire, &message);
                return Ok(greeting);
            }
            // In protocol 3.0, a key always has eight bytes. Longer keys require a newer version.
            b'K' => greeting.key = wire.body(&message).try_into().ok(),
            b'S' => {
                let mut words = wire.body(&message).split(|byte| *byte == 0);
                if let (Some(b"server_version"), Some(text)) = (words.next(), words.next()) {
                    greeting.version = String::from_utf8_lossy(text).into();
                }
            }
            _ => {}
        }
    }
}

/// Responds to the server's requests until the login is accepted.
async fn authenticate(wire: &mut Wire, config: &Config, password: &Found) -> Result<()> {
    let mut unbound = config.binding == Binding::Require;
    loop {
        let (code, data) = question(wire).await?;
        match code {
            // The target requires channel binding, which only SCRAM supports, so any other method is an error.
            0..10 if unbound => return Err(not_bound()),
            0 => return Ok(()),
            3 => request::password(known(password)?.as_bytes(), &mut wire.out),
            5 => {
                let salt = data.try_into().map_err(|_| unexpected("a salt of the wrong length"))?;
                let word = known(password)?;
                let hash = md5_hash(config.user.as_bytes(), word.as_bytes(), salt);
                request::password(hash.as_bytes(), &mut wire.out);
            }
            10 => {
                let (mechanism, binding) = mechanism(wire, config.binding, &data)?;
                scram(wire, mechanism, binding, known(password)?).await?;
                unbound = false;
            }
            other => return Err(unsupported(other)),
        }
    }
}

/// Chooses one of the mechanisms that the server offers. Prefers channel binding, which ties the login to the server's
/// certificate.
fn mechanism(
    wire: &Wire,
    binding: Binding,
    offered: &[u8],
) -> Result<(&'static str, ChannelBinding)> {
    let offers = |name: &str| offered.split(|byte| *byte == 0).any(|one| one == name.as_bytes());
    let ours = if binding == Binding::Disable { None } else { wire.end_point() };
    match ours {
        Some(ours) if offers(SCRAM_SHA_256_PLUS) => {
            Ok((SCRAM_SHA_256_PLUS, ChannelBinding::tls_server_end_point(ours)))
        }
        _ if binding == Binding::Require => Err(not_bound()),
        _ if !offers(SCRAM_SHA_256) => Err(unsupported(10)),
        // Tell the server that the client supports channel binding. If an attacker has removed channel binding from the
        // server's list of mechanisms, the server notices this and rejects the login.
        Some(_) => Ok((SCRAM_SHA_256, ChannelBinding::unrequested())),
        None => Ok((SCRAM_SHA_256, ChannelBinding::unsupported())),
    }
}

/// Performs SCRAM-SHA-256 and verifies the server's proof. The server's next message accepts the login, and is read by
/// the caller.
async fn scram(
    wire: &mut Wire,
    mechanism: &str,
    binding: ChannelBinding,
    password: &str,
) -> Result<()> {
    let broken = |error: std::io::Error| {
        Error::new(ErrorKind::Auth, format!("the server's SCRAM response is invalid: {error}"))
    };
    let mut scram = ScramSha256::new(password.as_bytes(), binding);
    request::sasl_first(mechanism, scram.message(), &mut wire.out);
    let (11, data) = question(wire).await? else { return Err(unexpected("no SASL challenge")) };
    scram.update(&data).map_err(broken)?;
    request::sasl_next(scram.message(), &mut wire.out);
    let (12, data) = question(wire).await? else { return Err(unexpected("no SASL outcome")) };
    scram.finish(&data).map_err(broken)
}

/// Returns the code and data of the next `Authentication…` message.
async fn question(wire: &mut Wire) -> Result<(u32, Vec<u8>)> {
    let message = next(wire).await?;
    let body = wire.body(&message);
    match body.split_first_chunk() {
        Some((code, data)) if message.tag == b'R' => Ok((u32::from_be_bytes(*code), data.to_vec())),
        _ => Err(unexpected("no authentication request")),
    }
}

/// Returns the next message that is not a notice, or an error reported by the server.
async fn next(wire: &mut Wire) -> Result<Message> {
    loop {
        let message = wire.message().await?;
        match message.tag {
            b'E' => return Err(server(wire.body(&message))),
            b'N' => {}
            _ => return Ok(message),
        }
    }
}

fn known(password: &Found) -> Result<&str> {
    password.password.as_ref().map(|Secret(word)| word.as_str()).ok_or_else(|| {
        Error::new(ErrorKind::Auth, "the server requested a password, but none was given")
            .hint("set PGPASSWORD, or add a line host:port:database:user:password to ~/.pgpass")
    })
}

fn not_bound() -> Error {
    let text = "the login would not be bound to the server's certificate, but the target has \
                channel_binding=require";
    Error::new(ErrorKind::Auth, text).hint(
        "use TLS and scram-sha-256 for this user in pg_hba.conf, or set channel_binding=prefer",
    )
}

/// See <https://www.postgresql.org/docs/current/protocol-message-formats.html>.
fn unsupported(code: u32) -> Error {
    let method = match code {
        2 => "Kerberos",
        7..=9 => "GSSAPI or SSPI",
        10 => "a SASL mechanism other than SCRAM-SHA-256",
        _ => "an unknown method",
    };
    Error::new(ErrorKind::Unsupported, format!("the server requests {method}"))
        .hint("allow scram-sha-256 for this user in the server's pg_hba.conf")
}
