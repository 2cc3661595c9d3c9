//! IBM's client library, loaded at run time. Start reading at [`find`].

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tacho_core::{Error, ErrorKind, Result};
use tacho_net::variable;

/// The library's functions, which use 32-bit lengths. Driver managers load another library, `libdb2o`, which uses
/// 64-bit lengths.
pub type Library = tacho_calls::Library<i32>;

/// Environment variables that point to the client's installation folder.
const FOLDERS: [&str; 2] = ["DB2_CLI_DRIVER_INSTALL_PATH", "IBM_DB_HOME"];
const NAMES: [&str; 4] = ["libdb2.so.1", "libdb2.so", "libdb2.dylib", "db2cli64.dll"];

/// Returns the library, which is loaded once and kept until the process exits.
///
/// By default, Tacho searches the client's folders and the system's library folders.
pub fn find(named: Option<&Path>) -> Result<&'static Library> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let folders = FOLDERS.into_iter().filter_map(variable);
    let folders = folders.map(|folder| PathBuf::from(folder).join("lib"));
    let library = LIBRARY.get_or_init(|| Library::find(named, folders, &NAMES));
    library.as_ref().map_err(|why| missing(why))
}

fn missing(why: &str) -> Error {
    Error::new(ErrorKind::Missing, format!("the IBM Db2 client cannot be loaded: {why}"))
        .hint("install the IBM Data Server Driver Package, or the ibm_db Python package, which includes the driver")
        .hint("set DB2_CLI_DRIVER_INSTALL_PATH to the client's folder, or add ?library=/path/libdb2.so to the target")
}
