//! Types and values as they appear in messages (MS-TDS 2.2.5.4 and 2.2.5.5): in parameters, bulk rows and results.
//!
//! This module must not depend on tables. Start reading at [`Ty`].

use rusqlite::types::Value;

use super::dates::{self, When};
use super::reader::{Reader, utf16};

/// The length that marks a type without a maximum length.
const MAX: u16 = 0xffff;

/// A type. It is either declared in a table, or precedes a value in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// An integer, with its size in bytes. A bit has the size 0.
    Int(u8),
    Float(u8),
    Money(u8),
    Decimal(u8, u8),
    When(When),
    Guid,
    /// A string, with two flags and a size in bytes. The first flag is true if characters are wide, and the second if
    /// the length is fixed.
    Text(bool, bool, u16),
    Binary(bool, u16),
}

/// The description of a type, which precedes values in a message. It includes how the lengths of the values are
/// encoded.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    pub ty: Ty,
    layout: Layout,
}

#[derive(Clone, Copy, Debug)]
enum Layout {
    /// No length.
    Plain,
    /// A length whose size depends on the type.
    Sized,
    /// A length of four bytes. `FreeTDS` sends it for types such as `ntext`.
    Long,
}

impl Info {
    /// Reads a `TYPE_INFO`.
    pub fn read(from: &mut Reader<'_>) -> Option<Self> {
        let token = from.u8()?;
        let plain = |ty| Some(Self { ty, layout: Layout::Plain });
        let ty = match token {
            0x30 => return plain(Ty::Int(1)),
            0x32 => return plain(Ty::Int(0)),
            0x34 => return plain(Ty::Int(2)),
            0x38 => return plain(Ty::Int(4)),
            0x7f => return plain(Ty::Int(8)),
            0x3b => return plain(Ty::Float(4)),
            0x3e => return plain(Ty::Float(8)),
            0x3d => return plain(Ty::When(When::DateTime(8))),
            0x3a => return plain(Ty::When(When::DateTime(4))),
            0x3c => return plain(Ty::Money(8)),
            0x26 => Ty::Int(from.u8()?),
            0x68 => {
                from.u8()?;
                Ty::Int(0)
            }
            0x6d => Ty::Float(from.u8()?),
            0x6e => Ty::Money(from.u8()?),
            0x6f => Ty::When(When::DateTime(from.u8()?)),
            0x24 => {
                from.u8()?;
                Ty::Guid
            }
            0x28 => Ty::When(When::Date),
            0x29 => Ty::When(When::Time(from.u8()?)),
            0x2a => Ty::When(When::DateTime2(from.u8()?)),
            0x2b => Ty::When(When::Offset(from.u8()?)),
            0x6a | 0x6c => {
                from.u8()?;
                Ty::Decimal(from.u8()?, from.u8()?)
            }
            0x23 | 0x63 => {
                from.take(9)?;
                let ty = Ty::Text(token == 0x63, false, MAX);
                return Some(Self { ty, layout: Layout::Long });
            }
            0xa5 | 0xad => Ty::Binary(token == 0xad, from.u16()?),
            0xa7 | 0xaf | 0xe7 | 0xef => {
                let length = from.u16()?;
                from.take(5)?;
                Ty::Text(token >= 0xe7, token & 0x0f == 0x0f, length)
            }
            _ => return None,
        };
        Some(Self { ty, layout: Layout::Sized })
    }

    /// Reads a `TYPE_VARBYTE`. A date becomes a string that sorts correctly, and a decimal becomes an SQLite number.
    pub fn value(self, from: &mut Reader<'_>) -> Option<Value> {
        let max = matches!(self.ty, Ty::Text(_, _, MAX) | Ty::Binary(_, MAX));
        let bytes = match self.ty {
            _ if matches!(self.layout, Layout::Plain) => {
                from.take(self.ty.plain_length())?.to_vec()
            }
            _ if matches!(self.layout, Layout::Long) => match from.u32()? {
                u32::MAX => return Some(Value::Null),
                length => from.take(length as usize)?.to_vec(),
            },
            _ if max => match from.plp()? {
                Some(bytes) => bytes,
                None => return Some(Value::Null),
            },
            Ty::Text(..) | Ty::Binary(..) => match from.u16()? {
                MAX => return Some(Value::Null),
                length => from.take(length.into())?.to_vec(),
            },
            _ => match from.u8()? {
                0 => return Some(Value::Null),
                length => from.take(length.into())?.to_vec(),
            },
        };
        self.ty.decode(&bytes)
    }
}

impl Ty {
    fn plain_length(self) -> usize {
        match self {
            Self::Int(0) => 1,
            Self::When(When::DateTime(length))
            | Self::Int(length)
            | Self::Float(length)
            | Self::Money(length) => length.into(),
            _ => 0,
        }
    }

