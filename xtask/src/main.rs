//! Project tasks, run with `cargo xtask <task>`. Each task has a separate file.
//!
//! The product must never depend on this task program.
//!
//! Start reading at [`tidy`], which checks the project's rules.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a front end that only prints to the terminal"
)]

mod ci;
mod docs;
mod matrix;
mod needs;
mod nightly;
mod servers;
mod site;
mod test;
mod testing;
mod tidy;

use std::process::ExitCode;

use xtask::{Outcome, process};

const USAGE: &str = include_str!("usage.txt");
/// The package that builds the release files.
const DIST: &str = "xtask-dist";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::run(test::Tier::Default),
        ["test", "--all"] => test::run(test::Tier::All),
        ["test", "--servers", names @ ..] => matrix::run(names),
        ["tidy"] => tidy::run(),
        ["tidy", "--lines", revision] => tidy::print_lines(revision),
        ["docs"] => docs::run(false, None),
        ["docs", "--check"] => docs::run(true, None),
        ["docs", "--built", program] => docs::run(false, Some(docs::Tacho(program.into()))),
        ["site"] => site::run(),
        ["ci"] => ci::run(),
        ["servers"] => servers::run(),
        ["nightly", names @ ..] => nightly::run(names),
        ["dist", words @ ..] => dist(words),
        ["bench", words @ ..] => called(&["run", "--release", "--package", "tacho-benches"], words),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("error: unknown task \"{}\"\n\n{USAGE}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    xtask::exit_code(outcome)
}

/// Builds the release files. This is a separate package, whose dependencies are compiled only if it is used.
fn dist(words: &[&str]) -> Outcome {
    called(&["run", "--quiet", "--package", DIST], words)
}

/// Runs cargo with the given arguments, followed by the user's arguments.
fn called(cargo: &[&str], words: &[&str]) -> Outcome {
    process::succeeds("cargo", &[cargo, &["--"], words].concat())
}
