//! A Tcl interpreter that has the console's commands.
//!
//! The console prints through the interpreter's `puts` command, so that scripts can redefine how lines are printed.

#![expect(unsafe_code, reason = "the functions are called by a C library")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::Result;
use tacho_engine::Interrupt;

use super::ffi::{self, Interp, Library, Obj, Tcl};
use super::quoted;
use crate::console::COMMANDS;
use crate::shell::{Host, Shell};

/// Commands that are available in every script, in addition to the console's commands.
const PRELUDE: &str = concat!(include_str!("source.tcl"), include_str!("prelude.tcl"));
/// Replacements for commands that must not have any effect while a script is translated.
const TRANSLATION: &str = include_str!("translation.tcl");
/// Interval between checks for a user interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// An interpreter, which lives until the process exits.
pub struct Interpreter<'a> {
    tcl: &'static Tcl,
    interp: Interp,
    shell: &'a Shell,
    /// True while a console command is running. Such a command ends by itself when interrupted.
    busy: Arc<AtomicBool>,
    /// True if the evaluation has been cancelled because the user asked to stop.
    cancelled: Arc<Mutex<bool>>,
    commands: Vec<CommandData<'a>>,
    /// The global variables for scripts, with the values that Tacho assigned last.
    globals: RefCell<BTreeMap<String, String>>,
}

/// The data of a Tcl command. The command contains a pointer to this data.
struct CommandData<'a> {
    interpreter: *const Interpreter<'a>,
    name: &'static str,
}

/// Commands used by the prelude.
const INNER: [&str; 4] =
    ["::hammerdb::deliver", "::hammerdb::leave", "::hammerdb::coupled", "::hammerdb::job_database"];

impl<'a> Interpreter<'a> {
    /// Loads Tcl and creates the commands. The interpreter is boxed, because the commands contain pointers to it.
    pub fn new(shell: &'a Shell, library: &Library) -> Result<Box<Self>> {
        let tcl: &'static Tcl = Box::leak(Box::new(Tcl::load(library)?));
        let interp = tcl.interpreter()?;
        let busy = Arc::new(AtomicBool::new(false));
        let cancelled = Arc::default();
        let (commands, globals) = (Vec::new(), RefCell::default());
        let mut this = Box::new(Self { tcl, interp, shell, busy, cancelled, commands, globals });
        let itself: *const Self = &raw const *this;
        let names = COMMANDS.iter().map(|command| command.name).chain(INNER);
        this.commands = names.map(|name| CommandData { interpreter: itself, name }).collect();
        tcl.eval(interp, "namespace eval ::hammerdb {}");
        for data in &this.commands {
            let pointer: *const CommandData<'a> = data;
            tcl.create_command(interp, data.name, act, pointer.cast_mut().cast());
        }
        this.evaluate(PRELUDE).map_err(tacho_core::Error::usage)?;
        this.set_globals();
        this.watch();
        Ok(this)
    }

    /// Prepares the interpreter for translating scripts. Scripts then have no effect outside the interpreter.
    pub fn only_translate(&self) -> Result<()> {
        self.evaluate(TRANSLATION).map(drop).map_err(tacho_core::Error::usage)
    }

    /// Cancels the script when the user asks to stop. Console commands are not cancelled in this way.
    fn watch(&self) {
        let (interrupt, busy) = (self.shell.interrupt.clone(), Arc::clone(&self.busy));
        let (tcl, interp) = (self.tcl, self.interp as usize);
        let cancelled = Arc::clone(&self.cancelled);
        std::thread::spawn(move || {
            loop {
                std::thread::park_timeout(LOOK);
                if !busy.load(Ordering::SeqCst) {
                    cancel(tcl, interp as Interp, &interrupt, &cancelled);
                }
            }
        });
    }

    /// Waits until interrupted work has ended. Returns false if the process must terminate.
    pub fn goes_on(&self) -> bool {
        let cancelled = || self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        // Keep this flag set until the interrupt has been reset. Otherwise, the thread that watches for interrupts
        // would cancel the next evaluation as well.
        if std::mem::replace(&mut *cancelled(), true) {
            if !self.tcl.recover(self.interp) {
                return false;
            }
            // The periodic event may have been cancelled too, so start it again.
            self.tcl.eval(self.interp, "after cancel ::hammerdb::tick; ::hammerdb::tick");
        }
        let goes_on = self.shell.goes_on(self);
        *cancelled() = !goes_on;
        goes_on
    }

    /// Evaluates a script. Returns its value, or an error with Tcl's stack trace.
    pub fn evaluate(&self, script: &str) -> std::result::Result<String, String> {
        let code = self.tcl.eval(self.interp, script);
        self.outcome(code)
    }

    /// Evaluates a file.
    pub fn evaluate_file(&self, path: &str) -> std::result::Result<String, String> {
        let encoding = self.evaluate(&format!("::hammerdb::encoding_of {}", quoted(path)))?;
        let code = self.tcl.eval_file(self.interp, path, &encoding);
        self.outcome(code)
    }

