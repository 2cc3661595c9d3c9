//! The live view of a run. When the view is closed, or if the terminal is too small, plain lines are printed instead.
//!
//! While the view uses the terminal, messages are stored and printed later. Start reading at [`Tui::open`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tacho_core::{Error, Result};
use tacho_store::{Event, EventKind, Listener};
use tacho_tui::{Ui, View};

use super::{Whose, point_line};
use crate::printer::say;
use crate::system;
use crate::world::{Canvas, World};

/// The view, and the plain lines that are printed while it is not shown.
pub(super) struct Tui {
    plain: Box<dyn Listener>,
    view: Option<View>,
    color: bool,
    whose: Whose,
    /// True if a driver has written text to the terminal, so that the view must not be drawn again.
    written: Arc<AtomicBool>,
    kept: Vec<String>,
}

impl Tui {
    /// Opens the live view, or returns an error if there is no terminal. While the view is closed, events go to
    /// `plain`.
    pub(super) fn open(
        plain: Box<dyn Listener>,
        whose: Whose,
        world: &World,
    ) -> Result<Box<dyn Listener>> {
        let color = match world.canvas {
            Canvas::Screen { color } => color,
            Canvas::Lines => {
                say("TERM=dumb does not support the live view: using plain lines");
                return Ok(plain);
            }
            Canvas::None => {
                let what = "the live view needs a terminal, but standard error is not a terminal";
                return Err(Error::usage(what).hint(
                    "use --progress plain for lines, or --progress json for one object per \
                           line",
                ));
            }
        };
        let (written, kept) = (world.written(), Vec::new());
        Ok(Box::new(Self { plain, view: None, color, whose, written, kept }))
    }

    /// Opens the view, unless it is open already or a driver has written to the terminal.
    fn open_view(&mut self) {
        if self.view.is_some() || self.written.load(Ordering::Relaxed) {
            return;
        }
        // The terminal passes Ctrl-C to the view as a key, so the view has to raise the signal itself.
        let watches = self.whose == Whose::Another;
        let ui = Ui { color: self.color, watches, ..Ui::default() };
        let view = View::open(ui, system::press_ctrl_c);
        if let Some(why) = view.why_not() {
            say(&format!("{why}: using plain lines"));
        }
        self.view = Some(view);
    }

    /// Passes an event to the view. Returns true if the view is on the terminal.
    fn shows(&mut self, event: &Event) -> bool {
        if self.written.load(Ordering::Relaxed) {
            self.close();
        }
        self.view.as_ref().is_some_and(|view| {
            view.tell(event.clone());
            view.is_shown()
        })
    }

    fn keep(&mut self, text: String) {
        if self.kept.last() != Some(&text) {
            self.kept.push(text);
        }
    }

    /// Restores the terminal and prints the stored messages.
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

impl Listener for Tui {
    fn on(&mut self, event: &Event) {
        if matches!(event, Event::Begins { .. }) {
            self.open_view();
        }
        let is_shown = self.shows(event);
        match event {
            Event::Note { text } if is_shown => self.keep(text.clone()),
            Event::Point { point } if is_shown => self.keep(point_line(point)),
            Event::BuildOver => self.plain.on(event),
            _ if is_shown => {}
            _ => self.plain.on(event),
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind == EventKind::Standing && self.view.is_some() || !kind.is_costly()
    }
}
