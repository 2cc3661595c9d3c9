//! Compares a point select over ODBC in Tacho with a minimal C loop that uses the same ODBC driver.

#![expect(clippy::disallowed_methods, reason = "the benchmark starts programs")]
#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::data_source;
use tacho_testkit::servers::{MariaDb, Postgres};

use crate::load::{Load, Took, ours, prepare, print_pairs};
use crate::measure::{children_cpu, succeed};

const ROUNDS: usize = 5;
const SELECTS: u64 = 40_000;
/// Number of table rows per unit of scale.
const ROWS: u64 = 100_000;
const LOOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/point_select.c");

pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("point_select");
    succeed(Command::new("cc").args(["-O2", "-o"]).arg(&program).args([LOOP, "-l:libodbc.so.2"]))?;
    println!(
        "client CPU time per point select (us), {SELECTS} point selects, {ROUNDS} alternating rounds"
    );
    let server = Postgres::start()?;
    compare("PostgreSQL", &data_source::postgres(&server, "postgres"), &program)?;
    let server = MariaDb::start()?;
    server.client("CREATE DATABASE bench")?;
    let place = data_source::mariadb(&server, "bench");
    compare("MariaDB", &format!("{place}&password={}", server.password()), &program)
}

fn compare(name: &str, target: &str, program: &Path) -> Result<()> {
    let load = Load {
        workload: "tpcb",
        profile: "select-only",
        scale: 1,
        form: Form::Sql,
        sessions: 1,
        transactions: SELECTS,
        set: &[],
    };
    prepare(target, &Load { profile: "tpcb-like", ..load }, 1)?;
    let (mut mine, mut peers) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        mine.push(ours(target, &load)?.micros);
        peers.push(bare(&connection_string(target), program)?.micros);
    }
    print_pairs(name, ("tacho", &mine), ("a loop in C", &peers));
    Ok(())
}

/// Returns the ODBC connection string of a target, including the user name and the password.
fn connection_string(target: &str) -> String {
    let (place, options) = target.split_once('?').unwrap_or((target, ""));
    let options = options.replace("user=", "UID=").replace("password=", "PWD=").replace('&', ";");
    format!("{};{options}", place.trim_start_matches("odbc:"))
}

fn bare(connection: &str, program: &Path) -> Result<Took> {
    let (start, before) = (Instant::now(), children_cpu()?);
    let (rows, count) = (ROWS.to_string(), SELECTS.to_string());
    succeed(Command::new(program).args([connection, &rows, &count]))?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), children_cpu()? - before);
    let done = SELECTS as f64;
    Ok(Took { micros: cpu * 1e6 / done, tpm: done * 60.0 / wall })
}
