//! `cargo xtask bench`: measures our own overhead, in release mode.

use crate::{Outcome, process};

/// Runs the benchmark program with these arguments.
pub fn run(arguments: &[&str]) -> Outcome {
    let mut words = vec!["run", "--release", "--package", "tacho-benches", "--"];
    words.extend(arguments);
    process::succeeds("cargo", &words)
}
