//! The forms in which values are transferred, and the SQL types declared for them.

use tacho_driver::ValueKind;

use super::Timestamp;

/// C types.
const C_BIGINT: i16 = -25;
pub const C_CHAR: i16 = 1;
pub const C_DOUBLE: i16 = 8;
pub const C_WCHAR: i16 = -8;
pub const C_TIMESTAMP: i16 = 93;
/// SQL types.
const SQL_BIGINT: i16 = -5;
const SQL_DECIMAL: i16 = 3;
/// The floating-point types: FLOAT, REAL, DOUBLE.
pub const SQL_FLOATS: [i16; 3] = [6, 7, SQL_DOUBLE];
const SQL_DOUBLE: i16 = 8;
const SQL_VARCHAR: i16 = 12;
const SQL_WVARCHAR: i16 = -9;
const SQL_TIMESTAMP: i16 = 93;

/// Number of digits of the longest decimal, which is stored as an `i64` without a decimal point.
const DECIMAL_DIGITS: usize = 19;
/// Number of decimal digits that a 64-bit floating-point number can always represent.
const DOUBLE_DIGITS: usize = 15;
/// Number of characters in a timestamp such as `1970-01-01 00:00:00.000000`, and number of its fractional digits.
const TIMESTAMP_CHARS: usize = 26;
const FRACTION_DIGITS: i16 = 6;
/// Maximum size of a UTF-8 character in bytes.
const CHAR_BYTES: usize = 4;

/// Settings that determine how values are transferred.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// True if the database stores decimals and times as integers.
    pub whole_numbers: bool,
    /// Text encoding.
    pub text: TextType,
    /// True if integers are transferred as text because the driver lacks 64-bit numbers.
    pub numbers_as_text: bool,
    /// True if rows are transferred one by one because the driver misreads arrays.
    pub singly: bool,
}

impl Manner {
    /// Returns the number of rows to transfer at once, which is at most `rows`.
    pub fn rows(self, rows: usize) -> usize {
        if self.singly { 1 } else { rows }
    }
}

/// Encoding in which text is transferred. Other encodings are not used, because drivers would interpret the bytes
/// according to the locale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextType {
    /// UTF-16, declared as a national character parameter.
    #[default]
    Utf16,
    /// UTF-16, declared as a plain character parameter.
    Utf16AsVarchar,
    /// Bytes, which the driver interprets as UTF-8.
    Bytes,
}

/// The form in which values of a type are transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Number,
    /// A decimal from a floating-point column. It is transferred as a floating-point number, because its text could
    /// have more digits than the declared type allows.
    Double,
    /// Single-byte characters.
    Text,
    /// UTF-16.
    Wide,
    Moment,
}

impl Form {
    pub fn of(kind: ValueKind, manner: Manner) -> Self {
        match kind {
            ValueKind::Int if manner.numbers_as_text => Self::Text,
            ValueKind::Int => Self::Number,
            ValueKind::Decimal(_) | ValueKind::Time if manner.whole_numbers => Self::Number,
            ValueKind::Text if manner.text != TextType::Bytes => Self::Wide,
            ValueKind::Decimal(_) | ValueKind::Text => Self::Text,
            ValueKind::Time => Self::Moment,
        }
    }

    pub fn c_type(self) -> i16 {
        match self {
            Self::Number => C_BIGINT,
            Self::Double => C_DOUBLE,
            Self::Text => C_CHAR,
            Self::Wide => C_WCHAR,
            Self::Moment => C_TIMESTAMP,
        }
    }

    /// Returns the size in bytes of a buffer for one value. For text, the buffer has space for `chars` characters. In
    /// both UTF-8 and UTF-16, a character needs up to four bytes.
    pub fn bytes_of(self, chars: usize) -> usize {
        match self {
            Self::Number => size_of::<i64>(),
            Self::Double => size_of::<f64>(),
            Self::Text | Self::Wide => chars * CHAR_BYTES,
            Self::Moment => size_of::<Timestamp>(),
        }
    }
}

/// Returns the SQL type that is declared for a parameter, the type's size, and the number of fractional digits.
pub fn declared(kind: ValueKind, form: Form, manner: Manner, chars: usize) -> (i16, usize, i16) {
    match (form, kind) {
        (Form::Number, _) => (SQL_BIGINT, DECIMAL_DIGITS, 0),
        (Form::Double, _) => (SQL_DOUBLE, DOUBLE_DIGITS, 0),
        (Form::Text, ValueKind::Decimal(scale)) => (SQL_DECIMAL, DECIMAL_DIGITS, scale.into()),
        (Form::Text, ValueKind::Int) => (SQL_DECIMAL, DECIMAL_DIGITS, 0),
        (Form::Text, _) => (SQL_VARCHAR, chars.max(1), 0),
        (Form::Wide, _) if manner.text == TextType::Utf16AsVarchar => {
            (SQL_VARCHAR, chars.max(1), 0)
        }
        (Form::Wide, _) => (SQL_WVARCHAR, chars.max(1), 0),
        (Form::Moment, _) => (SQL_TIMESTAMP, TIMESTAMP_CHARS, FRACTION_DIGITS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_travel_as_the_database_keeps_them() {
        for (kind, whole_numbers, expected) in [
            (ValueKind::Decimal(2), false, Form::Text),
            (ValueKind::Decimal(2), true, Form::Number),
            (ValueKind::Time, false, Form::Moment),
            (ValueKind::Time, true, Form::Number),
            (ValueKind::Int, false, Form::Number),
            (ValueKind::Text, true, Form::Wide),
        ] {
            let manner = Manner { whole_numbers, ..Manner::default() };
            assert_eq!(Form::of(kind, manner), expected, "{kind:?}");
        }
        let manner = Manner { numbers_as_text: true, ..Manner::default() };
        let form = Form::of(ValueKind::Int, manner);
        assert_eq!(declared(ValueKind::Int, form, manner, 0), (SQL_DECIMAL, DECIMAL_DIGITS, 0));
    }
}
