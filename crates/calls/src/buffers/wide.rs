//! Text in UTF-16.

use tacho_core::{Error, Result};
use tacho_driver::Values;

use super::protocol;

/// Appends a string encoded as UTF-16 bytes.
///
/// # Errors
/// Returns a usage error if the string contains null characters, which no driver accepts, or is not valid UTF-8.
pub fn push_wide(text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let text = sendable(text)?;
    if text.is_ascii() {
        out.extend(text.bytes().flat_map(|byte| u16::from(byte).to_ne_bytes()));
    } else {
        out.extend(text.encode_utf16().flat_map(u16::to_ne_bytes));
    }
    Ok(())
}

/// Returns the string, or an error if a driver might change or truncate it.
pub fn sendable(text: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(text).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| {
        Error::usage("a string is not valid UTF-8 or contains a zero byte")
            .hint("remove the string, because ODBC drivers would change or truncate it")
    })
}

/// Decodes UTF-16 from bytes.
pub fn take_wide(bytes: &[u8], values: &mut Values) -> Result<()> {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    let mut broken = false;
    values.text_with(|out| {
        if units.clone().all(|unit| unit < 0x80) {
            out.extend(units.map(|unit| unit as u8));
            return;
        }
        let mut utf8 = [0; 4];
        for character in char::decode_utf16(units) {
            broken |= character.is_err();
            out.extend_from_slice(character.unwrap_or_default().encode_utf8(&mut utf8).as_bytes());
        }
    });
    if broken {
        Err(protocol("the result contains a string that is not valid UTF-16".into()))
    } else {
        Ok(())
    }
}
