//! Building the data: parallel over units, each committed as a whole with its note in the marker.

mod counted;
mod finish;
mod state;
mod worker;

pub(crate) use finish::{Finishing, Step, finish, make};
pub use state::{BuildState, TableState};

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tacho_core::{Clock, Result};
use tacho_engine::{BlockingClock, Signal};

use crate::{Context, Job, Preparation, Progress};
use worker::{Shared, load_units};

/// How often a front end hears of a build.
const TICK: Duration = Duration::from_millis(200);

/// Loads the units in `todo` of a set of tables with so many sessions. Returns the rows loaded, and the time it took.
pub(crate) fn load(
    job: &Job,
    context: &Context,
    wanted: &Preparation,
    todo: Vec<u64>,
    (sessions, set): (usize, u32),
    progress: &mut dyn Progress,
) -> Result<(u64, Duration)> {
    let (instance, layout) = (&wanted.instance, wanted.layout.as_ref());
    let shared = Shared::new(instance.as_ref(), todo, context.interrupt.clone(), set);
    let clock = clock();
    let result = std::thread::scope(|scope| {
        let (say, results) = channel();
        for _ in 0..sessions {
            let (say, shared) = (say.clone(), &shared);
            scope.spawn(move || {
                let result = load_units(job, context, (instance.as_ref(), layout), shared);
                if result.is_err() {
                    shared.give_up();
                }
                let _ = say.send(result);
            });
        }
        drop(say);
        let mut outcome = Ok(None);
        loop {
            match results.recv_timeout(TICK) {
                Ok(Err(error)) if outcome.is_ok() => outcome = Err(error),
                Ok(Ok(slow @ Some(_))) if outcome.is_ok() => outcome = Ok(slow),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    progress.build(&shared.state(instance.as_ref(), clock.now()));
                }
                Err(RecvTimeoutError::Disconnected) => return outcome,
            }
        }
    });
    progress.build(&shared.state(instance.as_ref(), clock.now()));
    progress.build_over();
    if let Ok(Some(slow)) = result {
        progress.note(slow);
    }
    result.map(|_| (shared.rows(), clock.now().since(tacho_core::Instant(0))))
}

/// A clock that begins now.
#[expect(clippy::disallowed_methods, reason = "origin of the clock of a use case")]
pub(crate) fn clock() -> BlockingClock {
    BlockingClock::new(std::time::Instant::now(), Arc::new(Signal::default()))
}
