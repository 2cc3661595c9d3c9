//! The connection handshake: the server's greeting and the client's response.

use tacho_core::{Error, ErrorKind, Result};
use tacho_net::unexpected;

use crate::bytes::{self, Bytes};
use crate::config::Config;
use crate::errors::server;
use crate::product::Product;

/// Capability that every MySQL server reports. A server without it is MariaDB, which has further capabilities.
const IS_MYSQL: u64 = 1;
/// Makes the server count an updated row even if the update did not change its values. All other databases count such
/// rows.
const FOUND_ROWS: u64 = 1 << 1;
const LONG_FLAG: u64 = 1 << 2;
const WITH_DATABASE: u64 = 1 << 3;
const LOCAL_FILES: u64 = 1 << 7;
const PROTOCOL_41: u64 = 1 << 9;
const TLS: u64 = 1 << 11;
const TRANSACTIONS: u64 = 1 << 13;
const SECURE_CONNECTION: u64 = 1 << 15;
const MULTI_STATEMENTS: u64 = 1 << 16;
const MULTI_RESULTS: u64 = 1 << 17;
const PS_MULTI_RESULTS: u64 = 1 << 18;
const PLUGIN_AUTH: u64 = 1 << 19;
const CONNECT_ATTRIBUTES: u64 = 1 << 20;
const PLUGIN_AUTH_LENGTH: u64 = 1 << 21;
const NO_MARKS: u64 = 1 << 24;
/// MariaDB extension that omits descriptions of columns that the client already knows.
const REMEMBER_COLUMNS: u64 = 1 << 36;

/// The capabilities that this client requests.
const WANTED: u64 = FOUND_ROWS
    | LONG_FLAG
    | LOCAL_FILES
    | PROTOCOL_41
    | TRANSACTIONS
    | SECURE_CONNECTION
    | MULTI_STATEMENTS
    | MULTI_RESULTS
    | PS_MULTI_RESULTS
    | PLUGIN_AUTH
    | CONNECT_ATTRIBUTES
    | PLUGIN_AUTH_LENGTH
    | NO_MARKS
    | REMEMBER_COLUMNS;
/// The capabilities that this client requires. Every server since 5.5 has them.
const NEEDED: u64 = PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH | MULTI_STATEMENTS;

/// `utf8mb4_general_ci`, which every server since 5.5 supports.
const CHARACTER_SET: u8 = 45;
const MAX_PACKET_BYTES: u32 = 1 << 30;
const VERSION: u8 = 10;

/// The capabilities that the client and the server share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities(u64);

impl Default for Abilities {
    fn default() -> Self {
        Self(WANTED & !REMEMBER_COLUMNS)
    }
}

impl Abilities {
    /// Returns true if the server sends a separate packet to mark the end of the columns and the end of the rows.
    #[inline]
    pub fn has_marks(self) -> bool {
        self.0 & NO_MARKS == 0
    }

    /// Returns true if the server does not repeat the description of columns that the client already knows.
    #[inline]
    pub fn remembers_columns(self) -> bool {
        self.0 & REMEMBER_COLUMNS != 0
    }

    fn lengthy(self) -> bool {
        self.0 & PLUGIN_AUTH_LENGTH != 0
    }

    /// Returns the capabilities of an old server. Used in tests.
    #[cfg(test)]
    pub fn with_marks() -> Self {
        Self(WANTED & !NO_MARKS & !REMEMBER_COLUMNS)
    }

    /// Returns the capabilities of a server that omits known column descriptions, for tests.
    #[cfg(test)]
    pub fn remembering() -> Self {
        Self(WANTED)
    }
}

/// The server's greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The server's product.
    pub product: Product,
    /// The server's version, such as `10.11.19-MariaDB` or `9.7.4`.
    pub version: Box<str>,
    /// The random challenge used in the password proof.
    pub challenge: Vec<u8>,
    /// The authentication method that the server proposes.
    pub method: String,
    abilities: u64,
}

impl Greeting {
    /// Reads a greeting. If the server has too many connections or rejects this client, it sends an error instead of a
    /// greeting.
    pub fn read(body: &[u8]) -> Result<Self> {
        let mut bytes = Bytes(body);
        match bytes.u8()? {
            VERSION => {}
            0xFF => return Err(server(body)),
            other => return Err(unexpected(&format!("version {other} of the protocol"))),
        }
        let version = String::from_utf8_lossy(bytes.until_zero()).into_owned();
        bytes.take(4)?;
        let mut challenge = bytes.take(8)?.to_vec();
        bytes.u8()?;
        let low = bytes.u16()?;
        bytes.take(3)?;
        let high = bytes.u16()?;
        let length = usize::from(bytes.u8()?);
        bytes.take(6)?;
        let mariadb = bytes.u32()?;
        let mut abilities = u64::from(high) << 16 | u64::from(low);
        if abilities & NEEDED != NEEDED {
            let text = format!("the server's version {version} is too old");
            return Err(Error::new(ErrorKind::Unsupported, text).hint("it must be 5.5 or newer"));
        }
        let product = if abilities & IS_MYSQL == 0 { Product::MariaDb } else { Product::MySql };
        if product == Product::MariaDb {
            abilities |= u64::from(mariadb) << 32;
        }
        let rest = bytes.take(length.saturating_sub(8).max(13))?;
        challenge.extend_from_slice(rest.strip_suffix(b"\0").unwrap_or(rest));
        let method = String::from_utf8_lossy(bytes.until_zero()).into_owned();
        // MariaDB before 11 adds this prefix to its version, because old replicas accept only version 5.
        let version = version.strip_prefix("5.5.5-").unwrap_or(&version).into();
        Ok(Self { product, version, challenge, method, abilities })
    }

