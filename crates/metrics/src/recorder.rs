//! What one thread of sessions has recorded since it was last asked.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Instant, QueryStats};

use crate::{COUNTERS_MAX, Ending, Growth, Latencies, Ledger, Outcomes, StepSeries};

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// Before the measurement; excluded from every figure.
    RampUp,
    /// The measurement.
    Measure,
    /// After it; excluded from every figure.
    RampDown,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 3] = [Self::RampUp, Self::Measure, Self::RampDown];

    /// Name as printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RampUp => "ramp-up",
            Self::Measure => "measure",
            Self::RampDown => "ramp-down",
        }
    }

    /// Returns the phase of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

/// Everything about one kind of transaction in one phase: how those ended that ended in it, whenever they
/// were due, and the accounts of those that were due in it, whenever they ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// End − due, of committed and intendedly rolled back transactions that ended in the phase.
    pub latency: Latencies,
    /// End − sent, of the same.
    pub service: Latencies,
    /// How those ended that ended in the phase.
    pub ended: Outcomes,
    /// The accounts of those that were due in the phase.
    pub ledger: Ledger,
    /// Commits that came after the end of the phase: counted as unfinished, but in the database.
    pub late_commits: u64,
    /// Failures that committed all the same: their commit was confirmed, and then a reply was found wrong.
    pub wrong_commits: u64,
    /// Acknowledged commits that carry a mark, by which a lost one is found.
    pub marked: u64,
    /// Transactions that committed, where commits are marked, without one: they only read.
    #[serde(default)]
    pub unmarked: u64,
    /// Intended rollbacks that came after the end of the phase.
    pub late_rollbacks: u64,
    /// Failures of which the client does not know whether they committed.
    pub unknown: u64,
    /// The longest time that an unfinished transaction took in the end.
    pub longest_unfinished: Duration,
}

impl Series {
    /// Adds another series.
    pub fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.service.merge(&other.service);
        self.ended.merge(&other.ended);
        self.ledger.merge(&other.ledger);
        self.late_commits += other.late_commits;
        self.wrong_commits += other.wrong_commits;
        self.marked += other.marked;
        self.unmarked += other.unmarked;
        self.late_rollbacks += other.late_rollbacks;
        self.unknown += other.unknown;
        self.longest_unfinished = self.longest_unfinished.max(other.longest_unfinished);
    }

    fn clear(&mut self) {
        self.latency.clear();
        self.service.clear();
        self.ended = Outcomes::default();
        self.ledger = Ledger::default();
        self.late_commits = 0;
        self.wrong_commits = 0;
        self.marked = 0;
        self.unmarked = 0;
        self.late_rollbacks = 0;
        self.unknown = 0;
        self.longest_unfinished = Duration::ZERO;
    }
}

/// A class of failures with an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Index of the transaction.
    pub transaction: usize,
    /// Class.
    pub kind: ErrorKind,
    /// The database's own code, or empty.
    pub code: String,
    /// The text of the first one.
    pub example: String,
    /// How many attempts ended so, retried ones included.
    pub count: u64,
}

/// One transaction that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// Number of the session, from 0.
    pub session: u32,
    /// Index of the transaction.
    pub transaction: usize,
    /// When it was sent, by the run's clock.
    pub sent: Instant,
    /// End − sent.
    pub took: Duration,
    /// How it ended.
    pub ending: Ending,
    /// Rows that it brought back, if the workload counts them.
    pub rows: Option<u64>,
    /// First row − sent, of one that ended well and brought rows back.
    pub first_row: Option<Duration>,
    /// What the database did for it, where it tells.
    pub work: Option<QueryStats>,
}

/// One transaction that began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Number of the session, from 0.
    pub session: u32,
    /// Index of the transaction.
    pub transaction: usize,
    /// When it was sent, by the run's clock.
    pub sent: Instant,
    /// How many its session still has to do, this one included, if it knows.
    pub left: Option<u64>,
}

/// What happened to the connection of a session, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionEvent {
    /// When.
    pub at: Instant,
    /// Number of the session, from 0.
    pub session: u32,
    /// What.
    pub what: Connection,
}

/// What can happen to a connection. A session has at most three events in an outage, however long that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Connection {
    /// It was lost; `last_good` is the end of the session's last good transaction.
    Lost {
        /// End of the session's last good transaction.
        last_good: Instant,
    },
    /// It is there again, after so many failed attempts.
    Back {
        /// Failed attempts.
        refused: u64,
    },
    /// It was not there again when the load ended.
    Missing {
        /// Failed attempts.
        refused: u64,
    },
    /// The session's first good transaction since.
    FirstGood,
}

