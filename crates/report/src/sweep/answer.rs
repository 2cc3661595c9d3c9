//! The answer of a sweep in five lines.
//!
//! Start reading at [`answer`].

use tacho_analysis::{MetricRow, SweepRow, SweepView, clean, label};
use tacho_core::units::{counted, grouped, percent};
use tacho_metrics::Verdict;

use super::{factors, search};
use crate::answer::lines;
use crate::compare::{claim, wait_change};
use crate::document::Fact;
use crate::limit;
use crate::power;
use crate::words::maybe_micros;

/// Maximum number of changes or reasons that are described individually.
const CLAIMS_MAX: usize = 3;

/// Returns the question of a sweep, its answer, the cause, and what the sweep could not show.
pub(crate) fn answer(view: &SweepView) -> Vec<Fact> {
    let axes: Vec<String> = view.sweep.vary.iter().map(|varied| clean(&varied.key)).collect();
    let question = match view.sweep.searched() {
        Some(limit) => search::question(view, limit),
        None => format!("How does {} depend on {}?", view.metric, axes.join(" and ")),
    };
    let (answer, cause) = if search::is_found(view) {
        (search::answer(view), search::cause(view))
    } else {
        let waits = waits(view);
        (
            outcome(view).into_iter().chain(changes(view)).collect(),
            waits.into_iter().chain(limits(view)).collect(),
        )
    };
    if answer.is_empty() {
        return Vec::new();
    }
    let alike = "All runs have the same settings, apart from the varied ones.".to_owned();
    let conditions = std::iter::once(alike).chain(search::sessions(view)).collect();
    lines([vec![question], answer, cause, conditions, not_shown(view)])
}

/// Describes how the points of the sweep differ from the first point. If there are many points, describes the effects
/// of the settings or, without any, the largest differences.
fn changes(view: &SweepView) -> Vec<String> {
    if view.rows.iter().all(|row| row.change.is_none()) {
        return Vec::new();
    }
    let (first, mut changes) = view.against_the_first();
    let others = changes.len().saturating_sub(CLAIMS_MAX) as u64;
    if others > 0 {
        if marked(view, |row| row.peak).is_some() {
            return Vec::new();
        }
        let mut found = factors::found(view, &clean(&view.metric));
        if !found.is_empty() {
            found.truncate(CLAIMS_MAX);
            return found;
        }
        let size = |row: &MetricRow| row.change.map_or(0.0, |change| change.value.ln_1p().abs());
        changes.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
        changes.truncate(CLAIMS_MAX);
    }
    let each = changes
        .iter()
        .map(|(name, row)| claim(row, &format!("with {first}"), &format!("With {name}, ")));
    let rest = format!("{} from it less; see the table.", differ(others));
    each.chain((others > 0).then_some(rest)).collect()
}

fn differ(points: u64) -> String {
    if points == 1 {
        "1 other point differs".into()
    } else {
        format!("{} other points differ", grouped(points as i64))
    }
}

/// Names the waits that changed most where a change is claimed, the largest changes first.
fn waits(view: &SweepView) -> Vec<String> {
    let mut claimed: Vec<(&SweepRow, String)> = view
        .rows
        .iter()
        .filter_map(|row| Some((row, wait_change(row.verdict?, row.observed.as_ref()?)?)))
        .collect();
    let size = |row: &SweepRow| row.change.map_or(0.0, |change| change.value.ln_1p().abs());
    claimed.sort_by(|(one, _), (other, _)| size(other).total_cmp(&size(one)));
    claimed.truncate(CLAIMS_MAX);
    let axes: Vec<String> = view.sweep.vary.iter().map(|varied| varied.key.clone()).collect();
    let sentence = |(row, wait): (&SweepRow, String)| {
        format!("With {}, sessions spend {wait}.", label(&axes, &row.values))
    };
    claimed.into_iter().map(sentence).collect()
}

/// Names what limited the peak or, without a peak, each point of a short sweep, and the best point of a long one.
fn limits(view: &SweepView) -> Vec<String> {
    let words = |row: &SweepRow| {
        let limit = row.limit.as_ref()?;
        let place = row.values.iter().map(|value| clean(value)).collect::<Vec<_>>().join(", ");
        Some(format!("Limit at {place}: {}.", limit::sentences(limit).join("; ")))
    };
    let peak: Vec<String> = marked(view, |row| row.peak).and_then(words).into_iter().collect();
    if !peak.is_empty() {
        return peak;
    }
    if view.rows.len() <= CLAIMS_MAX {
        return view.rows.iter().filter_map(words).collect();
    }
    let throughput = |row: &&SweepRow| row.throughput.unwrap_or(0.0);
    let best = view.rows.iter().max_by(|a, b| throughput(a).total_cmp(&throughput(b)));
    best.and_then(words).into_iter().collect()
}

