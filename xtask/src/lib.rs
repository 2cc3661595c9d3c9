//! Code shared by `cargo xtask` and its release package. It runs programs and installs packages.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "used by front ends that only print to the terminal"
)]

pub mod machine;
pub mod process;
pub mod python;

use std::process::ExitCode;

/// The outcome of a task: true on success, false on failure, or the reason why it could not be performed.
pub type Outcome = Result<bool, String>;

/// Returns the exit code for an outcome, and prints any error.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    outcome.map_or_else(
        |message| {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        },
        |good| if good { ExitCode::SUCCESS } else { ExitCode::FAILURE },
    )
}