    fn outcome(&self, code: c_int) -> std::result::Result<String, String> {
        let result = self.tcl.result(self.interp);
        if code == ffi::ERROR {
            let stack = self.tcl.variable(self.interp, "errorInfo", None).unwrap_or(result);
            return Err(super::without_internals(&stack));
        }
        Ok(result)
    }

    /// Returns true if a script is complete, which means that every brace, bracket and quote is closed.
    pub fn is_complete(&self, script: &str) -> bool {
        self.tcl.is_complete(script)
    }

    /// Updates the global variables whose values have changed. A variable that a script has set itself stays unchanged.
    pub fn set_globals(&self) {
        let globals = self.shell.console.borrow().globals();
        self.set(globals);
    }

    fn set(&self, globals: Vec<(String, String)>) {
        let mut known = self.globals.borrow_mut();
        for (name, value) in globals {
            let old = known.get(&name);
            // If a script has set the variable itself, keep the script's value.
            let is_ours = || self.tcl.variable(self.interp, &name, None).as_ref() == old;
            if old == Some(&value) || old.is_some() && !is_ours() {
                continue;
            }
            self.tcl.eval(self.interp, &format!("set ::{name} {}", quoted(&value)));
            known.insert(name, value);
        }
    }

    /// Tells the console which temporary folder the script uses now.
    fn take_temp(&self) {
        let named = ["TMP", "TMPDIR", "TEMP"];
        let folders = named.iter().filter_map(|name| {
            self.tcl.variable(self.interp, "env", Some(name)).map(PathBuf::from)
        });
        if let Some(folder) = folders.into_iter().find(|folder| folder.is_dir()) {
            self.shell.console.borrow_mut().set_temp(folder);
        }
    }

    /// Runs a console command. Returns its value, or an error message.
    fn command(&self, name: &str, arguments: &[&str]) -> std::result::Result<String, String> {
        match name {
            "::hammerdb::deliver" => {
                self.shell.deliver_all(self);
                Ok(String::new())
            }
            "::hammerdb::leave" => Ok(self.leave(arguments)),
            "::hammerdb::coupled" => {
                self.shell.deliver(self);
                Ok(self.shell.console.borrow().is_replica().to_string())
            }
            "::hammerdb::job_database" => {
                self.take_temp();
                self.shell.console.borrow_mut().job_database()
            }
            name => {
                self.take_temp();
                let outer = self.busy.swap(true, Ordering::SeqCst);
                let outcome = self.shell.call(name, arguments, self);
                self.busy.store(outer, Ordering::SeqCst);
                self.set_globals();
                if self.shell.is_interrupted() && !outer {
                    cancel(self.tcl, self.interp, &self.shell.interrupt, &self.cancelled);
                    return Err("stopped by the user".into());
                }
                outcome
            }
        }
    }

    /// Shuts down the console. Returns the exit code, which a script can set.
    fn leave(&self, arguments: &[&str]) -> String {
        self.shell.shut_down(self);
        match arguments {
            [code] if !code.is_empty() => (*code).to_owned(),
            _ => {
                let failure = self.shell.console.borrow().failure();
                failure.map_or(0, tacho_app::Exit::code).to_string()
            }
        }
    }
}

impl Host for Interpreter<'_> {
    fn line(&self, text: &str) {
        // Ignore errors, because a script may close its output and continue.
        self.tcl.eval(self.interp, &format!("puts {}", quoted(text)));
    }

    fn serve(&self) {
        // Update only the ID of the running job, because no other variable can change while a command is running.
        let job = self.shell.console.borrow().job_global();
        self.set(vec![job]);
        while self.tcl.one_event() {}
    }
}

/// Cancels the evaluation if the user has asked to stop. Does this only once.
fn cancel(tcl: &Tcl, interp: Interp, interrupt: &Interrupt, cancelled: &Mutex<bool>) {
    let mut cancelled = cancelled.lock().unwrap_or_else(PoisonError::into_inner);
    if interrupt.interrupt_count() > 0 && !std::mem::replace(&mut *cancelled, true) {
        tcl.cancel(interp);
    }
}

/// The entry point for all commands.
unsafe extern "C" fn act(
    data: *mut c_void,
    interp: Interp,
    count: c_int,
    words: *const Obj,
) -> c_int {
    // SAFETY: the command was created with this pointer, and the interpreter keeps it alive.
    let (interpreter, name) = unsafe {
        let data = &*data.cast::<CommandData<'_>>();
        (&*data.interpreter, data.name)
    };
    // SAFETY: Tcl passes `count` words, the first of which is the command name.
    let words = unsafe { std::slice::from_raw_parts(words, count as usize) };
    let words: Vec<String> = words[1..].iter().map(|word| interpreter.tcl.text(*word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match interpreter.command(name, &words) {
        Ok(value) => {
            interpreter.tcl.set_result(interp, &value);
            ffi::OK
        }
        Err(text) => {
            interpreter.tcl.set_result(interp, &text);
            ffi::ERROR
        }
    }
}
