//! What the keys do.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tacho_report::ALL;

use crate::Model;

/// What the screen shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// Something of everything.
    #[default]
    Overview,
    /// The latency of one transaction, as large as it can be.
    Latency,
    /// What the sessions in the server wait for, over time.
    Waits,
    /// The machine of the client: processors and disks.
    Host,
    /// Failures over time and by class, with an example of each.
    Errors,
}

impl Page {
    /// All of them with their names, in the order of their keys, which are numbers from 1.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Overview, "overview"),
        (Self::Latency, "latency"),
        (Self::Waits, "waits"),
        (Self::Host, "host"),
        (Self::Errors, "errors"),
    ];

    fn of_key(key: char) -> Option<Self> {
        let letter = Self::ALL.iter().find(|(_, name)| name.starts_with(key));
        let number = key.to_digit(10).and_then(|own| Self::ALL.get((own as usize).checked_sub(1)?));
        number.or(letter).map(|(page, _)| *page)
    }
}

/// What lies over the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// What the keys do and how the parts are read.
    Help,
    /// Whether the run is to be stopped.
    Stop,
}

/// What the user has chosen to see.
#[derive(Clone, Debug, Default)]
pub struct Ui {
    /// Whether colours may be used.
    pub color: bool,
    /// Whether the run is another process's, which nothing here stops.
    pub watches: bool,
    /// The transaction of the latency chart; the first one until it is chosen.
    pub chosen: Option<String>,
    /// What the screen shows.
    pub page: Page,
    /// What lies over the screen.
    pub overlay: Overlay,
    /// What was known when the view was paused.
    pub paused: Option<Box<Model>>,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// The screen has changed.
    Redraw,
    /// The screen is to be written again from nothing.
    Refresh,
    /// The run is to be stopped, as by Ctrl-C.
    Stop,
}

impl Ui {
    /// Does what a key asks for.
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

    /// First what lies over the screen goes, then any page but the first.
    fn leave(&mut self) {
        if self.overlay == Overlay::None {
            self.page = Page::default();
        }
        self.overlay = Overlay::None;
    }

    /// The chosen transaction.
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
