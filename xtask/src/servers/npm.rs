//! Libraries and servers from npm: packages that hold them built.

use std::path::Path;

use crate::{Outcome, process};

/// What the driver of DuckDB is tested with.
const DUCKDB: &str = "1.5.6-r.1";

/// DuckDB's library, from the binding that its makers publish for Node.
pub fn duckdb(to: &Path) -> Outcome {
    let package = format!("@duckdb/node-bindings-linux-{}@{DUCKDB}", machine());
    Ok(unpack(&package, "true", to)? && to.join("libduckdb.so").is_file())
}

/// A checker of web pages for people who cannot see, hear or point.
pub fn axe(to: &Path) -> Outcome {
    unpack("axe-core@4.14.1", "true", to)
}

/// PostgreSQL's binaries without its clients, of releases that Maven has no archive of. A package
/// cannot hold symbolic links, so it brings a script that makes them.
pub fn postgres(version: &str, to: &Path) -> Outcome {
    let package = format!("@embedded-postgres/linux-{}@{version}", machine());
    let finish =
        "node scripts/hydrate-symlinks.js && mv native/* . && rmdir native && chmod +x bin/*";
    unpack(&package, finish, to)
}

/// Fetches a package, unpacks it into `to`, and runs a command of the shell there.
fn unpack(package: &str, finish: &str, to: &Path) -> Outcome {
    let script = format!(
        "npm pack --silent \"$1\" >/dev/null && tar -xzf *.tgz --strip-components=1 && rm *.tgz && {finish}"
    );
    let status = process::program("sh", &["-c", &script, "sh", package]).current_dir(to).status();
    Ok(status.map_err(|error| format!("cannot start sh: {error}"))?.success())
}

/// The machine's kind, as packages name it.
fn machine() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    }
}
