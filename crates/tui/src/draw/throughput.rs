//! Draws the throughput over time. The axis starts at zero.

use ratatui::layout::Rect;
use tacho_report::throughput;

use super::axes::Plot;
use super::stacks::{self, FILLS, Part};
use super::{Pen, palette};
use crate::Model;
use crate::words::{ceiling, parts, rate, round};

/// The phase whose throughput is reported as the result.
const MEASURE: &str = "measure";

pub(super) fn draw(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    pen.rule(area, &throughput_title(model, usize::from(area.width) - 4));
    let columns = model.columns(usize::from(area.width - super::axes::AXIS));
    let plot = Plot::new(area, &columns);
    let top = ceiling(plot.points.iter().map(|one| one.throughput).fold(0.0, f64::max));
    plot.heights(&round(top), &round(top / 2.0), pen);
    let part = Part {
        value: Box::new(|point| Some(point.throughput)),
        color: palette::FIRST,
        fill: FILLS[0],
    };
    stacks::draw(&plot, top, &[part], pen);
    plot.axis(pen);
}

/// Returns the throughput in the last interval and in the phase so far, if there is room for them.
fn throughput_title(model: &Model, room: usize) -> String {
    let headline = model.history.standing.as_ref().and_then(|standing| standing.headline.as_ref());
    let unit = headline.map_or("transactions/s", |headline| &headline.name);
    let now = model.history.interval.as_ref().map(|last| format!("{} now", rate(throughput(last))));
    let so_far = model.history.standing.as_ref().and_then(|standing| {
        let all = standing.transactions.last()?;
        let tps = (standing.elapsed_s > 0.0).then(|| all.count as f64 / standing.elapsed_s)?;
        let figure = headline.map_or(tps, |headline| headline.per_minute);
        let when = if standing.phase == MEASURE { "so far" } else { "in ramp-up" };
        Some(format!("{} {when}", rate(figure)))
    });
    let queries = model.history.interval.as_ref().and_then(|last| last.queries_per_hour);
    let queries = queries.map(|queries| format!("{} queries/h", rate(queries)));
    let all: Vec<String> =
        [unit.to_owned()].into_iter().chain(now).chain(so_far).chain(queries).collect();
    parts(&all, " · ", room)
}
