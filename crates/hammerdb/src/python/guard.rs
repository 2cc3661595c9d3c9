//! The end of a script that does not end: one that computes asks us nothing, and never learns of a signal.
//!
//! Start reading at [`Guard::watch`].

use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tacho_engine::Interrupt;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);
/// How long a script may compute on after the first signal, and again after it was interrupted.
const PATIENCE: Duration = Duration::from_secs(2);

/// Ends a child when the user wants to stop and it does not.
#[derive(Clone)]
pub struct Guard(Arc<State>);

struct State {
    child: Mutex<Child>,
    /// Whether one of our commands is at work for it: that ends in its own time, and tells the child.
    answering: AtomicBool,
    /// At a terminal Ctrl-C is Python's, and only whoever wants the process to end has it ended.
    terminal: bool,
    interrupt: Interrupt,
}

impl Guard {
    /// Watches a child to its end, on a thread of its own.
    pub fn watch(child: Child, interrupt: Interrupt, terminal: bool) -> std::io::Result<Self> {
        let (child, answering) = (Mutex::new(child), AtomicBool::new(false));
        let guard = Self(Arc::new(State { child, answering, terminal, interrupt }));
        let own = guard.clone();
        std::thread::Builder::new().name("python guard".into()).spawn(move || own.run())?;
        Ok(guard)
    }

    /// Notes whether one of our commands is at work.
    pub fn answering(&self, is: bool) {
        self.0.answering.store(is, Ordering::SeqCst);
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> std::io::Result<Option<ExitStatus>> {
        self.child().try_wait()
    }

    /// Waits for its end.
    pub fn wait(&self) -> std::io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            std::thread::park_timeout(LOOK);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "no run is measured by this clock")]
    fn run(&self) {
        let (mut since, mut interrupted) = (None, false);
        while matches!(self.ended(), Ok(None)) {
            if !self.is_to_end() {
                since = None;
            } else if self.0.interrupt.interrupt_count() > 1 {
                // What is left of it is not waited for.
                let _ = self.child().kill();
            } else if since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                self.end(interrupted);
                (since, interrupted) = (None, true);
            }
            std::thread::park_timeout(LOOK);
        }
    }

    fn is_to_end(&self) -> bool {
        let State { answering, terminal, interrupt, .. } = &*self.0;
        let wanted = interrupt.interrupt_count() > 0 && (!terminal || interrupt.is_terminated());
        wanted && (!answering.load(Ordering::SeqCst) || interrupt.interrupt_count() > 1)
    }

    /// First as Ctrl-C does, so that what the script wants to do in the end is done.
    fn end(&self, interrupted: bool) {
        let mut child = self.child();
        let _ = match child.try_wait() {
            Ok(None) if !interrupted => {
                kill_process(Pid::from_child(&child), Signal::INT).map_err(Into::into)
            }
            Ok(None) => child.kill(),
            ended => ended.map(drop),
        };
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.0.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
