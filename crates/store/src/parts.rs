//! Reads a run's histograms into a limited number of packed parts, so that a run of any length fits in memory.
//!
//! All counts must be preserved when histograms are merged. Start reading at [`read_histograms`].

use std::path::Path;
use std::time::Duration;

use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, LogEntry,
};
use hdrhistogram::serialization::{Serializer, V2Serializer};
use tacho_core::Result;
use tacho_metrics::Latencies;

use crate::folder;
use crate::histograms::{damaged, each_line, packed, tag_of, unpack};

/// Maximum number of parts kept when a run is read. A ten-hour run has 3,600 parts per transaction type.
const PARTS_MAX: usize = 240;

/// A histogram of one transaction type's latencies or service times in one part of the measured
/// phase.
#[derive(Clone, Debug)]
pub struct HistogramEntry {
    /// The transaction name, or `<transaction>.service`.
    pub tag: String,
    /// Start of the part, relative to the start of the run, to the millisecond.
    pub start: Duration,
    /// Length of the part, to the millisecond.
    pub length: Duration,
    /// The histogram in the log's format: usually less than 5 kB, but about 200 kB when unpacked.
    packed: Vec<u8>,
}

impl HistogramEntry {
    /// Packs a histogram.
    ///
    /// # Panics
    /// This never panics, because appending to a buffer in memory cannot fail.
    pub fn new(tag: String, start: Duration, length: Duration, latencies: &Latencies) -> Self {
        let mut packed = Vec::new();
        V2Serializer::new().serialize(latencies.inner(), &mut packed).expect("memory takes it");
        packed.shrink_to_fit();
        Self { tag, start, length, packed }
    }

    /// Returns the histogram. Every call unpacks it again.
    ///
    /// # Panics
    /// This never panics, because every packed histogram has been unpacked before.
    pub fn latencies(&self) -> Latencies {
        unpack(&self.packed).expect("the part has already been unpacked")
    }
}

/// Reads the histograms of the run in `folder`, up to the last complete line.
///
/// Merges neighbouring parts until at most 240 remain. All parts but the last have the same length.
pub fn read_histograms(folder: &Path) -> Result<Vec<HistogramEntry>> {
    let mut parts = Parts::default();
    each_line(&folder.join(folder::HISTOGRAMS), |line| {
        IntervalLogIterator::new(line).try_for_each(|entry| match entry {
            Ok(LogEntry::Interval(line)) => Kind::read(&line).map(|kind| parts.add(kind)),
            Ok(LogEntry::StartTime(_) | LogEntry::BaseTime(_)) => Ok(()),
            Err(error) => Err(damaged(&error)),
        })
    })?;
    Ok(parts.all())
}

/// A histogram for one tag in the part that is being read.
struct Kind {
    tag: String,
    start: Duration,
    length: Duration,
    latencies: Latencies,
    /// The compressed histogram, exactly as it is stored in the log. `None` if other durations have
    /// been added since.
    packed: Option<Vec<u8>>,
}

/// The parts of a run that is being read, in chronological order. Each part has one histogram per
/// tag.
struct Parts {
    packed: Vec<Vec<HistogramEntry>>,
    /// The last part, to which durations from the log may still be added.
    open: Vec<Kind>,
    /// Number of parts of the log that are merged into one part in memory.
    each: usize,
    /// Start of the part of the log that is being read, and the number of parts before it that were merged into the
    /// same part in memory.
    at: Option<Duration>,
    inside: usize,
}

impl Default for Parts {
    fn default() -> Self {
        Self { packed: Vec::new(), open: Vec::new(), each: 1, at: None, inside: 0 }
    }
}

impl Parts {
    fn add(&mut self, kind: Kind) {
        if self.at != Some(kind.start) {
            self.at = Some(kind.start);
            self.begin();
        }
        put(&mut self.open, kind);
    }

