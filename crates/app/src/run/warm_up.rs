//! An unmeasured load that fills the cache of a server that has just started.
//!
//! Start reading at [`warm_up`].

use std::time::Duration;

use tacho_core::Result;
use tacho_core::units::{significant, span};
use tacho_driver::Scheduling;
use tacho_engine::{Interrupt, Interval, Observer, Setup, Stop};
use tacho_store::Listener;

use super::inspect::inspect;
use super::open::setup;
use super::plan::plan;
use super::series::{own_kinds, sum};
use super::watch::Watch;
use crate::access::Access;
use crate::{Context, Request};

/// Maximum length of the warm-up. The warm-up of a shorter run is at most as long as the run.
const WARM_UP_MAX: Duration = Duration::from_mins(1);
/// Maximum length of the warm-up for a run without a planned duration.
const WITHOUT_DURATION_MAX: Duration = Duration::from_secs(10);
/// The length of an interval. The counters are read about once per second.
const INTERVAL: Duration = Duration::from_secs(1);
/// The names of the counters for blocks that were not in the server's cache.
const COUNTERS: [&str; 2] = ["blocks_read", "pages_read"];
/// The number of latest intervals to compare with as many intervals before them.
const WINDOW: usize = 6;
/// Minimum ratio of the reads per transaction in the latest intervals to those in the intervals before them. At this
/// ratio, the reads have stopped falling.
const LEVEL: f64 = 0.8;
/// Number of reads per transaction below which reads are negligible. They must stay below it for `FEW_INTERVALS`
/// successive intervals.
const FEW: f64 = 0.05;
const FEW_INTERVALS: usize = 3;

/// Returns the maximum length of a load's warm-up. Returns `None` for a load that ends when its work is done, because
/// such a load has no warm-up.
pub(crate) fn longest_warm_up(stop: Stop, ramp_up: Duration) -> Option<Duration> {
    match stop {
        Stop::After(length) => Some((ramp_up + length).min(WARM_UP_MAX)),
        Stop::Count(_) => Some(WITHOUT_DURATION_MAX),
        Stop::Done => None,
    }
}

/// Runs the job's load without recording it until the reads per transaction have levelled off.
pub(crate) fn warm_up(request: Request<'_>, listener: &mut dyn Listener) -> Result<()> {
    let Request { job, context } = request;
    let planned = plan(request)?;
    let load = &planned.draft.load;
    let longest = longest_warm_up(load.stop, load.ramp_up)
        .filter(|_| job.driver.scheduling() != Scheduling::Virtual);
    let Some(longest) = longest else {
        listener.note("this run starts without a warm-up because its work is fixed");
        return Ok(());
    };
    let access = Access::new(job)?;
    let (opened, markers) = inspect(request, &planned, &access, &mut ())?;
    // The warm-up is not a run itself. Close the markers without increasing the number of runs in them.
    for (store, _) in markers.first.into_iter().chain(markers.others) {
        access.to_the_end(context, store.into_session().close())?;
    }
    let mut plan = opened.plan;
    (plan.ramp_up, plan.ramp_down, plan.interval) = (Duration::ZERO, Duration::ZERO, INTERVAL);
    plan.stop = Stop::After(longest);
    let setup = setup(request, job.target.clone(), &planned, &opened);
    let setup = Setup { plan, steps: [].into(), ..setup };
    let longest = span(longest);
    listener.note(&format!(
        "warming up for at most {longest}, until the number of reads per transaction levels off"
    ));
    let own_kinds = own_kinds(opened.instance.as_ref()).len();
    let watch = Watch::start(request, opened.plan.answer_within, &mut ());
    let stop = Interrupt::default();
    let mut filling = Filling { context, own_kinds, watch, stop: stop.clone(), reads: Vec::new() };
    tacho_engine::run(&setup, &stop, &mut filling)?;
    filling.watch.finish();
    listener.note(&outcome(&filling.reads, &longest));
    Ok(())
}

/// Watches how a server fills its cache.
struct Filling<'a> {
    context: &'a Context,
    /// The number of transaction types that are not stream queries.
    own_kinds: usize,
    watch: Watch,
    /// Ends the load.
    stop: Interrupt,
    /// For each interval, the number of reads per transaction, if it is known.
    reads: Vec<Option<f64>>,
}