fn not_shown(view: &SweepView) -> Vec<String> {
    let is_open = |row: &&SweepRow| {
        matches!(row.verdict, Some(Verdict::NoDifference | Verdict::Unclear | Verdict::Unstable))
    };
    let open = view.rows.iter().filter(is_open).count() as u64;
    let more = (open > 0).then(|| power::after(view.noise(), 1, view.repeats())).flatten();
    let open = (open > 0).then(|| {
        format!("At {}, the runs show no difference from the first point.", counted(open, "point"))
    });
    marked(view, |row| row.peak)
        .and_then(|peak| not_distinguished(view, peak))
        .into_iter()
        .chain(open)
        .chain(more)
        .collect()
}

/// Describes the point with the highest throughput and the last point, for a load that increases
/// from point to point. If these are the same, notes that throughput may still increase with more
/// load.
fn outcome(view: &SweepView) -> Vec<String> {
    let last = view.rows.iter().rfind(|row| row.throughput.is_some());
    let Some((peak, last)) = marked(view, |row| row.peak).zip(last) else {
        return nothing(view).into_iter().collect();
    };
    let (most, end) = (peak.throughput.unwrap_or(0.0), last.throughput.unwrap_or(0.0));
    vec![format!(
        "The peak is {} {} {}, with a p95 of {}{}",
        grouped(most.round() as i64),
        view.metric,
        place(view, peak),
        maybe_micros(peak.p95_us),
        if last.values == peak.values {
            "; it is the last point, so there may be more.".into()
        } else {
            let (share, p95) = (percent(end / most), maybe_micros(last.p95_us));
            format!("; {} it is {share} of that, with {p95}.", place(view, last))
        }
    )]
}

/// Explains why no point was measured, or returns `None` if one was.
fn nothing(view: &SweepView) -> Option<String> {
    let reasons = view.rows.iter().map(|row| row.missing.as_deref());
    let mut reasons: Vec<&str> = reasons.collect::<Option<_>>()?;
    reasons.dedup();
    let (claimed, more) = reasons.split_at(reasons.len().min(CLAIMS_MAX));
    let more = if more.is_empty() { "" } else { "; and more" };
    Some(format!("No point was measured: {}{more}.", claimed.join("; ")))
}

/// Lists other points that may have the highest throughput, because their confidence intervals
/// overlap with that of the peak.
fn not_distinguished(view: &SweepView, peak: &SweepRow) -> Option<String> {
    let least = peak.low?;
    let reach = |row: &&SweepRow| !row.peak && row.high.is_some_and(|high| high >= least);
    let names: Vec<&str> = view
        .rows
        .iter()
        .filter(reach)
        .filter_map(|row| Some(row.values.last()?.as_str()))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "The 95 % confidence intervals of {} {} overlap that of the peak, so any of them may be the \
             peak.",
            clean(view.sweep.vary.last().map_or("", |varied| &varied.key)),
            clean(&names.join(", "))
        )
    })
}

/// Describes the position of a row in a series of increasing load, such as `at 8 sessions` or `at
/// rate 500`.
pub(crate) fn place(view: &SweepView, row: &SweepRow) -> String {
    let key = view.sweep.vary.last().map_or("", |varied| &varied.key);
    at(key, row.values.last().map_or("", |value| value))
}

pub(crate) fn at(key: &str, value: &str) -> String {
    match (key, value.parse()) {
        ("sessions", Ok(count)) => format!("at {}", counted(count, "session")),
        _ => format!("at {} {}", clean(key), clean(value)),
    }
}

/// Returns the only row for which `choose` returns true. Returns `None` if there are several such
/// rows or none.
pub(crate) fn marked(view: &SweepView, choose: fn(&SweepRow) -> bool) -> Option<&SweepRow> {
    let mut rows = view.rows.iter().filter(|row| choose(row));
    rows.next().filter(|_| rows.next().is_none())
}
