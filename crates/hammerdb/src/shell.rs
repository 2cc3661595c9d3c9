//! A console within a language: waits for what takes time, and prints what it says.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tacho_engine::Interrupt;

use crate::console::{Console, Next};

/// Time between two looks at what is running.
const LOOK: Duration = Duration::from_millis(20);

/// What a language does for a console.
pub trait Host {
    /// Prints a line where the script wants its output.
    fn line(&self, text: &str);

    /// The value of a call whose text was printed: none, unless the language gives it back too.
    fn shown(&self, _text: String) -> String {
        String::new()
    }

    /// Lets the language do what has come due, without waiting.
    fn serve(&self);
}

/// A console that a language can call from anywhere, also while an earlier call waits.
pub struct Shell {
    /// The console. Never borrowed while a host is at work, which may call again.
    pub console: RefCell<Console>,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// How many of its presses were passed on to what is running.
    passed_on: Cell<u8>,
    /// The last value that was printed already.
    printed: RefCell<String>,
}

impl Shell {
    pub fn new(console: Console, interrupt: Interrupt) -> Self {
        let console = RefCell::new(console);
        Self { console, interrupt, passed_on: Cell::new(0), printed: RefCell::default() }
    }

    /// Calls a command and waits for its end; its value, or the text of its error.
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

    /// Prints what has come since the last time, with the lines of the counter and of the metrics: for a wait for events.
    pub fn deliver_all(&self, host: &dyn Host) {
        self.deliver(host);
        let lines = self.console.borrow_mut().background_lines();
        for line in lines {
            host.line(&line);
        }
    }

    /// Prints what has come since the last time.
    pub fn deliver(&self, host: &dyn Host) {
        let lines = self.console.borrow_mut().hear();
        for line in lines {
            host.line(&line);
        }
    }

    /// Whether the value of a call was printed by the call itself.
    pub fn was_printed(&self, value: &str) -> bool {
        *self.printed.borrow() == value
    }

    /// Whether the user wants to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.interrupt_count() > 0
    }

    /// Goes on after what the user wanted to stop is over: its virtual users are destroyed. Says whether
    /// that is so, since whoever wants the process to end has the last word.
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

    /// Stops what still continues and waits for its end, so that its record is complete.
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
