//! The measurement: look, record, load, check, judge.

mod acknowledged;
pub(crate) mod addresses;
mod afterwards;
mod claim;
mod commits;
mod conditions;
mod course;
mod faults;
mod followed;
mod idle;
mod import;
mod judge;
mod load_plan;
mod marks;
mod notices;
mod observed;
mod observer;
mod outage;
mod plans;
mod raw;
mod result;
pub(crate) mod routes;
mod standing;
mod start;
mod started;
mod steps;
mod streams;
mod structure;
mod thresholds;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use tacho_cluster::Fleet;
use tacho_config::{CheckWhen, OnHostLoss, Require};
use tacho_core::{Error, ErrorKind, Result, Seed};
use tacho_driver::{CommitLog, Scheduling, ServerFacts, Target};
use tacho_engine::{Interrupt, Measurement, SessionTimes, Setup, Share};
use tacho_store::record::{
    CheckRecord, CheckVerdict, PlanRecord, Record, ResultRecord, SettledRecord, SteadinessRecord,
};
use tacho_store::{Listener, RunWriter, SessionHistogram};
use tacho_workload::Marker;

use crate::access::Access;
use crate::check::{passed, run_checks};
use crate::cluster::enter;
use crate::lock_watch::LockWatch;
use crate::{Context, Exit, Job, Request, settle};
use acknowledged::{Acknowledged, Marked};
use addresses::Addresses;
use afterwards::Afterwards;
use observed::HostsWatch;
use observer::RunObserver;
use started::Started;
use watch::Watch;

pub(crate) use acknowledged::{compare as compare_commits, record as acknowledged};
pub use followed::Followed;
pub use import::import;
pub use judge::exit_of;
pub(crate) use load_plan::load_plan;
pub(crate) use notices::Notice;
pub use observed::{HostSource, own_host};

/// What a run has left.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// The record, complete.
    pub record: Record,
    /// Its folder.
    pub folder: PathBuf,
    /// What every report must say about the workload.
    pub notice: &'static str,
    /// How the command ends.
    pub exit: Exit,
}

/// The plan of a run, resolved, with everything that can be known without touching anything.
pub fn dry_run(job: &Job) -> Result<Record> {
    let choices = job.choices(None)?;
    let instance = job.workload.instance(&choices)?;
    let plan = load_plan(&job.resolved, instance.as_ref())?;
    start::thresholds(job, instance.as_ref())?;
    routes::routes(job, instance.as_ref())?;
    Ok(start::record(job, &plan, &choices, instance.as_ref(), &ServerFacts::default(), None))
}

/// Whether the steps of a load that changes can be judged by a limit.
pub(crate) fn judges_steps(job: &Job, limit: &str) -> Result<bool> {
    let instance = job.workload.instance(&job.choices(None)?)?;
    let names: Vec<&str> = instance.transactions().iter().map(|kind| kind.name).collect();
    let headline = start::stated(instance.as_ref()).map(|headline| headline.name);
    Ok(thresholds::Threshold::parse(limit, &names, headline)?.is_of_steps())
}

/// Measures. An error means that the run did not begin; a run that began has a report.
pub fn run(job: &Job, context: &Context, progress: &mut dyn Listener) -> Result<RunReport> {
    let access = Access::new(job)?;
    let id_seed = Seed(tacho_collect::wall_clock().as_nanos() as u64);
    let mut marked = Marked::of(job, id_seed);
    let done = measure(job, context, &access, &mut marked, id_seed, progress);
    if let (Err(_), Some(marked)) = (&done, &marked) {
        marked.put_back(job, context, &access, progress);
    }
    done
}

