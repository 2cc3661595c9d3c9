//! Terminals, which key and think, and share the sessions of a worker.
//!
//! A session without work takes the terminal that is due first and waits until it is due. Terminals are still served in
//! order of arrival: a session returns its terminal immediately before it takes the next one, so the sessions that wait
//! always have the terminals that are due first.
//!
//! Start reading at [`Seat`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tacho_core::Instant;
use tacho_workload::{Client, Ticket};

use crate::steps::{Activity, StepTable};
use crate::{Setup, Share};

/// Number of mean cycles of a terminal's past. After fewer cycles, the terminals would still key in step.
const PAST_CYCLES: f64 = 3.0;
/// The golden ratio. Its multiples, modulo 1, spread any number of terminals evenly.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// The terminals of one worker. All times are relative to the start of the load.
pub(crate) struct Terminals {
    /// Draws the terminals' next transactions. It runs none of them, and its audit is discarded.
    scout: Box<dyn Client>,
    /// The terminals that no session has taken.
    waiting: BinaryHeap<Reverse<Entry>>,
    /// The sequence number of each terminal's next transaction.
    sequences: Vec<u32>,
    /// The terminals' first index on this host.
    first: u32,
    share: Share,
    /// Factor for keying and think times.
    factor: f64,
    /// Mean time between two transactions of a terminal, without the factor.
    cycle: Duration,
    /// The steps of a varying number of terminals.
    steps: Option<StepTable>,
}

/// A terminal and its next transaction. Entries are ordered by due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    due: Instant,
    /// Index of the terminal in this worker.
    index: u32,
    /// Index of the transaction type.
    transaction: u16,
}

impl Terminals {
    /// Creates the terminals of the worker that runs the sessions with these indexes on this host. Returns `None` if
    /// the run has no terminals.
    pub(crate) fn new(setup: &Setup, sessions: &Range<u32>) -> Option<Self> {
        let (model, range) = (setup.instance.terminals()?, setup.terminals_of(sessions)?);
        let begin = Instant(0).plus(setup.plan.ramp_up);
        let mut terminals = Self {
            scout: setup.instance.client(0),
            waiting: BinaryHeap::with_capacity(range.len()),
            sequences: vec![0; range.len()],
            first: range.start,
            share: setup.share,
            factor: setup.plan.pacing,
            cycle: model.cycle,
            steps: StepTable::new(&setup.steps, begin),
        };
        // A host that replaces a lost one does not run the transactions that were due before.
        let joined = setup.gate.as_ref().and_then(|gate| gate.begun()).unwrap_or_default();
        for index in 0..range.len() as u32 {
            let next = terminals.resumed(index, Instant(0).plus(joined));
            terminals.queue(index, next);
        }
        Some(terminals)
    }

    /// Returns a terminal's number across all hosts.
    fn number(&self, index: u32) -> u32 {
        self.share.session(self.first + index)
    }

    /// Draws a terminal's next transaction.
    fn draw(&mut self, index: u32) -> Ticket {
        self.scout.seat(self.number(index), self.sequences[index as usize].into());
        self.scout.next()
    }

    /// Returns the due time and the type of a terminal's next transaction if the terminal has been in use for some time
    /// at `at`.
    ///
    /// This runs the terminal's past without a database. At `at`, each terminal is then as likely to be at any point of
    /// its cycle as in the middle of a long run. Terminals that started together would be due together.
    fn resumed(&mut self, index: u32, at: Instant) -> (Instant, usize) {
        let cycle = self.cycle.mul_f64(self.factor);
        let phase = (f64::from(self.number(index)) * GOLDEN).fract();
        let past = cycle.mul_f64(PAST_CYCLES + phase);
        let mut elapsed = Duration::ZERO;
        loop {
            let ticket = self.draw(index);
            elapsed += ticket.keying.mul_f64(self.factor);
            if let Some(rest) = elapsed.checked_sub(past) {
                return (at.plus(rest), ticket.transaction);
            }
            elapsed += ticket.think.mul_f64(self.factor);
            self.sequences[index as usize] += 1;
        }
    }

