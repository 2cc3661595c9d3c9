//! A log of all transaction attempts, which is used to check transaction isolation.
//!
//! Each session fills a buffer, and writes it to the file as a block with a checksum when it is full. A block is written
//! at a position that no other session uses, so sessions share no lock. After a crash, the log contains all blocks that
//! were written completely.
//!
//! Start reading at [`HistoryFile::create`] and [`HistoryFile::read`].
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "the tests damage files"))]

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tacho_core::{AttemptOutcome, Error, ErrorKind, Instant, Result};
use tacho_driver::{Attempt, HistoryLog, Operation, Operations, put_number, take_number};
use tacho_isolation::{FINAL_READ, History};

use crate::{failure, folder as folder_names, regular};

/// The first word of the file: `tachoHIS`.
const MAGIC: u64 = u64::from_le_bytes(*b"tachoHIS");
const VERSION: u64 = 1;
/// Number of 64-bit words in the header: magic number, version, number of sessions, end of the last block, number of
/// attempts that are not in the file, and checksum.
const HEAD: usize = 6;
const HEAD_BYTES: u64 = 8 * HEAD as u64;
/// Words of a block's header: session, length, and checksum.
const BLOCK_HEAD: usize = 3;
/// Maximum size of the file. It holds several million transactions, which the checker can still keep in memory.
const BYTES_MAX: u64 = 1 << 30;
/// Memory for the buffers of all sessions together, and the minimum and maximum for each buffer.
const BUFFERS_ALL: usize = 64 << 20;
const BUFFER_MIN: usize = 8 << 10;
const BUFFER_MAX: usize = 64 << 10;
/// Maximum length of a block. A block is only longer than a buffer if it contains an attempt with unusually many
/// operations.
const BLOCK_MAX: u64 = 16 << 20;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The history of a run while it is being written.
#[derive(Debug)]
pub struct HistoryFile {
    file: File,
    path: PathBuf,
    /// One buffer for each session, and one for the final reads.
    buffers: Vec<Mutex<Buffer>>,
    buffer_bytes: usize,
    end: AtomicU64,
    /// Number of attempts that were not written.
    left_out: AtomicU64,
    failure: OnceLock<Error>,
    /// True if the file is complete. Attempts that a hanging session finishes later are ignored.
    is_finished: AtomicBool,
}

/// The attempts of a session that are not yet in the file.
#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    attempts: u64,
}

