//! Runs pgbench for comparison and measures the CPU time of its process.

#![expect(clippy::disallowed_methods, reason = "the benchmark starts a program")]

use std::process::Command;
use std::time::Instant;

use tacho_core::{Error, ErrorKind, Result};
use tacho_testkit::servers::Postgres;

use super::Took;
use crate::measure::children_cpu;

/// Runs pgbench with these additional arguments, which determine how it sends statements.
pub(super) fn run(
    server: &Postgres,
    (sessions, transactions): (u32, u64),
    arguments: &[String],
) -> Result<Took> {
    let mut command = Command::new("pgbench");
    command.args(["-n", "-j", "1", "-U", "postgres"]);
    command.arg("-h").arg(server.folder()).args(["-p", &server.port().to_string()]);
    command.args(["-c", &sessions.to_string()]);
    command.args(["-t", &(transactions / u64::from(sessions)).to_string()]);
    let (start, before) = (Instant::now(), children_cpu()?);
    let output = command.args(arguments).arg("postgres").output()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), children_cpu()? - before);
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::new(ErrorKind::Other, text).during("run pgbench"));
    }
    let done = processed(&String::from_utf8_lossy(&output.stdout))?;
    Ok(Took { micros: cpu * 1e6 / done, tpm: done * 60.0 / wall })
}

/// Parses a line such as `number of transactions actually processed: 1000/1000`.
fn processed(text: &str) -> Result<f64> {
    let line = text.lines().find_map(|line| line.split_once("actually processed: "));
    let number = line.and_then(|(_, rest)| rest.split('/').next()?.trim().parse().ok());
    number.ok_or_else(|| Error::new(ErrorKind::Protocol, "pgbench reported no transaction count"))
}
