//! Comparison of query streams. For each query, computes the ratio of its times on the two sides, then the
//! geometric mean of these ratios.
//!
//! The n-th execution of a query in a session is compared with the n-th execution on the other side. Failed
//! executions are not compared, because their times would distort the means. A single pair of executions has no
//! confidence interval.
//!
//! Start reading at [`outcome`].
//! Confidence intervals are calculated with Student's t-distribution from the logarithms of the ratios (Jain, "The Art
//! of Computer Systems Performance Analysis", §13.4). If the runs were repeated, whole runs are compared as an
//! [`Effect`]. Otherwise, pairs of executions are compared. For the geometric mean of ratios, see Fleming and Wallace,
//! Communications of the ACM 29 (1986).

use std::collections::{BTreeMap, BTreeSet};

use tacho_metrics::{Change, Direction, Effect, Mean, Sample, Verdict};
use tacho_store::record::{ExecutionRecord, ResultRecord};

use super::{Basis, MetricRow, Side, median, rate};
use crate::streams::{Name, short_hash};

/// Identifies one execution of a query by the session number and the number of the execution in this session.
type Place = (u32, u32);
/// The executions of a query in a run. Each value is the logarithm of the execution time, or `None` if it failed.
type Asked = BTreeMap<Place, Option<f64>>;
/// All queries of a run.
type Queries<'a> = BTreeMap<Name<'a>, Asked>;

/// Rows of a comparison, with notes and other additional information.
pub(super) struct Outcome {
    pub(super) rows: Vec<MetricRow>,
    pub(super) basis: Basis,
    /// Notes about results that have no row, each with the reason.
    pub(super) notes: Vec<String>,
}

/// Returns true if all runs on both sides consist of query streams.
pub(super) fn both_end(baseline: &Side, run: &Side) -> bool {
    let ends = |side: &Side| results(side).all(|result| !result.streams.is_empty());
    ends(baseline) && ends(run)
}

/// Returns the rows for the geometric mean, the slowest stream, and each query, in this order.
pub(super) fn outcome(baseline: &Side, run: &Side) -> Outcome {
    let shown = [baseline, run].map(median_place);
    let both = Both { baseline: queries(baseline), run: queries(run), shown };
    let (matches, mut notes) = both.matches();
    notes.extend(rows_differ(baseline, run));
    notes.extend(plans_differ(baseline, run));
    let repeated = both.baseline.len() > 1 && both.run.len() > 1;
    let several = matches.values().any(|places| places.len() > 1);
    let basis = match (repeated, several) {
        (true, _) => Basis::BetweenRuns,
        (false, true) => Basis::WithinRun,
        (false, false) => Basis::OneObservation,
    };
    let mut rows = vec![both.mean_row(&matches, basis), slowest(baseline, run)];
    rows.extend(matches.iter().map(|(name, places)| both.query_row(*name, places, basis)));
    Outcome { rows, basis, notes }
}

fn results(side: &Side) -> impl Iterator<Item = &ResultRecord> {
    side.runs.iter().filter_map(|run| run.record.result.as_ref())
}

fn queries(side: &Side) -> Vec<Queries<'_>> {
    results(side).map(|result| in_places(&result.executions, logarithm)).collect()
}

/// Returns the logarithm of the time, or `None` if the execution failed or its time is zero.
fn logarithm(one: &ExecutionRecord) -> Option<f64> {
    (one.failed.is_none() && one.took_s > 0.0).then(|| one.took_s.ln())
}

fn in_places<T>(
    executions: &[ExecutionRecord],
    value: impl Fn(&ExecutionRecord) -> T,
) -> BTreeMap<Name<'_>, BTreeMap<Place, T>> {
    let mut all: BTreeMap<Name<'_>, BTreeMap<Place, T>> = BTreeMap::new();
    for one in executions {
        let places = all.entry(Name(&one.transaction)).or_default();
        let before = places.range((one.session, 0)..=(one.session, u32::MAX)).count() as u32;
        places.insert((one.session, before), value(one));
    }
    all
}

/// Returns the index of a side's median run.
fn median_place(side: &Side) -> usize {
    let rates = results(side).map(rate).enumerate().collect();
    median(rates, |(_, rate)| *rate).map_or(0, |(place, _)| place)
}

/// The runs of both sides.
struct Both<'a> {
    baseline: Vec<Queries<'a>>,
    run: Vec<Queries<'a>>,
    /// The index of each side's median run. Reports show the values of these two runs.
    shown: [usize; 2],
}

