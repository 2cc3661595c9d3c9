//! The binary under test.
//!
//! A package sees the path of its own binaries only, so cargo is asked to build this one, once for
//! each test program. Start reading at [`tacho`].

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The path of the built `tacho`.
pub(crate) fn tacho() -> &'static Path {
    static BINARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    BINARY.get_or_init(build).as_deref().expect("tacho builds")
}

/// The folder of this profile's results, such as `target/debug`.
pub(crate) fn results() -> PathBuf {
    let program = std::env::current_exe().expect("the path of the test program");
    // target/debug/deps/program
    program.ancestors().nth(2).expect("a test program lies two folders deep").to_owned()
}

fn build() -> Option<PathBuf> {
    let results = results();
    let profile = match results.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "tacho-cli", "--bin", "tacho"])
        .args(["--profile", profile, "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    let messages = String::from_utf8_lossy(&built.stdout);
    messages.lines().rev().find_map(executable).filter(|_| built.status.success())
}

fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    Some(PathBuf::from(message["executable"].as_str()?))
}
