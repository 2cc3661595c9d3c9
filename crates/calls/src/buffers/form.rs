//! How values of each kind travel, and how they are declared to the server.

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
/// Those of floating-point numbers: FLOAT, REAL, DOUBLE.
pub const SQL_FLOATS: [i16; 3] = [6, 7, SQL_DOUBLE];
const SQL_DOUBLE: i16 = 8;
const SQL_VARCHAR: i16 = 12;
const SQL_WVARCHAR: i16 = -9;
const SQL_TIMESTAMP: i16 = 93;

/// Digits of the longest decimal, of an `i64` without its point.
const DECIMAL_DIGITS: usize = 19;
/// Digits that every floating-point number of 64 bits has.
const DOUBLE_DIGITS: usize = 15;
/// Characters of `1970-01-01 00:00:00.000000`, and the digits of its fraction.
const TIMESTAMP_CHARS: usize = 26;
const FRACTION_DIGITS: i16 = 6;
/// Bytes of a character in UTF-8.
const CHAR_BYTES: usize = 4;

/// What decides how values travel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The database keeps decimals and times as whole numbers.
    pub whole_numbers: bool,
    /// How texts travel.
    pub text: TextType,
    /// Whole numbers travel as text, since the driver has no number of 64 bits.
    pub numbers_as_text: bool,
    /// Rows travel one by one, since the driver takes arrays and misreads them.
    pub singly: bool,
}

impl Manner {
    /// How many rows travel at once where so many could.
    pub fn rows(self, rows: usize) -> usize {
        if self.singly { 1 } else { rows }
    }
}

/// How texts travel. Of bytes the locale decides what they are, so that only UTF-16 means the same to all
/// drivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextType {
    /// As UTF-16, to a parameter of national characters.
    #[default]
    Utf16,
    /// As UTF-16, to a parameter of plain characters.
    Utf16AsVarchar,
    /// As bytes, which the driver takes for UTF-8.
    Bytes,
}

/// How values of a kind travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Number,
    /// A decimal of a column that holds floating-point numbers. Its text could have more digits than were declared.
    Double,
    /// Characters of one byte.
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

    /// Bytes of so many characters. A character may need four in UTF-8 and in UTF-16.
    pub fn bytes_of(self, chars: usize) -> usize {
        match self {
            Self::Number => size_of::<i64>(),
            Self::Double => size_of::<f64>(),
            Self::Text | Self::Wide => chars * CHAR_BYTES,
            Self::Moment => size_of::<Timestamp>(),
        }
    }
}

/// The declaration of a parameter for the server: its type, its size, and the digits of its fraction.
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
