//! Builds the data by loading units in parallel. A unit is committed together with its marker entry.

mod counted;
mod file_load;
mod finish;
mod hosts;
mod text;
mod worker;

pub(crate) use counted::Counted;
pub(crate) use file_load::{Left, is_file, load as load_files, require_loadable, require_rows};
pub(crate) use finish::{Finishing, Step, finish, make, note_tables};
pub(crate) use hosts::{load as load_over_hosts, part as part_of_host};
pub(crate) use text::write_rows;
pub(crate) use worker::Shared;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tacho_core::{Clock, Result};
use tacho_engine::{BlockingClock, EventLoop};
use tacho_store::Listener;
use tacho_store::event::LoaderState;
use tacho_workload::Instance;

use crate::Request;
use crate::clock::clock;
use crate::preparation::Preparation;
use worker::{Loading, load_units};

/// The interval between progress reports to the front end.
const TICK: Duration = Duration::from_millis(200);

/// Loads the listed units into a table set using several sessions. Returns the number of rows and the time taken.
pub(crate) fn load(
    request: Request<'_>,
    wanted: &Preparation,
    todo: Vec<u64>,
    sessions: usize,
    set: u32,
    listener: &mut dyn Listener,
) -> Result<(u64, Duration)> {
    let (instance, layout) = (&wanted.instance, wanted.layout.as_ref());
    let shared = Shared::new(instance.as_ref(), todo, request.context.interrupt.clone(), set);
    let clock = clock();
    for (loader, share) in shared.deal(sessions).into_iter().enumerate() {
        listener.loader(loader, LoaderState::Share(share));
    }
    let watched = Watched { shared: &shared, instance: instance.as_ref(), clock: &clock };
    let result = all_workers(sessions, watched, listener, |loader, tell| {
        load_units(request, Loading { instance: instance.as_ref(), layout }, &shared, loader, tell)
    });
    let slow = result?.into_iter().flatten().next();
    if let Some(slow) = slow {
        listener.note(slow);
    }
    Ok((shared.rows(), clock.now().since(tacho_core::Instant(0))))
}

/// A callback that reports the state of a worker.
pub(crate) type Tell<'a> = &'a dyn Fn(LoaderState);

/// A message from a worker.
enum WorkerMessage<T> {
    Does(usize, LoaderState),
    Over(Result<T>),
}

/// The workers' shared state, and a clock for progress reports.
pub(crate) struct Watched<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) instance: &'a dyn Instance,
    pub(crate) clock: &'a BlockingClock,
}

/// Runs `workers` workers in parallel and reports their progress. The first error stops all of them.
pub(crate) fn all_workers<T: Send>(
    workers: usize,
    Watched { shared, instance, clock }: Watched<'_>,
    listener: &mut dyn Listener,
    work: impl Fn(usize, Tell<'_>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let outcome = std::thread::scope(|scope| {
        let (say, results) = channel();
        for worker in 0..workers {
            let (say, work) = (say.clone(), &work);
            scope.spawn(move || {
                // Ignore errors. The receiver is gone only if the build has already failed.
                let tell = |does| drop(say.send(WorkerMessage::Does(worker, does)));
                let result = work(worker, &tell);
                if result.is_err() {
                    shared.give_up();
                }
                let _ = say.send(WorkerMessage::Over(result));
            });
        }
        drop(say);
        let mut outcome = Ok(Vec::new());
        loop {
            match (results.recv_timeout(TICK), &mut outcome) {
                (Ok(WorkerMessage::Does(worker, does)), _) => listener.loader(worker, does),
                (Ok(WorkerMessage::Over(Ok(done))), Ok(all)) => all.push(done),
                (Ok(WorkerMessage::Over(Err(error))), Ok(_)) => outcome = Err(error),
                (Ok(WorkerMessage::Over(_)), Err(_)) => {}
                (Err(RecvTimeoutError::Timeout), _) => {
                    listener.build(shared.state(instance, clock.now()));
                }
                (Err(RecvTimeoutError::Disconnected), _) => return outcome,
            }
        }
    });
    listener.build(shared.state(instance, clock.now()));
    listener.build_over();
    outcome
}

/// Time limit for a session's last request when a build stops. It is long enough to send the current rows. If a request
/// takes longer, Tacho abandons it.
const STOPPING: Duration = Duration::from_secs(3);

/// Runs a session's work to completion. If the work takes too long to stop, returns `None`, and the server rolls back.
fn until_stopped<T>(
    stopped: impl Fn() -> bool,
    work: impl Future<Output = T>,
) -> Result<Option<T>> {
    let (clock, mut end) = (clock(), None);
    let go_on =
        || !stopped() || clock.now() < *end.get_or_insert_with(|| clock.now().plus(STOPPING));
    Ok(EventLoop::new()?.block_while(work, go_on))
}