    fn decode(self, bytes: &[u8]) -> Option<Value> {
        let mut from = Reader(bytes);
        let length = bytes.len();
        Some(match self {
            Self::Int(_) => Value::Integer(from.number(length)?),
            Self::Float(_) if length == 4 => Value::Real(f32::from_bits(from.u32()?).into()),
            Self::Float(_) => Value::Real(f64::from_bits(from.u64()?)),
            Self::Money(_) if length == 4 => Value::Real(from.number(4)? as f64 / 1e4),
            Self::Money(_) => {
                let (high, low) = (from.number(4)?, from.u32()?);
                Value::Real(((high << 32) + i64::from(low)) as f64 / 1e4)
            }
            Self::Decimal(_, scale) => {
                let positive = from.u8()? == 1;
                let mut all = [0; 16];
                all[..length - 1].copy_from_slice(from.take(length - 1)?);
                let unscaled = u128::from_le_bytes(all);
                let negated = if positive { 1.0 } else { -1.0 };
                match i64::try_from(unscaled) {
                    Ok(whole) if scale == 0 => Value::Integer(whole * negated as i64),
                    _ => Value::Real(unscaled as f64 / 10_f64.powi(scale.into()) * negated),
                }
            }
            Self::Guid => Value::Text(guid_text(bytes)),
            Self::Text(true, ..) => Value::Text(utf16(bytes)),
            Self::Text(..) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
            Self::Binary(..) => Value::Blob(bytes.to_vec()),
            Self::When(when) => Value::Text(when.decode(bytes)?),
        })
    }

    /// Parses a declaration such as `varchar(20)`. It may be preceded by a type of SQLite.
    pub fn parse(declared: &str) -> Option<Self> {
        let lower = declared.to_lowercase();
        let lower = lower.trim_start_matches("real ").replace(' ', "");
        let (word, rest) = lower.split_once('(').unwrap_or((&lower, ""));
        let sizes = rest.split(')').next().unwrap_or_default();
        let mut sizes = sizes.split(',').map(|size| size.parse::<u16>().unwrap_or(MAX));
        let first = sizes.next().filter(|_| !rest.is_empty());
        let scale = first.map_or(7, |scale| scale.min(7) as u8);
        let length = |times: u16| match first {
            Some(MAX) => MAX,
            length => length.unwrap_or(1).saturating_mul(times),
        };
        Some(match word {
            "tinyint" => Self::Int(1),
            "smallint" => Self::Int(2),
            "int" => Self::Int(4),
            "bigint" | "integer" => Self::Int(8),
            "bit" => Self::Int(0),
            "real" => Self::Float(4),
            "float" => Self::Float(8),
            "smallmoney" => Self::Money(4),
            "money" => Self::Money(8),
            "decimal" | "numeric" => {
                Self::Decimal(first.unwrap_or(18) as u8, sizes.next().unwrap_or(0) as u8)
            }
            "date" => Self::When(When::Date),
            "time" => Self::When(When::Time(scale)),
            "datetime" => Self::When(When::DateTime(8)),
            "smalldatetime" => Self::When(When::DateTime(4)),
            "datetime2" => Self::When(When::DateTime2(scale)),
            "datetimeoffset" => Self::When(When::Offset(scale)),
            "uniqueidentifier" => Self::Guid,
            "char" | "nchar" => {
                Self::Text(word == "nchar", true, length(1 + u16::from(word == "nchar")))
            }
            "varchar" => Self::Text(false, false, length(1)),
            "nvarchar" => Self::Text(true, false, length(2)),
            "sysname" => Self::Text(true, false, 256),
            "text" | "ntext" => Self::Text(word == "ntext", false, MAX),
            "binary" | "varbinary" => Self::Binary(word == "binary", length(1)),
            _ => return None,
        })
    }

    /// Returns a type that suits these values. Used for values that do not come from a declared column.
    pub fn of(values: &[Value]) -> Self {
        let known: Vec<&Value> = values.iter().filter(|value| **value != Value::Null).collect();
        let all = |test: fn(&Value) -> bool| known.iter().all(|value| test(value));
        if all(|value| matches!(value, Value::Integer(n) if i32::try_from(*n).is_ok())) {
            Self::Int(4)
        } else if all(|value| matches!(value, Value::Integer(_))) {
            Self::Int(8)
        } else if all(|value| matches!(value, Value::Integer(_) | Value::Real(_))) {
            Self::Float(8)
        } else if all(|value| matches!(value, Value::Blob(_))) {
            Self::Binary(false, MAX)
        } else if all(|value| matches!(value, Value::Text(text) if dates::parse(text).is_some())) {
            Self::When(When::DateTime2(7))
        } else if all(|value| matches!(value, Value::Text(text) if text.len() <= 1_000)) {
            Self::Text(true, false, 8_000)
        } else {
            Self::Text(true, false, MAX)
        }
    }

