//! Reads and writes values in place in the vectors that make up a DuckDB chunk.
//!
//! Decimals and times are read and written as integers. A value with too many decimal places is rejected and never
//! rounded.
//!
//! Start reading at [`Chunk`].

#![expect(unsafe_code, reason = "reads and writes the columns in place")]

use std::ffi::{c_char, c_int};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Value, ValueKind, Values, text};

use crate::library::{Handle, HugeInt, Library};

const TINYINT: c_int = 2;
const SMALLINT: c_int = 3;
const INTEGER: c_int = 4;
const BIGINT: c_int = 5;
const DOUBLE: c_int = 11;
const TIMESTAMP: c_int = 12;
const DATE: c_int = 13;
const HUGEINT: c_int = 16;
const VARCHAR: c_int = 17;
const DECIMAL: c_int = 19;

/// Microseconds per day.
pub const DAY_US: i64 = 86_400_000_000;

/// 2^53. A double can represent every integer up to this number.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Strings up to this length are stored in the vector itself.
const INLINED: usize = 12;

/// The properties of a DuckDB type that determine how its values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The type in which values are stored. Decimals are stored as integers.
    stored: c_int,
    /// Width and scale of a decimal.
    pub decimal: Option<(u8, u8)>,
}

impl Shape {
    pub const SMALLINT: Self = Self { stored: SMALLINT, decimal: None };
    pub const INTEGER: Self = Self { stored: INTEGER, decimal: None };
    pub const DATE: Self = Self { stored: DATE, decimal: None };
    pub const OTHER: Self = Self { stored: 0, decimal: None };

    /// Returns the shape of a type that DuckDB allocated for the caller, and releases the type.
    pub fn of(library: &Library, mut handle: Handle) -> Self {
        if handle.is_null() {
            return Self::OTHER;
        }
        // SAFETY: the caller owns the type, which is released at the end.
        unsafe {
            let id = (library.get_type_id)(handle);
            let shape = if id == DECIMAL {
                let decimal = ((library.decimal_width)(handle), (library.decimal_scale)(handle));
                Self { stored: (library.decimal_internal_type)(handle), decimal: Some(decimal) }
            } else {
                Self { stored: id, decimal: None }
            };
            (library.destroy_logical_type)(&raw mut handle);
            shape
        }
    }
}

/// A set of rows, stored column by column.
pub struct Chunk {
    library: &'static Library,
    pub handle: Handle,
    /// The columns, available after [`Self::look`] has been called.
    columns: Vec<Vector>,
}

/// One column of a chunk.
#[derive(Clone, Copy)]
struct Vector {
    handle: Handle,
    shape: Shape,
    data: *mut std::ffi::c_void,
    /// One bit per row. The pointer is null if no row is NULL.
    validity: *mut u64,
}

/// A string in DuckDB's memory layout. A short string is its length, followed by its bytes. A long string is its
/// length, its first four bytes, and a pointer to all bytes.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawText {
    length: u32,
    begin: [u8; 4],
    rest: [u8; 8],
}

impl Chunk {
    /// Wraps a result chunk. Returns `None` if the handle is null.
    pub fn fetched(library: &'static Library, handle: Handle) -> Option<Self> {
        (!handle.is_null()).then(|| Self { library, handle, columns: Vec::new() })
    }

    /// Creates an empty chunk with columns of the given types, and releases the types.
    pub fn to_fill(library: &'static Library, mut types: Vec<Handle>) -> Self {
        // SAFETY: the types are copied.
        let handle = unsafe { (library.create_data_chunk)(types.as_mut_ptr(), types.len() as u64) };
        let shapes: Vec<Shape> = types.into_iter().map(|ty| Shape::of(library, ty)).collect();
        let mut chunk = Self { library, handle, columns: Vec::new() };
        chunk.columns =
            shapes.iter().enumerate().map(|(at, shape)| chunk.vector(at, *shape)).collect();
        chunk
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        // SAFETY: the chunk is valid.
        (unsafe { (self.library.data_chunk_get_size)(self.handle) }) as usize
    }

    fn vector(&self, at: usize, shape: Shape) -> Vector {
        let library = self.library;
        // SAFETY: the chunk has a column with this index.
        unsafe {
            let handle = (library.data_chunk_get_vector)(self.handle, at as u64);
            let data = (library.vector_get_data)(handle);
            Vector { handle, shape, data, validity: (library.vector_get_validity)(handle) }
        }
    }

