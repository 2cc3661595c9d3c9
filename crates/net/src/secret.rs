//! Passwords: never shown, and never read from a file that others can read.

use std::fmt;
use std::path::Path;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What a search for a password gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The password, if there is one.
    pub password: Option<Secret>,
    /// Why a file was not read, if it is there and should have been.
    pub note: Option<String>,
}

/// Whether others than the owner can read a file.
#[cfg(unix)]
pub fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

/// Whether other users than the owner can read a file: unknown on this system.
#[cfg(not(unix))]
pub fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let found = Found { password: Some(Secret("pencil".into())), note: None };
        assert!(!format!("{found:?}").contains("pencil"));
    }
}
