//! Reads messages, in which numbers are little-endian and each character of a name has two bytes.
//!
//! Start reading at [`Reader`].

const PLP_NULL: u64 = u64::MAX;

/// The unread part of a message.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(*self.take(2)?.first_chunk()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }

    /// Reads two-byte characters.
    pub fn wide(&mut self, characters: usize) -> Option<String> {
        Some(utf16(self.take(2 * characters)?))
    }

    pub fn name(&mut self) -> Option<String> {
        let length = self.u8()?;
        self.wide(length.into())
    }

    pub fn number(&mut self, bytes: usize) -> Option<i64> {
        let taken = self.take(bytes)?;
        let sign = if bytes > 1 && taken.last()? & 0x80 != 0 { 0xff } else { 0 };
        let mut all = [sign; 8];
        all[..bytes].copy_from_slice(taken);
        Some(i64::from_le_bytes(all))
    }

    /// Reads a value that is sent in chunks and may be null.
    #[expect(clippy::option_option, reason = "a stream that ends, and a null")]
    pub fn plp(&mut self) -> Option<Option<Vec<u8>>> {
        if self.u64()? == PLP_NULL {
            return Some(None);
        }
        let mut all = Vec::new();
        loop {
            match self.u32()? {
                0 => return Some(Some(all)),
                length => all.extend(self.take(length as usize)?),
            }
        }
    }
}

pub fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> =
        bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    String::from_utf16_lossy(&units)
}
