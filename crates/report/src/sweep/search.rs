//! The outcome of a search for the highest rate, as sentences and as a table column.
//!
//! Start reading at [`answer`].

use std::time::Duration;

use tacho_analysis::{BrokenWindow, Search, SweepRow, SweepView, clean};
use tacho_core::units::{THIN_SPACE, counted, percent, significant, span};
use tacho_store::sweep::{Found, Outcome, Point, RateInterval};

use crate::disturbance::coincided_with;
use crate::judgements::mark;
use crate::limit::brief;
use crate::table::Column;
use crate::words::ABSENT;

/// States the highest rate with its confidence interval, and compares it with the throughput without a rate.
pub(super) fn answer(view: &SweepView) -> Vec<String> {
    let Some(found) = &view.sweep.found else { return Vec::new() };
    let closed = view.search.as_ref().and_then(|search| closed(search, found));
    std::iter::once(highest(view, found)).chain(closed).collect()
}

/// Describes the window that exceeded the threshold, and windows that contained a checkpoint.
pub(super) fn cause(view: &SweepView) -> Vec<String> {
    let Some(search) = &view.search else { return Vec::new() };
    search.broken.as_ref().map(broken).into_iter().chain(checkpoints(search)).collect()
}

/// Returns the interval in words, such as `1 650 … 1 860`.
pub(crate) fn interval_words(interval: RateInterval) -> String {
    format!("{} … {}", significant(interval.low_per_s), significant(interval.high_per_s))
}

fn highest(view: &SweepView, found: &Found) -> String {
    let limit = clean(&found.limit);
    let rate = |rate: f64| format!("{} transactions a second", significant(rate));
    let measured = |point: &Point| point.outcome == Outcome::Measured;
    match (found.holds_at_per_s, found.fails_at_per_s, found.interval) {
        (Some(holds), _, Some(interval)) => format!(
            "{limit} is met in 95 % of windows{} at {} ({}, 95{THIN_SPACE}% confidence interval); {} of {} windows at all rates \
             met it.",
            view.search.as_ref().map_or(String::new(), |search| format!(" of {}", length(search))),
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
        (None, None, _) if view.sweep.points.iter().skip(1).any(measured) => {
            format!("{limit} could not be evaluated: too few transactions. Measure longer.")
        }
        (None, None, _) => format!("{limit} could not be tested."),
    }
}

/// Returns the length of a window, such as `1m`.
fn length(search: &Search) -> String {
    span(Duration::from_secs_f64(search.window_s.round().max(1.0)))
}

fn closed(search: &Search, found: &Found) -> Option<String> {
    found.holds_at_per_s?;
    Some(format!(
        "The highest rate is {} of the throughput without a rate, {}/s.",
        percent(search.share_of_closed?),
        significant(search.closed_per_s)
    ))
}

/// Describes the window that missed the threshold, by its value or the reasons for INVALID.
fn broken(window: &BrokenWindow) -> String {
    let rate = significant(window.rate_per_s);
    let measured = window.measured.as_ref().map(|measured| format!("measured {measured}"));
    let reasons = window.invalid.join(", ").replace('-', " ");
    let invalid = (!reasons.is_empty()).then(|| format!("was INVALID: {reasons}"));
    let outcome: Vec<String> = measured.into_iter().chain(invalid).collect();
    format!("At {rate}/s, run {} {}{}.", window.run, outcome.join(" and "), why(window))
}

/// Describes what coincided with the drop in throughput, or else the resource that was the limit.
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

/// Returns the column with the threshold's measured values.
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
