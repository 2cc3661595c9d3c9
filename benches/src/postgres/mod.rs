//! Ours and a peer on one PostgreSQL server of our own, in turn: A B A B.
//!
//! Both use one thread and the server's Unix socket; what is compared is the CPU time of the whole
//! client process for each transaction, the making of connections and statements included.

#![expect(clippy::print_stdout, reason = "the results are the output")]

pub(crate) mod calls;
pub(crate) mod checks;
pub(crate) mod forms;
pub(crate) mod load;
mod pgbench;
pub(crate) mod tpcb;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacho_app::{Context, Job, PrepareReport, Silent};
use tacho_config::{Source, resolve};
use tacho_core::{Result, Seed};
use tacho_driver::{Form, Target};
use tacho_engine::{
    Arrival, Interrupt, LoadPlan, Observer, OnDisconnect, RetryInput, RetryPolicy, Setup, Stop,
};
use tacho_testkit::servers::{Options, Postgres};
use tacho_workload::Choices;

use crate::measure::{Cost, measure, median, rounds};

/// Enough for ten warehouses, and for 64 sessions beside those of administration.
const SETTINGS: [(&str, &str); 3] =
    [("shared_buffers", "2GB"), ("max_connections", "100"), ("max_wal_size", "16GB")];

struct Deaf;

impl Observer for Deaf {}

/// A load on data that is there.
#[derive(Clone, Copy)]
struct Load {
    workload: &'static str,
    profile: &'static str,
    scale: u64,
    form: Form,
    sessions: u32,
    transactions: u64,
}

/// What a load took.
struct Took {
    /// Of the client alone, for each transaction.
    micros: f64,
    /// Transactions per minute.
    tpm: f64,
}

impl Took {
    fn new(cost: Cost, transactions: u64) -> Self {
        Self {
            micros: cost.cpu.as_secs_f64() * 1e6 / transactions as f64,
            tpm: transactions as f64 * 60.0 / cost.wall.as_secs_f64(),
        }
    }
}

fn server(settings: &[(&str, &str)]) -> Result<Postgres> {
    let settings: Vec<(&str, &str)> = SETTINGS.iter().chain(settings).copied().collect();
    let shown: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("server: fsync=off {}", shown.join(" "));
    Postgres::start_with(Options { settings: &settings, ..Options::default() })
}

/// The whole use case on an empty database, with as many sessions.
fn prepare(server: &Postgres, load: &Load, sessions: u32) -> Result<(PrepareReport, Cost)> {
    let folder = tempfile::tempdir()?;
    let flag = |key: &str, value: String| (key.to_owned(), vec![value]);
    let flags = vec![
        flag("target", server.target()),
        flag("workload", load.workload.into()),
        flag("profile", load.profile.into()),
        flag("scale", load.scale.to_string()),
        flag("sessions", sessions.to_string()),
    ];
    let context = Context {
        folder: folder.path().to_owned(),
        output: Arc::new(Mutex::new(std::io::sink())),
        interrupt: Interrupt::default(),
    };
    let job = Job::new(resolve(Source { flags, ..Source::default() })?, &context)?;
    let (report, cost) = measure(|| tacho_app::prepare(&job, &context, &mut Silent));
    report.map(|report| (report, cost))
}

/// Runs our load and measures it.
fn ours(server: &Postgres, load: &Load) -> Result<Took> {
    let setup = setup(server, load)?;
    let (measurement, cost) =
        measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
    measurement.map(|_| Took::new(cost, load.transactions))
}

fn setup(server: &Postgres, load: &Load) -> Result<Setup> {
    let choices = Choices {
        scale: load.scale,
        data_seed: Seed(42),
        seed: Seed(u64::from(load.sessions)),
        loaded_at: 0,
        profile: load.profile.into(),
        set: [].into(),
        form: load.form,
        sessions: load.sessions,
        dialect: "postgres".into(),
    };
    Ok(Setup {
        driver: tacho_registry::driver("postgres")?,
        target: Target::parse(&server.target())?,
        instance: tacho_registry::workload(load.workload)?.instance(&choices)?,
        form: load.form,
        plan: LoadPlan {
            sessions: load.sessions,
            workers: 1,
            arrival: Arrival::Closed,
            pacing: 0.0,
            ramp_up: Duration::ZERO,
            stop: Stop::Count(load.transactions),
            ramp_down: Duration::ZERO,
            retry: RetryPolicy { input: RetryInput::None, attempts: 1, backoff: Duration::ZERO },
            on_disconnect: OnDisconnect::Stop,
            interval: Duration::from_secs(1),
            drain: Duration::from_secs(5),
            seed: Seed(1),
        },
        output: Arc::new(Mutex::new(std::io::sink())),
    })
}

/// Prints two series and the ratio of each pair.
fn print_pairs(what: &str, (a_name, a): (&str, &[f64]), (b_name, b): (&str, &[f64])) {
    println!("{what}");
    println!("  {a_name:22} {}   median {:.1}", rounds(a, 1), median(a.to_vec()));
    println!("  {b_name:22} {}   median {:.1}", rounds(b, 1), median(b.to_vec()));
    let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
    println!("  {:22} {}   median {:.2}", "ratio", rounds(&ratios, 2), median(ratios.clone()));
}
