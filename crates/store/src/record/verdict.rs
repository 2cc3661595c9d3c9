//! The verdict on a run: INVALID, or whether its figure is established.
//!
//! A run is INVALID by its notices. A valid one may still not know its own figure: because it was too
//! short, or because the throughput varied or moved too much. Start reading at
//! [`ResultRecord::verdict`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::Spacing;
use tacho_core::units::{THIN_SPACE, percent};

use super::{HeadlineRecord, PlanRecord, ResultRecord, RunEnd, SteadinessVerdict};

/// A figure whose 95 % interval is wider than this to each side is UNSTABLE, and so is one whose
/// halves differ by more. Two such figures cannot show a change below 14 % (√2 times this), while most
/// changes that are worth a measurement are smaller.
pub const UNSTABLE_FROM: f64 = 0.10;
/// Full intervals that a run needs: the test of its halves has no power with fewer than four in each.
pub const INTERVALS_MIN: u64 = 8;
/// Intervals from which on the end of the warm-up is looked for.
const WARM_UP_FROM: u64 = 30;
/// Quantiles of Student's t that the spread of arrivals is allowed: that of the 95 % interval of ten
/// intervals, and that of the test of the halves at 99 %.
const T_INTERVAL: f64 = 2.3;
const T_HALVES: f64 = 2.9;

/// The verdict on the figures of a run, the most severe last.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// The figures may be used.
    #[default]
    Valid,
    /// There are too few intervals to judge whether the figure is stable.
    TooShort,
    /// The throughput varies or drifts so much that a single figure does not describe the run.
    Unstable,
    /// The figures must not be used.
    Invalid,
}

impl RunVerdict {
    /// As printed.
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
    /// Returns the figure in which the throughput is stated, such as NOPM; `None` if it is stated in transactions per
    /// second.
    pub fn stated_headline(&self) -> Option<&HeadlineRecord> {
        self.headline.as_ref().filter(|headline| !headline.proof_only)
    }

    /// The verdict; of a record without one, it follows from the interval and the steadiness.
    pub fn verdict(&self) -> RunVerdict {
        match self.verdict {
            _ if !self.valid => RunVerdict::Invalid,
            Some(verdict) => verdict,
            None => self.stability(None).0,
        }
    }

    /// Why the figure is not established, in words; empty if it is.
    pub fn unsettled(&self) -> Vec<String> {
        match self.verdict {
            Some(_) => self.unsettled.clone(),
            None => self.stability(None).1,
        }
    }

    /// Sets the verdict by what was measured.
    pub fn judge(&mut self, plan: &PlanRecord) {
        let (verdict, reasons) = self.stability_by(plan);
        self.verdict = Some(if self.valid { verdict } else { RunVerdict::Invalid });
        self.unsettled = reasons;
    }

    /// Returns the verdict on a valid run, and the reasons for it. Of an open run with Poisson arrivals the plan is needed: the
    /// spread of the arrivals themselves is not the server's. A load that changes has the gravest verdict of its steps, since
    /// it has no single throughput; what makes a step INVALID is a notice of the run.
    pub fn stability_by(&self, plan: &PlanRecord) -> (RunVerdict, Vec<String>) {
        if self.steps.is_empty() {
            return self.stability(Some(plan));
        }
        let verdicts = self.steps.iter().map(|step| step.verdict);
        let worst = verdicts.filter(|step| *step != RunVerdict::Invalid).max().unwrap_or_default();
        let valid = worst == RunVerdict::Valid;
        (worst, if valid { Vec::new() } else { self.steps_at(worst) })
    }

    /// The steps with this verdict and their reasons: the first few, and the number of the rest.
    pub fn steps_at(&self, verdict: RunVerdict) -> Vec<String> {
        const FIRST: usize = 3;
        let own = self.steps.iter().filter(|own| own.verdict == verdict);
        let mut named: Vec<String> = own
            .map(|own| {
                format!("step {} ({}): {}", own.number, own.step.words(), own.reasons.join(", "))
            })
            .collect();
        let more = named.len().saturating_sub(FIRST);
        named.truncate(FIRST);
        if more > 0 {
            named.push(format!("{more} further steps"));
        }
        named
    }

    /// Half the width of the 95 % interval, if it is more than a figure may have.
    pub fn too_wide(&self, plan: Option<&PlanRecord>) -> Option<f64> {
        let own = self.interval_95.filter(|own| own.value > 0.0)?;
        let half = (own.high - own.low) / 2.0 / own.value;
        (half > UNSTABLE_FROM + T_INTERVAL * self.spread_of_arrivals(plan)).then_some(half)
    }

