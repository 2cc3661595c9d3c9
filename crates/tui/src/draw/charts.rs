//! Throughput and latency over time, one above the same time axis as the other.
//!
//! Bars begin at zero; latency is logarithmic. What is not in the result, ramp-up and ramp-down, is grey
//! and stands on a dotted axis.

use std::time::Duration;

use ratatui::layout::Rect;

use super::{Look, Pen, halves, panels};
use crate::history::{self, Latency, Point};
use crate::words::{ceiling, clock, floor, name, parts, rate, round, sentence, time, width};
use crate::{Model, Ui};

/// Bars of one row, from the lowest to the full one.
const EIGHTHS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Columns of the words at an axis, with its line.
const AXIS: u16 = 8;
/// The phase whose figures are the result.
const MEASURE: &str = "measure";

pub(super) fn draw(model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let area = Rect { height: area.height - 1, ..area };
    let (left, right) = halves(area, area.width / 2 - 1);
    throughput(model, left, pen);
    if model.streams.1.is_empty() {
        latency(model, ui, right, pen);
    } else {
        panels::streams(model, right, pen);
    }
}

/// What is drawn in: the columns of a chart above its axis.
struct Plot<'a> {
    area: Rect,
    points: &'a [Point],
    wide: usize,
}

impl Plot<'_> {
    /// The columns of the screen of a point.
    fn columns(&self, place: usize) -> std::ops::Range<u16> {
        let from = self.area.x + (place * self.wide) as u16;
        from..from + self.wide as u16
    }
}

fn throughput(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    pen.rule(area, &throughput_title(model, usize::from(area.width) - 4));
    let inner = inner(area);
    let (points, wide) = model.history.columns(usize::from(inner.width), model.subject.planned_s);
    let top = ceiling(points.iter().map(|one| one.throughput).fold(0.0, f64::max));
    let plot = Plot { area: inner, points: &points, wide };
    pen.right(area.x + AXIS - 2, inner.y, &round(top), Look::Dim);
    if inner.height > 3 {
        pen.right(area.x + AXIS - 2, inner.y + inner.height / 2, &round(top / 2.0), Look::Dim);
    }
    let bottom = inner.y + inner.height;
    let steps = f64::from(inner.height) * 8.0;
    for (place, point) in points.iter().enumerate() {
        let eighths = ((point.throughput / top * steps).round() as usize)
            // What is above zero is seen to be so.
            .max(usize::from(point.throughput > 0.0));
        let look = if point.outside { Look::Dim } else { Look::Figure };
        for row in 0..inner.height {
            let part = eighths.saturating_sub(usize::from(row) * 8).min(8);
            let Some(mark) = part.checked_sub(1).map(|part| EIGHTHS[part]) else { break };
            for column in plot.columns(place) {
                pen.text(column, bottom - 1 - row, mark, look);
            }
        }
    }
    axis(area, &plot, Some("0"), pen);
}

/// The figure of the last interval and that of the phase so far, if they fit.
fn throughput_title(model: &Model, room: usize) -> String {
    let headline = model.standing.as_ref().and_then(|standing| standing.headline.as_ref());
    let unit = headline.map_or("transactions/s", |(name, _)| name);
    let now = model.last.as_ref().map(|last| format!("{} now", rate(history::throughput(last))));
    let so_far = model.standing.as_ref().and_then(|standing| {
        let all = standing.transactions.last()?;
        let tps = (standing.elapsed_s > 0.0).then(|| all.count as f64 / standing.elapsed_s)?;
        let figure = headline.map_or(tps, |(_, figure)| *figure);
        let when = if standing.phase == MEASURE { "so far" } else { "in ramp-up" };
        Some(format!("{} {when}", rate(figure)))
    });
    let queries = model.last.as_ref().and_then(|last| last.queries_per_hour);
    let queries = queries.map(|queries| format!("{} queries/h", rate(queries)));
    let all: Vec<String> =
        [unit.to_owned()].into_iter().chain(now).chain(so_far).chain(queries).collect();
    parts(&all, " · ", room)
}

fn latency(model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let choice = ui.choice(model);
    pen.rule(area, &latency_title(choice, usize::from(area.width) - 4));
    let inner = inner(area);
    let (points, wide) = model.history.columns(usize::from(inner.width), model.subject.planned_s);
    let plot = Plot { area: inner, points: &points, wide };
    let Some(place) = model.history.place(choice) else {
        return axis(area, &plot, None, pen);
    };
    let all: Vec<Latency> = points.iter().map(|one| one.latencies[place]).collect();
    let scale = Scale::of(&all, inner.height);
    for row in 0..inner.height {
        if let Some(label) = scale.label(row) {
            let y = inner.y + inner.height - 1 - row;
            pen.right(area.x + AXIS - 1, y, &label, Look::Dim);
        }
    }
    for (at, (figures, point)) in all.iter().zip(&points).enumerate() {
        for row in 0..inner.height {
            let Some((mark, look)) = scale.mark(figures, row) else { continue };
            let look = if point.outside { Look::Dim } else { look };
            for column in plot.columns(at) {
                pen.text(column, inner.y + inner.height - 1 - row, mark, look);
            }
        }
    }
    if !points.is_empty() && all.iter().all(|one| one[3].is_none()) {
        let words = format!("{choice}: nothing has ended yet");
        pen.text(inner.x + 1, inner.y, &sentence(&words, usize::from(inner.width) - 1), Look::Dim);
    }
    axis(area, &plot, None, pen);
}