impl Observer for Filling<'_> {
    fn interval(&mut self, interval: &Interval<'_>) {
        let all = sum(&interval.recorder.series(interval.phase)[..self.own_kinds]);
        let seen = self.watch.interval(interval.phase, interval.to.as_secs_f64());
        let counters = seen.map(|seen| seen.load.counters).unwrap_or_default();
        let read = COUNTERS.iter().find_map(|name| counters.get(*name));
        let ended = all.ended.good();
        self.reads.push(read.filter(|_| ended > 0).map(|read| *read as f64 / ended as f64));
        let is_over = is_level(&self.reads) || is_unknown(&self.reads);
        if is_over || self.context.interrupted() {
            self.stop.press();
        }
    }
}

/// Returns true if the reads per transaction are negligible or have stopped falling.
fn is_level(reads: &[Option<f64>]) -> bool {
    let known: Vec<f64> = reads.iter().copied().flatten().collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let last = |count: usize| known.len().checked_sub(count).map(|from| &known[from..]);
    let is_few = last(FEW_INTERVALS).is_some_and(|few| few.iter().all(|reads| *reads < FEW));
    let has_stopped_falling = last(2 * WINDOW).is_some_and(|both| {
        let (before, after) = both.split_at(WINDOW);
        mean(after) >= LEVEL * mean(before)
    });
    is_few || has_stopped_falling
}

/// Returns true if the server does not report how many blocks it reads.
fn is_unknown(reads: &[Option<f64>]) -> bool {
    reads.len() >= 2 * FEW_INTERVALS && reads.iter().all(Option::is_none)
}

/// Describes the warm-up.
fn outcome(reads: &[Option<f64>], longest: &str) -> String {
    let known: Vec<f64> = reads.iter().copied().flatten().collect();
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        return if is_unknown(reads) {
            "the server does not report its reads, so it may not be warm".into()
        } else {
            format!("not warm after {longest}: the number of reads was not yet known")
        };
    };
    let change = format!(
        "{} per transaction at first, {} at the end",
        significant(*first),
        significant(*last)
    );
    if is_level(reads) {
        return format!("warmed up in {}: {change}", span(INTERVAL * reads.len() as u32));
    }
    format!("not warm after {longest}: {change}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of intervals after which the warm-up ends.
    fn ends_after(reads: impl Fn(usize) -> Option<f64>) -> Option<usize> {
        let all: Vec<Option<f64>> = (0..60).map(reads).collect();
        (1..=all.len()).find(|count| is_level(&all[..*count]) || is_unknown(&all[..*count]))
    }

    #[test]
    fn a_warm_up_ends_when_the_reads_level_off() {
        // All data fits into the cache.
        assert_eq!(ends_after(|at| Some(if at < 4 { 3.0 } else { 0.001 })), Some(7));
        // The data is larger than the cache, so the reads fall to 2 per transaction and then stay at this level.
        let falling = |at: usize| Some(2.0 + 40.0 * 0.7_f64.powi(at as i32));
        let end = ends_after(falling).expect("an end");
        assert!((12..25).contains(&end), "{end}");
        assert!(falling(end) < Some(2.2), "{end}");
        // In every second interval, the server's counter was not read again, so the number of reads seems to be zero.
        let uneven = |at: usize| Some(if at.is_multiple_of(2) { 4.0 } else { 0.0 });
        assert_eq!(ends_after(uneven), Some(2 * WINDOW));
        assert_eq!(ends_after(|at| Some(100.0 * 0.9_f64.powi(at as i32))), None, "still falling");
    }

    #[test]
    fn a_server_without_this_counter_is_not_called_warm() {
        assert_eq!(ends_after(|_| None), Some(6));
        assert!(outcome(&[None; 6], "10s").contains("does not report its reads"));
        assert!(outcome(&[None; 1], "1s").starts_with("not warm after 1s"));
        let falling: Vec<Option<f64>> = (0..10).map(|at| Some(f64::from(90 - 9 * at))).collect();
        assert!(outcome(&falling, "10s").starts_with("not warm after 10s: 90.0"));
    }
}
