//! Third-party tools: a C compiler and linker for every system, installed from `PyPI` into a private folder.

use std::ffi::OsString;

use xtask::{process, python};

use crate::targets::Target;

/// Pinned versions, so that different machines build the same program.
const PACKAGES: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];
const FOLDER: &str = "target/dist-tools";

/// Installs missing tools and Rust's libraries for each system. Returns `PATH` with the folder of these tools as the
/// first entry.
pub fn ensure(targets: &[&Target]) -> Result<OsString, String> {
    let programs = python::ensure(FOLDER, &PACKAGES)?;
    let mut words = vec!["target", "add"];
    words.extend(targets.iter().map(|target| target.triple));
    // If rustup is not installed, the standard libraries must be installed in the same way as Rust itself.
    if !targets.is_empty() && process::output("rustup", &words).is_err() {
        println!("rustup target add failed; the Rust standard library for a target may be missing");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = [programs].into_iter().chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(all).unwrap_or(path))
}