    /// Returns true if the server supports TLS.
    pub fn can_encrypt(&self) -> bool {
        self.abilities & TLS != 0
    }

    /// Returns the capabilities that the client and the server share.
    pub fn common(&self) -> Abilities {
        Abilities(self.abilities & WANTED)
    }

    fn flags(&self, config: &Config, encrypted: bool) -> u64 {
        let mut flags = self.common().0;
        if !config.database.is_empty() {
            flags |= WITH_DATABASE;
        }
        if encrypted {
            flags |= TLS;
        }
        if self.product == Product::MySql {
            flags |= IS_MYSQL;
        }
        flags
    }

    /// Appends the first half of the client's response to the greeting. If the client sends only this half, it requests
    /// TLS.
    pub fn ask(&self, config: &Config, encrypted: bool, out: &mut Vec<u8>) {
        let flags = self.flags(config, encrypted);
        out.extend_from_slice(&(flags as u32).to_le_bytes());
        out.extend_from_slice(&MAX_PACKET_BYTES.to_le_bytes());
        out.push(CHARACTER_SET);
        out.extend_from_slice(&[0; 19]);
        let mariadb = if self.product == Product::MariaDb { flags >> 32 } else { 0 };
        out.extend_from_slice(&(mariadb as u32).to_le_bytes());
    }

    /// Appends the client's response with the password proof.
    pub fn answer(
        &self,
        config: &Config,
        encrypted: bool,
        method: &str,
        proof: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.ask(config, encrypted, out);
        zero_ended(&config.user, out);
        if self.common().lengthy() {
            bytes::text(proof, out);
        } else {
            out.push(u8::try_from(proof.len()).map_err(|_| unexpected("a short proof"))?);
            out.extend_from_slice(proof);
        }
        if !config.database.is_empty() {
            zero_ended(&config.database, out);
        }
        zero_ended(method, out);
        if self.common().0 & CONNECT_ATTRIBUTES != 0 {
            let mut attributes = Vec::new();
            for word in ["program_name", "tacho", "_client_name", "tacho"] {
                bytes::text(word.as_bytes(), &mut attributes);
            }
            bytes::text(&attributes, out);
        }
        Ok(())
    }
}

fn zero_ended(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(version: &str, abilities: u64) -> Vec<u8> {
        let low = (abilities as u32).to_le_bytes();
        let mut body = vec![VERSION];
        zero_ended(version, &mut body);
        body.extend_from_slice(b"\x07\0\0\0abcdefgh\0");
        body.extend_from_slice(&low[..2]);
        body.extend_from_slice(&[45, 2, 0]);
        body.extend_from_slice(&low[2..]);
        body.extend_from_slice(b"\x15\0\0\0\0\0\0");
        body.extend_from_slice(&((abilities >> 32) as u32).to_le_bytes());
        body.extend_from_slice(b"ijklmnopqrst\0");
        zero_ended("mysql_native_password", &mut body);
        body
    }

    #[test]
    fn products_are_told_apart_by_their_abilities() -> Result<()> {
        let maria = Greeting::read(&greeting("5.5.5-10.11.19-MariaDB", NEEDED | REMEMBER_COLUMNS))?;
        assert_eq!((maria.product, &*maria.version), (Product::MariaDb, "10.11.19-MariaDB"));
        assert!(maria.common().remembers_columns() && maria.common().has_marks());
        assert_eq!(maria.challenge, b"abcdefghijklmnopqrst");
        assert_eq!(maria.method, "mysql_native_password");
        let mysql = greeting("9.7.4", NEEDED | IS_MYSQL | NO_MARKS | TLS | REMEMBER_COLUMNS);
        let mysql = Greeting::read(&mysql)?;
        assert_eq!((mysql.product, &*mysql.version), (Product::MySql, "9.7.4"));
        assert!(mysql.can_encrypt() && !mysql.common().has_marks());
        assert!(!mysql.common().remembers_columns(), "only MariaDB has that");
        Ok(())
    }

    #[test]
    fn rejections_and_old_servers_are_errors() {
        let full = Greeting::read(b"\xFF\x10\x04Too many connections").expect_err("no greeting");
        assert_eq!((full.kind(), full.native_code()), (ErrorKind::Resource, Some("1040")));
        let old = Greeting::read(&greeting("4.0.1", 0)).expect_err("too old");
        assert_eq!(old.kind(), ErrorKind::Unsupported);
        assert!(Greeting::read(b"\x09what").is_err() && Greeting::read(b"").is_err());
    }
}
