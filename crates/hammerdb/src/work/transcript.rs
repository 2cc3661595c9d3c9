//! Events that a console receives from the work that it has started: output lines and state changes.

use std::sync::mpsc::Sender;

use tacho_app::Exit;
use tacho_core::Error;
use tacho_core::units::THIN_SPACE;

use super::phrases::words;

/// The state of a virtual user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Created but not started.
    Idle,
    /// Running.
    Running,
    /// Finished successfully.
    Success,
    /// Failed.
    Failed,
}

impl State {
    /// Returns the text that `vustatus` prints.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Idle => "WAIT IDLE",
            Self::Running => "RUNNING",
            Self::Success => "FINISH SUCCESS",
            Self::Failed => "FINISH FAILED",
        }
    }

    /// Returns the text that represents the state in an output line.
    pub const fn line(self) -> &'static str {
        match self {
            Self::Idle => "WAIT IDLE",
            Self::Running => "RUNNING",
            Self::Success => "FINISHED SUCCESS",
            Self::Failed => "FINISHED FAILED",
        }
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line of a virtual user.
    Says(u32, String),
    /// A result that the test driver prints for this virtual user.
    Prints(u32, String),
    /// A virtual user has failed with this message.
    Error(u32, String),
    /// The new state of a virtual user.
    Is(u32, State),
    /// A run has started. Contains its record.
    Record(String),
    /// The ramp-up is over, and the measured phase starts.
    Measures,
    /// A line to print after everything else.
    Epilogue(String),
    /// The work has ended.
    Over(Exit),
}

/// The sending half of the channel.
#[derive(Clone)]
pub struct Transcript(Sender<Event>);

impl Transcript {
    pub(super) fn new(say: Sender<Event>) -> Self {
        Self(say)
    }

    /// Sends an event. If the console no longer exists, the event is discarded.
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

    /// Reports why the work failed. Returns the resulting state of its virtual users and the exit code.
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

/// Returns the exit code of a failure.
pub(super) fn failed(error: &Error) -> Exit {
    match Exit::of(error) {
        Exit::Success => Exit::Target,
        exit => exit,
    }
}

/// Removes thin spaces between digits, because scripts parse the numbers.
fn plain(text: String) -> String {
    if text.contains(THIN_SPACE) { text.replace(THIN_SPACE, "") } else { text }
}
