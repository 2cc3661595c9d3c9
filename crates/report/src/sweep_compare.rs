//! Tables and sentences for a comparison of sweeps: conditions, points, peak and knee, and changed latencies.
//!
//! Start reading at [`blocks`].

use tacho_analysis::{
    Basis, Difference, Ladder, Mark, MetricRow, PointComparison, SweepComparison, SweepFacts,
    Unmatched, clean,
};
use tacho_core::units::{counted, grouped};
use tacho_metrics::Verdict;
use tacho_store::sweep::{Found, FoundFor};

use crate::calibration::smallest;
use crate::compare::{
    MEDIAN_RUN, basis_sentence, changed, claim, conditions_block, differences, interval, limits,
    metrics_table, overall_word, sides_facts, value, verdicts_counted, word,
};
use crate::document::{Block, Chart};
use crate::gate;
use crate::observed::seen;
use crate::power;
use crate::sweep::interval_words;
use crate::table::{Column, Table};
use crate::words::{ABSENT, maybe_micros, minute, relative_change};

/// Returns the blocks of a comparison. They cover the two sides, the conditions that differ, the
/// chart, each point, the peak and knee, and the reasons for the verdicts.
pub(crate) fn blocks(comparison: &SweepComparison, chart: Option<Chart>) -> Vec<Block> {
    let mut blocks = vec![sides_facts(sides(comparison))];
    blocks.push(conditions_block(conditions_table(comparison)));
    blocks.extend(overall_table(comparison).map(|table| Block::table("Over all points", table)));
    blocks.extend(chart.map(Block::Chart));
    blocks.extend(
        points_table(comparison).map(|table| Block::table("Throughput at each point", table)),
    );
    blocks.extend(marks_table(comparison).map(|table| Block::table("Peak and knee", table)));
    let changed = percentiles_table(comparison, true);
    blocks.extend(changed.map(|table| Block::long("Percentiles that changed", table)));
    blocks.extend(observed(comparison));
    blocks.extend(sentences(comparison).into_iter().map(Block::text));
    blocks
}

/// Returns the observations at the point whose throughput changed the most.
fn observed(comparison: &SweepComparison) -> Vec<Block> {
    let Some(point) = comparison.most_changed() else { return Vec::new() };
    let limits = limits([0, 1].map(|side| point.limits[side].as_ref()));
    let seen: Vec<Block> = limits.into_iter().chain(seen(&point.observed)).collect();
    let place = comparison.label(&point.values);
    let place = format!("At {place}, where the throughput changed the most:");
    (!seen.is_empty()).then(|| Block::text(place)).into_iter().chain(seen).collect()
}

/// Describes the baseline and the run on one line each, with the sweep, date, target and server.
fn sides(comparison: &SweepComparison) -> [String; 2] {
    [&comparison.baseline, &comparison.run].map(|side| {
        let named = [&side.target_name, &side.server].map(|text| clean(text));
        format!("{}  {}  {}", side.sweep, minute(&side.started_at), named.join("  "))
    })
}

/// Returns a table of the conditions that differ, or `None` if there are none.
fn conditions_table(comparison: &SweepComparison) -> Option<Table> {
    let value = |value: &Option<String>, varies: bool| {
        if varies { Some("several".into()) } else { value.clone() }
    };
    let all = comparison.points.len() as u64;
    let place = |points: u64| match points {
        points if points == all => String::new(),
        points => format!("at {points} of {}", counted(all, "point")),
    };
    let each = || comparison.conditions.iter();
    let all = each().map(|condition| Difference {
        name: condition.name.clone(),
        baseline: value(&condition.baseline, condition.varies),
        run: value(&condition.run, condition.varies),
        hinders: false,
    });
    let mut table = differences(&all.collect::<Vec<_>>())?;
    table.columns.push(Column::left("", each().map(|condition| place(condition.points))));
    Some(table)
}

/// Returns the mean change of each metric over all points, or `None` for a single point.
fn overall_table(comparison: &SweepComparison) -> Option<Table> {
    (!comparison.overall.is_empty()).then(|| metrics_table(&comparison.overall))
}

/// Returns a table that compares the throughput at each point.
fn points_table(comparison: &SweepComparison) -> Option<Table> {
    let rows: Vec<_> = comparison.points.iter().map(|point| (point, point.throughput())).collect();
    let name = rows.first()?.1.name.clone();
    let mut columns = axes_columns(comparison, &rows);
    columns.extend(change_columns(&rows, &format!("{name}, baseline"), "run"));
    Some(Table::new(columns))
}

