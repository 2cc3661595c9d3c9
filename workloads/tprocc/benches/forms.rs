//! Measures a transaction's cost in each form on PostgreSQL: the CPU time of client and server, and NOPM.
//!
//! Run `cargo bench -p tacho-workload-tprocc --bench forms -- TARGET …` with `load WAREHOUSES PROFILE [key=value …]` or
//! `run WAREHOUSES PROFILE FORM SESSIONS SECONDS [key=value …]`.
//!
//! The server's CPU time can be measured only if the sessions use a Unix socket.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "it measures real time")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tacho_core::Result;
use tacho_driver::{Driver, Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_workload::{Client, Instance, Outcome};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let driver = tacho_driver_postgres::driver();
    match words[..] {
        [target, "load", scale, profile, ref set @ ..] => {
            let (sessions, form) = (1, Form::Sql);
            let instance = instance(scale, profile, form, sessions, set);
            load(&*driver, target, &*instance)
        }
        [target, "run", scale, profile, form, sessions, seconds, ref set @ ..] => {
            let form = Form::from_word(form).expect("a form");
            let sessions = sessions.parse().expect("a number of sessions");
            let instance = instance(scale, profile, form, sessions, set);
            let span = Duration::from_secs(seconds.parse().expect("seconds"));
            run(&*driver, target, &*instance, (form, sessions), span)
        }
        _ => {
            println!("see the top of this file for usage");
            Ok(())
        }
    }
}

fn instance(
    scale: &str,
    profile: &str,
    form: Form,
    sessions: u32,
    set: &[&str],
) -> Arc<dyn Instance> {
    let mut choices = contract::choices(scale.parse().expect("a scale"), profile);
    (choices.form, choices.sessions) = (form, sessions);
    let pairs = set.iter().filter_map(|word| word.split_once('='));
    choices.set = pairs.map(|(key, value)| (key.into(), value.into())).collect();
    contract::instance(&*tacho_workload_tprocc::workload(), &choices)
}

fn load(driver: &dyn Driver, target: &str, instance: &dyn Instance) -> Result<()> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let _inside = runtime.enter();
    let bench = Bench::new(driver, target);
    let routines = instance.routines(driver.dialect())?;
    let drop_table = |name| driver.dialect().drop_table(name);
    let tables = instance.schema().tables.iter().map(|table| drop_table(table.name));
    for script in tables.chain(routines.drop) {
        bench.script(&script)?;
    }
    let start = Instant::now();
    contract::load(&bench, instance)?;
    for script in routines.create {
        bench.script(&script)?;
    }
    println!("loaded in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Transaction counts for one session.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    all: u64,
    new_orders: u64,
    rolled_back: u64,
    failed: u64,
}

fn run(
    driver: &dyn Driver,
    target: &str,
    instance: &dyn Instance,
    (form, sessions): (Form, u32),
    span: Duration,
) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let place = tacho_driver::Target::parse(target)?;
    let bench = Bench::new(driver, target);
    let users: Vec<(Exchange, Box<dyn Client>)> = local.block_on(&runtime, async {
        let mut users = Vec::new();
        for session in 0..sessions {
            let opened = driver.connect(&place, bench.environment()).await?;
            let catalog = instance.catalog(driver.dialect())?;
            users.push((Exchange::new(opened, catalog, form).await?, instance.client(session)));
        }
        Ok::<_, tacho_core::Error>(users)
    })?;
    let servers = backends();
    let (client, server, start) = (cpu(), server_cpu(&servers), Instant::now());
    // Keep the sessions open, because the CPU time of a server process is no longer available once
    // the process has ended.
    let (sum, _open) = local.block_on(&runtime, crowd(users, start + span));
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    let (client, server) = (cpu() - client, server_cpu(&servers) - server);
    println!(
        "{:10} {sessions:3} sessions: {:7.0} NOPM {:7.0} TPM, {:6.1} us client, {:6.1} us server, \
         {} rolled back, {} failed",
        form.word(),
        sum.new_orders as f64 / minutes,
        sum.all as f64 / minutes,
        client * 1e6 / sum.all as f64,
        server * 1e6 / sum.all as f64,
        sum.rolled_back,
        sum.failed,
    );
    Ok(())
}

/// Runs all users concurrently.
async fn crowd(users: Vec<(Exchange, Box<dyn Client>)>, end: Instant) -> (Done, Vec<Exchange>) {
    let start = |(exchange, user)| tokio::task::spawn_local(work(exchange, user, end));
    let tasks: Vec<_> = users.into_iter().map(start).collect();
    let (mut sum, mut open) = (Done::default(), Vec::new());
    for task in tasks {
        let (done, exchange) = task.await.expect("no panic");
        sum.all += done.all;
        sum.new_orders += done.new_orders;
        sum.rolled_back += done.rolled_back;
        sum.failed += done.failed;
        open.push(exchange);
    }
    (sum, open)
}

async fn work(mut exchange: Exchange, mut user: Box<dyn Client>, end: Instant) -> (Done, Exchange) {
    let mut done = Done::default();
    while done.all % 16 != 0 || Instant::now() < end {
        let kind = user.next().transaction;
        let ended = user.run(&mut exchange).await;
        done.all += 1;
        match ended {
            Ok(Outcome::Committed) => done.new_orders += u64::from(kind == 0),
            Ok(Outcome::RolledBack) => done.rolled_back += 1,
            Err(error) => {
                if done.failed == 0 {
                    println!("{error:?}");
                }
                done.failed += 1;
                exchange.reset().await.expect("a rollback");
            }
        }
    }
    (done, exchange)
}

/// Returns the CPU time of this process in seconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns this machine's server processes that serve the sessions.
fn backends() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("the list of processes");
    let names = processes.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let serves = |name: &String| {
        let line = std::fs::read(format!("/proc/{name}/cmdline")).unwrap_or_default();
        line.starts_with(b"postgres: ") && String::from_utf8_lossy(&line).contains("[local]")
    };
    names.filter(serves).collect()
}

/// Returns the CPU time of the server processes in seconds. In `schedstat`, this time is the first field, in
/// nanoseconds.
fn server_cpu(processes: &[String]) -> f64 {
    let spent = |name: &String| {
        let text = std::fs::read_to_string(format!("/proc/{name}/schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
    };
    processes.iter().map(spent).sum::<f64>() / 1e9
}
