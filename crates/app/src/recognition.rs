//! A database that does not answer a login, or not as expected: what it speaks instead.
//!
//! Start reading at [`Recognition::go_on`].

use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant};
use tacho_driver::Target;
use tacho_engine::BlockingClock;

use crate::clock::clock;

/// How long a login may take before the server is asked what it speaks.
const SILENT: Duration = Duration::from_secs(2);

/// Asks a server what it speaks, next to a login that has no answer.
pub(crate) struct Recognition {
    target: Target,
    clock: BlockingClock,
    ask_at: Instant,
    asking: Option<JoinHandle<Option<Error>>>,
    other: Option<Error>,
}

impl Recognition {
    pub(crate) fn of(target: &Target) -> Self {
        let clock = clock();
        let ask_at = clock.now().plus(SILENT);
        Self { target: target.clone(), clock, ask_at, asking: None, other: None }
    }

    /// Returns false once the server is known to speak another protocol: it will never answer.
    pub(crate) fn go_on(&mut self) -> bool {
        if self.asking.is_none() && self.other.is_none() && self.clock.now() >= self.ask_at {
            let target = self.target.clone();
            let ask = move || tacho_registry::other_protocol(&target);
            self.asking = Some(std::thread::spawn(ask));
        }
        if self.asking.as_ref().is_some_and(JoinHandle::is_finished) {
            self.other = self.found();
            // Not again: what was not recognized once is waited for.
            self.ask_at = Instant::FAR;
        }
        self.other.is_none()
    }

    /// The error of a failed login, or in its place the reason that the server speaks another protocol.
    pub(crate) fn explain(mut self, error: Error) -> Error {
        let may_be_other =
            matches!(error.kind(), ErrorKind::Protocol | ErrorKind::Connect | ErrorKind::Timeout);
        if !may_be_other {
            return error;
        }
        self.found().or_else(|| tacho_registry::other_protocol(&self.target)).unwrap_or(error)
    }

    /// What the server speaks, if it was found to be another protocol.
    pub(crate) fn found(&mut self) -> Option<Error> {
        let asked = self.asking.take().and_then(|asking| asking.join().ok()).flatten();
        self.other.take().or(asked)
    }
}
