//! Connects consoles on one machine: a primary and its replicas. They exchange lines of JSON over loopback TCP.
//!
//! Commands may contain passwords, so a console must first present a key from the run folder. This module does not
//! interpret commands.
//!
//! Start reading at [`Primary`] and [`Replica`].

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

/// Time limit for receiving the first message of a new connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum length of the first message, because its sender is still unknown.
const HELLO_MAX: u64 = 4096;

/// Messages between consoles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The first message, sent by a replica.
    Hello {
        /// The primary's key.
        key: String,
        /// The replica's host.
        host: String,
    },
    /// The primary's response to `Hello`.
    Welcome,
    /// A command with its arguments, to be run by a replica.
    Call(Vec<String>),
    /// Reports that a command failed on a replica.
    Failed(String),
    /// Reports that a replica has finished its work. The value is true if the work succeeded.
    Over(bool),
}

/// An event that concerns another console.
pub enum Note {
    /// A replica has joined.
    Joined(Peer),
    /// Number of the sender, and the message.
    Said(u32, Message),
    /// A peer's connection was lost. Contains the peer's number and the reason.
    Lost(u32, String),
}

/// The other side of a connection.
pub struct Peer {
    /// Number of the peer. The number of a replica is its port, which is unique.
    pub number: u32,
    /// Host name reported by the peer.
    pub host: String,
    stream: TcpStream,
}

impl Peer {
    /// Sends a message. If the peer has disconnected, this fails silently, because a [`Note`] reports the lost
    /// connection.
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

/// Forwards messages from a peer until it disconnects.
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
    error.during(what.to_owned()).hint("choose another id, or omit the id to use a free port")
}

/// A console that sends commands to replicas.
pub struct Primary {
    /// Port of the primary, which is also its ID.
    pub port: u16,
    notes: Receiver<Note>,
    over: Arc<AtomicBool>,
    key: PathBuf,
}

impl Primary {
    /// Listens on the port, or on a free port if `port` is 0. Stores the key in `folder`.
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

    /// Returns the next note that has arrived, if any.
    pub fn note(&self) -> Option<Note> {
        self.notes.try_recv().ok()
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Connect once to wake the listener, which then notices that it should stop.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        let _ = std::fs::remove_file(&self.key);
    }
}

/// Reads the first message of a new connection, and continues only if this message contains the key.
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
    let port = stream.peer_addr().map(|address| u32::from(address.port()));
    let number = port.unwrap_or_else(|_| numbers.fetch_add(1, Ordering::SeqCst));
    if notes.send(Note::Joined(Peer { number, host, stream })).is_ok() {
        listen(number, reader, notes);
    }
}

/// A console that receives commands from a primary.
pub struct Replica {
    /// The primary.
    pub primary: Peer,
    /// Id of this replica.
    pub id: u16,
    notes: Receiver<Note>,
}

impl Replica {
    /// Joins the primary that listens on the given port of this machine.
    pub fn join(port: u16, folder: &Path, host: &str) -> Result<Self> {
        let what = format!("join the primary {port}");
        let alike =
            |error: Error| error.during(what.clone()).hint("use the id that the primary printed");
        let key = read_key(&key_path(folder, port)).map_err(|error| {
            let hint = "start both consoles in the same folder, or with the same --dir";
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
            return Err(alike(Error::new(ErrorKind::Auth, "the primary rejected this console")));
        }
        let _ = stream.set_read_timeout(None);
        let (say, notes) = channel();
        std::thread::spawn(move || listen(0, reader, &say));
        let primary = Peer { number: 0, host: String::new(), stream };
        Ok(Self { primary, id, notes })
    }

    /// Returns the next note that has arrived, if any.
    pub fn note(&self) -> Option<Note> {
        self.notes.try_recv().ok()
    }
}

fn key_path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("primary-{port}.key"))
}

fn new_key() -> String {
    // The two parts of the key differ, because each `RandomState` has its own random seed.
    let part = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", part(), part())
}

fn read_key(path: &Path) -> std::io::Result<String> {
    tacho_core::file::text(path, tacho_core::file::SMALL_MAX)
}

/// Writes the key to a file that other users cannot read.
fn write_key(path: &Path, key: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        // Remove a key that a killed primary left behind, because it is no longer valid.
        let _ = std::fs::remove_file(path);
        options.open(path)?.write_all(key.as_bytes())
    });
    written.map_err(|error| {
        let what = format!("write {}", path.display());
        Error::from(error).during(what).hint("use --dir to choose a writable folder")
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
        // Try to join without the key, with a wrong key, and with another protocol.
        let elsewhere = tempfile::tempdir().expect("a folder");
        let error = Replica::join(primary.port, elsewhere.path(), "here").err().expect("no key");
        assert!(error.hints().iter().any(|hint| hint.contains("--dir")), "{error}");
        write_key(&key_path(elsewhere.path(), primary.port), "guess").expect("a key");
        assert!(Replica::join(primary.port, elsewhere.path(), "here").is_err());
        let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, primary.port)).expect("a line");
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("sent");
        assert!(hear(&mut BufReader::new(stranger)).is_err());
        // The primary must stop reading if a peer sends an endless first message.
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