    /// Prepares the first columns so that their values can be read.
    pub fn look(&mut self, columns: usize) {
        let vectors = (0..columns).map(|at| {
            let mut vector = self.vector(at, Shape::OTHER);
            // SAFETY: the column belongs to the chunk, and `Shape` releases the type.
            let ty = unsafe { (self.library.vector_get_column_type)(vector.handle) };
            vector.shape = Shape::of(self.library, ty);
            vector
        });
        self.columns = vectors.collect();
    }

    /// Appends the value at this row and column to the output, converted to the type that the statement declares for
    /// the column.
    #[inline]
    pub fn read(
        &self,
        row: usize,
        column: usize,
        kind: ValueKind,
        values: &mut Values,
    ) -> Result<()> {
        let vector = &self.columns[column];
        if vector.is_null(row) {
            values.null();
            return Ok(());
        }
        match kind {
            ValueKind::Text => match vector.text(row) {
                Some(text) => values.text(text),
                None => return Err(vector.unexpected()),
            },
            ValueKind::Int => values.int(vector.scaled(row, 0)?),
            ValueKind::Decimal(scale) => values.decimal(vector.scaled(row, scale)?),
            ValueKind::Time => values.time(vector.time(row).ok_or_else(|| vector.unexpected())?),
        }
        Ok(())
    }

    /// Appends the value at this row and column to the output as an integer or a string. Used for users' statements,
    /// which declare no types.
    pub fn read_any(&self, row: usize, column: usize, values: &mut Values) -> Result<()> {
        let vector = &self.columns[column];
        if vector.is_null(row) {
            values.null();
            return Ok(());
        }
        let scale = vector.shape.decimal.map_or(0, |(_, scale)| scale);
        if let Some(text) = vector.text(row) {
            values.text(text);
        } else if let Some(micros) = vector.time(row) {
            text::time(micros, values);
        } else if vector.shape.stored == DOUBLE {
            text::fraction(vector.at(row), values);
        } else if scale > 0 {
            let unscaled = vector.scaled(row, scale)?;
            values.text_with(|out| text::decimal(unscaled, scale, out));
        } else {
            values.int(vector.scaled(row, 0)?);
        }
        Ok(())
    }

    /// Writes one value of a row to be loaded.
    #[inline]
    pub fn write(&mut self, row: usize, column: usize, value: Value<'_>) -> Result<()> {
        let library = self.library;
        let vector = &mut self.columns[column];
        match value {
            Value::Null => vector.set_null(library, row),
            Value::Text(text) if vector.shape.stored == VARCHAR => {
                let length = text.len() as u64;
                // SAFETY: the column stores strings and has room for this row, and the string is copied.
                unsafe {
                    let text = text.as_ptr().cast::<c_char>();
                    (library.vector_assign_string_element_len)(
                        vector.handle,
                        row as u64,
                        text,
                        length,
                    );
                }
            }
            Value::Time(micros) if vector.shape == Shape::DATE => {
                return vector.set_whole(row, micros.div_euclid(DAY_US));
            }
            Value::Int(number) | Value::Decimal(number) | Value::Time(number) => {
                return vector.set_whole(row, number);
            }
            Value::Text(_) => return Err(vector.unexpected()),
        }
        Ok(())
    }

    /// Sets the number of rows written to the chunk.
    pub fn set_rows(&mut self, rows: usize) {
        // SAFETY: the chunk has room for this many rows.
        unsafe { (self.library.data_chunk_set_size)(self.handle, rows as u64) };
    }

    /// Empties the chunk.
    pub fn reset(&mut self) {
        // SAFETY: this value owns the chunk.
        unsafe { (self.library.data_chunk_reset)(self.handle) };
        let shapes: Vec<Shape> = self.columns.iter().map(|column| column.shape).collect();
        self.columns =
            shapes.iter().enumerate().map(|(at, shape)| self.vector(at, *shape)).collect();
    }
}

impl Vector {
    #[inline]
    fn is_null(&self, row: usize) -> bool {
        // SAFETY: the mask contains a bit for each row of the chunk.
        !self.validity.is_null()
            && unsafe { self.validity.add(row / 64).read() } & (1 << (row % 64)) == 0
    }

    fn set_null(&mut self, library: &Library, row: usize) {
        // SAFETY: the column is writable and, after this call, has a bit for each row.
        unsafe {
            (library.vector_ensure_validity_writable)(self.handle);
            self.validity = (library.vector_get_validity)(self.handle);
            *self.validity.add(row / 64) &= !(1 << (row % 64));
        }
    }

