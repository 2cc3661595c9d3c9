//! Windows: Ctrl-C, Ctrl-Break, and the end of the window, the login or the system.

use std::sync::{Arc, OnceLock};

use tacho_engine::Interrupt;

use super::{INTERRUPT, StoppedBy, leave_screen};

/// What Ctrl-C does; kept for the live view, which reads the key itself.
static PRESSED: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Watches for the keys on a thread of the system: the first press drains and summarises, the second
/// aborts, the third ends the process.
pub(crate) fn watch(interrupt: &Interrupt) -> Arc<StoppedBy> {
    let stopped_by = Arc::new(StoppedBy::default());
    let (interrupt, seen) = (interrupt.clone(), Arc::clone(&stopped_by));
    let pressed = move || {
        seen.note(INTERRUPT);
        let was = interrupt.interrupt_count();
        interrupt.press();
        if was > 1 {
            let _still = leave_screen();
            end();
        }
    };
    let _ = PRESSED.set(Box::new(pressed));
    // Without a handler the default holds: a press ends the process at once.
    let _ = ctrlc::set_handler(press_ctrl_c);
    stopped_by
}

/// As if the key had been pressed outside of the view.
pub(crate) fn press_ctrl_c() {
    if let Some(pressed) = PRESSED.get() {
        pressed();
    }
}

#[expect(clippy::exit, reason = "the third press: whatever hangs must not hold the user up")]
fn end() {
    std::process::exit(128 + INTERRUPT);
}

/// Whether the terminal listens to us: a console always does.
pub(crate) fn is_in_foreground() -> bool {
    true
}

/// The limit of the address space; there is none.
pub(crate) fn address_space() -> Option<u64> {
    None
}
