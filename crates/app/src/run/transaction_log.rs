//! Writes the log of transactions in the format of `pgbench -l`.
//!
//! A separate thread writes the file, so that neither a slow nor a full disk can delay the load. What it cannot write in
//! time is dropped and counted.
//!
//! Start reading at [`TransactionLog`].

mod aggregate;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;

use tacho_core::units::counted;
use tacho_core::{Error, Instant, Result};
use tacho_engine::Collected;
use tacho_metrics::{LoggedOutcome, LoggedTransaction};

use super::opened::Opened;
use crate::Request;
use aggregate::Aggregates;

/// Maximum number of collections that wait for the disk.
const WAITING_MAX: usize = 16;
/// Time limit for writing the rest after the load.
const END_MAX: Duration = Duration::from_secs(10);

/// A log that is being written.
pub(super) struct TransactionLog {
    /// The share of transactions to log.
    pub(super) share: f64,
    path: PathBuf,
    /// True if the file did not exist before.
    is_new: bool,
    handle: File,
    /// The wall clock at the start of the measured phase, and this time as elapsed since the start of the load.
    begun: Option<[Duration; 2]>,
    batches: SyncSender<Batch>,
    ended: Receiver<io::Result<()>>,
    /// Number of transactions that were not logged, because there were too many between two collections.
    crowded_out: u64,
    /// Number of transactions that the disk was too slow for.
    dropped: u64,
}

/// The transactions of one collection, in the order in which they ended.
struct Batch {
    lines: Vec<(Duration, LoggedTransaction)>,
    /// The time of the collection, since the Unix epoch.
    until: Duration,
}

/// The columns that depend on the load, as in pgbench.
#[derive(Clone, Copy)]
struct Columns {
    lag: bool,
    retries: bool,
}

impl TransactionLog {
    /// Opens the file if the plan requests a log. An existing file is overwritten when the measured phase starts.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    pub(super) fn start(request: Request<'_>, opened: &Opened) -> Result<Option<Self>> {
        let plan = &request.job.resolved.plan.log;
        let Some(name) = &plan.file else { return Ok(None) };
        let path = PathBuf::from(name);
        let is_new = !path.exists();
        let opened_file = open(&path).and_then(|file| Ok((file.try_clone()?, file)));
        let (handle, file) = opened_file.map_err(|error| {
            Error::from(error)
                .during(format!("open {}", path.display()))
                .hint("specify a file in an existing folder with --log")
        })?;
        let columns = Columns {
            lag: opened.plan.arrival.rate.is_some(),
            retries: opened.plan.retry.attempts > 1
                && opened.plan.retry.input != tacho_config::RetryInput::None,
        };
        let interval = plan.interval;
        let (batches, waiting) = sync_channel(WAITING_MAX);
        let (say_ended, ended) = channel();
        let write = move || {
            let mut output = Output { good: 0, file: BufWriter::new(file) };
            let written = if interval.is_zero() {
                write_lines(&waiting, &mut output, columns)
            } else {
                write_aggregates(&waiting, &mut output, Aggregates::new(interval, columns.lag))
            };
            if written.is_err() {
                output.cut();
            }
            let _ = say_ended.send(written);
        };
        std::thread::Builder::new().name("log".into()).spawn(write)?;
        Ok(Some(Self {
            share: plan.sample,
            path,
            is_new,
            handle,
            begun: None,
            batches,
            ended,
            crowded_out: 0,
            dropped: 0,
        }))
    }

    /// Notes that the measured phase starts, at this time since the start of the load.
    pub(super) fn begin(&mut self, at: Duration) {
        self.begun.get_or_insert([tacho_collect::wall_clock(), at]);
        // If this fails, writing fails as well and is reported.
        let _ = self.handle.set_len(0);
    }

    /// Passes on the transactions of a collection. Never waits.
    pub(super) fn add(&mut self, collected: &Collected<'_>) {
        let log = &collected.recorder.log;
        self.crowded_out += log.dropped;
        let Some([wall, measured]) = self.begun else { return };
        let start = wall.saturating_sub(measured);
        let epoch = |at: Instant| start + at.since(collected.origin);
        let mut lines: Vec<_> = log.lines.iter().map(|line| (epoch(line.at), *line)).collect();
        lines.sort_by_key(|(at, _)| *at);
        let batch = Batch { lines, until: start + collected.span[1] };
        if let Err(TrySendError::Full(batch)) = self.batches.try_send(batch) {
            self.dropped += batch.lines.len() as u64;
        }
    }

    /// Writes the rest. Returns a description of what is missing, if anything. Removes the new file of a run that did
    /// not reach its measured phase.
    pub(super) fn end(self) -> Option<String> {
        let Self { path, is_new, begun, batches, ended, crowded_out, dropped, .. } = self;
        drop(batches);
        if begun.is_none() && is_new {
            let _ = std::fs::remove_file(&path);
            return None;
        }
        let file = path.display();
        let missing = |count, reason| {
            format!("{} missing from {file}, because {reason}", counted(count, "transaction"))
        };
        match ended.recv_timeout(END_MAX) {
            Ok(Ok(())) if dropped > 0 => Some(missing(dropped, "the disk was too slow")),
            Ok(Ok(())) if crowded_out > 0 => {
                Some(missing(crowded_out, "there were too many in an interval"))
            }
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{file} ends early: {error}")),
            Err(_) => Some(format!("{file} ends early: the disk does not respond")),
        }
    }
}

