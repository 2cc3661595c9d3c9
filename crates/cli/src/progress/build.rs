//! Build progress: a bar for each table on a terminal, or an occasional line in a log.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tacho_core::units::{grouped, significant, span};
use tacho_store::event::BuildState;

use crate::printer::say;

/// Interval between two lines in a log.
const EVERY: Duration = Duration::from_secs(5);

/// The display of a build.
pub(super) enum BuildView {
    /// Progress bars on a terminal.
    Bars { all: MultiProgress, bars: Vec<ProgressBar>, foot: ProgressBar },
    /// Progress lines in a log. `next` is the time for the next line.
    Lines { next: Duration },
}

impl BuildView {
    pub(super) fn new(terminal: bool, state: &BuildState) -> Self {
        if !terminal {
            return Self::Lines { next: EVERY };
        }
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(4));
        let style = ProgressStyle::with_template("  {prefix:12} {bar:24} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ ");
        let bars = state
            .tables
            .iter()
            .filter(|table| table.expected > 0)
            .map(|table| {
                let bar = ProgressBar::new(table.expected).with_style(style.clone());
                all.add(bar.with_prefix(table.name.clone()))
            })
            .collect();
        let plain = ProgressStyle::with_template("  {msg}");
        let foot =
            ProgressBar::new(1).with_style(plain.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let foot = all.add(foot);
        Self::Bars { all, bars, foot }
    }

    pub(super) fn show(&mut self, state: &BuildState) {
        match self {
            Self::Bars { bars, foot, .. } => {
                let tables = state.tables.iter().filter(|table| table.expected > 0);
                for (bar, table) in bars.iter().zip(tables) {
                    bar.set_position(table.rows.min(table.expected));
                    bar.set_message(format!(
                        "{} / {}",
                        grouped(table.rows),
                        grouped(table.expected.max(table.rows))
                    ));
                }
                foot.set_message(line(state));
            }
            Self::Lines { next } if state.elapsed >= *next => {
                *next = state.elapsed + EVERY;
                say(&format!("  {}", line(state)));
            }
            Self::Lines { .. } => {}
        }
    }

    pub(super) fn over(&self) {
        if let Self::Bars { all, bars, foot } = self {
            bars.iter().for_each(ProgressBar::finish);
            foot.finish_and_clear();
            // Errors are ignored, because the build must continue even if the terminal has been closed.
            let _ = all.clear();
        }
    }
}

fn line(state: &BuildState) -> String {
    let remaining =
        state.remaining.map_or_else(|| "–".into(), |rest| format!("about {}", span(whole(rest))));
    format!(
        "{} of {} rows   {} rows/s   elapsed {}   remaining {remaining}",
        grouped(state.rows),
        grouped(state.all_rows()),
        significant(state.rows_per_s),
        span(whole(state.elapsed))
    )
}

/// Rounds a duration up to whole seconds.
pub(super) fn whole(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs_f64().ceil() as u64)
}
