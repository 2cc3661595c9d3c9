//! What differs between Unix and Windows for a program of the terminal: Ctrl-C and the wish of the system
//! to end us, who has the terminal, the limit of memory.

#[cfg_attr(not(unix), path = "windows.rs")]
#[cfg_attr(unix, path = "unix.rs")]
mod own;

use std::sync::atomic::{AtomicI32, Ordering};

use tacho_app::Exit;

pub(crate) use own::{address_space, is_in_foreground, press_ctrl_c, watch};

/// Numbers of signals, the same on all systems that have them.
const HANGUP: i32 = 1;
const INTERRUPT: i32 = 2;
const QUIT: i32 = 3;
const TERMINATE: i32 = 15;

/// The first signal that came.
#[derive(Debug, Default)]
pub(crate) struct StoppedBy(AtomicI32);

impl StoppedBy {
    /// Its exit code.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::SeqCst) {
            HANGUP => Some(Exit::HungUp),
            INTERRUPT => Some(Exit::Interrupted),
            QUIT => Some(Exit::Quit),
            TERMINATE => Some(Exit::Terminated),
            _ => None,
        }
    }

    /// Notes a signal unless one has come before.
    fn note(&self, signal: i32) {
        let _ = self.0.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// Gives the terminal back; while the lock is held nothing is drawn on it any more.
fn leave_screen() -> std::io::StderrLock<'static> {
    let still = std::io::stderr().lock();
    tacho_tui::give_back();
    still
}
