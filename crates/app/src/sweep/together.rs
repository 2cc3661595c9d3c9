//! Measures several sweeps that have the same points. For each point, the servers take turns, so that drift
//! affects all of them equally.
//!
//! The order depends only on the records, so an interrupted measurement continues in the same order.
//!
//! Start reading at [`Together::measure`].

use std::time::Duration;

use tacho_core::Result;
use tacho_store::Listener;
use tacho_store::event::PointState;
use tacho_store::sweep::Outcome;

use super::{Sweep, planned, settings, vary, words};
use crate::settings::{Changes, private_server};
use crate::{Context, Exit, Job, Request, run};

/// A group of sweeps whose servers take turns, along with the group's position in the entire measurement.
pub(crate) struct Together<'a> {
    /// The subject of the sweeps, such as a workload name.
    pub(crate) name: &'a str,
    /// The sweeps, each with the name of its server.
    pub(crate) sweeps: &'a mut [(String, Sweep)],
    /// The number of points to be measured before these sweeps.
    pub(crate) before: usize,
    /// The number of points that remain after these sweeps, and the approximate time that they take.
    pub(crate) after: (usize, Duration),
    /// A callback that ensures that a server is running. It is called before a sweep uses the server.
    pub(crate) ready: &'a dyn Fn(&str) -> Result<()>,
}

impl Together<'_> {
    /// Measures the remaining points. Returns the worst of the runs' exit codes.
    pub(crate) fn measure(
        &mut self,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Exit> {
        let mut changes = Vec::new();
        let mut begun = Ok(());
        for (server, sweep) in self.sweeps.iter_mut() {
            match (self.ready)(server).and_then(|()| sweep.begin(context, listener)) {
                Ok(change) => changes.push(change),
                Err(error) => {
                    begun = Err(error);
                    break;
                }
            }
        }
        let measured = begun.and_then(|()| self.in_turns(&mut changes, context, listener));
        // Restore the settings even if a run failed.
        let mut back = Ok(());
        for (change, (server, _)) in changes.iter_mut().zip(self.sweeps.iter()) {
            if change.is_empty() {
                continue;
            }
            let done = (self.ready)(server).and_then(|()| change.put_back(context, listener));
            if let (Err(error), true) = (&done, measured.is_err() || back.is_err()) {
                listener.note(&error.to_string());
            }
            back = back.and(done);
        }
        measured.and_then(|exit| back.map(|()| exit))
    }

    fn in_turns(
        &mut self,
        changes: &mut [Changes],
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Exit> {
        let (mut spent, mut exits) = (Vec::new(), Vec::new());
        while let Some(at) = self.turn() {
            let Some(index) = self.sweeps[at].1.next(context) else { break };
            let begun = tacho_collect::wall_clock();
            (self.ready)(&self.sweeps[at].0)?;
            let state = self.state(at, index, &spent);
            listener.point(state.clone());
            let (_, sweep) = &mut self.sweeps[at];
            exits.push(sweep.one(index, &mut changes[at], context, listener)?);
            sweep.tell_outcome(&state, index, context, listener);
            spent.push(tacho_collect::wall_clock().saturating_sub(begun));
            if context.interrupted() {
                return Ok(Exit::Interrupted);
            }
        }
        for (_, sweep) in self.sweeps.iter_mut() {
            sweep.record.state = sweep.record.state_at_end();
            sweep.store.save(&sweep.record)?;
        }
        Ok(Exit::first_of(&exits))
    }

    /// Returns the index of the sweep to measure next, which is one of those with the fewest measured points. In
    /// every second round, the sweeps take turns in reverse order.
    fn turn(&self) -> Option<usize> {
        let left: Vec<usize> = self.sweeps.iter().map(|(_, sweep)| sweep.left()).collect();
        let most = *left.iter().max().filter(|most| **most > 0)?;
        let behind = self.sweeps[0].1.record.points.len() - most;
        let mut due = (0..left.len()).filter(|at| left[*at] == most);
        if behind.is_multiple_of(2) { due.next() } else { due.next_back() }
    }

    fn state(&self, at: usize, index: usize, spent: &[Duration]) -> PointState {
        let (server, sweep) = &self.sweeps[at];
        let points: usize = self.sweeps.iter().map(|(_, sweep)| sweep.record.points.len()).sum();
        let left: usize = self.sweeps.iter().map(|(_, sweep)| sweep.left()).sum();
        let rest = match u32::try_from(spent.len()) {
            Ok(count @ 1..) => spent.iter().sum::<Duration>() / count * left as u32,
            _ => self.sweeps.iter().map(|(_, sweep)| sweep.remaining()).sum(),
        };
        let point = &sweep.record.points[index];
        PointState {
            number: self.before + points - left + 1,
            count: self.before + points + self.after.0,
            values: format!("{} on {server}: {}", self.name, words(&sweep.record.vary, point)),
            remaining: Some(rest + self.after.1),
        }
    }
}

impl Sweep {
    /// Returns the number of points that have yet to be measured.
    pub fn left(&self) -> usize {
        let pending = |point: &&super::Point| point.outcome == Outcome::Pending;
        self.record.points.iter().filter(pending).count()
    }

    /// Returns the planned duration of the remaining runs.
    pub fn remaining(&self) -> Duration {
        let pending = self.record.points.iter().filter(|point| point.outcome == Outcome::Pending);
        let span = |point| planned(&settings(&self.base, &self.record.vary, point).ok()?);
        pending.filter_map(span).sum()
    }

    /// Returns the maximum duration of the warm-up that precedes a run if its server has just been started. Returns
    /// `None` if the runs of this sweep need no warm-up.
    pub fn longest_warm_up(&self) -> Option<Duration> {
        let longest = |point| {
            let load = settings(&self.base, &self.record.vary, &point).ok()?.plan.load;
            run::longest_warm_up(load.stop, load.ramp_up)
        };
        self.ahead().into_iter().filter_map(longest).max()
    }

    /// Returns true if the sweep changes settings of a private server, which may have to be restarted.
    pub fn restarts(&self, context: &Context) -> bool {
        self.ahead().iter().any(|point| {
            if vary::server_settings(&self.record.vary, &point.values).is_empty() {
                return false;
            }
            let job = settings(&self.base, &self.record.vary, point)
                .and_then(|resolved| Job::new(resolved, context));
            job.is_ok_and(|job| private_server(Request::new(&job, context)).is_some())
        })
    }
}
