//! The verdict on a run. A run is INVALID or valid. The result of a valid run may still be too
//! short or unsteady.
//!
//! Only notices make a run INVALID.
//!
//! Start reading at [`ResultRecord::verdict`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::Spacing;
use tacho_core::units::{THIN_SPACE, percent};

use super::{
    Estimate, HeadlineRecord, PlanRecord, ResultRecord, RunEnd, SteadinessRecord, SteadinessVerdict,
};

/// Limit from which a result is UNSTABLE. It applies to half the relative width of the 95 % confidence interval, and to
/// the relative difference between the two halves of a run. If two results are at this limit, changes below 14 % cannot
/// be detected (√2 times the limit).
pub const UNSTABLE_FROM: f64 = 0.10;
/// Minimum number of full intervals in a run. Halves of fewer than four intervals cannot be compared.
pub const INTERVALS_MIN: u64 = 8;
/// Minimum number of intervals needed to detect the end of the warm-up.
const WARM_UP_FROM: u64 = 30;
/// Quantiles of Student's t-distribution: one for the 95 % confidence interval of ten intervals,
/// and one for comparing the halves of a run at 99 %.
const T_INTERVAL: f64 = 2.3;
const T_HALVES: f64 = 2.9;

/// The possible verdicts on a run's results, from the least to the most severe.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// The results may be used.
    #[default]
    Valid,
    /// There are too few intervals to decide whether the result is stable.
    TooShort,
    /// The throughput varies or drifts too much for a single number to describe the run.
    Unstable,
    /// The results must not be used.
    Invalid,
}

impl RunVerdict {
    /// Returns the verdict as Tacho prints it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Valid => "VALID",
            Self::Unstable => "UNSTABLE",
            Self::TooShort => "TOO SHORT",
            Self::Invalid => "INVALID",
        }
    }
}

impl ResultRecord {
    /// Returns the throughput metric, such as NOPM, or `None` if throughput is in transactions per second.
    pub fn stated_headline(&self) -> Option<&HeadlineRecord> {
        self.headline.as_ref().filter(|headline| !headline.proof_only)
    }

    /// Returns the verdict. For a record without a verdict, derives it from the confidence interval
    /// and the steadiness.
    pub fn verdict(&self) -> RunVerdict {
        match self.verdict {
            _ if !self.valid => RunVerdict::Invalid,
            Some(verdict) => verdict,
            None => self.stability(None).0,
        }
    }

    /// Returns the reasons why the result is too short or unsteady, or nothing if it is steady.
    pub fn unsettled(&self) -> Vec<String> {
        match self.verdict {
            Some(_) => self.unsettled.clone(),
            None => self.stability(None).1,
        }
    }

    /// Derives the verdict from the results and stores it in the record.
    pub fn judge(&mut self, plan: &PlanRecord) {
        let (verdict, reasons) = self.stability_by(plan);
        self.verdict = Some(if self.valid { verdict } else { RunVerdict::Invalid });
        self.unsettled = reasons;
    }

    /// Returns the verdict on a valid run, with the reasons. For a varying load, this is the most severe verdict on any
    /// of its steps. `plan` shows whether Poisson arrivals alone explain the variation in throughput.
    pub fn stability_by(&self, plan: &PlanRecord) -> (RunVerdict, Vec<String>) {
        if self.steps.is_empty() {
            return self.stability(Some(plan));
        }
        let verdicts = self.steps.iter().map(|step| step.verdict);
        let worst = verdicts.filter(|step| *step != RunVerdict::Invalid).max().unwrap_or_default();
        let valid = worst == RunVerdict::Valid;
        (worst, if valid { Vec::new() } else { self.steps_at(worst) })
    }

    /// Returns the steps with this verdict and their reasons. Lists the first few steps and counts the others.
    pub fn steps_at(&self, verdict: RunVerdict) -> Vec<String> {
        const FIRST: usize = 3;
        let steps = self.steps.iter().filter(|step| step.verdict == verdict);
        let mut named: Vec<String> = steps
            .map(|step| {
                format!("step {} ({}): {}", step.number, step.step.words(), step.reasons.join(", "))
            })
            .collect();
        let more = named.len().saturating_sub(FIRST);
        named.truncate(FIRST);
        if more > 0 {
            named.push(format!("{more} further steps"));
        }
        named
    }

