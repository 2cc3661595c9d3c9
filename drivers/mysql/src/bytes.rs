//! Reads and writes the protocol's basic types: little-endian integers and length-prefixed strings.

use tacho_core::Result;
use tacho_net::unexpected;

/// The unread part of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Returns the next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(short)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Returns the next `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Reads one byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// Reads a two-byte number.
    #[inline]
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Reads a four-byte number.
    #[inline]
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads a length-encoded integer of one to nine bytes.
    #[inline]
    pub fn number(&mut self) -> Result<u64> {
        Ok(match self.u8()? {
            0xFC => u64::from(self.u16()?),
            0xFD => {
                let [a, b, c] = self.array()?;
                u64::from(u32::from_le_bytes([a, b, c, 0]))
            }
            0xFE => u64::from_le_bytes(self.array()?),
            // The bytes 0xFB and 0xFF do not start a length: 0xFB means NULL, and 0xFF starts an
            // error packet.
            0xFB | 0xFF => return Err(unexpected("no length")),
            small => u64::from(small),
        })
    }

    /// Reads a length-prefixed string.
    #[inline]
    pub fn text(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }

    /// Reads a length-prefixed string or NULL from a row of the text protocol.
    pub fn maybe_text(&mut self) -> Result<Option<&'a [u8]>> {
        if self.0.first() == Some(&0xFB) {
            self.0 = &self.0[1..];
            return Ok(None);
        }
        self.text().map(Some)
    }

    /// Reads a string that is terminated by a zero byte or by the end of the packet.
    pub fn until_zero(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == 0);
        let taken = &self.0[..end.unwrap_or(self.0.len())];
        self.0 = end.map_or(&[], |end| &self.0[end + 1..]);
        taken
    }
}

#[cold]
fn short() -> tacho_core::Error {
    unexpected("a packet that is too short")
}

/// Appends a length-encoded integer of one to nine bytes.
#[inline]
pub fn number(number: usize, out: &mut Vec<u8>) {
    let bytes = (number as u64).to_le_bytes();
    match number {
        0..=250 => out.push(bytes[0]),
        251..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&bytes);
        }
    }
}

/// Appends a length-prefixed string.
#[inline]
pub fn text(text: &[u8], out: &mut Vec<u8>) {
    number(text.len(), out);
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_round_trip() -> Result<()> {
        for expected in [0, 250, 251, 65_535, 65_536, 0xFF_FFFF, 0x100_0000, 1 << 40] {
            let mut out = Vec::new();
            number(expected, &mut out);
            assert_eq!(Bytes(&out).number()?, expected as u64);
        }
        let mut bytes = Bytes(b"\xFB\x02abname\0rest");
        assert_eq!(bytes.maybe_text()?, None);
        assert_eq!(bytes.maybe_text()?, Some(b"ab".as_slice()));
        assert_eq!((bytes.until_zero(), bytes.until_zero()), (&b"name"[..], &b"rest"[..]));
        assert!(bytes.u8().is_err() && Bytes(b"\x05ab").text().is_err());
        Ok(())
    }
}
