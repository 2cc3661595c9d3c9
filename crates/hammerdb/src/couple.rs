//! Consoles that are coupled: a primary and its replicas, on one machine, over loopback TCP. A message
//! is a line of JSON.
//!
//! Commands travel here, with passwords in them, so a console says a key first that only those can
//! read who may read the folder of the runs. It must never know what a command does. Start reading at
//! [`Primary`] and [`Replica`].

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result};

/// How long a console may take to say its first word.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest first word: whoever says it may be a stranger.
const HELLO_MAX: u64 = 4096;

/// What consoles say to each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// A replica's first word.
    Hello {
        /// The primary's key.
        key: String,
        /// The replica's host.
        host: String,
    },
    /// A primary's answer to it.
    Welcome,
    /// A command with its arguments, for a replica.
    Call(Vec<String>),
    /// A command that failed at a replica.
    Failed(String),
    /// The work that a replica was asked to do is over, and whether it was a success.
    Over(bool),
}

/// What a console hears of the others.
pub enum Note {
    /// A replica is there.
    Joined(Peer),
    /// Number of the sender, and what it said.
    Said(u32, Message),
    /// Number of who is gone, and why.
    Lost(u32, String),
}

/// The other end of a connection.
pub struct Peer {
    /// Its number: for a replica its port, which is unique.
    pub number: u32,
    /// Its host, as it calls itself.
    pub host: String,
    stream: TcpStream,
}

impl Peer {
    /// Sends a message. A note reports that the peer is gone.
    pub fn say(&mut self, message: &Message) {
        let _ = say(&mut self.stream, message);
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

fn say(stream: &mut TcpStream, message: &Message) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn hear(reader: &mut impl BufRead) -> std::result::Result<Message, String> {
    let mut line = String::new();
    match reader.read_line(&mut line) {
        Ok(0) => Err("the connection was closed".into()),
        Ok(_) => serde_json::from_str(&line).map_err(|_| "unknown protocol".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// Passes on the messages of a peer until it is gone.
fn listen(number: u32, mut reader: BufReader<TcpStream>, notes: &Sender<Note>) {
    loop {
        match hear(&mut reader) {
            Ok(message) => {
                if notes.send(Note::Said(number, message)).is_err() {
                    return;
                }
            }
            Err(why) => return drop(notes.send(Note::Lost(number, why))),
        }
    }
}

fn failed(error: impl Into<Error>, what: &str) -> Error {
    let error: Error = error.into();
    error.during(what.to_owned()).hint("choose another id, or none for a free one")
}

/// A console that others take commands from.
pub struct Primary {
    /// Its port, which is its id.
    pub port: u16,
    notes: Receiver<Note>,
    over: Arc<AtomicBool>,
    key: PathBuf,
}

impl Primary {
    /// Listens on a port, or on a free one if it is 0. The key lies in `folder`.
    pub fn open(port: u16, folder: &Path) -> Result<Self> {
        let what = "listen for replicas";
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|e| failed(e, what))?;
        let port = listener.local_addr().map_err(|e| failed(e, what))?.port();
        let path = key_path(folder, port);
        let key = new_key();
        write_key(&path, &key)?;
        let (say, notes) = channel();
        let over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&over);
        std::thread::spawn(move || {
            let numbers = Arc::new(AtomicU32::new(0));
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (key, say, numbers) = (key.clone(), say.clone(), Arc::clone(&numbers));
                std::thread::spawn(move || welcome(stream, &key, &numbers, &say));
            }
        });
        Ok(Self { port, notes, over, key: path })
    }

    /// What was heard since the last time, one by one.
    pub fn note(&self) -> Option<Note> {
        self.notes.try_recv().ok()
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener, which sees that it is over.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        let _ = std::fs::remove_file(&self.key);
    }
}

/// Hears a new connection's first word, and all that follows if it has the key.
fn welcome(mut stream: TcpStream, key: &str, numbers: &AtomicU32, notes: &Sender<Note>) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let Ok(copy) = stream.try_clone() else { return };
    let mut reader = BufReader::new(copy);
    let first = hear(&mut reader.by_ref().take(HELLO_MAX));
    let Ok(Message::Hello { key: said, host }) = first else { return };
    if said != key || say(&mut stream, &Message::Welcome).is_err() {
        return;
    }
    let _ = stream.set_read_timeout(None);
    let own = stream.peer_addr().map(|address| u32::from(address.port()));
    let number = own.unwrap_or_else(|_| numbers.fetch_add(1, Ordering::SeqCst));
    if notes.send(Note::Joined(Peer { number, host, stream })).is_ok() {
        listen(number, reader, notes);
    }
}

/// A console that takes commands from a primary.
pub struct Replica {
    /// The primary.
    pub primary: Peer,
    /// The replica's own id.
    pub id: u16,
    notes: Receiver<Note>,
}

impl Replica {
    /// Joins the primary that listens on this port of this machine.
    pub fn join(port: u16, folder: &Path, host: &str) -> Result<Self> {
        let what = format!("join the primary {port}");
        let alike = |error: Error| {
            error.during(what.clone()).hint("name the id that the primary has printed")
        };
        let key = read_key(&key_path(folder, port)).map_err(|error| {
            let hint = "start both in one folder, or with the same --dir";
            Error::from(error).during(what.clone()).hint(hint)
        })?;
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
        let mut stream = stream.map_err(|error| alike(error.into()))?;
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let copy = stream.try_clone().map_err(|error| alike(error.into()))?;
        let id = copy.local_addr().map_err(|error| alike(error.into()))?.port();
        let hello = Message::Hello { key, host: host.to_owned() };
        say(&mut stream, &hello).map_err(|error| alike(error.into()))?;
        let mut reader = BufReader::new(copy);
        if hear(&mut reader) != Ok(Message::Welcome) {
            return Err(alike(Error::new(ErrorKind::Auth, "the primary refused this console")));
        }
        let _ = stream.set_read_timeout(None);
        let (say, notes) = channel();
        std::thread::spawn(move || listen(0, reader, &say));
        let primary = Peer { number: 0, host: String::new(), stream };
        Ok(Self { primary, id, notes })
    }