/// The records of the sessions that share one thread; owned by that thread and taken from it on a
/// timer. Ramp-up and ramp-down share their series: neither enters any figure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recorder {
    measured: Vec<Series>,
    outside: Vec<Series>,
    /// By how much our own timers were late for transactions that were scheduled, measured and outside.
    lateness: [Latencies; 2],
    /// How long arrivals waited for a free session, measured and outside.
    session_wait: [Latencies; 2],
    /// What happened to connections, and when; at most [`Recorder::CONNECTIONS_MAX`] entries.
    pub connections: Vec<ConnectionEvent>,
    /// Entries for which there was no room.
    pub connections_dropped: u64,
    /// Each transaction by itself, in the order of their ends; only of sessions that come to an end by
    /// themselves and of streams of queries, for others have too many.
    pub executions: Vec<Execution>,
    /// The begins of the same.
    pub begun: Vec<Begun>,
    /// By how much transactions of all phases have moved the workload's counters in the database.
    pub growth: [Growth; COUNTERS_MAX],
    /// The steps of a load that changes.
    pub steps: StepSeries,
    /// Failures by class, at most [`Recorder::FAULTS_MAX`]; further classes count as the last.
    pub faults: Vec<Fault>,
}

impl Recorder {
    /// Most classes of failures that are distinguished.
    pub const FAULTS_MAX: usize = 64;
    /// Most connection events that are kept: 5,000 sessions in six outages.
    pub const CONNECTIONS_MAX: usize = 100_000;

    /// An empty recorder for so many kinds of transactions.
    pub fn new(transactions: usize) -> Self {
        let empty = vec![Series::default(); transactions];
        Self {
            measured: empty.clone(),
            outside: empty,
            lateness: [Latencies::new(), Latencies::new()],
            session_wait: [Latencies::new(), Latencies::new()],
            connections: Vec::new(),
            connections_dropped: 0,
            executions: Vec::new(),
            begun: Vec::new(),
            growth: Default::default(),
            steps: StepSeries::default(),
            faults: Vec::new(),
        }
    }

    /// The series of all transactions in a phase.
    pub fn series(&self, phase: Phase) -> &[Series] {
        if phase == Phase::Measure { &self.measured } else { &self.outside }
    }

    /// The series of one transaction in a phase.
    #[inline]
    pub fn at(&mut self, phase: Phase, transaction: usize) -> &mut Series {
        match phase {
            Phase::Measure => &mut self.measured[transaction],
            Phase::RampUp | Phase::RampDown => &mut self.outside[transaction],
        }
    }

    /// By how much our own timers were late for scheduled transactions that began in a phase: start − due,
    /// without the wait for a free session.
    pub fn lateness(&self, phase: Phase) -> &Latencies {
        &self.lateness[usize::from(phase != Phase::Measure)]
    }

    /// How long the arrivals that began in a phase had waited for a free session.
    pub fn session_wait(&self, phase: Phase) -> &Latencies {
        &self.session_wait[usize::from(phase != Phase::Measure)]
    }

    /// Counts how late our own timer was for a transaction that begins in a phase.
    #[inline]
    pub fn late(&mut self, phase: Phase, late: Duration) {
        self.lateness[usize::from(phase != Phase::Measure)].record(late);
    }

    /// Counts how long an arrival that begins in a phase has waited for a free session.
    #[inline]
    pub fn waited(&mut self, phase: Phase, wait: Duration) {
        self.session_wait[usize::from(phase != Phase::Measure)].record(wait);
    }

    /// Counts a transaction that begins.
    #[inline]
    pub fn start(&mut self, phase: Phase, transaction: usize) {
        let ledger = &mut self.at(phase, transaction).ledger;
        ledger.due += 1;
        ledger.started += 1;
    }

    /// Counts a transaction that was due and is not begun.
    #[inline]
    pub fn skip(&mut self, phase: Phase, transaction: usize) {
        let ledger = &mut self.at(phase, transaction).ledger;
        ledger.due += 1;
        ledger.skipped += 1;
    }

