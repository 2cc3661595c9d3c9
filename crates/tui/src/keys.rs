//! The effects of keys.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tacho_report::ALL;

use crate::Model;

/// A page of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// A summary of everything.
    #[default]
    Overview,
    /// The page that shows the latency of one transaction type on the whole screen.
    Latency,
    /// The page that shows the waits of the server's sessions over time.
    Waits,
    /// The page about the client machine, with its processors and disks.
    Host,
    /// The page of failures, over time and by class, with examples.
    Errors,
}

impl Page {
    /// All pages with their names. The key of a page is its number, starting at 1.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Overview, "overview"),
        (Self::Latency, "latency"),
        (Self::Waits, "waits"),
        (Self::Host, "host"),
        (Self::Errors, "errors"),
    ];

    fn of_key(key: char) -> Option<Self> {
        let letter = Self::ALL.iter().find(|(_, name)| name.starts_with(key));
        let number =
            key.to_digit(10).and_then(|digit| Self::ALL.get((digit as usize).checked_sub(1)?));
        number.or(letter).map(|(page, _)| *page)
    }
}

/// An overlay on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// No overlay.
    #[default]
    None,
    /// An explanation of the keys and the parts of the screen.
    Help,
    /// A prompt that asks whether to stop the run.
    Stop,
}

/// The user's choices in the view.
#[derive(Clone, Debug, Default)]
pub struct Ui {
    /// True if colours may be used.
    pub color: bool,
    /// True if another process performs the measurement. In that case, this view cannot stop it.
    pub watches: bool,
    /// The transaction type that the latency chart shows. `None` selects the first one.
    pub chosen: Option<String>,
    /// The current page.
    pub page: Page,
    /// The current overlay.
    pub overlay: Overlay,
    /// A copy of the model from the moment when the user paused the view.
    pub paused: Option<Box<Model>>,
}

/// The action requested by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// No action.
    None,
    /// Draws the changed screen.
    Redraw,
    /// Clears the screen and draws it again.
    Refresh,
    /// Stops the run, like Ctrl-C.
    Stop,
}

impl Ui {
    /// Handles a key and returns the action that it requests.
    pub fn press(&mut self, key: KeyEvent, model: &Model) -> Action {
        if key.kind == KeyEventKind::Release {
            return Action::None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return Action::Stop,
            KeyCode::Char('l') if control => return Action::Refresh,
            _ if control => return Action::None,
            _ => {}
        }
        if self.overlay == Overlay::Stop {
            self.overlay = Overlay::None;
            let yes = matches!(key.code, KeyCode::Char('y' | 'Y' | 'q') | KeyCode::Enter);
            return if yes { Action::Stop } else { Action::Redraw };
        }
        match key.code {
            KeyCode::Char('q') if self.watches => return Action::Stop,
            KeyCode::Char('q') if !model.stopping => self.overlay = Overlay::Stop,
            KeyCode::Char('p') => self.pause(model),
            KeyCode::Char('?') => self.toggle(Overlay::Help),
            KeyCode::Esc => self.leave(),
            KeyCode::Tab | KeyCode::Down | KeyCode::Right => self.choose(model, 1),
            KeyCode::BackTab | KeyCode::Up | KeyCode::Left => self.choose(model, -1),
            KeyCode::Char(key) => match Page::of_key(key) {
                Some(page) => (self.page, self.overlay) = (page, Overlay::None),
                None => return Action::None,
            },
            _ => return Action::None,
        }
        Action::Redraw
    }

    /// Closes the overlay if one is open. Otherwise, returns to the first page.
    fn leave(&mut self) {
        if self.overlay == Overlay::None {
            self.page = Page::default();
        }
        self.overlay = Overlay::None;
    }

    /// Returns the selected transaction.
    pub(crate) fn choice<'a>(&self, model: &'a Model) -> &'a str {
        let names = model.history.names();
        let chosen = self.chosen.as_deref();
        let first = names.first().copied().unwrap_or(ALL);
        names.into_iter().find(|name| Some(*name) == chosen).unwrap_or(first)
    }

    fn toggle(&mut self, overlay: Overlay) {
        self.overlay = if self.overlay == overlay { Overlay::None } else { overlay };
    }

    fn pause(&mut self, model: &Model) {
        self.paused = if self.paused.is_some() { None } else { Some(Box::new(model.clone())) };
    }

    fn choose(&mut self, model: &Model, step: isize) {
        let names = model.history.names();
        let now = self.choice(model);
        let at = names.iter().position(|name| *name == now).unwrap_or(0) as isize;
        if let Some(next) = (at + step).checked_rem_euclid(names.len() as isize) {
            self.chosen = Some(names[next as usize].to_owned());
        }
    }
}
