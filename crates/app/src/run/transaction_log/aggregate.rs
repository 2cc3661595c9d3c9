//! Sums over the transactions of each interval, in the format of `pgbench -l --aggregate-interval`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use tacho_core::ErrorKind;
use tacho_metrics::{LoggedOutcome, LoggedTransaction};

/// The intervals that may still get transactions.
pub(super) struct Aggregates {
    interval: Duration,
    /// True if the delay of the start is summed up. Otherwise, its columns are zero.
    lag: bool,
    /// Start of the first interval, since the Unix epoch.
    begin: Option<Duration>,
    /// Index of the next interval to write.
    next: u64,
    open: BTreeMap<u64, Sums>,
}

/// The sums of an interval, in microseconds.
#[derive(Default)]
struct Sums {
    count: u64,
    latency: Spread,
    lag: Spread,
    skipped: u64,
    retried: u64,
    retries: u64,
    serialization: u64,
    deadlock: u64,
}

/// Sum, sum of squares, minimum and maximum.
#[derive(Default)]
struct Spread {
    count: u64,
    sum: f64,
    squares: f64,
    min: f64,
    max: f64,
}

impl Spread {
    fn add(&mut self, span: Duration) {
        let value = span.as_micros() as f64;
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        write!(file, " {:.0} {:.0} {:.0} {:.0}", self.sum, self.squares, self.min, self.max)
    }
}

impl Aggregates {
    /// Creates intervals of this length. The first one begins with the first transaction.
    pub(super) fn new(interval: Duration, lag: bool) -> Self {
        Self { interval, lag, begin: None, next: 0, open: BTreeMap::new() }
    }

    /// Adds a transaction that ended at this time since the Unix epoch.
    pub(super) fn add(&mut self, at: Duration, line: &LoggedTransaction) {
        let begin = *self.begin.get_or_insert(at);
        let index = (at.saturating_sub(begin).as_nanos() / self.interval.as_nanos()) as u64;
        // An interval that has been written cannot change, so a very late transaction counts in the next one.
        let sums = self.open.entry(index.max(self.next)).or_default();
        sums.retried += u64::from(line.retries > 0);
        sums.retries += u64::from(line.retries);
        match line.outcome {
            LoggedOutcome::Good => {
                sums.count += 1;
                sums.latency.add(line.latency);
                if self.lag {
                    sums.lag.add(line.lag);
                }
            }
            LoggedOutcome::Skipped => sums.skipped += 1,
            LoggedOutcome::Failed(ErrorKind::Serialization) => sums.serialization += 1,
            LoggedOutcome::Failed(ErrorKind::Deadlock) => sums.deadlock += 1,
            LoggedOutcome::Failed(_) => {}
        }
    }

    /// Writes the intervals that had ended at this time since the Unix epoch. Those without transactions are written,
    /// too, unless no later one has any.
    pub(super) fn write_until(&mut self, until: Duration, file: &mut impl Write) -> io::Result<()> {
        let Some(begin) = self.begin else { return Ok(()) };
        while let Some(last) = self.open.last_key_value().map(|(last, _)| *last) {
            let start = begin.saturating_add(self.interval.saturating_mul(self.next as u32));
            if self.next > last || start.saturating_add(self.interval) > until {
                break;
            }
            let sums = self.open.remove(&self.next).unwrap_or_default();
            self.next += 1;
            sums.write(start, file)?;
        }
        Ok(())
    }
}

impl Sums {
    fn write(&self, start: Duration, file: &mut impl Write) -> io::Result<()> {
        write!(file, "{} {}", start.as_secs(), self.count)?;
        self.latency.write(file)?;
        self.lag.write(file)?;
        let Self { skipped, retried, retries, serialization, deadlock, .. } = self;
        writeln!(file, " {skipped} {retried} {retries} {serialization} {deadlock}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::Instant;

    #[test]
    fn each_interval_has_its_sums_and_empty_ones_are_written() {
        let mut aggregates = Aggregates::new(Duration::from_secs(2), true);
        let line = |latency, lag, retries, outcome| LoggedTransaction {
            session: 0,
            number: 1,
            transaction: 0,
            at: Instant(0),
            latency: Duration::from_micros(latency),
            lag: Duration::from_micros(lag),
            retries,
            outcome,
        };
        let at = |millis: u64| Duration::from_millis(1_000_000 + millis);
        aggregates.add(at(0), &line(10, 1, 0, LoggedOutcome::Good));
        aggregates.add(at(1_999), &line(30, 5, 2, LoggedOutcome::Good));
        aggregates.add(at(500), &line(0, 0, 0, LoggedOutcome::Skipped));
        aggregates.add(at(4_000), &line(7, 0, 1, LoggedOutcome::Failed(ErrorKind::Deadlock)));
        let mut out = Vec::new();
        aggregates.write_until(at(2_000), &mut out).expect("a vector");
        let first = "1000 2 40 1000 10 30 6 26 1 5 1 1 2 0 0\n";
        assert_eq!(String::from_utf8_lossy(&out), first);
        // The first interval has been written, so this transaction counts in the next one.
        aggregates.add(at(1_000), &line(3, 0, 0, LoggedOutcome::Good));
        aggregates.write_until(Duration::MAX, &mut out).expect("a vector");
        let rest = "1002 1 3 9 3 3 0 0 0 0 0 0 0 0 0\n1004 0 0 0 0 0 0 0 0 0 0 1 1 0 1\n";
        assert_eq!(String::from_utf8_lossy(&out), format!("{first}{rest}"));
    }
}
