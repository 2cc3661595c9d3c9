//! The system's driver manager, loaded at run time. Start reading at [`find`].

use std::path::Path;
use std::sync::OnceLock;

use tacho_core::{Error, ErrorKind, Result};

/// The driver manager's functions, with 64-bit lengths.
pub type Library = tacho_calls::Library<isize>;

const NAMES: [&str; 3] = ["libodbc.so.2", "libodbc.2.dylib", "odbc32.dll"];

/// Returns the driver manager, which is loaded only once, because a process can have only one of them.
///
/// By default, Tacho searches the system's library folders.
pub fn find(named: Option<&Path>) -> Result<&'static Library> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| Library::find(named, [], &NAMES));
    library.as_ref().map_err(|why| missing(why))
}

fn missing(why: &str) -> Error {
    Error::new(ErrorKind::Missing, format!("the ODBC driver manager cannot be loaded: {why}"))
        .hint("install unixODBC; the package is called unixodbc on Debian, Fedora and Homebrew")
        .hint("or specify the library in the target: odbc:bench?library=/path/libodbc.so.2")
}
