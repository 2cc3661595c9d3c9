//! Reads single values of the current row: text in pieces, and values of fixed length.

#![expect(unsafe_code, reason = "the ODBC driver reads and writes through pointers")]

use tacho_core::Result;

use super::form::{C_CHAR, C_WCHAR};
use crate::handles::Statement;
use crate::library::{Length, NO_DATA, NULL_DATA};

/// Number of bytes in the first piece of a value.
const PIECE_BYTES: usize = 4 * 1024;
/// The length that a driver reports if it does not know a value's total length.
const NO_TOTAL: isize = -4;

/// Returns a text column of the current row as UTF-8, or `None` for NULL. Columns are counted from 1.
pub fn text_of<L: Length>(
    statement: &Statement<L>,
    number: u16,
    piece: &mut Vec<u8>,
) -> Result<Option<String>> {
    if statement.reads_bytes {
        let found = pieces(statement, number, C_CHAR, piece)?;
        return Ok(found.then(|| String::from_utf8_lossy(piece).into_owned()));
    }
    if !pieces(statement, number, C_WCHAR, piece)? {
        return Ok(None);
    }
    let units = piece.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    Ok(Some(char::decode_utf16(units).map(|found| found.unwrap_or('\u{fffd}')).collect()))
}

/// Reads a text value of the current row as bytes of the given C type. Returns `false` for NULL.
pub fn pieces<L: Length>(
    statement: &Statement<L>,
    number: u16,
    c_type: i16,
    text: &mut Vec<u8>,
) -> Result<bool> {
    text.clear();
    let null = if c_type == C_WCHAR { 2 } else { 1 };
    loop {
        let before = text.len();
        text.resize(before + PIECE_BYTES.max(before), 0);
        let room = text.len() - before;
        let mut length = L::default();
        // SAFETY: the driver does not write more than the size that is passed.
        let code = unsafe {
            let memory = text[before..].as_mut_ptr().cast();
            (statement.library.get_data)(
                statement.handle,
                number,
                c_type,
                memory,
                L::of(room as isize),
                &raw mut length,
            )
        };
        let length = length.number();
        if code == NO_DATA {
            text.truncate(before);
            return Ok(true);
        }
        statement.check(code)?;
        if length == NULL_DATA {
            return Ok(false);
        }
        // If the value does not end with this piece, the piece fills the whole buffer, including a terminating null.
        if length != NO_TOTAL && length as usize <= room - null {
            text.truncate(before + length as usize);
            return Ok(true);
        }
        text.truncate(before + room - null);
    }
}

/// Reads a fixed-length value in the current row. Returns `false` for NULL.
pub fn get<L: Length, T>(
    statement: &Statement<L>,
    number: u16,
    c_type: i16,
    value: *mut T,
) -> Result<bool> {
    let mut length = L::default();
    // SAFETY: the value has the requested type.
    statement.check(unsafe {
        let room = L::of(size_of::<T>() as isize);
        (statement.library.get_data)(
            statement.handle,
            number,
            c_type,
            value.cast(),
            room,
            &raw mut length,
        )
    })?;
    Ok(length.number() != NULL_DATA)
}
