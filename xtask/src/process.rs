//! Other programs, started in the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A program with its arguments, to be run in the root of the workspace.
pub fn program(name: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    // What cargo tells us of our own package would look like a change to build scripts that watch it, and
    // half of the product would be built again.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_package(&name.to_string_lossy()))
    {
        command.env_remove(name);
    }
    command
}

/// Whether cargo sets this variable for the package of a program.
fn is_of_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

/// Runs a program to its end, on our own terminal; whether it succeeded.
pub fn succeeds(name: &str, arguments: &[&str]) -> Result<bool, String> {
    match program(name, arguments).status() {
        Ok(status) => Ok(status.success()),
        Err(error) => Err(format!("cannot start {name}: {error}")),
    }
}

/// What a program writes to its standard output; an error if it fails.
pub fn output(name: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let done = program(name, arguments).output();
    let done = done.map_err(|error| format!("cannot start {name}: {error}"))?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{name} {} failed: {}", arguments.join(" "), said.trim()))
}