/// Opens or creates a file. A device or a pipe could block.
fn open(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::options().write(true).create(true).truncate(false).open(path)
}

/// The file. After an error, it ends with its last complete batch.
struct Output {
    file: BufWriter<File>,
    /// Length of the complete batches in bytes.
    good: u64,
}

impl Output {
    /// Writes a batch and flushes it.
    fn batch(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        write(&mut self.file)?;
        self.file.flush()?;
        self.good = self.file.get_mut().stream_position()?;
        Ok(())
    }

    /// Removes an incomplete batch after an error.
    fn cut(self) {
        // Discard the buffer, because dropping it would write the rest after the cut.
        let (file, _) = self.file.into_parts();
        // The first error is reported, whether or not the file can be cut.
        let _ = file.set_len(self.good);
    }
}

fn write_lines(batches: &Receiver<Batch>, output: &mut Output, columns: Columns) -> io::Result<()> {
    for batch in batches {
        output.batch(|file| {
            batch.lines.iter().try_for_each(|(at, line)| write_line(file, *at, line, columns))
        })?;
    }
    Ok(())
}

/// Writes `client_id transaction_no time script_no time_epoch time_us [schedule_lag] [retries]`.
fn write_line(
    file: &mut impl Write,
    at: Duration,
    line: &LoggedTransaction,
    columns: Columns,
) -> io::Result<()> {
    write!(file, "{} {} ", line.session, line.number)?;
    match line.outcome {
        LoggedOutcome::Good => write!(file, "{}", line.latency.as_micros())?,
        LoggedOutcome::Failed(_) => file.write_all(b"failed")?,
        LoggedOutcome::Skipped => file.write_all(b"skipped")?,
    }
    write!(file, " {} {} {}", line.transaction, at.as_secs(), at.subsec_micros())?;
    if columns.lag {
        let is_skipped = line.outcome == LoggedOutcome::Skipped;
        write!(file, " {}", if is_skipped { 0 } else { line.lag.as_micros() })?;
    }
    if columns.retries {
        write!(file, " {}", line.retries)?;
    }
    file.write_all(b"\n")
}

fn write_aggregates(
    batches: &Receiver<Batch>,
    output: &mut Output,
    mut aggregates: Aggregates,
) -> io::Result<()> {
    // A transaction that ends shortly before a collection may be recorded after it, so its interval is kept once more.
    let mut complete = Duration::ZERO;
    for batch in batches {
        batch.lines.iter().for_each(|(at, line)| aggregates.add(*at, line));
        output.batch(|file| aggregates.write_until(complete, file))?;
        complete = batch.until;
    }
    output.batch(|file| aggregates.write_until(Duration::MAX, file))
}
