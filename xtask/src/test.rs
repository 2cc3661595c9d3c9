//! `cargo xtask test`: all tests of the workspace, doc tests included, and one closing line.
//!
//! Tests of live servers share a busy machine. The few that fail are run once more, by themselves:
//! one that passes then is told as FLAKY, loudly, with its first output above. It is a defect of the
//! test or of the product, but not one that a change under test has made for certain.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use crate::{Outcome, needs, process};

/// What all test programs said together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    passed: u64,
    failed: u64,
    /// Of those that passed, how many did so only when they were run again.
    flaky: u64,
    /// Whether cargo itself was content: a program that does not compile or that crashes reports
    /// no failed test.
    clean: bool,
}

/// Names the number of tests that a program runs at a time.
const THREADS: &str = "RUST_TEST_THREADS";

/// Two for each core: tests of servers mostly wait. With one for each, a whole run of 29 minutes on two
/// cores had both of them busy for half of the time, compilation included.
fn threads() -> usize {
    2 * thread::available_parallelism().map_or(1, usize::from)
}

/// More failures than these are no chance, and none is run again.
const CHANCES: usize = 3;

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

    /// These counts and those of other tests.
    pub fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            flaky: self.flaky + other.flaky,
            clean: self.clean && other.clean,
        }
    }

    /// These counts with those of a second run of the failed tests: only if each of them has passed.
    fn with_second(self, again: Self) -> Self {
        if !again.clean || again.failed > 0 || again.passed != self.failed {
            return self;
        }
        let Self { passed, failed, .. } = self;
        Self { passed: passed + failed, failed: 0, flaky: failed, clean: true }
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
    needs::fetch();
    let summary = run_all()?;
    if let Some(remark) = summary.remark() {
        println!("error: {remark}");
    }
    needs::announce_untested();
    println!("{summary}");
    Ok(summary.good())
}

/// Runs all tests, as [`run_these`] does.
pub fn run_all() -> Result<Summary, String> {
    run_these(&["--workspace"], None)
}

/// A variable of the environment and its value.
pub type Variable<'a> = (&'a str, &'a Path);

/// Runs the tests that these words of `cargo test` choose, showing what they write as it comes, and the
/// few that failed once more.
pub fn run_these(words: &[&str], variable: Option<Variable<'_>>) -> Result<Summary, String> {
    let first = run_some(&[&["--no-fail-fast"], words].concat(), variable)?;
    let failed: Vec<&str> = first.failed.iter().map(String::as_str).collect();
    let told = u64::try_from(failed.len()) == Ok(first.summary.failed);
    if failed.is_empty() || failed.len() > CHANCES || !told {
        return Ok(first.summary);
    }
    println!("== once more, by themselves: {}", failed.join(", "));
    let mut again = Summary { clean: true, ..Summary::default() };
    for program in &first.programs {
        let mut words: Vec<&str> = program.split(' ').collect();
        words.extend(["--", "--exact", "--test-threads", "1"]);
        words.extend(&failed);
        let some = run_some(&words, variable)?.summary;
        again.passed += some.passed;
        again.clean &= some.clean;
    }
    let summary = first.summary.with_second(again);
    if summary.flaky > 0 {
        println!("FLAKY, failed and then passed by themselves: {}", failed.join(", "));
    }
    Ok(summary)
}

/// What one call of `cargo test` told.
#[derive(Default)]
struct Told {
    summary: Summary,
    /// The names of the tests that failed.
    failed: BTreeSet<String>,
    /// The words that name each program with a failed test, such as `-p tacho-tests --test faults`.
    programs: BTreeSet<String>,
}

fn run_some(words: &[&str], variable: Option<Variable<'_>>) -> Result<Told, String> {
    let words = [&["test"], words].concat();
    let mut child = process::program("cargo", &words);
    child.envs(variable);
    if std::env::var_os(THREADS).is_none() {
        child.env(THREADS, threads().to_string());
    }
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("cannot start cargo: {error}"))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("cargo has no output".into());
    };
    let mut told = Told::default();
    let echoed = thread::scope(|scope| {
        let programs = &mut told.programs;
        let errors = scope
            .spawn(move || echo(stderr, std::io::stderr(), |line| programs.extend(program(line))));
        let (summary, failed) = (&mut told.summary, &mut told.failed);
        echo(stdout, std::io::stdout(), |line| {
            summary.add(line);
            failed.extend(failed_test(line));
        })?;
        errors.join().unwrap_or(Ok(()))
    });
    echoed.map_err(|error| format!("cannot pass output on: {error}"))?;
    let status = child.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
    told.summary.clean = status.success();
    Ok(told)
}

/// The test of a line such as `test a::b ... FAILED`.
fn failed_test(line: &str) -> Option<String> {
    line.strip_prefix("test ")?.trim_end().strip_suffix(" ... FAILED").map(str::to_owned)
}

/// The words of a line such as ``error: test failed, to rerun pass `-p a --test b` ``.
fn program(line: &str) -> Option<String> {
    let (_, words) = line.strip_prefix("error: ")?.split_once("to rerun pass `")?;
    Some(words.trim_end().strip_suffix('`')?.to_owned())
}

fn echo(from: impl Read, mut to: impl Write, mut see: impl FnMut(&str)) -> std::io::Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        see(&String::from_utf8_lossy(&line));
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
            assert_eq!(Summary { passed, failed, clean, flaky: 0 }.good(), good);
        }
    }

    #[test]
    fn failures_are_forgiven_only_if_each_passes_by_itself() {
        let first = Summary { passed: 7, failed: 2, flaky: 0, clean: false };
        let again = |passed, clean| Summary { passed, clean, ..Summary::default() };
        let forgiven = first.with_second(again(2, true));
        assert_eq!(forgiven.to_string(), "9 passed, 0 failed");
        assert!(forgiven.good() && forgiven.flaky == 2);
        for second in [again(1, false), again(1, true), again(3, true), again(2, false)] {
            assert_eq!(first.with_second(second), first);
        }
    }

    #[test]
    fn what_failed_is_found_in_the_output() {
        let line = "error: test failed, to rerun pass `-p tacho-tests --test faults`\n";
        assert_eq!(program(line).as_deref(), Some("-p tacho-tests --test faults"));
        assert_eq!(program("error: 1 target failed:\n"), None);
        assert_eq!(failed_test("test a::b ... FAILED\n").as_deref(), Some("a::b"));
        assert_eq!(failed_test("test a::b ... ok\n"), None);
    }
}
