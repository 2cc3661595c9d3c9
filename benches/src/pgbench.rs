//! Compares Tacho with pgbench by running the same pgbench scripts with both on a private server. The two programs take
//! turns (A, B, A, B).
//!
//! Both clients use one session and the Unix socket. Compares throughput and CPU time per transaction.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "the benchmark starts a program")]

use std::process::Command;
use std::time::Instant;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Form;
use tacho_testkit::servers::{Options, Postgres};

use crate::load::{Load, Took, ours, prepare, print_pairs};
use crate::measure::children_cpu;

const ROUNDS: usize = 7;
/// The scripts, and the number of transactions per round.
const SCRIPTS: [(&str, u64); 3] =
    [("tpcb-like", 5_000), ("simple-update", 5_000), ("select-only", 40_000)];
const MODES: [(&str, Form); 2] = [("prepared", Form::Sql), ("simple", Form::Simple)];

pub(crate) fn run() -> Result<()> {
    let settings = [("shared_buffers", "512MB"), ("synchronous_commit", "off")];
    let server = Postgres::start_with(Options { settings: &settings, ..Options::default() })?;
    let load = Load {
        workload: "tpcb",
        profile: "tpcb-like",
        scale: 1,
        form: Form::Sql,
        sessions: 1,
        transactions: 0,
        set: &[],
    };
    prepare(&server.target(), &load, 1)?;
    println!("PostgreSQL {}, scale 1, one session, synchronous_commit off", server.version());
    for (script, transactions) in SCRIPTS {
        for (mode, form) in MODES {
            let workload = match script {
                "tpcb-like" => "pgbench:tpcb-like",
                "simple-update" => "pgbench:simple-update",
                _ => "pgbench:select-only",
            };
            let load = Load { workload, profile: "default", form, transactions, ..load };
            let mut took: [Vec<Took>; 2] = Default::default();
            for _ in 0..ROUNDS {
                took[0].push(ours(&server.target(), &load)?);
                took[1].push(theirs(&server, (script, mode), transactions)?);
            }
            let all = |side: usize, value: fn(&Took) -> f64| -> Vec<f64> {
                took[side].iter().map(value).collect()
            };
            let print = |what: &str, value: fn(&Took) -> f64| {
                let what = format!("{what}, {script}, {mode}");
                print_pairs(&what, ("tacho", &all(0, value)), ("pgbench", &all(1, value)));
            };
            print("transactions per minute", |took| took.tpm);
            print("client CPU time per transaction (us)", |took| took.micros);
        }
    }
    Ok(())
}

/// Runs pgbench once and measures the CPU time of its process.
fn theirs(server: &Postgres, (script, mode): (&str, &str), transactions: u64) -> Result<Took> {
    let mut command = Command::new("/usr/lib/postgresql/15/bin/pgbench");
    command.arg("-h").arg(server.folder()).args(["-p", &server.port().to_string()]);
    command.args(["-U", "postgres", "-n", "-b", script, "-M", mode]);
    command.args(["-t", &transactions.to_string(), "postgres"]);
    let (start, before) = (Instant::now(), children_cpu()?);
    let output = command.output()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), children_cpu()? - before);
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::new(ErrorKind::Other, text).during("run pgbench"));
    }
    let count = transactions as f64;
    Ok(Took { micros: cpu * 1e6 / count, tpm: count * 60.0 / wall })
}
