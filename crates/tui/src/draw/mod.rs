//! The screen, from top to bottom: title, charts, table, database and health, message, keys.
//!
//! Every figure is drawn whole or left out. Marks and words say all that colours say. Start reading at
//! [`draw`].

mod charts;
mod overlay;
mod panels;
mod table;
mod title;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::words::{sentence, width};
use crate::{Model, Overlay, Ui};

/// Columns below which there is no view.
pub const MIN_WIDTH: u16 = 80;
/// Rows below which there is no view.
pub const MIN_HEIGHT: u16 = 24;

/// Rows of the database and the health, with their rule.
const PANELS: u16 = 5;
/// Rows of the charts, at least, with their rule, their axis and the empty row below.
const CHARTS_MIN: u16 = 8;

/// Draws all of it. `stopping` is whether the user has asked for the end, also while the view is paused.
pub fn draw(model: &Model, ui: &Ui, stopping: bool, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < MIN_WIDTH || area.height < MIN_HEIGHT {
        return;
    }
    let mut pen = Pen { frame, color: ui.color };
    // Without the title, the message and the keys.
    let rest = area.height - 3;
    let table = table::height(model).min(rest - PANELS - CHARTS_MIN);
    // On a high terminal the panels take a part of what the charts can spare.
    let panels = PANELS + ((rest - PANELS - table - CHARTS_MIN) / 3).min(6);
    let charts = rest - panels - table;
    let mut top = 0;
    let mut next = |height: u16| {
        let part = Rect { x: 0, y: top, width: area.width, height };
        top += height;
        part
    };
    title::draw(model, ui, stopping, next(1), &mut pen);
    charts::draw(model, ui, next(charts), &mut pen);
    table::draw(model, ui, next(table), &mut pen);
    panels::draw(model, next(panels), &mut pen);
    overlay::message(model, next(1), &mut pen);
    overlay::keys(model, ui, next(1), &mut pen);
    if ui.overlay != Overlay::None {
        overlay::draw(model, ui, &mut pen);
    }
}

/// What something is, and so how it looks where colours are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Plain,
    Strong,
    Dim,
    Good,
    Bad,
    Figure,
    Band,
    Tail,
}

/// Writes to the screen.
struct Pen<'a, 'b> {
    frame: &'a mut Frame<'b>,
    color: bool,
}

impl Pen<'_, '_> {
    /// Writes text; the caller has seen to it that it fits.
    fn text(&mut self, x: u16, y: u16, text: &str, look: Look) {
        let style = self.style(look);
        let area = self.frame.area();
        if y < area.height && x < area.width {
            self.frame.buffer_mut().set_stringn(x, y, text, usize::from(area.width - x), style);
        }
    }

    /// Writes text that ends before this column.
    fn right(&mut self, end: u16, y: u16, text: &str, look: Look) {
        self.text(end.saturating_sub(width(text) as u16), y, text, look);
    }

    /// A line with a title in it, which begins a part of the screen.
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
            Look::Dim => plain.fg(Color::DarkGray),
            Look::Good => plain.fg(Color::Green),
            Look::Bad => plain.fg(Color::Red),
            Look::Figure | Look::Band => plain.fg(Color::Cyan),
            Look::Tail => plain.fg(Color::Blue),
        }
    }
}

/// The left and the right part of an area, with a gap between them.
fn halves(area: Rect, left: u16) -> (Rect, Rect) {
    let gap = 2;
    let own = Rect { width: left, ..area };
    (own, Rect { x: area.x + left + gap, width: area.width - left - gap, ..area })
}
