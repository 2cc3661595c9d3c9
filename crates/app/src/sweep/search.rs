//! The search for the highest rate that meets a limit, separately for each combination of other settings.
//!
//! The search depends only on the runs measured so far, so an interrupted search can resume from them. Start reading
//! at [`Sweep::next_in_search`].

use std::time::Duration;

use tacho_core::units::parse_rate;
use tacho_metrics::{RateEstimate, RateSearch, Window};
use tacho_store::record::StepRecord;
use tacho_store::sweep::{Found, FoundFor, Outcome, Point, RateInterval};

use super::{Sweep, is_unreported, pending_point, planned, result, settings, vary};
use crate::Context;

/// Number of sessions in the first run of a search that chooses the sessions.
const SESSIONS_MIN: u32 = 4;
/// Maximum number of sessions in a search that chooses the sessions.
const SESSIONS_MAX: u32 = 256;
/// Minimum factor by which the throughput must grow when the number of sessions is doubled. If it grows less, the
/// search stops adding sessions.
const GROWTH: f64 = 1.05;

/// The throughput with a certain number of sessions and without a rate limit.
struct ClosedRun {
    sessions: u32,
    /// The throughput per second; absent if the server did not accept so many sessions.
    per_s: Option<f64>,
}

/// The next step of a search, given the throughputs that were measured without a rate limit.
#[derive(Debug, PartialEq)]
enum Choice {
    /// The next step measures the throughput with this number of sessions.
    Measure(u32),
    /// Searches for the highest rate with this number of sessions. The rate is below `capacity`, the throughput
    /// without a rate limit.
    Search { sessions: u32, capacity: f64 },
    /// Ends, because no throughput is known.
    End,
}

impl Choice {
    /// Doubles the number of sessions until the throughput hardly increases.
    ///
    /// The search uses the number of sessions in the last run, which is twice as many as in the run before. On
    /// average, arrivals at the highest throughput keep only as many sessions busy as there were in the run with this
    /// throughput (Little's law). The others are needed because arrivals come in bursts.
    fn of(runs: &[ClosedRun]) -> Self {
        let known: Vec<(u32, f64)> =
            runs.iter().filter_map(|run| Some((run.sessions, run.per_s?))).collect();
        let Some((&(sessions, last), before)) = known.split_last() else {
            return if runs.is_empty() { Self::Measure(SESSIONS_MIN) } else { Self::End };
        };
        let best = before.iter().map(|run| run.1).fold(0.0, f64::max);
        let is_accepted = known.len() == runs.len();
        if is_accepted && last > GROWTH * best && sessions < SESSIONS_MAX {
            return Self::Measure(sessions * 2);
        }
        Self::Search { sessions, capacity: last.max(best) }
    }
}

impl Sweep {
    /// Creates the next point of a search, or returns `None` once the search is complete.
    pub(super) fn next_in_search(&mut self, context: &Context) -> Option<usize> {
        let limit = self.find_max.clone()?;
        for values in self.combinations() {
            if self.is_broken_off() {
                return None;
            }
            let point = if self.base.plan.steps.is_some() {
                self.steps(&values, &limit, context)
            } else {
                self.next_window(&values, &limit, context)
            };
            if let Some(point) = point {
                self.record.points.push(point);
                return Some(self.record.points.len() - 1);
            }
        }
        None
    }

    /// Returns the combinations of all varied settings except the rate. There is a separate search for each of them.
    fn combinations(&self) -> Vec<Vec<String>> {
        vary::grid(&self.record.vary[..self.record.fixed()])
    }

    /// Returns the first point of each search. All points of a search have the same server settings.
    pub(super) fn first_points(&self) -> Vec<Point> {
        let is_chosen = self.record.chooses_sessions();
        self.combinations().into_iter().map(|values| first(values, is_chosen)).collect()
    }

