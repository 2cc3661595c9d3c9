//! The states of the server's sessions over time, with running sessions at the bottom and waits above them.

use ratatui::layout::Rect;
use tacho_core::units::significant;
use tacho_report::{ChartPoint, OTHER, SeenWait, WaitLook};

use super::axes::{AXIS, Plot};
use super::stacks::{self, FILLS, MARKS, Part};
use super::{Look, Pen, palette, panels};
use crate::Model;
use crate::words::{ceiling, name, round, width};

/// Maximum number of waits that have their own row in the legend. All others share one row.
const SHOWN_MAX: usize = 7;
/// Maximum width of the legend, which takes up a third of the area.
const KEY: u16 = 40;

/// Returns the running sessions, followed by the waits, most frequent first.
fn shown(model: &Model) -> Vec<(usize, &SeenWait)> {
    let mut all: Vec<(usize, &SeenWait)> =
        model.history.timeline.waits().iter().enumerate().collect();
    let runs = |wait: &SeenWait| wait.look == WaitLook::RUNNING;
    all.sort_by(|a, b| runs(b.1).cmp(&runs(a.1)).then(b.1.sum.total_cmp(&a.1.sum)));
    all
}

/// Draws a chart with its key.
pub(super) fn draw(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let key = (area.width / 3).min(KEY);
    let chart = Rect { width: area.width - key - 1, ..area };
    let all = shown(model);
    let (shown, rest) = all.split_at(all.len().min(SHOWN_MAX));
    let columns = model.columns(usize::from(chart.width - AXIS));
    let plot = Plot::new(chart, &columns);
    let sum = |point: &ChartPoint| {
        point
            .waits
            .as_ref()
            .map_or(0.0, |waits| all.iter().map(|(place, _)| waits.of(*place)).sum())
    };
    let now = plot.points.iter().rev().find(|point| point.waits.is_some());
    let title = match now {
        Some(point) => format!("sessions in the server by wait · {} now", significant(sum(point))),
        None => "sessions in the server by wait".into(),
    };
    pen.rule(area, &title);
    let top = ceiling(plot.points.iter().map(sum).fold(0.0, f64::max));
    plot.heights(&round(top), &round(top / 2.0), pen);
    let color = pen.color;
    let fill = |place: usize, look: WaitLook| {
        if color {
            FILLS[usize::from(look.texture) % FILLS.len()]
        } else {
            MARKS[place % MARKS.len()]
        }
    };
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (row, (place, wait)) in shown.iter().enumerate() {
        let place = *place;
        parts.push(Part {
            value: Box::new(move |point| Some(point.waits.as_ref()?.of(place))),
            color: wait.look.color,
            fill: fill(row, wait.look),
        });
    }
    if !rest.is_empty() {
        parts.push(Part {
            value: Box::new(move |point| {
                let waits = point.waits.as_ref()?;
                Some(rest.iter().map(|(place, _)| waits.of(*place)).sum())
            }),
            color: palette::REST,
            fill: fill(SHOWN_MAX, WaitLook::REST),
        });
    }
    stacks::draw(&plot, top, &parts, pen);
    plot.axis(pen);
    let names = shown.iter().map(|(_, wait)| wait.name.as_str()).chain([OTHER]);
    let rows: Vec<Row<'_>> = names
        .zip(&parts)
        .map(|(name, part)| (name, part, now.and_then(|point| (part.value)(point))))
        .collect();
    let legend_area =
        Rect { x: chart.x + chart.width + 1, y: area.y + 1, width: key, height: area.height - 1 };
    legend(&rows, legend_area, pen);
}

/// A row of the legend. It consists of a text, the part of the chart that it explains, and the
/// number of sessions in the last interval.
type Row<'a> = (&'a str, &'a Part<'a>, Option<f64>);

/// Draws the legend. The last part is at the top, as in the chart.
fn legend(rows: &[Row<'_>], area: Rect, pen: &mut Pen<'_, '_>) {
    let figures = rows.iter().map(|(_, _, now)| now.map_or(0, |now| width(&significant(now))));
    let figures = figures.max().unwrap_or(0);
    let room = usize::from(area.width).saturating_sub(figures + 4);
    for (y, (title, part, now)) in rows.iter().rev().take(usize::from(area.height)).enumerate() {
        let y = area.y + y as u16;
        pen.text(area.x, y, part.fill, Look::Series(part.color));
        pen.text(area.x + 2, y, &name(title, room), Look::Plain);
        if let Some(now) = now {
            pen.right(area.x + area.width, y, &significant(*now), Look::Plain);
        }
    }
}

/// Draws the chart on most of the screen, with the server's counters below it.
pub(super) fn page(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let below = (area.height / 3).max(5);
    let chart = Rect { height: area.height - below - 1, ..area };
    if model.history.timeline.has_waits() {
        draw(model, chart, pen);
    } else {
        pen.rule(chart, "sessions in the server by wait");
        let words = "no samples: the server reports no sessions, or no interval has ended";
        pen.text(area.x + 1, area.y + 1, words, Look::Dim);
    }
    let rest = Rect { y: area.y + area.height - below, height: below, ..area };
    panels::draw(model, rest, pen);
}