    /// Counts the end of a transaction: in the figures of the phase in which it ended, and in the accounts
    /// of the phase in which it was due, where it is unfinished if that phase was over.
    #[inline]
    pub fn finish(
        &mut self,
        [due_in, ended_in]: [Phase; 2],
        transaction: usize,
        ending: Ending,
        latency: Duration,
        service: Duration,
    ) {
        let series = self.at(ended_in, transaction);
        match ending {
            Ending::Committed => series.ended.committed += 1,
            Ending::RolledBack => series.ended.rolled_back += 1,
            Ending::Failed(kind) => series.ended.failed[kind as usize] += 1,
        }
        if !matches!(ending, Ending::Failed(_)) {
            series.latency.record(latency);
            series.service.record(service);
        }
        let due = self.at(due_in, transaction);
        if due_in == ended_in {
            match ending {
                Ending::Committed => due.ledger.committed += 1,
                Ending::RolledBack => due.ledger.rolled_back += 1,
                Ending::Failed(kind) => due.ledger.failed[kind as usize] += 1,
            }
        } else {
            due.ledger.unfinished += 1;
            due.late_commits += u64::from(ending == Ending::Committed);
            due.late_rollbacks += u64::from(ending == Ending::RolledBack);
            due.longest_unfinished = due.longest_unfinished.max(latency);
        }
    }

    /// Notes what happened to a connection.
    pub fn connection(&mut self, event: ConnectionEvent) {
        if self.connections.len() < Self::CONNECTIONS_MAX {
            self.connections.push(event);
        } else {
            self.connections_dropped += 1;
        }
    }

    /// Notes the class and text of a failed attempt.
    pub fn fault(&mut self, transaction: usize, error: &Error) {
        let code = error.native_code().unwrap_or_default();
        let kind = error.kind();
        self.add_fault(transaction, kind, code, 1, || error.to_string());
    }

    fn add_fault(
        &mut self,
        transaction: usize,
        kind: ErrorKind,
        code: &str,
        count: u64,
        example: impl FnOnce() -> String,
    ) {
        let same = |fault: &&mut Fault| {
            fault.transaction == transaction && fault.kind == kind && fault.code == code
        };
        if let Some(known) = self.faults.iter_mut().find(same) {
            known.count += count;
        } else if self.faults.len() < Self::FAULTS_MAX {
            let (code, example) = (code.to_owned(), example());
            self.faults.push(Fault { transaction, kind, code, example, count });
        } else if let Some(last) = self.faults.last_mut() {
            last.count += count;
        }
    }

