//! A virtual user, which replays sessions from the log one after another.
//!
//! A virtual user must hold the text of only one statement at a time. Start reading at [`Replaying::run`].

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, Retry, Seed};
use tacho_driver::{Exchange, StatementId};
use tacho_workload::{Client, Difference, Outcome, Run, Tally, Ticket, boxed};

use super::lines::read_at;
use super::reader::reopen;
use super::scan::{Border, Entry, Log};
use super::textlog::ANY_ERROR;

/// Maximum number of examples in total.
const EXAMPLES_MAX: usize = 20;
/// Maximum number of examples for each kind of statement.
const EXAMPLES_OF_KIND: usize = 3;
/// Maximum length of a statement in an example, in characters.
const EXAMPLE_TEXT: usize = 200;

/// Number of statements of one kind that failed in the log, in the replay, or in both.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcomes {
    pub fails_again: u64,
    pub fails_otherwise: u64,
    pub fails_now: u64,
    pub succeeds_now: u64,
}

/// Differences from the log. They are updated only when an outcome differs.
#[derive(Debug, Default)]
pub struct Findings {
    pub kinds: Vec<Outcomes>,
    pub examples: Vec<Difference>,
    pub lost: u64,
    pub unclosed: u64,
}

/// Results of one kind of statement. They are updated after each statement.
#[derive(Debug, Default)]
pub struct Counts {
    pub rows: AtomicU64,
    pub counted: AtomicU64,
    pub outcomes: AtomicU64,
}

impl Counts {
    fn add(&self, line: u32, outcome: std::result::Result<Option<u64>, &str>) {
        if let Ok(Some(rows)) = outcome {
            self.rows.fetch_add(rows, Ordering::Relaxed);
            self.counted.fetch_add(1, Ordering::Relaxed);
        }
        let seed = match outcome {
            Ok(rows) => rows.map_or(0, |rows| rows + 1),
            Err(code) => Seed(u64::MAX).child(code).0,
        };
        self.outcomes.fetch_add(Seed(seed).nth(line.into()).0, Ordering::Relaxed);
    }
}

/// Results to which all sessions write.
#[derive(Debug)]
pub struct Board {
    pub findings: Mutex<Findings>,
    /// Counts by kind of statement.
    pub counts: Vec<Counts>,
}

pub type Shared = Arc<Board>;

/// A virtual user.
pub struct Replaying {
    log: Arc<Log>,
    board: Shared,
    /// Indexes of the user's sessions in reverse order, so that the next session is at the end.
    sessions: Vec<u32>,
    /// Current session in the log, and its next statement.
    session: Option<u32>,
    next: usize,
    speed: f64,
    file: Option<File>,
    record: Vec<u8>,
    text: Vec<u8>,
    /// Next item to run: either a statement or the end of the session.
    drawn: Option<Entry>,
    unread: Option<Error>,
    /// True if the session is in a transaction.
    open: bool,
    /// True if the connection was lost during a transaction, so that the rest of the transaction cannot be replayed.
    lost: bool,
    renews: bool,
}

impl Replaying {
    pub fn new(log: Arc<Log>, board: Shared, mut sessions: Vec<u32>, speed: f64) -> Self {
        sessions.reverse();
        Self {
            log,
            board,
            session: sessions.pop(),
            sessions,
            next: 0,
            speed,
            file: None,
            record: Vec::new(),
            text: Vec::new(),
            drawn: None,
            unread: None,
            open: false,
            lost: false,
            renews: false,
        }
    }

    fn note(&self, write: impl FnOnce(&mut Findings)) {
        write(&mut self.board.findings.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Reads the text of a statement.
    fn read(&mut self, entry: Entry) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(reopen(Path::new(&self.log.path))?),
        };
        read_at(file, entry.offset, entry.length as usize, &mut self.record)?;
        self.log.format.statement(&self.record, &mut self.text).map_err(|why| {
            Error::usage(format!("line {} of the log has changed: {}", entry.line, why.words()))
                .hint("replay a copy of the log")
        })
    }

    /// Returns the next statement to send, or `None` at the end of the session.
    fn draw(&mut self, session: u32) -> Option<Entry> {
        loop {
            let entries = &self.log.sessions[session as usize].entries;
            let entry = entries.get(self.next).copied()?;
            self.next += 1;
            if !self.lost {
                return Some(entry);
            }
            // The transaction was lost with its connection, so skip the statement, which would
            // otherwise run outside a transaction.
            self.note(|found| found.lost += 1);
            self.lost = entry.border != Border::Closes;
        }
    }

    /// Returns the transaction type for a log entry, which depends on the kind of statement. Without an entry, returns
    /// type 0, which ends the session.
    fn transaction(entry: Option<Entry>) -> usize {
        entry.map_or(0, |entry| entry.group as usize + 1)
    }

