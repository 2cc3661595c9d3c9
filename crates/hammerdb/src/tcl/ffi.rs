//! The Tcl library, which is loaded at run time. Only a few functions are used, which Tcl 8.6 and 9.0 have in common.
//!
//! The two versions use different integer types for the lengths of strings. In both versions, a length of -1 means that
//! the string is null-terminated.

#![expect(unsafe_code, reason = "calls into a C library")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;

use tacho_core::{Error, ErrorKind, Result};

/// An interpreter created by the library.
pub type Interp = *mut c_void;
/// A value of the library.
pub type Obj = *mut c_void;
/// The implementation of a command.
pub type ObjCommand = unsafe extern "C" fn(*mut c_void, Interp, c_int, *const Obj) -> c_int;

pub const OK: c_int = 0;
pub const ERROR: c_int = 1;
const GLOBAL_ONLY: c_int = 1;
const EVAL_GLOBAL: c_int = 0x2_0000;
const CANCEL_UNWIND: c_int = 0x10_0000;
const ALL_EVENTS_NOW: c_int = !0;

/// Names of the Tcl library on various systems. The names for 8.6 come before those for 9.0.
const NAMES: &[&str] = if cfg!(windows) {
    &["tcl86t.dll", "tcl86.dll", "tcl90.dll"]
} else if cfg!(target_os = "macos") {
    &["libtcl8.6.dylib", "libtcl9.0.dylib", "/Library/Frameworks/Tcl.framework/Tcl"]
} else {
    &["libtcl8.6.so", "libtcl8.6.so.0", "libtcl9.0.so", "libtcl9.0.so.0", "libtcl9.0.so.1"]
};

/// The Tcl library to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Library {
    /// The system's library.
    #[default]
    System,
    /// This file.
    File(PathBuf),
}

/// The functions of the library.
pub struct Tcl {
    create_interp: unsafe extern "C" fn() -> Interp,
    init: unsafe extern "C" fn(Interp) -> c_int,
    eval: unsafe extern "C" fn(Interp, *const c_char, isize, c_int) -> c_int,
    eval_file: unsafe extern "C" fn(Interp, Obj, *const c_char) -> c_int,
    hold: unsafe extern "C" fn(Obj, *const c_char, c_int),
    result: unsafe extern "C" fn(Interp) -> Obj,
    string: unsafe extern "C" fn(Obj, *mut c_void) -> *const c_char,
    new_string: unsafe extern "C" fn(*const c_char, isize) -> Obj,
    set_result: unsafe extern "C" fn(Interp, Obj),
    variable: unsafe extern "C" fn(Interp, *const c_char, *const c_char, c_int) -> *const c_char,
    create_command: unsafe extern "C" fn(
        Interp,
        *const c_char,
        ObjCommand,
        *mut c_void,
        Option<unsafe extern "C" fn(*mut c_void)>,
    ) -> *mut c_void,
    complete: unsafe extern "C" fn(*const c_char) -> c_int,
    one_event: unsafe extern "C" fn(c_int) -> c_int,
    delete_interp: unsafe extern "C" fn(Interp),
    finalize_thread: unsafe extern "C" fn(),
    cancel: unsafe extern "C" fn(Interp, Obj, *mut c_void, c_int) -> c_int,
    /// A private function of Tcl, which is needed to use an interpreter again after a cancellation.
    reset_cancellation: Option<unsafe extern "C" fn(Interp, c_int)>,
    // The library is never unloaded, because its code may run until the process exits. This must be the last field.
    _library: &'static libloading::Library,
}

/// Converts text to a C string. Null characters are removed, because they would end the string.
pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

fn missing(text: String) -> Error {
    Error::new(ErrorKind::Missing, text)
        .hint(
            "Debian, Ubuntu: apt-get install tcl8.6 (includes libtcl8.6); Fedora: dnf install tcl",
        )
        .hint("set TACHO_HAMMERDB_TCL to the path of the library if it is elsewhere")
}