    /// Returns the next run of one search.
    fn next_window(&mut self, values: &[String], limit: &str, context: &Context) -> Option<Point> {
        let runs = self.closed_runs(values, context);
        let mut fixed = values.to_vec();
        let capacity = if self.record.chooses_sessions() {
            match Choice::of(&runs) {
                Choice::Measure(sessions) => {
                    fixed.push(sessions.to_string());
                    return Some(pending_point(fixed, 1));
                }
                Choice::Search { sessions, capacity } => {
                    fixed.push(sessions.to_string());
                    capacity
                }
                Choice::End => return None,
            }
        } else if let Some(run) = runs.first() {
            run.per_s?
        } else {
            return Some(pending_point(fixed, 1));
        };
        let windows = self.windows(values, context);
        let search = RateSearch::of(capacity, &windows);
        let estimate = search.as_ref().and_then(RateSearch::estimate);
        self.remember(values.to_vec(), found(limit.to_owned(), &windows, estimate));
        if self.lacks_data_for(values, context) {
            return None;
        }
        let (rate, headroom) = match (search?.next_rate(), estimate) {
            (Some(rate), _) => (rate, false),
            (None, Some(estimate)) if !self.has_headroom(values) => (estimate.headroom(), true),
            _ => return None,
        };
        fixed.push(rate.to_string());
        let is_known = |point: &&Point| point.values == fixed && point.headroom == headroom;
        let before = self.record.points.iter().filter(is_known).count();
        Some(Point { headroom, ..pending_point(fixed, before as u32 + 1) })
    }

    /// Stores the outcome of one search.
    fn remember(&mut self, values: Vec<String>, found: Found) {
        if values.is_empty() {
            self.record.found = Some(found);
            return;
        }
        match self.record.found_for.iter_mut().find(|one| one.values == values) {
            Some(known) => known.found = found,
            None => self.record.found_for.push(FoundFor { values, found }),
        }
    }

    /// Returns the points of one search.
    fn of_search(&self, values: &[String]) -> impl Iterator<Item = &Point> {
        self.record.points.iter().filter(move |point| point.values.starts_with(values))
    }

    /// Returns true if the point has no rate.
    pub(super) fn is_closed(&self, point: &Point) -> bool {
        point.values.len() < self.record.vary.len()
    }

    /// Returns true if the point tries out a higher number of sessions, which the server may reject.
    pub(super) fn tries_sessions(&self, point: &Point) -> bool {
        self.find_max.is_some()
            && self.record.chooses_sessions()
            && self.is_closed(point)
            && sessions(point) > SESSIONS_MIN
    }

    fn has_headroom(&self, values: &[String]) -> bool {
        self.of_search(values).any(|point| point.headroom)
    }

    fn closed_runs(&self, values: &[String], context: &Context) -> Vec<ClosedRun> {
        let closed = self.of_search(values).filter(|point| self.is_closed(point));
        let run = |point: &Point| {
            let result = result(point, context).and_then(|record| record.result);
            let is_usable = |valid| valid || !self.tries_sessions(point);
            let usable = result.filter(|result| is_usable(result.valid));
            let per_s = usable.map(|result| result.throughput_per_s);
            ClosedRun { sessions: sessions(point), per_s }
        };
        closed.map(run).collect()
    }

    /// Returns the runs of a search at fixed rates that have been measured so far. Each of them is a window for the
    /// estimate of the highest rate.
    fn windows(&self, values: &[String], context: &Context) -> Vec<Window> {
        let rates = self.of_search(values).filter(|point| !self.is_closed(point));
        let measured = rates.filter(|point| point.outcome == Outcome::Measured && !point.headroom);
        let tried = measured.filter_map(|point| {
            let rate = parse_rate(point.values.last()?).ok()?;
            let result = result(point, context).and_then(|record| record.result);
            if result.as_ref().is_some_and(is_unreported) {
                return None;
            }
            let holds = result.is_some_and(|result| {
                result.valid && result.thresholds.iter().all(|threshold| threshold.passed)
            });
            Some(Window { rate, holds })
        });
        tried.collect()
    }

    /// Returns true if a run in a search failed. Such a run cannot show whether the limit was met, so the search
    /// stops and can be resumed later.
    pub(super) fn is_broken_off(&self) -> bool {
        let last = self.record.points.last();
        self.find_max.is_some() && last.is_some_and(|point| point.outcome == Outcome::Failed)
    }

    /// Returns true if the last run of any search had too little data to evaluate the limit.
    pub(super) fn lacks_data(&self, context: &Context) -> bool {
        self.find_max.is_some()
            && self.combinations().iter().any(|values| self.lacks_data_for(values, context))
    }

    /// Returns true if the last run of a search had too little data to evaluate the limit. Such a search cannot
    /// continue, because lower rates would result in even less data.
    fn lacks_data_for(&self, values: &[String], context: &Context) -> bool {
        let last = self.of_search(values).filter(|point| !self.is_closed(point)).last();
        last.filter(|point| !point.headroom)
            .and_then(|point| result(point, context))
            .and_then(|record| record.result)
            .is_some_and(|result| is_unreported(&result))
    }

