//! `cargo xtask test`: all tests of the workspace, doc tests included, and a closing table.
//!
//! Everything is built first, by one call of cargo. Programs of tests then run next to each other: tests of
//! servers mostly wait. What a program writes goes to a file in `target/tests`, and is shown if a test
//! in it fails. The few tests that fail are run once more, one at a time: those that pass then are
//! reported as FLAKY. That is a defect of the test or of the product; more than a few fail the run.
//!
//! Start reading at [`run_these`].

#![expect(
    clippy::disallowed_methods,
    reason = "outputs of tests go to files of ours, with their times"
)]

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

use crate::testing::Testing;
use crate::{Outcome, needs, process};
use programs::Built;
pub use programs::Program;
pub use summary::Summary;

/// The number of tests that a program runs at a time.
const THREADS: &str = "RUST_TEST_THREADS";
/// The path of `tacho`, for whole runs.
const BINARY: &str = "TACHO_TEST_BINARY";
/// The file to which the test kit writes which servers it starts.
const STARTS: &str = "TACHO_TEST_STARTS";
/// More failures than these in a program are no chance, and none is run again.
const CHANCES: usize = 5;

/// A variable of the environment and its value.
pub type Variable<'a> = (&'a str, &'a Path);

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Installs what is missing, runs all tests, closes with the line `N passed, N failed`.
pub fn run() -> Outcome {
    let testing = Testing::read()?;
    needs::ensure(&testing)?;
    needs::fetch(&testing);
    let summary = run_all(&programs::build()?)?;
    if let Some(remark) = summary.remark() {
        println!("error: {remark}");
    }
    needs::announce_untested(&testing);
    println!("{summary}");
    Ok(summary.good())
}

/// Runs all tests and prints the table.
pub fn run_all(built: &Built) -> Result<Summary, String> {
    let start = now();
    let mut rows = run_built(built, &|_| true, &[], None)?;
    rows.push(documentation()?);
    table(&rows);
    println!("all tests in {:.0} s", start.elapsed().as_secs_f64());
    Ok(sum(&rows))
}

/// Runs tests of chosen programs: those whose names contain one of these, or all.
pub fn run_these(
    chosen: &dyn Fn(&Program) -> bool,
    names: &[String],
    variable: Option<Variable<'_>>,
) -> Result<Summary, String> {
    let rows = run_built(&programs::build()?, chosen, names, variable)?;
    table(&rows);
    Ok(sum(&rows))
}

/// What one program reported.
struct Row {
    package: String,
    summary: Summary,
    /// The names of the tests that failed.
    failed: Vec<String>,
    took: Duration,
    /// Each server with the number of its starts.
    servers: BTreeMap<String, u64>,
}

/// Which tests of a program run.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// All that were asked for.
    First,
    /// Those of exactly these names, one at a time.
    Again(&'a [String]),
}

impl Part<'_> {
    fn suffix(self) -> &'static str {
        match self {
            Self::First => "",
            Self::Again(_) => "-again",
        }
    }
}

/// How programs are called.
struct Caller<'a> {
    built: &'a Built,
    names: &'a [String],
    variable: Option<Variable<'a>>,
    /// Where the outputs go.
    folder: PathBuf,
    /// Where tests put their temporary files.
    memory: Option<memory::Folder>,
}

fn run_built(
    built: &Built,
    chosen: &dyn Fn(&Program) -> bool,
    names: &[String],
    variable: Option<Variable<'_>>,
) -> Result<Vec<Row>, String> {
    let folder = process::root().join("target/tests");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make a folder: {error}"))?;
    let queue: VecDeque<&Program> = built.programs.iter().filter(|one| chosen(one)).collect();
    let (queue, rows) = (Mutex::new(queue), Mutex::new(Vec::new()));
    let caller = Caller { built, names, variable, folder, memory: memory::folder() };
    let held = |rows: &mut Vec<(Program, Row)>, program: &Program, row| {
        rows.push((program.clone(), row));
    };
    let work = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(program) = next else { return Ok(()) };
            let row = caller.call(program, Part::First)?;
            held(&mut rows.lock().unwrap_or_else(PoisonError::into_inner), program, row);
        }
    };
    let ended: Vec<Result<(), String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        let lost = || Err("a thread has panicked".into());
        workers.into_iter().map(|one| one.join().unwrap_or_else(|_| lost())).collect()
    });
    ended.into_iter().collect::<Result<(), String>>()?;
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.into_iter().map(|(program, row)| caller.once_more(&program, row)).collect()
}

