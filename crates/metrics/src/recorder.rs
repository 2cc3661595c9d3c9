//! The data that the sessions on one thread have recorded since it was last collected.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Instant, QueryStats};

use crate::{
    COUNTERS_MAX, Ending, Growth, Latencies, Ledger, Outcomes, StatementSeries, StepSeries,
    TransactionLog,
};

/// A phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// The time before the measured phase. It is excluded from all results.
    RampUp,
    /// The measurement.
    Measure,
    /// The time after the measured phase. It is excluded from all results.
    RampDown,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 3] = [Self::RampUp, Self::Measure, Self::RampDown];

    /// Returns the name of the phase as it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RampUp => "ramp-up",
            Self::Measure => "measure",
            Self::RampDown => "ramp-down",
        }
    }

    /// Returns the phase with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

/// Data on one transaction type in one phase. The results cover the transactions that ended in the phase, and the
/// ledger covers the transactions that were due to start in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// Latencies (end − due) of the successful transactions that ended in the phase. Intended rollbacks count as
    /// successful.
    pub latency: Latencies,
    /// Service times (end − sent) of the same transactions as in `latency`.
    pub service: Latencies,
    /// Outcomes of the transactions that ended in the phase.
    pub ended: Outcomes,
    /// Ledger of the transactions that were due in the phase.
    pub ledger: Ledger,
    /// Commits that happened after the end of the phase. In the ledger, these transactions are unfinished.
    pub late_commits: u64,
    /// Transactions that returned a wrong result and therefore count as failed, although their commit had already been
    /// confirmed.
    pub wrong_commits: u64,
    /// Acknowledged commits of transactions that stored a commit mark in the database. If the database contains fewer
    /// marks, commits were lost.
    pub marked: u64,
    /// Committed transactions that only read and therefore stored no commit mark. They are counted only if the run uses
    /// commit marks.
    #[serde(default)]
    pub unmarked: u64,
    /// Intended rollbacks that happened after the end of the phase.
    pub late_rollbacks: u64,
    /// Failed transactions that may or may not have committed.
    pub unknown: u64,
    /// Duration of the unfinished transaction that took the longest.
    pub longest_unfinished: Duration,
    /// Transactions counted in `latency` whose latency exceeded the run's limit.
    #[serde(default)]
    pub over_limit: u64,
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
        self.over_limit += other.over_limit;
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
        self.over_limit = 0;
    }
}

/// A class of failures, with an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Index of the transaction.
    pub transaction: usize,
    /// Class of the error.
    pub kind: ErrorKind,
    /// The database's error code, or an empty string if there is none.
    pub code: String,
    /// Message of the first failure in this class, as an example.
    pub example: String,
    /// Number of failed attempts in this class, including retried ones.
    pub count: u64,
}

/// The record of a completed transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// Session number, starting at 0.
    pub session: u32,
    /// Index of the transaction.
    pub transaction: usize,
    /// Time on the run's clock at which the transaction was sent.
    pub sent: Instant,
    /// Service time (end − sent).
    pub took: Duration,
    /// Outcome of the transaction.
    pub ending: Ending,
    /// Number of rows returned by the transaction, if the workload counts them.
    pub rows: Option<u64>,
    /// Time to the first row (first row − sent), for a successful transaction that returned rows.
    pub first_row: Option<Duration>,
    /// The database's statistics for the transaction, if the database reports them.
    pub work: Option<QueryStats>,
}

/// The record of a transaction that has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Session number, starting at 0.
    pub session: u32,
    /// Index of the transaction.
    pub transaction: usize,
    /// Time on the run's clock at which the transaction was sent.
    pub sent: Instant,
    /// Number of transactions that the session still has to run, including this one; `None` if unknown.
    pub left: Option<u64>,
}

/// A change in the state of a session's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionEvent {
    /// Time of the change.
    pub at: Instant,
    /// Session number, starting at 0.
    pub session: u32,
    /// The change.
    pub what: Connection,
}

/// The possible changes in the state of a connection. A session records at most three per outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Connection {
    /// The connection was lost.
    Lost {
        /// Time at which the last successful transaction of the session ended.
        last_good: Instant,
    },
    /// The connection was restored.
    Back {
        /// Number of attempts to reconnect that failed before this one.
        refused: u64,
    },
    /// The connection was lost and not restored before the end of the load.
    Missing {
        /// Number of failed attempts.
        refused: u64,
    },
    /// The session's first successful transaction on a restored connection.
    FirstGood,
}

