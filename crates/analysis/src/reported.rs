//! What is reported: one run, several, a sweep, or runs against a baseline.
//!
//! Start reading at [`Reported`].

use crate::{Comparison, Measurement, Side, SweepComparison, SweepSide};

/// What is reported, with all that was read of it.
#[derive(Debug)]
pub struct Reported {
    /// The runs, in groups of repeated ones; none if sweeps are reported.
    pub sides: Vec<Side>,
    /// What they are held against.
    pub baseline: Option<Side>,
    /// Each of `sides` against the baseline; empty without one.
    pub comparisons: Vec<Comparison>,
    /// The sweeps, if such are reported; of several the first is what the others are held against.
    pub sweeps: Vec<SweepSide>,
    /// Each sweep but the first against it.
    pub sweep_comparisons: Vec<SweepComparison>,
    /// What the workload must say about itself.
    pub notice: String,
    /// Version of the program that makes the report.
    pub tool_version: String,
}

/// Runs that are drawn over each other; the colours of more lines are hard to distinguish.
pub const DRAWN_MAX: usize = 8;

impl Reported {
    /// Whether more is compared than anybody reads one by one.
    pub fn is_overview(&self) -> bool {
        self.comparisons.len() > DRAWN_MAX
    }

    /// All runs, the baseline first.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        let sides = self.baseline.iter().chain(&self.sides).flat_map(|side| &side.runs);
        sides.chain(self.sweeps.iter().flat_map(|side| side.runs.iter().flatten()))
    }

    /// The sweep that the report is about, if it is about one.
    pub fn sweep(&self) -> Option<&SweepSide> {
        self.sweeps.first().filter(|_| self.sweeps.len() == 1)
    }

    /// The sweeps that are held against each other, the baseline first.
    pub fn compared_sweeps(&self) -> &[SweepSide] {
        if self.sweeps.len() > 1 { &self.sweeps } else { &[] }
    }

    /// The one run that the report is about, if it is about one.
    pub fn single(&self) -> Option<&Measurement> {
        match &self.sides[..] {
            [side] => side.single(),
            _ => None,
        }
    }

    /// The runs whose whole record is part of the report.
    pub fn in_full(&self) -> impl Iterator<Item = &Measurement> {
        self.single().into_iter().chain(self.baseline.iter().filter_map(Side::single))
    }
}
