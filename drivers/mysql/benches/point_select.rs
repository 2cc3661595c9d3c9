//! Compares the client's CPU time for a prepared point query with sysbench's `oltp_point_select`.
//!
//! Tacho and sysbench take turns, and both connect through a Unix socket.
//!
//! `cargo bench -p tacho-driver-mysql --bench point_select -- [mariadb|mysql] [rounds] [seconds]`

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tacho_core::Result;
use tacho_testkit::point_query::{PointQuery, cpu_of_children, micros, shown};
use tacho_testkit::servers::{MariaDb, MySql, Options};

/// The query that sysbench runs.
const QUERY: PointQuery = PointQuery {
    sql: "-- name: point(id int) -> (c text)\nSELECT c FROM sbtest1 WHERE id = :id",
    rows: 100_000,
};
/// Command-line arguments of sysbench. They request a uniform distribution of keys, because sysbench's default
/// distribution costs CPU time that Tacho does not need.
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
            let load = (sessions, Duration::from_secs(seconds));
            ours.push(micros(&*tacho_driver_mysql::driver(), target, QUERY, load)?);
            theirs.push(measure_sysbench(&socket, sessions, seconds));
        }
        println!("{sessions} sessions: tacho    {}", shown(&mut ours));
        println!("{sessions} sessions: sysbench {}", shown(&mut theirs));
    }
    Ok(())
}

/// Returns sysbench's CPU time per query in microseconds. This includes the CPU time of starting sysbench.
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