    /// Adds a terminal with the due time and the type of its next transaction. If the terminal is not active then, it
    /// resumes work in the next step in which it is.
    fn queue(&mut self, index: u32, (mut due, mut transaction): (Instant, usize)) {
        while let Some(from) = self.inactive_until(index, due) {
            if from == Instant::FAR {
                due = from;
                break;
            }
            (due, transaction) = self.resumed(index, from);
        }
        let transaction = transaction as u16;
        self.waiting.push(Reverse(Entry { due, index, transaction }));
    }

    /// Returns the time when a terminal that is inactive at `at` becomes active.
    fn inactive_until(&self, index: u32, at: Instant) -> Option<Instant> {
        let Activity { active, until } = self.steps.as_ref()?.activity(self.number(index), at);
        (!active).then_some(until)
    }

    /// Returns a terminal that has received a result at `end` and thinks about it.
    fn put_back(&mut self, index: u32, end: Instant, think: Duration) {
        self.sequences[index as usize] += 1;
        let Ticket { transaction, keying, .. } = self.draw(index);
        let due = end.plus(think.mul_f64(self.factor)).plus(keying.mul_f64(self.factor));
        self.queue(index, (due, transaction));
    }
}

/// A session's place among the terminals of its worker.
#[derive(Clone)]
pub(crate) struct Seat {
    /// Locked only by the worker's thread.
    terminals: Arc<Mutex<Terminals>>,
    /// Start of the load.
    origin: Instant,
    /// The terminal that the session serves.
    taken: Option<Entry>,
}

impl Seat {
    /// Returns a place in a load that starts at `origin`.
    pub(crate) fn new(terminals: Arc<Mutex<Terminals>>, origin: Instant) -> Self {
        Self { terminals, origin, taken: None }
    }

    fn lock(&self) -> MutexGuard<'_, Terminals> {
        self.terminals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the terminal that is due first. The client then acts as this terminal.
    pub(crate) fn take(&mut self, client: &mut dyn Client) {
        let mut terminals = self.lock();
        let taken = terminals.waiting.pop().map(|Reverse(entry)| entry);
        if let Some(Entry { index, .. }) = taken {
            client.seat(terminals.number(index), terminals.sequences[index as usize].into());
        }
        drop(terminals);
        self.taken = taken;
    }

    /// Returns the time when the terminal's transaction is due. If all terminals are taken, this never happens.
    pub(crate) fn due(&self) -> Instant {
        self.taken.map_or(Instant::FAR, |entry| self.on_clock(entry.due))
    }

    /// Converts a time after the start of the load to the run's clock.
    fn on_clock(&self, at: Instant) -> Instant {
        self.origin.plus(at.since(Instant(0)))
    }

    /// Returns the terminal whose transaction has ended.
    pub(crate) fn leave(&mut self, end: Instant, ticket: &Ticket) {
        let Some(Entry { index, .. }) = self.taken.take() else { return };
        let end = Instant(0).plus(end.since(self.origin));
        self.lock().put_back(index, end, ticket.think);
    }

    /// Returns the terminal whose transaction was not started, if there is one.
    pub(crate) fn give_back(&mut self) {
        if let Some(entry) = self.taken.take() {
            self.lock().waiting.push(Reverse(entry));
        }
    }

    /// Removes a terminal that was due before `until`. Returns the due time and the transaction type.
    pub(crate) fn take_overdue(&self, until: Instant) -> Option<(Instant, usize)> {
        let until = Instant(0).plus(until.since(self.origin));
        let mut terminals = self.lock();
        terminals.waiting.peek().filter(|Reverse(entry)| entry.due < until)?;
        let Reverse(entry) = terminals.waiting.pop()?;
        Some((self.on_clock(entry.due), entry.transaction.into()))
    }
}