    /// Returns the value at the given row; the column must store `T`.
    #[inline]
    fn at<T: Copy>(&self, row: usize) -> T {
        // SAFETY: `T` is always the type that the column reports.
        unsafe { self.data.cast::<T>().add(row).read_unaligned() }
    }

    #[inline]
    fn whole(&self, row: usize) -> Option<i128> {
        Some(match self.shape.stored {
            TINYINT => self.at::<i8>(row).into(),
            SMALLINT => self.at::<i16>(row).into(),
            INTEGER => self.at::<i32>(row).into(),
            BIGINT => self.at::<i64>(row).into(),
            HUGEINT => {
                let huge: HugeInt = self.at(row);
                i128::from(huge.upper) << 64 | i128::from(huge.lower)
            }
            _ => return None,
        })
    }

    /// Returns the number multiplied by 10^`scale` as an integer.
    #[inline]
    fn scaled(&self, row: usize, scale: u8) -> Result<i64> {
        let exact = match self.whole(row) {
            Some(number) => {
                let stored_scale = self.shape.decimal.map_or(0, |(_, scale)| scale);
                let factor = 10_i128.pow(u32::from(stored_scale.abs_diff(scale)));
                if stored_scale <= scale {
                    number.checked_mul(factor)
                } else {
                    Some(number / factor).filter(|_| number % factor == 0)
                }
            }
            None if self.shape.stored == DOUBLE => rounded(self.at(row), scale),
            None => None,
        };
        exact.and_then(|number| i64::try_from(number).ok()).ok_or_else(|| self.unexpected())
    }

    fn time(&self, row: usize) -> Option<i64> {
        match self.shape.stored {
            DATE => Some(i64::from(self.at::<i32>(row)) * DAY_US),
            TIMESTAMP => Some(self.at(row)),
            _ => None,
        }
    }

    fn text(&self, row: usize) -> Option<&[u8]> {
        if self.shape.stored != VARCHAR {
            return None;
        }
        // SAFETY: the column stores strings, and a long string lives as long as its chunk.
        unsafe {
            let place = self.data.cast::<RawText>().add(row);
            let text: RawText = place.read();
            let length = text.length as usize;
            let begin = if length <= INLINED {
                place.cast::<u8>().add(size_of::<u32>())
            } else {
                usize::from_ne_bytes(text.rest) as *mut u8
            };
            Some(std::slice::from_raw_parts(begin, length))
        }
    }

    #[inline]
    fn set_whole(&self, row: usize, number: i64) -> Result<()> {
        let fits = |least: i64, most: i64| (least..=most).contains(&number);
        // SAFETY: the column is writable, stores this type, and has room for this row.
        unsafe {
            match self.shape.stored {
                SMALLINT if fits(i16::MIN.into(), i16::MAX.into()) => {
                    self.data.cast::<i16>().add(row).write(number as i16);
                }
                INTEGER | DATE if fits(i32::MIN.into(), i32::MAX.into()) => {
                    self.data.cast::<i32>().add(row).write(number as i32);
                }
                BIGINT | TIMESTAMP => self.data.cast::<i64>().add(row).write(number),
                HUGEINT => {
                    let huge = HugeInt { lower: number as u64, upper: number >> 63 };
                    self.data.cast::<HugeInt>().add(row).write(huge);
                }
                _ => return Err(self.unexpected()),
            }
        }
        Ok(())
    }

    #[cold]
    fn unexpected(&self) -> Error {
        let text = format!("cannot convert a value from a DuckDB column of type {:?}", self.shape);
        Error::new(ErrorKind::Protocol, text)
            .hint("if decimals have more digits than declared, round them in the statement")
    }
}

/// Converts a double to a decimal with `scale` places, and returns the decimal's digits. Returns `None` unless the
/// double is the closest one to that decimal.
#[expect(clippy::float_cmp, reason = "a decimal matches only its nearest double")]
fn rounded(number: f64, scale: u8) -> Option<i128> {
    let factor = 10_f64.powi(scale.into());
    let unscaled = (number * factor).round();
    (unscaled.abs() < EXACT && unscaled / factor == number).then_some(unscaled as i128)
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: this value owns the chunk, which is no longer used.
        unsafe { (self.library.destroy_data_chunk)(&raw mut self.handle) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_is_a_decimal_only_if_it_is_the_nearest() {
        assert_eq!(rounded(0.07, 2), Some(7));
        assert_eq!(rounded(-38_273.13, 2), Some(-3_827_313));
        assert_eq!(rounded(0.075, 2), None);
        assert_eq!((rounded(1e17, 2), rounded(f64::NAN, 2)), (None, None));
    }
}