#[expect(clippy::too_many_lines, reason = "one run, in the order in which it happens")]
fn measure(
    job: &Job,
    context: &Context,
    access: &Access,
    marked: &mut Option<Marked>,
    id_seed: Seed,
    progress: &mut dyn Listener,
) -> Result<RunReport> {
    let virtual_time = job.driver.scheduling() == Scheduling::Virtual;
    let hosts = HostsWatch::start(&job.hosts, virtual_time)?;
    let mut started = start::start(job, context, access, progress)?;
    let before = checks(&started, job, context, CheckWhen::Before, progress)?;
    require_to_begin(context, &before)?;
    let mut faults = faults::Faults::of(job, context)?;
    let target = target(job, &mut faults)?;
    let mut fleet = gathered(job, context, access, &started, marked, progress)?;
    let mut writer = RunWriter::create(&context.store(), started.record.clone(), id_seed)?;
    progress.begins(&Record { id: writer.id().to_owned(), ..started.record.clone() });
    let folder = writer.folder().to_owned();
    let note = |marked: &Marked| Acknowledged::create(marked, &started.plan, &folder);
    let acknowledged = match marked.as_ref().map(note).transpose() {
        Ok(acknowledged) => acknowledged,
        Err(error) => {
            writer.discard();
            return Err(error);
        }
    };
    let commits = acknowledged.as_ref().map(Acknowledged::log);
    let setup = setup(Request { job, context }, target, &mut started, commits);
    if let Err(error) = note_run(&mut started, access, context) {
        writer.discard();
        return Err(error);
    }
    let watch = Watch::start(job, context, started.plan.answer_within, progress);
    let locks = LockWatch::new(job, context, access.set);
    let mut observer =
        RunObserver::new(&mut writer, progress, watch, locks, hosts, &started, virtual_time);
    observer.faults = Some(faults);
    observer.addresses = Addresses::start(Request { job, context }, setup.routes.as_ref(), true)?;
    let measured = match &mut fleet {
        Some(fleet) => tacho_engine::conduct(&setup, fleet, &context.interrupt, &mut observer),
        None => tacho_engine::run(&setup, &context.interrupt, &mut observer),
    };
    observer.finish();
    let (cpu, clocks, hiccups) = (observer.cpu, observer.clocks, observer.hiccups());
    let idle = std::mem::take(&mut observer.idle);
    let mut watch = std::mem::take(&mut observer.watch);
    let faults = observer.faults.take().map(faults::Faults::end).unwrap_or_default();
    let hosts = std::mem::take(&mut observer.hosts);
    let addresses = std::mem::take(&mut observer.addresses).end();
    let mut measurement = match measured {
        Ok(measurement) => measurement,
        Err(error) => {
            writer.discard();
            return Err(error);
        }
    };
    let raw = raw::Raw {
        plan: &started.plan,
        instance: started.instance.as_ref(),
        capabilities: job.driver.capabilities(),
        measurement: &measurement,
        cpu: cpu[1].zip(cpu[0]).map(|(end, begin)| end.saturating_sub(begin)),
        hiccups,
        server_tpm: job.server_tpm,
        monitored: watch.own_transactions(),
    };
    let mut figures = result::figures(&raw);
    figures_of_steps(&raw, &started.record.plan, &mut figures);
    if let Some(fleet) = &fleet {
        enter(&fleet.hosts(), started.plan.sessions, &mut figures);
    }
    unless_alone(&started, &mut figures);
    let unreported = streams::unreported_work(
        &figures,
        &measurement,
        &started.plan,
        job.driver.manifest().title,
    );
    figures.unreported_queries.extend(unreported);
    figures.faults = faults;
    figures.addresses = addresses;
    figures.stall = idle.stall(&figures);
    figures.checks = before;
    keep_session_times(&mut writer, &started, &measurement);
    watch.finish();
    figures.server_load = watch.measured();
    figures.hosts = hosts.records();
    progress.ending("reading the settings again");
    // Before the server drains deferred work: settings that are changed for it and restored count as changed.
    let request = Request { job, context };
    let after = look_again(&mut started, &measurement, access, request, progress);
    if !afterwards::stopped(&measurement) && after.is_reachable() {
        progress.ending("reading plans and sizes");
        plans::ask(&mut started, access, job, &mut figures);
        // After the plans: a table that is locked holds this up, and the connection is then of no more use.
        conditions::note_after(&mut started, access, Request { job, context }, progress);
        figures.settled = settled(job, context, progress);
    }
    finish_data(&started, &measurement, &after, job, context, &mut figures, progress);
    if let Some(own) = acknowledged {
        progress.ending("looking for the acknowledged commits");
        let instance = started.instance.as_ref();
        let found = own.verify(job, context, access, &measurement, instance, fleet.as_ref());
        measurement.imbalance = measurement.imbalance.or(found.imbalance);
        figures.acknowledged = Some(found.record);
        acknowledged::contradict(&mut figures, instance);
    }
    let judgement = judge::Judgement {
        started: &started,
        measurement: &measurement,
        clocks: clocks.map(|[begin, end]| end.since(begin)),
        after,
        unwatched: watch.failed(),
    };
    judgement.apply(&mut figures);
    finish(job, started, writer, figures, &measurement)
}

