//! Runs a job in stages: plan, open, measure, examine, evaluate, and save.
//!
//! The modules of a stage may import from lower layers and earlier stages, but not from later stages. Start reading at
//! [`run()`].

// Layer 1: shared by all stages
mod claim;
mod course;
mod idle;
mod load_plan;
mod marks;
mod moments;
mod notices;
mod observed;
mod routes;
mod series;
mod streams;
mod tails;
mod terminals;
mod thresholds;
mod watch;

// Layer 2: shared by several stages
mod acknowledged;
mod addresses;
mod checks;
mod faults;
mod followed;
mod isolation;
mod load_hosts;
mod outage;
mod raw;
mod replayed;
mod standing;
mod undisturbed;

// Layer 3: metrics derived from the raw measurement
mod commits;
mod statements;
mod steps;

// Layer 4: the plan
mod plan;
mod record;

// Layer 5: the database before the load
mod conditions;
mod inspect;
mod open;
mod opened;
mod structure;

// Layer 6: the load
mod measure;
mod observer;
mod transaction_log;

// Layer 7: the database after the load
mod afterwards;
mod examine;
mod plans;

// Layer 8: the result
mod evaluate;
mod evidence;
mod result;
mod save;

// Layer 9: results imported from files, and loads that produce no results
mod import;
mod warm_up;

use std::path::PathBuf;

use tacho_core::Result;
use tacho_driver::ServerFacts;
use tacho_store::Listener;
use tacho_store::record::Record;

use crate::{Exit, Job, Request, repair};
use evidence::Evidence;

pub(crate) use addresses::Addresses;
pub use evaluate::exit_of;
pub use followed::Followed;
pub use import::import;
pub(crate) use load_plan::load_plan;
pub use observed::own_host;
pub(crate) use routes::routes;
pub(crate) use warm_up::{longest_warm_up, warm_up};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// The complete record.
    pub record: Record,
    /// The folder of the record.
    pub folder: PathBuf,
    /// The notice that the workload requires in every report.
    pub notice: &'static str,
    /// The exit code of the command.
    pub exit: Exit,
}

/// Resolves a run's plan and returns it as a record, without connecting to the database.
pub fn dry_run(job: &Job) -> Result<Record> {
    let planned = plan::draft(job)?;
    Ok(record::record(job, &planned.draft, &ServerFacts::default(), None))
}

/// Returns true if `limit` is a threshold that applies to the steps of a varying load.
pub(crate) fn judges_steps(job: &Job, limit: &str) -> Result<bool> {
    let instance = job.workload.instance(&job.choices(None)?)?;
    let names: Vec<&str> = instance.transactions().iter().map(|kind| kind.name).collect();
    let headline = series::stated(instance.as_ref()).map(|headline| headline.name);
    Ok(thresholds::Threshold::parse(limit, &names, headline)?.is_of_steps())
}

/// Runs a job.
///
/// # Errors
/// Returns an error only if the run did not start. A run that has started always returns a report.
pub fn run(request: Request<'_>, listener: &mut dyn Listener) -> Result<RunReport> {
    for repaired in repair(request.context, true) {
        listener.note(&repaired);
    }
    let planned = plan::plan(request)?;
    let (opened, mut live) = open::open(request, &planned, listener)?;
    let measured = measure::measure(request, &opened, &mut live, listener)?;
    let examined = examine::examine(request, &opened, &measured, &mut live, listener);
    let mut writer = live.writer;
    // Close the writer first, so that the record can mention if writing failed.
    let _ = writer.close();
    let result = result::result(request.job, &opened, &measured, &examined);
    let evidence = Evidence::of(&opened, &measured, &examined, writer.failed());
    let evaluation = evaluate::evaluate(&result, &evidence, &opened);
    let exit = evaluation.exit;
    let mut record = save::complete(opened.record, examined.sizes, result, evaluation);
    let folder = save::save(writer, &mut record);
    let notice = request.job.workload.manifest().notice;
    Ok(RunReport { record, folder, notice, exit })
}
