//! The histogram log in the standard HDR format, so that its plotters and processors read it.
//!
//! Values are nanoseconds. The tag is the transaction for latency (end − due) and
//! `<transaction>.service` for service time (end − sent). Only whole lines are written. A second file
//! of the same format holds the service times of each virtual user, with `<session>.<transaction>`
//! as its tag.
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

    /// Appends two lines for each transaction in which anything ended.
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

/// A tag of the format: it knows no commas, spaces and line breaks.
fn tag(name: &str) -> String {
    name.replace([',', ' ', '\r', '\n'], "_")
}

fn unwritable(error: &impl fmt::Display) -> Error {
    Error::new(ErrorKind::Other, error.to_string()).during("write a histogram")
}

/// The log of the run in `folder` as it is, for the tools that read the format.
pub fn histogram_log(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join(folder::HISTOGRAMS);
    fs::read(&path).map_err(failure::reading(&path))
}

/// The service times of one transaction of one virtual user, over the whole measured phase.
#[derive(Clone, Debug)]
pub struct SessionHistogram {
    /// Number of the session, from 0.
    pub session: u32,
    /// Name of the transaction.
    pub transaction: String,
    /// End − sent.
    pub service: Latencies,
}

impl SessionHistogram {
    pub(crate) fn tag(&self) -> String {
        format!("{}.{}", self.session, tag(&self.transaction))
    }
}

/// Reads the times of each virtual user of the run in `folder`; none if they were not asked for.
pub fn read_session_histograms(folder: &Path) -> Result<Vec<SessionHistogram>> {
    let path = folder.join(folder::SESSIONS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read(&path).map_err(failure::reading(&path))?;
    let mut all = Vec::new();
    for line in IntervalLogIterator::new(&text) {
        let Ok(LogEntry::Interval(interval)) = line else { continue };
        let entry =
            decode(&interval).map_err(|error| error.during(format!("read {}", path.display())))?;
        if let Some((session, transaction)) = entry.tag.split_once('.')
            && let Ok(session) = session.parse()
        {
            let transaction = transaction.to_owned();
            all.push(SessionHistogram { session, transaction, service: entry.latencies });
        }
    }
    Ok(all)
}

/// Most parts of a run that are held apart when it is read. A histogram takes some 100 kB, and a run
/// of ten hours has 3,600 parts of each of its transactions.
const PARTS_MAX: usize = 240;

/// Reads the histograms of the run in `folder`, up to the last line that was written as a whole.
///
/// Of a run with more than 240 parts neighbours are merged, two and two, until there are no more:
/// no count is lost, and all parts but the last one are equally long.
pub fn read_histograms(folder: &Path) -> Result<Vec<HistogramEntry>> {
    let path = folder.join(folder::HISTOGRAMS);
    let text = histogram_log(folder)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut parts = Parts::default();
    for line in IntervalLogIterator::new(&text[..whole]) {
        let added = match line {
            Ok(LogEntry::Interval(interval)) => decode(&interval).map(|entry| parts.add(entry)),
            Ok(LogEntry::StartTime(_) | LogEntry::BaseTime(_)) => Ok(()),
            Err(error) => Err(damaged(&error)),
        };
        added.map_err(|error| error.during(format!("read {}", path.display())))?;
    }
    Ok(parts.merged.into_iter().flatten().collect())
}

/// Parts of a run while it is read, in the order of time; each holds one entry for each tag.
struct Parts {
    merged: Vec<Vec<HistogramEntry>>,
    /// Written parts that one of ours is made of.
    each: usize,
    /// Start of the written part that is being read, and how many there were before it in ours.
    at: Option<Duration>,
    inside: usize,
}

impl Default for Parts {
    fn default() -> Self {
        Self { merged: Vec::new(), each: 1, at: None, inside: 0 }
    }
}

impl Parts {
    fn add(&mut self, entry: HistogramEntry) {
        if self.at != Some(entry.start) {
            self.at = Some(entry.start);
            self.begin();
        }
        if let Some(part) = self.merged.last_mut() {
            put(part, entry);
        }
    }

    /// A written part begins: within ours, or a new one of ours.
    fn begin(&mut self) {
        self.inside += 1;
        if self.merged.is_empty() || self.inside == self.each {
            // The number is even, so that all halves are whole.
            if self.merged.len() == PARTS_MAX {
                self.halve();
            }
            self.merged.push(Vec::new());
            self.inside = 0;
        }
    }

    fn halve(&mut self) {
        let mut halved: Vec<Vec<HistogramEntry>> = Vec::with_capacity(PARTS_MAX);
        for (place, part) in std::mem::take(&mut self.merged).into_iter().enumerate() {
            match halved.last_mut() {
                Some(last) if place % 2 == 1 => part.into_iter().for_each(|own| put(last, own)),
                _ => halved.push(part),
            }
        }
        self.merged = halved;
        self.each *= 2;
    }
}

/// Adds an entry to a part.
fn put(part: &mut Vec<HistogramEntry>, entry: HistogramEntry) {
    match part.iter_mut().find(|own| own.tag == entry.tag) {
        Some(own) => {
            own.length = (entry.start + entry.length).saturating_sub(own.start);
            own.latencies.merge(&entry.latencies);
        }
        None => part.push(entry),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_all_counts_in_few_parts() {
        let mut parts = Parts::default();
        for second in 0..3_600_u64 {
            for tag in ["payment", "payment.service"] {
                let mut latencies = Latencies::new();
                latencies.record(Duration::from_micros(second + 1));
                let (start, length) = (Duration::from_secs(10 * second), Duration::from_secs(10));
                parts.add(HistogramEntry { tag: tag.into(), start, length, latencies });
            }
        }
        assert_eq!((parts.each, parts.merged.len()), (16, 225));
        for (place, part) in parts.merged.iter().enumerate() {
            let [one, service] = &part[..] else { panic!("two tags") };
            assert_eq!((one.tag.as_str(), one.latencies.count()), ("payment", 16));
            assert_eq!(service.latencies.count(), 16);
            assert_eq!(one.start, Duration::from_secs(160 * place as u64));
            assert_eq!(one.length, Duration::from_secs(160));
        }
    }
}