impl<'a> Both<'a> {
    fn all(&self) -> impl Iterator<Item = &Queries<'a>> {
        self.baseline.iter().chain(&self.run)
    }

    /// Returns the executions of each query that succeeded in all runs. Also returns notes about executions that
    /// failed or are missing in a run.
    fn matches(&self) -> (BTreeMap<Name<'a>, Vec<Place>>, Vec<String>) {
        let names: BTreeSet<Name<'a>> = self.all().flat_map(|run| run.keys().copied()).collect();
        let (mut matches, mut out) = (BTreeMap::new(), Vec::new());
        for name in names {
            let asked = || self.all().filter_map(move |run| run.get(&name));
            let good = |place: &Place| {
                asked().filter(|places| matches!(places.get(place), Some(Some(_)))).count()
                    == self.all().count()
            };
            let mut places: Vec<Place> =
                asked().flat_map(|places| places.keys().copied()).collect();
            places.sort_unstable();
            places.dedup();
            let all = places.len();
            places.retain(good);
            if places.len() < all {
                out.push(format!("{name} ({} of {all})", all - places.len()));
            }
            matches.insert(name, places);
        }
        let note = (!out.is_empty()).then(|| {
            format!(
                "NOT COMPARED, because they failed or did not run on both sides: {}. They are \
                 excluded from the means.",
                out.join(", ")
            )
        });
        (matches, note.into_iter().collect())
    }

    /// Returns the mean logarithm of a query's execution time for each run. Only the given executions count.
    fn means(side: &[Queries<'a>], name: Name<'a>, places: &[Place]) -> Vec<f64> {
        let logarithm = |run: &Queries<'a>, place: &Place| run.get(&name)?.get(place).copied()?;
        side.iter()
            .map(|run| mean(places.iter().filter_map(|place| logarithm(run, place))))
            .collect()
    }

    /// Returns how much longer an execution took in the run than in the baseline, as the logarithm of the ratio.
    /// If a side has several runs, uses their mean.
    fn ratio(&self, name: Name<'a>, place: Place) -> f64 {
        let [a, b] = [&self.baseline, &self.run]
            .map(|side| mean(Self::means(side, name, &[place]).into_iter()));
        b - a
    }

    fn query_row(&self, name: Name<'a>, places: &[Place], basis: Basis) -> MetricRow {
        if places.is_empty() {
            return row(name.to_string(), [None, None], None, None);
        }
        let sides = [&self.baseline, &self.run].map(|side| Self::means(side, name, places));
        let effect = effect(&sides, basis);
        let ratios = places.iter().map(|place| self.ratio(name, *place));
        let ratio = match &effect {
            Some(effect) => effect.estimate(),
            None => Mean::of_repeats(&ratios.collect::<Vec<f64>>()),
        };
        let change = ratio.map(Change::of_logarithm);
        row(name.to_string(), self.shown_of(&sides), change, effect)
    }

    /// Returns the times of the median runs in microseconds, given the logarithms of all runs' times in seconds.
    fn shown_of(&self, sides: &[Vec<f64>; 2]) -> [Option<f64>; 2] {
        [0, 1].map(|side| Some(sides[side].get(self.shown[side])?.exp() * 1e6))
    }

    /// Returns the row for the geometric mean over all queries. Each query has the same weight, however often it ran.
    fn mean_row(&self, matches: &BTreeMap<Name<'a>, Vec<Place>>, basis: Basis) -> MetricRow {
        let queries: Vec<(Name<'a>, &Vec<Place>)> = matches
            .iter()
            .filter(|(_, places)| !places.is_empty())
            .map(|(name, places)| (*name, places))
            .collect();
        let of = |side: &[Queries<'a>]| -> Vec<f64> {
            let each: Vec<Vec<f64>> =
                queries.iter().map(|(name, places)| Self::means(side, *name, places)).collect();
            (0..side.len()).map(|run| mean(each.iter().map(|means| means[run]))).collect()
        };
        let name = format!("geometric mean of {}", queries.len());
        if queries.is_empty() {
            return row(name, [None, None], None, None);
        }
        let sides = [&self.baseline, &self.run].map(|side| of(side));
        let effect = effect(&sides, basis);
        let ratio = match (&effect, basis) {
            (Some(effect), _) => effect.estimate(),
            (None, Basis::OneObservation) => {
                let ratios = queries.iter().map(|(name, places)| self.ratio(*name, places[0]));
                Mean::of_repeats(&ratios.collect::<Vec<f64>>())
            }
            (None, _) => self.over_sets(&queries),
        };
        // The mean is calculated from all queries, even if a session did not complete its last query set. The spread is
        // calculated only from complete query sets.
        let [before, after] = [&sides[0], &sides[1]].map(|side| mean(side.iter().copied()));
        let value = after - before;
        let change = ratio.map(|ratio| Change::of_logarithm(Mean { value, ..ratio }));
        row(name, self.shown_of(&sides), change, effect)
    }

    /// Returns the mean ratio and its spread between query sets. Skips query sets that are incomplete on either side.
    fn over_sets(&self, matched: &[(Name<'a>, &Vec<Place>)]) -> Option<Mean> {
        let (_, first) = matched.first()?;
        let whole =
            first.iter().filter(|place| matched.iter().all(|(_, places)| places.contains(place)));
        let ratios: Vec<f64> = whole
            .map(|place| mean(matched.iter().map(|(name, _)| self.ratio(*name, *place))))
            .collect();
        Mean::of_repeats(&ratios)
    }
}

/// Returns the difference between two sides of repeated runs, given the logarithms of their times.
fn effect(sides: &[Vec<f64>; 2], basis: Basis) -> Option<Effect> {
    let sample = |side: &[f64]| {
        Sample::of(&side.iter().map(|logarithm| logarithm.exp()).collect::<Vec<f64>>(), &[])
    };
    let samples = sample(&sides[0]).zip(sample(&sides[1]));
    let effect = samples.map(|(first, second)| Effect::of(first, second));
    effect.filter(|_| basis == Basis::BetweenRuns)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn row(
    name: String,
    [baseline, run]: [Option<f64>; 2],
    change: Option<Change>,
    effect: Option<Effect>,
) -> MetricRow {
    let good = Direction::Down;
    let (unit, verdict) = ("us", Verdict::of(change, good));
    MetricRow { name, unit, good, baseline, run, change, verdict, adjusted_p: None, effect }
}

/// Returns a row for the slowest stream's time, from its first query to its last.
fn slowest(baseline: &Side, run: &Side) -> MetricRow {
    let sides = [baseline, run].map(|side| -> Vec<f64> {
        results(side)
            .map(|result| result.streams.iter().map(|one| one.elapsed_s * 1e6).fold(0.0, f64::max))
            .collect()
    });
    let shown = [baseline, run].map(median_place);
    let figures = [0, 1].map(|side| sides[side].get(shown[side]).copied());
    let effect = Sample::of(&sides[0], &[]).zip(Sample::of(&sides[1], &[]));
    let effect = effect.map(|(first, second)| Effect::of(first, second));
    let effect = effect.filter(Effect::is_repeated);
    let change = effect.as_ref().and_then(Effect::estimate).map(Change::of_logarithm);
    row("slowest stream".into(), figures, change, effect)
}

/// Lists the queries that returned different numbers of rows on the two sides. Either the queries or the data must have
/// been different.
fn rows_differ(baseline: &Side, run: &Side) -> Option<String> {
    let all: Vec<_> = results(baseline)
        .chain(results(run))
        .map(|result| in_places(&result.executions, |one| one.rows))
        .collect();
    let (first, others) = all.split_first()?;
    let differs = |name: &Name<'_>, place: &Place, rows: u64| {
        others.iter().any(|counts| {
            counts
                .get(name)
                .and_then(|places| places.get(place).copied()?)
                .is_some_and(|known| known != rows)
        })
    };
    let names: Vec<String> = first
        .iter()
        .filter(|(name, places)| {
            places.iter().any(|(place, rows)| rows.is_some_and(|rows| differs(name, place, rows)))
        })
        .map(|(name, _)| name.to_string())
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "Row counts differ in {}, so either the queries or the data are different.",
            names.join(", ")
        )
    })
}

/// Lists the queries whose plans differ between runs. Ignores runs without recorded plans.
fn plans_differ(baseline: &Side, run: &Side) -> Option<String> {
    let mut hashes: BTreeMap<Name<'_>, BTreeSet<String>> = BTreeMap::new();
    for plan in results(baseline).chain(results(run)).flat_map(|result| &result.query_plans) {
        hashes.entry(Name(&plan.transaction)).or_default().insert(short_hash(plan));
    }
    let several = hashes.iter().filter(|(_, places)| places.len() > 1);
    let names: Vec<String> = several.map(|(name, _)| name.to_string()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "The plan differs in {}; to print a run's plans, use tacho show ID --transactions.",
            names.join(", ")
        )
    })
}
