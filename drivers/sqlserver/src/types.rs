//! The types that the server uses to describe columns, and where their values start and end.
//!
//! The encodings are specified in [MS-TDS] 2.2.5.4 and 2.2.5.5. Start reading at [`Column::read`].

use crate::bytes::{Bytes, Read, Stop};

pub const INT1: u8 = 0x30;
pub const BIT: u8 = 0x32;
pub const INT2: u8 = 0x34;
pub const INT4: u8 = 0x38;
pub const SMALL_DATE_TIME: u8 = 0x3A;
pub const FLOAT4: u8 = 0x3B;
pub const MONEY: u8 = 0x3C;
pub const DATE_TIME: u8 = 0x3D;
pub const FLOAT8: u8 = 0x3E;
pub const SMALL_MONEY: u8 = 0x7A;
pub const INT8: u8 = 0x7F;
pub const GUID: u8 = 0x24;
pub const INT_N: u8 = 0x26;
pub const DATE_N: u8 = 0x28;
pub const TIME_N: u8 = 0x29;
pub const DATE_TIME_2_N: u8 = 0x2A;
pub const DATE_TIME_OFFSET_N: u8 = 0x2B;
pub const BIT_N: u8 = 0x68;
pub const DECIMAL_N: u8 = 0x6A;
pub const NUMERIC_N: u8 = 0x6C;
pub const FLOAT_N: u8 = 0x6D;
pub const MONEY_N: u8 = 0x6E;
pub const DATE_TIME_N: u8 = 0x6F;
pub const BINARY_VAR: u8 = 0xA5;
pub const CHAR_VAR: u8 = 0xA7;
pub const BINARY: u8 = 0xAD;
pub const CHAR: u8 = 0xAF;
pub const NCHAR_VAR: u8 = 0xE7;
pub const NCHAR: u8 = 0xEF;
const NULL: u8 = 0x1F;
const IMAGE: u8 = 0x22;
pub const TEXT: u8 = 0x23;
const VARIANT: u8 = 0x62;
pub const NTEXT: u8 = 0x63;
const UDT: u8 = 0xF0;
pub const XML: u8 = 0xF1;

/// Value of the length field for types without a length limit, such as `varchar(max)`. Their values are sent in chunks.
const UNLIMITED: u16 = 0xFFFF;
/// Collation flag for strings in UTF-8, [MS-TDS] 2.2.5.1.2.
const UTF_8: u32 = 1 << 26;

/// The encoding used for a value's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Determined by the type.
    Fixed(u8),
    /// One byte, where 0 means NULL.
    Byte,
    /// Two bytes, where all ones mean NULL.
    Short,
    /// Several chunks, each with its own length (`PLP`).
    Chunks,
    /// Four bytes, preceded by a pointer.
    Pointer,
    /// Four bytes, where 0 means NULL.
    Long,
}

/// The type of a column, a parameter or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The type's number.
    pub ty: u8,
    /// The encoding used for a value's length.
    pub layout: Layout,
    /// Maximum length in bytes.
    pub length: u32,
    /// Precision of a decimal.
    pub precision: u8,
    /// Number of digits after the decimal point. For a time, number of digits in the fraction of a second.
    pub scale: u8,
    /// Collation of a string.
    pub collation: [u8; 5],
    /// Column flags, [MS-TDS] 2.2.7.4.
    pub flags: u16,
}

impl Column {
    fn new(ty: u8, layout: Layout, length: u32) -> Self {
        Self { ty, layout, length, precision: 0, scale: 0, collation: [0; 5], flags: 0 }
    }

