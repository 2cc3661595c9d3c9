//! Client CPU time of one prepared point query over a Unix socket, beside that of sysbench's
//! `oltp_point_select`, in turn.
//!
//! `cargo bench -p tacho-driver-mysql --bench point_select -- [mariadb|mysql] [rounds] [seconds]`

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "it measures real time")]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tacho_core::{Result, Seed};
use tacho_driver::{Exchange, Form, StatementId, Target};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{MariaDb, MySql, Options};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// What sysbench asks.
const SQL: &str = "-- name: point(id int) -> (c text)\nSELECT c FROM sbtest1 WHERE id = :id";
const POINT: StatementId = StatementId(0);
const ROWS: u64 = 100_000;
/// sysbench's own distribution would cost it time that we do not spend.
const SYSBENCH: [&str; 6] = [
    "--db-driver=mysql",
    "--mysql-user=root",
    "--mysql-db=tacho",
    "--rand-type=uniform",
    "--tables=1",
    "--table-size=100000",
];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = words.iter().filter_map(|word| word.parse().ok());
    let (rounds, seconds) = (numbers.next().unwrap_or(5), numbers.next().unwrap_or(5));
    let options = Options { settings: &[("max-connections", "200")], ..Options::default() };
    if words.iter().any(|word| word == "mysql") {
        let server = MySql::start_with(options)?;
        compare(server.folder(), &server.target(), rounds, seconds)
    } else {
        let server = MariaDb::start_with(options)?;
        let target = server.target();
        compare(server.folder(), &target, rounds, seconds)
    }
}

fn compare(folder: &Path, target: &str, rounds: u64, seconds: u64) -> Result<()> {
    let socket = folder.join("s.sock").display().to_string();
    sysbench(&socket, &["prepare"]);
    for sessions in [1, 8, 64] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(measure(target, sessions, Duration::from_secs(seconds))?);
            theirs.push(measure_sysbench(&socket, sessions, seconds));
        }
        println!("{sessions} sessions: tacho    {}", shown(&mut ours));
        println!("{sessions} sessions: sysbench {}", shown(&mut theirs));
    }
    Ok(())
}

/// Microseconds of our CPU time for each query.
fn measure(target: &str, sessions: u64, span: Duration) -> Result<f64> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let driver = tacho_driver_mysql::driver();
    let bench = Bench::new(&*driver, target);
    let target = Target::parse(target)?;
    let local = LocalSet::new();
    let ready: Result<Vec<_>> = local.block_on(&runtime, async {
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
        let tasks: Vec<_> = ready?
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
        exchange.execute(POINT).int(rng.between(1, ROWS as i64));
        exchange.send().await?.one(0)?.text(0)?;
        queries += 1;
    }
    Ok(queries)
}

/// Seconds of CPU time of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Microseconds of sysbench's CPU time for each query, its start included.
fn measure_sysbench(socket: &str, sessions: u64, seconds: u64) -> f64 {
    let (threads, time) = (format!("--threads={sessions}"), format!("--time={seconds}"));
    let before = cpu_of_children();
    let text = sysbench(socket, &[&threads, &time, "run"]);
    let spent = cpu_of_children() - before;
    let count = text.lines().find_map(|line| line.trim().strip_prefix("total:"));
    let queries: f64 = count.and_then(|count| count.trim().parse().ok()).expect("a count");
    spent * 1e6 / queries
}

fn sysbench(socket: &str, words: &[&str]) -> String {
    let mut command = Command::new("sysbench");
    command.arg("oltp_point_select").args(SYSBENCH).arg(format!("--mysql-socket={socket}"));
    let output = command.args(words).output().expect("sysbench runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
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
