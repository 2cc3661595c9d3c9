//! Opens a session for a target: socket, greeting, TLS, login and session settings.

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Removed, Target};
use tacho_net::{
    Stream, TlsMode, UnixSocket, connect_tcp, encrypt, too_late, unreachable, variable,
};

use crate::admin;
use crate::auth::{Method, Prover};
use crate::config::{Address, Config};
use crate::errors::is;
use crate::greeting::Greeting;
use crate::link::Link;
use crate::product::Product;
use crate::wire::{Wire, packet};

const UNKNOWN_DATABASE: &str = "1049";

/// A new connection, and what the server reported about itself.
pub struct Opened {
    /// The connection, ready to send requests.
    pub link: Link,
    /// The server's product.
    pub product: Product,
    /// The server's version, such as `10.11.19-MariaDB`.
    pub version: Box<str>,
}

/// Validates the target without connecting.
pub fn check(target: &Target) -> Result<()> {
    Config::read(target, &variable).map(|_| ())
}

/// Opens a connection for a table set. Creates a missing database first if `create` is true.
pub async fn open(target: &Target, create: bool, set: u32) -> Result<Opened> {
    let config = &Config::read(target, &variable)?.of_set(set);
    match connect(config).await {
        Err(error) if create && is(&error, &[UNKNOWN_DATABASE]) => {
            let made = create_database(config).await;
            // Return the error of the first connection attempt, with a hint that says why the database could not be
            // created.
            made.map_err(|why| {
                let explained = error.hint(format!("Tacho {why}"));
                why.hints().iter().fold(explained, |error, hint| error.hint(hint.clone()))
            })?;
            connect(config).await
        }
        outcome => outcome,
    }
}

/// Drops the database if it is empty. Never drops the user, because Tacho creates none.
pub async fn remove(target: &Target) -> Result<Removed> {
    let config = &Config::read(target, &variable)?;
    let mut link = connect(config).await?.link;
    let gone = admin::drop_database(&mut link).await;
    admin::quit(&mut link).await;
    let gone = gone.map_err(|error| error.during("remove the database"))?;
    Ok(Removed::if_empty(&config.database, gone))
}

/// Opens a connection without selecting a database.
pub async fn open_nowhere(target: &Target) -> Result<Opened> {
    connect(&Config::read(target, &variable)?.nowhere()).await
}

/// Creates the database. If several sessions do this at the same time, all of them succeed.
async fn create_database(config: &Config) -> Result<()> {
    let mut link = connect(&config.clone().nowhere()).await?.link;
    let name = config.database.replace('`', "``");
    let charset = &config.charset;
    let sql = format!("CREATE DATABASE IF NOT EXISTS `{name}` CHARACTER SET {charset}");
    let made = admin::run(&mut link, &sql).await;
    admin::quit(&mut link).await;
    made.map(|_| ()).map_err(|error| error.during("create the database"))
}

/// Opens a connection within the configured time limit.
pub async fn connect(config: &Config) -> Result<Opened> {
    let limit = config.connect_timeout;
    let opened = if limit.is_zero() {
        greet(config).await
    } else {
        let timed = tokio::time::timeout(limit, greet(config)).await;
        timed.unwrap_or_else(|_| Err(too_late(limit, "connect-timeout")))
    };
    opened.map_err(|error| {
        let error = error.during(format!("connect to {}", config.shown_address()));
        match &config.password.note {
            Some(note) if error.kind() == ErrorKind::Auth => error.hint(note),
            _ => error,
        }
    })
}

async fn greet(config: &Config) -> Result<Opened> {
    let mut wire = Wire::new(socket(config).await?);
    let message = wire.message().await?;
    let greeting = Greeting::read(wire.body(&message))?;
    if greeting.product != config.product && !config.any_product {
        return Err(other_product(greeting.product, &greeting.version));
    }
    if !config.snapshot_isolation.is_empty() && greeting.product == Product::MySql {
        let text = "MySQL has no snapshot-isolation";
        return Err(
            Error::usage(text).hint("remove this option, which is available only for MariaDB")
        );
    }
    let number = message.tag.wrapping_add(1);
    let (mut wire, number) = secure(wire, &greeting, config, number).await?;
    log_in(&mut wire, &greeting, config, number).await?;
    let mut link = Link { wire, abilities: greeting.common() };
    let set = admin::run(&mut link, &config.session_sql()).await;
    set.map_err(|error| error.during("set up the session"))?;
    link.wire.shrink();
    let Greeting { product, version, .. } = greeting;
    Ok(Opened { link, product, version })
}

async fn socket(config: &Config) -> Result<Stream> {
    match &config.address {
        Address::Socket(path) => {
            UnixSocket::connect(path).await.map(Stream::Unix).map_err(unreachable)
        }
        Address::Tcp(host, port) => {
            let stream = connect_tcp(host, *port, config.silence).await;
            stream.map(Stream::Tcp).map_err(unreachable)
        }
    }
}

/// Encrypts the connection if the settings require it and the server supports it. Returns the next packet's number.
async fn secure(
    mut wire: Wire,
    greeting: &Greeting,
    config: &Config,
    number: u8,
) -> Result<(Wire, u8)> {
    let Address::Tcp(host, _) = &config.address else { return Ok((wire, number)) };
    if config.tls == TlsMode::Disable || (config.tls == TlsMode::Prefer && !greeting.can_encrypt())
    {
        return Ok((wire, number));
    }
    if !greeting.can_encrypt() {
        return Err(Error::new(ErrorKind::Unsupported, "the server does not support TLS")
            .hint("set ssl_cert and ssl_key on the server, or connect with ssl-mode=disabled"));
    }
    wire.begin()?;
    packet(number, &mut wire.out, |out| {
        greeting.ask(config, true, out);
        Ok(())
    })?;
    std::future::poll_fn(|context| wire.poll_send(context)).await;
    let Stream::Tcp(stream) = wire.into_stream() else { return Err(no_tcp()) };
    let stream = encrypt(stream, host, config.trust()).await?;
    Ok((Wire::new(stream), number.wrapping_add(1)))
}

fn no_tcp() -> Error {
    Error::new(ErrorKind::Unsupported, "only TCP can be encrypted")
}

async fn log_in(wire: &mut Wire, greeting: &Greeting, config: &Config, number: u8) -> Result<()> {
    let encrypted = matches!(wire.stream(), Stream::Tls(_));
    let private = !matches!(wire.stream(), Stream::Tcp(_));
    let challenge = greeting.challenge.clone();
    // If the client does not support the server's default login method, start with another method. The server may
    // require a different method for this user anyway.
    let method = match Method::from_name(&greeting.method).unwrap_or(Method::Native) {
        Method::Clear => Method::Native,
        method => method,
    };
    let mut prover = Prover { password: &config.password, challenge, method, private };
    let proof = prover.proof()?;
    wire.begin()?;
    packet(number, &mut wire.out, |out| {
        greeting.answer(config, encrypted, prover.method.name(), &proof, out)
    })?;
    prover.convince(wire).await?;
    wire.done();
    Ok(())
}

fn other_product(found: Product, version: &str) -> Error {
    let text = format!("the server is {} {version}", found.title());
    Error::usage(text).hint(format!("write the target as {}://…", found.scheme()))
}
