//! Measures the CPU time that Tacho needs for a prepared point query, so that it can be compared with other tools.
//!
//! This module must not name a driver. Start reading at [`micros`].

#![expect(clippy::disallowed_methods, reason = "it measures real time")]
#![expect(clippy::missing_panics_doc, reason = "a benchmark panics with what it expected")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tacho_core::{Error, Result, Seed};
use tacho_driver::{Driver, Exchange, Form, StatementId, Target};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use crate::conformance::Bench;

/// A statement that reads one value by its key, which is between 1 and `rows`.
#[derive(Clone, Copy, Debug)]
pub struct PointQuery {
    /// The statement, as the text of a file that has only this section.
    pub sql: &'static str,
    /// The largest key.
    pub rows: u64,
}

/// Returns the CPU time of this process per query in microseconds. It runs `sessions` sessions on a single thread.
pub fn micros(
    driver: &dyn Driver,
    target: &str,
    query: PointQuery,
    (sessions, span): (u64, Duration),
) -> Result<f64> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let bench = Bench::new(driver, target);
    let target = Target::parse(target)?;
    let local = LocalSet::new();
    let ready: Result<Vec<_>> = local.block_on(&runtime, async {
        let mut ready = Vec::new();
        for _ in 0..sessions {
            let session = driver.connect(&target, bench.environment()).await?;
            ready.push(Exchange::new(session, bench.catalog(query.sql)?, Form::Sql).await?);
        }
        Ok(ready)
    });
    let before = cpu();
    let end = Instant::now() + span;
    let queries = local.block_on(&runtime, async {
        let start = |(session, exchange)| {
            tokio::task::spawn_local(work(exchange, query.rows, session as u64, end))
        };
        let tasks: Vec<_> = ready?.into_iter().enumerate().map(start).collect();
        let mut queries = 0;
        for task in tasks {
            queries += task.await.expect("no panic")?;
        }
        Ok::<u64, Error>(queries)
    })?;
    Ok((cpu() - before) * 1e6 / queries as f64)
}

async fn work(mut exchange: Exchange, rows: u64, session: u64, end: Instant) -> Result<u64> {
    let mut rng = Seed(42).rng(session);
    let mut queries = 0;
    while queries % 64 != 0 || Instant::now() < end {
        exchange.execute(StatementId(0)).int(rng.between(1, rows as i64));
        std::hint::black_box(exchange.send().await?.one(0)?.get(0));
        queries += 1;
    }
    Ok(queries)
}

/// Returns this process's CPU time in seconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the CPU time in seconds of all child processes that have exited. It is in fields 16 and 17 of
/// `/proc/self/stat`.
pub fn cpu_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("our own state");
    let after_name = stat.rsplit_once(')').expect("a name").1;
    let ticks = after_name.split_whitespace().skip(13).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}

/// Formats the median of several rounds, followed by the result of each round.
pub fn shown(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    let mut text = format!("median {:.2} us, rounds", values[values.len() / 2]);
    for value in values {
        let _ = write!(text, " {value:.2}");
    }
    text
}
