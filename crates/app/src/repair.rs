//! Repairs private servers after a run that injected faults was killed. Such a server may be paused, stopped, or out of
//! disk space.
//!
//! A fault is recorded in a journal before it starts. The next command that uses private servers reverts it if
//! necessary.
//!
//! Start reading at [`during`] and [`repair`].

use tacho_core::{ErrorKind, Result};
use tacho_servers::Identity;
use tacho_store::journal::{FAULT_VERSION, FORMAT, FaultState, Journal};

use crate::Context;

/// Records a fault in a journal, then runs `work`, which injects and reverts the fault. If `work` fails, the fault is
/// reverted here. If even this fails, the next command reverts it.
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
        process_started: Identity::of(process).map(|identity| identity.started).unwrap_or_default(),
        settings: Vec::new(),
        fault: Some(fault),
    };
    context.journals().write(&journal)?;
    let done = work();
    match &done {
        Ok(()) => context.journals().remove(&journal)?,
        // Return the original error. The journal is kept if the fault cannot be reverted.
        Err(_) => drop(put_back(&journal, fault, context, true)),
    }
    done
}

/// Reverts the faults of killed runs and returns a message for each. Starts stopped servers only if `starts` is true.
pub fn repair(context: &Context, starts: bool) -> Vec<String> {
    let limits = end_limits().into_iter();
    // Skip journals that cannot be read, because `tacho restore` reports them.
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

/// Removes disk limits left by killed runs and returns a message for each.
pub fn end_limits() -> Vec<String> {
    let ended = tacho_servers::end_abandoned_limits();
    let sentence = |name| format!("removed the disk limit that a killed run had set on {name}");
    ended.into_iter().map(sentence).collect()
}

/// Returns true if the process that wrote a journal is still running.
pub(crate) fn lives(journal: &Journal) -> bool {
    Identity { pid: journal.process, started: journal.process_started.clone() }.lives()
}

/// Reverts a fault and then removes its journal.
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
        let undone = match fault {
            FaultState::Stopped | FaultState::FailingOver => pool.complete_kill(name),
            FaultState::Paused | FaultState::Filled => pool.resume(name),
        };
        match undone {
            // A server that does not accept connections was stopped after the fault had been recorded. Stopping it
            // ended the fault.
            Err(error) if error.kind() == ErrorKind::Connect => {}
            undone => undone?,
        }
        match fault {
            FaultState::FailingOver if starts && !state.runs() => {
                pool.settle_fail_over(name, &go_on)?;
            }
            // Even if the server still has processes, it may be shutting down, so restart it.
            FaultState::Stopped if starts => pool.restart_with(name, &[], &go_on)?,
            FaultState::Filled if starts && !state.runs() => pool.start(name, &go_on)?,
            FaultState::Paused
            | FaultState::Stopped
            | FaultState::Filled
            | FaultState::FailingOver => {}
        }
    }
    context.journals().remove(journal)
}

/// Describes the reverted fault.
fn words(fault: FaultState, name: &str) -> String {
    match fault {
        FaultState::Paused => {
            format!("resumed {name}, which had been paused by a run that was killed")
        }
        FaultState::Stopped => format!("started {name}, which a killed run had stopped"),
        FaultState::Filled => {
            format!("freed space on {name}'s disk, which a killed run had filled")
        }
        FaultState::FailingOver => {
            format!("started {name}, which a killed run had begun to fail over")
        }
    }
}