impl Caller<'_> {
    /// Runs a part of the tests of a program.
    fn call(&self, program: &Program, part: Part<'_>) -> Result<Row, String> {
        let start = now();
        let label = program.label() + part.suffix();
        let (log, starts) =
            (self.folder.join(format!("{label}.log")), self.folder.join(format!("{label}.starts")));
        // Most often there is none.
        let _ = std::fs::remove_file(&starts);
        let mut command = program.command();
        command.envs(self.variable).env(BINARY, &self.built.tacho).env(STARTS, &starts);
        if let Some(memory) = &self.memory {
            command.env(memory::VARIABLE, memory.path());
        }
        if std::env::var_os(THREADS).is_none() {
            command.env(THREADS, (2 * cores()).to_string());
        }
        match part {
            Part::First => command.args(self.names),
            Part::Again(names) => command.args(["--exact", "--test-threads", "1"]).args(names),
        };
        let broken = |error| format!("cannot run {}: {error}", program.label());
        let (mut summary, mut failed, mut ended) = (Summary::default(), Vec::new(), false);
        let mut show = |line: &str| {
            ended |= summary.add(line);
            if let Some(name) = failed_test(line) {
                println!("{}: {} FAILED", program.label(), name);
                failed.push(name);
            }
        };
        let success = follow(&mut command, &log, &mut show).map_err(broken)?;
        if !ended || (!success && failed.is_empty()) {
            summary.broken += 1;
        }
        let took = start.elapsed();
        if !summary.good() && summary != Summary::default() {
            print!("{}", std::fs::read_to_string(&log).map_err(broken)?);
        }
        println!("{label:<36} {:>6.1} s  {summary}", took.as_secs_f64());
        let servers = counted(&std::fs::read_to_string(&starts).unwrap_or_default());
        Ok(Row { package: program.package.clone(), summary, failed, took, servers })
    }

    /// The same row after a second try of the few tests that failed.
    fn once_more(&self, program: &Program, mut row: Row) -> Result<Row, String> {
        if row.failed.is_empty() || row.failed.len() > CHANCES {
            return Ok(row);
        }
        let again = self.call(program, Part::Again(&row.failed))?;
        row.summary = row.summary.with_second(again.summary);
        for name in row.failed.iter().filter(|name| !again.failed.contains(name)) {
            println!("FLAKY, failed and passed when it was run again: {} {name}", program.label());
        }
        Ok(row)
    }
}

/// Runs a program to its end: its output goes to a file, and line by line to a function. Whether it succeeded.
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

/// The examples in the documentation, which only cargo can run.
fn documentation() -> Result<Row, String> {
    let start = now();
    let mut cargo = process::program("cargo", &["test", "--workspace", "--doc", "--no-fail-fast"]);
    let (mut summary, mut failed) = (Summary::default(), Vec::new());
    let log = process::root().join("target/tests/documentation.log");
    let mut see = |line: &str| {
        summary.add(line);
        failed.extend(failed_test(line));
    };
    let broken = |error| format!("cannot run the examples in the documentation: {error}");
    let success = follow(&mut cargo, &log, &mut see).map_err(broken)?;
    if !success {
        summary.broken += u64::from(failed.is_empty());
        print!("{}", std::fs::read_to_string(&log).map_err(broken)?);
    }
    let (package, servers) = ("documentation".to_owned(), BTreeMap::new());
    Ok(Row { package, summary, failed, took: start.elapsed(), servers })
}

fn sum(rows: &[Row]) -> Summary {
    rows.iter().map(|row| row.summary).fold(Summary::default(), Summary::and)
}

/// A line for each package.
fn table(rows: &[Row]) {
    println!(
        "{:<20}{:>8}{:>8}{:>8}{:>9}  servers",
        "package", "passed", "failed", "flaky", "seconds"
    );
    let mut packages: BTreeMap<&str, Row> = BTreeMap::new();
    for row in rows {
        let whole = packages.entry(&row.package).or_insert_with(|| Row {
            package: row.package.clone(),
            summary: Summary::default(),
            failed: Vec::new(),
            took: Duration::ZERO,
            servers: BTreeMap::new(),
        });
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

/// How often each line is there.
fn counted(text: &str) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for line in text.lines() {
        *all.entry(line.to_owned()).or_default() += 1;
    }
    all
}

/// The test of a line such as `test a::b ... FAILED`.
fn failed_test(line: &str) -> Option<String> {
    line.strip_prefix("test ")?.trim_end().strip_suffix(" ... FAILED").map(str::to_owned)
}

fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_found_in_the_output() {
        assert_eq!(failed_test("test a::b ... FAILED\n").as_deref(), Some("a::b"));
        assert_eq!(failed_test("test a::b ... ok\n"), None);
    }

    #[test]
    fn starts_are_counted() {
        let counted = counted("MariaDB 11.8\nPostgreSQL 17.2\nMariaDB 11.8\n");
        assert_eq!(counted["MariaDB 11.8"], 2);
        assert_eq!(counted.len(), 2);
    }
}
