//! `cargo xtask test`: runs the workspace's tests, including doc tests, and prints a table at the end.
//!
//! Modules named `extended` contain a second tier of tests, which test combinations of what other
//! tests cover separately. They run only with `--all`.
//!
//! Test programs run concurrently, because tests of servers spend most of their time waiting.
//!
//! If only a few tests fail, they are repeated one at a time, and those that then pass are reported
//! as FLAKY. If more tests fail, the whole run fails.
//!
//! Start reading at [`run_these`].

#![expect(
    clippy::disallowed_methods,
    reason = "writes test output to files and measures durations"
)]

mod failures;
mod memory;
pub mod programs;
mod summary;

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use xtask::{Outcome, process};

use crate::needs;
use crate::testing::Testing;
use failures::Failure;
use programs::Built;
pub use programs::Program;
pub use summary::Summary;

/// Part of a test's name that marks the test as belonging to the extended tier.
const EXTENDED: &str = "extended::";
/// Maximum duration of a test in the default tier, which runs for every change. Slower tests are listed at the end.
const SECONDS_MAX: f64 = 30.0;
/// Number of slowest tests to list.
const SLOWEST: usize = 10;

/// Environment variable with the number of tests that a program runs concurrently.
const THREADS: &str = "RUST_TEST_THREADS";
/// Environment variable with the path of the `tacho` program, which tests of complete runs use.
const BINARY: &str = "TACHO_TEST_BINARY";
/// Environment variable with the file in which the test kit records the servers that it starts.
const STARTS: &str = "TACHO_TEST_STARTS";
/// The package that tests complete command lines.
const WHOLE_RUNS: &str = "tests";
/// Maximum number of a program's tests that may fail by chance. If more tests fail, none of them is repeated.
const CHANCES: usize = 5;

/// An environment variable and its value.
pub type Variable<'a> = (&'a str, &'a Path);

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The tests that a run includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The tests that are run after every change.
    Default,
    /// Both the default and the extended tests.
    All,
}

/// Installs missing software, runs a tier's tests, and finally prints the line `N passed, N failed`.
pub fn run(tier: Tier) -> Outcome {
    let testing = Testing::read()?;
    needs::ensure(&testing)?;
    needs::fetch(&testing);
    let tests = run_tier(&programs::build()?, tier)?;
    tests.announce(&testing);
    Ok(tests.summary.good())
}

/// The combined results of several tests.
#[derive(Default)]
pub struct Tests {
    pub summary: Summary,
    failures: Vec<Failure>,
}

impl Tests {
    /// Prints the failures, then what could not be tested, and finally the counts.
    pub fn announce(&self, testing: &Testing) {
        for failure in &self.failures {
            print!("{failure}");
        }
        if let Some(remark) = self.summary.remark() {
            println!("error: {remark}");
        }
        needs::announce_untested(testing);
        println!("{}", self.summary);
    }
}

/// Runs a tier's tests and prints the table.
pub fn run_tier(built: &Built, tier: Tier) -> Result<Tests, String> {
    let start = now();
    let skipped: &[&str] = if tier == Tier::Default { &["--skip", EXTENDED] } else { &[] };
    let words: Vec<String> = skipped.iter().map(|word| (*word).to_owned()).collect();
    let mut rows = run_built(built, &|_| true, &words, None)?;
    rows.push(documentation()?);
    table(&rows);
    slowest(&rows);
    println!("all tests ran in {:.0} s", start.elapsed().as_secs_f64());
    if tier == Tier::Default {
        println!("the extended tier was not run; to include it, use cargo xtask test --all");
    }
    let failures = rows.iter().flat_map(|row| row.failures.iter().cloned()).collect();
    Ok(Tests { summary: sum(&rows), failures })
}

/// Runs the tests of the selected programs. If `names` is not empty, runs only tests whose names contain one of them.
pub fn run_these(
    chosen: &dyn Fn(&Program) -> bool,
    names: &[String],
    variable: Option<Variable<'_>>,
) -> Result<Summary, String> {
    let rows = run_built(&programs::build()?, chosen, names, variable)?;
    table(&rows);
    Ok(sum(&rows))
}

/// The results of a program.
#[derive(Default)]
struct Row {
    package: String,
    summary: Summary,
    failures: Vec<Failure>,
    /// Duration of each test in seconds, and its name.
    times: Vec<(f64, String)>,
    took: Duration,
    /// Number of times each server was started.
    servers: BTreeMap<String, u64>,
}

/// Settings for running test programs.
struct Caller<'a> {
    built: &'a Built,
    names: &'a [String],
    variable: Option<Variable<'a>>,
    /// Folder for the programs' output.
    folder: PathBuf,
    /// Folder for the tests' temporary files.
    memory: Option<memory::Folder>,
}

