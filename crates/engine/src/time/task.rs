//! The clock for event-driven sessions.
//!
//! The event loop's own timers round up to milliseconds, which would add 1–2 ms to latencies. Where possible, this
//! clock therefore uses a kernel timer with nanosecond resolution.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tacho_core::{Clock, Instant, Timer};

use super::bell::Bell;
use crate::Signal;

/// Real time since an origin that all workers share, for futures on the event loop of one worker.
#[derive(Clone, Debug)]
pub struct TaskClock {
    origin: std::time::Instant,
    signal: Arc<Signal>,
    alarms: Arc<Mutex<Alarms>>,
}

/// A worker's alarms. Only the worker's own thread locks them, so locking never waits.
#[derive(Debug, Default)]
struct Alarms {
    /// The due time and timer of each alarm. If a timer has been set again, its earlier entries are ignored.
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    timers: Vec<Option<(Instant, Waker)>>,
    /// The waker of the future that rings alarms when they are due. It is called if a new alarm is due before the time
    /// until which this future sleeps.
    ringer: Option<Waker>,
    /// The time at which the bell will ring.
    set: Option<Instant>,
}

impl TaskClock {
    /// Creates a clock whose waits end early when `signal` is raised.
    pub fn new(origin: std::time::Instant, signal: Arc<Signal>) -> Self {
        Self { origin, signal, alarms: Arc::default() }
    }

    /// Returns a copy of this clock whose waits end early when a different signal is raised.
    #[must_use]
    pub(crate) fn with(&self, signal: Arc<Signal>) -> Self {
        Self { signal, ..self.clone() }
    }

    /// Runs a future. While it runs, this future and the tasks that it spawns can wait for timers of this clock.
    pub(crate) async fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        let mut ring = pin!(self.ring());
        let mut future = pin!(future);
        poll_fn(|context| {
            // The `ring` future never completes. It only rings alarms while the other future runs.
            let _ = ring.as_mut().poll(context);
            future.as_mut().poll(context)
        })
        .await
    }

    /// Rings alarms when they are due. Never returns.
    async fn ring(&self) {
        let mut bell = Bell::new();
        poll_fn(|context| {
            loop {
                let next = {
                    let mut alarms = self.lock();
                    alarms.ringer = Some(context.waker().clone());
                    let next = alarms.wake_due(self.now());
                    alarms.set = next;
                    next
                };
                let Some(next) = next else { return Poll::<()>::Pending };
                match bell.poll(next.since(self.now()), context) {
                    Poll::Ready(()) => {}
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await;
    }

    fn lock(&self) -> MutexGuard<'_, Alarms> {
        self.alarms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Alarms {
    /// Wakes all timers that are due, and returns the time of the next alarm.
    fn wake_due(&mut self, now: Instant) -> Option<Instant> {
        while let Some(Reverse((due, timer))) = self.due.peek().copied() {
            let current = self.timers[timer].as_ref().is_some_and(|(set, _)| *set == due);
            if current && due > now {
                return Some(due);
            }
            self.due.pop();
            if current && let Some((_, waker)) = self.timers[timer].take() {
                waker.wake();
            }
        }
        None
    }

    fn set(&mut self, timer: usize, due: Instant, waker: &Waker) {
        let same = self.timers[timer].as_ref().is_some_and(|(set, _)| *set == due);
        self.timers[timer] = Some((due, waker.clone()));
        if !same {
            self.due.push(Reverse((due, timer)));
        }
        if self.set.is_none_or(|set| due < set)
            && let Some(ringer) = self.ringer.take()
        {
            ringer.wake();
        }
    }
}

impl Clock for TaskClock {
    #[inline]
    fn now(&self) -> Instant {
        Instant(self.origin.elapsed().as_nanos() as u64)
    }

    fn timer(&self) -> Box<dyn Timer> {
        let mut alarms = self.lock();
        alarms.timers.push(None);
        let number = alarms.timers.len() - 1;
        drop(alarms);
        Box::new(TaskTimer { place: self.signal.place(), number, clock: self.clone() })
    }
}

struct TaskTimer {
    clock: TaskClock,
    number: usize,
    /// Index of this timer's slot in the signal's list of wakers.
    place: usize,
}

impl Timer for TaskTimer {
    fn poll(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()> {
        if self.clock.signal.is_raised() || self.clock.now() >= due {
            return Poll::Ready(());
        }
        self.clock.lock().set(self.number, due, context.waker());
        self.clock.signal.watch(self.place, context.waker());
        // Check the signal again, because it may have been raised just before the waker was registered.
        if self.clock.signal.is_raised() { Poll::Ready(()) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventLoop;
    use std::time::Duration;

    #[expect(clippy::disallowed_methods, reason = "origin of the clock under test")]
    fn clock(signal: Arc<Signal>) -> TaskClock {
        TaskClock::new(std::time::Instant::now(), signal)
    }

    #[test]
    fn timers_ring_in_order_and_never_early() {
        let clock = clock(Arc::default());
        let event_loop = EventLoop::new().expect("an event loop");
        let order = Arc::new(Mutex::new(Vec::new()));
        event_loop.block_on(clock.drive(async {
            let begin = clock.now();
            let tasks: Vec<_> = [30, 10, 20, 10]
                .into_iter()
                .map(|millis| {
                    let (clock, order) = (clock.clone(), order.clone());
                    tokio::spawn(async move {
                        let due = begin.plus(Duration::from_millis(millis));
                        clock.timer().until(due).await;
                        assert!(clock.now() >= due);
                        order.lock().expect("no panic").push(millis);
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        }));
        assert_eq!(*order.lock().expect("no panic"), [10, 10, 20, 30]);
    }

    #[test]
    fn a_raised_signal_ends_waits() {
        let signal = Arc::new(Signal::default());
        let clock = clock(signal.clone());
        let event_loop = EventLoop::new().expect("an event loop");
        let raiser = std::thread::spawn(move || {
            std::thread::park_timeout(Duration::from_millis(20));
            signal.raise();
        });
        event_loop.block_on(clock.drive(async { clock.timer().until(Instant::FAR).await }));
        raiser.join().expect("no panic");
    }
}
