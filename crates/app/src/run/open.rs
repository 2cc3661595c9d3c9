//! The second stage of a run, which inspects the database, gathers the hosts, and creates the record.
//!
//! Start reading at [`open`].

use std::sync::Arc;

use tacho_cluster::Fleet;
use tacho_config::{CheckWhen, OnHostLoss};
use tacho_core::Result;
use tacho_driver::Target;
use tacho_engine::{Interrupt, Setup, Share};
use tacho_store::record::CheckRecord;
use tacho_store::{Listener, RunWriter};
use tacho_workload::{Marker, MarkerStore};

use super::acknowledged::{Acknowledged, Marked};
use super::checks::{checks, require_consistent};
use super::faults::Faults;
use super::inspect::{Markers, inspect};
use super::isolation::Isolation;
use super::observed::HostsWatch;
use super::opened::{Live, Opened};
use super::plan::Planned;
use crate::access::Access;
use crate::cluster::{Briefed, between};
use crate::lock_watch::LockWatch;
use crate::settings::private_server;
use crate::{Context, Job, Request};

/// Opens a run. If this fails, the run leaves nothing behind.
pub(super) fn open(
    request: Request<'_>,
    planned: &Planned,
    listener: &mut dyn Listener,
) -> Result<(Opened, Live)> {
    let Request { job, context } = request;
    let access = Access::new(job)?;
    let server = private_server(request).and_then(|state| state.process).map(|process| process.pid);
    let hosts = HostsWatch::start(&job.hosts, server, planned.virtual_time)?;
    let (mut opened, markers) = inspect(request, planned, &access, listener)?;
    let instance = opened.instance.as_ref();
    opened.checks = checks(request, instance, &opened.record, CheckWhen::Before, listener)?;
    require_to_begin(context, &opened.checks)?;
    let mut faults = Faults::of(request)?;
    let target = target(job, &mut faults)?;
    let mut marks = Marked::of(job, planned.seed);
    let mut begin = Beginning { request, access: &access, marks: &mut marks };
    match begin.create(planned, &mut opened, markers, listener) {
        Ok(Begun { fleet, writer, acknowledged, isolation, marker }) => {
            let setup = Setup {
                commits: acknowledged.as_ref().map(Acknowledged::log),
                history: isolation.as_ref().map(Isolation::log),
                ..setup(request, target, planned, &opened)
            };
            let live = Live {
                access,
                writer,
                marker,
                fleet,
                setup,
                hosts,
                faults: Some(faults),
                acknowledged,
                isolation,
                marks,
            };
            Ok((opened, live))
        }
        Err(error) => {
            if let Some(marks) = &marks {
                marks.put_back(request, &access, listener);
            }
            Err(error)
        }
    }
}

/// The steps at the start of a run that change something outside of this process. If a later step fails, they may have
/// to be undone.
struct Beginning<'a> {
    request: Request<'a>,
    access: &'a Access,
    marks: &'a mut Option<Marked>,
}

/// The results of these steps.
struct Begun {
    fleet: Option<Fleet>,
    writer: RunWriter,
    acknowledged: Option<Acknowledged>,
    isolation: Option<Isolation>,
    marker: Option<Box<MarkerStore>>,
}

impl Beginning<'_> {
    /// Gathers the hosts, creates the run record, and increases the number of runs in the markers.
    fn create(
        &mut self,
        planned: &Planned,
        opened: &mut Opened,
        mut markers: Markers,
        listener: &mut dyn Listener,
    ) -> Result<Begun> {
        let marker = markers.first.as_ref().map(|(_, marker)| marker);
        let fleet = self.gather(opened, marker, listener)?;
        let store = self.request.context.store();
        let writer = RunWriter::create(&store, opened.record.clone(), planned.seed)?;
        writer.id().clone_into(&mut opened.record.id);
        listener.begins(&opened.record);
        let notes = |marked: &Marked| {
            Acknowledged::create(marked, &opened.plan, writer.folder(), fleet.is_some())
        };
        let acknowledged = self.marks.as_ref().map(notes).transpose()?;
        let (instance, sessions) = (opened.instance.as_ref(), opened.plan.sessions);
        let isolation = Isolation::create(self.request.job, instance, sessions, writer.folder())?;
        let (access, context) = (self.access, self.request.context);
        let mut watch = LockWatch::new(self.request, access.set);
        watch.during(listener, || markers.count_run(access, context))?;
        let marker = markers.first.map(|(store, _)| store);
        Ok(Begun { fleet, writer, acknowledged, isolation, marker })
    }

    /// Gathers the other hosts, if any, and then creates the commit marks. This order is important, because a run
    /// that is rejected must not replace an earlier run's marks.
    fn gather(
        &mut self,
        opened: &Opened,
        marker: Option<&Marker>,
        listener: &mut dyn Listener,
    ) -> Result<Option<Fleet>> {
        let Opened { plan, choices, record, .. } = opened;
        let (request, access) = (self.request, self.access);
        let commits = self.marks.as_ref().map(|marks| marks.key);
        let mut make = || match self.marks.as_mut() {
            Some(marks) => marks.make(request, access, plan),
            None => Ok(()),
        };
        let Some(wanted) = &request.job.wanted else {
            let mut watch = LockWatch::new(request, access.set);
            return watch.during(listener, make).map(|()| None);
        };
        let briefed = Briefed { record, marker, choices, commits };
        let fleet = wanted.gather(request, &briefed, &mut make, listener)?;
        if plan.on_host_loss == OnHostLoss::TakeOver {
            let names = fleet.spares().join(", ");
            listener.note(&format!("available to take over a share: {names}"));
        }
        Ok(Some(fleet))
    }
}

/// Returns an error if the user has interrupted Tacho or the data is inconsistent.
fn require_to_begin(context: &Context, before: &[CheckRecord]) -> Result<()> {
    if context.interrupted() {
        return Err(Interrupt::error());
    }
    require_consistent(before)
}

/// Returns the target for the sessions: the job's target, or a proxy that injects network faults.
fn target(job: &Job, faults: &mut Faults) -> Result<Target> {
    match faults.target()? {
        Some(_) if job.wanted.is_some() => Err(between()),
        other => Ok(other.unwrap_or_else(|| job.target.clone())),
    }
}

/// Returns the engine's input for a load that records neither commits nor a history.
pub(super) fn setup(
    Request { job, context }: Request<'_>,
    target: Target,
    planned: &Planned,
    opened: &Opened,
) -> Setup {
    let steps = opened.record.plan.steps.iter().flat_map(|load| &load.steps);
    Setup {
        driver: Arc::clone(&job.driver),
        target,
        instance: Arc::clone(&opened.instance),
        form: opened.choices.form,
        plan: opened.plan,
        steps: steps.copied().collect(),
        output: context.output.clone(),
        sets: job.sets(),
        routes: planned.routes.clone(),
        commits: None,
        history: None,
        share: Share::WHOLE,
        gate: None,
    }
}
