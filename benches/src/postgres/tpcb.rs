//! The work of pgbench, by us and by pgbench itself.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;

use super::{Load, ours, pgbench, prepare, print_pairs, server};

const ROUNDS: usize = 3;
/// As many as the most sessions, so that they need not wait for each other's branch.
const SCALE: u64 = 64;

pub(crate) fn run() -> Result<()> {
    let server = server(&[("synchronous_commit", "off")])?;
    println!("scale {SCALE}; CPU us of the client per transaction, {ROUNDS} rounds in turn");
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
    for (profile, form, script, transactions) in [
        ("select-only", Form::Sql, "select-only", 48_000),
        ("select-only", Form::Simple, "select-only", 48_000),
        ("tpcb-like", Form::Sql, "tpcb-like", 9_600),
        ("tpcb-like", Form::Pipelined, "tpcb-like", 9_600),
    ] {
        for sessions in [1, 8, 64] {
            let load = Load { profile, form, sessions, transactions, ..load };
            let (mut mine, mut peers) = (Vec::new(), Vec::new());
            let protocol = if form == Form::Simple { "simple" } else { "prepared" };
            for _ in 0..ROUNDS {
                mine.push(ours(&server.target(), &load)?.micros);
                let script = [format!("--protocol={protocol}"), format!("--builtin={script}")];
                peers.push(pgbench::run(&server, (sessions, transactions), &script)?.micros);
            }
            let what = format!("{profile}, {sessions} sessions");
            print_pairs(&what, (form.word(), &mine), (&format!("pgbench -M {protocol}"), &peers));
        }
    }
    Ok(())
}
