//! A reusable buffer of typed values: parameters, received rows, or rows to load.

use tacho_core::Type;

/// A value borrowed from a [`Values`] buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// SQL NULL.
    Null,
    /// An integer.
    Int(i64),
    /// A decimal, stored as an unscaled integer. At a scale of 2, 1234 means 12.34. The scale is part of the signature
    /// or of the column's type.
    Decimal(i64),
    /// A string in UTF-8.
    Text(&'a [u8]),
    /// Microseconds since 1970-01-01T00:00:00Z.
    Time(i64),
}

/// The kind of a value, as declared in a statement's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// An integer: `int`.
    Int,
    /// A decimal with this number of digits after the decimal point: `decimal(2)`.
    Decimal(u8),
    /// A string: `text`.
    Text,
    /// A time: `time`.
    Time,
}

impl ValueKind {
    /// Returns the kind of values stored in a column of this type.
    pub const fn of(ty: Type) -> Self {
        match ty {
            Type::SmallInt | Type::Int | Type::BigInt => Self::Int,
            Type::Decimal { scale, .. } => Self::Decimal(scale),
            Type::Char(_) | Type::Varchar(_) => Self::Text,
            Type::Timestamp | Type::Date => Self::Time,
        }
    }
}

/// A stored value. The contents of strings are in a separate vector of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// SQL NULL.
    Null,
    /// No value, because the server did not return the column. It is read as NULL.
    Absent,
    /// An integer.
    Int(i64),
    /// A decimal as an unscaled integer.
    Decimal(i64),
    /// A string at these offsets.
    Text {
        /// The first byte.
        start: u32,
        /// The position after the string's last byte.
        end: u32,
    },
    /// Microseconds since 1970-01-01T00:00:00Z.
    Time(i64),
}

/// A growable list of values with up to 4 GiB of text. Clearing it keeps the allocated memory for reuse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    cells: Vec<Cell>,
    text: Vec<u8>,
}

impl Values {
    /// Removes all values but keeps the allocated memory.
    #[inline]
    pub fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
    }

    /// Returns the number of values.
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns true if there are no values.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Returns the size of the values in bytes.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<Cell>() + self.text.len()
    }

    /// Returns the size of the text in bytes.
    pub fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the value at `index`.
    ///
    /// # Panics
    /// Panics if there is no value at this index.
    #[inline]
    pub fn get(&self, index: usize) -> Value<'_> {
        match self.cells[index] {
            Cell::Null | Cell::Absent => Value::Null,
            Cell::Int(number) => Value::Int(number),
            Cell::Decimal(unscaled) => Value::Decimal(unscaled),
            Cell::Text { start, end } => Value::Text(&self.text[start as usize..end as usize]),
            Cell::Time(micros) => Value::Time(micros),
        }
    }

    /// Appends a placeholder for the value of a column that the server did not return.
    pub fn absent(&mut self) {
        self.cells.push(Cell::Absent);
    }

    /// Returns true if the server did not return the column of the value at `index`.
    #[inline]
    pub fn is_absent(&self, index: usize) -> bool {
        self.cells[index] == Cell::Absent
    }

    /// Appends NULL.
    #[inline]
    pub fn null(&mut self) {
        self.cells.push(Cell::Null);
    }

    /// Appends an integer.
    #[inline]
    pub fn int(&mut self, number: i64) {
        self.cells.push(Cell::Int(number));
    }

    /// Appends integers, or NULL in place of each `None`.
    #[inline]
    pub fn ints(&mut self, numbers: impl ExactSizeIterator<Item = Option<i64>>) {
        self.cells.extend(numbers.map(|number| number.map_or(Cell::Null, Cell::Int)));
    }

    /// Appends a decimal as an unscaled integer.
    #[inline]
    pub fn decimal(&mut self, unscaled: i64) {
        self.cells.push(Cell::Decimal(unscaled));
    }

    /// Appends a time in microseconds since 1970.
    #[inline]
    pub fn time(&mut self, micros: i64) {
        self.cells.push(Cell::Time(micros));
    }

    /// Appends a string.
    #[inline]
    pub fn text(&mut self, text: &[u8]) {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(text);
        self.cells.push(Cell::Text { start, end: self.text.len() as u32 });
    }

    /// Appends a string that `write` writes directly to the buffer without a copy.
    #[inline]
    pub fn text_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.text.len() as u32;
        write(&mut self.text);
        self.cells.push(Cell::Text { start, end: self.text.len() as u32 });
    }

    /// Appends any value.
    #[inline]
    pub fn push(&mut self, value: Value<'_>) {
        match value {
            Value::Null => self.null(),
            Value::Int(number) => self.int(number),
            Value::Decimal(unscaled) => self.decimal(unscaled),
            Value::Text(text) => self.text(text),
            Value::Time(micros) => self.time(micros),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip() {
        let mut values = Values::default();
        values.null();
        values.int(-3);
        values.decimal(1234);
        values.text(b"BAROUGHTABLE");
        values.time(5);
        values.text_with(|out| out.extend_from_slice(b"OE"));
        let expected = [
            Value::Null,
            Value::Int(-3),
            Value::Decimal(1234),
            Value::Text(b"BAROUGHTABLE"),
            Value::Time(5),
            Value::Text(b"OE"),
        ];
        for (index, value) in expected.into_iter().enumerate() {
            assert_eq!(values.get(index), value);
        }
        values.absent();
        assert_eq!((values.get(6), values.is_absent(6)), (Value::Null, true));
        assert!(!values.is_absent(0));
        values.clear();
        assert!(values.is_empty());
    }
}
