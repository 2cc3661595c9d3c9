//! Virtual time. When all tasks are waiting, the clock jumps to the next alarm. It is used on a single thread.
//!
//! The order of events is reproducible, because simultaneous alarms ring in the order in which they were set.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tacho_core::{Clock, Instant, Timer};

use crate::Signal;

/// An alarm: its time, a sequence number, and the index of its task.
type Alarm = Reverse<(u64, u64, usize)>;

#[derive(Debug, Default)]
struct State {
    now: AtomicU64,
    task: AtomicUsize,
    alarms: Mutex<(BinaryHeap<Alarm>, u64)>,
}

/// A clock that is advanced only by [`block_on_virtual`].
#[derive(Clone, Debug, Default)]
pub struct VirtualClock {
    state: Arc<State>,
    signal: Arc<Signal>,
}

impl VirtualClock {
    /// Creates a clock that starts at zero. Its waits end early when `signal` is raised.
    pub fn new(signal: Arc<Signal>) -> Self {
        Self { state: Arc::default(), signal }
    }

    /// Returns a copy of this clock whose waits end early when a different signal is raised.
    #[must_use]
    pub fn with(&self, signal: Arc<Signal>) -> Self {
        Self { state: self.state.clone(), signal }
    }
}

impl Clock for VirtualClock {
    #[inline]
    fn now(&self) -> Instant {
        Instant(self.state.now.load(Ordering::Relaxed))
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(VirtualTimer { clock: self.clone(), armed: None })
    }
}

struct VirtualTimer {
    clock: VirtualClock,
    armed: Option<Instant>,
}

impl Timer for VirtualTimer {
    #[inline]
    fn poll(&mut self, due: Instant, _: &mut Context<'_>) -> Poll<()> {
        let state = &self.clock.state;
        if self.clock.now() >= due || self.clock.signal.is_raised() {
            self.armed = None;
            return Poll::Ready(());
        }
        if self.armed != Some(due) {
            self.armed = Some(due);
            let mut alarms = state.alarms.lock().unwrap_or_else(PoisonError::into_inner);
            let order = alarms.1;
            alarms.1 += 1;
            alarms.0.push(Reverse((due.0, order, state.task.load(Ordering::Relaxed))));
        }
        Poll::Pending
    }
}

/// Runs all tasks to completion on the virtual clock. If no alarm is left, drops the tasks that are still waiting.
pub fn block_on_virtual<'a>(
    clock: &VirtualClock,
    mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + 'a>>>,
) {
    let mut context = Context::from_waker(Waker::noop());
    let mut done = vec![false; tasks.len()];
    let mut left = tasks.len();
    let mut poll = |index: usize, left: &mut usize| {
        clock.state.task.store(index, Ordering::Relaxed);
        if !done[index] && tasks[index].as_mut().poll(&mut context).is_ready() {
            done[index] = true;
            *left -= 1;
        }
    };
    (0..left).collect::<Vec<_>>().into_iter().for_each(|index| poll(index, &mut left));
    while left > 0 {
        let alarm = {
            let mut alarms = clock.state.alarms.lock().unwrap_or_else(PoisonError::into_inner);
            alarms.0.pop()
        };
        let Some(Reverse((due, _, index))) = alarm else { return };
        clock.state.now.fetch_max(due, Ordering::Relaxed);
        poll(index, &mut left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::time::Duration;

    #[test]
    fn time_jumps_from_alarm_to_alarm_in_order() {
        let clock = VirtualClock::default();
        let seen = RefCell::new(Vec::new());
        let tasks = (0..3_u64)
            .map(|id| {
                let (clock, seen) = (&clock, &seen);
                Box::pin(async move {
                    let mut timer = clock.timer();
                    for round in 1..=2 {
                        let due = Instant(0).plus(Duration::from_hours((3 - id) * round));
                        timer.until(due).await;
                        seen.borrow_mut().push((clock.now().0 / 3_600_000_000_000, id));
                    }
                }) as Pin<Box<dyn Future<Output = ()>>>
            })
            .collect();
        block_on_virtual(&clock, tasks);
        assert_eq!(*seen.borrow(), [(1, 2), (2, 1), (2, 2), (3, 0), (4, 1), (6, 0)]);
    }

    #[test]
    fn a_raised_signal_ends_waits() {
        let signal = Arc::new(Signal::default());
        let clock = VirtualClock::new(signal.clone());
        signal.raise();
        let wait = async {
            clock.timer().until(Instant::FAR).await;
        };
        block_on_virtual(&clock, vec![Box::pin(wait)]);
        assert_eq!(clock.now(), Instant(0));
    }
}
