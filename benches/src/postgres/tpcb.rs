//! The pgbench workload, run by Tacho and by pgbench itself.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;

use super::{Load, ours, pgbench, prepare, print_pairs, server};

const ROUNDS: usize = 3;
/// Number of bank branches in the data. It equals the maximum number of sessions, so that sessions rarely wait for each
/// other to update the same branch.
const SCALE: u64 = 64;

/// The path of a pgbench script that sends the TPC-B transaction in a single pipeline. pgbench has no such built-in
/// script.
const PIPELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/postgres/tpcb-pipeline.sql");

/// One row of the benchmark. It contains Tacho's profile and statement form, the name of pgbench's equivalent, and the
/// arguments for pgbench.
type Row = (&'static str, Form, &'static str, [String; 2]);

fn rows() -> [Row; 5] {
    let built_in = |protocol: &str, script: &str| {
        [format!("--protocol={protocol}"), format!("--builtin={script}")]
    };
    let pipeline = ["--protocol=prepared".into(), format!("--file={PIPELINE}")];
    let prepared = "pgbench -M prepared";
    [
        ("select-only", Form::Sql, prepared, built_in("prepared", "select-only")),
        ("select-only", Form::Simple, "pgbench -M simple", built_in("simple", "select-only")),
        ("tpcb-like", Form::Sql, prepared, built_in("prepared", "tpcb-like")),
        ("tpcb-like", Form::Pipelined, prepared, built_in("prepared", "tpcb-like")),
        ("tpcb-like", Form::Pipelined, "pgbench \\startpipeline", pipeline),
    ]
}

pub(crate) fn run() -> Result<()> {
    println!("scale {SCALE}; client CPU time per transaction (us), {ROUNDS} alternating rounds");
    let all = rows();
    measured(&[("synchronous_commit", "off")], &all, 1)?;
    // Commits wait for the disk here, so each round has fewer transactions than usual.
    let writing = all.into_iter().filter(|row| row.0 == "tpcb-like").collect::<Vec<_>>();
    let durable = [("fsync", "on"), ("full_page_writes", "on"), ("synchronous_commit", "on")];
    measured(&durable, &writing, 4)
}

/// Makes the given comparisons, with the number of transactions divided by `fraction`.
fn measured(settings: &[(&str, &str)], rows: &[Row], fraction: u64) -> Result<()> {
    let server = server(settings)?;
    let load = Load {
        workload: "tpcb",
        profile: "tpcb-like",
        scale: SCALE,
        form: Form::Sql,
        sessions: 1,
        transactions: 0,
        set: &[],
    };
    prepare(&server.target(), &load, 2)?;
    for (profile, form, peer, arguments) in rows {
        let transactions = if *profile == "select-only" { 48_000 } else { 9_600 } / fraction;
        for sessions in [1, 8, 64] {
            let load = Load { profile, form: *form, sessions, transactions, ..load };
            let (mut mine, mut peers) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                mine.push(ours(&server.target(), &load)?.micros);
                peers.push(pgbench::run(&server, (sessions, transactions), arguments)?.micros);
            }
            let what = format!("{profile}, {sessions} sessions");
            print_pairs(&what, (form.word(), &mine), (peer, &peers));
        }
    }
    Ok(())
}