/// The name with the marks, in the words that have room.
fn latency_title(choice: &str, room: usize) -> String {
    let long = format!("latency of {choice}  ▓ p50–p95  ░ –p99  · max");
    let short = format!("{choice}  ▓ p50–95  ░ p99  · max");
    let all = [long, short, choice.to_owned()];
    all.into_iter().find(|title| width(title) <= room).unwrap_or_else(|| name(choice, room))
}

/// A logarithmic axis from one round time to another.
struct Scale {
    /// The least, in microseconds.
    low: f64,
    /// Powers of ten in one row.
    step: f64,
}

impl Scale {
    fn of(all: &[Latency], rows: u16) -> Self {
        let known = || all.iter().flatten().flatten().copied().filter(|us| *us > 0.0);
        let least = known().fold(f64::INFINITY, f64::min);
        let most = known().fold(0.0, f64::max);
        let (low, high) = if most > 0.0 { (floor(least), most) } else { (100.0, 1e6) };
        // Half a power of ten at least, so that noise does not look like a change.
        let span = (ceiling(high * 1.000_1) / low).log10().max(0.5);
        Self { low, step: span / f64::from(rows) }
    }

    /// The row of a time.
    fn row(&self, us: f64) -> u16 {
        (((us / self.low).log10() + 1e-9) / self.step).floor().max(0.0) as u16
    }

    /// What is written at a row: where the axis begins, and each power of ten.
    fn label(&self, row: u16) -> Option<String> {
        let from = self.low.log10() + f64::from(row) * self.step;
        let power = (from - 1e-9).ceil();
        let has_power = power < from + self.step - 1e-9;
        match row {
            0 => Some(time(self.low)),
            _ => has_power.then(|| time(10f64.powf(power))),
        }
    }

    /// What a row shows of an interval.
    fn mark(&self, figures: &Latency, row: u16) -> Option<(&'static str, Look)> {
        let [p50, p95, p99, max] =
            figures.map(|us| us.filter(|us| *us > 0.0).map(|us| self.row(us)));
        let p50 = p50.or(max)?;
        let within = |from: u16, to: Option<u16>| to.is_some_and(|to| (from..=to).contains(&row));
        let has_median = figures[0].is_some();
        match () {
            () if has_median && (row == p50 || within(p50, p95)) => Some(("▓", Look::Band)),
            () if has_median && within(p95.unwrap_or(p50), p99) => Some(("░", Look::Tail)),
            () if max == Some(row) => Some(("·", Look::Plain)),
            () => None,
        }
    }
}

/// Without the rule above, the words at the left and the axis below.
fn inner(area: Rect) -> Rect {
    Rect { x: area.x + AXIS, y: area.y + 1, width: area.width - AXIS, height: area.height - 3 }
}

/// The line below a chart and the times at its ends.
fn axis(area: Rect, plot: &Plot<'_>, zero: Option<&str>, pen: &mut Pen<'_, '_>) {
    let Rect { x, y, width: columns, height } = plot.area;
    for row in y..y + height {
        pen.text(x - 1, row, "│", Look::Dim);
    }
    let line = y + height;
    if let Some(zero) = zero {
        pen.right(x - 2, line, zero, Look::Dim);
    }
    pen.text(x - 1, line, "└", Look::Dim);
    pen.text(x, line, &"─".repeat(usize::from(columns)), Look::Dim);
    for (place, point) in plot.points.iter().enumerate() {
        for column in plot.columns(place).filter(|_| point.outside) {
            pen.text(column, line, "┄", Look::Dim);
        }
        if place > 0 && plot.points[place - 1].outside != point.outside {
            pen.text(plot.columns(place).start, line, "┴", Look::Dim);
        }
    }
    let (Some(first), Some(last)) = (plot.points.first(), plot.points.last()) else { return };
    let at_clock = |at_s: f64| clock(Duration::from_secs_f64(at_s.max(0.0)));
    let below = line + 1;
    if below >= area.y + area.height {
        return;
    }
    let from = at_clock(first.from_s);
    pen.text(x, below, &from, Look::Dim);
    let mut end = x + width(&from) as u16 + 1;
    let begin = plot.points.iter().position(|one| !one.outside).filter(|place| *place > 0);
    if let Some(place) = begin {
        let (at, words) =
            (plot.columns(place).start, format!("{} measure", at_clock(plot.points[place].from_s)));
        if at >= end && at + width(&words) as u16 <= x + columns {
            pen.text(at, below, &words, Look::Dim);
            end = at + width(&words) as u16 + 1;
        }
    }
    let to = at_clock(last.to_s);
    let at = plot.columns(plot.points.len() - 1).end;
    if at >= end + width(&to) as u16 {
        pen.right(at, below, &to, Look::Dim);
    }
}
