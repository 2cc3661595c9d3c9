//! Runs a session's transaction, retries it if necessary, and verifies its results. It also records how the transaction
//! changes the counters by which commits are verified.
//!
//! Start reading at [`User::attempts`].

use std::pin::pin;

use tacho_core::{AttemptOutcome, Instant, Result, Retry};
use tacho_driver::Attempt;
use tacho_metrics::{COUNTERS_MAX, Phase};
use tacho_workload::Outcome;

use crate::RetryInput;
use crate::user::User;

/// Maximum number of times that the wait between attempts is doubled.
const DOUBLINGS_MAX: u32 = 20;

/// The certainty of a commit.
#[derive(Clone, Copy, Debug)]
enum Commit {
    /// The database has confirmed the commit.
    Confirmed,
    /// The outcome of the commit is unknown, for example because the connection was lost.
    InDoubt,
}

impl User {
    /// Runs the transaction that was selected last. If it fails, it is retried as often as the retry policy allows, but
    /// not once its attempts have taken longer than the latency limit in total. The first attempt begins at `sent`.
    pub(crate) async fn attempts(
        &mut self,
        phase: Phase,
        transaction: usize,
        sent: Instant,
    ) -> Result<Outcome> {
        let retry = self.rules.retry;
        let mut attempt = 1;
        loop {
            let begun = self.rules.history.is_some().then(|| self.clock.now());
            // Pin the future in place, because awaiting it by value would copy its 3 KiB twice.
            let result = pin!(self.client.run(self.connections.current_mut())).await;
            if let Some(begun) = begun {
                self.log_attempt(begun, &result);
            }
            let error = match result {
                Ok(outcome) => return Ok(outcome),
                Err(error) => error,
            };
            let exchange = self.connections.current();
            let (in_doubt, committed) = (exchange.commit_in_doubt(), exchange.has_committed());
            self.lane.record(|recorder| recorder.fault(transaction, &error));
            let error = self.connections.clean_up(error).await;
            if committed {
                // Do not retry the transaction. Its wrong result has already been committed, so the work would be done
                // twice.
                self.note_growth(Commit::Confirmed);
                self.lane.record(|recorder| recorder.at(phase, transaction).wrong_commits += 1);
                return Err(error);
            }
            let again = retry.input != RetryInput::None
                && attempt < retry.attempts
                && error.retry_class() == Retry::SameConnection
                && self.clock.now().since(sent) <= self.rules.latency_limit;
            if !again {
                if in_doubt && error.retry_class() == Retry::NewConnection {
                    self.note_growth(Commit::InDoubt);
                    self.lane.record(|recorder| recorder.at(phase, transaction).unknown += 1);
                } else if self.client.commits_in_parts() {
                    self.note_growth(Commit::InDoubt);
                }
                return Err(error);
            }
            if retry.input == RetryInput::New {
                self.client.redraw();
            }
            let wait = retry.backoff.saturating_mul(1 << (attempt - 1).min(DOUBLINGS_MAX));
            let until = self.clock.now().plus(wait);
            self.timer.until(until).await;
            self.lane.record(|recorder| recorder.at(phase, transaction).ledger.retried += 1);
            attempt += 1;
            if let Some(log) = &mut self.log {
                log.retries += 1;
            }
        }
    }

    /// Logs an attempt with its operations.
    fn log_attempt(&self, begun: Instant, result: &Result<Outcome>) {
        let (Some(log), Some(operations)) = (&self.rules.history, self.client.operations()) else {
            return;
        };
        let exchange = self.connections.current();
        let outcome = match result {
            Ok(Outcome::Committed) => AttemptOutcome::Committed,
            // A commit was confirmed, but the transaction's results were not processed, so the recorded operations are
            // incomplete.
            Err(_) if exchange.has_committed() => AttemptOutcome::Unknown,
            Err(error)
                if exchange.commit_in_doubt() && error.retry_class() == Retry::NewConnection =>
            {
                AttemptOutcome::Unknown
            }
            Ok(Outcome::RolledBack) | Err(_) => AttemptOutcome::Failed,
        };
        let (session, ended) = (self.connections.session(), self.clock.now());
        log.record(Attempt { session, outcome, begun, ended }, operations);
    }

    /// Verifies a transaction's results and returns its outcome.
    #[inline]
    pub(crate) fn verified(
        &self,
        phase: Phase,
        transaction: usize,
        result: Result<Outcome>,
    ) -> Result<Outcome> {
        let outcome = result?;
        if outcome == Outcome::Committed {
            self.note_growth(Commit::Confirmed);
        }
        self.client.verify(self.connections.current()).map(|()| outcome).inspect_err(|error| {
            self.lane.record(|recorder| {
                recorder.fault(transaction, error);
                let committed = outcome == Outcome::Committed;
                recorder.at(phase, transaction).wrong_commits += u64::from(committed);
            });
        })
    }

    /// Records by how much the last transaction changed the database's counters, if this is known.
    #[inline]
    fn note_growth(&self, commit: Commit) {
        if self.rules.counters == 0 {
            return;
        }
        let mut moved = [0; COUNTERS_MAX];
        self.client.growth(&mut moved[..self.rules.counters]);
        self.lane.record(|recorder| {
            for (growth, by) in recorder.growth.iter_mut().zip(moved).take(self.rules.counters) {
                match commit {
                    Commit::Confirmed => growth.commit(by),
                    Commit::InDoubt => growth.doubt(by),
                }
            }
        });
    }
}
