//! An interpreter with the console's commands in it.
//!
//! What the console says is printed by the interpreter's own `puts`, so that a script that has
//! redefined it sees every line.

#![expect(unsafe_code, reason = "is called by a C library")]

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

/// What every script finds next to the commands.
const PRELUDE: &str = concat!(include_str!("source.tcl"), include_str!("prelude.tcl"));
/// Replaces what a script that is only translated must not do.
const TRANSLATION: &str = include_str!("translation.tcl");
/// Time between two looks for the user's wish to stop.
const LOOK: Duration = Duration::from_millis(50);

/// An interpreter. It lives until the process ends.
pub struct Interpreter<'a> {
    tcl: &'static Tcl,
    interp: Interp,
    shell: &'a Shell,
    /// Whether a command of the console is at work, which ends in its own way.
    busy: Arc<AtomicBool>,
    /// Whether what is evaluated was cancelled since the user wants to stop.
    cancelled: Arc<Mutex<bool>>,
    commands: Vec<CommandData<'a>>,
    /// What scripts find in global variables, as it was set last.
    globals: RefCell<BTreeMap<String, String>>,
}

/// What a command finds behind its pointer.
struct CommandData<'a> {
    interpreter: *const Interpreter<'a>,
    name: &'static str,
}

/// Commands that the prelude uses.
const INNER: [&str; 3] = ["::hammerdb::deliver", "::hammerdb::leave", "::hammerdb::coupled"];

impl<'a> Interpreter<'a> {
    /// Loads Tcl and makes the commands. It is boxed, since the commands point to it.
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

    /// Makes a translation of it: nothing outside is touched.
    pub fn only_translate(&self) -> Result<()> {
        self.evaluate(TRANSLATION).map(drop).map_err(tacho_core::Error::usage)
    }

    /// Ends what a script does when the user wants to stop, unless a command of ours is at work.
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

    /// Goes on after what the user wanted to stop is over; says whether that is so.
    pub fn goes_on(&self) -> bool {
        let cancelled = || self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        // The script does not cancel what follows, until the request is cleared.
        if std::mem::replace(&mut *cancelled(), true) {
            if !self.tcl.recover(self.interp) {
                return false;
            }
            // It may have been cancelled too.
            self.tcl.eval(self.interp, "after cancel ::hammerdb::tick; ::hammerdb::tick");
        }
        let goes_on = self.shell.goes_on(self);
        *cancelled() = !goes_on;
        goes_on
    }

    /// Evaluates a script: its value, or the error with Tcl's own stack.
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

    /// Whether a script has no open brace, bracket or quote.
    pub fn is_complete(&self, script: &str) -> bool {
        self.tcl.is_complete(script)
    }

    /// Sets the global variables that scripts read, where their values have changed: a script may use
    /// the names for something of its own.
    pub fn set_globals(&self) {
        let globals = self.shell.console.borrow().globals();
        self.set(globals);
    }

    fn set(&self, globals: Vec<(String, String)>) {
        let mut known = self.globals.borrow_mut();
        for (name, value) in globals {
            let old = known.get(&name);
            // A script may use the name for a value of its own, which stays.
            let is_ours = || self.tcl.variable(self.interp, &name, None).as_ref() == old;
            if old == Some(&value) || old.is_some() && !is_ours() {
                continue;
            }
            self.tcl.eval(self.interp, &format!("set ::{name} {}", quoted(&value)));
            known.insert(name, value);
        }
    }

    /// Tells the console where the script wants its files, since it may have set that itself.
    fn take_temp(&self) {
        let named = ["TMP", "TMPDIR", "TEMP"];
        let folders = named.iter().filter_map(|name| {
            self.tcl.variable(self.interp, "env", Some(name)).map(PathBuf::from)
        });
        if let Some(folder) = folders.into_iter().find(|folder| folder.is_dir()) {
            self.shell.console.borrow_mut().set_temp(folder);
        }
    }

    /// A command of the console: its value, or the text of its error.
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

    /// Ends everything in good order; the exit code, which is the script's own if it chose one.
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
        // A script whose output is closed does not hear us, which is no reason to stop.
        self.tcl.eval(self.interp, &format!("puts {}", quoted(text)));
    }

    fn serve(&self) {
        // Nothing else changes while a command is at work.
        let job = self.shell.console.borrow().job_global();
        self.set(vec![job]);
        while self.tcl.one_event() {}
    }
}

/// Ends what is evaluated if the user wants to stop, once.
fn cancel(tcl: &Tcl, interp: Interp, interrupt: &Interrupt, cancelled: &Mutex<bool>) {
    let mut cancelled = cancelled.lock().unwrap_or_else(PoisonError::into_inner);
    if interrupt.interrupt_count() > 0 && !std::mem::replace(&mut *cancelled, true) {
        tcl.cancel(interp);
    }
}

/// The entry of all commands.
unsafe extern "C" fn act(
    data: *mut c_void,
    interp: Interp,
    count: c_int,
    words: *const Obj,
) -> c_int {
    // SAFETY: the pointer that the command was made with; the interpreter keeps it alive.
    let (interpreter, name) = unsafe {
        let data = &*data.cast::<CommandData<'_>>();
        (&*data.interpreter, data.name)
    };
    // SAFETY: Tcl passes so many words, the name first.
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
