//! The differences between Unix and Windows: signals such as Ctrl-C, terminal control, and the memory limit.

#[cfg_attr(not(unix), path = "windows.rs")]
#[cfg_attr(unix, path = "unix.rs")]
mod platform;

use std::sync::atomic::{AtomicI32, Ordering};

use tacho_app::Exit;

pub(crate) use platform::{address_space, is_in_foreground, press_ctrl_c, watch};

/// Signal numbers, which are the same on all systems that support these signals.
const HANGUP: i32 = 1;
const INTERRUPT: i32 = 2;
const QUIT: i32 = 3;
const TERMINATE: i32 = 15;

/// The first signal that was received.
#[derive(Debug, Default)]
pub(crate) struct StoppedBy(AtomicI32);

impl StoppedBy {
    /// Returns the exit code for the received signal.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::SeqCst) {
            HANGUP => Some(Exit::HungUp),
            INTERRUPT => Some(Exit::Interrupted),
            QUIT => Some(Exit::Quit),
            TERMINATE => Some(Exit::Terminated),
            _ => None,
        }
    }

    /// Records a signal, unless one was recorded before.
    fn note(&self, signal: i32) {
        let _ = self.0.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// Restores the terminal. Nothing is drawn on it while the returned lock is held.
fn leave_screen() -> std::io::StderrLock<'static> {
    let still = std::io::stderr().lock();
    tacho_tui::give_back();
    still
}
