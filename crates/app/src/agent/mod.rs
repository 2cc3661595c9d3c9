//! The agent waits for a coordinator, runs this host's part of the load, and reports the measurement.
//!
//! Agents write only the workload's own data. Only the coordinator handles the marker, the checks and the counters.
//!
//! Start reading at [`agent`].

mod duty;
mod job;

use std::sync::Arc;
use std::time::Duration;

use tacho_cluster::{Agent, Assignment, Ending, Journal, Part, Records, Tool, notes_of};
use tacho_collect::{HiccupMeter, Hiccups};
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Instant, Result};
use tacho_driver::{CommitLog, Scheduling};
use tacho_engine::{Collected, LoadPlan, Measurement, Observer, Setup, Share, Step};
use tacho_metrics::Phase;
use tacho_store::{CommitNotes, Listener};
use tacho_workload::{Instance, Marker};

use crate::access::{Access, require_match};
use crate::cluster::{Briefing, task_in};
use crate::run::Addresses;
use crate::run::{load_plan, routes};
use crate::{Context, Job, Request, commit_marks};
pub use job::AgentRequest;
use job::job_of;

/// Serves one coordinator after another until the user interrupts Tacho.
///
/// # Errors
/// Returns an error if the NATS server cannot be reached at startup.
pub fn agent(
    request: &AgentRequest,
    context: &Context,
    listener: &mut dyn Listener,
    listening: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    let cores = tacho_collect::cores();
    let agent = Agent::open(&request.broker, &request.name, cores, &context.interrupt)?;
    listening()?;
    while let Some(work) = agent.work() {
        let from = if work.entry.is_some() { ", continued from a lost host" } else { "" };
        listener.note(&format!(
            "run {}: share {} of {}{from}",
            work.run,
            work.share.place + 1,
            work.share.of
        ));
        let done = match task_in(&work.briefing) {
            Some(task) => {
                let worked = task
                    .and_then(|task| duty::work(request, context, &agent, &work, &task, listener));
                worked.inspect(|()| drop(agent.delivered()))
            }
            None => share(request, context, &agent, &work, listener),
        };
        if let Err(error) = &done {
            listener.note(&error.to_string());
            error.hints().iter().for_each(|hint| listener.note(&format!("hint: {hint}")));
            agent.failed(error);
        }
        if done.is_ok() {
            agent.leave();
        }
    }
    Ok(())
}

/// Runs this host's share of the load, from the briefing to the last message.
fn share(
    request: &AgentRequest,
    context: &Context,
    agent: &Agent,
    work: &Assignment,
    listener: &mut dyn Listener,
) -> Result<()> {
    let briefing: Briefing = serde_json::from_value(work.briefing.clone()).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("could not read the plan: {error}"))
            .hint("use the same build on all hosts")
    })?;
    let turn = work.entry.map_or(0, |entry| entry.turn);
    let (job, plan, instance) = prepared(request, context, &briefing, turn)?;
    let journal = Journal::create(
        &context.folder.join("shares"),
        &work.run,
        agent.name(),
        work.share,
        turn,
        &work.briefing,
    );
    let notes = notes(&briefing, &plan, work.share, &journal)?;
    let routes = routes(&job, instance.as_ref())?.map(Arc::new);
    let steps: Arc<[Step]> =
        briefing.plan.steps.iter().flat_map(|schedule| &schedule.steps).copied().collect();
    // Watch the replica addresses on this host, because each host decides for itself which addresses to exclude.
    // Replication lag is measured by the coordinator and need not be measured here.
    let addresses = Addresses::start(Request { job: &job, context }, routes.as_ref(), false)?;
    let setup = Setup {
        driver: Arc::clone(&job.driver),
        target: job.target.clone(),
        instance,
        form: briefing.record.plan.form,
        plan,
        steps,
        output: context.output.clone(),
        sets: job.sets(),
        routes,
        commits: notes.clone().map(|notes| notes as Arc<dyn CommitLog>),
        // Runs with a history use no load hosts.
        history: None,
        share: work.share,
        gate: Some(Arc::clone(&work.gate)),
    };
    let mut watch = Watch::new(agent, journal, job.driver.scheduling());
    let measured = tacho_engine::run(&setup, &context.interrupt, &mut watch);
    addresses.take_notes().iter().for_each(|text| listener.note(text));
    drop(addresses);
    agent.tell_leaving();
    let measurement = match measured {
        Ok(measurement) => measurement,
        Err(error) => {
            watch.discard();
            return Err(error);
        }
    };
    if let Some(notes) = notes {
        notes.begins(measurement.origin);
        // The database may have lost commits of this host. Only this host knows when they were acknowledged, so
        // determine these times now. Ignore errors, because the coordinator will compare the commits with the
        // database again.
        let _ = commit_marks::compare(&notes, Request { job: &job, context }, &Access::new(&job)?);
        watch.tell(&Part::Commits(notes.numbers()));
    }
    let workers = match job.driver.scheduling() {
        Scheduling::Task => plan.workers.unwrap_or(1),
        Scheduling::Thread | Scheduling::Virtual => tacho_collect::cores(),
    };
    watch.ended(&measurement, workers);
    let done: u64 = measurement.throughput.len() as u64;
    listener.note(&format!("run {}: {} measured", work.run, counted(done, "interval")));
    watch.delivered(listener);
    Ok(())
}

/// Opens the file for the commits of this host's sessions, if the run records commits.
fn notes(
    briefing: &Briefing,
    plan: &LoadPlan,
    share: Share,
    journal: &Result<Journal>,
) -> Result<Option<Arc<CommitNotes>>> {
    let Some(key) = briefing.commits else { return Ok(None) };
    let journal = journal.as_ref().map_err(|error| {
        Error::new(error.kind(), error.to_string())
            .hint("use --dir to choose a writable folder with enough free space")
    })?;
    let folder = notes_of(journal.path());
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let notes = CommitNotes::create(&folder, plan.sessions, key)?;
    notes.of_share(share.place, share.of);
    Ok(Some(Arc::new(notes)))
}

