//! The fourth stage of a run, which examines the server and the data after the load.
//!
//! Start reading at [`examine`].

use tacho_config::CheckWhen;
use tacho_core::ErrorKind;
use tacho_store::Listener;
use tacho_store::record::{CheckRecord, IsolationRecord, SettledRecord, SizesRecord};

use super::acknowledged::Verified;
use super::afterwards::{self, Afterwards};
use super::checks::{checks, not_run};
use super::conditions;
use super::measure::Measured;
use super::opened::{Live, Opened};
use super::plans::{self, Plans};
use super::structure;
use crate::{Request, settle};

/// The state of the server and the data after the load.
#[derive(Default)]
pub(super) struct Examined {
    pub(super) server: Afterwards,
    /// A description of how the tables have changed since the start.
    pub(super) restructured: Option<String>,
    pub(super) plans: Plans,
    pub(super) sizes: Option<SizesRecord>,
    pub(super) settled: Vec<SettledRecord>,
    /// The results of the checks after the load.
    pub(super) checks: Vec<CheckRecord>,
    /// The verified commits, if the run marked its commits.
    pub(super) acknowledged: Option<Verified>,
    /// The anomalies in the history, if the workload reports its operations.
    pub(super) isolation: Option<IsolationRecord>,
}

/// Examines the server and the data. The measurement is complete, so errors become part of the result.
pub(super) fn examine(
    request: Request<'_>,
    opened: &Opened,
    measured: &Measured,
    live: &mut Live,
    listener: &mut dyn Listener,
) -> Examined {
    let job = request.job;
    listener.ending("reading the settings again");
    // Read the settings first. Waiting for the server's deferred work may change some of them temporarily.
    let server = afterwards::inspect(request, opened, measured, live);
    let mut examined = Examined { server, ..Examined::default() };
    if examined.server.is_reachable() {
        let (before, same_server) = (&opened.structure, !afterwards::moves(job));
        examined.restructured =
            structure::changes(request, &live.access, before, same_server, listener);
    }
    if !measured.was_stopped() && examined.server.is_reachable() {
        listener.ending("reading plans and sizes");
        examined.plans = plans::ask(request, opened, live);
        examined.sizes = conditions::sizes_after(request, live, listener);
        examined.settled = settled(request, listener);
    }
    examined.checks = checks_after(request, opened, measured, &examined.server, listener);
    if let Some(acknowledged) = &live.acknowledged {
        listener.ending("looking for the acknowledged commits");
        let (access, instance) = (&live.access, opened.instance.as_ref());
        let fleet = live.fleet.as_ref();
        let found = acknowledged.verify(request, access, &measured.measurement, instance, fleet);
        examined.acknowledged = Some(found);
    }
    if let Some(isolation) = &live.isolation {
        listener.ending("checking the isolation of the transactions");
        let (access, instance) = (&live.access, opened.instance.as_ref());
        let found = isolation.check(request, access, &measured.measurement, instance);
        examined.isolation = Some(found);
    }
    examined
}

/// Waits until the server has finished its deferred work. Reports failures.
fn settled(request: Request<'_>, listener: &mut dyn Listener) -> Vec<SettledRecord> {
    let settled = settle(request, listener);
    for error in &settled.failures {
        listener.note(&format!("could not wait for the server's deferred work: {error}"));
        error.hints().iter().for_each(|hint| listener.note(&format!("hint: {hint}")));
    }
    settled.work
}

fn checks_after(
    request: Request<'_>,
    opened: &Opened,
    measured: &Measured,
    server: &Afterwards,
    listener: &mut dyn Listener,
) -> Vec<CheckRecord> {
    let lost = measured.has_lost_server();
    // If the server is unavailable, the data cannot be checked. The verdict already mentions that the server is
    // unavailable.
    if let Some(error) = server.unread.as_ref().filter(|_| lost) {
        listener.note(&format!("checks were skipped: {error}"));
        return Vec::new();
    }
    let aborted = request.context.interrupt.interrupt_count() > 1;
    if aborted || measured.was_stopped() {
        // The user wants to stop, so do not check a large database.
        return Vec::new();
    }
    listener.ending("checking the data");
    let instance = opened.instance.as_ref();
    match checks(request, instance, &opened.record, CheckWhen::After, listener) {
        Ok(records) => records,
        Err(error) if lost && error.kind() == ErrorKind::Connect => {
            listener.note(&format!("checks were skipped: {error}"));
            Vec::new()
        }
        Err(error) => vec![not_run(&error)],
    }
}