    /// Writes the `TYPE_INFO` of a nullable column.
    pub fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Int(0) => out.extend([0x68, 1]),
            Self::Int(length) => out.extend([0x26, length]),
            Self::Float(length) => out.extend([0x6d, length]),
            Self::Money(length) => out.extend([0x6e, length]),
            Self::Decimal(precision, scale) => out.extend([0x6a, 17, precision, scale]),
            Self::When(When::Date) => out.push(0x28),
            Self::When(When::Time(scale)) => out.extend([0x29, scale]),
            Self::When(When::DateTime(length)) => out.extend([0x6f, length]),
            Self::When(When::DateTime2(scale)) => out.extend([0x2a, scale]),
            Self::When(When::Offset(scale)) => out.extend([0x2b, scale]),
            Self::Guid => out.extend([0x24, 16]),
            Self::Binary(fixed, length) => {
                out.push(if fixed { 0xad } else { 0xa5 });
                out.extend(length.to_le_bytes());
            }
            Self::Text(wide, fixed, length) => {
                out.push(match (wide, fixed) {
                    (false, false) => 0xa7,
                    (false, true) => 0xaf,
                    (true, false) => 0xe7,
                    (true, true) => 0xef,
                });
                out.extend(length.to_le_bytes());
                out.extend(super::COLLATION);
            }
        }
    }

    /// Writes a `TYPE_VARBYTE`.
    pub fn write_value(self, value: &Value, out: &mut Vec<u8>) {
        let long = matches!(self, Self::Text(..) | Self::Binary(..));
        let max = matches!(self, Self::Text(_, _, MAX) | Self::Binary(_, MAX));
        let Some(bytes) = self.encode(value) else {
            match (max, long) {
                (true, _) => out.extend([0xff; 8]),
                (_, true) => out.extend([0xff; 2]),
                _ => out.push(0),
            }
            return;
        };
        if max {
            out.extend((bytes.len() as u64).to_le_bytes());
            // A chunk of length zero marks the end of a value, so an empty value has only this chunk.
            if !bytes.is_empty() {
                out.extend((bytes.len() as u32).to_le_bytes());
                out.extend(bytes);
            }
            out.extend([0; 4]);
            return;
        }
        if long {
            out.extend((bytes.len() as u16).to_le_bytes());
        } else {
            out.push(bytes.len() as u8);
        }
        out.extend(bytes);
    }

    fn encode(self, value: &Value) -> Option<Vec<u8>> {
        let integer = || match value {
            Value::Integer(number) => Some(*number),
            Value::Real(number) => Some(*number as i64),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let real = || match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Real(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        Some(match self {
            Self::Int(0) => vec![u8::from(integer()? != 0)],
            Self::Int(length) => integer()?.to_le_bytes()[..length.into()].to_vec(),
            Self::Float(4) => (real()? as f32).to_le_bytes().to_vec(),
            Self::Float(_) => real()?.to_le_bytes().to_vec(),
            Self::Money(length) => {
                let units = (real()? * 1e4).round() as i64;
                let [low, high] = [units as u32, (units >> 32) as u32].map(u32::to_le_bytes);
                if length == 4 { low.to_vec() } else { [high, low].concat() }
            }
            Self::Decimal(_, scale) => {
                let unscaled = match value {
                    Value::Integer(number) => i128::from(*number) * 10_i128.pow(scale.into()),
                    _ => (real()? * 10_f64.powi(scale.into())).round() as i128,
                };
                let mut bytes = vec![u8::from(unscaled >= 0)];
                bytes.extend(unscaled.unsigned_abs().to_le_bytes());
                bytes
            }
            Self::Guid => guid_bytes(&text_of(value)?)?,
            Self::Binary(..) => match value {
                Value::Blob(bytes) => bytes.clone(),
                _ => text_of(value)?.into_bytes(),
            },
            Self::Text(wide, fixed, length) => {
                let mut text = text_of(value)?;
                let width = usize::from(length) / (1 + usize::from(wide));
                if fixed {
                    let missing = width.saturating_sub(text.chars().count());
                    text.extend(std::iter::repeat_n(' ', missing));
                }
                if wide {
                    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
                } else {
                    text.into_bytes()
                }
            }
            Self::When(when) => when.encode(&text_of(value)?)?,
        })
    }
}

fn text_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    })
}

/// The order in which the text of a GUID contains its bytes. The first three parts are little-endian.
const GUID_ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

fn guid_text(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for (number, at) in GUID_ORDER.into_iter().enumerate() {
        if matches!(number, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{:02X}", bytes.get(at).copied().unwrap_or_default());
    }
    text
}

fn guid_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    GUID_ORDER
        .iter()
        .map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok())
        .collect()
}