    /// Starts the next part of the log, which is merged into the open part in memory. If the open part already contains
    /// enough parts of the log, it is closed, and a new one is opened.
    fn begin(&mut self) {
        self.inside += 1;
        if self.inside < self.each {
            return;
        }
        self.close();
        // The maximum number of parts is even, so all parts can be merged in pairs.
        if self.packed.len() == PARTS_MAX {
            self.halve();
        }
        self.inside = 0;
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.packed.push(self.open.drain(..).map(Kind::pack).collect());
        }
    }

    fn halve(&mut self) {
        let pairs = self.packed.chunks_mut(2).map(|pair| {
            let mut both = Vec::new();
            let entries = pair.iter_mut().flat_map(std::mem::take);
            entries.for_each(|entry| put(&mut both, Kind::unpack(entry)));
            both.into_iter().map(Kind::pack).collect()
        });
        self.packed = pairs.collect();
        self.each *= 2;
    }

    fn all(mut self) -> Vec<HistogramEntry> {
        self.close();
        self.packed.into_iter().flatten().collect()
    }
}

impl Kind {
    fn read(line: &IntervalLogHistogram<'_>) -> Result<Self> {
        let packed = packed(line)?;
        let entry = HistogramEntry {
            tag: tag_of(line),
            start: line.start_timestamp(),
            length: line.duration(),
            packed,
        };
        let latencies = unpack(&entry.packed)?;
        Ok(Self::of(entry, latencies))
    }

    fn unpack(entry: HistogramEntry) -> Self {
        let latencies = entry.latencies();
        Self::of(entry, latencies)
    }

    fn of(entry: HistogramEntry, latencies: Latencies) -> Self {
        let HistogramEntry { tag, start, length, packed } = entry;
        Self { tag, start, length, latencies, packed: Some(packed) }
    }

    fn pack(self) -> HistogramEntry {
        let Self { tag, start, length, latencies, packed } = self;
        match packed {
            Some(packed) => HistogramEntry { tag, start, length, packed },
            None => HistogramEntry::new(tag, start, length, &latencies),
        }
    }
}

/// Adds durations to the entry with the same tag.
fn put(kinds: &mut Vec<Kind>, kind: Kind) {
    match kinds.iter_mut().find(|known| known.tag == kind.tag) {
        Some(known) => {
            known.length = (kind.start + kind.length).saturating_sub(known.start);
            known.latencies.merge(&kind.latencies);
            known.packed = None;
        }
        None => kinds.push(kind),
    }
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
                parts.add(Kind { tag: tag.into(), start, length, latencies, packed: None });
            }
        }
        let all = parts.all();
        assert_eq!(all.len(), 2 * 225);
        for (place, part) in all.chunks(2).enumerate() {
            let [one, service] = part else { panic!("two tags") };
            assert_eq!((one.tag.as_str(), one.latencies().count()), ("payment", 16));
            assert_eq!(
                (service.tag.as_str(), service.latencies().count()),
                ("payment.service", 16)
            );
            assert_eq!(one.start, Duration::from_secs(160 * place as u64));
            assert_eq!(one.length, Duration::from_secs(160));
        }
    }

    #[test]
    fn packing_saves_memory_and_keeps_every_count() {
        let mut latencies = Latencies::new();
        // One minute of a busy server. Latencies span four orders of magnitude, more than on any real server.
        (1..60_000_u64).for_each(|n| latencies.record(Duration::from_nanos(n * n * 7 + 50_000)));
        let all = (Duration::ZERO, Duration::from_mins(1));
        let entry = HistogramEntry::new("payment".into(), all.0, all.1, &latencies);
        let unpacked = entry.latencies();
        assert_eq!(unpacked.inner(), latencies.inner());
        let ends = |latencies: &Latencies| {
            (latencies.count(), latencies.min(), latencies.quantile(0.999), latencies.max())
        };
        assert_eq!(ends(&unpacked), ends(&latencies));
        let counters = size_of::<u64>() * latencies.inner().distinct_values();
        assert!(entry.packed.len() * 10 < counters, "{} of {counters} bytes", entry.packed.len());
    }
}
