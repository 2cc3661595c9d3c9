//! Draws the latency of one transaction type over time, on a logarithmic axis.

use ratatui::layout::Rect;
use tacho_report::Latency;

use super::axes::{AXIS, Plot};
use super::{Look, Pen, palette};
use crate::words::{ceiling, floor, name, sentence, time, width};
use crate::{Model, Ui};

pub(super) fn draw(model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let choice = ui.choice(model);
    pen.rule(area, &latency_title(choice, usize::from(area.width) - 4));
    let columns = model.columns(usize::from(area.width - AXIS));
    let plot = Plot::new(area, &columns);
    let (inner, points) = (plot.area, plot.points);
    let Some(place) = model.history.timeline.place(choice) else { return plot.axis(pen) };
    let all: Vec<Latency> = points.iter().map(|one| one.latencies[place]).collect();
    let scale = Scale::of(&all, inner.height);
    for row in 0..inner.height {
        if let Some(label) = scale.label(row) {
            let y = inner.y + inner.height - 1 - row;
            pen.right(area.x + AXIS - 1, y, &label, Look::Dim);
        }
    }
    for (at, (figures, point)) in all.iter().zip(points).enumerate() {
        for row in 0..inner.height {
            let Some((mark, look)) = scale.mark(figures, row) else { continue };
            let look = if point.outside { Look::Dim } else { look };
            for column in plot.columns(at) {
                pen.text(column, inner.y + inner.height - 1 - row, mark, look);
            }
        }
    }
    if !points.is_empty() && all.iter().all(|one| one[3].is_none()) {
        let words = format!("{choice}: no transaction has ended yet");
        pen.text(inner.x + 1, inner.y, &sentence(&words, usize::from(inner.width) - 1), Look::Dim);
    }
    plot.axis(pen);
}

/// Returns the longest title that fits: the name of the transaction, with a legend if there is
/// room.
fn latency_title(choice: &str, room: usize) -> String {
    let long = format!("latency of {choice}  ▓ p50–p95  ░ –p99  · max");
    let short = format!("{choice}  ▓ p50–95  ░ p99  · max");
    let all = [long, short, choice.to_owned()];
    all.into_iter().find(|title| width(title) <= room).unwrap_or_else(|| name(choice, room))
}

/// A logarithmic axis between two round times.
struct Scale {
    /// Lower end of the axis, in microseconds.
    low: f64,
    /// Number of powers of ten in one row.
    step: f64,
}

impl Scale {
    fn of(all: &[Latency], rows: u16) -> Self {
        let known = || all.iter().flatten().flatten().copied().filter(|us| *us > 0.0);
        let least = known().fold(f64::INFINITY, f64::min);
        let most = known().fold(0.0, f64::max);
        let (low, high) = if most > 0.0 { (floor(least), most) } else { (100.0, 1e6) };
        // Make the axis span at least half a power of ten, so that noise does not look like a large
        // change.
        let span = (ceiling(high * 1.000_1) / low).log10().max(0.5);
        Self { low, step: span / f64::from(rows) }
    }

    /// Returns the row of a time.
    fn row(&self, us: f64) -> u16 {
        (((us / self.low).log10() + 1e-9) / self.step).floor().max(0.0) as u16
    }

    /// Returns a row's label, if it has one. The axis's lower end and each power of ten are labelled.
    fn label(&self, row: u16) -> Option<String> {
        let from = self.low.log10() + f64::from(row) * self.step;
        let power = (from - 1e-9).ceil();
        let has_power = power < from + self.step - 1e-9;
        match row {
            0 => Some(time(self.low)),
            _ => has_power.then(|| time(10f64.powf(power))),
        }
    }

    /// Returns the character that shows an interval's latencies in this row of the chart, or `None` if the row remains
    /// empty.
    fn mark(&self, figures: &Latency, row: u16) -> Option<(&'static str, Look)> {
        let [p50, p95, p99, max] =
            figures.map(|us| us.filter(|us| *us > 0.0).map(|us| self.row(us)));
        let p50 = p50.or(max)?;
        let within = |from: u16, to: Option<u16>| to.is_some_and(|to| (from..=to).contains(&row));
        let has_median = figures[0].is_some();
        match () {
            () if has_median && row == p50 => Some(("▓", Look::Series(palette::MEDIAN))),
            () if has_median && within(p50, p95) => Some(("▓", Look::Series(palette::FIRST))),
            () if has_median && within(p95.unwrap_or(p50), p99) => {
                Some(("░", Look::Series(palette::TAIL)))
            }
            () if max == Some(row) => Some(("·", Look::Plain)),
            () => None,
        }
    }
}