/// Returns the job, the load and the workload for this host's share of a coordinator's plan. Returns an error if this
/// host's database does not contain the same data as the coordinator's.
fn prepared(
    request: &AgentRequest,
    context: &Context,
    briefing: &Briefing,
    turn: u32,
) -> Result<(Job, LoadPlan, Arc<dyn Instance>)> {
    let job = job(request, context, briefing)?;
    let access = Access::new(&job)?;
    let marker = if job.driver.capabilities().stores_data {
        let session = access.connect(Request { job: &job, context })?;
        let (store, marker) = access.require_ready(Request { job: &job, context }, session)?;
        access.unless_stopped(context, store.into_session().close())?;
        Some(marker)
    } else {
        None
    };
    if marker.as_ref().map(Marker::fingerprint) != briefing.data {
        let text = format!(
            "{} does not contain the same data as the coordinator's database",
            job.target_text
        );
        return Err(Error::new(ErrorKind::Missing, text)
            .hint("use the same database for every agent: tacho agent --target URL"));
    }
    let mut choices = job.choices(marker.as_ref())?;
    choices.loaded_at = briefing.loaded_at;
    choices.turn = turn;
    let instance = job.workload.instance(&choices)?;
    if let Some(marker) = &marker {
        require_match(&job, marker, &choices, instance.as_ref())?;
    }
    let plan = load_plan(&job.resolved, instance.as_ref())?;
    Ok((job, plan, instance))
}

/// Returns the job with the target replaced by its local equivalent.
fn job(request: &AgentRequest, context: &Context, briefing: &Briefing) -> Result<Job> {
    job_of(request, context, &briefing.plan, &briefing.target_name)
}

/// An observer that forwards the engine's results to the coordinator.
struct Watch<'a> {
    agent: &'a Agent,
    journal: Option<Journal>,
    /// The reason why this host cannot save its measurements.
    unsaved: Option<Error>,
    cpu: [Option<Duration>; 2],
    meter: Option<HiccupMeter>,
    hiccups: Hiccups,
}

impl<'a> Watch<'a> {
    fn new(agent: &'a Agent, journal: Result<Journal>, scheduling: Scheduling) -> Self {
        let (journal, unsaved) = match journal {
            Ok(journal) => (Some(journal), None),
            Err(error) => (None, Some(error)),
        };
        let is_virtual = scheduling == Scheduling::Virtual;
        Self {
            agent,
            journal,
            unsaved,
            cpu: [None; 2],
            meter: if is_virtual { None } else { HiccupMeter::start().ok() },
            hiccups: Hiccups::default(),
        }
    }

    /// Saves results to disk before sending them, so that nothing is lost if this process is killed.
    fn tell(&mut self, part: &Part) {
        if let Some(journal) = &mut self.journal {
            journal.add(part);
        }
        self.agent.part(part);
    }

    /// Reports the end of the measurement.
    fn ended(&mut self, measurement: &Measurement, workers: u32) {
        let [begin, end] = self.cpu;
        let stops = self.hiccups;
        let tool = Tool {
            cpu: end.zip(begin).map(|(end, begin)| end.saturating_sub(begin)),
            cores: tacho_collect::cores(),
            workers,
            stops: self.meter.as_ref().map(|_| (stops.count, stops.total, stops.longest)),
        };
        let left = self.agent.left_early();
        let gathered = measurement.gathered.clone();
        self.tell(&Part::End(Box::new(Ending { gathered, left, tool })));
    }

    /// Waits until the coordinator has received all results. Results that it does not receive remain in the file.
    fn delivered(mut self, listener: &mut dyn Listener) {
        let why = self.agent.delivered();
        let failed = self.journal.as_ref().and_then(Journal::failed).or(self.unsaved.as_ref());
        if let Some(error) = failed {
            listener.note(&format!("some results could not be saved on this host: {error}"));
        }
        match (why, self.journal.take()) {
            (None, Some(journal)) => journal.remove(),
            (None, None) => {}
            (Some(why), Some(journal)) => {
                let path = journal.path().display();
                listener
                    .note(&format!("stopped: {why}; the measured intervals were saved to {path}"));
                listener.note(&format!(
                    "hint: to import them as an INVALID run, use tacho runs import \
                        {path}"
                ));
            }
            (Some(why), None) => listener.note(&format!("stopped: {why}; nothing was saved")),
        }
    }

    fn discard(self) {
        if let Some(journal) = self.journal {
            journal.remove();
        }
    }
}

impl Observer for Watch<'_> {
    fn connected(&mut self, sessions: u32) {
        self.agent.ready(sessions);
    }

    fn phase(&mut self, phase: Phase, _: Duration) {
        if phase == Phase::Measure {
            self.cpu[0] = tacho_collect::cpu_time();
            self.meter.as_mut().map(HiccupMeter::take);
        }
    }

    fn collected(&mut self, collected: &Collected<'_>) {
        let stops = self.meter.as_mut().map(HiccupMeter::take).unwrap_or_default();
        if collected.phase == Phase::Measure {
            self.cpu[1] = tacho_collect::cpu_time();
            self.hiccups.merge(&stops);
        }
        let mut recorder = collected.recorder.clone();
        recorder.move_times(collected.origin, Instant(0));
        let &Collected { phase, span, sessions, backlog, .. } = collected;
        self.tell(&Part::Records(Box::new(Records { phase, span, sessions, backlog, recorder })));
    }
}
