//! Runs other programs in the workspace root.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// Returns the workspace root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns a command that runs a program with the given arguments in the workspace root.
pub fn program(name: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    const OF_PACKAGE: [&str; 5] =
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    // Remove the variables that cargo sets for this package, because build scripts that depend on
    // them would run again.
    for (name, _) in std::env::vars_os() {
        if OF_PACKAGE.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command in this terminal until it exits. Returns true if it succeeded.
pub fn ended(command: &mut Command) -> Outcome {
    let status = command.status();
    let name = || command.get_program().display().to_string();
    Ok(status.map_err(|error| format!("cannot start {}: {error}", name()))?.success())
}

/// Runs a program in this terminal until it exits. Returns true if it succeeded.
pub fn succeeds(name: &str, arguments: &[&str]) -> Outcome {
    ended(&mut program(name, arguments))
}

/// Returns a program's standard output, or an error if the program fails.
pub fn output(name: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let done = program(name, arguments).output();
    let done = done.map_err(|error| format!("cannot start {name}: {error}"))?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{name} {} failed: {}", arguments.join(" "), said.trim()))
}
