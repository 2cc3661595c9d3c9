//! Compares histogram logs with values from the format's reference implementation.
//!
//! `golden/reference.hlog` is a log that Tacho has written. `golden/reference.txt` contains the
//! values that HdrHistogram 2.2.2 for Java reads from this log. This command prints them:
//!
//! ```text
//! java -cp HdrHistogram-2.2.2.jar org.HdrHistogram.HistogramLogProcessor \
//!     -i reference.hlog -tag new_order -outputValueUnitRatio 1 -percentilesOutputTicksPerHalf 2
//! ```
//!
//! The Python package `hdrhistogram` reads the same values.
//!
//! If the log format changes, run the reference implementation again.

use std::time::Duration;

use crate::common::{only, record};
use tacho_core::Seed;
use tacho_metrics::Latencies;
use tacho_store::{HistogramEntry, Measured, RunWriter, Store, read_histograms};

const LOG: &[u8] = include_bytes!("golden/reference.hlog");
const REFERENCE: &str = include_str!("golden/reference.txt");

/// Writes latencies from one microsecond to several minutes, in two parts of a run.
fn written() -> (tempfile::TempDir, Store) {
    let root = tempfile::tempdir().expect("a folder");
    let store = Store::open(root.path());
    let mut writer = RunWriter::create(&store, record(2), Seed(1)).expect("a run begins");
    writer.keep();
    for part in 0..2_u64 {
        let mut latencies = Latencies::new();
        for number in 1..=5_000_u64 {
            // Most values are close together, but a few are about ten thousand times larger.
            let tail = if number % 997 == 0 { 12_345 } else { 1 };
            latencies.record(Duration::from_nanos((number * 1_013 + part * 7) * tail));
        }
        let measured =
            Measured { transaction: "new_order", latency: &latencies, service: &latencies };
        let start = Duration::from_secs(2 + 10 * part);
        writer.histograms(start, Duration::from_secs(10), &[measured]).expect("histograms");
    }
    (root, store)
}

/// Returns the log without its histograms, because zlib libraries compress them differently.
fn lines(log: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(log);
    let cut = |line: &str| line.rsplit_once(',').map_or(line, |(before, _)| before).to_owned();
    text.lines().map(cut).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test replaces the log")]
fn writes_the_log_that_the_reference_implementation_has_read() {
    let (_root, store) = written();
    let folder = only(&store).path;
    let log = folder.join("histograms.hlog");
    let written = std::fs::read(&log).expect("a log");
    assert_eq!(lines(&written), lines(LOG));
    // Compares unpacked histograms, because packed ones depend on the zlib library.
    let counts = || {
        let entries = read_histograms(&folder).expect("histograms");
        let each = |entry: &HistogramEntry| {
            let HistogramEntry { tag, start, length, .. } = entry;
            format!("{tag} {start:?} {length:?} {:?}\n", entry.latencies())
        };
        entries.iter().map(each).collect::<String>()
    };
    let ours = counts();
    std::fs::write(&log, LOG).expect("the log of the reference");
    assert!(ours == counts(), "the log is another one:\n{}", String::from_utf8_lossy(&written));
}

#[test]
fn the_reference_implementation_reads_the_same_figures() {
    let (_root, store) = written();
    let entries = read_histograms(&only(&store).path).expect("histograms");
    let mut all = Latencies::new();
    let new_orders = entries.iter().filter(|entry| entry.tag == "new_order");
    new_orders.for_each(|entry| all.merge(&entry.latencies()));
    let lines = REFERENCE.lines().filter_map(|line| {
        let words: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        (words.len() >= 3).then_some(words)
    });
    let mut compared = 0;
    for line in lines {
        let [value, share, count, ..] = line[..] else { continue };
        // Skip the smallest values, for which one implementation reports the upper bound of a
        // bucket and the other one the lower bound.
        if share == 0.0 {
            continue;
        }
        let ours = all.quantile(share).as_nanos();
        // The reference implementation prints even whole nanoseconds with a decimal point.
        assert_eq!(ours, value as u128, "p{}", share * 100.0);
        assert!(count <= all.count() as f64);
        compared += 1;
    }
    assert!(compared > 20, "{compared} percentiles");
    assert!(REFERENCE.contains(&format!("Total count    = {:>12}", all.count())), "{REFERENCE}");
}