    /// Returns three values: the number of searches, the maximum number of their runs, and the planned duration of
    /// these runs. Returns `None` if the sweep is not a search, or if a single run tries all rates as the steps of
    /// its load.
    pub fn at_most(&self) -> Option<(u64, u64, Duration)> {
        self.find_max.as_ref().filter(|_| self.base.plan.steps.is_none())?;
        let closed = if self.record.chooses_sessions() {
            (SESSIONS_MAX / SESSIONS_MIN).ilog2() + 1
        } else {
            1
        };
        let runs = closed + RateSearch::WINDOWS_MAX as u32 + 1;
        let points = self.first_points();
        let length = |point: &Point| {
            let resolved = settings(&self.base, &self.record.vary, point).ok();
            resolved.and_then(|resolved| planned(&resolved)).unwrap_or_default() * runs
        };
        let searches = points.len() as u64;
        Some((searches, searches * u64::from(runs), points.iter().map(length).sum()))
    }

    /// Stores the outcome of a search that tries all its rates in one run, each as a step of the load. If this run
    /// has not been planned yet, returns a point for it.
    fn steps(&mut self, values: &[String], limit: &str, context: &Context) -> Option<Point> {
        let Some(point) = self.of_search(values).next() else {
            return Some(pending_point(values.to_vec(), 1));
        };
        let result = result(point, context)?.result?;
        let rate = |step: &StepRecord| step.step.rate_per_s;
        let tried = result.steps.iter().filter_map(|step| {
            let rate = rate(step).filter(|rate| *rate > 0.0)?;
            Some(Window { rate, holds: step.holds() })
        });
        let steps: Vec<Window> = tried.collect();
        let found = Found { in_steps: true, ..found(limit.to_owned(), &steps, None) };
        self.remember(values.to_vec(), found);
        None
    }
}

/// Returns the first run of a search, which has no rate limit.
pub(super) fn first(mut values: Vec<String>, chooses_sessions: bool) -> Point {
    values.extend(chooses_sessions.then(|| SESSIONS_MIN.to_string()));
    pending_point(values, 1)
}

/// Returns the number of sessions in a search's run without a rate limit. It is the last of the point's values.
fn sessions(point: &Point) -> u32 {
    point.values.last().and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// Returns the outcome of a search. If the highest rate could not be estimated, uses the highest rate at which the
/// limit was met. Rates above the lowest failed rate are ignored.
pub(super) fn found(limit: String, windows: &[Window], estimate: Option<RateEstimate>) -> Found {
    let held = || windows.iter().filter(|window| window.holds);
    let failed = windows.iter().filter(|window| !window.holds);
    let fails_at_per_s = failed.map(|window| window.rate).min_by(f64::total_cmp);
    let ceiling = fails_at_per_s.unwrap_or(f64::INFINITY);
    let highest = held().map(|window| window.rate).filter(|rate| *rate < ceiling);
    let interval = estimate.map(|estimate| RateInterval {
        low_per_s: estimate.low,
        high_per_s: estimate.high,
        windows: windows.len() as u32,
        held: held().count() as u32,
    });
    let holds_at_per_s =
        estimate.map(|estimate| estimate.per_s).or_else(|| highest.max_by(f64::total_cmp));
    Found { limit, holds_at_per_s, fails_at_per_s, interval, in_steps: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_estimate_the_highest_rate_is_below_every_failure() {
        let windows = [(100.0, true), (200.0, false), (300.0, true)]
            .map(|(rate, holds)| Window { rate, holds });
        let found = found("p99<1s".into(), &windows, None);
        assert_eq!((found.holds_at_per_s, found.fails_at_per_s), (Some(100.0), Some(200.0)));
    }

    #[test]
    fn sessions_double_until_the_throughput_hardly_grows() {
        let choice = |runs: &[(u32, Option<f64>)]| {
            let run = |&(sessions, per_s): &(u32, Option<f64>)| ClosedRun { sessions, per_s };
            Choice::of(&runs.iter().map(run).collect::<Vec<_>>())
        };
        let search = |sessions, capacity| Choice::Search { sessions, capacity };
        let grows = [(4, Some(100.0)), (8, Some(180.0))];
        let end = |last| [grows[0], grows[1], (16, last)];
        assert_eq!(choice(&[]), Choice::Measure(4));
        assert_eq!(choice(&grows), Choice::Measure(16));
        assert_eq!(choice(&end(Some(185.0))), search(16, 185.0));
        assert_eq!(choice(&end(Some(90.0))), search(16, 180.0));
        assert_eq!(choice(&end(None)), search(8, 180.0));
        assert_eq!(choice(&[(256, Some(100.0))]), search(256, 100.0));
        assert_eq!(choice(&[(4, None)]), Choice::End);
    }
}