    /// Returns the confidence interval on which the verdict is based. In a run with faults, it
    /// covers only the undisturbed time.
    pub fn verdict_interval(&self) -> Option<Estimate> {
        self.undisturbed.as_ref().map_or(self.interval_95, |quiet| quiet.interval_95)
    }

    /// Returns the steadiness on which the verdict is based. In a run with faults, it covers only
    /// the undisturbed time.
    pub fn verdict_steadiness(&self) -> &SteadinessRecord {
        self.undisturbed.as_ref().map_or(&self.steadiness, |quiet| &quiet.steadiness)
    }

    /// Returns half the width of the 95 % confidence interval, relative to the result, if it
    /// exceeds the limit.
    pub fn too_wide(&self, plan: Option<&PlanRecord>) -> Option<f64> {
        let interval = self.verdict_interval().filter(|interval| interval.value > 0.0)?;
        let half = (interval.high - interval.low) / 2.0 / interval.value;
        (half > UNSTABLE_FROM + T_INTERVAL * self.spread_of_arrivals(plan)).then_some(half)
    }

    fn stability(&self, plan: Option<&PlanRecord>) -> (RunVerdict, Vec<String>) {
        // If the sessions end on their own, the result is a duration, so there is no rate that could be unsteady.
        if !self.streams.is_empty() || self.ended_by == RunEnd::Done {
            return (RunVerdict::Valid, Vec::new());
        }
        let samples = self.verdict_interval().map_or(0, |interval| interval.samples);
        let is_short = self.verdict_steadiness().verdict == Some(SteadinessVerdict::TooShort);
        if samples < INTERVALS_MIN || is_short {
            let kind = if self.undisturbed.is_some() { "undisturbed" } else { "full" };
            return (RunVerdict::TooShort, vec![too_short(samples, kind)]);
        }
        let wide = self
            .too_wide(plan)
            .map(|half| format!("95{THIN_SPACE}% confidence interval ±{}", percent(half)));
        let moved = self.too_far_apart(plan).map(|drift| {
            let sign = if drift < 0.0 { '−' } else { '+' };
            format!("second half {sign}{} vs. the first", percent(drift.abs()))
        });
        let rising = moved.is_none() && self.never_settled();
        let open_end = rising.then(|| "not settled by the end".to_owned());
        let reasons: Vec<String> = wide.into_iter().chain(moved).chain(open_end).collect();
        let verdict = if reasons.is_empty() { RunVerdict::Valid } else { RunVerdict::Unstable };
        (verdict, reasons)
    }

    /// Returns true if the throughput drifted and no end of the warm-up was found. Requires enough
    /// intervals to find one.
    pub fn never_settled(&self) -> bool {
        let samples = self.verdict_interval().map_or(0, |interval| interval.samples);
        let steadiness = self.verdict_steadiness();
        steadiness.verdict == Some(SteadinessVerdict::Drifting)
            && steadiness.warm_up_s.is_none()
            && samples >= WARM_UP_FROM
    }

    /// Returns the drift if it exceeds the permitted limit.
    fn too_far_apart(&self, plan: Option<&PlanRecord>) -> Option<f64> {
        let limit = UNSTABLE_FROM + 2.0 * T_HALVES * self.spread_of_arrivals(plan);
        self.verdict_steadiness().drift.filter(|drift| drift.abs() > limit)
    }

    /// Returns the rate's relative standard error caused by Poisson arrivals alone; 0 for other arrivals.
    fn spread_of_arrivals(&self, plan: Option<&PlanRecord>) -> f64 {
        let poisson = plan.is_some_and(|plan| {
            let arrival = plan.load.arrival;
            arrival.rate.is_some() && arrival.spacing == Spacing::Poisson
        });
        let all = (self.accounting.committed + self.accounting.rolled_back) as f64;
        let quiet = self.undisturbed.as_ref();
        let ended = quiet.map_or(all, |quiet| quiet.throughput_per_s * quiet.length_s);
        if poisson && ended > 0.0 { 1.0 / ended.sqrt() } else { 0.0 }
    }
}

