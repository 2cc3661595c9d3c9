//! Client CPU time of one prepared point query over a Unix socket, beside that of pgbench, in turn.
//!
//! `cargo bench -p tacho-driver-postgres --bench point_select -- [rounds] [seconds]`

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "it measures real time")]

use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tacho_core::{Result, Seed};
use tacho_driver::{Exchange, Form, StatementId};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::Postgres;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

const SQL: &str = "-- name: balance(aid int) -> (abalance int)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid";
const BALANCE: StatementId = StatementId(0);
const SCALE: u64 = 10;
const ACCOUNTS: u64 = SCALE * 100_000;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let (rounds, seconds) = (words.next().unwrap_or(5), words.next().unwrap_or(5));
    let server = Postgres::start()?;
    pgbench(&server, &["-i", "-q", "-s", &SCALE.to_string()]);
    for sessions in [1, 8, 40] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(measure(&server, sessions, Duration::from_secs(seconds))?);
            theirs.push(measure_pgbench(&server, sessions, seconds));
        }
        println!("{sessions} sessions: tacho   {}", shown(&mut ours));
        println!("{sessions} sessions: pgbench {}", shown(&mut theirs));
    }
    Ok(())
}

/// Microseconds of our CPU time for each query.
fn measure(server: &Postgres, sessions: u64, span: Duration) -> Result<f64> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let driver = tacho_driver_postgres::driver();
    let bench = Bench::new(&*driver, &server.target());
    let target = tacho_driver::Target::parse(&server.target())?;
    let local = LocalSet::new();
    let tasks: Result<Vec<_>> = local.block_on(&runtime, async {
        let mut ready = Vec::new();
        for _ in 0..sessions {
            let session = driver.connect(&target, bench.environment()).await?;
            ready.push(Exchange::new(session, bench.catalog(SQL)?, Form::Sql).await?);
        }
        Ok(ready)
    });
    let before = cpu();
    let end = Instant::now() + span;
    let queries = local.block_on(&runtime, async {
        let tasks: Vec<_> = tasks?
            .into_iter()
            .enumerate()
            .map(|(session, exchange)| {
                tokio::task::spawn_local(work(exchange, session as u64, end))
            })
            .collect();
        let mut queries = 0;
        for task in tasks {
            queries += task.await.expect("no panic")?;
        }
        Ok::<u64, tacho_core::Error>(queries)
    })?;
    Ok((cpu() - before) * 1e6 / queries as f64)
}

async fn work(mut exchange: Exchange, session: u64, end: Instant) -> Result<u64> {
    let mut rng = Seed(42).rng(session);
    let mut queries = 0;
    while queries % 64 != 0 || Instant::now() < end {
        exchange.execute(BALANCE).int(rng.between(1, ACCOUNTS as i64));
        exchange.send().await?.one(0)?.number(0)?;
        queries += 1;
    }
    Ok(queries)
}

/// Seconds of CPU time of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Microseconds of pgbench's CPU time for each query, its start included.
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

/// Seconds of CPU time of all children that have ended: fields 16 and 17 of `/proc/self/stat`.
fn cpu_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("our own state");
    let after_name = stat.rsplit_once(')').expect("a name").1;
    let ticks = after_name.split_whitespace().skip(13).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}

fn shown(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    let mut text = format!("median {:.2} us, rounds", values[values.len() / 2]);
    for value in values {
        let _ = write!(text, " {value:.2}");
    }
    text
}
