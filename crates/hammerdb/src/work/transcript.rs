//! What work tells a console: lines of virtual users and their states.

use std::sync::mpsc::Sender;

use tacho_app::Exit;
use tacho_core::Error;
use tacho_core::units::THIN_SPACE;

use super::phrases::words;

/// The state of a virtual user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Made and not started.
    Idle,
    /// At work.
    Running,
    /// Done.
    Success,
    /// Given up.
    Failed,
}

impl State {
    /// The words of `vustatus`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Idle => "WAIT IDLE",
            Self::Running => "RUNNING",
            Self::Success => "FINISH SUCCESS",
            Self::Failed => "FINISH FAILED",
        }
    }

    /// The words of the line that tells of it.
    pub const fn line(self) -> &'static str {
        match self {
            Self::Idle => "WAIT IDLE",
            Self::Running => "RUNNING",
            Self::Success => "FINISHED SUCCESS",
            Self::Failed => "FINISHED FAILED",
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A virtual user says a line.
    Says(u32, String),
    /// A virtual user of the test driver prints what a transaction returned.
    Prints(u32, String),
    /// A virtual user has failed with this message.
    Error(u32, String),
    /// A virtual user's state.
    Is(u32, State),
    /// A measurement with this record has begun.
    Record(String),
    /// The ramp-up is over, and the measured phase begins.
    Measures,
    /// Something that is said after everything else.
    Epilogue(String),
    /// All is over.
    Over(Exit),
}

/// The sending end.
#[derive(Clone)]
pub struct Transcript(Sender<Event>);

impl Transcript {
    pub(super) fn new(say: Sender<Event>) -> Self {
        Self(say)
    }

    /// A console that is gone hears nothing, which is no reason to stop.
    fn tell(&self, event: Event) {
        let _ = self.0.send(event);
    }

    pub(super) fn says(&self, user: u32, text: impl Into<String>) {
        self.tell(Event::Says(user, plain(text.into())));
    }

    pub(super) fn prints(&self, user: u32, text: impl Into<String>) {
        self.tell(Event::Prints(user, plain(text.into())));
    }

    pub(super) fn is(&self, user: u32, state: State) {
        self.tell(Event::Is(user, state));
    }

    pub(super) fn error(&self, user: u32, text: impl Into<String>) {
        self.tell(Event::Error(user, plain(text.into())));
    }

    /// Tells why work has failed; the state of its virtual users and its exit code.
    pub(super) fn fails(&self, user: u32, error: &Error) -> (State, Exit) {
        self.error(user, words(error));
        (State::Failed, failed(error))
    }

    pub(super) fn record(&self, id: &str) {
        self.tell(Event::Record(id.to_owned()));
    }

    pub(super) fn measures(&self) {
        self.tell(Event::Measures);
    }

    pub(super) fn epilogue(&self, text: impl Into<String>) {
        self.tell(Event::Epilogue(plain(text.into())));
    }

    pub(super) fn over(&self, exit: Exit) {
        self.tell(Event::Over(exit));
    }
}

/// The exit code of a failure.
pub(super) fn failed(error: &Error) -> Exit {
    match Exit::of(error) {
        Exit::Success => Exit::Target,
        exit => exit,
    }
}

/// Digits without spaces between them: scripts read numbers, and a terminal of one byte a letter has no
/// thin space.
fn plain(text: String) -> String {
    if text.contains(THIN_SPACE) { text.replace(THIN_SPACE, "") } else { text }
}
