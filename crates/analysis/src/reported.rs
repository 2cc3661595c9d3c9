//! Content of a report on one run, several runs, a sweep, or a comparison with a baseline.
//!
//! Start reading at [`Reported`].

use crate::{Comparison, Measurement, Side, SweepComparison, SweepSide};

/// The content of a report, including all data that was read for it.
#[derive(Debug)]
pub struct Reported {
    /// The runs, in groups of repeated runs; empty if the report covers sweeps.
    pub sides: Vec<Side>,
    /// The baseline, if there is one.
    pub baseline: Option<Side>,
    /// Comparison of each of the `sides` with the baseline; empty if there is no baseline.
    pub comparisons: Vec<Comparison>,
    /// Sweeps in the report. If there are several, the first one is the baseline.
    pub sweeps: Vec<SweepSide>,
    /// The comparison of each of the other sweeps with the first one.
    pub sweep_comparisons: Vec<SweepComparison>,
    /// The title that the sender chose. It replaces the generated question.
    pub title: Option<String>,
    /// The sender's own summary in Markdown.
    pub summary: Option<String>,
    /// The workload's disclaimer.
    pub notice: String,
    /// Version of the program that created the report.
    pub tool_version: String,
}

/// Maximum number of runs in one chart. More colours would be hard to distinguish.
pub const DRAWN_MAX: usize = 8;

impl Reported {
    /// Returns true if there are too many comparisons to read individually.
    pub fn is_overview(&self) -> bool {
        self.comparisons.len() > DRAWN_MAX
    }

    /// Returns all runs, starting with the baseline's.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        let sides = self.baseline.iter().chain(&self.sides).flat_map(|side| &side.runs);
        sides.chain(self.sweeps.iter().flat_map(|side| side.runs.iter().flatten()))
    }

    /// Returns the sweep if the report covers a single sweep.
    pub fn sweep(&self) -> Option<&SweepSide> {
        self.sweeps.first().filter(|_| self.sweeps.len() == 1)
    }

    /// Returns the compared sweeps, starting with the baseline.
    pub fn compared_sweeps(&self) -> &[SweepSide] {
        if self.sweeps.len() > 1 { &self.sweeps } else { &[] }
    }

    /// Returns the run if the report covers a single run.
    pub fn single(&self) -> Option<&Measurement> {
        match &self.sides[..] {
            [side] => side.single(),
            _ => None,
        }
    }

    /// Returns the runs whose complete records are included in the report.
    pub fn in_full(&self) -> impl Iterator<Item = &Measurement> {
        self.single().into_iter().chain(self.baseline.iter().filter_map(Side::single))
    }
}
