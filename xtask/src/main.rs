//! Project tasks, called as `cargo xtask <task>`; one file per task.
//!
//! It must never be needed to build or run the product. Start reading at [`tidy`]: the rules of the
//! project are there, as tests.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a front end: the terminal is its only output"
)]

mod bench;
mod ci;
mod dist;
mod docs;
mod matrix;
mod needs;
mod nightly;
mod process;
mod python;
mod servers;
mod site;
mod test;
mod testing;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <task>

  test          install what the tests need where it is missing, then run the tests;
                --all adds the extended tier: each workload on each database, many faults and crashes;
                --servers [NAME…] the tests of live servers on each of those fetched by `servers`
  tidy          check the project's rules: layers, sizes, names, SQL files, words, docs
  docs          rewrite the generated parts of docs/reference; --check only compares
  site          build the site of the documentation and follow its links
  ci            format, clippy, tidy, test, docs --check, site and packages; what CI runs
  servers       download other servers, and libraries, to test with; optional
  nightly [DB…] load a gigabyte of tproch into each database, or these, and compare all answers; an hour
  dist [SYSTEM…] make the archives and packages of a release into target/artefacts, for all systems or these;
                --check tries them, --twice builds twice and compares; TACHO_DIST_SIGN=COMMAND signs;
                --built PROGRAM makes and tries those of this system with an existing program
  bench [ARG…]  measure our own overhead
";

/// The outcome of a task: whether all was well, or why it could not be done.
type Outcome = Result<bool, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::run(test::Tier::Default),
        ["test", "--all"] => test::run(test::Tier::All),
        ["test", "--servers", names @ ..] => matrix::run(names),
        ["tidy"] => tidy::run(),
        ["docs"] => docs::run(false, None),
        ["docs", "--check"] => docs::run(true, None),
        ["site"] => site::run(),
        ["ci"] => ci::run(),
        ["servers"] => servers::run(),
        ["nightly", names @ ..] => nightly::run(names),
        ["dist", "--built", program] => dist::of_built(program.as_ref()),
        ["dist", words @ ..] => dist::run(words),
        ["bench", rest @ ..] => bench::run(rest),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("error: unknown task \"{}\"\n\n{USAGE}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
