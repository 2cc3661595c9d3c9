//! Draws the screen from top to bottom: the title, the page, the message line and the keys.
//!
//! A number is either drawn in full or omitted. No information is conveyed by colour alone.
//!
//! Start reading at [`draw`].

mod axes;
mod errors;
mod host;
mod latency;
mod overlay;
mod palette;
mod panels;
mod stacks;
mod table;
mod throughput;
mod title;
mod waits;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::words::{sentence, width};
use crate::{Model, Overlay, Page, Ui};

/// Minimum number of columns required by a view.
pub const MIN_WIDTH: u16 = 80;
/// Minimum number of rows required by a view.
pub const MIN_HEIGHT: u16 = 24;

/// Number of rows for the panels about the database and the measurement's health, including the
/// line above them.
const PANELS: u16 = 5;
/// Minimum number of rows for the charts, including a line above, the axis and an empty row below.
const CHARTS_MIN: u16 = 8;
/// Minimum number of rows at which two charts are drawn one above the other.
const CHARTS_TWICE: u16 = 20;

/// Draws the whole screen. `stopping` is true once the user has asked to end the run.
pub fn draw(model: &Model, ui: &Ui, stopping: bool, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < MIN_WIDTH || area.height < MIN_HEIGHT {
        return;
    }
    let mut pen = Pen { frame, color: ui.color };
    let mut rows = Rows { left: area };
    title::draw(model, ui, stopping, rows.take(1), &mut pen);
    let page = rows.take(area.height - 3);
    match ui.page {
        Page::Overview => overview(model, ui, page, &mut pen),
        Page::Latency => latency_page(model, ui, page, &mut pen),
        Page::Waits => waits::page(model, page, &mut pen),
        Page::Host => host::page(model, page, &mut pen),
        Page::Errors => errors::page(model, page, &mut pen),
    }
    overlay::message(model, rows.take(1), &mut pen);
    overlay::keys(ui, rows.take(1), &mut pen);
    if ui.overlay != Overlay::None {
        overlay::draw(ui, &mut pen);
    }
}

/// Draws the charts, the table and the panels. On a tall terminal, also draws charts of waits and processors.
fn overview(model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let mut rows = Rows { left: area };
    let table = table::height(model).min(area.height - PANELS - CHARTS_MIN);
    // If the terminal is tall and the panels have enough content, they take some of the rows of the charts.
    let spare = ((area.height - PANELS - table - CHARTS_MIN) / 3).min(6);
    let panels = PANELS.max(panels::height(model).min(PANELS + spare));
    let charts = area.height - panels - table;
    let has_more = charts >= CHARTS_TWICE && model.history.timeline.has_more();
    let first = if has_more { charts / 2 } else { charts };
    let (left, right) = halves(charted(rows.take(first)), area.width / 2 - 1);
    throughput::draw(model, left, pen);
    if model.history.streams.1.is_empty() {
        latency::draw(model, ui, right, pen);
    } else {
        panels::streams(model, right, pen);
    }
    if has_more {
        let second = charted(rows.take(charts - first));
        match (model.history.timeline.has_waits(), model.history.timeline.has_host()) {
            (true, true) => {
                let (left, right) = halves(second, area.width / 2 - 1);
                waits::draw(model, left, pen);
                host::processors(model, right, pen);
            }
            (true, false) => waits::draw(model, second, pen),
            _ => host::processors(model, second, pen),
        }
    }
    table::draw(model, ui, rows.take(table), pen);
    panels::draw(model, rows.take(panels), pen);
}

/// Draws a single chart across the whole width, and the table for selecting a transaction.
fn latency_page(model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let mut rows = Rows { left: area };
    let table = table::height(model).min(area.height - CHARTS_MIN - 2);
    latency::draw(model, ui, charted(rows.take(area.height - table)), pen);
    table::draw(model, ui, rows.take(table), pen);
}

/// Returns the area without its last row. That row stays empty to separate a chart from what
/// follows.
fn charted(area: Rect) -> Rect {
    Rect { height: area.height - 1, ..area }
}

/// An area from which rows are taken, starting at the top.
struct Rows {
    left: Rect,
}

impl Rows {
    fn take(&mut self, height: u16) -> Rect {
        let height = height.min(self.left.height);
        let part = Rect { height, ..self.left };
        self.left.y += height;
        self.left.height -= height;
        part
    }
}

/// The role of an element, which determines its appearance on a colour terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Plain,
    Strong,
    Dim,
    Good,
    Bad,
    /// Something that the reader should notice first, such as a mark in a chart or an activity in
    /// progress.
    Figure,
    /// A colour of the report's palette.
    Series(u8),
}

/// A writer to the screen.
struct Pen<'a, 'b> {
    frame: &'a mut Frame<'b>,
    color: bool,
}

impl Pen<'_, '_> {
    /// Writes a string. The caller makes sure that it fits.
    fn text(&mut self, x: u16, y: u16, text: &str, look: Look) {
        let style = self.style(look);
        let area = self.frame.area();
        if y < area.height && x < area.width {
            self.frame.buffer_mut().set_stringn(x, y, text, usize::from(area.width - x), style);
        }
    }

    /// Writes a string that ends just before the given column.
    fn right(&mut self, end: u16, y: u16, text: &str, look: Look) {
        self.text(end.saturating_sub(width(text) as u16), y, text, look);
    }

    /// Draws a horizontal line with a title, which starts a section of the screen.
    fn rule(&mut self, area: Rect, title: &str) {
        let line = "─".repeat(usize::from(area.width));
        self.text(area.x, area.y, &line, Look::Dim);
        let title = sentence(title, usize::from(area.width).saturating_sub(4));
        self.text(area.x + 1, area.y, &format!(" {title} "), Look::Strong);
    }

    fn style(&self, look: Look) -> Style {
        let plain = Style::reset();
        match look {
            Look::Strong => plain.add_modifier(Modifier::BOLD),
            Look::Plain => plain,
            _ if !self.color => plain,
            Look::Dim => plain.fg(palette::QUIET),
            Look::Good => plain.fg(Color::Green),
            Look::Bad => plain.fg(Color::Red),
            Look::Figure => plain.fg(palette::COLORS[usize::from(palette::FIRST)]),
            Look::Series(number) => {
                plain.fg(palette::COLORS[usize::from(number) % palette::COLORS.len()])
            }
        }
    }
}

/// Splits an area into a left and a right half, with a gap between them.
fn halves(area: Rect, left: u16) -> (Rect, Rect) {
    let gap = 2;
    let first = Rect { width: left, ..area };
    (first, Rect { x: area.x + left + gap, width: area.width - left - gap, ..area })
}
