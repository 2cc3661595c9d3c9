//! Runs Python scripts with the system's Python, in a child process that sends its requests through a socket.
//!
//! In the child process, commands are Python functions. Python's `print` prints their output.
//!
//! Start reading at [`run`] and in `bootstrap.py`.

#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod server;

use tacho_core::{Error, Result};

use crate::shell::Shell;
use crate::tcl::Library;
use crate::{Ending, Source};

/// Runs a session to its end.
#[cfg(unix)]
pub fn run(shell: &Shell, tcl: &Library, source: &Source) -> Result<Ending> {
    server::run(shell, tcl, source)
}

/// Runs a session to its end.
#[cfg(not(unix))]
pub fn run(_: &Shell, _: &Library, _: &Source) -> Result<Ending> {
    Err(Error::usage("Python scripts require Unix sockets").hint("write the script in Tcl"))
}

#[cfg(unix)]
fn missing(text: String) -> Error {
    Error::new(tacho_core::ErrorKind::Missing, text).hint("Debian, Ubuntu: apt-get install python3")
}
