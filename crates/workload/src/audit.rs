//! The generator audit: proof that the submitted work was what the workload promises.

use serde::{Deserialize, Serialize};
use tacho_core::{Error, Result};

/// One promised share or mean.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRule {
    /// What is counted, such as `remote order lines`.
    pub name: &'static str,
    /// Expected share (0 to 1) or mean.
    pub expected: f64,
    /// Lowest and highest value allowed of a long run. A short run is allowed four standard errors
    /// more on each side.
    pub band: (f64, f64),
    /// Standard deviation of one draw; for a share p it is √(p(1−p)).
    pub deviation: f64,
    /// Whether it is a share, printed in percent, or a mean.
    pub share: bool,
    /// Where the promise is written.
    pub clause: &'static str,
}

impl AuditRule {
    /// A share, with an allowed relative distance on each side.
    pub fn share(
        name: &'static str,
        expected: f64,
        band: (f64, f64),
        clause: &'static str,
    ) -> Self {
        let deviation = (expected * (1.0 - expected)).sqrt();
        Self { name, expected, band, deviation, share: true, clause }
    }

    /// The band for so many draws: widened by four standard errors of their mean.
    pub fn band_for(&self, draws: u64) -> (f64, f64) {
        let slack = 4.0 * self.deviation / (draws.max(1) as f64).sqrt();
        (self.band.0 - slack, self.band.1 + slack)
    }
}

/// Counts for each rule: a sum over a number of draws.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tally {
    counts: Vec<(u64, u64)>,
}

impl Tally {
    /// A tally for so many rules.
    pub fn new(rules: usize) -> Self {
        Self { counts: vec![(0, 0); rules] }
    }

    /// Adds a sum over so many draws to the rule at `rule`.
    pub fn add(&mut self, rule: usize, sum: u64, draws: u64) {
        if let Some(count) = self.counts.get_mut(rule) {
            count.0 += sum;
            count.1 += draws;
        }
    }

    /// Adds all counts of another tally of the same rules.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.counts.len() != other.counts.len() {
            return Err(Error::usage("tallies of different workloads"));
        }
        for (rule, (sum, draws)) in other.counts.iter().enumerate() {
            self.add(rule, *sum, *draws);
        }
        Ok(())
    }

    /// Sum and number of draws of all rules.
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.counts
    }

    /// Sum and number of draws of the rule at `rule`.
    pub fn get(&self, rule: usize) -> (u64, u64) {
        self.counts.get(rule).copied().unwrap_or_default()
    }
}
