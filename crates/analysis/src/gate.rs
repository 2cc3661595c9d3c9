//! Gates, which are conditions under which a comparison fails, such as `p95>5%`.
//!
//! An interval of −12 … +43 % shows no difference but does not rule one out. A gate's result is therefore *worse* or
//! *within* only if the whole interval is on one side of the limit. Otherwise, it is *cannot tell*.
//!
//! Start reading at [`Gate`].

use tacho_core::{Error, Result};
use tacho_metrics::{
    Change, Direction, Effect, FAMILY_WISE, Mean, Power, Sample, holm, moderated, overall_effect,
};

use crate::compare::{Comparison, Overall, Side, in_turns};
use crate::condition::{GateOutcome, GateVerdict};
use crate::metric::Metric;
use crate::sweep_compare::{SweepComparison, SweepSide};

/// The noise that is assumed if a run's noise was not measured.
pub const USUAL_NOISE: f64 = 0.05;

/// Maximum p-value of a clear improvement. Such an improvement passes the gate even if its confidence interval is wide.
const BETTER_BEYOND_DOUBT: f64 = 0.001;

/// A metric, and the amount by which it is allowed to become worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    condition: String,
    metric: String,
    limit: f64,
}

impl Gate {
    /// Parses a condition, which consists of a metric, `>` or `<`, and a percentage.
    pub fn parse(text: &str) -> Result<Self> {
        let form = || {
            Error::usage(format!("invalid condition \"{text}\""))
                .hint("use a condition such as p95>5%, new_order.p99>10% or tps<-5%")
        };
        let condition: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (metric, size) = condition.split_once(['<', '>']).ok_or_else(form)?;
        let number = size.strip_suffix('%').ok_or_else(form)?.replace('−', "-");
        let limit = number.parse::<f64>().map_err(|_| form())? / 100.0;
        let is_above = condition.contains('>');
        let is_possible = limit.abs() < 10.0 && if is_above { limit > 0.0 } else { limit < 0.0 };
        if metric.is_empty() || !is_possible || limit <= -1.0 {
            return Err(form());
        }
        Ok(Self { metric: metric.to_owned(), condition: condition.clone(), limit })
    }

    /// Returns the metric as written by the user.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// Evaluates the condition for a comparison of two sides, each consisting of runs.
    pub fn of_runs(&self, comparison: &mut Comparison, baseline: &Side, run: &Side) -> Result<()> {
        let found = self.outcome(&[(String::new(), baseline, run)])?;
        comparison.overall = Overall::of_gate(found.verdict);
        comparison.gate = Some(found);
        Ok(())
    }

    /// Evaluates the condition for a comparison of two sweeps, over all their points.
    pub fn of_sweeps(
        &self,
        comparison: &mut SweepComparison,
        baseline: &SweepSide,
        run: &SweepSide,
    ) -> Result<()> {
        let side = |side: &SweepSide, ids: &[String]| {
            let runs = side.runs.iter().flatten();
            let runs = runs.filter(|run| ids.contains(&run.record.id)).cloned().collect();
            Side { name: side.name.clone(), runs }
        };
        let points: Vec<(String, Side, Side)> = comparison
            .points
            .iter()
            .map(|point| {
                let name = comparison.label(&point.values);
                (name, side(baseline, &point.baseline_runs), side(run, &point.runs))
            })
            .collect();
        let points: Vec<(String, &Side, &Side)> =
            points.iter().map(|(name, a, b)| (name.clone(), a, b)).collect();
        let mut found = self.outcome(&points)?;
        if comparison.unmatched.iter().any(|unmatched| unmatched.in_both)
            && found.verdict == GateVerdict::Within
        {
            found.verdict = GateVerdict::CannotTell;
        }
        comparison.gate = Some(found);
        Ok(())
    }

