//! The fourth stage of a run: the server and the data after the load.
//!
//! Start reading at [`examine`].

use tacho_config::CheckWhen;
use tacho_core::ErrorKind;
use tacho_store::Listener;
use tacho_store::record::{CheckRecord, SettledRecord, SizesRecord};

use super::acknowledged::Verified;
use super::afterwards::{self, Afterwards};
use super::checks::{checks, not_run};
use super::conditions;
use super::measure::Measured;
use super::opened::{Live, Opened};
use super::plans::{self, Plans};
use super::structure;
use crate::{Request, settle};

/// The state of the server and of the data after the load.
#[derive(Default)]
pub(super) struct Examined {
    pub(super) server: Afterwards,
    /// The changes of the tables since the start, in words.
    pub(super) restructured: Option<String>,
    pub(super) plans: Plans,
    pub(super) sizes: Option<SizesRecord>,
    pub(super) settled: Vec<SettledRecord>,
    /// The results of the checks after the load.
    pub(super) checks: Vec<CheckRecord>,
    /// The commits that were looked for, if they were marked.
    pub(super) acknowledged: Option<Verified>,
}

/// Examines the server and the data. What goes wrong here is in the result: the measurement is over and must not be lost.
pub(super) fn examine(
    request: Request<'_>,
    opened: &Opened,
    measured: &Measured,
    live: &mut Live,
    listener: &mut dyn Listener,
) -> Examined {
    let job = request.job;
    listener.ending("reading the settings again");
    // Before the server finishes deferred work: settings that are changed for it and restored count as changed.
    let server = afterwards::inspect(request, opened, measured, live);
    let mut examined = Examined { server, ..Examined::default() };
    if examined.server.is_reachable() {
        let (before, same_server) = (&opened.structure, !afterwards::moves(job));
        examined.restructured =
            structure::changes(request, &live.access, before, same_server, listener);
    }
    if !measured.was_stopped() && examined.server.is_reachable() {
        listener.ending("reading plans and sizes");
        examined.plans = plans::ask(job, opened, live);
        // After the plans: a table that is locked holds this up, and the connection is then of no more use.
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
    examined
}

/// Waits until the server has done the work that it has put off, and notes what could not be waited for.
fn settled(request: Request<'_>, listener: &mut dyn Listener) -> Vec<SettledRecord> {
    let settled = settle(request, listener);
    for error in &settled.failures {
        listener.note(&format!("the server was not waited for: {error}"));
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
    // A server that is away says nothing about the data; the verdict says why it is.
    if let Some(error) = server.unread.as_ref().filter(|_| lost) {
        listener.note(&format!("checks were left out: {error}"));
        return Vec::new();
    }
    let aborted = request.context.interrupt.interrupt_count() > 1;
    if aborted || measured.was_stopped() {
        // The user wants to leave: a check of a large database would keep them waiting.
        return Vec::new();
    }
    listener.ending("checking the data");
    let instance = opened.instance.as_ref();
    match checks(request, instance, &opened.record, CheckWhen::After, listener) {
        Ok(records) => records,
        Err(error) if lost && error.kind() == ErrorKind::Connect => {
            listener.note(&format!("checks were left out: {error}"));
            Vec::new()
        }
        Err(error) => vec![not_run(&error)],
    }
}
