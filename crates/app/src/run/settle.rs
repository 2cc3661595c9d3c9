//! After the load: waiting for work that the server put off, for a bounded time.
//!
//! The next run then starts from a server that has nothing left to do. It must never change a figure of
//! the run. Start reading at [`settle`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::units::{grouped, parse_duration, span};
use tacho_core::{Clock, Instant, Result};
use tacho_driver::Backlog;
use tacho_engine::{BlockingClock, EventLoop, Signal};
use tacho_store::record::SettledRecord;

use crate::access::environment;
use crate::{Context, Job, Progress};

/// How often the server is asked.
const TICK: Duration = Duration::from_secs(1);
/// A server that does nothing more of it for so long never will: somebody still needs it.
const STUCK: Duration = Duration::from_secs(10);
/// How often a reader hears how much is left.
const NEWS: Duration = Duration::from_secs(30);

/// Waits as long as the user allows. What cannot be done is told and stops nothing.
pub(super) fn settle(
    job: &Job,
    context: &Context,
    progress: &mut dyn Progress,
) -> Vec<SettledRecord> {
    let limit = job.resolved.get("settle").and_then(|text| parse_duration(text).ok());
    let Some(limit) = limit.filter(|limit| !limit.is_zero()) else { return Vec::new() };
    let mut settled = Vec::new();
    let settling = EventLoop::new().and_then(|event_loop| {
        let environment = environment(context, false, job.first_set());
        let opened = event_loop.block_on(job.driver.backlog(&job.target, environment))?;
        let Some(mut backlog) = opened else {
            let title = job.driver.manifest().title;
            progress.note(&format!("{title} has no work that can be hurried"));
            return Ok(());
        };
        let clock = clock();
        let mut wait = Wait { event_loop: &event_loop, context, clock: &clock, until: Instant(0) };
        wait.until = clock.now().plus(limit);
        let mut kind = 0;
        while let Some(what) = event_loop.block_on(backlog.begin(kind))? {
            let waited = wait.for_kind(backlog.as_mut(), what, progress);
            // Put back whatever happened.
            event_loop.block_on(backlog.end())?;
            settled.push(waited?);
            kind += 1;
        }
        Ok(())
    });
    if let Err(error) = settling {
        progress.note(&format!("the server was not waited for: {error}"));
    }
    settled
}

struct Wait<'a> {
    event_loop: &'a EventLoop,
    context: &'a Context,
    clock: &'a BlockingClock,
    until: Instant,
}

impl Wait<'_> {
    fn for_kind(
        &self,
        backlog: &mut dyn Backlog,
        what: &str,
        progress: &mut dyn Progress,
    ) -> Result<SettledRecord> {
        let begin = self.clock.now();
        let before = self.event_loop.block_on(backlog.left())?;
        let (mut left, mut moved, mut told) = (before, begin, begin);
        let ended_by = loop {
            let now = self.clock.now();
            if left == 0 {
                break "done";
            } else if self.context.interrupted() {
                break "interrupt";
            } else if now >= self.until {
                break "time";
            } else if now.since(moved) >= STUCK {
                break "stuck";
            } else if now.since(told) >= NEWS {
                progress.note(&format!("{what}: {} left", grouped(left)));
                told = now;
            }
            std::thread::park_timeout(TICK.min(self.until.since(now)));
            let found = self.event_loop.block_on(backlog.left())?;
            if found < left {
                moved = self.clock.now();
            }
            left = found;
        };
        let waited = self.clock.now().since(begin);
        progress.note(&format!(
            "{what}: {} left of {} after {}",
            grouped(left),
            grouped(before),
            span(waited)
        ));
        Ok(SettledRecord {
            what: what.into(),
            before,
            left,
            waited_s: waited.as_secs_f64(),
            ended_by: ended_by.into(),
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "origin of the clock of a wait")]
fn clock() -> BlockingClock {
    BlockingClock::new(std::time::Instant::now(), Arc::new(Signal::default()))
}
