//! TimesTen's ODBC driver, loaded at run time. Start reading at [`find`].

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tacho_core::{Error, ErrorKind, Result};
use tacho_net::variable;

/// The ODBC driver's functions.
pub type Library = tacho_calls::Library<isize>;

/// Environment variable for the folder of a TimesTen instance, and the subfolders that may contain the library.
const HOME: &str = "TIMESTEN_HOME";
const FOLDERS: [&str; 2] = ["lib", "install/lib"];
/// File names of two ODBC drivers: one for clients, and one for programs on the same machine as the database.
const NAMES: [&str; 4] = ["libttclient.so", "libtten.so", "libttclient.dylib", "ttclient.dll"];

/// Returns the library, which is loaded only once, because a process can have only one of them.
///
/// Searches the folders of the instance and of the system, unless the user named a library.
pub fn find(named: Option<&Path>) -> Result<&'static Library> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let home = variable(HOME).map(PathBuf::from);
    let folders = home.iter().flat_map(|home| FOLDERS.map(|folder| home.join(folder)));
    let library = LIBRARY.get_or_init(|| Library::find(named, folders, &NAMES));
    library.as_ref().map_err(|why| missing(why))
}

fn missing(why: &str) -> Error {
    Error::new(ErrorKind::Missing, format!("the TimesTen ODBC driver cannot be loaded: {why}"))
        .hint("install a client instance of TimesTen 18.1 or later, and run its ttenv script")
        .hint("or specify the library in the target: ?library=/path/libttclient.so")
}
