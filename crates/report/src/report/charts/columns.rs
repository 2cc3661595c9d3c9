//! Chart columns. A column may combine several intervals, so that an entire day fits into a chart.
//!
//! Start reading at [`columns`].

use tacho_store::{IntervalRecord, ServerIntervalRecord};

use super::at;
use crate::words::duration;

/// Maximum number of columns. More would be indistinguishable on a page.
pub(super) const COLUMNS_MAX: usize = 600;

/// A series of adjacent intervals from the same phase.
pub(super) struct Column<'a> {
    pub(super) intervals: &'a [IntervalRecord],
}

/// Distributes the intervals over about 600 columns. If the last interval of a phase is short, it
/// is merged into the previous column, because its rates would mostly be random.
pub(super) fn columns(intervals: &[IntervalRecord]) -> Vec<Column<'_>> {
    let each = each(intervals);
    let mut columns = Vec::new();
    for phase in intervals.chunk_by(|a, b| a.phase == b.phase) {
        let longest = phase.iter().map(|one| one.length_s).fold(0.0, f64::max);
        let whole = match phase {
            [before @ .., last] if last.length_s < longest / 2.0 => before.len(),
            _ => phase.len(),
        };
        let count = (whole / each).max(1);
        for place in 0..count {
            let end = if place + 1 == count { phase.len() } else { (place + 1) * each };
            columns.push(Column { intervals: &phase[place * each..end] });
        }
    }
    columns
}

/// Returns the number of intervals per column.
fn each(intervals: &[IntervalRecord]) -> usize {
    intervals.len().div_ceil(COLUMNS_MAX).max(1)
}

/// Returns a sentence that tells the reader what each column represents.
pub(super) fn note(intervals: &[IntervalRecord]) -> String {
    let length = intervals.iter().map(|one| one.length_s).fold(0.0, f64::max);
    let merged = intervals.iter().filter_map(|one| one.merged).max().unwrap_or(1) as usize;
    let each = each(intervals);
    match each * merged {
        1 => format!("Each column represents one interval of {}.", duration(length)),
        count => {
            format!(
                "Each column represents {}, which is {count} intervals combined.",
                duration(length * each as f64)
            )
        }
    }
}

impl Column<'_> {
    pub(super) fn from(&self) -> f64 {
        self.intervals.first().map_or(0.0, |one| at(one.at_s - one.length_s))
    }

    pub(super) fn to(&self) -> f64 {
        self.intervals.last().map_or(0.0, |one| at(one.at_s))
    }

    pub(super) fn phase(&self) -> &str {
        self.intervals.first().map_or("", |one| &one.phase)
    }

    /// Returns the mean of a rate, weighted by the length of each interval.
    pub(super) fn rate(&self, rate: impl Fn(&IntervalRecord) -> Option<f64>) -> Option<f64> {
        let length: f64 = self.intervals.iter().map(|one| one.length_s).sum();
        let sum: Option<f64> =
            self.intervals.iter().map(|one| Some(rate(one)? * one.length_s)).sum();
        sum.filter(|_| length > 0.0).map(|sum| sum / length)
    }

    /// Returns the longest interval of the column. The last interval of a phase may be shorter than
    /// the others.
    pub(super) fn longest(&self) -> Option<&IntervalRecord> {
        self.intervals.iter().max_by(|a, b| a.length_s.total_cmp(&b.length_s))
    }

    /// Returns the intervals with server activity that fall within this column of the chart.
    pub(super) fn server<'b>(
        &self,
        server: &'b [ServerIntervalRecord],
    ) -> &'b [ServerIntervalRecord] {
        // A binary search works because these intervals are stored in chronological order.
        let begin = server.partition_point(|one| at(one.at_s) <= self.from());
        let end = server.partition_point(|one| at(one.at_s) <= self.to());
        &server[begin..end.max(begin)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(at_s: f64, length_s: f64, phase: &str) -> IntervalRecord {
        let phase = phase.into();
        IntervalRecord { at_s, length_s, phase, throughput_per_s: at_s, ..Default::default() }
    }

    #[test]
    fn a_short_end_joins_its_neighbour_and_phases_stay_apart() {
        let mut all: Vec<_> = (1..=3).map(|s| interval(f64::from(s), 1.0, "ramp-up")).collect();
        all.push(interval(3.01, 0.01, "ramp-up"));
        all.push(interval(4.01, 1.0, "measure"));
        let columns = columns(&all);
        let spans: Vec<_> = columns.iter().map(|one| (one.from(), one.to(), one.phase())).collect();
        assert_eq!(spans[2..], [(2.0, 3.01, "ramp-up"), (3.01, 4.01, "measure")]);
        let mean = columns[2].rate(|one| Some(one.throughput_per_s)).unwrap();
        assert!((mean - (3.0 + 0.0301) / 1.01).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn ten_hours_have_600_columns_and_say_so() {
        let all: Vec<_> = (1..=36_000).map(|s| interval(f64::from(s), 1.0, "measure")).collect();
        let columns = columns(&all);
        assert_eq!((columns.len(), columns[0].intervals.len()), (600, 60));
        assert!(
            note(&all).starts_with("Each column represents 1\u{202f}min, which is 60 intervals"),
            "{}",
            note(&all)
        );
    }
}
