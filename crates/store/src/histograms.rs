//! The histogram log in standard HDR format, which existing HDR tools can read.
//!
//! Values are in nanoseconds. A latency starts when its transaction is due, and its tag is the transaction name. A
//! service time starts when the transaction is sent, and its tag is `<transaction>.service`.
//!
//! Start reading at [`HistogramFile`].
#![expect(clippy::disallowed_methods, reason = "this crate writes the run files")]

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};
use tacho_core::{Error, ErrorKind, Result};
use tacho_metrics::Latencies;

use crate::{failure, folder, regular};

/// The column names, exactly as the reference implementation writes them.
const LEGEND: &[u8] =
    b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";

/// The latency and service time of one transaction type over part of the measured phase.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// Transaction name.
    pub transaction: &'a str,
    /// Latency, measured from the due time to the end.
    pub latency: &'a Latencies,
    /// Service time, measured from the send time to the end.
    pub service: &'a Latencies,
}

/// A histogram log that is being written.
pub(crate) struct HistogramFile {
    path: PathBuf,
    file: File,
}

impl HistogramFile {
    /// Creates the log in a run's folder. Offsets are relative to `started`.
    pub(crate) fn create(folder: &Path, name: &str, started: SystemTime) -> Result<Self> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(failure::writing(&path))?;
        let mut log = Self { path, file };
        let mut header = Vec::new();
        IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment("[tacho-histograms version 1, values in nanoseconds]")
            .with_start_time(started)
            .with_base_time(started)
            .begin_log_with(&mut header, &mut V2DeflateSerializer::new())
            .map_err(failure::writing(&log.path))?;
        header.extend_from_slice(LEGEND);
        log.write(&header)?;
        Ok(log)
    }

    /// Appends two lines for each transaction type that has completed at least once.
    pub(crate) fn append(
        &mut self,
        start: Duration,
        length: Duration,
        measured: &[Measured<'_>],
    ) -> Result<()> {
        let some = measured.iter().filter(|part| part.latency.count() > 0);
        let lines = some.flat_map(|part| {
            let name = tag(part.transaction);
            let service = format!("{name}.service");
            [(name, part.latency), (service, part.service)]
        });
        self.append_tagged(start, length, lines)
    }

    /// Appends a line for each tag.
    pub(crate) fn append_tagged<'a>(
        &mut self,
        start: Duration,
        length: Duration,
        tagged: impl Iterator<Item = (String, &'a Latencies)>,
    ) -> Result<()> {
        let (mut lines, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
        let mut log = IntervalLogWriterBuilder::new()
            .begin_log_with(&mut lines, &mut serializer)
            .map_err(failure::writing(&self.path))?;
        for (tag, latencies) in tagged {
            log.write_histogram(latencies.inner(), start, length, Tag::new(&tag))
                .map_err(|error| unwritable(&error))?;
        }
        self.write(&lines)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(failure::writing(&self.path))
    }

    /// Makes the log durable.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(failure::writing(&self.path))
    }
}

/// Converts a name to a tag. Tags cannot contain commas, spaces or line breaks.
fn tag(name: &str) -> String {
    name.replace([',', ' ', '\r', '\n'], "_")
}

fn unwritable(error: &impl fmt::Display) -> Error {
    Error::new(ErrorKind::Other, error.to_string()).during("write a histogram")
}

/// Returns the unmodified log of the run in `folder`, for tools that read the format.
pub fn histogram_log(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join(folder::HISTOGRAMS);
    regular::read_up_to(&path, LOG_MAX).map_err(failure::reading(&path))
}

/// Maximum size of a log that is returned unmodified. A week of TPROC-C takes about 200 MB.
const LOG_MAX: u64 = 1 << 30;
/// Maximum length of a line in bytes. Real lines have only a few thousand bytes.
const LINE_MAX: u64 = 8 << 20;

/// Calls `each` for every complete line of a log. Holds only one line in memory.
pub(crate) fn each_line(path: &Path, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut log = BufReader::new(regular::open(path).map_err(failure::reading(path))?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut part = Read::take(&mut log, LINE_MAX + 1);
        part.read_until(b'\n', &mut line).map_err(failure::reading(path))?;
        if line.len() as u64 > LINE_MAX {
            return Err(Error::new(ErrorKind::Protocol, "a line is longer than 8 MiB")
                .during(format!("read {}", path.display()))
                .hint("the file is damaged or was not written by Tacho; remove the run"));
        }
        if !line.ends_with(b"\n") {
            return Ok(());
        }
        each(&line).map_err(failure::damaged(path))?;
    }
}

/// One virtual user's service times for one transaction type over the whole measured phase.
#[derive(Clone, Debug)]
pub struct SessionHistogram {
    /// Session number, from 0.
    pub session: u32,
    /// Transaction name.
    pub transaction: String,
    /// Service time, measured from the send time to the end.
    pub service: Latencies,
}

impl SessionHistogram {
    pub(crate) fn tag(&self) -> String {
        format!("{}.{}", self.session, tag(&self.transaction))
    }
}

/// Reads the service times of each virtual user. Returns an empty list if they were not requested.
pub fn read_session_histograms(folder: &Path) -> Result<Vec<SessionHistogram>> {
    let path = folder.join(folder::SESSIONS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    each_line(&path, |line| {
        for entry in IntervalLogIterator::new(line) {
            let Ok(LogEntry::Interval(interval)) = entry else { continue };
            let service = packed(&interval).and_then(|bytes| unpack(&bytes))?;
            if let Some((session, transaction)) = tag_of(&interval).split_once('.')
                && let Ok(session) = session.parse()
            {
                all.push(SessionHistogram {
                    session,
                    transaction: transaction.to_owned(),
                    service,
                });
            }
        }
        Ok(())
    })?;
    Ok(all)
}

/// Decodes the histogram in a line of the log to the bytes that [`unpack`] accepts.
pub(crate) fn packed(line: &IntervalLogHistogram<'_>) -> Result<Vec<u8>> {
    let text = line.encoded_histogram();
    base64::engine::general_purpose::STANDARD.decode(text).map_err(|error| damaged(&error))
}

/// Decodes a histogram.
pub(crate) fn unpack(mut bytes: &[u8]) -> Result<Latencies> {
    let mut counts =
        Deserializer::new().deserialize(&mut bytes).map_err(|error| damaged(&error))?;
    counts.auto(true);
    Ok(Latencies::from_inner(counts))
}

/// Returns the tag of a line.
pub(crate) fn tag_of(line: &IntervalLogHistogram<'_>) -> String {
    line.tag().map(|tag| tag.as_str().to_owned()).unwrap_or_default()
}

pub(crate) fn damaged(error: &impl fmt::Debug) -> Error {
    Error::new(ErrorKind::Protocol, format!("a histogram is damaged: {error:?}"))
}
