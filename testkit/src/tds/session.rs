//! A session. It handles its messages in order and has at most one transaction.
//!
//! Start reading at [`serve`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};

use super::link::{
    ATTENTION, BATCH, BULK, Inbox, Link, Message, RESET, RESET_KEEP, RPC, TRANSACTION,
};
use super::login::{self, Login};
use super::reader::{Reader, utf16};
use super::run::{Run, Stop};
use super::state::{Isolation, Session, Settings, no_transaction};
use super::tokens::{DONE, Reply, Trouble};
use super::{Peer, Shared, bulk, remote, store};

const RESET_DONE: u8 = 18;

/// Serves a connection from the first byte to the last.
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
        tables: RefCell::default(),
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
    // The client has disconnected, so running statements can be cancelled.
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
                    // The response consists only of the acknowledgement of the attention signal.
                    Err(Stop::Cancelled) => continue,
                    Err(Stop::Ended | Stop::Returned | Stop::Caught(_)) | Ok(()) => reply.finish(),
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
            return bulk::rows(self, &message.body, reply);
        }
        self.shared.batches.fetch_add(1, Ordering::Relaxed);
        let wrong = match self.headers(&mut body) {
            Some(Ok(())) => None,
            Some(Err(trouble)) => Some(trouble),
            None => Some(Trouble::new(4002, 16, "The incoming TDS protocol stream is incorrect.")),
        };
        if let Some(trouble) = wrong {
            self.report(reply, &trouble);
            return Ok(());
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
                    Err(trouble) => self.report(reply, &trouble),
                }
                Ok(())
            }
            _ => {
                let text = "The stream has a message of an unknown kind.";
                self.report(reply, &Trouble::new(4002, 16, text));
                Ok(())
            }
        }
    }

    /// Reads `ALL_HEADERS`, and checks that they name the session's transaction.
    fn headers(&self, body: &mut Reader<'_>) -> Option<Result<(), Trouble>> {
        let length = body.u32()? as usize;
        let mut all = Reader(body.take(length.checked_sub(4)?)?);
        while !all.0.is_empty() {
            let length = all.u32()? as usize;
            let mut one = Reader(all.take(length.checked_sub(4)?)?);
            if one.u16()? == 2 {
                let descriptor = one.u64()?;
                if descriptor != self.descriptor && descriptor != 0 {
                    let text = format!(
                        "The server failed to resume the transaction. Desc:{descriptor:x}."
                    );
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

    /// Handles a transaction manager request (MS-TDS 2.2.6.9).
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
            8 if !name.is_empty() => return self.savepoint("ROLLBACK TO", &name),
            8 if self.depth == 0 => return Err(no_transaction("ROLLBACK")),
            8 => self.rollback(reply),
            _ => return self.savepoint("SAVEPOINT", &name),
        }
        // A request that ends a transaction may also start the next one.
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
}
