//! The last two lines, and what lies over the screen when it is asked for.

use ratatui::layout::Rect;
use ratatui::widgets::Clear;
use tacho_core::units::grouped;

use super::{Look, Pen};
use crate::words::{clean, parts, sentence};
use crate::{Model, Overlay, Ui};

const HELP: [(&str, &str); 17] = [
    ("q", "stop the run and summarise; asks once. Ctrl-C does it at once, again aborts"),
    ("p", "pause the view; the run goes on"),
    ("Tab", "the next transaction in the latency chart; Shift-Tab the one before"),
    ("e", "errors by class, with an example of each"),
    ("?", "this page; Esc or ? leaves it"),
    ("", ""),
    ("throughput", "each column an interval, or the mean of several; zero is below"),
    ("", "grey on a dotted axis: ramp-up and ramp-down, not in the result"),
    ("latency", "from the due moment, logarithmic; of several intervals the worst one"),
    ("", "▓ from p50 to p95, ░ to p99, · the longest; with few samples only the longest"),
    ("table", "the phase so far, as the record will have it; – is too few samples"),
    ("thresholds", "✓ holds so far, ✗ does not; by what the client has counted"),
    ("database", "sessions by what they wait for, and counters, in the last interval"),
    ("client CPU", "of Tacho itself, on average over the measured phase"),
    ("late", "start − due of what was scheduled: how far Tacho lags behind"),
    ("! messages", "the last one; all of them are printed after the run"),
    ("", "Throughput in the summary may come from the database's own count."),
];

/// The line above the keys: what goes on beside the load, or the last message.
pub(super) fn message(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let room = usize::from(area.width) - 2;
    if !model.activity.is_empty() {
        pen.text(1, area.y, &sentence(&model.activity, room), Look::Figure);
        return;
    }
    let Some(last) = model.notes.last() else { return };
    let more = match model.noted {
        0 | 1 => String::new(),
        all => format!(" ({} messages, all printed after the run)", grouped(all)),
    };
    let text = sentence(&format!("! {last}"), room - crate::words::width(&more));
    pen.text(1, area.y, &(text + &more), Look::Plain);
}

pub(super) fn keys(_model: &Model, ui: &Ui, area: Rect, pen: &mut Pen<'_, '_>) {
    let pause = if ui.paused.is_some() { "p go on" } else { "p pause view" };
    let all = ["q stop and summarise", pause, "Tab transaction", "e errors", "? help"];
    pen.text(1, area.y, &parts(&all, "   ", usize::from(area.width) - 2), Look::Dim);
    if ui.overlay == Overlay::Stop {
        let line = " ".repeat(usize::from(area.width));
        pen.text(0, area.y, &line, Look::Plain);
        let text = "Stop the run now and summarise?   y yes   any other key: the run goes on";
        pen.text(1, area.y, text, Look::Strong);
    }
}

pub(super) fn draw(model: &Model, ui: &Ui, pen: &mut Pen<'_, '_>) {
    let area = pen.frame.area();
    let lines = match ui.overlay {
        Overlay::Help => help(),
        Overlay::Errors => errors(model, usize::from(area.width) - 2),
        Overlay::None | Overlay::Stop => return,
    };
    // Between the title and the keys.
    let rows = (lines.len() as u16 + 1).min(area.height - 2);
    let over = Rect { x: 0, y: area.height - 1 - rows, width: area.width, height: rows };
    pen.frame.render_widget(Clear, over);
    let title = if ui.overlay == Overlay::Help { "help" } else { "errors of the run so far" };
    pen.rule(over, title);
    for (place, (line, look)) in lines.iter().take(usize::from(rows) - 1).enumerate() {
        let text = sentence(line, usize::from(area.width) - 2);
        pen.text(1, over.y + 1 + place as u16, &text, *look);
    }
}

fn help() -> Vec<(String, Look)> {
    HELP.iter().map(|(word, text)| (format!("{word:<11} {text}"), Look::Plain)).collect()
}

fn errors(model: &Model, room: usize) -> Vec<(String, Look)> {
    let mut lines = Vec::new();
    for error in model.standing.iter().flat_map(|standing| &standing.errors) {
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
