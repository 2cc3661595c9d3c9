//! Translates ODBC errors. The dialect interprets the database's error codes.

#![expect(unsafe_code, reason = "ODBC is a C library")]

use tacho_core::{Error, ErrorKind};
use tacho_driver::{Dialect, Report};

use crate::library::{Handle, Library, SUCCESS, SUCCESS_WITH_INFO};

/// Returns the error reported by the last call on a handle.
#[cold]
pub fn last<L>(library: &Library<L>, kind: i16, handle: Handle, dialect: &dyn Dialect) -> Error {
    let (mut state, mut number, mut length) = ([0_u16; 6], 0, 0);
    let mut text = [0_u16; 1024];
    // SAFETY: the driver does not write more than the size that is passed.
    let code = unsafe {
        (library.get_diag_rec)(
            kind,
            handle,
            1,
            state.as_mut_ptr(),
            &raw mut number,
            text.as_mut_ptr(),
            text.len() as i16,
            &raw mut length,
        )
    };
    if code != SUCCESS && code != SUCCESS_WITH_INFO {
        return Error::new(
            ErrorKind::Protocol,
            "the ODBC driver reported an error without a message",
        );
    }
    let length = (length.max(0) as usize).min(text.len() - 1);
    let state = String::from_utf16_lossy(&state[..5]);
    let text = String::from_utf16_lossy(&text[..length]);
    let report = Report { state: &state, number, text: plain(&text) };
    match remedy(&state, plain(&text)) {
        Some((kind, hint)) => Error::new(kind, plain(&text)).code(&*state).hint(hint),
        None => dialect.error(&report),
    }
}

/// Returns a message without the names in brackets that precede it, which are those of the driver manager, the driver
/// and the server.
fn plain(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((_, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        rest = after.trim_start();
    }
    rest
}

/// Returns the error kind and a hint for an error of the driver manager. Returns `None` for errors of the driver
/// itself.
fn remedy(state: &str, text: &str) -> Option<(ErrorKind, &'static str)> {
    Some(match state {
        "IM002" => (
            ErrorKind::Missing,
            "list the existing data sources with odbcinst -q -s, or name a driver: \
             odbc:Driver=/path/driver.so;Server=host;Database=name",
        ),
        "01000" | "IM003" | "IM004" if text.contains("open lib") || state != "01000" => (
            ErrorKind::Missing,
            "the driver library is missing or was built for another architecture: install the \
             driver, or specify its full path, as in Driver=/path/driver.so",
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_brackets_are_left_out() {
        for (text, expected) in [
            ("[unixODBC][Driver Manager]Data source name not found", "Data source name not found"),
            ("[ma-3.1.15][10.11.14-MariaDB] Duplicate entry", "Duplicate entry"),
            ("ERROR: x [y]", "ERROR: x [y]"),
            ("[open", "[open"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
