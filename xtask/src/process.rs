//! Other programs, started in the root of the workspace.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A program with its arguments, to be run in the root of the workspace.
pub fn program(name: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    const OF_PACKAGE: [&str; 5] =
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    // What cargo tells us of our own package would look like a change to build scripts that watch it, and
    // half of the product would be built again.
    for (name, _) in std::env::vars_os() {
        if OF_PACKAGE.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command to its end, on our own terminal; returns true if it succeeded.
pub fn ended(command: &mut Command) -> Outcome {
    let status = command.status();
    let name = || command.get_program().display().to_string();
    Ok(status.map_err(|error| format!("cannot start {}: {error}", name()))?.success())
}

/// Runs a program to its end, on our own terminal; returns true if it succeeded.
pub fn succeeds(name: &str, arguments: &[&str]) -> Outcome {
    ended(&mut program(name, arguments))
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
