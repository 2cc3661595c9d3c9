//! Reads and writes little-endian integers and UTF-16 strings.
//!
//! It is not an error if data is incomplete, because the rest may be in a packet that has not arrived yet.
//!
//! Start reading at [`Bytes`].

use tacho_core::{Error, Result};
use tacho_net::unexpected;

/// Additional space that is reserved when a buffer grows, so that it does not grow again as soon as its contents become
/// a little longer.
const SLACK: usize = 256;

/// The reason why data cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The data is incomplete. The rest has not arrived yet.
    Cut,
    /// The bytes violate the protocol.
    Broken(&'static str),
}

impl From<Stop> for Error {
    #[cold]
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cut => unexpected("a message that ends too early"),
            Stop::Broken(what) => unexpected(what),
        }
    }
}

/// The result of reading.
pub type Read<T> = std::result::Result<T, Stop>;

/// Bytes that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Returns the next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Stop::Cut)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Returns the next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Stop::Cut)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Reads one byte.
    #[inline]
    pub fn u8(&mut self) -> Read<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Reads a two-byte number.
    #[inline]
    pub fn u16(&mut self) -> Read<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Reads a four-byte number.
    #[inline]
    pub fn u32(&mut self) -> Read<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads an eight-byte number.
    #[inline]
    pub fn u64(&mut self) -> Read<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a `B_VARCHAR`: one byte with the number of UTF-16 code units, followed by these code units.
    #[inline]
    pub fn short_text(&mut self) -> Read<&'a [u8]> {
        let units = self.u8()?;
        self.take(2 * usize::from(units))
    }

    /// Reads a `US_VARCHAR`: two bytes with the number of UTF-16 code units, followed by these code units.
    pub fn long_text(&mut self) -> Read<&'a [u8]> {
        let units = self.u16()?;
        self.take(2 * usize::from(units))
    }

    /// Reads a `B_VARBYTE`: one byte with the length, followed by that many bytes.
    pub fn short_bytes(&mut self) -> Read<&'a [u8]> {
        let count = self.u8()?;
        self.take(usize::from(count))
    }
}

#[inline]
pub fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair))
}

/// Appends a UTF-16 string as UTF-8. Unpaired surrogates are replaced by U+FFFD.
#[inline]
pub fn to_utf8(bytes: &[u8], out: &mut Vec<u8>) {
    for (at, pair) in bytes.as_chunks::<2>().0.iter().enumerate() {
        match pair {
            [ascii @ ..0x80, 0] => out.push(*ascii),
            _ => return to_utf8_slowly(&bytes[2 * at..], out),
        }
    }
}

fn to_utf8_slowly(bytes: &[u8], out: &mut Vec<u8>) {
    for unit in char::decode_utf16(units(bytes)) {
        let char = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Converts a UTF-16 string.
pub fn string(bytes: &[u8]) -> String {
    String::from_utf16_lossy(&units(bytes).collect::<Vec<u16>>())
}

/// Appends a UTF-8 string as UTF-16.
///
/// # Errors
/// Returns an error if the string is not valid UTF-8.
#[inline]
pub fn to_utf16(text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if text.is_ascii() {
        let missing = 2 * text.len();
        if out.capacity() - out.len() < missing {
            out.reserve(missing + SLACK);
        }
        out.extend(text.iter().flat_map(|byte| [*byte, 0]));
        return Ok(());
    }
    let text = str::from_utf8(text).map_err(|error| {
        Error::usage("a string is not valid UTF-8").hint("use UTF-8").source(error)
    })?;
    out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() -> Result<()> {
        for text in ["", "plain", "naïve 数 🦀", "a\0b"] {
            let (mut wide, mut back) = (Vec::new(), Vec::new());
            to_utf16(text.as_bytes(), &mut wide)?;
            to_utf8(&wide, &mut back);
            assert_eq!((back.as_slice(), string(&wide).as_str()), (text.as_bytes(), text));
        }
        assert!(to_utf16(b"\xff", &mut Vec::new()).is_err());
        let mut half = Vec::new();
        to_utf8(&[0x41, 0, 0x3E, 0xD8], &mut half);
        assert_eq!(half, "A\u{FFFD}".as_bytes());
        Ok(())
    }

    #[test]
    fn truncated_data_needs_more_bytes() {
        let mut bytes = Bytes(&[2, 0x41, 0, 0x42]);
        assert_eq!(bytes.short_text(), Err(Stop::Cut));
        assert_eq!(Bytes(&[1, 0x41, 0]).short_text(), Ok(&[0x41, 0][..]));
        assert_eq!(Bytes(&[0]).u16(), Err(Stop::Cut));
    }
}
