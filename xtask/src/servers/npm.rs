//! Libraries from npm: a package that holds one built.

use std::path::Path;

use crate::{Outcome, process};

/// What the driver is tested with.
const VERSION: &str = "1.5.6-r.1";

/// DuckDB's library, from the binding that its makers publish for Node.
pub fn duckdb(to: &Path) -> Outcome {
    let machine = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    let package = format!("@duckdb/node-bindings-linux-{machine}@{VERSION}");
    let script =
        "npm pack --silent \"$1\" >/dev/null && tar -xzf *.tgz --strip-components=1 && rm *.tgz";
    let status = process::program("sh", &["-c", script, "sh", &package]).current_dir(to).status();
    let fetched = status.map_err(|error| format!("cannot start sh: {error}"))?.success();
    Ok(fetched && to.join("libduckdb.so").is_file())
}
