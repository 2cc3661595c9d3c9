//! Handles passwords. They are never displayed, and never read from a file that other users can read.

use std::fmt;
use std::path::Path;

/// A string that is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The result of looking for a password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The password, if one was found.
    pub password: Option<Secret>,
    /// The reason why an existing password file was not used. It is shown only if the server requires a password.
    pub note: Option<String>,
}

/// Returns true if users other than the owner can read a file.
#[cfg(unix)]
pub fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

/// Always returns false, because this system cannot check whether other users may read a file.
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