/// Returns a table of the percentiles at each point. If `changed` is true, it contains only
/// percentiles that became better or worse.
pub(crate) fn percentiles_table(comparison: &SweepComparison, changed: bool) -> Option<Table> {
    let is_shown = |row: &&MetricRow| match row.verdict {
        Verdict::Better | Verdict::Worse => true,
        _ => !changed && row.unit == "us",
    };
    let rows: Vec<_> = comparison
        .points
        .iter()
        .flat_map(|point| {
            let percentiles = point.metrics.iter().skip(1);
            percentiles.filter(is_shown).map(move |row| (point, row))
        })
        .collect();
    let mut columns = axes_columns(comparison, &rows);
    columns.push(Column::left("metric", rows.iter().map(|(_, row)| row.name.clone())));
    columns.extend(change_columns(&rows, "baseline", "run"));
    Table::new(columns).filled()
}

fn axes_columns(
    comparison: &SweepComparison,
    rows: &[(&PointComparison, &MetricRow)],
) -> Vec<Column> {
    let column = |(place, axis): (usize, &String)| {
        let value = |point: &PointComparison| {
            point.values.get(place).map_or("closed".into(), |value| clean(value))
        };
        Column::right(&clean(axis), rows.iter().map(|(point, _)| value(point)))
    };
    comparison.axes.iter().enumerate().map(column).collect()
}

/// Returns a table of peaks and knees, with the position and the value of each.
fn marks_table(comparison: &SweepComparison) -> Option<Table> {
    let rows: Vec<_> = comparison
        .ladders
        .iter()
        .flat_map(|ladder| [("peak", ladder, &ladder.peak), ("knee", ladder, &ladder.knee)])
        .collect();
    let at = |mark: &Mark| {
        let figure =
            mark.throughput.map_or(ABSENT.into(), |throughput| grouped(throughput.round() as i64));
        format!("{figure} at {}, p95 {}", clean(&mark.at), maybe_micros(mark.p95_us))
    };
    let of_row = |row: &Option<MetricRow>, cell: &dyn Fn(&MetricRow) -> String| {
        row.as_ref().map_or(ABSENT.into(), cell)
    };
    let ends = |row: &MetricRow| row.change.map_or(ABSENT.into(), interval);
    // A knee has no verdict, because it is only a position on the curve and thus neither better nor worse.
    let verdict = |name: &str, row: &MetricRow| match name {
        "peak" => word(row.verdict).into(),
        _ => String::new(),
    };
    let mut columns = vec![Column::left("", rows.iter().map(|(name, ..)| (*name).into()))];
    if comparison.ladders.iter().any(|ladder| !ladder.series.is_empty()) {
        columns.push(Column::left("of", rows.iter().map(|(_, ladder, _)| ladder_name(ladder))));
    }
    columns.extend([
        Column::right("baseline", rows.iter().map(|(_, _, marks)| at(&marks.baseline))),
        Column::right("run", rows.iter().map(|(_, _, marks)| at(&marks.run))),
        Column::right("change", rows.iter().map(|(.., marks)| of_row(&marks.throughput, &changed))),
        Column::right("95 % CI", rows.iter().map(|(.., marks)| of_row(&marks.throughput, &ends))),
        Column::left(
            "verdict",
            rows.iter()
                .map(|(name, _, marks)| of_row(&marks.throughput, &|row| verdict(name, row))),
        ),
    ]);
    Table::new(columns).filled()
}

/// Returns the outcome, the points that could not be compared, and how the confidence intervals
/// were computed.
fn sentences(comparison: &SweepComparison) -> Vec<String> {
    let mut sentences = vec![outcome(comparison)];
    sentences.extend(searches(comparison));
    sentences.extend(left_out(comparison));
    sentences.push(families_sentence(comparison));
    if let Some(floor) = floor(comparison) {
        sentences.push(format!(
            "Identical runs in these sweeps also differ: changes in throughput of up to {floor} are not reported."
        ));
    }
    if !comparison.ladders.is_empty() {
        sentences.push(
            "A peak is the highest of several values, so chance increases it slightly in both \
                sweeps."
                .into(),
        );
    }
    sentences.push(basis_sentence(comparison.basis).into());
    sentences.extend((comparison.basis == Basis::BetweenRuns).then(|| MEDIAN_RUN.into()));
    sentences
}

