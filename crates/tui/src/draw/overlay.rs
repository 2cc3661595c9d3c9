//! Draws the last two lines of the screen and, if one is open, the overlay.

use ratatui::layout::Rect;
use ratatui::widgets::Clear;
use tacho_core::units::grouped;

use super::{Look, Pen};
use crate::words::{parts, sentence, width};
use crate::{Model, Overlay, Page, Ui};

const STOP: (&str, &str) = ("q", "stop the run (asks first); Ctrl-C stops it now, twice aborts it");
/// The help text for the key `q` if the run belongs to another process. It replaces [`STOP`].
const LEAVE: (&str, &str) = ("q", "close this view; the run continues");

/// The keys and their effects. Each line fits on a terminal with 80 columns.
const HELP: [(&str, &str); 17] = [
    ("p", "pause the view; the run continues"),
    ("1 to 5", "select a page, or press its first letter; Esc: first page"),
    ("Tab", "next transaction in the latency chart; Shift-Tab: previous one"),
    ("?", "show this help; Esc or ? closes it"),
    ("", ""),
    ("plain lines", "--progress plain prints one line per interval instead"),
    ("throughput", "each column is one interval or the mean of several"),
    ("", "grey on a dotted axis: ramp-up and ramp-down, outside the result"),
    ("latency", "from the due time; log scale; columns show the worst interval"),
    ("", "▓ p50 to p95, ░ to p99, · maximum (alone if samples are few)"),
    ("table", "the phase so far, as it will be recorded; –: too few samples"),
    ("thresholds", "✓ holds so far, ✗ does not hold; by the client's counts"),
    ("waits", "sessions running or waiting in the server, not for the client"),
    ("client CPU", "the load host's CPU, including that of an embedded database"),
    ("late", "how late Tacho started scheduled transactions: start − due time"),
    ("! messages", "the last message; all messages are printed after the run"),
    ("", "Throughput in the summary may come from the database's counters."),
];

/// Draws the line above the list of keys. It shows the last message or, before and after the load,
/// the current step.
pub(super) fn message(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let room = usize::from(area.width) - 2;
    if !model.history.activity.is_empty() {
        pen.text(1, area.y, &sentence(&model.history.activity, room), Look::Figure);
        return;
    }
    let Some(last) = model.history.notes.back() else {
        let text = "for plain lines instead of this view, use --progress plain";
        pen.text(1, area.y, &sentence(text, room), Look::Dim);
        return;
    };
    let more = match model.history.noted {
        0 | 1 => String::new(),
        all => format!(" ({} messages, all printed after the run)", grouped(all)),
    };
    let text = sentence(&format!("! {last}"), room - width(&more));
    pen.text(1, area.y, &(text + &more), Look::Plain);
}

pub(super) fn keys(ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    if ui.overlay == Overlay::Stop {
        let text = "Stop the run now and summarise?   y: yes   any other key: continue";
        pen.text(1, area.y, text, Look::Strong);
        return;
    }
    let mut x = 1;
    for (number, (page, name)) in Page::ALL.into_iter().enumerate() {
        let words = format!("{} {name}", number + 1);
        let look = if page == ui.page { Look::Strong } else { Look::Dim };
        pen.text(x, area.y, &words, look);
        x += width(&words) as u16 + 2;
    }
    let pause = if ui.paused.is_some() { "p continue" } else { "p pause" };
    let end = if ui.watches { "q close" } else { "q stop" };
    let mut rest = vec!["? help", end, pause];
    let room = usize::from(area.width.saturating_sub(x + 1));
    // The hint about the Tab key is omitted on a narrow terminal, because the help lists this key
    // too.
    let next = "Tab transaction";
    if width(&rest.join("  ")) + 2 + width(next) <= room {
        rest.push(next);
    }
    pen.text(x + 1, area.y, &parts(&rest, "  ", room), Look::Dim);
}

/// Draws the overlay.
pub(super) fn draw(ui: &Ui, pen: &mut Pen<'_, '_>) {
    if ui.overlay != Overlay::Help {
        return;
    }
    let area = pen.frame.area();
    let lines = help(ui);
    // The overlay is placed between the title and the keys.
    let rows = (lines.len() as u16 + 1).min(area.height - 2);
    let over = Rect { x: 0, y: area.height - 1 - rows, width: area.width, height: rows };
    pen.frame.render_widget(Clear, over);
    pen.rule(over, "help");
    for (place, (line, look)) in lines.iter().take(usize::from(rows) - 1).enumerate() {
        let text = sentence(line, usize::from(area.width) - 2);
        pen.text(1, over.y + 1 + place as u16, &text, *look);
    }
}

fn help(ui: &Ui) -> Vec<(String, Look)> {
    let first = if ui.watches { LEAVE } else { STOP };
    [first]
        .iter()
        .chain(&HELP)
        .map(|(word, text)| (format!("{word:<11} {text}"), Look::Plain))
        .collect()
}
