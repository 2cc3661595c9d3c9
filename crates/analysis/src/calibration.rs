//! The result of a calibration, which compares runs with identical settings to find out how much a sweep's results
//! vary by chance.
//!
//! Start reading at [`Calibration::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::{Change, Noise, paired_change};

/// An A/A calibration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Calibration {
    /// Number of pairs of identical runs.
    pub pairs: u64,
    /// Name of the metric that was compared.
    pub metric: String,
    /// True if this metric is the sweep's throughput.
    #[serde(skip)]
    pub is_throughput: bool,
    /// Difference measured between the two sides, although their settings are identical.
    pub change: Change,
    /// True if the two sides differ significantly despite identical settings. This happens by chance in 1 % of
    /// calibrations.
    pub differs: bool,
    /// Smallest change that this sweep can detect with its number of repetitions.
    pub floor: f64,
    /// The relative change to be detected, if one was requested.
    pub wanted: Option<f64>,
    /// Number of repetitions needed to detect the requested change; absent if it exceeds a thousand.
    pub repeats_for_wanted: Option<u32>,
}

impl Calibration {
    /// Computes a calibration from pairs of identical runs. Returns `None` if there are fewer than two pairs.
    pub fn of(
        metric: (String, bool),
        pairs: &[(f64, f64)],
        repeats: u32,
        wanted: Option<f64>,
    ) -> Option<Self> {
        let (noise, change) = (Noise::of(pairs)?, paired_change(pairs)?);
        Some(Self {
            pairs: pairs.len() as u64,
            metric: metric.0,
            is_throughput: metric.1,
            change,
            differs: change.significant,
            floor: noise.floor(repeats),
            wanted,
            repeats_for_wanted: wanted.and_then(|wanted| noise.repeats_for(wanted)),
        })
    }

    /// Returns the smallest detectable change in throughput, or `None` if the calibration used another metric.
    pub fn floor_of_throughput(&self) -> Option<f64> {
        self.is_throughput.then_some(self.floor)
    }

    /// Returns true if the requested change is smaller than the smallest one that can be detected.
    pub fn is_too_coarse(&self) -> bool {
        self.wanted.is_some_and(|wanted| self.floor > wanted)
    }
}
