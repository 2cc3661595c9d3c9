//! The outcome of a search for the highest rate, as sentences and as a table column.
//!
//! Start reading at [`answer`].

use std::time::Duration;

use tacho_analysis::{BrokenWindow, ChosenSessions, Search, SweepRow, SweepView, clean};
use tacho_core::units::{THIN_SPACE, counted, percent, significant, span};
use tacho_store::sweep::{Found, Outcome, RateInterval, Varied};

use crate::disturbance::coincided_with;
use crate::judgements::mark;
use crate::limit::brief;
use crate::table::{Column, Table};
use crate::words::{ABSENT, maybe_micros};

/// Returns the question that a search answers.
pub(super) fn question(view: &SweepView, limit: &str) -> String {
    let keys: Vec<String> = fixed(view).map(|varied| clean(&varied.key)).collect();
    let by = if keys.is_empty() { String::new() } else { format!(", by {}", keys.join(" and ")) };
    // Take the threshold from the result of a search, because redacted reports hide the threshold
    // in the settings.
    let limit = view.sweep.searches().next().map_or(limit, |(_, found)| &found.limit);
    format!("What is the highest rate at which {} is met{by}?", clean(limit))
}

/// States the highest rate that each search found. If there is only one search, also compares that
/// rate with the throughput at full load, and states the latency at a lower rate. If there are
/// several searches, a table shows these details.
pub(super) fn answer(view: &SweepView) -> Vec<String> {
    if let [(_, found)] = &view.sweep.searches().collect::<Vec<_>>()[..] {
        let search = view.searches.first();
        let details =
            search.into_iter().flat_map(|search| [closed(search), headroom(search)]).flatten();
        return std::iter::once(highest(view, found, search)).chain(details).collect();
    }
    let each = view.sweep.searches().map(|(values, found)| {
        let search = view.searches.iter().find(|search| search.values == values);
        format!("With {}, {}", name(view, values), highest(view, found, search))
    });
    each.chain(lead(view)).collect()
}

/// Returns true if the sweep is a search, and at least one of its searches has started.
pub(super) fn is_found(view: &SweepView) -> bool {
    view.sweep.searches().next().is_some()
}

/// Describes which measurement window missed the threshold, and in which windows the database
/// performed a checkpoint.
pub(super) fn cause(view: &SweepView) -> Vec<String> {
    let several = view.searches.len() > 1;
    let each = view.searches.iter().flat_map(|search| {
        let prefix =
            if several { format!("With {}: ", name(view, &search.values)) } else { String::new() };
        let broken = search.broken.as_ref().map(broken);
        let all = broken.into_iter().chain(checkpoints(search));
        all.map(move |sentence| format!("{prefix}{sentence}"))
    });
    each.collect()
}

/// States how many sessions each search chose, and why.
pub(super) fn sessions(view: &SweepView) -> Vec<String> {
    let several = view.searches.len() > 1;
    let words = |search: &Search| {
        let ChosenSessions { sessions, busiest } = search.sessions?;
        let prefix = if several {
            format!("With {}, the", name(view, &search.values))
        } else {
            "The".to_owned()
        };
        let sessions = counted(u64::from(sessions), "session");
        Some(format!(
            "{prefix} search used {sessions}, so that they do not limit the rate: without a rate limit, the throughput \
             was highest with {busiest}."
        ))
    };
    view.searches.iter().filter_map(words).collect()
}

/// Names the combination of settings with the highest rate. Returns `None` if its confidence
/// interval overlaps that of another combination.
fn lead(view: &SweepView) -> Option<String> {
    let known: Vec<(&[String], RateInterval)> = view
        .sweep
        .searches()
        .filter_map(|(values, found)| Some((values, found.interval?)))
        .collect();
    let best = known.iter().max_by(|a, b| a.1.low_per_s.total_cmp(&b.1.low_per_s))?;
    let others = || known.iter().filter(|other| other.0 != best.0);
    others().next()?;
    let is_clear = others().all(|other| other.1.high_per_s < best.1.low_per_s);
    Some(if is_clear {
        format!("The rate is highest with {}.", name(view, best.0))
    } else {
        "The intervals of the highest rates overlap.".into()
    })
}

/// Returns a table with the highest rate of each search, provided that there are several searches.
pub(crate) fn rates(view: &SweepView) -> Option<Table> {
    let all: Vec<(&[String], &Found)> = view.sweep.searches().collect();
    if fixed(view).next().is_none() || all.is_empty() {
        return None;
    }
    let search = |values: &[String]| view.searches.iter().find(|search| search.values == values);
    let cells = |cell: &dyn Fn(&[String], &Found) -> Option<String>| -> Vec<String> {
        all.iter().map(|(values, found)| cell(values, found).unwrap_or(ABSENT.into())).collect()
    };
    let mut columns: Vec<Column> = fixed(view)
        .enumerate()
        .map(|(at, varied)| {
            let value = |values: &[String], _: &Found| values.get(at).map(|value| clean(value));
            Column::right(&clean(&varied.key), cells(&value))
        })
        .collect();
    let sessions =
        |values: &[String], _: &Found| Some(search(values)?.sessions?.sessions.to_string());
    if view.sweep.chooses_sessions() {
        columns.push(Column::right("sessions", cells(&sessions)));
    }
    let windows = |_: &[String], found: &Found| {
        found.interval.map(|interval| format!("{} of {}", interval.held, interval.windows))
    };
    let closed = |values: &[String], _: &Found| Some(significant(search(values)?.closed_per_s));
    let p99 = |values: &[String], _: &Found| {
        Some(maybe_micros(search(values)?.headroom.as_ref()?.p99_us))
    };
    columns.extend([
        Column::right("highest rate/s", cells(&|_, found| found.holds_at_per_s.map(significant))),
        Column::right("95 % CI", cells(&|_, found| found.interval.map(interval_words))),
        Column::right("windows held", cells(&windows)),
        Column::right("closed/s", cells(&closed)),
        Column::right("p99 at 60 %", cells(&p99)),
    ]);
    Some(Table::new(columns))
}

