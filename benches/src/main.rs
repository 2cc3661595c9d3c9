//! Benchmarks of Tacho's overhead. `cargo xtask bench NAME` runs one benchmark. Without a name, it runs all.
//!
//! The benchmarks measure CPU time rather than elapsed time, because other programs may be using the machine. They
//! print every round to show the noise.
//!
//! Raw output is in `benches/results/`.

#![expect(clippy::print_stdout, reason = "the results are the output")]

mod commits;
mod generate;
mod hosts;
mod isolation;
mod load;
mod measure;
mod mysql;
mod noop;
mod odbc;
mod own_workload;
mod pgbench;
mod postgres;
mod sessions;
mod sim_hour;
mod sqlite_prepare;
mod sqlserver;
mod sysbench;
mod terminals;
mod tproch;
mod web;

use std::process::ExitCode;

use tacho_core::{Error, Result};

/// Name of a benchmark, and the function that runs it.
type Bench = (&'static str, fn() -> Result<()>);

const BENCHES: [Bench; 30] = [
    ("noop", noop::run),
    ("own-workload", own_workload::run),
    ("generate", generate::run),
    ("sim-hour", sim_hour::run),
    ("sqlite-prepare", sqlite_prepare::run),
    ("sessions", sessions::postgres),
    ("sqlserver-sessions", sessions::sqlserver),
    ("terminals", terminals::run),
    ("postgres-tpcb", postgres::tpcb::run),
    ("postgres-forms", postgres::forms::run),
    ("postgres-calls", postgres::calls::run),
    ("postgres-load", postgres::load::run),
    ("postgres-checks", postgres::checks::run),
    ("postgres-commits", commits::postgres),
    ("mysql-commits", commits::mysql),
    ("sqlite-commits", commits::sqlite),
    ("tproch-load", postgres::load::tproch),
    ("tproch-generate", tproch::generate),
    ("tproch-stream", tproch::stream),
    ("mysql-forms", mysql::forms::run),
    ("mysql-calls", mysql::calls::run),
    ("mysql-load", mysql::load::run),
    ("pgbench-scripts", pgbench::run),
    ("sysbench-oltp", sysbench::run),
    ("sysbench-floor", sysbench::floor),
    ("odbc-select", odbc::run),
    ("sqlserver-select", sqlserver::run),
    ("web-view", web::run),
    ("hosts", hosts::run),
    ("isolation", isolation::run),
];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(stub) = sessions::STUBS.iter().find(|stub| names == [stub.argument]) {
        return sessions::serve(*stub);
    }
    if names == [sqlserver::PEER] {
        return sqlserver::serve();
    }
    if names == [tproch::MAKE] {
        return tproch::make();
    }
    let host = tacho_collect::host();
    println!("{} cores, {}, {}, kernel {}", host.cores, host.cpu, host.os, host.kernel);
    if cfg!(debug_assertions) {
        println!("WARNING: not a release build; the results are meaningless");
    }
    match run(&names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(names: &[String]) -> Result<()> {
    for name in names {
        if !BENCHES.iter().any(|(known, _)| known == name) {
            let known = BENCHES.map(|(known, _)| known).join(", ");
            return Err(Error::usage(format!("unknown benchmark {name}: expected one of {known}")));
        }
    }
    for (name, bench) in BENCHES {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            println!("\n## {name}");
            bench()?;
        }
    }
    Ok(())
}
