//! What the operating system is asked for: signals, users and their rights, private files, links.
//!
//! Private servers run on systems of the Unix family. Elsewhere all of this compiles, so that no other file
//! asks for the system, and [`supported`] refuses before any of it is called.

#[cfg(not(unix))]
#[path = "other.rs"]
mod own;
#[cfg(unix)]
#[path = "unix.rs"]
mod own;

/// Whether private servers can be had on this system.
pub fn are_supported() -> bool {
    supported().is_ok()
}

pub use own::{LocalSocket, Signal};
pub(crate) use own::{
    about, give, link, private_file, private_folder, run_as, send, send_group, set_private,
    supported, take_space, user, with_own_group,
};
