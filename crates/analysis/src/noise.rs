//! Estimates the noise of a workload's runs on this machine from earlier repeated runs.
//!
//! Start reading at [`known_noise`].

use std::collections::BTreeMap;

use tacho_store::record::{HostRecord, Record, ResultRecord};

use crate::compare::{condition_values, is_of_repetitions};
use crate::gate::USUAL_NOISE;

/// Minimum number of degrees of freedom for estimating the noise.
const FREEDOM_MIN: usize = 3;

/// Noise of a run: the standard deviation of the logarithm of its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownNoise {
    /// Noise as a fraction of the value.
    pub noise: f64,
    /// Number of earlier runs from which the noise was estimated; 0 if it is assumed.
    pub runs: usize,
}

/// Returns the noise of runs of `workload` on `host`, estimated from earlier runs under the same conditions.
/// Returns 5 % if there are too few earlier runs. If the runs have a fixed rate, this is the noise of the p95
/// latency.
pub fn known_noise<'a>(
    records: impl Iterator<Item = &'a Record>,
    workload: &str,
    host: &HostRecord,
) -> KnownNoise {
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let machine = |host: &HostRecord| (host.name.clone(), host.cpu.clone(), host.cores);
    let same = |record: &&Record| {
        record.plan.workload == workload && machine(&record.host) == machine(host)
    };
    for record in records.filter(same) {
        let value = record.result.as_ref().filter(|result| result.valid).and_then(value);
        if let Some(value) = value.filter(|value| *value > 0.0) {
            groups.entry(conditions(record)).or_default().push(value.ln());
        }
    }
    pooled(groups.values())
}

fn value(result: &ResultRecord) -> Option<f64> {
    if result.arrivals.is_some() {
        return result
            .transactions
            .iter()
            .find(|transaction| transaction.name == "all")?
            .latency
            .p95_us;
    }
    Some(result.stated_headline().map_or(result.throughput_per_s, |headline| headline.per_minute))
}

/// Returns all conditions except those that may differ between repetitions.
fn conditions(record: &Record) -> String {
    let all = condition_values(record).into_iter().filter(|(name, _)| !is_of_repetitions(name));
    all.map(|(name, value)| [name, value].join("=")).collect::<Vec<String>>().join("\n")
}

fn pooled<'a>(groups: impl Iterator<Item = &'a Vec<f64>>) -> KnownNoise {
    let (mut squares, mut freedom, mut runs) = (0.0, 0, 0);
    for group in groups.filter(|group| group.len() > 1) {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        squares += group.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        freedom += group.len() - 1;
        runs += group.len();
    }
    if freedom < FREEDOM_MIN || squares == 0.0 {
        return KnownNoise { noise: USUAL_NOISE, runs: 0 };
    }
    KnownNoise { noise: (squares / freedom as f64).sqrt(), runs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_pooled_around_their_own_means() {
        let groups = [vec![1.0, 1.1], vec![5.0, 5.1, 4.9], vec![9.0]];
        let known = pooled(groups.iter());
        assert!((known.noise - (0.025_f64 / 3.0).sqrt()).abs() < 1e-12, "{known:?}");
        assert_eq!(known.runs, 5);
        let few = pooled([vec![1.0, 1.3]].iter());
        assert_eq!(few, KnownNoise { noise: 0.05, runs: 0 });
    }
}