    fn outcome(&self, points: &[(String, &Side, &Side)]) -> Result<GateOutcome> {
        let first = points.first().and_then(|(_, baseline, _)| baseline.runs.first());
        let Some(first) = first else {
            return Err(Error::usage(format!("no runs to evaluate with {}", self.condition)));
        };
        let metric = Metric::parse(Some(&self.metric), &first.record)?;
        self.require_direction(metric.good())?;
        let effects: Option<Vec<Effect>> =
            points.iter().map(|(_, baseline, run)| effect(&metric, baseline, run)).collect();
        let runs = points.iter().flat_map(|(_, a, b)| [a.runs.len(), b.runs.len()]);
        let repeats = runs.min().unwrap_or(1) as u32;
        let is_unmeasured = effects.is_none();
        let decision = match &effects {
            Some(effects) => decide(effects, self.limit, repeats),
            None => Decision::UNMEASURED,
        };
        let name = metric.name();
        Ok(GateOutcome {
            condition: self.condition.clone(),
            metric: name.strip_prefix("all ").unwrap_or(&name).to_owned(),
            limit: self.limit,
            change: decision.change,
            verdict: decision.verdict,
            worse_at: decision.worse_at.iter().map(|at| points[*at].0.clone()).collect(),
            repeats,
            is_unmeasured,
            repeats_needed: decision.repeats_needed,
            assumed_noise: decision.assumed_noise,
        })
    }

    fn require_direction(&self, good: Direction) -> Result<()> {
        let Self { condition, metric, limit } = self;
        let is_worse = (*limit > 0.0) == (good == Direction::Down);
        if is_worse {
            return Ok(());
        }
        let fix = match good {
            Direction::Up => format!("{metric}<-{}%", limit * 100.0),
            Direction::Down => format!("{metric}>{}%", -limit * 100.0),
        };
        Err(Error::usage(format!("an improvement would meet {condition}"))
            .hint(format!("use {fix}")))
    }
}

/// Returns the difference in a metric between two sides, or `None` if one of the runs has no value for the metric.
fn effect(metric: &Metric, baseline: &Side, run: &Side) -> Option<Effect> {
    let values = |side: &Side| -> Option<Vec<f64>> {
        let results = side.runs.iter().map(|run| run.record.result.as_ref());
        results.map(|result| metric.figure(result?)).collect()
    };
    let (first, second) = (values(baseline)?, values(run)?);
    let effect = Effect::of(Sample::of(&first, &[])?, Sample::of(&second, &[])?);
    let pairs: Vec<(f64, f64)> = first.into_iter().zip(second).collect();
    Some(if in_turns(baseline, run) { effect.in_turns(&pairs) } else { effect })
}

/// The verdict, along with the values on which it is based.
#[derive(Clone, Debug, PartialEq)]
struct Decision {
    change: Option<Change>,
    verdict: GateVerdict,
    /// Indexes of the sweep points at which the metric became worse than the limit.
    worse_at: Vec<usize>,
    repeats_needed: Option<u32>,
    /// Noise that was assumed for computing the number of repeats; absent if the noise was measured.
    assumed_noise: Option<f64>,
}

impl Decision {
    /// The decision of the gate if its metric has no value in one of the runs.
    const UNMEASURED: Self = Self {
        change: None,
        verdict: GateVerdict::CannotTell,
        worse_at: Vec::new(),
        repeats_needed: None,
        assumed_noise: None,
    };
}

/// Evaluates a gate's condition, given the differences at all points. Without repeated runs, the verdict is
/// "cannot tell".
fn decide(points: &[Effect], limit: f64, repeats: u32) -> Decision {
    let all: Vec<&Effect> = points.iter().collect();
    let is_repeated = all.iter().all(|point| point.is_repeated());
    let mean = overall_effect(&all).filter(|_| is_repeated);
    let worse_at =
        if is_repeated && points.len() > 1 { worse_points(&all, limit) } else { Vec::new() };
    let change = mean.map(Change::of_logarithm);
    let is_beyond = change.is_some_and(|change| {
        (change.low > limit && limit > 0.0) || (change.high < limit && limit < 0.0)
    });
    let is_within = change.is_some_and(|change| is_within(change, limit));
    let verdict = match (is_beyond || !worse_at.is_empty(), is_within) {
        (true, _) => GateVerdict::Worse,
        (false, true) => GateVerdict::Within,
        (false, false) => GateVerdict::CannotTell,
    };
    let undecided = verdict == GateVerdict::CannotTell;
    let noise = measured_noise(&all);
    let assumed = noise.is_none().then_some(USUAL_NOISE);
    let power = Power { noise: noise.unwrap_or(USUAL_NOISE), points: points.len().max(1) as u32 };
    let repeats_needed = undecided.then(|| needed(power, mean, limit, repeats)).flatten();
    let assumed_noise = assumed.filter(|_| undecided);
    Decision { change, verdict, worse_at, repeats_needed, assumed_noise }
}

