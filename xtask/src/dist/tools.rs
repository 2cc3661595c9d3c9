//! The tools of other makers: a C compiler and linker for every system, from `PyPI`, in a folder of our own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::stubs;
use super::targets::Target;
use crate::{process, python};

/// Pinned, so that two machines make the same program.
const PACKAGES: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];
const FOLDER: &str = "target/dist-tools";

/// The tools, as they are found by a program that needs them.
pub struct Tools {
    /// `PATH` with them in front.
    pub path: OsString,
    /// What stands for the SDK of macOS.
    pub macos: PathBuf,
}

/// Installs what is not there: the tools, and Rust's library for each system.
pub fn ensure(targets: &[&Target]) -> Result<Tools, String> {
    let programs = python::ensure(FOLDER, &PACKAGES)?;
    let folder = process::root().join(FOLDER);
    let tools = Tools { path: in_front(&programs), macos: stubs::write_sdk(&folder)? };
    if targets.is_empty() {
        return Ok(tools);
    }
    let mut words = vec!["target", "add"];
    words.extend(targets.iter().map(|target| target.triple));
    // Without rustup the libraries are the business of whoever installed Rust.
    if process::output("rustup", &words).is_err() {
        println!("rustup target add failed: the library of a system may be missing");
    }
    Ok(tools)
}

fn in_front(folder: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> =
        [folder.to_owned()].into_iter().chain(std::env::split_paths(&path)).collect();
    std::env::join_paths(all).unwrap_or(path)
}
