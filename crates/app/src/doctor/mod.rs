//! Whether machine, client and database are ready to be measured.
//!
//! It must never change anything, and never tell a value that was not measured: what cannot be reported is
//! absent. Start reading at [`doctor`].

mod client;
mod machine;
mod patience;
mod target;
mod tested;

use tacho_analysis::{Diagnosis, Finding};
use tacho_core::{Error, Result};

use crate::{Context, Exit, Job};

/// Sessions that must fit if no number is given.
const SESSIONS: u32 = 64;

/// What is to be looked at.
pub struct DoctorRequest {
    /// Sessions that a measurement is to have. If no number is given, too little room for the usual
    /// number is a warning and no problem.
    pub sessions: Option<u32>,
    /// The database, and why it cannot be reached if that is known already.
    pub target: Option<(Job, Option<Error>)>,
}

/// How many sessions must fit, and whether this number was requested.
#[derive(Clone, Copy)]
struct Wanted {
    sessions: u32,
    asked: bool,
}

impl Wanted {
    /// There is no room for so many: a problem if the number was requested.
    fn too_few(self, name: &str, text: String, hint: impl Into<String>) -> Finding {
        let make = if self.asked { Finding::problem } else { Finding::warning };
        make(name, text, hint.into())
    }
}

/// Looks at everything. An error means that we cannot even look at ourselves.
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