/// Returns true if the confidence interval is on the good side of the limit and narrow enough. A wide interval is
/// accepted only for a clear improvement. Otherwise, one in ten builds would pass by chance on a machine with 10 %
/// noise.
fn is_within(change: Change, limit: f64) -> bool {
    let is_below = if limit > 0.0 { change.high < limit } else { change.low > limit };
    let half = (change.high.ln_1p() - change.low.ln_1p()) / 2.0;
    let is_better = change.p < BETTER_BEYOND_DOUBT && change.value * limit < 0.0;
    is_below && (half <= limit.ln_1p().abs() || is_better)
}

/// Returns the points at which the change is worse than the limit. All points are tested together.
fn worse_points(points: &[&Effect], limit: f64) -> Vec<usize> {
    let beyond = |mean: Mean| Mean { value: mean.value - limit.ln_1p(), ..mean };
    let means: Vec<Option<Mean>> =
        moderated(points).into_iter().map(|mean| mean.map(beyond)).collect();
    let p: Vec<f64> =
        means.iter().map(|mean| mean.map_or(1.0, |mean| Change::of_logarithm(mean).p)).collect();
    let is_worse = |at: &usize| means[*at].is_some_and(|mean| mean.value * limit > 0.0);
    let adjusted = holm(&p);
    (0..points.len()).filter(|at| adjusted[*at] <= FAMILY_WISE && is_worse(at)).collect()
}

/// Returns the noise of a single run, computed from the repeated runs at all points, or `None` if no runs were
/// repeated.
fn measured_noise(points: &[&Effect]) -> Option<f64> {
    let squares: Vec<f64> =
        points.iter().filter_map(|point| Some(point.noise()?.powi(2))).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    (!squares.is_empty()).then(|| mean.sqrt())
}

