//! Estimates the smallest differences that repeated runs can detect, from the noise of earlier runs.
//!
//! Start reading at [`noise`].

use tacho_analysis::{KnownNoise, known_noise};
use tacho_core::Result;
use tacho_store::Entry;
use tacho_store::record::Record;
use tacho_store::sweep::SweepRecord;

use crate::subject::{Subjects, subjects};
use crate::{Context, own_host};

/// The maximum number of earlier runs to read, starting with the most recent.
const RUNS_MAX: usize = 500;

/// The noise, the number of points and the number of repetitions. Together, they determine the smallest difference
/// that can be detected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The noise of a run.
    pub noise: KnownNoise,
    /// The number of points measured on both sides of the comparison.
    pub points: u32,
    /// The number of runs per side at each point.
    pub repeats: u32,
}

impl Forecast {
    /// Estimates which differences a planned sweep can detect.
    pub fn of_sweep(context: &Context, sweep: &SweepRecord) -> Result<Self> {
        let (points, repeats) = layout(sweep);
        Ok(Self { noise: noise(context, &sweep.workload)?, points, repeats })
    }
}

/// Returns the number of points in a sweep and the number of repetitions.
pub(crate) fn layout(sweep: &SweepRecord) -> (u32, u32) {
    let points = || sweep.points.iter().filter(|point| point.equal_side.is_none());
    let first = points().filter(|point| point.repetition == 1).count();
    (first as u32, points().map(|point| point.repetition).max().unwrap_or(1))
}

/// Estimates which differences can be detected between these runs or sweeps.
pub fn compared(context: &Context, baseline: &str, others: &[String]) -> Result<Forecast> {
    let selectors: Vec<&str> =
        [baseline].into_iter().chain(others.iter().map(String::as_str)).collect();
    match subjects(context, &context.store(), &selectors)? {
        Subjects::Sweeps(all) => {
            let layouts = || all.iter().map(|(_, sweep)| layout(sweep));
            Ok(Forecast {
                noise: noise(
                    context,
                    all.first().map_or("", |(_, sweep)| sweep.workload.as_str()),
                )?,
                points: layouts().map(|layout| layout.0).min().unwrap_or(1),
                repeats: layouts().map(|layout| layout.1).min().unwrap_or(1),
            })
        }
        Subjects::Runs(all) => {
            let first = all.iter().flat_map(|(_, runs)| runs).next();
            let workload = first.map_or("", |run| run.record.plan.workload.as_str());
            Ok(Forecast {
                noise: noise(context, workload)?,
                points: 1,
                repeats: all.iter().map(|(_, runs)| runs.len()).min().unwrap_or(1) as u32,
            })
        }
    }
}

/// Returns the noise of a workload's runs on this machine.
pub fn noise(context: &Context, workload: &str) -> Result<KnownNoise> {
    let loaded = context.store().list()?.into_iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some(run.record),
        Entry::Broken(_) => None,
    });
    let records: Vec<Record> = loaded.take(RUNS_MAX).collect();
    Ok(known_noise(records.iter(), workload, &own_host()))
}
