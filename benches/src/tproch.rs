//! Benchmarks for query streams. One compares the CPU time of generating rows with that of a dedicated generator. The
//! other measures the time that a stream spends between queries.
//!
//! Start reading at [`generate`] and [`stream`].

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::process::{Command, ExitCode, Stdio};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Form, Values};
use tacho_engine::{Interrupt, Observer, Stop};
use tacho_workload::Slice;

use crate::load::{Load, instance, print_pairs, setup};
use crate::measure::{children_cpu, median};

/// A generator by the authors of Tacho's row generator crate. Install it with `cargo install tpchgen-cli`.
const PEER: &str = "tpchgen-cli";
/// The argument that makes this program generate rows.
pub(crate) const MAKE: &str = "--make";
/// Scale in hundredths of a gigabyte.
const STEPS: u64 = 100;
const ROUNDS: usize = 5;
/// Number of query sets in a stream.
const SETS: &str = "500";

/// Compares the CPU time of generating one gigabyte of data for all tables on one core. Neither Tacho nor the other
/// generator writes the rows to disk.
pub(crate) fn generate() -> Result<()> {
    let program = std::env::current_exe()?;
    let words = ["--scale-factor", "1", "--num-threads", "1", "--stdout", "--quiet"];
    let (mut mine, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        mine.push(cpu(Command::new(&program).arg(MAKE))?);
        theirs.push(cpu(Command::new(PEER).args(words)).map_err(|error| {
            error.during(format!("run {PEER}")).hint("cargo install tpchgen-cli")
        })?);
    }
    let what = format!("1 gigabyte, one core, {ROUNDS} alternating rounds, in CPU seconds");
    print_pairs(&what, ("ours", &mine), (PEER, &theirs));
    Ok(())
}

/// Returns the CPU time of a program in seconds.
fn cpu(command: &mut Command) -> Result<f64> {
    let before = children_cpu()?;
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !status.success() {
        return Err(Error::new(ErrorKind::Other, "the program failed"));
    }
    Ok(children_cpu()? - before)
}

/// Generates the rows in the child process.
pub(crate) fn make() -> ExitCode {
    let Ok(instance) = instance("noop:", &load()) else { return ExitCode::FAILURE };
    let slices = (0..instance.units()).flat_map(|unit| instance.unit(unit).slices);
    let rows: u64 = slices.map(|slice| drained(&*instance, &slice)).sum();
    if rows > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn load() -> Load {
    let (workload, profile) = ("tproch", "spec");
    let (form, set) = (Form::Sql, &[("query_sets", SETS)]);
    Load { workload, profile, scale: STEPS, form, sessions: 1, transactions: 0, set }
}

fn drained(instance: &dyn tacho_workload::Instance, slice: &Slice) -> u64 {
    let (mut source, mut values, mut rows) = (instance.rows(slice), Values::default(), 0);
    loop {
        values.clear();
        match source.next_batch(&mut values) {
            0 => return rows,
            more => rows += more as u64,
        }
    }
}

struct Deaf;

impl Observer for Deaf {}

/// Measures the time from the end of a query to the start of the next one in the same stream.
pub(crate) fn stream() -> Result<()> {
    for sessions in [1, 4] {
        let load = Load { sessions, ..load() };
        let mut setup = setup("noop:", &load)?;
        setup.plan.stop = Stop::Done;
        let measurement = tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf)?;
        let mut gaps = Vec::new();
        for session in 0..sessions {
            let all = measurement.total.executions.iter().filter(|one| one.session == session);
            let mut executions: Vec<_> = all.collect();
            executions.sort_by_key(|one| one.sent);
            let gap = |pair: &[&tacho_metrics::Execution]| {
                let end = pair[0].sent.plus(pair[0].took);
                pair[1].sent.since(end).as_secs_f64() * 1e6
            };
            gaps.extend(executions.windows(2).map(gap));
        }
        gaps.sort_by(f64::total_cmp);
        let at = |share: f64| gaps[((gaps.len() - 1) as f64 * share) as usize];
        println!(
            "{sessions} streams, {} gaps, µs: median {:.2}  p99 {:.2}  p99.9 {:.2}  longest {:.1}",
            gaps.len(),
            median(gaps.clone()),
            at(0.99),
            at(0.999),
            at(1.0)
        );
    }
    Ok(())
}
