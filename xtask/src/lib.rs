//! What `cargo xtask` and its package for releases share: other programs, Python, and the machine's packages.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "for front ends: the terminal is their only output"
)]

pub mod machine;
pub mod process;
pub mod python;

use std::process::ExitCode;

/// The outcome of a task: whether all was well, or why it could not be done.
pub type Outcome = Result<bool, String>;

/// The exit code for an outcome; prints the error, if any.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    outcome.map_or_else(
        |message| {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        },
        |good| if good { ExitCode::SUCCESS } else { ExitCode::FAILURE },
    )
}
