//! Draws the title: the subject of the measurement, its progress and the run.

use std::time::Duration;

use ratatui::layout::Rect;

use super::{Look, Pen};
use crate::model::Subject;
use crate::words::{clock, name, parts, width};
use crate::{Model, Ui};

/// Maximum and minimum number of columns for the progress bar.
const BAR: (usize, usize) = (40, 8);
/// Minimum number of columns for the name of the target.
const TARGET_MIN: usize = 8;

pub(super) fn draw(model: &Model, ui: &Ui, stopping: bool, area: Rect, pen: &mut Pen<'_, '_>) {
    let total = usize::from(area.width) - 2;
    let subject = &model.subject;
    let state = state(model, ui, stopping);
    let run = if subject.run.is_empty() { String::new() } else { format!("run {}", subject.run) };
    let fixed = width(&state) + width(&run) + 6;
    let head = head(subject, total.saturating_sub(fixed));
    let used = width(&head) + 3 + width(&state) + 2 + width(&run);
    pen.text(1, area.y, &head, Look::Strong);
    let at = 1 + width(&head) as u16;
    pen.text(at, area.y, " · ", Look::Dim);
    let look = if stopping || ui.paused.is_some() { Look::Bad } else { Look::Figure };
    pen.text(at + 3, area.y, &state, look);
    pen.right(area.width - 1, area.y, &run, Look::Dim);
    let room = total.saturating_sub(used + 1).min(BAR.0);
    let Some(share) = share(model).filter(|_| room >= BAR.1) else { return };
    let done = (share * room as f64) as usize;
    let start = at + 3 + width(&state) as u16 + 2;
    pen.text(start, area.y, &"━".repeat(done), Look::Figure);
    pen.text(start + done as u16, area.y, &"╌".repeat(room - done), Look::Dim);
}

/// Returns the workload, the target and the load. Only the target name may be truncated.
fn head(subject: &Subject, room: usize) -> String {
    let rest = width(&subject.workload) + width(&subject.load) + 6;
    if room < rest + TARGET_MIN {
        return parts(&[&subject.workload, &name(&subject.target, TARGET_MIN)], " · ", room);
    }
    let target = name(&subject.target, room - rest);
    [&subject.workload, &target, &subject.load].map(String::as_str).join(" · ")
}

/// Returns the state of the run, such as `MEASURE 03:20 / 10:00`.
fn state(model: &Model, ui: &Ui, stopping: bool) -> String {
    let mut words = Vec::new();
    if !model.history.point.is_empty() {
        words.push(model.history.point.clone());
    }
    let phase = if model.history.phase.is_empty() {
        "starts".into()
    } else {
        model.history.phase.to_uppercase()
    };
    let step = model
        .history
        .interval
        .as_ref()
        .and_then(|last| last.step)
        .filter(|_| model.subject.steps > 0);
    if let Some(step) = step {
        words.push(format!("STEP {step}/{}", model.subject.steps));
    }
    let length =
        model.history.phase_length.map_or_else(String::new, |all| format!(" / {}", span(all)));
    words.push(match model.history.activity.split_once(':') {
        _ if model.history.activity.is_empty() => {
            format!("{phase} {}{length}", clock(model.elapsed()))
        }
        // Do not show a running clock before and after the load.
        Some((doing, _)) => doing.to_uppercase(),
        None => model.history.activity.to_uppercase(),
    });
    if stopping && !ui.watches {
        words.push("STOPPING".into());
    }
    if ui.paused.is_some() {
        words.push("VIEW PAUSED".into());
    }
    words.join(" · ")
}

/// Formats a duration in the same way as the clock in the title. If it is not a whole number of
/// seconds, the fraction is shown too.
fn span(span: Duration) -> String {
    if span.subsec_nanos() == 0 { clock(span) } else { tacho_core::units::span(span) }
}

/// Returns the completed fraction of the phase, if the phase's length is known.
fn share(model: &Model) -> Option<f64> {
    let length = model.history.phase_length.filter(|length| !length.is_zero())?;
    if !model.history.activity.is_empty() {
        return None;
    }
    Some((model.elapsed().as_secs_f64() / length.as_secs_f64()).min(1.0))
}
