//! The server types that this driver supports, and the kinds of values that each of them can represent.

use tacho_driver::ValueKind;

/// A type in its binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    /// `boolean`: 0 or 1.
    Bool,
    /// `smallint`.
    Int2,
    /// `integer`.
    Int4,
    /// `bigint`.
    Int8,
    /// `real`. Supported only for columns of tables.
    Real,
    /// `double precision`. Supported only for columns of tables and for whole numbers, such as the year of a date
    /// before version 14.
    Double,
    /// `numeric`.
    Numeric,
    /// `text`, `varchar` and all other types whose binary form is plain text.
    Text,
    /// `char(n)`, whose values the server pads with blanks.
    Padded,
    /// `timestamp` and `timestamptz`, both in microseconds since 2000.
    Timestamp,
    /// `date`, in days since 2000.
    Date,
    /// The type `void` of functions without a result, or a type that is not known yet.
    Void,
}

/// The lowest object ID of a type that a user has created. Built-in types have lower, fixed IDs.
const FIRST_CREATED: u32 = 16_384;

impl WireType {
    /// The object ID of `void`.
    pub const VOID_OID: u32 = 2278;

    /// Returns the type with this object ID, or `None` if this driver does not support it.
    pub fn from_oid(oid: u32) -> Option<Self> {
        Some(match oid {
            16 => Self::Bool,
            20 => Self::Int8,
            21 => Self::Int2,
            23 => Self::Int4,
            // The types name, text, json, xml, unknown, varchar and cstring.
            19 | 25 | 114 | 142 | 705 | 1043 | 2275 => Self::Text,
            700 => Self::Real,
            701 => Self::Double,
            1042 => Self::Padded,
            1082 => Self::Date,
            1114 | 1184 => Self::Timestamp,
            1700 => Self::Numeric,
            Self::VOID_OID => Self::Void,
            // Types that were created in the database, such as enumerations and citext. The server sends them as text.
            // For a domain, it reports the base type.
            FIRST_CREATED.. => Self::Text,
            _ => return None,
        })
    }

    /// Returns true if a floating-point column stores numbers of this kind without loss. Computed values may be
    /// inexact, so they must be cast instead.
    pub fn carries_stored(self, kind: ValueKind) -> bool {
        matches!(self, Self::Real | Self::Double)
            && matches!(kind, ValueKind::Int | ValueKind::Decimal(_))
    }

    /// Returns true if this type can represent values of `kind` without loss.
    pub fn carries(self, kind: ValueKind) -> bool {
        match kind {
            ValueKind::Int => {
                let whole = matches!(self, Self::Bool | Self::Int2 | Self::Int4 | Self::Int8);
                whole || matches!(self, Self::Double | Self::Numeric)
            }
            ValueKind::Decimal(_) => {
                matches!(self, Self::Int2 | Self::Int4 | Self::Int8 | Self::Numeric)
            }
            ValueKind::Text => matches!(self, Self::Text | Self::Padded),
            ValueKind::Time => matches!(self, Self::Timestamp | Self::Date),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_carry_kinds() {
        let table = [
            (23, ValueKind::Int, true),
            (1700, ValueKind::Int, true),
            (1700, ValueKind::Decimal(2), true),
            (20, ValueKind::Decimal(2), true),
            (16, ValueKind::Decimal(2), false),
            (701, ValueKind::Int, true),
            // Computed binary fractions are inexact, so the user has to cast them to a decimal type.
            (701, ValueKind::Decimal(2), false),
            (1042, ValueKind::Text, true),
            (20_000, ValueKind::Text, true),
            (25, ValueKind::Int, false),
            (1184, ValueKind::Time, true),
            (1184, ValueKind::Int, false),
        ];
        for (oid, kind, carried) in table {
            let ty = WireType::from_oid(oid);
            assert_eq!(ty.map(|ty| ty.carries(kind)), Some(carried), "{oid} {kind:?}");
        }
        let real = WireType::from_oid(700).expect("a type");
        assert!(!real.carries(ValueKind::Int) && real.carries_stored(ValueKind::Decimal(2)));
        assert!(!real.carries_stored(ValueKind::Text), "a text is no number");
    }
}
