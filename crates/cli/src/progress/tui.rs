//! The live view of a run, and plain lines wherever it cannot be: before the load, on a terminal that
//! is too small, after the view has ended.
//!
//! What is said while the view has the terminal is kept and printed after it. Start reading at
//! [`Tui::open`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tacho_analysis::Calibration;
use tacho_app::{BuildState, CheckState, PointState, Progress, Standing, StreamState};
use tacho_core::units::grouped;
use tacho_core::{Error, Result};
use tacho_metrics::Phase;
use tacho_report::calibration_sentences;
use tacho_store::record::Record;
use tacho_store::{IntervalRecord, ServerIntervalRecord};
use tacho_tui::{Event, Subject, Ui, View};

use super::{Whose, point_line};
use crate::printer::say;
use crate::system;
use crate::world::{Canvas, World};

/// The view and what stands in for it.
pub(super) struct Tui {
    plain: Box<dyn Progress>,
    view: Option<View>,
    color: bool,
    whose: Whose,
    /// Whether a driver has written to the terminal, on which nothing can be drawn then.
    written: Arc<AtomicBool>,
    kept: Vec<String>,
}

impl Tui {
    /// Fails without a terminal to draw on. `plain` hears of everything that is not drawn.
    pub(super) fn open(
        plain: Box<dyn Progress>,
        whose: Whose,
        world: &World,
    ) -> Result<Box<dyn Progress>> {
        let color = match world.canvas {
            Canvas::Screen { color } => color,
            Canvas::Lines => {
                say("TERM=dumb can show no live view: plain lines");
                return Ok(plain);
            }
            Canvas::None => {
                let what = "the live view needs a terminal, and standard error is none";
                return Err(Error::usage(what)
                    .hint("--progress plain writes lines, --progress json one object per line"));
            }
        };
        let (written, kept) = (world.written(), Vec::new());
        Ok(Box::new(Self { plain, view: None, color, whose, written, kept }))
    }

    /// Whether the view has the terminal. Tells it.
    fn shows(&mut self, event: Event) -> bool {
        if self.written.load(Ordering::Relaxed) {
            self.close();
        }
        self.view.as_ref().is_some_and(|view| {
            view.tell(event);
            view.is_shown()
        })
    }

    fn keep(&mut self, text: String) {
        if self.kept.last() != Some(&text) {
            self.kept.push(text);
        }
    }

    /// Gives the terminal back and prints what was said meanwhile.
    fn close(&mut self) {
        let Some(mut view) = self.view.take() else { return };
        self.kept.extend(view.close());
        self.kept.drain(..).for_each(|text| say(&text));
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        self.close();
    }
}

impl Progress for Tui {
    fn note(&mut self, text: &str) {
        if self.shows(Event::Note(text.to_owned())) {
            self.keep(text.to_owned());
        } else {
            self.plain.note(text);
        }
    }

    fn calibration(&mut self, calibration: &Calibration, repeats: u32) {
        for said in calibration_sentences(calibration, repeats) {
            self.note(&said);
        }
    }

    fn build(&mut self, state: &BuildState) {
        let all = state.rows + state.remaining;
        let words = format!("making data: {} of {} rows", grouped(state.rows), grouped(all));
        if !self.shows(Event::Activity(words)) {
            self.plain.build(state);
        }
    }

    fn build_over(&mut self) {
        self.shows(Event::Activity(String::new()));
        self.plain.build_over();
    }

    fn begins(&mut self, record: &Record) {
        if self.view.is_none() && !self.written.load(Ordering::Relaxed) {
            // As if Ctrl-C had come from the keyboard, which it did.
            let watches = self.whose == Whose::Another;
            let ui = Ui { color: self.color, watches, ..Ui::default() };
            let view = View::open(ui, system::press_ctrl_c);
            if let Some(why) = view.why_not() {
                say(&format!("{why}: plain lines"));
            }
            self.view = Some(view);
        }
        let subject = Subject::of(record);
        if !self.shows(Event::Begins(Box::new(subject))) {
            self.plain.begins(record);
        }
    }

    fn phase(&mut self, phase: Phase, length: Option<Duration>) {
        if !self.shows(Event::Phase(phase.name(), length)) {
            self.plain.phase(phase, length);
        }
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        if !self.shows(Event::Interval(Box::new(interval.clone()))) {
            self.plain.interval(interval);
        }
    }

    fn wants_standing(&self) -> bool {
        self.view.is_some()
    }

    fn standing(&mut self, standing: &Standing) {
        self.shows(Event::Standing(Box::new(standing.clone())));
    }

    fn server(&mut self, server: &ServerIntervalRecord) {
        self.shows(Event::Server(Box::new(server.clone())));
    }

    fn streams(&mut self, at: Duration, streams: &[StreamState]) {
        if !self.shows(Event::Streams(at, streams.to_vec())) {
            self.plain.streams(at, streams);
        }
    }

    fn point(&mut self, point: &PointState) {
        let place = format!("{} of {}: {}", point.number, point.count, point.words);
        if self.shows(Event::Point(place)) {
            self.keep(point_line(point));
        } else {
            self.plain.point(point);
        }
    }

    fn ending(&mut self, step: &str) {
        if !self.shows(Event::Activity(step.to_owned())) {
            self.plain.ending(step);
        }
    }

    fn checking(&mut self, state: &CheckState) {
        let words = format!("checking: {} of {} questions answered", state.done, state.count);
        if !self.shows(Event::Activity(words)) {
            self.plain.checking(state);
        }
    }

    fn checked(&mut self) {
        if !self.shows(Event::Activity(String::new())) {
            self.plain.checked();
        }
    }
}