/// Compares the settings and the tables of the server with those before the load.
fn look_again(
    started: &mut Started,
    measurement: &Measurement,
    access: &Access,
    request: Request<'_>,
    progress: &mut dyn Listener,
) -> Afterwards {
    let Request { job, context } = request;
    let mut after = afterwards::inspect(started, measurement, access, job, context);
    if after.is_reachable() {
        let same_server = !afterwards::moves(job);
        after.restructured = structure::changes(started, access, request, same_server, progress);
    }
    after
}

/// The hosts of the run, if it has others than this one. The marks are made once there are enough of them: a run that is
/// refused leaves those of the run before.
fn gathered(
    job: &Job,
    context: &Context,
    access: &Access,
    started: &Started,
    marked: &mut Option<Marked>,
    progress: &mut dyn Listener,
) -> Result<Option<Fleet>> {
    let key = marked.as_ref().map(|marked| marked.key);
    let mut make = || {
        marked.as_mut().map_or(Ok(()), |marked| marked.make(job, context, access, &started.plan))
    };
    match &job.wanted {
        None => make().map(|()| None),
        Some(wanted) => {
            let fleet = wanted.gather(job, context, &started.briefed(key), &mut make, progress)?;
            if started.plan.on_host_loss == OnHostLoss::TakeOver {
                let names = fleet.spares().join(", ");
                progress.note(&format!("free to take a share over: {names}"));
            }
            Ok(Some(fleet))
        }
    }
}

/// Marks figures of the database that hold also what others did: of another run, or of a host that was lost.
fn unless_alone(started: &Started, figures: &mut ResultRecord) {
    let loses = figures.load_hosts.iter().any(|host| host.lost.is_some());
    if started.record.plan.load.shared || loses {
        not_ours_alone(figures);
    }
}

/// Fails if the user wants to stop, or the data is not consistent.
fn require_to_begin(context: &Context, before: &[CheckRecord]) -> Result<()> {
    if context.interrupted() {
        return Err(Interrupt::error());
    }
    require_consistent(before)
}

/// Where the sessions connect to.
fn target(job: &Job, faults: &mut faults::Faults) -> Result<Target> {
    match faults.target()? {
        Some(_) if job.wanted.is_some() => Err(crate::cluster::between()),
        other => Ok(other.unwrap_or_else(|| job.target.clone())),
    }
}

/// The input of the engine, with the routes.
fn setup(
    Request { job, context }: Request<'_>,
    target: Target,
    started: &mut Started,
    commits: Option<Arc<dyn CommitLog>>,
) -> Setup {
    Setup {
        driver: Arc::clone(&job.driver),
        target,
        instance: Arc::clone(&started.instance),
        form: started.form,
        plan: started.plan,
        steps: started.steps(),
        output: context.output.clone(),
        sets: job.sets(),
        routes: started.routes.take(),
        commits,
        share: Share::WHOLE,
        gate: None,
    }
}

/// Adds the steps of a load that changes. The throughput as a whole has no interval then: it varies by plan.
fn figures_of_steps(raw: &raw::Raw<'_>, plan: &PlanRecord, figures: &mut ResultRecord) {
    if let Some(load) = &plan.steps {
        figures.steps = steps::records(raw, load, plan);
        figures.interval_95 = None;
        figures.steadiness = SteadinessRecord::default();
    }
}

/// Waits until the server has done the work that it has put off, and says what could not be waited for.
fn settled(job: &Job, context: &Context, progress: &mut dyn Listener) -> Vec<SettledRecord> {
    let settled = settle(job, context, progress);
    for error in &settled.failures {
        progress.note(&format!("the server was not waited for: {error}"));
        error.hints().iter().for_each(|hint| progress.note(&format!("hint: {hint}")));
    }
    settled.work
}

/// Leaves out what compares the database's counters with this client's: others work there too.
fn not_ours_alone(figures: &mut ResultRecord) {
    figures.rollbacks = None;
    figures.commits.clear();
    if let Some(tpm) = &mut figures.tpm {
        tpm.server_per_minute = None;
    }
    if let Some(headline) = &mut figures.headline {
        headline.whole_run_schema_count = None;
    }
}

/// Keeps the times of each virtual user, if they were asked for. The writer remembers a failure.
fn keep_session_times(writer: &mut RunWriter, started: &Started, measurement: &Measurement) {
    if !started.plan.session_times {
        return;
    }
    let names = started.instance.transactions();
    let of = |times: &SessionTimes| {
        let (session, kinds) = (times.session, names.iter().zip(times.service.clone()));
        let some = kinds.filter(|(_, service)| service.count() > 0);
        let histogram = some.map(move |(kind, service)| SessionHistogram {
            session,
            transaction: kind.name.into(),
            service,
        });
        histogram.collect::<Vec<_>>()
    };
    let times: Vec<SessionHistogram> = measurement.session_times.iter().flat_map(of).collect();
    let _ = writer.session_times(started.plan.ramp_up, measurement.measured, &times);
}

