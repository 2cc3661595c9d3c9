//! Private servers that the fault of a killed run has left paused, down or on a full disk.
//!
//! A fault is noted in a journal before it begins; the next command that needs the servers puts back what it
//! finds there. Start reading at [`during`] and [`repair`].

use tacho_core::{ErrorKind, Result};
use tacho_servers::Identity;
use tacho_store::journal::{FAULT_VERSION, FORMAT, FaultState, Journal};

use crate::Context;

/// Notes a fault, makes it and undoes it by `work`, and removes the note. If `work` fails, what it has left
/// is put back at once where that is possible, and by the next command otherwise.
pub(crate) fn during(
    context: &Context,
    name: &str,
    fault: FaultState,
    work: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let process = std::process::id();
    let journal = Journal {
        format: FORMAT.into(),
        version: FAULT_VERSION,
        sweep: String::new(),
        started_at: tacho_collect::local_time(tacho_collect::wall_clock()),
        target: name.into(),
        server: Some(name.into()),
        process,
        process_started: Identity::of(process).map(|own| own.started).unwrap_or_default(),
        settings: Vec::new(),
        fault: Some(fault),
    };
    context.journals().write(&journal)?;
    let done = work();
    match &done {
        Ok(()) => context.journals().remove(&journal)?,
        // The error of the fault is the one to tell; the journal stays if this fails too.
        Err(_) => drop(put_back(&journal, fault, context, true)),
    }
    done
}

/// Puts back what the faults of killed runs have left; returns a sentence for each. Without `starts`, servers
/// that are down stay so, since they are about to be removed or started anyway.
pub fn repair(context: &Context, starts: bool) -> Vec<String> {
    let limits = end_limits().into_iter();
    // A journal that cannot be read is the business of `tacho restore`.
    let journals = context.journals().list().unwrap_or_default().into_iter();
    let faults = journals.filter_map(|journal| {
        let fault = journal.fault.filter(|_| !lives(&journal))?;
        let words = words(fault, &journal.target);
        Some(match put_back(&journal, fault, context, starts) {
            Ok(()) => words,
            Err(error) => format!("could not undo a fault: {words}: {error}"),
        })
    });
    limits.chain(faults).collect()
}

/// Ends the limits of disks that killed runs have left; returns a sentence for each.
pub fn end_limits() -> Vec<String> {
    let ended = tacho_servers::end_abandoned_limits();
    let sentence =
        |name| format!("ended the limit of the disk of {name}, which a killed run had slowed down");
    ended.into_iter().map(sentence).collect()
}

/// Returns true if the process that wrote a journal lives.
pub(crate) fn lives(journal: &Journal) -> bool {
    Identity { pid: journal.process, started: journal.process_started.clone() }.lives()
}

/// Puts back what a fault has left, and removes its journal.
pub(crate) fn put_back(
    journal: &Journal,
    fault: FaultState,
    context: &Context,
    starts: bool,
) -> Result<()> {
    let (pool, name) = (context.server_pool(), journal.target.as_str());
    let go_on = || !context.interrupted();
    let states = pool.list()?;
    if let Some(state) = states.iter().find(|state| state.name == name) {
        if fault == FaultState::Filled {
            pool.empty(name)?;
        }
        // A server that was to be killed is suspended before, so that all its processes end at once.
        match pool.resume(name) {
            // It has been stopped since then.
            Err(error) if error.kind() == ErrorKind::Connect => {}
            resumed => resumed?,
        }
        match fault {
            FaultState::FailingOver if starts && !state.runs() => {
                pool.settle_fail_over(name, &go_on)?;
            }
            FaultState::Stopped | FaultState::Filled if starts && !state.runs() => {
                pool.start(name, &go_on)?;
            }
            FaultState::Paused
            | FaultState::Stopped
            | FaultState::Filled
            | FaultState::FailingOver => {}
        }
    }
    context.journals().remove(journal)
}

/// What is put back, in words.
fn words(fault: FaultState, name: &str) -> String {
    match fault {
        FaultState::Paused => format!("resumed {name}, which a killed run had paused"),
        FaultState::Stopped => format!("started {name}, which a killed run had stopped"),
        FaultState::Filled => {
            format!("freed the disk of {name}, which a killed run had filled")
        }
        FaultState::FailingOver => {
            format!("started {name}, whose failover a killed run had begun")
        }
    }
}
