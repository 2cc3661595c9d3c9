//! Identifies a server's protocol if its response to a login is not as expected.
//!
//! Start reading at [`Recognition::go_on`].

use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant};
use tacho_driver::Target;
use tacho_engine::BlockingClock;

use crate::clock::clock;

/// The time after which an unfinished login triggers a check for other protocols.
const SILENT: Duration = Duration::from_secs(2);

/// Identifies the protocol of a server while a login waits for its response.
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

    /// Returns false once the server is known to speak another protocol, because the login will then never complete.
    pub(crate) fn go_on(&mut self) -> bool {
        if self.asking.is_none() && self.other.is_none() && self.clock.now() >= self.ask_at {
            let target = self.target.clone();
            let ask = move || tacho_registry::other_protocol(&target);
            self.asking = Some(std::thread::spawn(ask));
        }
        if self.asking.as_ref().is_some_and(JoinHandle::is_finished) {
            self.other = self.found();
            // Look for another protocol only once. If none was found, keep waiting for the login.
            self.ask_at = Instant::FAR;
        }
        self.other.is_none()
    }

    /// Returns the error of a failed login. If the server speaks another protocol, returns an error that says so.
    pub(crate) fn explain(mut self, error: Error) -> Error {
        let may_be_other =
            matches!(error.kind(), ErrorKind::Protocol | ErrorKind::Connect | ErrorKind::Timeout);
        if !may_be_other {
            return error;
        }
        self.found().or_else(|| tacho_registry::other_protocol(&self.target)).unwrap_or(error)
    }

    /// Returns an error that names the server's protocol, if another protocol was recognized.
    pub(crate) fn found(&mut self) -> Option<Error> {
        let asked = self.asking.take().and_then(|asking| asking.join().ok()).flatten();
        self.other.take().or(asked)
    }
}