impl Tcl {
    /// Loads the library.
    pub fn load(which: &Library) -> Result<Self> {
        let library: &'static libloading::Library = Box::leak(Box::new(open(which)?));
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the field has the function type given in Tcl's manual.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|error| missing(format!("not a Tcl library: {error}")))?
            };
        }
        let find_executable: unsafe extern "C" fn(*const c_char) = function!("Tcl_FindExecutable");
        // SAFETY: this function may be called once before all others, and accepts a null name.
        unsafe { find_executable(std::ptr::null()) };
        Ok(Self {
            create_interp: function!("Tcl_CreateInterp"),
            init: function!("Tcl_Init"),
            eval: function!("Tcl_EvalEx"),
            eval_file: function!("Tcl_FSEvalFileEx"),
            hold: function!("Tcl_DbIncrRefCount"),
            result: function!("Tcl_GetObjResult"),
            string: function!("Tcl_GetStringFromObj"),
            new_string: function!("Tcl_NewStringObj"),
            set_result: function!("Tcl_SetObjResult"),
            variable: function!("Tcl_GetVar2"),
            create_command: function!("Tcl_CreateObjCommand"),
            complete: function!("Tcl_CommandComplete"),
            one_event: function!("Tcl_DoOneEvent"),
            delete_interp: function!("Tcl_DeleteInterp"),
            finalize_thread: function!("Tcl_FinalizeThread"),
            cancel: function!("Tcl_CancelEval"),
            // SAFETY: the field's type is the function's type in both versions of Tcl.
            reset_cancellation: unsafe { library.get(b"TclResetCancellation\0") }
                .ok()
                .map(|function| *function),
            _library: library,
        })
    }

    /// Creates an interpreter with Tcl's built-in commands.
    pub fn interpreter(&self) -> Result<Interp> {
        // SAFETY: the interpreter is used only on this thread, except for `cancel`.
        let interp = unsafe { (self.create_interp)() };
        // SAFETY: the interpreter has just been created.
        if unsafe { (self.init)(interp) } != OK {
            return Err(missing(format!("Tcl cannot be initialized: {}", self.result(interp))));
        }
        Ok(interp)
    }

    /// Deletes an interpreter and the Tcl data of its thread. The thread must not use the library afterwards.
    pub fn delete(&self, interp: Interp) {
        // SAFETY: the caller is on the interpreter's thread and does not use the interpreter again.
        unsafe {
            (self.delete_interp)(interp);
            (self.finalize_thread)();
        }
    }

    /// Evaluates a script at global level.
    pub fn eval(&self, interp: Interp, script: &str) -> c_int {
        let script = c_string(script);
        // SAFETY: the C string remains valid until the call returns.
        unsafe { (self.eval)(interp, script.as_ptr(), -1, EVAL_GLOBAL) }
    }

    /// Evaluates a file in the given encoding.
    pub fn eval_file(&self, interp: Interp, path: &str, encoding: &str) -> c_int {
        let (path, encoding) = (c_string(path), c_string(encoding));
        // SAFETY: the C strings stay valid until the call returns, and the value is never released.
        unsafe {
            let path = (self.new_string)(path.as_ptr(), -1);
            (self.hold)(path, c"".as_ptr(), 0);
            (self.eval_file)(interp, path, encoding.as_ptr())
        }
    }

    /// Returns the result of the most recent evaluation.
    pub fn result(&self, interp: Interp) -> String {
        // SAFETY: an interpreter always has a result.
        self.text(unsafe { (self.result)(interp) })
    }

    /// Returns a value as text.
    pub fn text(&self, value: Obj) -> String {
        // SAFETY: the library owns the value. Its text is null-terminated and lives as long as the value.
        let text = unsafe { CStr::from_ptr((self.string)(value, std::ptr::null_mut())) };
        text.to_string_lossy().into_owned()
    }

    /// Sets the result of a command.
    pub fn set_result(&self, interp: Interp, text: &str) {
        let text = c_string(text);
        // SAFETY: the interpreter takes ownership of the new value.
        unsafe { (self.set_result)(interp, (self.new_string)(text.as_ptr(), -1)) };
    }

    /// Returns the value of a global variable or of an element of a global array.
    pub fn variable(&self, interp: Interp, name: &str, element: Option<&str>) -> Option<String> {
        let (name, element) = (c_string(name), element.map(c_string));
        let element = element.as_ref().map_or(std::ptr::null(), |element| element.as_ptr());
        // SAFETY: the names are C strings, and the value is copied before it can change.
        let value = unsafe { (self.variable)(interp, name.as_ptr(), element, GLOBAL_ONLY) };
        if value.is_null() {
            return None;
        }
        // SAFETY: the pointer is not null, and the text is null-terminated.
        Some(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
    }

    /// Creates a command. `data` must live as long as the interpreter.
    pub fn create_command(&self, interp: Interp, name: &str, act: ObjCommand, data: *mut c_void) {
        let name = c_string(name);
        // SAFETY: the caller keeps `data` alive.
        unsafe { (self.create_command)(interp, name.as_ptr(), act, data, None) };
    }

    /// Returns true if a script is complete, which means that every brace, bracket and quote is closed.
    pub fn is_complete(&self, script: &str) -> bool {
        let script = c_string(script);
        // SAFETY: the argument is a C string.
        unsafe { (self.complete)(script.as_ptr()) != 0 }
    }

    /// Processes one pending event without waiting. Returns false if there was none.
    pub fn one_event(&self) -> bool {
        // With these flags, Tcl processes events of all kinds but does not wait for any.
        // SAFETY: this is the interpreter's thread.
        unsafe { (self.one_event)(ALL_EVENTS_NOW) != 0 }
    }

    /// Cancels the evaluation in an interpreter. A script's `catch` does not prevent this. Can be called from any
    /// thread.
    pub fn cancel(&self, interp: Interp) {
        // SAFETY: Tcl allows this call from any thread while the interpreter exists.
        unsafe {
            (self.cancel)(interp, std::ptr::null_mut(), std::ptr::null_mut(), CANCEL_UNWIND);
        }
    }

    /// Makes an interpreter usable after a cancelled evaluation. Returns true if this succeeded.
    pub fn recover(&self, interp: Interp) -> bool {
        // Evaluate an empty command first. If a cancellation is still pending, it cancels this command instead of a
        // later one.
        self.eval(interp, "list");
        if let Some(reset) = self.reset_cancellation {
            // SAFETY: this is the interpreter's thread, and nothing is being evaluated.
            unsafe { reset(interp, 1) };
        }
        self.eval(interp, "list") == OK
    }
}

fn open(which: &Library) -> Result<libloading::Library> {
    let open_file = |name: &std::ffi::OsStr| {
        // SAFETY: loading Tcl does not run any code that could harm this process.
        unsafe { libloading::Library::new(name) }
    };
    if let Library::File(path) = which {
        let refuse =
            |error| missing(format!("could not load the Tcl library {}: {error}", path.display()));
        return open_file(path.as_os_str()).map_err(refuse);
    }
    let found = NAMES.iter().find_map(|name| open_file(name.as_ref()).ok());
    found.ok_or_else(|| missing("Tcl library not found: expected 8.6 or 9.0".into()))
}
