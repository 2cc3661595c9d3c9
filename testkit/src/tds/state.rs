//! The state of a session: its settings, its prepared statements, and its transaction.
//!
//! This module must not depend on how protocol messages are encoded. Start reading at [`Session`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::tokens::{DONE, Reply, Trouble};
use super::types::Ty;
use super::{Peer, Shared, babelfish, store};

const BEGIN: u8 = 8;
const COMMIT: u8 = 9;
const ROLLBACK: u8 = 10;

/// Settings of a session. Resetting the connection restores their defaults.
pub struct Settings {
    pub nocount: bool,
    pub xact_abort: bool,
    /// Time limit for locks in milliseconds. A negative number means no limit.
    pub lock_timeout: i64,
    pub isolation: Isolation,
    /// True if the server returns the plans of statements instead of running them.
    pub explains: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    Committed,
    Snapshot,
    Serializable,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            nocount: false,
            xact_abort: false,
            lock_timeout: -1,
            isolation: Isolation::Committed,
            explains: false,
        }
    }
}

/// A session.
pub struct Session {
    pub shared: Arc<Shared>,
    pub peer: Arc<Peer>,
    pub db: Connection,
    pub settings: Settings,
    /// Number of open transactions. They are nested and share one descriptor.
    pub depth: u32,
    pub descriptor: u64,
    /// The prepared statements. Each has the names of its parameters and its text.
    pub prepared: HashMap<i32, (Vec<String>, String)>,
    pub handles: i32,
    /// The table announced by an `INSERT BULK`.
    pub bulk: Option<String>,
    /// The value of `@@ROWCOUNT`, the identity value that was generated last, and the value of `@@ERROR`.
    pub last: [i64; 3],
    pub packet_bytes: usize,
    pub tables: RefCell<Tables>,
}

/// Information about the tables. It becomes invalid when a table changes.
#[derive(Default)]
pub struct Tables {
    /// The versions of the schema for which this information is valid: that of the database, and that of temporary
    /// tables.
    version: Option<[i64; 2]>,
    /// The type of each column, keyed by name.
    pub columns: Option<HashMap<String, Ty>>,
}

impl Session {
    pub fn report(&self, reply: &mut Reply, trouble: &Trouble) {
        reply.error(trouble);
        reply.done(DONE, 0, None, true, self.depth > 0);
    }

    pub fn begin(&mut self, reply: &mut Reply) {
        self.depth += 1;
        if self.depth == 1 {
            self.descriptor = self.shared.transactions.fetch_add(1, Ordering::Relaxed) + 1;
            reply.changed_bytes(BEGIN, &self.descriptor.to_le_bytes(), &[]);
            self.peer.open.store(true, Ordering::Relaxed);
        }
    }

    pub fn commit(&mut self, reply: &mut Reply) -> Result<(), Trouble> {
        match self.depth {
            0 => return Err(no_transaction("COMMIT")),
            1 => {
                self.end(true)?;
                self.left(reply, COMMIT);
            }
            _ => self.depth -= 1,
        }
        Ok(())
    }

    pub fn rollback(&mut self, reply: &mut Reply) {
        let _ = self.end(false);
        if self.depth > 0 {
            self.left(reply, ROLLBACK);
        }
    }

    fn left(&mut self, reply: &mut Reply, change: u8) {
        let counter = if change == COMMIT { &self.shared.commits } else { &self.shared.rollbacks };
        counter.fetch_add(1, Ordering::Relaxed);
        reply.changed_bytes(change, &[], &self.descriptor.to_le_bytes());
        (self.depth, self.descriptor) = (0, 0);
        self.peer.open.store(false, Ordering::Relaxed);
    }

    /// Ends the SQLite transaction, if a statement has started one.
    pub fn end(&self, keep: bool) -> Result<(), Trouble> {
        if self.db.is_autocommit() {
            return Ok(());
        }
        if !keep {
            *self.tables.borrow_mut() = Tables::default();
        }
        let word = if keep { "COMMIT" } else { "ROLLBACK" };
        self.db.execute_batch(word).map_err(|error| store::trouble(&error))
    }

    pub fn savepoint(&self, words: &str, name: &str) -> Result<(), Trouble> {
        self.lock()?;
        let name = name.replace('"', "");
        let done = self.db.execute_batch(&format!("{words} \"{name}\""));
        done.map_err(|error| store::trouble(&error))
    }

    /// If a table has changed, discards cached statements and types.
    pub fn refresh(&self) -> Result<(), Trouble> {
        let read = |place: &str| {
            self.patiently(|db| {
                db.pragma_query_value(Some(place), "schema_version", |row| row.get::<_, i64>(0))
            })
        };
        let version = Some([read("main")?, read("temp")?]);
        let mut tables = self.tables.borrow_mut();
        if tables.version != version {
            self.db.flush_prepared_statement_cache();
            *tables = Tables { version, columns: None };
        }
        Ok(())
    }

    /// Returns true if the client has cancelled the request.
    pub fn cancelled(&self) -> bool {
        self.peer.cancelled.load(Ordering::SeqCst)
    }

    /// Waits until no other session is writing.
    pub fn lock(&self) -> Result<(), Trouble> {
        if !self.db.is_autocommit() {
            return Ok(());
        }
        self.patiently(|db| db.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Repeats `work` while the database is busy, until the time limit is reached or the client cancels the request.
    #[expect(clippy::disallowed_methods, reason = "a lock is waited for in real time")]
    pub fn patiently<T>(
        &self,
        mut work: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Trouble> {
        const STEP_MS: i64 = 2;
        let mut waited = 0;
        loop {
            match work(&self.db) {
                Err(error) if store::is_busy(&error) => {
                    let over =
                        self.settings.lock_timeout >= 0 && waited >= self.settings.lock_timeout;
                    if over || self.cancelled() {
                        return Err(store::trouble(&error));
                    }
                }
                done => return done.map_err(|error| store::trouble(&error)),
            }
            std::thread::sleep(std::time::Duration::from_millis(STEP_MS as u64));
            waited += STEP_MS;
        }
    }

    /// Returns the value of a variable that starts with `@@`, or of a function that has no arguments.
    pub fn own_variable(&self, name: &str) -> Option<Value> {
        Some(Value::Integer(match name {
            "@__rowcount" => self.last[0],
            "@__identity" => self.last[1],
            "@__error" => self.last[2],
            "@__trancount" => self.depth.into(),
            "@__spid" => self.peer.id.into(),
            "@__lock_timeout" => self.settings.lock_timeout,
            "@__version" if self.shared.options.babelfish => {
                return Some(Value::Text(babelfish::VERSION.into()));
            }
            "@__version" => {
                return Some(Value::Text(
                    "Microsoft SQL Server 2022 (scripted) - 16.0.1000.0".into(),
                ));
            }
            "@__servername" => return Some(Value::Text("tacho-tds".into())),
            _ => return None,
        }))
    }
}

pub fn no_transaction(word: &str) -> Trouble {
    let number = if word == "COMMIT" { 3902 } else { 3903 };
    let text = format!("The {word} TRANSACTION request has no corresponding BEGIN TRANSACTION.");
    Trouble::new(number, 16, text)
}
