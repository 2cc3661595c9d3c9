//! Other programs, started in the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A program with its arguments, to be run in the root of the workspace.
pub fn program(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    command
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