    async fn end(&mut self, exchange: &mut Exchange) -> Result<Outcome> {
        self.renews = !self.sessions.is_empty();
        if !std::mem::take(&mut self.open) {
            return Ok(Outcome::Committed);
        }
        self.note(|found| found.unclosed += 1);
        exchange.rollback();
        exchange.send().await?;
        Ok(Outcome::RolledBack)
    }

    async fn send(&mut self, entry: Entry, exchange: &mut Exchange) -> Result<Outcome> {
        if let Some(error) = self.unread.take() {
            return Err(error.retry(Retry::Never));
        }
        exchange.execute(StatementId(0)).text(&self.text);
        let sent = exchange.send().await.map(|reply| reply.counted(0));
        if sent.is_ok() || entry.border == Border::Closes {
            match entry.border {
                Border::Opens => self.open = true,
                Border::Closes => self.open = false,
                Border::None => {}
            }
        }
        let outcome = sent.as_ref().map(|rows| *rows);
        let outcome = outcome.map_err(|error| error.native_code().unwrap_or_default());
        self.board.counts[entry.group as usize].add(entry.line, outcome);
        let then = entry.failed.checked_sub(1).map(|at| self.log.states[usize::from(at)].as_str());
        let Err(error) = sent else {
            if let Some(then) = then {
                self.differs(entry, then, "", |kind| kind.succeeds_now += 1);
            }
            return Ok(Outcome::Committed);
        };
        if error.kind() == ErrorKind::Cancelled {
            return Err(error);
        }
        if error.retry_class() == Retry::NewConnection {
            self.lost = std::mem::take(&mut self.open);
        } else {
            // Whether the transaction ends depends on the next entries in the log.
            exchange.leave_to_caller();
        }
        let now = error.native_code().unwrap_or_default();
        if then.is_some_and(|then| then == now || then == ANY_ERROR) {
            self.note(|found| found.kinds[entry.group as usize].fails_again += 1);
            if error.retry_class() != Retry::NewConnection {
                return Ok(Outcome::RolledBack);
            }
        } else {
            let both = (then.unwrap_or_default(), error.to_string());
            self.differs(entry, both.0, &both.1, |kind| match then {
                Some(_) => kind.fails_otherwise += 1,
                None => kind.fails_now += 1,
            });
        }
        Err(if error.retry_class() == Retry::SameConnection {
            error.retry(Retry::Never)
        } else {
            error
        })
    }

    #[cold]
    fn differs(&self, entry: Entry, then: &str, now: &str, count: impl FnOnce(&mut Outcomes)) {
        if !self.log.has_errors {
            // The log does not show whether the original statement failed.
            return;
        }
        let transaction = Self::transaction(Some(entry));
        self.note(|found| {
            count(&mut found.kinds[entry.group as usize]);
            let known =
                found.examples.iter().filter(|example| example.transaction == transaction).count();
            if found.examples.len() < EXAMPLES_MAX && known < EXAMPLES_OF_KIND {
                let text = String::from_utf8_lossy(&self.text);
                found.examples.push(Difference {
                    transaction,
                    line: entry.line.into(),
                    statement: text.chars().take(EXAMPLE_TEXT).collect(),
                    then: then.to_owned(),
                    now: now.to_owned(),
                });
            }
        });
    }
}

impl Client for Replaying {
    fn ended(&self) -> bool {
        self.session.is_none()
    }

    fn left(&self) -> Option<u64> {
        let session = self.session?;
        Some((self.log.sessions[session as usize].entries.len() - self.next) as u64)
    }

    fn next(&mut self) -> Ticket {
        self.drawn = self.session.and_then(|session| self.draw(session));
        self.unread = self.drawn.and_then(|entry| self.read(entry).err());
        let at = match (self.drawn, self.session) {
            (Some(entry), _) => entry.at,
            (None, Some(session)) => self.log.sessions[session as usize].last,
            (None, None) => 0,
        };
        Ticket {
            transaction: Self::transaction(self.drawn),
            keying: Duration::from_micros(at.max(0) as u64).div_f64(self.speed),
            think: Duration::ZERO,
        }
    }

    fn redraw(&mut self) {}

    fn renews_connection(&mut self) -> bool {
        std::mem::take(&mut self.renews)
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        boxed(async {
            if let Some(entry) = self.drawn {
                return self.send(entry, exchange).await;
            }
            let ended = self.end(exchange).await;
            (self.session, self.next, self.lost) = (self.sessions.pop(), 0, false);
            ended
        })
    }

    fn audit(&self, _: &mut Tally) {}
}