fn run_built(
    built: &Built,
    chosen: &dyn Fn(&Program) -> bool,
    names: &[String],
    variable: Option<Variable<'_>>,
) -> Result<Vec<Row>, String> {
    let folder = process::root().join("target/tests");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create a folder: {error}"))?;
    let queue: VecDeque<&Program> = built.programs.iter().filter(|one| chosen(one)).collect();
    let (queue, rows) = (Mutex::new(queue), Mutex::new(Vec::new()));
    let caller = Caller { built, names, variable, folder, memory: memory::folder() };
    let work = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(program) = next else { return Ok(()) };
            let row = caller.call(program, None)?;
            let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
            rows.push((program.clone(), row));
        }
    };
    let ended: Vec<Result<(), String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        let lost = || Err("a thread panicked".into());
        workers.into_iter().map(|one| one.join().unwrap_or_else(|_| lost())).collect()
    });
    ended.into_iter().collect::<Result<(), String>>()?;
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.into_iter().map(|(program, row)| caller.once_more(&program, row)).collect()
}

impl Caller<'_> {
    /// Runs the selected tests of a program concurrently. If `again` is given, runs only the tests in this list, one at
    /// a time.
    fn call(&self, program: &Program, again: Option<&[String]>) -> Result<Row, String> {
        let start = now();
        let label = program.label() + again.map_or("", |_| "-again");
        let (log, starts) =
            (self.folder.join(format!("{label}.log")), self.folder.join(format!("{label}.starts")));
        // This file does not usually exist.
        let _ = std::fs::remove_file(&starts);
        let mut command = program.command();
        command.envs(self.variable).env(BINARY, &self.built.tacho).env(STARTS, &starts);
        if let Some(memory) = &self.memory {
            command.env(memory::VARIABLE, &memory.0);
        }
        // The option that reports durations is unstable. If it is ever removed, only the durations will be missing.
        command.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
        if std::env::var_os(THREADS).is_none() {
            // Tests of complete runs mostly wait for servers, so more of them can run at once than
            // tests of a single crate, which are CPU-bound.
            let waits = program.package == WHOLE_RUNS;
            command.env(THREADS, (cores() * if waits { 2 } else { 1 }).to_string());
        }
        match again {
            None => command.args(self.names),
            Some(names) => command.args(["--exact", "--test-threads", "1"]).args(names),
        };
        let broken = |error| format!("cannot run {}: {error}", program.label());
        let (mut summary, mut failed, mut ended) = (Summary::default(), Vec::new(), false);
        let mut times = Vec::new();
        let mut show = |line: &str| {
            ended |= summary.add(line);
            let Some(test) = Finished::parse(line) else { return };
            if test.failed {
                println!("{}: {} FAILED", program.label(), test.name);
                failed.push(test.name.to_owned());
            }
            times.extend(test.seconds.map(|seconds| (seconds, test.name.to_owned())));
        };
        let success = follow(&mut command, &log, &mut show).map_err(broken)?;
        if !ended || (!success && failed.is_empty()) {
            summary.broken += 1;
        }
        let took = start.elapsed();
        let mut failures = Vec::new();
        if !summary.good() && summary != Summary::default() {
            let log = std::fs::read_to_string(&log).map_err(broken)?;
            failures = Failure::all(&failed, &log);
            print!("{log}");
        }
        println!("{label:<36} {:>6.1} s  {summary}", took.as_secs_f64());
        let servers = counted(&std::fs::read_to_string(&starts).unwrap_or_default());
        Ok(Row { package: program.package.clone(), summary, failures, times, took, servers })
    }

    /// Repeats the failed tests if there are only a few, and returns the updated row.
    fn once_more(&self, program: &Program, mut row: Row) -> Result<Row, String> {
        if row.failures.is_empty() || row.failures.len() > CHANCES {
            return Ok(row);
        }
        let names: Vec<String> = row.failures.iter().map(|one| one.name.clone()).collect();
        let again = self.call(program, Some(&names))?;
        row.summary = row.summary.with_second(again.summary);
        for failure in &mut row.failures {
            failure.is_flaky = again.failures.iter().all(|other| other.name != failure.name);
        }
        Ok(row)
    }
}

