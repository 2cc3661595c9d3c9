//! Builds the messages to the server and appends them to a buffer.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use tacho_core::Result;

/// Protocol version 3.0, which every server since 7.4 supports.
const VERSION: u32 = 3 << 16;
/// Code that is sent instead of a protocol version to request TLS.
const TLS_CODE: u32 = 80_877_103;
/// Format code that marks all values of a message as binary.
const ALL_BINARY: [u8; 4] = [0, 1, 0, 1];
/// No format codes, so all values are text.
const ALL_TEXT: [u8; 2] = [0, 0];

/// `Sync`, which ends a batch. The server responds with `ReadyForQuery`.
pub const SYNC: [u8; 5] = [b'S', 0, 0, 0, 4];
/// `CopyDone`, sent after all rows.
pub const COPY_DONE: [u8; 5] = [b'c', 0, 0, 0, 4];
/// `Terminate`.
pub const TERMINATE: [u8; 5] = [b'X', 0, 0, 0, 4];
/// `Execute`, which returns all rows of the unnamed portal.
pub const EXECUTE: [u8; 10] = [b'E', 0, 0, 0, 9, 0, 0, 0, 0, 0];

/// Name of a prepared statement: a number for a statement of a catalog, a letter for any other statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// `BEGIN`.
    Begin,
    /// `COMMIT`.
    Commit,
    /// `ROLLBACK`.
    Rollback,
    /// The catalog statement with this index.
    Numbered(u16),
    /// The unnamed statement: the one that was last parsed without a name.
    Unnamed,
}

impl Name {
    /// Appends the name and a zero byte. Numbers are written as four hexadecimal digits, which is faster than decimal
    /// digits.
    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Begin => out.extend_from_slice(b"b\0"),
            Self::Commit => out.extend_from_slice(b"c\0"),
            Self::Rollback => out.extend_from_slice(b"r\0"),
            Self::Unnamed => out.push(0),
            Self::Numbered(number) => {
                let digit = |shift: u16| b"0123456789abcdef"[usize::from(number >> shift & 15)];
                out.extend_from_slice(&[b's', digit(12), digit(8), digit(4), digit(0), 0]);
            }
        }
    }
}

/// Appends a message. `write` appends its body.
#[inline]
pub fn message(
    tag: u8,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    out.push(tag);
    prefixed(out, write)
}

/// Appends a length, followed by the data that `write` appends. The length includes its own four bytes.
#[inline]
fn prefixed(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out)?;
    let length = (out.len() - at) as u32;
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// Like [`message`], but `write` cannot fail.
fn plain(tag: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    // The closure cannot fail.
    let _ = message(tag, out, |out| {
        write(out);
        Ok(())
    });
}

fn text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Appends a `StartupMessage` with these parameters.
pub fn startup(parameters: &[(&str, &str)], out: &mut Vec<u8>) {
    let _ = prefixed(out, |out| {
        out.extend_from_slice(&VERSION.to_be_bytes());
        for (name, value) in parameters {
            text(name, out);
            text(value, out);
        }
        out.push(0);
        Ok(())
    });
}

/// Returns an `SSLRequest`.
pub fn tls_request() -> [u8; 8] {
    let mut bytes = [0, 0, 0, 8, 0, 0, 0, 0];
    bytes[4..].copy_from_slice(&TLS_CODE.to_be_bytes());
    bytes
}

/// Appends a `PasswordMessage` with a clear-text or hashed password.
pub fn password(password: &[u8], out: &mut Vec<u8>) {
    plain(b'p', out, |out| {
        out.extend_from_slice(password);
        out.push(0);
    });
}

/// Appends a `SASLInitialResponse`.
pub fn sasl_first(mechanism: &str, data: &[u8], out: &mut Vec<u8>) {
    plain(b'p', out, |out| {
        text(mechanism, out);
        out.extend_from_slice(&(data.len() as u32).to_be_bytes());
        out.extend_from_slice(data);
    });
}

/// Appends a `SASLResponse`.
pub fn sasl_next(data: &[u8], out: &mut Vec<u8>) {
    plain(b'p', out, |out| out.extend_from_slice(data));
}

/// Appends a `Query` with one or more statements without parameters.
pub fn query(sql: &str, out: &mut Vec<u8>) {
    plain(b'Q', out, |out| text(sql, out));
}

/// Appends a `Query` that contains one statement. `write` appends the statement's text.
#[inline]
pub fn query_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    message(b'Q', out, |out| {
        write(out)?;
        out.push(0);
        Ok(())
    })
}

/// Appends a `CopyFail`, which makes the server discard the rows sent so far.
pub fn copy_fail(reason: &str, out: &mut Vec<u8>) {
    plain(b'f', out, |out| text(reason, out));
}

/// Appends a `Parse` that lets the server choose the parameter types.
pub fn parse(name: Name, sql: &str, out: &mut Vec<u8>) {
    plain(b'P', out, |out| {
        name.write(out);
        text(sql, out);
        out.extend_from_slice(&[0, 0]);
    });
}

/// Appends a `Describe` for a prepared statement.
pub fn describe(name: Name, out: &mut Vec<u8>) {
    plain(b'D', out, |out| {
        out.push(b'S');
        name.write(out);
    });
}

/// Appends a `Close` for a prepared statement. It is not an error if the statement does not exist.
pub fn close(name: Name, out: &mut Vec<u8>) {
    plain(b'C', out, |out| {
        out.push(b'S');
        name.write(out);
    });
}

/// Appends a `Bind` with `params` binary parameters to the unnamed portal. `values` appends each parameter, preceded by
/// its length.
#[inline]
pub fn bind(
    name: Name,
    params: usize,
    out: &mut Vec<u8>,
    values: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    bind_as(&ALL_BINARY, name, params, out, values)
}

/// Like [`bind`], but appends all values as text.
pub fn bind_text(
    name: Name,
    params: usize,
    out: &mut Vec<u8>,
    values: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    bind_as(&ALL_TEXT, name, params, out, values)
}

#[inline]
fn bind_as(
    format: &[u8],
    name: Name,
    params: usize,
    out: &mut Vec<u8>,
    values: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    message(b'B', out, |out| {
        out.push(0);
        name.write(out);
        out.extend_from_slice(format);
        out.extend_from_slice(&(params as u16).to_be_bytes());
        values(out)?;
        out.extend_from_slice(format);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_length() {
        let mut out = Vec::new();
        parse(Name::Numbered(0x1a), "X", &mut out);
        assert_eq!(out, b"P\0\0\0\x0es001a\0X\0\0\0");
        out.clear();
        bind(Name::Begin, 0, &mut out, |_| Ok(())).expect("no value can fail");
        assert_eq!(out, b"B\0\0\0\x11\0b\0\0\x01\0\x01\0\0\0\x01\0\x01");
        out.clear();
        startup(&[("user", "u")], &mut out);
        assert_eq!(out, b"\0\0\0\x10\0\x03\0\0user\0u\0\0");
        assert_eq!(tls_request(), [0, 0, 0, 8, 4, 210, 22, 47]);
    }
}