/// Returns the settings whose values distinguish one search from another.
fn fixed(view: &SweepView) -> impl Iterator<Item = &Varied> {
    view.sweep.vary.iter().take(view.sweep.fixed())
}

/// Describes the settings that are constant during a search, such as `form sql`.
pub(crate) fn name(view: &SweepView, values: &[String]) -> String {
    let words = fixed(view)
        .zip(values)
        .map(|(varied, value)| format!("{} {}", clean(&varied.key), clean(value)));
    words.collect::<Vec<_>>().join(", ")
}

/// Returns the interval in words, such as `1 650 … 1 860`.
pub(crate) fn interval_words(interval: RateInterval) -> String {
    format!("{} … {}", significant(interval.low_per_s), significant(interval.high_per_s))
}

fn highest(view: &SweepView, found: &Found, search: Option<&Search>) -> String {
    let limit = clean(&found.limit);
    let rate = |rate: f64| format!("{} transactions a second", significant(rate));
    let mut windows =
        view.sweep.points.iter().filter(|point| point.values.len() == view.sweep.vary.len());
    match (found.holds_at_per_s, found.fails_at_per_s, found.interval) {
        (Some(holds), _, Some(interval)) => format!(
            "{limit} is met in 95 % of windows{} at {} ({}, 95{THIN_SPACE}% confidence interval); {} of {} windows at all rates \
             met it.",
            search.map_or(String::new(), |search| format!(" of {}", length(search))),
            rate(holds),
            interval_words(interval),
            interval.held,
            interval.windows
        ),
        (Some(holds), Some(fails), None) => format!(
            "{limit} is met at {}{}, but not at {}.",
            rate(holds),
            if found.in_steps { ", measured once, in a step" } else { "" },
            significant(fails)
        ),
        (Some(holds), None, None) if found.in_steps => {
            format!("{limit} is met at {}, the highest step.", rate(holds))
        }
        (Some(holds), None, None) => {
            format!("{limit} is met at {}, the highest rate tried.", rate(holds))
        }
        (None, Some(fails), _) => format!("{limit} fails even at {}.", rate(fails)),
        (None, None, _) if windows.any(|point| point.outcome == Outcome::Measured) => {
            format!("{limit} could not be evaluated: too few transactions. Measure longer.")
        }
        (None, None, _) => format!("{limit} could not be tested."),
    }
}

/// Returns the length of a window, such as `1m`.
fn length(search: &Search) -> String {
    span(Duration::from_secs_f64(search.window_s.round().max(1.0)))
}

/// States the latency at 60 % of the highest rate.
fn headroom(search: &Search) -> Option<String> {
    let headroom = search.headroom.as_ref()?;
    let rate = significant(headroom.rate_per_s);
    let p99 = maybe_micros(headroom.p99_us);
    let missed = if headroom.holds { "" } else { ", and the window did not hold" };
    Some(format!("At 60 % of the highest rate, {rate}/s, the p99 was {p99}{missed}."))
}

fn closed(search: &Search) -> Option<String> {
    Some(format!(
        "The highest rate is {} of the throughput without a rate limit, {}/s.",
        percent(search.share_of_closed?),
        significant(search.closed_per_s)
    ))
}

/// Describes a measurement window that missed the threshold: the value that it reached, or the
/// reasons for the verdict INVALID.
fn broken(window: &BrokenWindow) -> String {
    let rate = significant(window.rate_per_s);
    let measured = window.measured.as_ref().map(|measured| format!("measured {measured}"));
    let reasons = window.invalid.join(", ").replace('-', " ");
    let invalid = (!reasons.is_empty()).then(|| format!("was INVALID: {reasons}"));
    let outcome: Vec<String> = measured.into_iter().chain(invalid).collect();
    format!("At {rate}/s, run {} {}{}.", window.run, outcome.join(" and "), why(window))
}

/// Describes what happened during a drop in throughput. If nothing unusual happened, names the
/// resource that limited the throughput.
fn why(window: &BrokenWindow) -> String {
    let coincided = window.disturbance.as_ref().and_then(coincided_with);
    coincided
        .or_else(|| window.limit.as_ref().map(|limit| format!("limit: {}", brief(limit))))
        .map_or_else(String::new, |why| format!("; {why}"))
}

fn checkpoints(search: &Search) -> Option<String> {
    let windows = counted(u64::from(search.windows), "window");
    Some(match search.with_checkpoint? {
        0 => format!(
            "The server completed no checkpoint in any of the {windows}, so the highest rate may be lower during a \
             checkpoint."
        ),
        some => format!("The server completed a checkpoint in {some} of {windows}."),
    })
}

/// Returns a table column with the values that were measured in each window and compared with the
/// threshold.
pub(super) fn column(view: &SweepView) -> Option<Column> {
    let limit = view.sweep.searched()?;
    let cell = |row: &SweepRow| {
        let windows = row.windows.iter().map(|(holds, measured)| {
            measured
                .as_deref()
                .map_or(ABSENT.into(), |measured| format!("{} {measured}", mark(*holds)))
        });
        windows.collect::<Vec<_>>().join(", ")
    };
    let is_measured = view.rows.iter().any(|row| !row.windows.is_empty());
    let cells: Vec<String> = view.rows.iter().map(cell).collect();
    is_measured.then(|| Column::left(&clean(limit), cells))
}
