//! A point select over TDS, executed alternately by Tacho and by `go-mssqldb` on a scripted server.

#![expect(clippy::disallowed_methods, reason = "the benchmark starts programs")]
#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::tds;

use crate::load::{Load, Took, ours, prepare, print_pairs};
use crate::measure::{children_cpu, succeed};
use crate::sessions::Server;

/// The argument that turns this program into the server.
pub(crate) const PEER: &str = "--tds-peer";
const ROUNDS: usize = 5;
const SELECTS: u64 = 20_000;
/// Number of table rows per unit of scale.
const ROWS: u64 = 100_000;
const LOOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/mssql_select");

pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("mssql_select");
    succeed(Command::new("go").args(["build", "-o"]).arg(&program).arg(".").current_dir(LOOP))?;
    println!(
        "client CPU time per point select (us), {SELECTS} point selects, {ROUNDS} alternating rounds"
    );
    let server = Server::start(PEER)?;
    let login = format!("sqlserver://sa:Secret1!@127.0.0.1:{}", server.port);
    for (name, ours, theirs) in
        [("unencrypted", "optional", "disable"), ("TLS", "mandatory", "true")]
    {
        let target = format!("{login}/tacho?trust_server_certificate=yes&encrypt={ours}");
        let url = format!(
            "{login}?database=tacho&encrypt={theirs}&trustServerCertificate=true&dial+timeout=10"
        );
        compare(name, &target, &url, &program)?;
    }
    Ok(())
}

fn compare(name: &str, target: &str, url: &str, program: &Path) -> Result<()> {
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
        peers.push(theirs(url, program)?.micros);
    }
    print_pairs(name, ("tacho", &mine), ("go-mssqldb", &peers));
    Ok(())
}

fn theirs(url: &str, program: &Path) -> Result<Took> {
    let (start, before) = (Instant::now(), children_cpu()?);
    let (rows, count) = (ROWS.to_string(), SELECTS.to_string());
    succeed(Command::new(program).args([url, &rows, &count]))?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), children_cpu()? - before);
    let done = SELECTS as f64;
    Ok(Took { micros: cpu * 1e6 / done, tpm: done * 60.0 / wall })
}

/// Runs this program as the server.
pub(crate) fn serve() -> ExitCode {
    let server = tds::Server::start();
    println!("{}", server.port());
    // The parent process holds the other end of the pipe, so the server exits when its parent does.
    let ended = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
