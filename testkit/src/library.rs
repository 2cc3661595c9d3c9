//! Locates the client libraries of databases, which are not installed on every machine.

use std::path::{Path, PathBuf};

/// Returns the path of DuckDB's library. It is either in `TACHO_TEST_DUCKDB`, or was downloaded by `cargo xtask
/// servers`.
///
/// If there is no library, prints a message and returns `None`.
#[expect(clippy::disallowed_methods, reason = "tests read their environment where it is used")]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
pub fn duckdb() -> Option<PathBuf> {
    let named = std::env::var("TACHO_TEST_DUCKDB").ok().filter(|path| !path.is_empty());
    if let Some(named) = named {
        return Some(named.into());
    }
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers/duckdb");
    let library = fetched.canonicalize().ok().map(|folder| folder.join("libduckdb.so"));
    let library = library.filter(|library| library.is_file());
    if library.is_none() {
        eprintln!("NOT TESTED: DuckDB, whose library is not here; hint: cargo xtask servers");
    }
    library
}
