//! The histogram log in the standard HDR format, so that its plotters and processors read it.
//!
//! Values are nanoseconds. The tag is the transaction for latency (end − due) and
//! `<transaction>.service` for service time (end − sent). Only whole lines are written.
//! Start reading at [`HistogramFile`].
#![expect(clippy::disallowed_methods, reason = "this crate is the one that writes run files")]

use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};
use tacho_core::{Error, ErrorKind, Result};
use tacho_metrics::Latencies;

use crate::{failure, folder};

/// Names the columns, as the reference implementation does.
const LEGEND: &[u8] =
    b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";

/// Both distributions of one transaction over a part of the measured phase.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// Name of the transaction.
    pub transaction: &'a str,
    /// End − due.
    pub latency: &'a Latencies,
    /// End − sent.
    pub service: &'a Latencies,
}

/// One line of the log.
#[derive(Clone, Debug)]
pub struct HistogramEntry {
    /// The transaction, or `<transaction>.service`.
    pub tag: String,
    /// Start of the part, since the start of the run, to the millisecond.
    pub start: Duration,
    /// Its length, to the millisecond.
    pub length: Duration,
    /// What was counted in it.
    pub latencies: Latencies,
}

/// The log while it is written.
pub(crate) struct HistogramFile {
    path: PathBuf,
    file: File,
}

impl HistogramFile {
    /// Creates the log in a run's folder; offsets count from `started`.
    pub(crate) fn create(folder: &Path, started: SystemTime) -> Result<Self> {
        let path = folder.join(folder::HISTOGRAMS);
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

    /// Appends two lines for each transaction in which anything ended.
    pub(crate) fn append(
        &mut self,
        start: Duration,
        length: Duration,
        measured: &[Measured<'_>],
    ) -> Result<()> {
        let (mut lines, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
        let mut log = IntervalLogWriterBuilder::new()
            .begin_log_with(&mut lines, &mut serializer)
            .map_err(failure::writing(&self.path))?;
        for part in measured.iter().filter(|part| part.latency.count() > 0) {
            let name = tag(part.transaction);
            let service = format!("{name}.service");
            for (tag, latencies) in [(name, part.latency), (service, part.service)] {
                log.write_histogram(latencies.inner(), start, length, Tag::new(&tag))
                    .map_err(|error| unwritable(&error))?;
            }
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

/// A tag of the format: it knows no commas, spaces and line breaks.
fn tag(name: &str) -> String {
    name.replace([',', ' ', '\r', '\n'], "_")
}

fn unwritable(error: &impl fmt::Display) -> Error {
    Error::new(ErrorKind::Other, error.to_string()).during("write a histogram")
}

/// Reads the histograms of the run in `folder`, up to the last line that was written as a whole.
pub fn read_histograms(folder: &Path) -> Result<Vec<HistogramEntry>> {
    let path = folder.join(folder::HISTOGRAMS);
    let text = fs::read(&path).map_err(failure::reading(&path))?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut entries = Vec::new();
    for line in IntervalLogIterator::new(&text[..whole]) {
        match line {
            Ok(LogEntry::Interval(interval)) => entries.push(decode(&interval)),
            Ok(LogEntry::StartTime(_) | LogEntry::BaseTime(_)) => {}
            Err(error) => entries.push(Err(damaged(&error))),
        }
    }
    let entries: Result<_> = entries.into_iter().collect();
    entries.map_err(|error| error.during(format!("read {}", path.display())))
}

fn decode(line: &IntervalLogHistogram<'_>) -> Result<HistogramEntry> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(line.encoded_histogram())
        .map_err(|error| damaged(&error))?;
    let mut counts =
        Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| damaged(&error))?;
    counts.auto(true);
    Ok(HistogramEntry {
        tag: line.tag().map(|tag| tag.as_str().to_owned()).unwrap_or_default(),
        start: line.start_timestamp(),
        length: line.duration(),
        latencies: Latencies::from_inner(counts),
    })
}

fn damaged(error: &impl fmt::Debug) -> Error {
    Error::new(ErrorKind::Protocol, format!("a histogram is damaged: {error:?}"))
}
