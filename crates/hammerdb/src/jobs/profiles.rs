//! Performance profiles. A profile is a group of jobs with different numbers of virtual users.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Jobs;
use super::answers::{Answer, pretty};

impl Jobs {
    pub fn profile(&self, profile: u64) -> Answer {
        let mut found = Map::new();
        for job in self.all().into_iter().filter(|job| job.profile_id == profile) {
            if let Some(value) = self.result_value(&job) {
                found.insert(job.jobid, value);
            }
        }
        if found.is_empty() {
            let text = format!("Error: No jobs found with performance profile id of {profile}");
            return Err(text);
        }
        Ok(pretty(&Value::Object(found)))
    }

    /// Returns the numbers of all profiles.
    pub fn profile_ids(&self) -> Vec<u64> {
        let mut ids: Vec<u64> = self.all().iter().map(|job| job.profile_id).collect();
        ids.retain(|id| *id > 0);
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the NOPM of a profile's jobs by number of virtual users. Of several jobs with the same number, only the
    /// last one is included.
    pub(super) fn points(&self, profile: u64) -> BTreeMap<u32, f64> {
        let jobs = self.all().into_iter().filter(|job| job.profile_id == profile);
        jobs.filter_map(|job| Some((job.activevu, self.result(&job)?.0 as f64))).collect()
    }

    /// Returns the output of `jobs diff <base> <new> [weighted]`, which consists of a sentence and the ratio (new −
    /// base) ÷ base.
    pub fn diff(&self, base: u64, new: u64, weighted: bool) -> Answer {
        let (base, new) = (self.points(base), self.points(new));
        let pairs: Vec<(u32, f64, f64)> =
            base.iter().filter_map(|(users, a)| Some((*users, *a, *new.get(users)?))).collect();
        if pairs.is_empty() {
            return Err("Error: the two profiles have no overlapping activevu points".into());
        }
        let cores = tacho_collect::cores().div_ceil(2).max(1);
        let weight = |users: u32| {
            if weighted { (f64::from(users) / f64::from(cores)).max(1.0) } else { 1.0 }
        };
        let total: f64 = pairs.iter().map(|(users, ..)| weight(*users)).sum();
        let mean = |value: fn(&(u32, f64, f64)) -> f64| {
            pairs.iter().map(|pair| value(pair) * weight(pair.0)).sum::<f64>() / total
        };
        let (base, new) = (mean(|pair| pair.1), mean(|pair| pair.2));
        let how = if weighted { "weighted linear, no cap" } else { "unweighted" };
        let cores = if weighted { format!(", phys_cores={cores}") } else { String::new() };
        let matched = pairs.len();
        let ratio = if base > 0.0 { (new - base) / base } else { 0.0 };
        Ok(format!(
            "Profiles compared ({how}): matched={matched}{cores}, avg_base={base:.2}, \
             avg_comp={new:.2}\n{ratio:.2}"
        ))
    }
}