/// Data recorded by the sessions on one thread. Ramp-up and ramp-down are stored together, because results do not
/// include them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recorder {
    measured: Vec<Series>,
    outside: Vec<Series>,
    /// Delays between the scheduled start of a transaction and the moment when Tacho's timer fired. The first histogram
    /// covers the measured phase, and the second one covers all other phases.
    lateness: [Latencies; 2],
    /// Times for which scheduled transactions waited until a session was free. The first histogram covers the measured
    /// phase, and the second one covers all other phases.
    session_wait: [Latencies; 2],
    /// State changes of connections, at most [`Recorder::CONNECTIONS_MAX`].
    pub connections: Vec<ConnectionEvent>,
    /// Number of further changes that were not recorded because the list was full.
    pub connections_dropped: u64,
    /// Individual transactions in the order in which they ended. They are recorded only for query streams and for
    /// sessions that perform a fixed amount of work.
    pub executions: Vec<Execution>,
    /// Start of each transaction that is recorded individually.
    pub begun: Vec<Begun>,
    /// Changes that transactions in all phases made to the workload's counters in the database.
    pub growth: [Growth; COUNTERS_MAX],
    /// The steps of a varying load.
    pub steps: StepSeries,
    /// The statements of the measured phase. Recorded only if requested.
    #[serde(default, skip_serializing_if = "StatementSeries::is_empty")]
    pub statements: StatementSeries,
    /// Times in which connections were opened for transactions of the measured phase. Recorded only if each transaction
    /// has its own connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connecting: Option<Box<Latencies>>,
    /// The log of transactions. Merging leaves it out, because only a file keeps it.
    #[serde(skip)]
    pub log: TransactionLog,
    /// Failures by class. If there are more than [`Recorder::FAULTS_MAX`] classes, all further classes are counted in
    /// the last entry.
    pub faults: Vec<Fault>,
}

impl Recorder {
    /// Maximum number of failure classes that are counted separately.
    pub const FAULTS_MAX: usize = 64;
    /// Maximum number of connection changes. It is sufficient for six outages of 5,000 sessions.
    pub const CONNECTIONS_MAX: usize = 100_000;

    /// Creates an empty recorder for the given number of transaction kinds.
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
            statements: StatementSeries::default(),
            connecting: None,
            log: TransactionLog::default(),
            faults: Vec::new(),
        }
    }

    /// Returns the series for all kinds of transactions in a phase.
    pub fn series(&self, phase: Phase) -> &[Series] {
        if phase == Phase::Measure { &self.measured } else { &self.outside }
    }

    /// Returns the series for one kind of transaction in a phase.
    #[inline]
    pub fn at(&mut self, phase: Phase, transaction: usize) -> &mut Series {
        match phase {
            Phase::Measure => &mut self.measured[transaction],
            Phase::RampUp | Phase::RampDown => &mut self.outside[transaction],
        }
    }

    /// Returns how late Tacho's timers started transactions in a phase (start − due). Time spent waiting for a free
    /// session does not count.
    pub fn lateness(&self, phase: Phase) -> &Latencies {
        &self.lateness[usize::from(phase != Phase::Measure)]
    }

    /// Returns how long scheduled transactions waited for a free session. Only transactions that started in this phase
    /// are included.
    pub fn session_wait(&self, phase: Phase) -> &Latencies {
        &self.session_wait[usize::from(phase != Phase::Measure)]
    }

    /// Records how late Tacho's timer was for a transaction that starts in this phase.
    #[inline]
    pub fn late(&mut self, phase: Phase, late: Duration) {
        self.lateness[usize::from(phase != Phase::Measure)].record(late);
    }

    /// Records how long a scheduled transaction waited for a free session before it started in this phase.
    #[inline]
    pub fn waited(&mut self, phase: Phase, wait: Duration) {
        self.session_wait[usize::from(phase != Phase::Measure)].record(wait);
    }

    /// Records that a transaction has started.
    #[inline]
    pub fn start(&mut self, phase: Phase, transaction: usize) {
        let ledger = &mut self.at(phase, transaction).ledger;
        ledger.due += 1;
        ledger.started += 1;
    }

    /// Records that a transaction was due but will not be started.
    #[inline]
    pub fn skip(&mut self, phase: Phase, transaction: usize) {
        let ledger = &mut self.at(phase, transaction).ledger;
        ledger.due += 1;
        ledger.skipped += 1;
    }

    /// Records the end of a transaction. The result is counted in the phase in which the transaction ended. The ledger
    /// counts the transaction in the phase in which it was due to start.
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

    /// Records a change in the state of a connection.
    pub fn connection(&mut self, event: ConnectionEvent) {
        if self.connections.len() < Self::CONNECTIONS_MAX {
            self.connections.push(event);
        } else {
            self.connections_dropped += 1;
        }
    }

    /// Records the class and message of a failed attempt.
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

    /// Adds the data from another recorder for the same workload.
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
        self.statements.merge(&other.statements);
        if let Some(theirs) = &other.connecting {
            self.connecting.get_or_insert_default().merge(theirs);
        }
        for fault in &other.faults {
            let example = || fault.example.clone();
            self.add_fault(fault.transaction, fault.kind, &fault.code, fault.count, example);
        }
    }

    /// Converts all times to those of another clock. `here` is the time on this clock, and `there` is the time on the
    /// other clock at the same moment.
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

    /// Removes all recorded data without freeing memory.
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
        self.statements.clear();
        if let Some(connecting) = &mut self.connecting {
            connecting.clear();
        }
        self.log.clear();
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
    fn serialization_keeps_all_records() {
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
            (&there.faults, there.steps.get(3).map(|records| &records.ledger)),
            (&recorder.faults, recorder.steps.get(3).map(|records| &records.ledger))
        );
        assert_eq!(there.lateness(Phase::RampUp).max(), recorder.lateness(Phase::RampUp).max());
        let (original, other) =
            (&recorder.series(Phase::Measure)[1], &there.series(Phase::Measure)[1]);
        assert_eq!(
            (original.latency.max(), original.service.min()),
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
