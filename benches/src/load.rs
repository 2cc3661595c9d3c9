//! Prepares, runs and measures a Tacho load on a private server.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use tacho_app::{Context, Job, PrepareReport};
use tacho_config::{Source, resolve};
use tacho_core::{Result, Seed};
use tacho_driver::{Form, Target};
use tacho_engine::{Interrupt, LoadPlan, Observer, Setup, Share, Stop};
use tacho_workload::{Choices, Instance};

use crate::measure::{Cost, measure, median, median_interval, rounds};

struct Deaf;

impl Observer for Deaf {}

/// A load on existing data.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) workload: &'static str,
    pub(crate) profile: &'static str,
    pub(crate) scale: u64,
    pub(crate) form: Form,
    pub(crate) sessions: u32,
    pub(crate) transactions: u64,
    /// Parameters whose values differ from those of the profile.
    pub(crate) set: &'static [(&'static str, &'static str)],
}

/// The measurements of a load.
pub(crate) struct Took {
    /// CPU time of the client process per transaction, in microseconds.
    pub(crate) micros: f64,
    /// Transactions per minute.
    pub(crate) tpm: f64,
}

impl Took {
    pub(crate) fn new(cost: Cost, transactions: u64) -> Self {
        Self {
            micros: cost.cpu.as_secs_f64() * 1e6 / transactions as f64,
            tpm: transactions as f64 * 60.0 / cost.wall.as_secs_f64(),
        }
    }
}

/// Runs the complete `prepare` use case on an empty database with `sessions` sessions.
pub(crate) fn prepare(target: &str, load: &Load, sessions: u32) -> Result<(PrepareReport, Cost)> {
    let folder = tempfile::tempdir()?;
    let (job, context) = job(target, load, sessions, folder.path())?;
    let (report, cost) =
        measure(|| tacho_app::prepare(tacho_app::Request::new(&job, &context), &mut ()));
    report.map(|report| (report, cost))
}

/// Returns the job and context for a use case whose files are in `folder`.
pub(crate) fn job(
    target: &str,
    load: &Load,
    sessions: u32,
    folder: &Path,
) -> Result<(Job, Context)> {
    let flag = |key: &str, value: String| (key.to_owned(), vec![value]);
    let flags = vec![
        flag("target", target.to_owned()),
        flag("workload", load.workload.into()),
        flag("profile", load.profile.into()),
        flag("scale", scale(load)?),
        flag("sessions", sessions.to_string()),
    ];
    let context = Context {
        folder: folder.to_owned(),
        output: Arc::new(Mutex::new(std::io::sink())),
        interrupt: Interrupt::default(),
        reading: Arc::new(|_, _| {}),
        trust: tacho_app::Trust::default(),
    };
    let job = Job::new(resolve(Source { flags, ..Source::default() })?, &context)?;
    Ok((job, context))
}

/// Formats the load's scale in the same way as a user would write it on the command line.
fn scale(load: &Load) -> Result<String> {
    let workload = tacho_registry::workload(load.workload)?;
    Ok(workload.manifest().scale_amount(load.scale).to_string())
}

/// Runs the load with Tacho and measures it.
pub(crate) fn ours(target: &str, load: &Load) -> Result<Took> {
    let setup = setup(target, load)?;
    let (measurement, cost) =
        measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
    measurement.map(|_| Took::new(cost, load.transactions))
}

pub(crate) fn setup(target: &str, load: &Load) -> Result<Setup> {
    let instance = instance(target, load)?;
    let target = Target::parse(target)?;
    let driver = tacho_registry::driver_of(&target, &[])?;
    let plan = LoadPlan::closed(load.sessions, Stop::Count(load.transactions));
    Ok(Setup {
        driver,
        target,
        instance,
        form: load.form,
        plan: LoadPlan { workers: Some(tacho_collect::cores()), ..plan },
        output: Arc::new(Mutex::new(std::io::sink())),
        routes: None,
        commits: None,
        history: None,
        share: Share::WHOLE,
        gate: None,
        steps: Arc::new([]),
        sets: 1,
    })
}

/// Returns the workload instance for a load.
pub(crate) fn instance(target: &str, load: &Load) -> Result<Arc<dyn Instance>> {
    let driver = tacho_registry::driver_of(&Target::parse(target)?, &[])?;
    let choices = Choices {
        scale: load.scale,
        data_seed: Seed(42),
        seed: Seed(u64::from(load.sessions)),
        loaded_at: 0,
        profile: load.profile.into(),
        set: load.set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
        form: load.form,
        sessions: load.sessions,
        dialect: driver.dialect().id().into(),
        sets: 1,
        turn: 0,
    };
    tacho_registry::workload(load.workload)?.instance(&choices)
}

/// Prints two series of measurements, along with the ratio between the two values of each round.
pub(crate) fn print_pairs(what: &str, (a_name, a): (&str, &[f64]), (b_name, b): (&str, &[f64])) {
    println!("{what}");
    println!("  {a_name:22} {}   median {:.1}", rounds(a, 1), median(a.to_vec()));
    println!("  {b_name:22} {}   median {:.1}", rounds(b, 1), median(b.to_vec()));
    let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
    let interval = median_interval(&ratios)
        .map_or(String::new(), |(low, high)| format!(" (95 %: {low:.2} to {high:.2})"));
    let middle = median(ratios.clone());
    println!("  {:22} {}   median {middle:.2}{interval}", "ratio", rounds(&ratios, 2));
}
