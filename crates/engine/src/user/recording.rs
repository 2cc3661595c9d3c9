//! Records a virtual user's transactions in its lane's recorder.
//!
//! This module only records. All decisions are made in `user.rs`. After warm-up, memory is allocated only for
//! transactions that are recorded individually.
//!
//! Start reading at [`User::record`].

use tacho_core::Instant;
use tacho_metrics::{Begun, Ending, Execution, LoggedOutcome, LoggedTransaction, Phase};
use tacho_workload::Ticket;

use super::{End, Start, User};
use crate::session_log::outcome;

impl User {
    /// Records the start of a transaction. `free` is the time at which the session became free.
    #[inline]
    pub(super) fn record_start(&self, ticket: &Ticket, start: &Start, free: Instant) {
        let (&Start { phase, due, sent }, transaction) = (start, ticket.transaction);
        let begun = self.query_log.keeps_begins().then(|| {
            let (session, left) = (self.connections.session(), self.client.left());
            Begun { session, transaction, sent, left }
        });
        let begins_in = self.rules.control.phase(sent);
        let step = self.step(phase, due);
        self.lane.record(|recorder| {
            if self.pace.waits() {
                // If the session was still busy when the transaction was due, measure the delay from when the session
                // became free. Otherwise, the timer would seem to have caused the whole delay.
                recorder.late(begins_in, sent.since(due.max(free)));
            }
            if self.pace.queues() {
                recorder.waited(begins_in, free.since(due));
            }
            recorder.start(phase, transaction);
            if let Some(step) = step {
                recorder.steps.start(step);
            }
            recorder.begun.extend(begun);
        });
    }

    /// Records a transaction that has ended. If the query log keeps it, also records it individually.
    #[inline]
    pub(super) fn record(&mut self, ticket: &Ticket, start: &Start, end: &End) {
        let (phase, transaction) = (start.phase, ticket.transaction);
        let (latency, service) = (end.at.since(start.due), end.at.since(start.sent));
        let control = &self.rules.control;
        let late = end.at > control.phase_end(phase);
        let ended_in = if late { control.phase(end.at) } else { phase };
        if ended_in == Phase::Measure
            && !matches!(end.ending, Ending::Failed(_))
            && let Some(latencies) = self.service_latencies.get_mut(transaction)
        {
            latencies.record(service);
        }
        let keeps = self.query_log.keeps(phase, late);
        let steps = [self.step(phase, start.due), self.step(ended_in, end.at)];
        let is_late =
            latency > self.rules.latency_limit && !matches!(end.ending, Ending::Failed(_));
        let line = self.line(ended_in, transaction, start, end);
        self.lane.record(|recorder| {
            if keeps {
                recorder.executions.push(self.execution(transaction, start, end));
            }
            recorder.finish([phase, ended_in], transaction, end.ending, latency, service);
            if is_late {
                recorder.at(ended_in, transaction).over_limit += 1;
            }
            if let Some(line) = line {
                recorder.log.push(line);
            }
            if steps != [None; 2] {
                recorder.steps.finish(steps, transaction, end.ending, latency);
            }
        });
    }

    /// Returns a record with the details of the most recent transaction.
    #[cold]
    fn execution(&self, transaction: usize, start: &Start, end: &End) -> Execution {
        let rows = self.client.rows().filter(|_| !matches!(end.ending, Ending::Failed(_)));
        let first_row = rows.and(self.connections.current().first_row());
        Execution {
            session: self.connections.session(),
            transaction,
            sent: start.sent,
            took: end.at.since(start.sent),
            ending: end.ending,
            rows,
            first_row: first_row.map(|at| at.since(start.sent)),
            work: self.query_log.last(),
        }
    }

    /// Records how many of the transaction's commit marks were acknowledged, if the run verifies commits.
    #[inline]
    pub(super) fn record_marks(
        &mut self,
        ticket: &Ticket,
        start: &Start,
        at: Instant,
        committed: bool,
    ) {
        let Some(marked) = self.connections.take_acknowledged(at) else { return };
        if marked > 0 || committed {
            self.lane.record(|recorder| {
                let series = recorder.at(start.phase, ticket.transaction);
                series.marked += marked;
                series.unmarked += u64::from(marked == 0);
            });
        }
    }

    /// Returns the line of a transaction that ended, if it is logged.
    #[inline]
    fn line(
        &mut self,
        ended_in: Phase,
        transaction: usize,
        start: &Start,
        end: &End,
    ) -> Option<LoggedTransaction> {
        let log = self.log.as_mut()?;
        let times = [end.at.since(start.due), start.sent.since(start.due)];
        let line = log.line(transaction, end.at, times, outcome(end.ending));
        line.filter(|_| ended_in == Phase::Measure)
    }

    /// Records a transaction that was due but is not started.
    pub(super) fn skip(&mut self, phase: Phase, due: Instant, transaction: usize) {
        let step = self.step(phase, due);
        let line = self.log.as_mut().and_then(|log| {
            let at = self.clock.now();
            log.line(transaction, at, [at.since(due); 2], LoggedOutcome::Skipped)
        });
        let line = line.filter(|_| phase == Phase::Measure);
        self.lane.record(|recorder| {
            recorder.skip(phase, transaction);
            if let Some(line) = line {
                recorder.log.push(line);
            }
            if let Some(step) = step {
                recorder.steps.skip(step);
            }
        });
    }

    /// Returns the step that applies at a time. Returns `None` outside the measured phase and in runs without steps.
    #[inline]
    fn step(&self, phase: Phase, at: Instant) -> Option<u32> {
        let steps = self.rules.steps.as_ref().filter(|_| phase == Phase::Measure)?;
        Some(steps.at(at))
    }
}
