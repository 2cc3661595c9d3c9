//! Sends the check queries to the database from several sessions in parallel.
//!
//! Drivers may block, so each session has its own thread and event loop. If a query fails, the failure is its result.
//!
//! Start reading at [`Asking::ask`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result};
use tacho_driver::{Catalog, Exchange, Form};
use tacho_engine::EventLoop;
use tacho_store::Listener;
use tacho_store::event::CheckState;
use tacho_workload::Question;

use crate::access::environment;
use crate::clock::clock;
use crate::cluster::Answer;
use crate::lock_watch::LockWatch;
use crate::{Context, Job, Request};

/// The interval between progress reports to the front end.
const TICK: Duration = Duration::from_millis(200);

/// State shared by all sessions.
pub(crate) struct Asking<'a> {
    pub(crate) job: &'a Job,
    pub(crate) context: &'a Context,
    pub(crate) set: u32,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) form: Form,
    pub(crate) questions: Vec<Question>,
}

/// A message from a session.
enum SessionAnswer {
    /// The number of a query, along with its results.
    Answered(usize, Vec<Answer>),
    /// The session has ended because of this error. It sent the results of all queries that it had started.
    Gone(Error),
}

impl Asking<'_> {
    /// Runs all queries in `sessions` sessions. If the server does not accept so many, uses fewer. Each part of a
    /// split query has its own result.
    pub(crate) fn ask(&self, sessions: usize, listener: &mut dyn Listener) -> Result<Vec<Answer>> {
        let (next, (say, heard)) = (AtomicUsize::new(0), channel());
        std::thread::scope(|scope| {
            for _ in 0..sessions {
                let (say, next) = (say.clone(), &next);
                scope.spawn(move || {
                    if let Err(error) = self.session(next, &say) {
                        // Ignore errors. If the receiver is gone, nobody needs the message.
                        let _ = say.send(SessionAnswer::Gone(error));
                    }
                });
            }
            drop(say);
            self.gather(&heard, listener)
        })
    }

    /// Collects the query results from all sessions until every session has ended.
    fn gather(
        &self,
        heard: &Receiver<SessionAnswer>,
        listener: &mut dyn Listener,
    ) -> Result<Vec<Answer>> {
        let clock = clock();
        let mut locks = LockWatch::new(Request { job: self.job, context: self.context }, self.set);
        let (mut answers, mut gone) = (Vec::new(), None);
        let mut left: BTreeSet<usize> = (0..self.questions.len()).collect();
        loop {
            match heard.recv_timeout(TICK) {
                Ok(SessionAnswer::Answered(number, answered)) => {
                    left.remove(&number);
                    answers.extend(answered);
                }
                Ok(SessionAnswer::Gone(error)) => gone = gone.or(Some(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let count = self.questions.len();
            let elapsed = clock.now().since(Instant(0));
            listener.checking(CheckState::of(count - left.len(), count, elapsed));
            locks.look(listener);
        }
        listener.checked();
        let reason = match gone {
            Some(error) if answers.is_empty() && !left.is_empty() => return Err(error),
            Some(error) => with_remedy(&error),
            None => "stopped by the user".into(),
        };
        let unanswered = left.iter().flat_map(|at| without(&self.questions[*at], &reason));
        answers.extend(unanswered);
        Ok(answers)
    }

    /// Runs one session's queries until none are left, the user interrupts Tacho, or the connection is lost.
    fn session(&self, next: &AtomicUsize, say: &Sender<SessionAnswer>) -> Result<()> {
        let (driver, event_loop) = (&self.job.driver, EventLoop::new()?);
        let work = async {
            let environment = environment(self.context, false, self.set);
            let mut session = driver.connect(&self.job.target, environment).await?;
            let ready = driver.dialect().for_large_queries();
            if !ready.is_empty() {
                session.script(ready).await?;
            }
            let mut exchange = Exchange::new(session, Arc::clone(&self.catalog), self.form).await?;
            while !self.context.interrupted() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(question) = self.questions.get(number) else { break };
                let (answers, lost) = match question.ask(&mut exchange, &self.catalog).await {
                    Ok(found) => (found.into_iter().map(|(at, all)| (at, Ok(all))).collect(), None),
                    Err(error) => {
                        let answers = without(question, &with_remedy(&error));
                        (answers, Some(error).filter(|error| error.kind() == ErrorKind::Connect))
                    }
                };
                let _ = say.send(SessionAnswer::Answered(number, answers));
                if let Some(error) = lost {
                    return Err(error);
                }
            }
            exchange.into_session().close().await
        };
        // A query that the user interrupted has no result.
        event_loop.block_while(work, || !self.context.interrupted()).unwrap_or(Ok(()))
    }
}

/// Returns an error and its first hint as a single line.
fn with_remedy(error: &Error) -> String {
    let remedy = error.hints().first().map(|hint| format!("; {hint}"));
    format!("{error}{}", remedy.unwrap_or_default())
}

/// Returns a result for each query that could not be run.
pub(crate) fn without(question: &Question, reason: &str) -> Vec<Answer> {
    question.conditions().map(|at| (at, Err(reason.to_owned()))).collect()
}
