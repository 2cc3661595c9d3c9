//! A session: its messages in their order, and its transaction.
//!
//! Start reading at [`serve`].

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::bulk::Bulk;
use super::link::{
    ATTENTION, BATCH, BULK, Inbox, Link, Message, RESET, RESET_KEEP, RPC, TRANSACTION,
};
use super::login::{self, Login};
use super::run::{Run, Stop};
use super::tokens::{DONE, Reply, Trouble};
use super::types::{Reader, utf16};
use super::{Peer, Shared, parse, remote, store};

const BEGIN: u8 = 8;
const COMMIT: u8 = 9;
const ROLLBACK: u8 = 10;
const RESET_DONE: u8 = 18;

/// What a session sets, and a reset sets back.
pub struct Settings {
    pub nocount: bool,
    pub xact_abort: bool,
    /// Milliseconds; less than 0 is for ever.
    pub lock_timeout: i64,
    pub isolation: Isolation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    Committed,
    Snapshot,
    Serializable,
}

impl Default for Settings {
    fn default() -> Self {
        Self { nocount: false, xact_abort: false, lock_timeout: -1, isolation: Isolation::Committed }
    }
}

/// A session.
pub struct Session {
    pub shared: Arc<Shared>,
    pub peer: Arc<Peer>,
    pub db: Connection,
    pub settings: Settings,
    /// Open transactions inside each other, and the descriptor of all.
    pub depth: u32,
    pub descriptor: u64,
    /// Prepared: names of parameters and text.
    pub prepared: HashMap<i32, (Vec<String>, String)>,
    pub handles: i32,
    pub bulk: Option<Bulk>,
    /// `@@ROWCOUNT`, the last number of a row, `@@ERROR`.
    pub last: [i64; 3],
    packet_bytes: usize,
}

/// One connection, from its first byte to its last.
pub fn serve(socket: TcpStream, shared: &Arc<Shared>) {
    let _ = socket.set_nodelay(true);
    let link = Arc::new(Link::new(socket, shared.faults.clone()));
    let mut inbox = Inbox::default();
    if let Ok(login) = login::welcome(&link, &mut inbox, shared) {
        let peer = Arc::new(Peer {
            id: shared.numbers.fetch_add(1, Ordering::Relaxed) + 1,
            host: login.host.clone(),
            program: login.application.clone(),
            login: login.user.clone(),
            link: link.clone(),
            reads: AtomicU64::new(0),
            open: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
        });
        super::lock(&shared.peers).push(peer.clone());
        talk(&login, inbox, &peer, shared);
        super::lock(&shared.peers).retain(|other| other.id != peer.id);
    }
    link.close();
}

fn talk(login: &Login, mut inbox: Inbox, peer: &Arc<Peer>, shared: &Arc<Shared>) {
    let db = store::open(shared, peer, login).expect("the file of SQLite");
    let interrupt = db.get_interrupt_handle();
    let (send, receive) = channel();
    let session = Session {
        shared: shared.clone(),
        peer: peer.clone(),
        db,
        settings: Settings::default(),
        depth: 0,
        descriptor: 0,
        prepared: HashMap::new(),
        handles: 0,
        bulk: None,
        last: [0; 3],
        packet_bytes: login.packet_bytes,
    };
    let worker = std::thread::spawn(move || session.work(&receive));
    while let Ok(message) = inbox.message(&peer.link) {
        if message.kind == ATTENTION {
            peer.cancelled.store(true, Ordering::SeqCst);
            interrupt.interrupt();
        }
        if send.send(message).is_err() {
            break;
        }
    }
    // The client has gone: what still runs has no one to answer.
    peer.cancelled.store(true, Ordering::SeqCst);
    interrupt.interrupt();
    drop(send);
    let _ = worker.join();
}

