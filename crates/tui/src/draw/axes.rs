//! The plot area of a chart, and its axes. Labels never cover the plot area.

use std::time::Duration;

use ratatui::layout::Rect;
use tacho_report::ChartPoint;

use super::{Look, Pen};
use crate::words::{clock, width};

/// Number of columns to the left of the plot area, for the labels and the line of the vertical
/// axis.
pub(super) const AXIS: u16 = 8;
/// Minimum number of columns between two time labels.
const APART: u16 = 4;

/// The area above the horizontal axis in which a chart's data is drawn.
pub(super) struct Plot<'a> {
    pub(super) area: Rect,
    pub(super) points: &'a [ChartPoint],
    wide: usize,
}

impl<'a> Plot<'a> {
    /// Creates a plot area within a part of the screen. Each point of the chart takes `wide` screen
    /// columns.
    pub(super) fn new(area: Rect, (points, wide): &'a (Vec<ChartPoint>, usize)) -> Self {
        Self { area: inner(area), points, wide: *wide }
    }

    pub(super) fn columns(&self, place: usize) -> std::ops::Range<u16> {
        let from = self.area.x + (place * self.wide) as u16;
        from..from + self.wide as u16
    }

    /// Labels the axis at the top, at zero and, if there is room, in the middle.
    pub(super) fn heights(&self, top: &str, middle: &str, pen: &mut Pen<'_, '_>) {
        let end = self.area.x - 2;
        pen.right(end, self.area.y, top, Look::Dim);
        if self.area.height > 3 {
            pen.right(end, self.area.y + self.area.height / 2, middle, Look::Dim);
        }
        pen.right(end, self.area.y + self.area.height, "0", Look::Dim);
    }

    /// Draws the axes and time labels. During phases that the result excludes, the time axis is dotted.
    pub(super) fn axis(&self, pen: &mut Pen<'_, '_>) {
        let Rect { x, y, width: columns, height } = self.area;
        for row in y..y + height {
            pen.text(x - 1, row, "│", Look::Dim);
        }
        let line = y + height;
        pen.text(x - 1, line, "└", Look::Dim);
        pen.text(x, line, &"─".repeat(usize::from(columns)), Look::Dim);
        for (place, point) in self.points.iter().enumerate() {
            for column in self.columns(place).filter(|_| point.outside) {
                pen.text(column, line, "┄", Look::Dim);
            }
        }
        self.times(line, pen);
    }

    /// Labels the start and end of the run, the start of the measured phase, and as many other times as fit.
    fn times(&self, line: u16, pen: &mut Pen<'_, '_>) {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return };
        let mut row = Words { line, end: self.area.x, to: self.area.x + self.area.width, pen };
        row.put(self.area.x, &at_clock(first.from_s), false);
        let begin = self.points.iter().position(|one| !one.outside).filter(|place| *place > 0);
        if let Some(place) = begin {
            let at = self.columns(place).start;
            row.pen.text(at, line, "┴", Look::Dim);
            row.put(at, &format!("{} measure", at_clock(self.points[place].from_s)), false);
        }
        let end = at_clock(last.to_s);
        let end_at = self.columns(self.points.len() - 1).end.saturating_sub(width(&end) as u16);
        let step = self.step();
        for (place, pair) in self.points.windows(2).enumerate() {
            let crosses = (pair[0].to_s / step).floor() > (pair[0].from_s / step).floor();
            let words = at_clock((pair[0].to_s / step).floor() * step);
            let at = self.columns(place).end;
            if crosses && at + width(&words) as u16 + APART <= end_at {
                row.put(at, &words, true);
            }
        }
        row.put(end_at, &end, false);
    }

    /// Returns the time between two labels, which is at least the width of a label and a round
    /// value such as 30 s or 5 min.
    fn step(&self) -> f64 {
        const STEPS: [f64; 12] =
            [5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21600.0, 86400.0];
        let all: f64 = self.points.iter().map(|one| one.to_s - one.from_s).sum();
        let columns = (self.points.len() * self.wide).max(1) as f64;
        let wanted = all / columns * 18.0;
        STEPS.into_iter().find(|step| *step >= wanted).unwrap_or(86400.0)
    }
}

/// Writes the labels below an axis, from left to right. Labels for which there is no room are
/// omitted.
struct Words<'a, 'b, 'c> {
    line: u16,
    end: u16,
    to: u16,
    pen: &'a mut Pen<'b, 'c>,
}

impl Words<'_, '_, '_> {
    fn put(&mut self, at: u16, words: &str, with_tick: bool) {
        let to = at + width(words) as u16;
        if at < self.end || to > self.to {
            return;
        }
        self.pen.text(at, self.line + 1, words, Look::Dim);
        if with_tick {
            self.pen.text(at, self.line, "┴", Look::Dim);
        }
        self.end = to + 1;
    }
}

fn at_clock(at_s: f64) -> String {
    clock(Duration::from_secs_f64(at_s.max(0.0)))
}

/// Returns the area in which data is drawn, without the line at the top, the labels on the left,
/// and the axis at the bottom.
fn inner(area: Rect) -> Rect {
    Rect { x: area.x + AXIS, y: area.y + 1, width: area.width - AXIS, height: area.height - 3 }
}