    fn stability(&self, plan: Option<&PlanRecord>) -> (RunVerdict, Vec<String>) {
        // Sessions that end by themselves have a time and not a rate that could be uneven.
        if !self.streams.is_empty() || self.ended_by == RunEnd::Done {
            return (RunVerdict::Valid, Vec::new());
        }
        let samples = self.interval_95.map_or(0, |own| own.samples);
        if samples < INTERVALS_MIN || self.steadiness.verdict == Some(SteadinessVerdict::TooShort) {
            return (RunVerdict::TooShort, vec![too_short(samples)]);
        }
        let wide =
            self.too_wide(plan).map(|half| format!("95{THIN_SPACE}% interval ±{}", percent(half)));
        let moved = self.too_far_apart(plan).map(|drift| {
            let sign = if drift < 0.0 { '−' } else { '+' };
            format!("second half {sign}{} against the first", percent(drift.abs()))
        });
        let rising = moved.is_none() && self.never_settled();
        let open_end = rising.then(|| "not settled by the end".to_owned());
        let reasons: Vec<String> = wide.into_iter().chain(moved).chain(open_end).collect();
        let verdict = if reasons.is_empty() { RunVerdict::Valid } else { RunVerdict::Unstable };
        (verdict, reasons)
    }

    /// Whether throughput was still moving at the end: it drifts, and the end of the warm-up was looked
    /// for and not seen.
    pub fn never_settled(&self) -> bool {
        let samples = self.interval_95.map_or(0, |own| own.samples);
        let own = &self.steadiness;
        own.verdict == Some(SteadinessVerdict::Drifting)
            && own.warm_up_s.is_none()
            && samples >= WARM_UP_FROM
    }

    /// The drift, if it is more than a figure may have.
    fn too_far_apart(&self, plan: Option<&PlanRecord>) -> Option<f64> {
        let limit = UNSTABLE_FROM + 2.0 * T_HALVES * self.spread_of_arrivals(plan);
        self.steadiness.drift.filter(|drift| drift.abs() > limit)
    }

    /// The standard error of the rate that Poisson arrivals alone have, relative to it; 0 for all
    /// others.
    fn spread_of_arrivals(&self, plan: Option<&PlanRecord>) -> f64 {
        let poisson = plan.is_some_and(|plan| {
            let arrival = plan.load.arrival;
            arrival.rate.is_some() && arrival.spacing == Spacing::Poisson
        });
        let ended = self.accounting.committed + self.accounting.rolled_back;
        if poisson && ended > 0 { 1.0 / (ended as f64).sqrt() } else { 0.0 }
    }
}

fn too_short(samples: u64) -> String {
    // Without an interval the number is not recorded; then there were fewer than five.
    let found = if samples == 0 { "fewer than 5".to_owned() } else { samples.to_string() };
    format!("{found} full intervals, {INTERVALS_MIN} are needed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Estimate, LedgerRecord, SteadinessRecord};
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
            ["95\u{202f}% interval ±90.0\u{202f}%", "second half −54.0\u{202f}% against the first"]
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
            let mut own = result(0.01, 0.05, samples);
            own.steadiness.verdict = Some(SteadinessVerdict::Drifting);
            own.steadiness.warm_up_s = warm_up_s;
            own.verdict()
        };
        assert_eq!(moving(60, None), RunVerdict::Unstable);
        assert_eq!(moving(60, Some(10.0)), RunVerdict::Valid);
        // Of so few intervals the end of the warm-up is not known, which says nothing.
        assert_eq!(moving(10, None), RunVerdict::Valid);
    }

    #[test]
    fn the_spread_of_arrivals_is_not_the_servers() {
        let mut poisson = PlanRecord::default();
        poisson.load.arrival = Arrival::open(500.0, Spacing::Poisson);
        let judged = |plan: &PlanRecord, half| {
            let mut own = result(half, 0.0, 10);
            own.judge(plan);
            own.verdict()
        };
        // A hundred arrivals alone spread by ten per cent.
        assert_eq!(judged(&poisson, 0.3), RunVerdict::Valid);
        assert_eq!(judged(&poisson, 0.4), RunVerdict::Unstable);
        assert_eq!(judged(&PlanRecord::default(), 0.3), RunVerdict::Unstable);
    }
}