/// If the mean over all points shows no difference, states how many repeats would be needed to show
/// one.
pub(crate) fn more_runs(comparison: &SweepComparison) -> Option<String> {
    let row = comparison.overall.first()?;
    if row.verdict != Verdict::NoDifference || comparison.gate.is_some() {
        return None;
    }
    let effects = comparison.points.iter().map(|point| point.throughput().effect.as_ref()?.noise());
    let noises = effects.collect::<Option<Vec<f64>>>()?;
    let square = noises.iter().map(|noise| noise.powi(2)).sum::<f64>() / noises.len() as f64;
    let runs =
        comparison.points.iter().flat_map(|point| [point.baseline_runs.len(), point.runs.len()]);
    power::after(Some(square.sqrt()), noises.len() as u32, runs.min()? as u32)
}

/// Returns the verdict on all points, as in `MIXED: throughput better at 2 of 3 points, 20 of 36 percentiles WORSE`.
pub fn headline(comparison: &SweepComparison) -> String {
    if let Some(gate) = &comparison.gate {
        return gate::headline(gate);
    }
    let points = comparison.throughput().count() as u64;
    let of_points =
        |verdict| comparison.throughput().filter(|other| *other == verdict).count() as u64;
    let percentiles = || {
        let others = comparison.points.iter().flat_map(|point| point.metrics.iter().skip(1));
        others.filter(|row| row.unit == "us")
    };
    let slower = percentiles().filter(|row| row.verdict == Verdict::Worse).count() as u64;
    let mut parts: Vec<String> = overall_change(comparison).into_iter().collect();
    for (verdict, word) in
        [(Verdict::Better, "better"), (Verdict::Worse, "WORSE"), (Verdict::Unstable, "UNSTABLE")]
    {
        let count = of_points(verdict);
        let at = format!("{} of {}", grouped(count), counted(points, "point"));
        parts.extend((count > 0).then(|| format!("throughput {word} at {at}")));
    }
    let all = counted(percentiles().count() as u64, "percentile");
    parts.extend((slower > 0).then(|| format!("{} of {all} WORSE", grouped(slower))));
    if parts.is_empty() {
        parts.push(format!("throughput at {}", counted(points, "point")));
    }
    format!("{}: {}", overall_word(comparison.overall()), parts.join(", "))
}

/// Describes the mean change in throughput, as in `NOPM +22.0 % over 5 points (+18.0 % … +26.0 %)`.
fn overall_change(comparison: &SweepComparison) -> Option<String> {
    let row = comparison.overall.first()?;
    let change = row.change?;
    let points = counted(comparison.points.len() as u64, "point");
    let size = relative_change(change.value);
    Some(format!("{} {size} over {points} ({})", row.name, interval(change)))
}

/// Describes the mean change in throughput in one sentence.
fn overall_claim(comparison: &SweepComparison) -> Option<String> {
    let row = comparison.overall.first()?;
    let points = counted(comparison.points.len() as u64, "point");
    Some(claim(row, "in the baseline", &format!("Over {points}, the mean ")))
}

/// Counts the points by their verdict on throughput, and the percentiles that became better or
/// worse.
pub(crate) fn outcome(comparison: &SweepComparison) -> String {
    let count = |verdict| comparison.throughput().filter(|other| *other == verdict).count();
    let verdicts = verdicts_counted(count);
    let points = counted(comparison.throughput().count() as u64, "point");
    let percentiles = || comparison.points.iter().flat_map(|point| point.metrics.iter().skip(1));
    let changed = |verdict| percentiles().filter(|row| row.verdict == verdict).count() as u64;
    format!(
        "Throughput at {points}: {}. Of {} percentiles, {} are better and {} are worse.",
        if verdicts.is_empty() { "none compared" } else { &verdicts },
        grouped(comparison.families.percentiles),
        grouped(changed(Verdict::Better)),
        grouped(changed(Verdict::Worse)),
    )
}

/// States the mean change over all points, and compares the two peaks.
pub(crate) fn claim_over_points(comparison: &SweepComparison) -> String {
    let overall = overall_claim(comparison).map(|claim| claim + " ").unwrap_or_default();
    format!("{overall}{}", peaks_claim(comparison)).trim_end().to_owned()
}

