//! The page of failures, over time and by class, with examples.

use ratatui::layout::Rect;
use tacho_analysis::clean;
use tacho_core::units::grouped;
use tacho_report::ChartPoint;

use super::axes::{AXIS, Plot};
use super::stacks::{self, FILLS, Part};
use super::{Look, Pen, palette};
use crate::Model;
use crate::words::{ceiling, parts, round, sentence};

/// Minimum number of rows for the chart, provided that there is data to show.
const CHART_MIN: u16 = 8;

pub(super) fn page(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let lines = errors(model, usize::from(area.width) - 2);
    let has_chart = model.history.timeline.has_failures();
    let wanted = lines.len() as u16 + 1;
    let chart = if has_chart { area.height.saturating_sub(wanted + 1).max(CHART_MIN) } else { 0 };
    if has_chart {
        over_time(model, Rect { height: chart, ..area }, pen);
    }
    let gap = u16::from(has_chart);
    let list = Rect { y: area.y + chart + gap, height: area.height - chart - gap, ..area };
    pen.rule(list, "errors so far");
    for (place, (line, look)) in lines.iter().take(usize::from(list.height) - 1).enumerate() {
        let text = sentence(line, usize::from(list.width) - 2);
        pen.text(1, list.y + 1 + place as u16, &text, *look);
    }
}

fn over_time(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    pen.rule(area, "failed transactions, per second");
    let columns = model.columns(usize::from(area.width - AXIS));
    let plot = Plot::new(area, &columns);
    let per_second = |point: &ChartPoint| {
        let length = point.to_s - point.from_s;
        (length > 0.0).then(|| point.failed as f64 / length)
    };
    let top = ceiling(plot.points.iter().filter_map(per_second).fold(0.0, f64::max));
    plot.heights(&round(top), &round(top / 2.0), pen);
    let part = Part { value: Box::new(per_second), color: palette::TAIL, fill: FILLS[0] };
    stacks::draw(&plot, top, &[part], pen);
    plot.axis(pen);
}

fn errors(model: &Model, room: usize) -> Vec<(String, Look)> {
    let mut lines = Vec::new();
    for error in model.history.standing.iter().flat_map(|standing| &standing.errors) {
        let code = if error.code.is_empty() { String::new() } else { format!(" ({})", error.code) };
        let head = [
            grouped(error.count),
            format!("{}{code}", error.kind),
            format!("in {}", error.transaction),
        ];
        lines.push((parts(&head, "  ", room), Look::Bad));
        lines.push((sentence(&format!("   {}", clean(&error.example)), room), Look::Plain));
    }
    if lines.is_empty() {
        lines.push(("none".into(), Look::Plain));
    }
    lines
}
