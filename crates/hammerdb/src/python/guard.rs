//! Ends scripts that do not react to a request to stop, for example because they compute without calling Tacho.
//!
//! Start reading at [`Guard::watch`].

use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tacho_engine::Interrupt;

/// Interval between checks.
const LOOK: Duration = Duration::from_millis(10);
/// Time limit for a script to stop after the first signal. The same limit applies again after the script has been
/// interrupted.
const PATIENCE: Duration = Duration::from_secs(2);

/// Ends a child process that does not exit by itself when the user asks to stop.
#[derive(Clone)]
pub struct Guard(Arc<State>);

struct State {
    child: Mutex<Child>,
    /// True while Tacho executes a command for the child process. An interrupt then stops only the command, and the
    /// child notices this from the result.
    answering: AtomicBool,
    /// True if Python runs on a terminal and therefore handles Ctrl-C itself. The child is then ended only if Tacho is
    /// asked to terminate.
    terminal: bool,
    interrupt: Interrupt,
}

impl Guard {
    /// Watches a child process on a separate thread until it exits.
    pub fn watch(child: Child, interrupt: Interrupt, terminal: bool) -> std::io::Result<Self> {
        let (child, answering) = (Mutex::new(child), AtomicBool::new(false));
        let guard = Self(Arc::new(State { child, answering, terminal, interrupt }));
        let watcher = guard.clone();
        std::thread::Builder::new().name("python guard".into()).spawn(move || watcher.run())?;
        Ok(guard)
    }

    /// Records whether Tacho is executing a command for the child process.
    pub fn answering(&self, is: bool) {
        self.0.answering.store(is, Ordering::SeqCst);
    }

    /// Returns the child's exit status if it has exited.
    pub fn ended(&self) -> std::io::Result<Option<ExitStatus>> {
        self.child().try_wait()
    }

    /// Waits until the child has exited.
    pub fn wait(&self) -> std::io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            std::thread::park_timeout(LOOK);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this clock does not measure a run")]
    fn run(&self) {
        let (mut since, mut interrupted) = (None, false);
        while matches!(self.ended(), Ok(None)) {
            if !self.is_to_end() {
                since = None;
            } else if self.0.interrupt.interrupt_count() > 1 {
                // After the second interrupt, kill the child and do not wait for the script.
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

    /// Interrupts the child as Ctrl-C would, so that the script can clean up. If this has been done before, kills the
    /// child.
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
