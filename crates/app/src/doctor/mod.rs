//! Checks if the machine, the client and the database are ready for a measurement.
//!
//! This module must not change anything. It omits values that cannot be measured.
//!
//! Start reading at [`doctor`].

mod client;
mod machine;
mod patience;
mod target;
mod tested;

use tacho_analysis::{Diagnosis, Finding};
use tacho_core::{Error, Result};

use crate::{Context, Exit, Job};

/// The number of sessions to assume if the user does not request a number.
const SESSIONS: u32 = 64;

/// The sessions and the database to check.
pub struct DoctorRequest {
    /// The number of sessions that the user plans to run. If it is `None`, Tacho checks its default number.
    /// Insufficient capacity is then only a warning.
    pub sessions: Option<u32>,
    /// The database, or the error if an earlier attempt to reach it failed.
    pub target: Option<(Job, Option<Error>)>,
}

/// The number of sessions needed. The flag is true if the user requested this number.
#[derive(Clone, Copy)]
struct Wanted {
    sessions: u32,
    asked: bool,
}

impl Wanted {
    /// Returns a finding about insufficient capacity. It is a problem only if the user set the number of sessions.
    fn too_few(self, name: &str, text: String, hint: impl Into<String>) -> Finding {
        let make = if self.asked { Finding::problem } else { Finding::warning };
        make(name, text, hint.into())
    }
}

/// Runs all checks. Returns an error only if Tacho cannot even inspect this machine.
pub fn doctor(request: DoctorRequest, context: &Context) -> Result<(Diagnosis, Exit)> {
    let wanted = Wanted {
        sessions: request.sessions.unwrap_or(SESSIONS),
        asked: request.sessions.is_some(),
    };
    let client = client::client(request.target.as_ref().map(|(job, _)| job));
    let target = match request.target {
        Some((job, unreachable)) => Some(target::target(job, unreachable, wanted, context)?),
        None => None,
    };
    let files = target.as_ref().map_or(1, |found| found.files_per_session);
    let machine = machine::machine(wanted, files, context)?;
    let target = target.map(|found| found.diagnosis);
    let diagnosis = Diagnosis::new(wanted.sessions, machine, client, target);
    let exit = if diagnosis.problems == 0 { Exit::Success } else { Exit::Target };
    Ok((diagnosis, exit))
}