/// Compares the peaks in one sentence. Returns nothing unless both sweeps have a single series of
/// increasing load.
fn peaks_claim(comparison: &SweepComparison) -> String {
    let [ladder] = &comparison.ladders[..] else { return String::new() };
    let row = ladder.peak.throughput.as_ref();
    row.map(|row| claim(row, "in the baseline", "At the peak, ") + " ").unwrap_or_default()
}

/// Compares the highest rates that were found by searches. Two searches are compared if all
/// settings except the rate have the same values on both sides.
fn searches(comparison: &SweepComparison) -> Vec<String> {
    let all = |side: &SweepFacts| -> Vec<FoundFor> {
        let alone = side.found.clone().map(|found| FoundFor { values: Vec::new(), found });
        alone.into_iter().chain(side.found_for.clone()).collect()
    };
    let after = all(&comparison.run);
    let pair = |before: FoundFor| {
        let after = after.iter().find(|after| after.values == before.values)?;
        let with = match &before.values[..] {
            [] => String::new(),
            values => format!("With {}, ", clean(&values.join(", "))),
        };
        Some(with + &met(&before.found, &after.found))
    };
    all(&comparison.baseline).into_iter().filter_map(pair).collect()
}

fn met(before: &Found, after: &Found) -> String {
    let words = |found: &Found| {
        found.holds_at_per_s.map_or("at no rate".into(), |rate| {
            let interval =
                found.interval.map_or(String::new(), |one| format!(" ({})", interval_words(one)));
            format!("at {} a second{interval}", grouped(rate.round() as i64))
        })
    };
    let (limit, other) = (&before.limit, &after.limit);
    let (before, after) = (words(before), words(after));
    if limit == other {
        format!("{limit} was met {before} in the baseline and {after} in the run.")
    } else {
        format!("{limit} was met {before} in the baseline; {other} was met {after} in the run.")
    }
}

/// Lists the points without a result, and the points that only one of the sweeps has.
fn left_out(comparison: &SweepComparison) -> Vec<String> {
    let named = |unmatched: &Unmatched| {
        format!(
            "Not compared: {} ({}).",
            comparison.label(&unmatched.values),
            unmatched.lacks().join("; ")
        )
    };
    comparison.unmatched.iter().map(named).collect()
}

fn families_sentence(comparison: &SweepComparison) -> String {
    let families = &comparison.families;
    let mut parts = vec![format!("the throughput at {}", counted(families.throughput, "point"))];
    if families.percentiles > 0 {
        parts.push(format!("{} percentiles", grouped(families.percentiles)));
    }
    if families.peaks > 1 {
        parts.push(counted(families.peaks, "peak"));
    }
    format!(
        "Many comparisons: {} are each judged as a family by Holm's method (1979) at a level of {} %. \
         Points with repeated runs borrow variance from each other (Smyth 2004). A change that is \
         significant alone but not in its family is unclear.",
        parts.join(", "),
        families.error_rate * 100.0
    )
}

fn floor(comparison: &SweepComparison) -> Option<String> {
    let floors = [comparison.baseline.floor, comparison.run.floor].into_iter().flatten();
    let floor = floors.max_by(f64::total_cmp).filter(|floor| *floor > 0.0)?;
    Some(smallest(floor))
}

/// Returns a name for a series of points, formed from the values that all its points share.
pub(crate) fn ladder_name(ladder: &Ladder) -> String {
    let words = ladder.series.iter().map(|(key, value)| format!("{} {}", clean(key), clean(value)));
    words.collect::<Vec<_>>().join(", ")
}

fn change_columns(
    rows: &[(&PointComparison, &MetricRow)],
    before: &str,
    after: &str,
) -> Vec<Column> {
    let each = |cell: &dyn Fn(&MetricRow) -> String| {
        rows.iter().map(|(_, row)| cell(row)).collect::<Vec<String>>()
    };
    vec![
        Column::right(before, each(&|row| value(row, row.baseline))),
        Column::right(after, each(&|row| value(row, row.run))),
        Column::right("change", each(&changed)),
        Column::right("95 % CI", each(&|row| row.change.map_or(ABSENT.into(), interval))),
        Column::left("verdict", each(&|row| word(row.verdict).into())),
    ]
}