    /// What was heard since the last time, one by one.
    pub fn note(&self) -> Option<Note> {
        self.notes.try_recv().ok()
    }
}

fn key_path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("primary-{port}.key"))
}

fn new_key() -> String {
    // Each state is seeded by the system.
    let part = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", part(), part())
}

fn read_key(path: &Path) -> std::io::Result<String> {
    tacho_core::file::text(path, tacho_core::file::SMALL_MAX)
}

/// Writes a key so that no other user can read it.
fn write_key(path: &Path, key: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        // One that a killed primary has left is of no use to anybody.
        let _ = std::fs::remove_file(path);
        options.open(path)?.write_all(key.as_bytes())
    });
    written.map_err(|error| {
        let what = format!("write {}", path.display());
        Error::from(error).during(what).hint("choose a folder that can be written with --dir")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(note: impl Fn() -> Option<Note>) -> Note {
        loop {
            if let Some(note) = note() {
                return note;
            }
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_replica_needs_the_key_and_hears_commands() {
        let folder = tempfile::tempdir().expect("a folder");
        let primary = Primary::open(0, folder.path()).expect("a primary");
        let mut replica = Replica::join(primary.port, folder.path(), "here").expect("a replica");
        let Note::Joined(mut peer) = next(|| primary.note()) else { panic!("nobody joined") };
        assert_eq!((peer.number, peer.host.as_str()), (u32::from(replica.id), "here"));
        let call = Message::Call(vec!["diset".into(), "a \"b\"\n".into()]);
        peer.say(&call);
        assert!(matches!(next(|| replica.note()), Note::Said(0, said) if said == call));
        replica.primary.say(&Message::Over(true));
        let over = next(|| primary.note());
        assert!(matches!(over, Note::Said(_, Message::Over(true))));
        // Without the key, with a wrong one, and with other words.
        let elsewhere = tempfile::tempdir().expect("a folder");
        let error = Replica::join(primary.port, elsewhere.path(), "here").err().expect("no key");
        assert!(error.hints().iter().any(|hint| hint.contains("--dir")), "{error}");
        write_key(&key_path(elsewhere.path(), primary.port), "guess").expect("a key");
        assert!(Replica::join(primary.port, elsewhere.path(), "here").is_err());
        let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, primary.port)).expect("a line");
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("sent");
        assert!(hear(&mut BufReader::new(stranger)).is_err());
        // A peer that never ends its line is not read forever.
        let mut endless = TcpStream::connect((Ipv4Addr::LOCALHOST, primary.port)).expect("a line");
        let _ = endless.write_all(&vec![b'x'; 2 * HELLO_MAX as usize]);
        assert!(hear(&mut BufReader::new(endless)).is_err());
        drop(peer);
        assert!(matches!(next(|| replica.note()), Note::Lost(0, _)));
        let path = key_path(folder.path(), primary.port);
        assert!(path.exists());
        drop(primary);
        assert!(!path.exists());
    }
}
