//! Compares calls to stored procedures by Tacho and by mysqlslap, a C client that only sends the lines of a file.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "the benchmark starts a program")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tacho_core::{Error, ErrorKind, Result, Rng, Seed};
use tacho_driver::{Form, Target};

use super::{Server, products, server};
use crate::load::{Load, Took, ours, prepare, print_pairs};
use crate::measure::children_cpu;

const ROUNDS: usize = 5;
const TRANSACTIONS: u64 = 16_000;
const WAREHOUSES: u64 = 10;
/// Number of procedure calls in the SQL file that mysqlslap reads. Each of its sessions executes the file repeatedly.
const LINES: u64 = 2_000;
const THEN: &str = "'2026-01-01 00:00:00'";

pub(crate) fn run() -> Result<()> {
    for product in products() {
        let server = server(product)?;
        let mut load = Load {
            workload: "tprocc",
            profile: "spec",
            scale: WAREHOUSES,
            form: Form::Procedures,
            sessions: 1,
            transactions: TRANSACTIONS,
            set: &[],
        };
        prepare(&server.target(), &load, 2)?;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("calls.sql");
        std::fs::write(&file, calls())?;
        println!("Tacho's procedures, {WAREHOUSES} warehouses, {ROUNDS} alternating rounds");
        for sessions in [1, 8] {
            load.sessions = sessions;
            let (mut mine, mut peers) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                mine.push(ours(&server.target(), &load)?.micros);
                peers.push(slap(&server, sessions, &file)?.micros);
            }
            let what = format!("client CPU time per transaction (us), {sessions} sessions");
            print_pairs(&what, ("procedures", &mine), ("mysqlslap", &peers));
        }
    }
    Ok(())
}

/// Returns the calls as statements, one per line.
fn calls() -> String {
    let mut rng = Seed(42).rng(0);
    (0..LINES).map(|_| call(&mut rng) + ";\n").collect()
}

/// Returns a call with uniformly distributed inputs. The distribution does not affect the client's cost.
fn call(rng: &mut Rng) -> String {
    let warehouse = 1 + rng.below(WAREHOUSES);
    let (district, customer) = (1 + rng.below(10), 1 + rng.below(3_000));
    match rng.below(100) {
        ..45 => new_order(rng, warehouse, district, customer),
        45..88 => {
            let place = format!("{warehouse}, {district}, {warehouse}, {district}, {customer}");
            format!("CALL tprocc_payment({place}, 0, '', 1, 100.00, -100.00, 1, {THEN})")
        }
        88..92 => {
            format!("CALL tprocc_order_status({warehouse}, {district}, {customer}, 0, '', 1)")
        }
        92..96 => format!("CALL tprocc_delivery({warehouse}, {district}, {THEN}, 1, 0)"),
        _ => format!("CALL tprocc_stock_level({warehouse}, {district}, 15)"),
    }
}

fn new_order(rng: &mut Rng, warehouse: u64, district: u64, customer: u64) -> String {
    let lines = 5 + rng.below(11);
    let items = list((0..lines).map(|_| 1 + rng.below(100_000)));
    let supplies = list((0..lines).map(|_| warehouse));
    let quantities = list((0..lines).map(|_| 1 + rng.below(10)));
    let lines = format!("{items}, {supplies}, {quantities}");
    format!("CALL tprocc_new_order({warehouse}, {district}, {customer}, {THEN}, {lines}, 10, 1, 1)")
}

/// Formats an array as a string.
fn list(numbers: impl Iterator<Item = u64>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    format!("'{{{}}}'", numbers.join(","))
}

/// Runs mysqlslap once and measures the CPU time of its process.
fn slap(server: &Server, sessions: u32, file: &Path) -> Result<Took> {
    let mut command = Command::new("mysqlslap");
    command.args(["--no-defaults", "--user=root", "--no-drop", "--delimiter=;"]);
    let target = Target::parse(&server.target())?;
    command.arg(format!("--socket={}", target.option("socket").unwrap_or_default()));
    command.arg("--create-schema=tacho");
    command.arg(format!("--concurrency={sessions}"));
    command.arg(format!("--number-of-queries={TRANSACTIONS}"));
    let (start, before) = (Instant::now(), children_cpu()?);
    let output = command.arg(format!("--query={}", file.display())).output()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), children_cpu()? - before);
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::new(ErrorKind::Other, text).during("run mysqlslap"));
    }
    let calls = TRANSACTIONS as f64;
    Ok(Took { micros: cpu * 1e6 / calls, tpm: calls * 60.0 / wall })
}
