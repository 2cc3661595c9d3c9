//! Compares calls to the same stored routines by Tacho and by pgbench, with the same mix and arguments.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;

use super::{Load, ours, pgbench, prepare, print_pairs, server};

const ROUNDS: usize = 5;
const TRANSACTIONS: u64 = 24_000;
const SESSIONS: u32 = 8;
/// The scripts and their weights.
const SCRIPTS: [(&str, u32); 5] =
    [("neword", 10), ("payment", 10), ("delivery", 1), ("slev", 1), ("ostat", 1)];

pub(crate) fn run() -> Result<()> {
    let server = server(&[("synchronous_commit", "off")])?;
    let load = Load {
        workload: "tprocc",
        profile: "hammerdb",
        scale: 10,
        form: Form::Procedures,
        sessions: SESSIONS,
        transactions: TRANSACTIONS,
        set: &[],
    };
    prepare(&server.target(), &load, 2)?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let script = |(name, weight): (&str, u32)| format!("--file={folder}/{name}.sql@{weight}");
    let mut scripts = SCRIPTS.map(script).to_vec();
    // A new-order transaction that becomes a deadlock victim is counted but not retried, as in Tacho.
    scripts.extend(["--max-tries=1", "--protocol=prepared"].map(String::from));
    let (mut mine, mut peers) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        mine.push(ours(&server.target(), &load)?.micros);
        peers.push(pgbench::run(&server, (SESSIONS, TRANSACTIONS), &scripts)?.micros);
    }
    println!("HammerDB-style functions, 10 warehouses, {ROUNDS} alternating rounds");
    let what = format!("client CPU time per transaction (us), {SESSIONS} sessions");
    print_pairs(&what, ("procedures", &mine), ("pgbench -M prepared", &peers));
    Ok(())
}
