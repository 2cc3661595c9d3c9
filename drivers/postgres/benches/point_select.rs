//! Compares the client's CPU time for a prepared point query with that of pgbench.
//!
//! Tacho and pgbench take turns, and both connect through a Unix socket.
//!
//! `cargo bench -p tacho-driver-postgres --bench point_select -- [rounds] [seconds]`

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::process::Command;
use std::time::Duration;

use tacho_core::Result;
use tacho_testkit::point_query::{PointQuery, cpu_of_children, micros, shown};
use tacho_testkit::servers::Postgres;

const SCALE: u64 = 10;
const QUERY: PointQuery = PointQuery {
    sql: "-- name: balance(aid int) -> (abalance int)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid",
    rows: SCALE * 100_000,
};

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let (rounds, seconds) = (words.next().unwrap_or(5), words.next().unwrap_or(5));
    let server = Postgres::start()?;
    pgbench(&server, &["-i", "-q", "-s", &SCALE.to_string()]);
    for sessions in [1, 8, 40] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let load = (sessions, Duration::from_secs(seconds));
            ours.push(micros(&*tacho_driver_postgres::driver(), &server.target(), QUERY, load)?);
            theirs.push(measure_pgbench(&server, sessions, seconds));
        }
        println!("{sessions} sessions: tacho   {}", shown(&mut ours));
        println!("{sessions} sessions: pgbench {}", shown(&mut theirs));
    }
    Ok(())
}

/// Returns pgbench's CPU time per query in microseconds. This includes the CPU time of starting pgbench.
fn measure_pgbench(server: &Postgres, sessions: u64, seconds: u64) -> f64 {
    let (clients, seconds) = (sessions.to_string(), seconds.to_string());
    let before = cpu_of_children();
    let text = pgbench(server, &["-M", "prepared", "-S", "-n", "-c", &clients, "-T", &seconds]);
    let spent = cpu_of_children() - before;
    let words = text.lines().find_map(|line| line.split("actually processed: ").nth(1));
    let queries: f64 = words.and_then(|count| count.trim().parse().ok()).expect("a count");
    spent * 1e6 / queries
}

fn pgbench(server: &Postgres, words: &[&str]) -> String {
    let mut command = Command::new("pgbench");
    command.arg("-h").arg(server.folder()).args(["-p", &server.port().to_string()]);
    let output = command.args(["-U", "postgres"]).args(words).arg("postgres").output();
    let output = output.expect("pgbench runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
