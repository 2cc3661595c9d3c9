//! The generator audit, which verifies that the inputs sent by the clients have the properties that
//! the workload's specification requires.

use serde::{Deserialize, Serialize};
use tacho_core::{Error, Result};

/// A promised share or mean.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRule {
    /// Name of the property, such as `remote order lines`.
    pub name: &'static str,
    /// Expected fraction (0 to 1) or mean.
    pub expected: f64,
    /// Minimum and maximum of the expected value over a long run. In a short run, the measured value may be outside
    /// this range by up to four standard errors.
    pub band: (f64, f64),
    /// Standard deviation of a single randomly drawn value. For a fraction p, this is √(p(1−p)).
    pub deviation: f64,
    /// True if the value is a fraction, printed as a percentage. False if it is a mean.
    pub share: bool,
    /// Clause of the standard that specifies the expected value.
    pub clause: &'static str,
}

impl AuditRule {
    /// Creates a rule for a share.
    pub fn share(
        name: &'static str,
        expected: f64,
        band: (f64, f64),
        clause: &'static str,
    ) -> Self {
        let deviation = (expected * (1.0 - expected)).sqrt();
        Self { name, expected, band, deviation, share: true, clause }
    }

    /// Returns the allowed range after `draws` draws: the long-run range, widened by four standard errors.
    pub fn band_for(&self, draws: u64) -> (f64, f64) {
        let slack = 4.0 * self.deviation / (draws.max(1) as f64).sqrt();
        (self.band.0 - slack, self.band.1 + slack)
    }
}

/// For each rule, the sum of the audited values and the number of values in this sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tally {
    counts: Vec<(u64, u64)>,
}

impl Tally {
    /// Creates an empty tally for `rules` rules.
    pub fn new(rules: usize) -> Self {
        Self { counts: vec![(0, 0); rules] }
    }

    /// Adds `sum`, which covers `draws` draws, to the tally of the rule at index `rule`.
    pub fn add(&mut self, rule: usize, sum: u64, draws: u64) {
        if let Some(count) = self.counts.get_mut(rule) {
            count.0 += sum;
            count.1 += draws;
        }
    }

    /// Adds all counts of another tally for the same rules.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.counts.len() != other.counts.len() {
            return Err(Error::usage("tallies of different workloads"));
        }
        for (rule, (sum, draws)) in other.counts.iter().enumerate() {
            self.add(rule, *sum, *draws);
        }
        Ok(())
    }

    /// Returns the sum and the number of draws of every rule.
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.counts
    }

    /// Returns the sum and the number of draws of the rule at index `rule`.
    pub fn get(&self, rule: usize) -> (u64, u64) {
        self.counts.get(rule).copied().unwrap_or_default()
    }
}