impl Session {
    fn work(mut self, messages: &Receiver<Message>) {
        for message in messages {
            let mut reply = Reply::default();
            if message.kind == ATTENTION {
                self.peer.cancelled.store(false, Ordering::SeqCst);
                reply.cancelled();
            } else {
                if message.status & (RESET | RESET_KEEP) != 0 {
                    self.reset(&mut reply, message.status & RESET_KEEP != 0);
                }
                match self.request(&message, &mut reply) {
                    // The acknowledgement of the attention is the whole answer.
                    Err(Stop::Cancelled) => continue,
                    Err(Stop::Ended | Stop::Caught(_)) | Ok(()) => reply.finish(),
                }
            }
            if self.peer.link.send(&reply.bytes, self.packet_bytes).is_err() {
                break;
            }
        }
        self.peer.link.close();
        let _ = self.end(false);
    }

    fn reset(&mut self, reply: &mut Reply, keep: bool) {
        if !keep && self.depth > 0 {
            self.rollback(reply);
        }
        self.settings = Settings::default();
        let temporary = "SELECT group_concat('DROP TABLE temp.\"' || name || '\"', ';') FROM temp.sqlite_master";
        let script: Result<Option<String>, _> = self.db.query_row(temporary, [], |row| row.get(0));
        let _ = self.db.execute_batch(&script.ok().flatten().unwrap_or_default());
        reply.changed_bytes(RESET_DONE, &[], &[]);
    }

    fn request(&mut self, message: &Message, reply: &mut Reply) -> Result<(), Stop> {
        let mut body = Reader(&message.body);
        if message.kind == BULK {
            return self.rows(&message.body, reply);
        }
        self.shared.batches.fetch_add(1, Ordering::Relaxed);
        let wrong = match self.headers(&mut body) {
            Some(Ok(())) => None,
            Some(Err(trouble)) => Some(trouble),
            None => Some(Trouble::new(4002, 16, "The incoming TDS protocol stream is incorrect.")),
        };
        if let Some(trouble) = wrong {
            return self.report(reply, &trouble);
        }
        match message.kind {
            BATCH => {
                let mut run = Run::new(self, reply, DONE);
                run.text(&utf16(body.0))
            }
            RPC => remote::call(self, &mut body, reply),
            TRANSACTION => {
                let outcome = self.manage(&mut body, reply);
                match outcome {
                    Ok(()) => reply.done(DONE, 0, None, false, self.depth > 0),
                    Err(trouble) => return self.report(reply, &trouble),
                }
                Ok(())
            }
            _ => self.report(reply, &Trouble::new(4002, 16, "The stream has a message of an unknown kind.")),
        }
    }

    pub fn report(&self, reply: &mut Reply, trouble: &Trouble) -> Result<(), Stop> {
        reply.error(trouble);
        reply.done(DONE, 0, None, true, self.depth > 0);
        Ok(())
    }

    /// `ALL_HEADERS`: the transaction that the client believes to be in must be ours.
    fn headers(&self, body: &mut Reader<'_>) -> Option<Result<(), Trouble>> {
        let length = body.u32()? as usize;
        let mut all = Reader(body.take(length.checked_sub(4)?)?);
        while !all.0.is_empty() {
            let length = all.u32()? as usize;
            let mut one = Reader(all.take(length.checked_sub(4)?)?);
            if one.u16()? == 2 {
                let descriptor = one.u64()?;
                if descriptor != self.descriptor && descriptor != 0 {
                    let text = format!("The server failed to resume the transaction. Desc:{descriptor:x}.");
                    return Some(Err(Trouble::new(3971, 16, text)));
                }
                if descriptor != self.descriptor {
                    let text = "New request is not allowed to start because it should come with valid \
                                transaction descriptor.";
                    return Some(Err(Trouble::new(3989, 16, text)));
                }
            }
        }
        Some(Ok(()))
    }