    /// Adds another recorder of the same workload.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.measured.iter_mut().zip(&other.measured) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.outside.iter_mut().zip(&other.outside) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.lateness.iter_mut().zip(&other.lateness) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.session_wait.iter_mut().zip(&other.session_wait) {
            mine.merge(theirs);
        }
        for event in &other.connections {
            self.connection(*event);
        }
        self.connections_dropped += other.connections_dropped;
        self.executions.extend_from_slice(&other.executions);
        self.begun.extend_from_slice(&other.begun);
        for (mine, theirs) in self.growth.iter_mut().zip(&other.growth) {
            mine.merge(theirs);
        }
        self.steps.merge(&other.steps);
        for fault in &other.faults {
            let example = || fault.example.clone();
            self.add_fault(fault.transaction, fault.kind, &fault.code, fault.count, example);
        }
    }

    /// Moves all times to a clock of which `there` is the moment `here` of the present one. A session's last
    /// good transaction that never was stays at the origin.
    pub fn move_times(&mut self, here: Instant, there: Instant) {
        for event in &mut self.connections {
            event.at = event.at.moved(here, there);
            if let Connection::Lost { last_good } = &mut event.what
                && *last_good != Instant::default()
            {
                *last_good = last_good.moved(here, there);
            }
        }
        self.executions.iter_mut().for_each(|one| one.sent = one.sent.moved(here, there));
        self.begun.iter_mut().for_each(|one| one.sent = one.sent.moved(here, there));
    }

    /// Forgets all records and keeps the memory.
    pub fn clear(&mut self) {
        self.measured.iter_mut().for_each(Series::clear);
        self.outside.iter_mut().for_each(Series::clear);
        self.lateness.iter_mut().for_each(Latencies::clear);
        self.session_wait.iter_mut().for_each(Latencies::clear);
        self.connections.clear();
        self.connections_dropped = 0;
        self.executions.clear();
        self.begun.clear();
        self.growth = Default::default();
        self.steps.clear();
        self.faults.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ending_has_its_account() {
        let mut recorder = Recorder::new(2);
        let span = Duration::from_millis(3);
        for ending in [Ending::Committed, Ending::RolledBack, Ending::Failed(ErrorKind::Deadlock)] {
            recorder.start(Phase::Measure, 1);
            recorder.finish([Phase::Measure; 2], 1, ending, span, span);
        }
        let late = [Phase::Measure, Phase::RampDown];
        recorder.start(Phase::Measure, 1);
        recorder.finish(late, 1, Ending::Committed, span, span);
        recorder.start(Phase::Measure, 1);
        recorder.finish(late, 1, Ending::RolledBack, span, span);
        recorder.skip(Phase::Measure, 1);
        recorder.start(Phase::RampUp, 1);
        let series = &recorder.series(Phase::Measure)[1];
        assert_eq!(series.ledger.balance(0), Ok(()));
        assert_eq!((series.ledger.due, series.ledger.started), (6, 5));
        assert_eq!((series.latency.count(), series.late_commits), (2, 1));
        assert_eq!(series.late_rollbacks, 1);
        assert_eq!(series.longest_unfinished, span);
        assert_eq!(recorder.series(Phase::RampUp)[1].ledger.started, 1);
        recorder.clear();
        assert_eq!(recorder.series(Phase::Measure)[1].ledger, Ledger::default());
    }

    #[test]
    fn figures_are_of_the_phase_of_the_end_and_accounts_of_the_phase_that_it_was_due_in() {
        let mut recorder = Recorder::new(1);
        let [long, short] = [3, 1].map(Duration::from_millis);
        let carried = [Phase::RampUp, Phase::Measure];
        for ending in [Ending::Committed, Ending::RolledBack, Ending::Failed(ErrorKind::Deadlock)] {
            recorder.start(Phase::RampUp, 0);
            recorder.finish(carried, 0, ending, long, short);
        }
        let measured = &recorder.series(Phase::Measure)[0];
        assert_eq!((measured.ended.good(), measured.ended.all()), (2, 3));
        let between = Duration::from_millis(2);
        assert!(measured.latency.max() > between && measured.service.max() < between);
        assert_eq!(measured.ledger, Ledger::default(), "none was due in it");
        let ramp_up = &recorder.series(Phase::RampUp)[0];
        assert_eq!((ramp_up.ledger.unfinished, ramp_up.ended.all()), (3, 0));
        assert_eq!(ramp_up.ledger.balance(0), Ok(()));
        assert_eq!((ramp_up.late_commits, ramp_up.latency.count()), (1, 0));
    }

    #[test]
    fn what_is_sent_to_another_host_is_the_same_there() {
        let mut recorder = Recorder::new(2);
        let span = Duration::from_micros(1_234_567);
        recorder.start(Phase::Measure, 1);
        recorder.finish([Phase::Measure; 2], 1, Ending::Committed, span, span / 3);
        recorder.fault(0, &Error::new(ErrorKind::Deadlock, "x").code("40P01"));
        recorder.steps.start(3);
        let what = Connection::Lost { last_good: Instant(60) };
        recorder.connection(ConnectionEvent { at: Instant(70), session: 4, what });
        recorder.late(Phase::RampUp, span);
        let text = serde_json::to_string(&recorder).expect("text");
        let mut there: Recorder = serde_json::from_str(&text).expect("a recorder");
        assert_eq!(
            (&there.faults, there.steps.get(3).map(|own| &own.ledger)),
            (&recorder.faults, recorder.steps.get(3).map(|own| &own.ledger))
        );
        assert_eq!(there.lateness(Phase::RampUp).max(), recorder.lateness(Phase::RampUp).max());
        let (own, other) = (&recorder.series(Phase::Measure)[1], &there.series(Phase::Measure)[1]);
        assert_eq!(
            (own.latency.max(), own.service.min()),
            (other.latency.max(), other.service.min())
        );
        there.merge(&recorder);
        assert_eq!(there.series(Phase::Measure)[1].latency.count(), 2);
        there.move_times(Instant(50), Instant(1_000));
        let first = there.connections[0];
        let what = Connection::Lost { last_good: Instant(1_010) };
        assert_eq!(first, ConnectionEvent { at: Instant(1_020), session: 4, what });
    }

    #[test]
    fn faults_are_counted_by_class_without_limit_on_the_count() {
        let mut recorder = Recorder::new(1);
        for number in 0..200 {
            recorder.fault(0, &Error::new(ErrorKind::Other, "x").code(number.to_string()));
        }
        assert_eq!(recorder.faults.len(), Recorder::FAULTS_MAX);
        assert_eq!(recorder.faults.iter().map(|fault| fault.count).sum::<u64>(), 200);
        let mut twice = recorder.clone();
        twice.merge(&recorder);
        assert_eq!(twice.faults.iter().map(|fault| fault.count).sum::<u64>(), 400);
    }
}
