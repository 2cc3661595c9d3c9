//! Plain lines with fixed columns: for a person at a terminal and for `grep`.

use std::io::Write;
use std::time::Duration;

use tacho_app::{BuildState, CheckState, Progress};
use tacho_core::units::span;
use tacho_metrics::Phase;
use tacho_report::{interval_header, interval_line};
use tacho_store::IntervalRecord;

use super::build::{BuildView, whole};
use crate::printer::say;
use crate::world::World;

/// Lines between two headers: a screen.
const SCREEN: usize = 20;

/// Writes one line per interval.
pub(super) struct Plain {
    headline: Option<String>,
    terminal: bool,
    lines: usize,
    build: Option<BuildView>,
}

impl Plain {
    pub(super) fn new(headline: Option<&str>, world: &World) -> Self {
        let headline = headline.map(str::to_owned);
        Self { headline, terminal: world.terminal_err, lines: 0, build: None }
    }

    /// Overwrites the present line of a terminal.
    fn transient(&self, text: &str) {
        if self.terminal {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\u{1b}[K{text}").and_then(|()| err.flush());
        }
    }
}

impl Progress for Plain {
    fn note(&mut self, text: &str) {
        say(text);
    }

    fn build(&mut self, state: &BuildState) {
        let terminal = self.terminal;
        self.build.get_or_insert_with(|| BuildView::new(terminal, state)).show(state);
    }

    fn build_over(&mut self) {
        if let Some(build) = self.build.take() {
            build.over();
        }
    }

    fn phase(&mut self, phase: Phase, length: Option<Duration>) {
        if phase == Phase::RampUp || self.lines == 0 {
            let length = length.map_or_else(String::new, |length| format!(" for {}", span(length)));
            say(&format!("{}{length}, Ctrl-C stops and summarises", phase.name()));
        }
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        if self.lines.is_multiple_of(SCREEN) {
            say(&interval_header(self.headline.as_deref()));
        }
        self.lines += 1;
        say(&interval_line(interval));
    }

    fn checking(&mut self, state: &CheckState) {
        let remaining = state
            .time_remaining()
            .map_or_else(String::new, |rest| format!("   remaining about {}", span(whole(rest))));
        let elapsed = span(whole(state.elapsed));
        let (done, count) = (state.done, state.count);
        self.transient(&format!(
            "checking, {done} of {count} questions answered   elapsed {elapsed}{remaining}"
        ));
    }

    fn checked(&mut self) {
        self.transient("");
    }
}