/// Checks the data. What goes wrong here is in the result, since the measurement is over and must
/// not be lost.
fn finish_data(
    started: &Started,
    measurement: &Measurement,
    after: &Afterwards,
    job: &Job,
    context: &Context,
    figures: &mut ResultRecord,
    progress: &mut dyn Listener,
) {
    // A server that is away says nothing about the data; the judgement says why it is.
    if let Some(error) = after.unread.as_ref().filter(|_| judge::was_lost(measurement)) {
        return progress.note(&format!("checks were left out: {error}"));
    }
    let aborted = context.interrupt.interrupt_count() > 1;
    let result = if aborted || afterwards::stopped(measurement) {
        // The user wants to leave: a check of a large database would keep them waiting.
        Ok(Vec::new())
    } else {
        progress.ending("checking the data");
        checks(started, job, context, CheckWhen::After, progress)
    };
    match result {
        Ok(records) => figures.checks.extend(records),
        Err(error) if judge::was_lost(measurement) && error.kind() == ErrorKind::Connect => {
            progress.note(&format!("checks were left out: {error}"));
        }
        Err(error) => figures.checks.push(CheckRecord {
            when: CheckWhen::After.word().into(),
            id: "all".into(),
            rule: "the checks can be run".into(),
            verdict: CheckVerdict::Failed,
            detail: error.to_string(),
            sampled: false,
        }),
    }
}

/// A measurement on broken data would prove nothing, and could be blamed for the damage.
fn require_consistent(checks: &[CheckRecord]) -> Result<()> {
    let failed: Vec<&str> =
        checks.iter().filter(|check| !passed(check)).map(|check| check.id.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Constraint,
        format!("the data was inconsistent before the run: {}", failed.join(", ")),
    )
    .during("start run")
    .hint("tacho check says what is wrong; tacho clean and tacho prepare rebuild the data"))
}

/// Counts this run in the markers, before it: a run that is killed has changed the data too.
fn note_run(started: &mut Started, access: &Access, context: &Context) -> Result<()> {
    let others = std::mem::take(&mut started.others);
    if let Some((store, marker)) = &mut started.data {
        marker.runs += 1;
        let marker: &Marker = marker;
        access.unless_stopped(context, store.update(marker))?;
    }
    for (mut store, mut marker) in others {
        marker.runs += 1;
        access.unless_stopped(context, async {
            store.update(&marker).await?;
            store.into_session().close().await
        })?;
    }
    Ok(())
}

/// Runs the checks if they are wanted at this time and there is data.
fn checks(
    started: &Started,
    job: &Job,
    context: &Context,
    when: CheckWhen,
    progress: &mut dyn Listener,
) -> Result<Vec<CheckRecord>> {
    let asked = started.record.plan.judgement.check;
    if !asked.is_some_and(|asked| asked.includes(when)) || started.data.is_none() {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    for set in job.all_sets() {
        let (request, instance) = (Request { job, context }, started.instance.as_ref());
        records.extend(run_checks(request, instance, set, when.word(), progress)?);
    }
    Ok(records)
}

fn finish(
    job: &Job,
    started: Started,
    mut writer: RunWriter,
    mut figures: ResultRecord,
    measurement: &Measurement,
) -> Result<RunReport> {
    // Closed first, so that a failure to write can still enter the record.
    let _ = writer.close();
    judge::record_failure(&writer, &mut figures);
    let steady = started.record.plan.judgement.require == Require::Steady;
    let exit = judge::exit(&figures, measurement, steady);
    let mut record = started.record;
    writer.id().clone_into(&mut record.id);
    record.state = tacho_store::record::RunState::Complete;
    record.result = Some(figures);
    let folder = writer.finish(record.clone()).or_else(|error| {
        let mut lost = error;
        lost = lost.hint("the summary below is all that is left of this run");
        if let Some(result) = &mut record.result {
            result.notices.push(judge::not_recorded(&lost));
        }
        Ok::<_, Error>(PathBuf::new())
    })?;
    let notice = job.workload.manifest().notice;
    Ok(RunReport { record, folder, notice, exit })
}
