//! Runs Tcl scripts with the system's Tcl library and the console's commands.

mod ffi;
mod interpreter;
mod session;
mod user;
mod words;

pub use ffi::Library;
pub use interpreter::Interpreter;
pub use session::{run, translate};
pub use user::{Canceller, UserInterpreter, load as load_for_users};
pub use words::{decoded, element, nested, quoted, without_internals};