    /// Reads a `TYPE_INFO`.
    #[inline]
    pub fn read(bytes: &mut Bytes<'_>) -> Read<Self> {
        let ty = bytes.u8()?;
        Ok(match ty {
            NULL => Self::new(ty, Layout::Fixed(0), 0),
            INT1 | BIT => Self::new(ty, Layout::Fixed(1), 1),
            INT2 => Self::new(ty, Layout::Fixed(2), 2),
            INT4 | SMALL_DATE_TIME | FLOAT4 | SMALL_MONEY => Self::new(ty, Layout::Fixed(4), 4),
            INT8 | MONEY | DATE_TIME | FLOAT8 => Self::new(ty, Layout::Fixed(8), 8),
            GUID | INT_N | BIT_N | FLOAT_N | MONEY_N | DATE_TIME_N => {
                Self::new(ty, Layout::Byte, bytes.u8()?.into())
            }
            DATE_N => Self::new(ty, Layout::Byte, 3),
            TIME_N | DATE_TIME_2_N | DATE_TIME_OFFSET_N => {
                Self { scale: bytes.u8()?, ..Self::new(ty, Layout::Byte, 0) }
            }
            DECIMAL_N | NUMERIC_N => {
                let [length, precision, scale] = bytes.array()?;
                Self { precision, scale, ..Self::new(ty, Layout::Byte, length.into()) }
            }
            BINARY_VAR | BINARY | CHAR_VAR | CHAR | NCHAR_VAR | NCHAR => Self::string(ty, bytes)?,
            TEXT | NTEXT | IMAGE => {
                let length = bytes.u32()?;
                let collation = if ty == IMAGE { [0; 5] } else { bytes.array()? };
                Self { collation, ..Self::new(ty, Layout::Pointer, length) }
            }
            VARIANT => Self::new(ty, Layout::Long, bytes.u32()?),
            XML | UDT => Self::named(ty, bytes)?,
            _ => return Err(Stop::Broken("an unknown type")),
        })
    }

    #[inline]
    fn string(ty: u8, bytes: &mut Bytes<'_>) -> Read<Self> {
        let length = bytes.u16()?;
        let layout = if length == UNLIMITED { Layout::Chunks } else { Layout::Short };
        let collation = if matches!(ty, BINARY_VAR | BINARY) { [0; 5] } else { bytes.array()? };
        Ok(Self { collation, ..Self::new(ty, layout, length.into()) })
    }

    /// Reads the names that follow some types.
    fn named(ty: u8, bytes: &mut Bytes<'_>) -> Read<Self> {
        if ty == UDT {
            bytes.u16()?;
        }
        if ty == UDT || bytes.u8()? != 0 {
            bytes.short_text()?;
            bytes.short_text()?;
            if ty == UDT {
                bytes.short_text()?;
            }
            bytes.long_text()?;
        }
        Ok(Self::new(ty, Layout::Chunks, 0))
    }

    /// Appends the type in the form that [`Column::read`] reads. Types whose description contains names are not
    /// supported.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(self.ty);
        match self.ty {
            DECIMAL_N | NUMERIC_N => {
                out.extend_from_slice(&[self.length as u8, self.precision, self.scale]);
            }
            TIME_N | DATE_TIME_2_N | DATE_TIME_OFFSET_N => out.push(self.scale),
            BINARY_VAR | BINARY => out.extend_from_slice(&(self.length as u16).to_le_bytes()),
            CHAR_VAR | CHAR | NCHAR_VAR | NCHAR => {
                out.extend_from_slice(&(self.length as u16).to_le_bytes());
                out.extend_from_slice(&self.collation);
            }
            _ if self.layout == Layout::Byte && self.ty != DATE_N => out.push(self.length as u8),
            _ => {}
        }
    }

    /// Returns true if the column's strings are encoded in UTF-8.
    pub fn is_utf8(&self) -> bool {
        let [a, b, c, d, _] = self.collation;
        u32::from_le_bytes([a, b, c, d]) & UTF_8 != 0
    }

    /// Returns the bytes of a value, or `None` for NULL. For a value in chunks, these bytes include the lengths of the
    /// chunks.
    #[inline]
    pub fn value<'a>(&self, bytes: &mut Bytes<'a>) -> Read<Option<&'a [u8]>> {
        let length = match self.layout {
            Layout::Fixed(0) => return Ok(None),
            Layout::Fixed(length) => usize::from(length),
            Layout::Byte => match bytes.u8()? {
                0 => return Ok(None),
                length => usize::from(length),
            },
            Layout::Short => match bytes.u16()? {
                UNLIMITED => return Ok(None),
                length => usize::from(length),
            },
            Layout::Chunks => return chunks(bytes),
            Layout::Pointer => {
                if bytes.short_bytes()?.is_empty() {
                    return Ok(None);
                }
                bytes.take(8)?;
                bytes.u32()? as usize
            }
            Layout::Long => match bytes.u32()? {
                0 => return Ok(None),
                length => length as usize,
            },
        };
        bytes.take(length).map(Some)
    }
}