/// Runs a program, writes its output to a file, and passes each line to a function. Returns true if
/// the program succeeded.
fn follow(
    command: &mut std::process::Command,
    log: &Path,
    see: &mut dyn FnMut(&str),
) -> std::io::Result<bool> {
    let mut log = File::create(log)?;
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log.try_clone()?).spawn()?;
    if let Some(stdout) = child.stdout.take() {
        let (mut from, mut line) = (BufReader::new(stdout), Vec::new());
        while from.read_until(b'\n', &mut line)? > 0 {
            log.write_all(&line)?;
            see(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    Ok(child.wait()?.success())
}

/// Runs the examples in the documentation comments. Only cargo can run these.
fn documentation() -> Result<Row, String> {
    let start = now();
    let words = ["test", "--workspace", "--exclude", crate::DIST, "--doc", "--no-fail-fast"];
    let mut cargo = process::program("cargo", &words);
    let (mut summary, mut failed) = (Summary::default(), Vec::new());
    let log = process::root().join("target/tests/documentation.log");
    let mut see = |line: &str| {
        summary.add(line);
        failed.extend(
            Finished::parse(line).filter(|test| test.failed).map(|test| test.name.to_owned()),
        );
    };
    let broken = |error| format!("cannot run the documentation examples: {error}");
    let success = follow(&mut cargo, &log, &mut see).map_err(broken)?;
    if !success {
        summary.broken += u64::from(failed.is_empty());
        print!("{}", std::fs::read_to_string(&log).map_err(broken)?);
    }
    let package = "documentation".to_owned();
    let failures = Failure::all(&failed, "");
    Ok(Row { package, summary, failures, took: start.elapsed(), ..Row::default() })
}

fn sum(rows: &[Row]) -> Summary {
    rows.iter().map(|row| row.summary).fold(Summary::default(), Summary::and)
}

/// Prints one line per package.
fn table(rows: &[Row]) {
    println!(
        "{:<20}{:>8}{:>8}{:>8}{:>9}  servers",
        "package", "passed", "failed", "flaky", "seconds"
    );
    let mut packages: BTreeMap<&str, Row> = BTreeMap::new();
    for row in rows {
        let whole = packages.entry(&row.package).or_default();
        whole.summary = whole.summary.and(row.summary);
        whole.took += row.took;
        for (name, starts) in &row.servers {
            *whole.servers.entry(name.clone()).or_default() += starts;
        }
    }
    for (package, Row { summary, took, servers, .. }) in &packages {
        let servers = servers.iter().map(|(name, starts)| format!("{name} ({starts})"));
        let servers = servers.collect::<Vec<_>>().join(", ");
        let Summary { passed, failed, flaky, .. } = summary;
        let seconds = took.as_secs_f64();
        println!("{package:<20}{passed:>8}{failed:>8}{flaky:>8}{seconds:>9.1}  {servers}");
    }
}

/// Prints the slowest tests, and any tests in the default tier that take too long.
fn slowest(rows: &[Row]) {
    let mut all: Vec<(f64, &str, &str)> = Vec::new();
    for row in rows {
        all.extend(row.times.iter().map(|(seconds, name)| (*seconds, &*row.package, &**name)));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("slowest tests:");
    for (seconds, package, name) in all.iter().take(SLOWEST) {
        println!("{seconds:>9.1} s  {package} {name}");
    }
    let slow = |(seconds, _, name): &&(f64, &str, &str)| {
        *seconds > SECONDS_MAX && !name.contains(EXTENDED)
    };
    for (seconds, package, name) in all.iter().filter(slow) {
        println!(
            "SLOW: {package} {name} took {seconds:.0} s; the limit in the default tier is {SECONDS_MAX} s"
        );
    }
}

/// Counts the occurrences of each line.
fn counted(text: &str) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for line in text.lines() {
        *all.entry(line.to_owned()).or_default() += 1;
    }
    all
}

/// A finished test, as reported by the harness: `test a::b ... FAILED <0.012s>`.
#[derive(Debug, PartialEq)]
struct Finished<'a> {
    name: &'a str,
    failed: bool,
    /// Duration in seconds. It is not available for documentation examples.
    seconds: Option<f64>,
}

impl<'a> Finished<'a> {
    /// Parses a line. Returns `None` if the line does not report a finished test.
    fn parse(line: &'a str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("test ")?.trim_end().rsplit_once(" ... ")?;
        let (outcome, time) = rest.split_once(' ').unwrap_or((rest, ""));
        if !matches!(outcome, "ok" | "FAILED") {
            return None;
        }
        let seconds = time.strip_prefix('<').and_then(|time| time.strip_suffix("s>"));
        let seconds = seconds.and_then(|seconds| seconds.parse().ok());
        Some(Self { name, failed: outcome == "FAILED", seconds })
    }
}

fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_tests_are_found_in_the_output() {
        let failed = Finished { name: "a::b", failed: true, seconds: Some(1.5) };
        assert_eq!(Finished::parse("test a::b ... FAILED <1.500s>\n"), Some(failed));
        let passed = Finished { name: "a - b (line 3)", failed: false, seconds: None };
        assert_eq!(Finished::parse("test a - b (line 3) ... ok\n"), Some(passed));
        assert_eq!(Finished::parse("test result: ok. 3 passed; 0 failed"), None);
    }

    #[test]
    fn starts_are_counted() {
        let counted = counted("MariaDB 11.8\nPostgreSQL 17.2\nMariaDB 11.8\n");
        assert_eq!(counted["MariaDB 11.8"], 2);
        assert_eq!(counted.len(), 2);
    }
}