fn too_short(samples: u64, kind: &str) -> String {
    // A result without a confidence interval does not contain the number of intervals, but it was below five.
    let found = if samples == 0 { "fewer than 5".to_owned() } else { samples.to_string() };
    format!("{found} {kind} intervals, but {INTERVALS_MIN} are needed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{LedgerRecord, UndisturbedRecord};
    use tacho_config::Arrival;

    fn result(half: f64, drift: f64, samples: u64) -> ResultRecord {
        let (low, high) = (100.0 * (1.0 - half), 100.0 * (1.0 + half));
        ResultRecord {
            valid: true,
            interval_95: Some(Estimate { value: 100.0, low, high, samples, batches: samples }),
            steadiness: SteadinessRecord {
                verdict: Some(SteadinessVerdict::Steady),
                drift: Some(drift),
                warm_up_s: None,
            },
            accounting: LedgerRecord { committed: 100, ..LedgerRecord::default() },
            ..ResultRecord::default()
        }
    }

    #[test]
    fn a_figure_that_varies_or_moves_is_not_valid() {
        for (half, drift, samples, verdict) in [
            (0.05, 0.02, 10, RunVerdict::Valid),
            (0.99, 0.02, 10, RunVerdict::Unstable),
            (0.05, -0.54, 10, RunVerdict::Unstable),
            (0.05, 0.11, 10, RunVerdict::Unstable),
            (0.05, 0.02, 7, RunVerdict::TooShort),
        ] {
            let result = result(half, drift, samples);
            assert_eq!(result.verdict(), verdict, "{half} {drift} {samples}");
            assert_eq!(result.unsettled().is_empty(), verdict == RunVerdict::Valid);
        }
        let both = result(0.9, -0.54, 10).unsettled();
        assert_eq!(
            both,
            [
                "95\u{202f}% confidence interval ±90.0\u{202f}%",
                "second half −54.0\u{202f}% vs. the first"
            ]
        );
        let none = ResultRecord { interval_95: None, ..result(0.0, 0.0, 0) };
        assert_eq!(none.verdict(), RunVerdict::TooShort);
        let invalid = ResultRecord { valid: false, ..result(0.9, 0.0, 10) };
        assert_eq!(invalid.verdict(), RunVerdict::Invalid);
        let streams = ResultRecord { ended_by: RunEnd::Done, ..none };
        assert_eq!(streams.verdict(), RunVerdict::Valid);
    }

    #[test]
    fn a_figure_that_still_moves_at_the_end_is_not_valid() {
        let moving = |samples, warm_up_s| {
            let mut judged = result(0.01, 0.05, samples);
            judged.steadiness.verdict = Some(SteadinessVerdict::Drifting);
            judged.steadiness.warm_up_s = warm_up_s;
            judged.verdict()
        };
        assert_eq!(moving(60, None), RunVerdict::Unstable);
        assert_eq!(moving(60, Some(10.0)), RunVerdict::Valid);
        // With only ten intervals, the end of a warm-up cannot be found, so the run is not considered unstable.
        assert_eq!(moving(10, None), RunVerdict::Valid);
    }

    #[test]
    fn a_run_with_faults_has_the_verdict_of_its_undisturbed_time() {
        let with = |quiet: ResultRecord| {
            let (interval_95, steadiness) = (quiet.interval_95, quiet.steadiness);
            let quiet =
                UndisturbedRecord { interval_95, steadiness, ..UndisturbedRecord::default() };
            let whole = result(0.9, -0.54, 40);
            ResultRecord { undisturbed: Some(quiet), ..whole }
        };
        assert_eq!(with(result(0.05, 0.02, 20)).verdict(), RunVerdict::Valid);
        assert_eq!(with(result(0.05, 0.3, 20)).verdict(), RunVerdict::Unstable);
        let short = with(result(0.05, 0.02, 7));
        assert_eq!(short.unsettled(), ["7 undisturbed intervals, but 8 are needed"]);
        let json = serde_json::to_string(&result(0.05, 0.02, 20)).expect("a record");
        assert!(!json.contains("undisturbed"), "{json}");
    }

    #[test]
    fn the_spread_of_arrivals_is_not_the_servers() {
        let mut poisson = PlanRecord::default();
        poisson.load.arrival = Arrival::open(500.0, Spacing::Poisson);
        let judged = |plan: &PlanRecord, half| {
            let mut judged = result(half, 0.0, 10);
            judged.judge(plan);
            judged.verdict()
        };
        // The number of Poisson arrivals in an interval varies even if the server is steady. If the mean is 100, the
        // standard deviation is 10 %.
        assert_eq!(judged(&poisson, 0.3), RunVerdict::Valid);
        assert_eq!(judged(&poisson, 0.4), RunVerdict::Unstable);
        assert_eq!(judged(&PlanRecord::default(), 0.3), RunVerdict::Unstable);
    }
}
