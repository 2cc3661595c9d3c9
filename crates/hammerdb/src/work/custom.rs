//! Implements `vurun` for a custom script, which runs in one Tcl interpreter per virtual user.
//!
//! Tacho measures nothing while a custom script runs. The script alone determines what the virtual users do and print.

use std::time::Duration;

use tacho_app::{Context, Exit};

use super::packages::{Packages, Shared};
use super::repeat::{Repeat, rest};
use super::transcript::{State, Transcript};
use super::words;
use crate::tcl::{Canceller, Library, UserInterpreter, load_for_users};

/// Interval between checks of the virtual users.
const LOOK: Duration = Duration::from_millis(20);

/// A run of a custom script.
#[derive(Clone, Debug)]
pub struct CustomTask {
    /// The script.
    pub text: String,
    /// Number of virtual users, including the monitor.
    pub users: u32,
    /// Delay between the starts of two virtual users.
    pub delay: Duration,
    /// Number of times that each virtual user repeats the script, and the pause between repetitions.
    pub repeat: Repeat,
    /// The Tcl library.
    pub library: Library,
}

pub(super) fn run(task: &CustomTask, context: &Context, transcript: &Transcript) -> Exit {
    // Load the library once, before any other thread is started.
    let tcl = match load_for_users(&task.library) {
        Ok(tcl) => tcl,
        Err(error) => {
            transcript.error(1, words(&error));
            (1..=task.users).for_each(|user| transcript.is(user, State::Failed));
            return Exit::of(&error);
        }
    };
    let cancellers: Vec<Canceller> = (0..task.users).map(|_| Canceller::default()).collect();
    let shared = Shared::default();
    let good = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (user, canceller) in (1..).zip(&cancellers) {
            if user > 1 && !rest(task.delay, context) {
                break;
            }
            let (transcript, shared) = (transcript.clone(), &shared);
            threads.push(scope.spawn(move || {
                transcript.is(user, State::Running);
                let say = |line: &str| transcript.says(user, line);
                let packages = Packages::new(context, shared);
                let ask = |asked: &[&str]| packages.answer(asked);
                let made = UserInterpreter::new(tcl, user, task.users, canceller, &say, &ask);
                let outcome = match made {
                    Ok(interpreter) => repeat(task, context, &interpreter),
                    Err(error) => Err(words(&error)),
                };
                if let Err(text) = &outcome {
                    let stopped = context.interrupted();
                    transcript.error(user, if stopped { "stopped by the user" } else { text });
                }
                transcript.is(user, if outcome.is_ok() { State::Success } else { State::Failed });
                outcome.is_ok()
            }));
        }
        while threads.iter().any(|thread| !thread.is_finished()) {
            if context.interrupted() {
                cancellers.iter().for_each(Canceller::cancel);
            }
            std::thread::park_timeout(LOOK);
        }
        let started = threads.len() == task.users as usize;
        for user in threads.len() as u32 + 1..=task.users {
            transcript.is(user, State::Failed);
        }
        threads.into_iter().all(|thread| thread.join().unwrap_or(false)) && started
    });
    match (good, context.interrupted()) {
        (_, true) => Exit::Interrupted,
        (true, false) => Exit::Success,
        (false, false) => Exit::Usage,
    }
}

fn repeat(
    task: &CustomTask,
    context: &Context,
    interpreter: &UserInterpreter<'_>,
) -> Result<(), String> {
    let Repeat { times, pause } = task.repeat;
    for number in 1..=times {
        if number > 1 && !rest(pause, context) {
            return Err("stopped by the user".into());
        }
        interpreter.run(&task.text)?;
    }
    Ok(())
}
