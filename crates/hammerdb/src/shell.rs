//! Connects a console to a scripting language. Waits for long commands and prints their output.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tacho_engine::Interrupt;

use crate::console::{Console, Next};

/// Interval at which the shell checks the work in progress.
const LOOK: Duration = Duration::from_millis(20);

/// Functions that a scripting language must provide.
pub trait Host {
    /// Prints a line to the script's output.
    fn line(&self, text: &str);

    /// Returns the value of a command that has printed a text. By default, the value is empty. In some languages, it is
    /// the printed text.
    fn shown(&self, _text: String) -> String {
        String::new()
    }

    /// Makes the language process any pending events. Does not wait for new events.
    fn serve(&self);
}

/// A console that scripts can call at any time, even while another command waits.
pub struct Shell {
    /// The console. It must not stay borrowed while a script runs, because the script may call it.
    pub console: RefCell<Console>,
    /// The user's request to stop.
    pub interrupt: Interrupt,
    /// Number of user interrupts that have been passed on to the work in progress.
    passed_on: Cell<u8>,
    /// The last value that was printed.
    printed: RefCell<String>,
}

impl Shell {
    pub fn new(console: Console, interrupt: Interrupt) -> Self {
        let console = RefCell::new(console);
        Self { console, interrupt, passed_on: Cell::new(0), printed: RefCell::default() }
    }

    /// Runs a command to its end. Returns its value, or an error message.
    pub fn call(&self, name: &str, arguments: &[&str], host: &dyn Host) -> Result<String, String> {
        let mut next = self.console.borrow_mut().call(name, arguments);
        self.deliver(host);
        while next == Next::Wait {
            host.serve();
            std::thread::park_timeout(LOOK);
            self.pass_on();
            self.deliver_all(host);
            if let Some(end) = self.console.borrow_mut().ended() {
                next = end;
            }
        }
        self.deliver(host);
        match next {
            Next::Failed(text) => Err(text),
            Next::Value(value) => Ok(value),
            Next::Printed(value) => {
                self.printed.replace(value.clone());
                Ok(value)
            }
            Next::Shown(text) => Ok(host.shown(text)),
            Next::Done | Next::Wait => Ok(String::new()),
        }
    }

    /// Prints all output since the last call. This includes the lines of the transaction counter and of the machine's
    /// metrics.
    pub fn deliver_all(&self, host: &dyn Host) {
        self.deliver(host);
        let lines = self.console.borrow_mut().background_lines();
        for line in lines {
            host.line(&line);
        }
    }

    /// Prints all output since the previous call.
    pub fn deliver(&self, host: &dyn Host) {
        let lines = self.console.borrow_mut().hear();
        for line in lines {
            host.line(&line);
        }
    }

    /// Returns true if this value was already printed by the command that returned it.
    pub fn was_printed(&self, value: &str) -> bool {
        *self.printed.borrow() == value
    }

    /// Returns true if the user has asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.interrupt_count() > 0
    }

    /// Waits until interrupted work has ended, so that the session can continue. Returns false if the process must
    /// terminate.
    pub fn goes_on(&self, host: &dyn Host) -> bool {
        if self.interrupt.is_terminated() {
            return false;
        }
        self.console.borrow_mut().destroy_stopped();
        self.deliver(host);
        self.interrupt.forget();
        self.passed_on.set(0);
        true
    }

    fn pass_on(&self) {
        while self.passed_on.get() < self.interrupt.interrupt_count() {
            self.passed_on.set(self.passed_on.get() + 1);
            self.console.borrow_mut().stop();
        }
    }

    /// Stops work that is still running and waits until it has ended, so that its run record is complete.
    pub fn shut_down(&self, host: &dyn Host) {
        self.console.borrow_mut().stop();
        while self.console.borrow().is_busy() {
            std::thread::park_timeout(LOOK);
            self.pass_on();
            self.deliver_all(host);
        }
        self.deliver_all(host);
    }
}
