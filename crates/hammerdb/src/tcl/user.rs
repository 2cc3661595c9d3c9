//! The Tcl interpreter of a virtual user. It runs a script on its own thread and does not have the console's commands.

#![expect(unsafe_code, reason = "the functions are called by a C library")]

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use tacho_core::Result;

use super::ffi::{self, Interp, Library, Obj, Tcl};

/// Commands that the script of a virtual user can use in addition to Tcl's own commands.
const PRELUDE: &str =
    concat!(include_str!("source.tcl"), include_str!("user.tcl"), include_str!("packages.tcl"));

/// A handle that can cancel an interpreter's evaluation from any thread while the interpreter exists.
#[derive(Clone, Default)]
pub struct Canceller(Arc<Mutex<Option<(&'static Tcl, usize)>>>);

impl Canceller {
    /// Cancels the evaluation if the interpreter still exists. A script's `catch` does not prevent this.
    pub fn cancel(&self) {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((tcl, interp)) = *held {
            tcl.cancel(interp as Interp);
        }
    }

    fn hold(&self, tcl: &'static Tcl, interp: Interp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((tcl, interp as usize));
    }

    fn release(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Loads Tcl for the threads that run virtual users.
pub fn load(library: &Library) -> Result<&'static Tcl> {
    Ok(Box::leak(Box::new(Tcl::load(library)?)))
}

/// A virtual user's interpreter. It must be used and dropped by the thread that created it.
pub struct UserInterpreter<'a> {
    tcl: &'static Tcl,
    interp: Interp,
    canceller: Canceller,
    output: Box<Output<'a>>,
    /// The data of the command for package requests. The command contains only a pointer to the data, so this field
    /// keeps it alive.
    answers: Box<Answers<'a>>,
}

/// A function that handles requests from a script's packages. It returns a value or an error message.
pub type Ask<'a> = &'a dyn Fn(&[&str]) -> std::result::Result<String, String>;

/// The data that the command for package requests uses.
struct Answers<'a> {
    tcl: &'static Tcl,
    ask: Ask<'a>,
}

/// The output of a script.
struct Output<'a> {
    tcl: &'static Tcl,
    say: &'a dyn Fn(&str),
    /// The beginning of an incomplete line.
    begun: RefCell<String>,
}

impl<'a> UserInterpreter<'a> {
    /// Creates the interpreter of one virtual user. `user` is the user's number, and `users` is the number of all
    /// virtual users. `say` receives each printed line, and `ask` handles package requests.
    pub fn new(
        tcl: &'static Tcl,
        user: u32,
        users: u32,
        canceller: &Canceller,
        say: &'a dyn Fn(&str),
        ask: Ask<'a>,
    ) -> Result<Self> {
        let interp = tcl.interpreter()?;
        let output = Box::new(Output { tcl, say, begun: RefCell::default() });
        canceller.hold(tcl, interp);
        let answers = Box::new(Answers { tcl, ask });
        let this = Self { tcl, interp, canceller: canceller.clone(), output, answers };
        tcl.eval(interp, "namespace eval ::hammerdb {}");
        let pointer: *const Output<'a> = &raw const *this.output;
        tcl.create_command(interp, "::hammerdb::write", write, pointer.cast_mut().cast());
        let pointer: *const Answers<'a> = &raw const *this.answers;
        tcl.create_command(interp, "::hammerdb::ask", answer, pointer.cast_mut().cast());
        let numbers = format!("set ::hammerdb::user {user}; set ::hammerdb::users {users}\n");
        this.run(&(numbers + PRELUDE)).map_err(tacho_core::Error::usage)?;
        Ok(this)
    }

    /// Evaluates a script. Returns an error with Tcl's stack trace if it fails.
    pub fn run(&self, script: &str) -> std::result::Result<(), String> {
        let code = self.tcl.eval(self.interp, script);
        self.output.end_line();
        if code != ffi::ERROR {
            return Ok(());
        }
        let variable = |name| self.tcl.variable(self.interp, name, None);
        // In a virtual user's script, `exit` ends the virtual user, not the process.
        if let Some(code) = variable("errorCode").unwrap_or_default().strip_prefix("HAMMERDB EXIT ")
        {
            return if code == "0" { Ok(()) } else { Err(format!("exit {code}")) };
        }
        let stack = variable("errorInfo").unwrap_or_else(|| self.tcl.result(self.interp));
        Err(super::without_internals(&stack))
    }
}

impl Drop for UserInterpreter<'_> {
    fn drop(&mut self) {
        self.canceller.release();
        self.tcl.delete(self.interp);
    }
}

impl Output<'_> {
    fn write(&self, text: &str, ends: bool) {
        let mut begun = self.begun.borrow_mut();
        begun.push_str(text);
        if ends {
            let line = std::mem::take(&mut *begun);
            drop(begun);
            line.split('\n').for_each(|line| (self.say)(line));
        }
    }

    fn end_line(&self) {
        if !self.begun.borrow().is_empty() {
            self.write("", true);
        }
    }
}

/// Implements `::hammerdb::ask word…`.
unsafe extern "C" fn answer(
    data: *mut c_void,
    interp: Interp,
    count: c_int,
    words: *const Obj,
) -> c_int {
    // SAFETY: the command was created with this pointer, which lives as long as the interpreter.
    let answers = unsafe { &*data.cast::<Answers<'_>>() };
    // SAFETY: Tcl passes `count` words, the first of which is the command name.
    let words = unsafe { std::slice::from_raw_parts(words, count as usize) };
    let words: Vec<String> = words[1..].iter().map(|word| answers.tcl.text(*word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, text) = match (answers.ask)(&words) {
        Ok(text) => (ffi::OK, text),
        Err(text) => (ffi::ERROR, text),
    };
    answers.tcl.set_result(interp, &text);
    code
}

/// Implements the Tcl command `::hammerdb::write`, which prints a text. The first argument is 1 if the text ends its
/// line.
unsafe extern "C" fn write(data: *mut c_void, _: Interp, count: c_int, words: *const Obj) -> c_int {
    // SAFETY: the command was created with this pointer, which lives as long as the interpreter.
    let output = unsafe { &*data.cast::<Output<'_>>() };
    // SAFETY: Tcl passes `count` words, the first of which is the command name.
    let words = unsafe { std::slice::from_raw_parts(words, count as usize) };
    if let [_, ends, text] = words {
        output.write(&output.tcl.text(*text), output.tcl.text(*ends) == "1");
    }
    ffi::OK
}
