//! Operating system services: signals, users, permissions, private files, and links.
//!
//! Private servers run only on Unix. On other systems, [`supported`] returns an error before anything else is called.

#[cfg(not(unix))]
#[path = "other.rs"]
mod platform;
#[cfg(unix)]
#[path = "unix.rs"]
mod platform;

/// Returns true if this system supports private servers.
pub fn are_supported() -> bool {
    supported().is_ok()
}

pub use platform::{LocalSocket, Signal};
pub(crate) use platform::{
    about, give, link, private_file, private_folder, run_as, send, send_group, set_private,
    supported, take_space, user, with_own_group,
};
