//! Authenticates with a password. The server chooses the authentication method, and may switch to another method during
//! the login.
//!
//! A password is sent in clear text only over TLS or a Unix socket, where no third party can read it.

mod rsa;
mod scramble;

use tacho_core::{Error, ErrorKind, Result, Retry};
use tacho_net::{Found, Message, Secret, unexpected};

use self::scramble::{caching_sha2, ed25519, masked, native};
use crate::bytes::Bytes;
use crate::errors::{is, server};
use crate::wire::{Wire, packet};

/// First byte of any additional data that the server sends during authentication.
const MORE: u8 = 1;
/// Responses of the method `caching_sha2_password`. The server either accepts the client's proof or requires the full
/// password.
const FAST_DONE: u8 = 3;
const FULL_WANTED: u8 = 4;
/// Error numbers for a rejected login. The server does not tell the client why it was rejected.
const ACCESS_DENIED: [&str; 2] = ["1045", "1698"];
/// Request for the server's public key.
const KEY_REQUEST: u8 = 2;

/// An authentication method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// SHA-1 (`mysql_native_password`), the default in MariaDB and in MySQL up to version 5.7.
    Native,
    /// SHA-256 with a cache on the server, the default since MySQL 8.0.
    CachingSha2,
    /// MariaDB's Ed25519.
    Ed25519,
    /// The password in clear text.
    Clear,
    /// No password. The server identifies the user in another way. For example, it asks the operating system which user
    /// opened the socket.
    Nothing,
}

impl Method {
    /// Returns the method with this name.
    pub fn from_name(name: &str) -> Result<Self> {
        Ok(match name {
            "mysql_native_password" | "" => Self::Native,
            "caching_sha2_password" => Self::CachingSha2,
            "client_ed25519" => Self::Ed25519,
            "mysql_clear_password" => Self::Clear,
            "auth_socket" | "unix_socket" => Self::Nothing,
            other => {
                let text = format!("the server requested the {other} authentication method");
                let error = Error::new(ErrorKind::Unsupported, text);
                return Err(error.hint(
                    "change the user's authentication method to caching_sha2_password, \
                     mysql_native_password or ed25519",
                ));
            }
        })
    }

    /// Returns the method's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "mysql_native_password",
            Self::CachingSha2 => "caching_sha2_password",
            Self::Ed25519 => "client_ed25519",
            Self::Clear => "mysql_clear_password",
            Self::Nothing => "auth_socket",
        }
    }
}

/// A login in progress. A password is optional.
pub struct Prover<'a> {
    /// The password.
    pub password: &'a Found,
    /// The server's challenge, which consists of random bytes.
    pub challenge: Vec<u8>,
    /// The authentication method in use.
    pub method: Method,
    /// True if no third party can read the data sent over the connection.
    pub private: bool,
}

impl Prover<'_> {
    fn word(&self) -> &[u8] {
        match &self.password.password {
            Some(Secret(word)) => word.as_bytes(),
            None => b"",
        }
    }

    /// Returns the client's first authentication message.
    pub fn proof(&self) -> Result<Vec<u8>> {
        Ok(match self.method {
            Method::Native => native(self.word(), &self.challenge),
            Method::CachingSha2 => caching_sha2(self.word(), &self.challenge),
            Method::Ed25519 => ed25519(self.word(), &self.challenge),
            Method::Clear if self.private => self.clear(),
            Method::Clear => return Err(exposed()),
            Method::Nothing => Vec::new(),
        })
    }

    fn clear(&self) -> Vec<u8> {
        [self.word(), b"\0"].concat()
    }

    /// Responds to the server's requests until the login is accepted.
    pub async fn convince(&mut self, wire: &mut Wire) -> Result<()> {
        loop {
            let message = wire.message().await?;
            let body = wire.body(&message);
            match body.first() {
                Some(0x00) => return Ok(()),
                Some(0xFF) => return Err(self.refused(server(body))),
                Some(0xFE) => {
                    self.change(body)?;
                    let proof = self.proof()?;
                    send(wire, &message, &proof)?;
                }
                Some(&MORE) if self.method == Method::CachingSha2 => match body.get(1) {
                    Some(&FAST_DONE) => {}
                    Some(&FULL_WANTED) => self.full(wire, &message).await?,
                    _ => return Err(unexpected("an unknown authentication step")),
                },
                _ => return Err(unexpected("no authentication step")),
            }
        }
    }

    /// Switches to the method that the server requests, using the new challenge.
    fn change(&mut self, body: &[u8]) -> Result<()> {
        if body.len() == 1 {
            let text = "the server requested the authentication method used before MySQL 4.1";
            return Err(Error::new(ErrorKind::Unsupported, text).hint("set the password again"));
        }
        let mut bytes = Bytes(&body[1..]);
        self.method = Method::from_name(&String::from_utf8_lossy(bytes.until_zero()))?;
        self.challenge = bytes.0.strip_suffix(b"\0").unwrap_or(bytes.0).to_vec();
        Ok(())
    }

    /// Sends the full password, because the server has no cached entry for it.
    async fn full(&self, wire: &mut Wire, message: &Message) -> Result<()> {
        if self.private {
            return send(wire, message, &self.clear());
        }
        send(wire, message, &[KEY_REQUEST])?;
        let message = wire.message().await?;
        let body = wire.body(&message);
        let encrypted = match body.first() {
            Some(&MORE) => rsa::encrypt(&masked(&self.clear(), &self.challenge), &body[1..])?,
            Some(0xFF) => return Err(self.refused(server(body))),
            _ => return Err(exposed()),
        };
        send(wire, &message, &encrypted)
    }

    #[cold]
    fn refused(&self, error: Error) -> Error {
        // After any error during the login, the server closes the connection.
        let error = error.retry(Retry::NewConnection);
        if !is(&error, &ACCESS_DENIED) {
            return error;
        }
        let error = match self.password.password {
            None => error.hint("no password: set MYSQL_PWD or add a password to ~/.my.cnf"),
            Some(_) => error,
        };
        // The server also reports this error if the user has to use TLS or a client certificate.
        error.hint(
            "a user with REQUIRE SSL needs ssl-mode=required over TCP, and a user with REQUIRE X509 also needs \
             ssl-cert and ssl-key",
        )
    }
}

/// Appends a packet whose sequence number follows that of the server's last packet.
fn send(wire: &mut Wire, after: &Message, body: &[u8]) -> Result<()> {
    packet(after.tag.wrapping_add(1), &mut wire.out, |out| {
        out.extend_from_slice(body);
        Ok(())
    })
}

fn exposed() -> Error {
    let text = "the server requested a clear-text password on an unencrypted connection";
    Error::new(ErrorKind::Auth, text)
        .hint("connect over TLS with ssl-mode=required")
        .hint("connect through the Unix socket")
}