/// Returns the number of runs per side that would detect a change as large as the limit. If both sides already
/// have that many runs, returns the number that would show whether the observed change exceeds the limit.
fn needed(power: Power, mean: Option<Mean>, limit: f64, repeats: u32) -> Option<u32> {
    let usual = power.repeats_for(limit.ln_1p().abs().exp_m1())?;
    if usual > repeats {
        return Some(usual.max(2));
    }
    let apart = (mean?.value - limit.ln_1p()).abs();
    power.repeats_for(apart.exp_m1()).filter(|repeats_apart| *repeats_apart > repeats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::{Rng, Seed};

    /// Number of builds to simulate for each combination of noise and change.
    const BUILDS: u64 = 1_000;

    fn normal(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    /// Returns the measured difference between two builds that take turns on a machine whose speed drifts by 3 %.
    fn builds(trial: u64, noise: f64, repeats: usize, by: f64) -> Effect {
        let mut rng = Seed(5).rng(trial);
        let one = |at: usize| {
            let drift = 0.03 * at as f64 / repeats as f64;
            let mut value = |by: f64| 10.0 * (noise * normal(&mut rng) + drift + by.ln_1p()).exp();
            (value(0.0), value(by))
        };
        let pairs: Vec<(f64, f64)> = (0..repeats).map(one).collect();
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let sample = |values: &[f64]| Sample::of(values, &[]).expect("values");
        Effect::of(sample(&first), sample(&second)).in_turns(&pairs)
    }

    fn count(noise: f64, repeats: usize, by: f64, verdict: GateVerdict) -> usize {
        let is = |trial: &u64| {
            let effect = builds(*trial, noise, repeats, by);
            decide(&[effect], 0.05, repeats as u32).verdict == verdict
        };
        (0..BUILDS).filter(is).count()
    }

    #[test]
    fn builds_without_a_change_pass_and_worse_ones_fail() {
        let wrong = count(0.015, 5, 0.0, GateVerdict::Worse);
        assert!(wrong <= 50, "{wrong} of {BUILDS} unchanged builds fail");
        let found = count(0.015, 5, 0.1, GateVerdict::Worse);
        assert!(found >= 900, "{found} of {BUILDS} builds with a 10 % regression fail");
        let passed = count(0.015, 5, 0.0, GateVerdict::Within);
        assert!(passed >= 800, "{passed} of {BUILDS} unchanged builds pass");
        let at_the_limit = count(0.015, 5, 0.05, GateVerdict::Within);
        assert!(at_the_limit <= 40, "{at_the_limit} builds with a 5 % regression pass");
    }

    #[test]
    fn noise_that_hides_the_limit_cannot_tell() {
        for (noise, most) in [(0.2, 2), (0.1, 10)] {
            let [equal, worse] = [0.0, 0.1].map(|by| count(noise, 5, by, GateVerdict::Within));
            assert!(equal <= most && worse == 0, "{noise}: {equal} and {worse} within");
            let failed = count(noise, 5, 0.0, GateVerdict::Worse);
            assert!(failed <= 50, "{noise}: {failed} fail");
        }
    }

    #[test]
    fn what_cannot_be_told_says_how_many_runs_would() {
        let telling = |trial: u64| {
            let few = decide(&[builds(trial, 0.05, 3, 0.0)], 0.05, 3);
            let needed = few.repeats_needed.filter(|repeats| *repeats < 200)?;
            let many = decide(&[builds(trial, 0.05, needed as usize, 0.0)], 0.05, needed);
            Some(many.verdict == GateVerdict::Within)
        };
        let told: Vec<bool> = (0..300).filter_map(telling).collect();
        let within = told.iter().filter(|is_within| **is_within).count();
        assert!(told.len() > 200 && within * 10 > told.len() * 6, "{within} of {}", told.len());
        let single = Sample::of(&[10.0], &[]).expect("a value");
        let single = decide(&[Effect::of(single, single)], 0.05, 1);
        assert_eq!((single.verdict, single.change), (GateVerdict::CannotTell, None));
        assert!(single.repeats_needed.is_some_and(|repeats| repeats > 2), "{single:?}");
    }

    #[test]
    fn a_single_point_that_is_worse_fails_the_gate() {
        let points: Vec<Effect> = [0.0, 0.01, 0.4, 0.0]
            .iter()
            .zip(0..)
            .map(|(by, at)| builds(at, 0.01, 3, *by))
            .collect();
        let found = decide(&points, 0.05, 3);
        assert_eq!((found.verdict, &found.worse_at[..]), (GateVerdict::Worse, &[2][..]));
    }

    #[test]
    fn conditions_have_a_metric_and_a_size_for_the_worse() {
        let gate = Gate::parse(" new_order.p95 > 5% ").expect("a condition");
        assert_eq!((gate.metric.as_str(), gate.limit), ("new_order.p95", 0.05));
        assert!(gate.require_direction(Direction::Down).is_ok());
        let wrong = gate.require_direction(Direction::Up).expect_err("the wrong way");
        assert!(wrong.hints().iter().any(|hint| hint.contains("new_order.p95<-5%")));
        let falling = Gate::parse("tps<-2.5%").expect("a condition");
        assert!((falling.limit + 0.025).abs() < 1e-12);
        for bad in ["", "p95", "p95>5", "p95>-5%", "tps<5%", ">5%", "p95>x%", "tps<-100%"] {
            assert!(Gate::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_counted_on() {
        let [first, second] = [10.0, 10.1].map(|value| Sample::of(&[value], &[]).expect("a value"));
        let single = decide(&[Effect::of(first, second)], 0.05, 1);
        assert_eq!((single.verdict, single.change), (GateVerdict::CannotTell, None));
        assert_eq!(single.assumed_noise, Some(USUAL_NOISE));
        let noisy = decide(&[builds(1, 0.3, 3, 0.0)], 0.05, 3);
        assert_eq!((noisy.verdict, noisy.assumed_noise), (GateVerdict::CannotTell, None));
        assert_eq!(Decision::UNMEASURED.repeats_needed, None);
    }
}