impl HistoryFile {
    /// Creates the log for the given number of sessions.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn create(folder: &Path, sessions: u32) -> Result<Self> {
        let path = folder.join(folder_names::HISTORY);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = file.map_err(failure::writing(&path))?;
        let all = sessions as usize + 1;
        let log = Self {
            buffers: (0..all).map(|_| Mutex::default()).collect(),
            buffer_bytes: (BUFFERS_ALL / all).clamp(BUFFER_MIN, BUFFER_MAX),
            file,
            path,
            end: AtomicU64::new(HEAD_BYTES),
            left_out: AtomicU64::new(0),
            failure: OnceLock::new(),
            is_finished: AtomicBool::new(false),
        };
        log.write_head(0).map_err(failure::writing(&log.path))?;
        Ok(log)
    }

    /// Writes the header. The log is complete if `end` is not 0.
    fn write_head(&self, end: u64) -> io::Result<()> {
        let sessions = self.buffers.len() as u64 - 1;
        let left_out = self.left_out.load(Ordering::Relaxed);
        let mut words = [MAGIC, VERSION, sessions, end, left_out, 0];
        words[HEAD - 1] = sum(&words[..HEAD - 1], &[]);
        write_at(&self.file, &bytes_of(&words), 0)
    }

    /// Writes the remaining data of all buffers and completes the file. All sessions must have ended.
    ///
    /// # Errors
    /// Returns the first error that occurred while writing.
    pub fn finish(&self) -> Result<()> {
        self.is_finished.store(true, Ordering::Relaxed);
        for session in (0..self.buffers.len() as u32 - 1).chain([FINAL_READ]) {
            if let Some(mut buffer) = self.buffer(session) {
                self.flush(session, &mut buffer);
            }
        }
        if let Err(error) = self.write_head(self.end.load(Ordering::Relaxed)) {
            let _ = self.failure.set(failure::writing(&self.path)(error));
        }
        self.failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Returns the number of attempts that were left out, because the file was full or could not be written.
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    fn buffer(&self, session: u32) -> Option<MutexGuard<'_, Buffer>> {
        let last = self.buffers.len() - 1;
        let at = if session == FINAL_READ { last } else { session as usize };
        let buffer = self.buffers.get(at).filter(|_| session == FINAL_READ || at < last)?;
        Some(buffer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes a buffer as a block.
    #[cold]
    fn flush(&self, session: u32, buffer: &mut Buffer) {
        let Buffer { bytes, attempts } = buffer;
        if bytes.is_empty() {
            return;
        }
        let head = [u64::from(session), bytes.len() as u64];
        let head = bytes_of(&[head[0], head[1], sum(&head, bytes)]);
        let length = (head.len() + bytes.len()) as u64;
        let room = |end: u64| (end + length <= BYTES_MAX).then_some(end + length);
        let is_failed = self.failure.get().is_some();
        let at = self.end.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        let written = match at {
            Ok(at) if !is_failed => write_at(&self.file, &head, at)
                .and_then(|()| write_at(&self.file, bytes, at + head.len() as u64))
                .map_err(|error| {
                    let _ = self.failure.set(failure::writing(&self.path)(error));
                }),
            _ => Err(()),
        };
        if written.is_err() {
            self.left_out.fetch_add(*attempts, Ordering::Relaxed);
        }
        bytes.clear();
        *attempts = 0;
    }

    /// Reads the history of a run, even if the run was killed.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Missing`] if the run has no history, or [`ErrorKind::Protocol`] if the file is damaged.
    pub fn read(folder: &Path) -> Result<History> {
        let path = folder.join(folder_names::HISTORY);
        if !path.exists() {
            let text = format!("{} has no history", folder.display());
            let hint = "only workloads that check isolation have a history";
            return Err(Error::new(ErrorKind::Missing, text).hint(hint));
        }
        let file = regular::open(&path).map_err(failure::writing(&path))?;
        let damaged = |why: &str| {
            Error::new(ErrorKind::Protocol, format!("{} is damaged: {why}", path.display()))
                .hint("import the run again from an archive or a copy of its folder")
        };
        let mut reader = BufReader::new(file);
        let head = words::<HEAD>(&mut reader)
            .filter(|head| head[0] == MAGIC && head[HEAD - 1] == sum(&head[..HEAD - 1], &[]));
        let Some([_, version, sessions, end, left_out, _]) = head else {
            return Err(damaged("it is not a history"));
        };
        if version != VERSION {
            return Err(damaged(&format!("unknown version {version}")));
        }
        let mut history = History::default();
        let (mut at, mut latest) = (HEAD_BYTES, 0);
        while end == 0 || at < end {
            match read_block(&mut reader, sessions) {
                Some((session, bytes)) => {
                    at += (8 * BLOCK_HEAD + bytes.len()) as u64;
                    add_attempts(&mut history, session, &bytes, &mut latest)?;
                }
                // The process was killed, so the rest was not written.
                None if end == 0 => break,
                None => return Err(damaged("the checksum of a block does not match")),
            }
        }
        if end == 0 || left_out > 0 {
            history.set_partial();
        }
        Ok(history)
    }
}

impl HistoryLog for HistoryFile {
    fn record(&self, attempt: Attempt, operations: &Operations) {
        let Some(mut buffer) = self.buffer(attempt.session) else { return };
        if self.is_finished.load(Ordering::Relaxed) {
            return;
        }
        // The 64 bytes are for the numbers that are written before the operations.
        let needed = operations.bytes().len() + 64;
        if buffer.bytes.len() + needed > self.buffer_bytes {
            self.flush(attempt.session, &mut buffer);
        }
        if buffer.bytes.capacity() == 0 {
            buffer.bytes.reserve_exact(self.buffer_bytes);
        }
        let nanos = |at: Instant| at.since(Instant::default()).as_nanos() as u64;
        let Buffer { bytes, attempts } = &mut *buffer;
        *attempts += 1;
        put_number(bytes, nanos(attempt.begun));
        put_number(bytes, attempt.ended.since(attempt.begun).as_nanos() as u64);
        put_number(
            bytes,
            match attempt.outcome {
                AttemptOutcome::Committed => 0,
                AttemptOutcome::Failed => 1,
                AttemptOutcome::Unknown => 2,
            },
        );
        put_number(bytes, operations.bytes().len() as u64);
        bytes.extend_from_slice(operations.bytes());
    }
}

/// Returns the next block's session and attempts, or `None` if there is no complete block.
fn read_block(reader: &mut impl Read, sessions: u64) -> Option<(u32, Vec<u8>)> {
    let [session, length, expected] = words::<BLOCK_HEAD>(reader)?;
    let is_known = session < sessions || session == u64::from(FINAL_READ);
    if !is_known || length > BLOCK_MAX {
        return None;
    }
    let mut bytes = vec![0; length as usize];
    reader.read_exact(&mut bytes).ok()?;
    (sum(&[session, length], &bytes) == expected).then_some((session as u32, bytes))
}

/// Adds the attempts of a block to the history. `latest` is the end of the last attempt so far.
fn add_attempts(
    history: &mut History,
    session: u32,
    mut bytes: &[u8],
    latest: &mut u64,
) -> Result<()> {
    while !bytes.is_empty() {
        let begun = take_number(&mut bytes)?;
        let took = take_number(&mut bytes)?;
        let outcome = match take_number(&mut bytes)? {
            0 => AttemptOutcome::Committed,
            1 => AttemptOutcome::Failed,
            _ => AttemptOutcome::Unknown,
        };
        let length = take_number(&mut bytes)? as usize;
        let Some((operations, rest)) = bytes.split_at_checked(length) else {
            return Err(Error::new(ErrorKind::Protocol, "an attempt in the history is cut off"));
        };
        bytes = rest;
        let ended = begun.saturating_add(took);
        // The final reads take place after the run's clock has stopped. Record them at the end of the last attempt,
        // because they follow all attempts.
        let (begun, ended) =
            if session == FINAL_READ { (*latest, *latest) } else { (begun, ended) };
        *latest = ended.max(*latest);
        history.begin(session, outcome, begun, ended)?;
        Operations::decode(operations, |operation| match operation {
            Operation::Append { key, value } => history.append(key, value),
            Operation::Replace { key, value } => history.replace(key, value),
            Operation::Read { key, list } => history.read(key, list.iter().copied()),
        })?;
    }
    Ok(())
}

fn words<const N: usize>(reader: &mut impl Read) -> Option<[u64; N]> {
    let mut found = [0; N];
    for word in &mut found {
        let mut bytes = [0; 8];
        reader.read_exact(&mut bytes).ok()?;
        *word = u64::from_le_bytes(bytes);
    }
    Some(found)
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns a checksum that depends on the position of each word.
fn sum(words: &[u64], bytes: &[u8]) -> u64 {
    let rest = bytes.chunks(8).map(|part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    });
    let all = words.iter().copied().chain(rest);
    all.fold(FACTOR, |sum, word| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29))
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, at)?;
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(session: u32, outcome: AttemptOutcome, begun: u64) -> Attempt {
        Attempt { session, outcome, begun: Instant(begun), ended: Instant(begun + 5) }
    }

    fn operations(key: u64, value: u64) -> Operations {
        let mut operations = Operations::default();
        operations.add(Operation::Read { key, list: &[value - 1] });
        operations.add(Operation::Replace { key, value });
        operations.add(Operation::Append { key: key + 1, value });
        operations
    }

    /// Writes 20 000 attempts of two sessions, which fill several blocks.
    fn filled(folder: &Path) -> Result<HistoryFile> {
        let log = HistoryFile::create(folder, 2)?;
        for number in 1..=10_000 {
            for session in [0, 1] {
                let value = number * 2 + u64::from(session);
                let attempt = attempt(session, AttemptOutcome::Committed, number * 10);
                log.record(attempt, &operations(7, value));
            }
        }
        log.record(attempt(FINAL_READ, AttemptOutcome::Unknown, 1), &operations(1, 1));
        Ok(log)
    }

    #[test]
    fn a_history_is_read_as_it_was_written() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        filled(folder.path())?.finish()?;
        let history = HistoryFile::read(folder.path())?;
        assert_eq!(history.transactions().len(), 20_001);
        assert_eq!(history.operation_count(), 60_000 + 2);
        assert!(!history.is_partial());
        let of_session = |number: u32| {
            let all = history.transactions().iter();
            let begun = all.filter(move |t| t.session == number).map(|t| (t.begun, t.ended));
            begun.collect::<Vec<_>>()
        };
        let expected: Vec<_> = (1..=10_000).map(|number| (number * 10, number * 10 + 5)).collect();
        assert_eq!(of_session(0), expected);
        assert_eq!(of_session(1), expected);
        let last = history.transactions().last().expect("a transaction");
        assert_eq!((last.session, last.outcome), (FINAL_READ, AttemptOutcome::Unknown));
        Ok(())
    }

    #[test]
    fn the_history_of_a_killed_run_is_partial() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        drop(filled(folder.path())?);
        let history = HistoryFile::read(folder.path())?;
        assert!(history.is_partial());
        assert!((1..20_000).contains(&history.transactions().len()));
        Ok(())
    }

    #[test]
    fn damage_is_found() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(
            HistoryFile::read(folder.path()).err().map(|e| e.kind()),
            Some(ErrorKind::Missing)
        );
        filled(folder.path())?.finish()?;
        let path = folder.path().join(folder_names::HISTORY);
        let whole = std::fs::read(&path).expect("read");
        for at in [0, 9, 20, 30, 40, 50, 60, 80, whole.len() / 2, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).expect("written");
            let error = HistoryFile::read(folder.path()).expect_err("damaged");
            assert_eq!(error.kind(), ErrorKind::Protocol, "{at}");
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).expect("written");
        assert!(HistoryFile::read(folder.path()).is_err());
        Ok(())
    }
}
