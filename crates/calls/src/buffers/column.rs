//! A column of a query's result. It contains one block of rows, with the values as the driver wrote them.

#![expect(unsafe_code, reason = "the ODBC driver reads and writes through pointers")]

use std::slice::from_raw_parts;

use tacho_core::{Error, Result};
use tacho_driver::{Value, ValueKind, Values, fraction, text};

use super::wide::take_wide;
use super::{Form, Manner, Timestamp, protocol};
use crate::library::{Length, NULL_DATA};

/// Size of a buffer for a decimal number in text form, in characters. It has room for the digits, a sign, a decimal
/// point and the terminating null, and some to spare.
const DECIMAL_CHARS: usize = 48;
/// Maximum difference between a floating-point number and the decimal that it represents, in units of the decimal's
/// last digit. The rounding error is smaller even for a sum of millions of values.
const SUM_ERROR: f64 = 0.01;
/// A length that no driver writes. It marks a value that has not been written.
const UNWRITTEN: isize = -99;

/// A result column.
pub struct Column<L> {
    pub kind: ValueKind,
    pub form: Form,
    /// Size of one value in bytes.
    pub width: usize,
    /// The values in a block, one after another.
    pub memory: Box<[u64]>,
    pub lengths: Box<[L]>,
}

impl<L: Length> Column<L> {
    /// Creates a column, but does not allocate memory for its values yet. A text value may have up to `chars`
    /// characters.
    pub fn new(kind: ValueKind, manner: Manner, chars: usize) -> Self {
        let form = Form::of(kind, manner);
        let width = match kind {
            ValueKind::Decimal(_) | ValueKind::Int if form == Form::Text => DECIMAL_CHARS,
            ValueKind::Text => form.bytes_of(chars + 1),
            _ => form.bytes_of(0),
        };
        Self { kind, form, width, memory: [].into(), lengths: [].into() }
    }

    /// Allocates memory for `rows` values.
    pub fn hold(&mut self, rows: usize) {
        self.memory = vec![0; (rows * self.width).div_ceil(size_of::<u64>())].into();
        self.lengths = vec![L::of(UNWRITTEN); rows].into();
    }

    /// Appends the value of a row.
    ///
    /// # Errors
    /// Returns a protocol error if the driver did not write the value, truncated it, or wrote another type.
    #[inline]
    pub fn read(&mut self, row: usize, values: &mut Values) -> Result<()> {
        let length = self.lengths[row].number();
        if length == UNWRITTEN {
            return Err(protocol(format!("the driver wrote fewer than {} rows", row + 1)));
        }
        // Mark the value as unwritten again, so that the next block does not return it by mistake.
        self.lengths[row] = L::of(UNWRITTEN);
        if length == NULL_DATA {
            values.null();
            return Ok(());
        }
        match self.form {
            Form::Number => {
                let number = self.memory[row] as i64;
                match self.kind {
                    ValueKind::Decimal(_) => values.decimal(number),
                    ValueKind::Time => values.time(number),
                    ValueKind::Int | ValueKind::Text => values.int(number),
                }
            }
            Form::Double => values.decimal(self.unscaled(f64::from_bits(self.memory[row]))?),
            Form::Moment => values.time(self.moment(row).micros()?),
            Form::Text | Form::Wide => {
                let bytes = usize::try_from(length).ok().filter(|bytes| *bytes < self.width);
                let bytes = bytes.ok_or_else(|| cut_off(self.width - 1))?;
                let text = &self.bytes()[row * self.width..][..bytes];
                if self.form == Form::Wide {
                    return take_wide(text, values);
                }
                self.take_text(text, values)?;
            }
        }
        Ok(())
    }

    #[inline]
    pub fn take_text(&self, text: &[u8], values: &mut Values) -> Result<()> {
        match (self.form, self.kind) {
            (Form::Number, ValueKind::Decimal(_)) => {
                text::read(text, ValueKind::Decimal(0), values)
            }
            (Form::Number, ValueKind::Time) => {
                let mut number = Values::default();
                text::read(text, ValueKind::Int, &mut number)?;
                if let Value::Int(micros) = number.get(0) {
                    values.time(micros);
                }
                Ok(())
            }
            (_, kind) => text::read(text, kind, values),
        }
    }

    /// Converts a floating-point number to a decimal. Returns an error if the difference is larger than the rounding
    /// error of a sum.
    pub fn unscaled(&self, number: f64) -> Result<i64> {
        let scale = if let ValueKind::Decimal(scale) = self.kind { scale.into() } else { 0 };
        let scaled = number * 10_f64.powi(scale);
        let unscaled = scaled.round();
        if unscaled.abs() <= fraction::EXACT as f64 && (scaled - unscaled).abs() < SUM_ERROR {
            return Ok(unscaled as i64);
        }
        let text = format!(
            "the result contains the number {number}, which does not have {scale} decimal places"
        );
        Err(protocol(text))
    }

    fn bytes(&self) -> &[u8] {
        let memory = &self.memory;
        // SAFETY: the bytes are exactly those of `self.memory`, and bytes have no alignment requirement.
        unsafe { from_raw_parts(memory.as_ptr().cast(), size_of_val(&**memory)) }
    }

    fn moment(&self, row: usize) -> Timestamp {
        let first = row * size_of::<Timestamp>();
        let bytes = &self.bytes()[first..first + size_of::<Timestamp>()];
        // SAFETY: the slice has the length of a timestamp. All fields of a timestamp are numbers, so every combination
        // of bytes is valid.
        unsafe { bytes.as_ptr().cast::<Timestamp>().read_unaligned() }
    }
}

#[cold]
fn cut_off(bytes: usize) -> Error {
    protocol(format!("the driver truncated a value after {bytes} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_numbers_are_read_as_decimals() -> Result<()> {
        let mut column = Column::<isize>::new(ValueKind::Decimal(2), Manner::default(), 0);
        (column.form, column.width) = (Form::Double, Form::Double.bytes_of(0));
        let mut read = |number: f64| {
            column.hold(1);
            (column.memory[0], column.lengths[0]) = (number.to_bits(), 8);
            let mut values = Values::default();
            column.read(0, &mut values).map(|()| format!("{:?}", values.get(0)))
        };
        for (number, decimal) in
            [(0.1 + 0.2, 30), (-12.34, -1_234), (0.0, 0), (5e12, 500_000_000_000_000)]
        {
            assert_eq!(read(number)?, format!("{:?}", Value::Decimal(decimal)));
        }
        for number in [1.0 / 3.0, 12.345, f64::NAN, f64::INFINITY, 1e15] {
            assert!(read(number).is_err(), "{number}");
        }
        Ok(())
    }
}