/// Reads a chunked value: the total length, if known, the chunks with their lengths, and a final zero.
fn chunks<'a>(bytes: &mut Bytes<'a>) -> Read<Option<&'a [u8]>> {
    if bytes.u64()? == u64::MAX {
        return Ok(None);
    }
    let all = bytes.0;
    loop {
        let length = bytes.u32()? as usize;
        if length == 0 {
            return Ok(Some(&all[..all.len() - bytes.0.len()]));
        }
        bytes.take(length)?;
    }
}

/// Returns the contents of a chunked value.
pub fn joined(chunks: &[u8]) -> Vec<u8> {
    let (mut bytes, mut out) = (Bytes(chunks), Vec::new());
    while let Ok(length) = bytes.u32() {
        out.extend_from_slice(bytes.take(length as usize).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example: a type, an encoded value of this type, and the contents of the value.
    type Example = (&'static [u8], &'static [u8], Option<&'static [u8]>);

    /// Examples from [MS-TDS].
    const TYPES: [Example; 10] = [
        (&[INT4], &[1, 0, 0, 0], Some(&[1, 0, 0, 0])),
        (&[INT_N, 8], &[0], None),
        (&[INT_N, 2], &[2, 5, 6], Some(&[5, 6])),
        (&[DECIMAL_N, 9, 18, 2], &[5, 1, 7, 0, 0, 0], Some(&[1, 7, 0, 0, 0])),
        (&[DATE_TIME_2_N, 6], &[2, 1, 2], Some(&[1, 2])),
        (&[DATE_N], &[3, 1, 2, 3], Some(&[1, 2, 3])),
        (&[NCHAR_VAR, 4, 0, 9, 4, 0, 0, 0], &[2, 0, 0x41, 0], Some(&[0x41, 0])),
        (&[CHAR, 4, 0, 9, 4, 0, 0, 0], &[0xFF, 0xFF], None),
        (&[BINARY_VAR, 4, 0], &[0, 0], Some(&[])),
        (
            &[NCHAR_VAR, 0xFF, 0xFF, 9, 4, 0, 0, 0],
            &[4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 3, 4, 0, 0, 0, 0],
            Some(&[2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 3, 4, 0, 0, 0, 0]),
        ),
    ];

    #[test]
    fn types_come_back_and_their_values_end_where_they_end() {
        for (info, value, expected) in TYPES {
            let mut bytes = Bytes(info);
            let column = Column::read(&mut bytes).expect("a type");
            assert!(bytes.0.is_empty(), "{info:?}");
            let mut out = Vec::new();
            column.write(&mut out);
            assert_eq!(out, info);
            let mut bytes = Bytes(value);
            assert_eq!(column.value(&mut bytes), Ok(expected), "{info:?}");
            assert!(bytes.0.is_empty());
            for cut in 0..value.len() {
                assert_eq!(column.value(&mut Bytes(&value[..cut])), Err(Stop::Cut), "{info:?}");
            }
            for cut in 0..info.len() {
                assert_eq!(Column::read(&mut Bytes(&info[..cut])), Err(Stop::Cut));
            }
        }
        assert_eq!(joined(TYPES[9].2.unwrap_or_default()), [1, 2, 3, 4]);
        assert!(matches!(Column::read(&mut Bytes(&[0x99])), Err(Stop::Broken(_))));
    }

    #[test]
    fn skips_names_that_follow_a_type() {
        let table: [&[u8]; 3] = [
            &[XML, 0],
            &[XML, 1, 1, 0x41, 0, 1, 0x42, 0, 1, 0, 0x43, 0],
            &[UDT, 0xFF, 0xFF, 1, 0x41, 0, 1, 0x42, 0, 1, 0x43, 0, 1, 0, 0x44, 0],
        ];
        for info in table {
            let mut bytes = Bytes(info);
            let column = Column::read(&mut bytes).expect("a type");
            assert!(bytes.0.is_empty() && column.layout == Layout::Chunks, "{info:?}");
        }
    }
}