    /// A request of the transaction manager (MS-TDS 2.2.6.9).
    fn manage(&mut self, body: &mut Reader<'_>, reply: &mut Reply) -> Result<(), Trouble> {
        let wrong = || Trouble::new(4002, 16, "The incoming TDS protocol stream is incorrect.");
        let kind = body.u16().ok_or_else(wrong)?;
        let (word, isolation) = match kind {
            5 => ("begin tran", body.u8().ok_or_else(wrong)?),
            7 => ("commit tran", 0),
            8 => ("rollback tran", 0),
            9 => ("save tran", 0),
            _ => return Err(wrong()),
        };
        if let Some(number) = self.shared.ordered(word) {
            self.rollback(reply);
            return Err(store::ordered(number));
        }
        let name = body.name().ok_or_else(wrong)?;
        match kind {
            5 => self.set_isolation(isolation),
            7 => self.commit(reply)?,
            8 if !name.is_empty() => return self.to_savepoint("ROLLBACK TO", &name),
            8 if self.depth == 0 => return Err(no_transaction("ROLLBACK")),
            8 => self.rollback(reply),
            _ => return self.to_savepoint("SAVEPOINT", &name),
        }
        // The end of one may be the beginning of the next.
        if kind == 5 || body.u8().is_some_and(|flags| flags & 1 == 1) {
            if kind != 5 {
                let isolation = body.u8().unwrap_or(0);
                self.set_isolation(isolation);
            }
            self.begin(reply);
        }
        Ok(())
    }

    fn set_isolation(&mut self, level: u8) {
        self.settings.isolation = match level {
            0 => return,
            3 | 4 => Isolation::Serializable,
            5 => Isolation::Snapshot,
            _ => Isolation::Committed,
        };
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
        let counter =
            if change == COMMIT { &self.shared.commits } else { &self.shared.rollbacks };
        counter.fetch_add(1, Ordering::Relaxed);
        reply.changed_bytes(change, &[], &self.descriptor.to_le_bytes());
        (self.depth, self.descriptor) = (0, 0);
        self.peer.open.store(false, Ordering::Relaxed);
    }

    /// Ends the transaction of SQLite, which is there from the first statement that needs one.
    pub fn end(&self, keep: bool) -> Result<(), Trouble> {
        if self.db.is_autocommit() {
            return Ok(());
        }
        let word = if keep { "COMMIT" } else { "ROLLBACK" };
        self.db.execute_batch(word).map_err(|error| store::trouble(&error))
    }

    pub fn to_savepoint(&mut self, words: &str, name: &str) -> Result<(), Trouble> {
        self.lock()?;
        let name = name.replace('"', "");
        let done = self.db.execute_batch(&format!("{words} \"{name}\""));
        done.map_err(|error| store::trouble(&error))
    }

    /// Whether the client wants no answer any more.
    pub fn cancelled(&self) -> bool {
        self.peer.cancelled.load(Ordering::SeqCst)
    }

    /// Waits until no other session writes.
    pub fn lock(&mut self) -> Result<(), Trouble> {
        if !self.db.is_autocommit() {
            return Ok(());
        }
        self.patiently(|db| db.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Tries until nothing is in the way, the time is over, or the client cancels.
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
                    let over = self.settings.lock_timeout >= 0 && waited >= self.settings.lock_timeout;
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

    /// The values of `@@…` and of functions without arguments.
    pub fn own_variable(&self, name: &str) -> Option<Value> {
        Some(Value::Integer(match name {
            "@__rowcount" => self.last[0],
            "@__identity" => self.last[1],
            "@__error" => self.last[2],
            "@__trancount" => self.depth.into(),
            "@__spid" => self.peer.id.into(),
            "@__lock_timeout" => self.settings.lock_timeout,
            "@__version" => return Some(Value::Text("Microsoft SQL Server 2022 (scripted) - 16.0.1000.0".into())),
            "@__servername" => return Some(Value::Text("tacho-tds".into())),
            _ => return None,
        }))
    }

    /// Syntax and names of a text, without running it.
    pub fn check(&self, sql: &str, names: bool) -> Result<(), Trouble> {
        super::run::check(&self.db, &parse::batch(sql)?, names)
    }
}

pub fn no_transaction(word: &str) -> Trouble {
    let number = if word == "COMMIT" { 3902 } else { 3903 };
    let text = format!("The {word} TRANSACTION request has no corresponding BEGIN TRANSACTION.");
    Trouble::new(number, 16, text)
}
