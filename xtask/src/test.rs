//! `cargo xtask test`: all tests of the workspace, doc tests included, and one closing line.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::{Outcome, needs, process};

/// What all test programs said together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    passed: u64,
    failed: u64,
    /// Whether cargo itself was content: a program that does not compile or that crashes reports
    /// no failed test.
    clean: bool,
}

impl Summary {
    /// Whether there were tests and all passed.
    pub fn good(self) -> bool {
        self.clean && self.failed == 0 && self.passed > 0
    }

    /// What is wrong beside failed tests, if anything.
    pub fn remark(self) -> Option<&'static str> {
        match (self.clean, self.failed, self.passed) {
            (false, 0, _) => Some("a test program did not compile or did not come to its end"),
            (true, 0, 0) => Some("no test was run"),
            _ => None,
        }
    }

    /// Adds the counts of a line such as `test result: ok. 3 passed; 0 failed; …`.
    fn add(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        let counts = rest.split_once(". ").map_or("", |(_, counts)| counts);
        for part in counts.split(';') {
            match part.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Installs what is missing, runs all tests, closes with the line `N passed, N failed`.
pub fn run() -> Outcome {
    needs::ensure()?;
    let summary = run_all()?;
    if let Some(remark) = summary.remark() {
        println!("error: {remark}");
    }
    needs::announce_untested();
    println!("{summary}");
    Ok(summary.good())
}

/// Runs all tests, showing what they write as it comes.
pub fn run_all() -> Result<Summary, String> {
    let words = ["test", "--workspace", "--no-fail-fast"];
    let child = process::program("cargo", &words).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("cannot start cargo: {error}"))?;
    let mut summary = Summary::default();
    if let Some(stdout) = child.stdout.take() {
        echo(stdout, &mut summary).map_err(|error| format!("cannot pass output on: {error}"))?;
    }
    let status = child.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
    summary.clean = status.success();
    Ok(summary)
}

fn echo(from: impl std::io::Read, summary: &mut Summary) -> std::io::Result<()> {
    let mut from = BufReader::new(from);
    let mut to = std::io::stdout();
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        summary.add(&String::from_utf8_lossy(&line));
        line.clear();
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed() {
        let mut summary = Summary { clean: true, ..Summary::default() };
        assert_eq!(summary.remark(), Some("no test was run"));
        for line in [
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            "test other ... ok",
            "prefix test result: ok. 9 passed; 9 failed",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; finished in 0.01s\n",
        ] {
            summary.add(line);
        }
        assert_eq!(summary.to_string(), "7 passed, 2 failed");
        assert!(!summary.good());
    }

    #[test]
    fn only_a_clean_run_with_tests_is_good() {
        let table =
            [(1, 0, true, true), (0, 0, true, false), (1, 1, true, false), (1, 0, false, false)];
        for (passed, failed, clean, good) in table {
            assert_eq!(Summary { passed, failed, clean }.good(), good);
        }
    }
}
