//! Waits after a load until the server has finished its deferred work, up to a time limit.
//!
//! The next run can then start on an idle server. Nothing that happens during this wait changes the result of the run
//! that has ended.
//!
//! Start reading at [`settle`].

use std::time::Duration;

use tacho_core::units::{grouped, span};
use tacho_core::{Clock, Error, Instant, Result};
use tacho_driver::{DeferredWork, Driver, Left, Pace, Target};
use tacho_engine::BlockingClock;
use tacho_store::Listener;
use tacho_store::record::{SettleEnd, SettledRecord};

use crate::access::{Access, environment};
use crate::clock::clock;
use crate::{Context, Request};

/// The interval between queries to the server.
const TICK: Duration = Duration::from_secs(1);
/// The interval between queries to the server while it writes a checkpoint.
const CHECKPOINT_TICK: Duration = Duration::from_millis(100);
/// The time limit for a checkpoint.
const CHECKPOINT: Duration = Duration::from_mins(2);
/// Time without progress after which the server counts as stuck. Most likely, it cannot remove old row versions
/// because another client still needs them.
const STUCK: Duration = Duration::from_secs(10);
/// The interval between messages about the progress of the remaining work.
const NEWS: Duration = Duration::from_secs(30);

/// The outcome of the wait.
#[derive(Debug, Default)]
pub struct Settled {
    /// A record for each kind of deferred work that the server was asked to finish.
    pub work: Vec<SettledRecord>,
    /// The errors, each with the name of the kind of work that failed.
    pub failures: Vec<Error>,
}

/// Waits as long as the job's `settle` setting allows. Errors do not affect other work or later commands.
pub fn settle(request: Request<'_>, listener: &mut dyn Listener) -> Settled {
    let job = request.job;
    let mut settled = Settled::default();
    let limit = job.resolved.plan.judgement.settle;
    if !limit.is_zero()
        && let Err(error) = settle_all(request, limit, listener, &mut settled)
    {
        settled.failures.push(error);
    }
    settled
}

fn settle_all(
    request: Request<'_>,
    limit: Duration,
    listener: &mut dyn Listener,
    settled: &mut Settled,
) -> Result<()> {
    let Request { job, context } = request;
    let access = Access::new(job)?;
    let environment = environment(context, false, job.first_set());
    let Some(mut deferred) =
        access.answer(request, job.driver.deferred_work(&job.target, environment))?
    else {
        let title = job.driver.manifest().title;
        listener.note(&format!("{title} has no deferred work"));
        return Ok(());
    };
    let clock = clock();
    let until = clock.now().plus(limit);
    let wait = Wait { access: &access, context, clock: &clock, until, tick: TICK };
    for (kind, what) in deferred.kinds().iter().enumerate() {
        let waited = wait.for_kind(deferred.as_mut(), kind, what, listener);
        // Restore the settings even if there was an error.
        let ended = access.to_the_end(context, deferred.end());
        match waited {
            Ok(record) => settled.work.push(record),
            Err(error) => settled.failures.push(error.during(format!("finish the {what}"))),
        }
        settled.failures.extend(ended.err());
    }
    Ok(())
}

/// Makes the server write its changed data to disk. Returns false if the server does not defer such writes.
pub(crate) fn checkpoint(
    driver: &dyn Driver,
    target: &Target,
    set: u32,
    context: &Context,
) -> Result<bool> {
    let access = Access::of(set)?;
    let opened = driver.deferred_work(target, environment(context, false, set));
    let Some(mut deferred) = access.to_the_end(context, opened)? else { return Ok(false) };
    let Some((what, others)) = deferred.kinds().split_last() else { return Ok(false) };
    let kind = others.len();
    let clock = clock();
    let until = clock.now().plus(CHECKPOINT);
    let wait = Wait { access: &access, context, clock: &clock, until, tick: CHECKPOINT_TICK };
    let waited = wait.for_kind(deferred.as_mut(), kind, what, &mut ());
    // Restore the settings in any case.
    let ended = access.to_the_end(context, deferred.end());
    waited.map_err(|error| error.during("write a checkpoint")).and(ended).map(|()| true)
}

struct Wait<'a> {
    access: &'a Access,
    context: &'a Context,
    clock: &'a BlockingClock,
    until: Instant,
    tick: Duration,
}

impl Wait<'_> {
    fn for_kind(
        &self,
        deferred: &mut dyn DeferredWork,
        kind: usize,
        what: &str,
        listener: &mut dyn Listener,
    ) -> Result<SettledRecord> {
        let begin = self.clock.now();
        let before = self.access.to_the_end(self.context, deferred.begin(kind))?;
        let (mut least, mut moved, mut noted) = (before, begin, begin);
        let (left, ended_by) = loop {
            let Left { amount, pace } = self.access.to_the_end(self.context, deferred.left())?;
            let now = self.clock.now();
            if amount < least {
                (least, moved) = (amount, now);
            }
            let unmoved = pace == Pace::Unknown && now.since(moved) >= STUCK;
            if amount == 0 && pace != Pace::Working {
                break (amount, SettleEnd::Done);
            } else if self.context.interrupted() {
                break (amount, SettleEnd::Interrupt);
            } else if pace == Pace::Over || unmoved {
                break (amount, SettleEnd::Stuck);
            } else if now >= self.until {
                break (amount, SettleEnd::Time);
            } else if now.since(noted) >= NEWS {
                listener.note(&format!("{what}: {} left", grouped(amount)));
                noted = now;
            }
            std::thread::park_timeout(self.tick.min(self.until.since(now)));
        };
        let waited = self.clock.now().since(begin);
        listener.note(&format!(
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
            ended_by,
        })
    }
}
