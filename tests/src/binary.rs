//! The binary under test.
//!
//! Finds the `tacho` binary. `cargo xtask test` passes its path. Without this path, each test program builds the binary
//! once.
//!
//! Start reading at [`tacho`].

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// Environment variable that contains the path of the `tacho` binary. Cargo puts the example programs into a folder
/// next to it.
const GIVEN: &str = "TACHO_TEST_BINARY";

fn given() -> Option<PathBuf> {
    std::env::var_os(GIVEN).map(PathBuf::from)
}

/// Returns the path of the built `tacho`.
pub(crate) fn tacho() -> &'static Path {
    static BINARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let what = ["--package", "tacho-cli", "--bin", "tacho"];
    BINARY.get_or_init(|| given().or_else(|| build(what))).as_deref().expect("tacho builds")
}

/// Builds an example program and returns its path. Builds the whole workspace, because building a single package would
/// compile its dependencies again.
pub fn example(name: &str) -> PathBuf {
    let given = given().map(|tacho| tacho.with_file_name("examples").join(name));
    given.or_else(|| build(["--workspace", "--example", name])).expect("the example builds")
}

/// Returns the output folder of the current build profile, such as `target/debug`.
pub(crate) fn results() -> PathBuf {
    let program = std::env::current_exe().expect("the path of the test program");
    // target/debug/deps/program
    program.ancestors().nth(2).expect("a test program lies two folders deep").to_owned()
}

fn build<const N: usize>(what: [&str; N]) -> Option<PathBuf> {
    let results = results();
    let profile = match results.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let mut cargo = Command::new(env!("CARGO"));
    // Remove the variables that cargo sets for this package. Otherwise, cargo would repeat build scripts that depend on
    // them.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_package(&name.to_string_lossy()))
    {
        cargo.env_remove(name);
    }
    let built = cargo
        .args(["build", "--quiet"])
        .args(what)
        .args(["--profile", profile, "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    let messages = String::from_utf8_lossy(&built.stdout);
    messages.lines().rev().find_map(executable).filter(|_| built.status.success())
}

fn is_of_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    Some(PathBuf::from(message["executable"].as_str()?))
}
