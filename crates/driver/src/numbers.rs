//! Maps a database's error numbers to error kinds and hints.

use tacho_core::{Error, ErrorKind};

/// Error kinds, each with its error numbers.
pub type Kinds<N> = [(ErrorKind, &'static [N])];
/// Hints for the user, each with the error numbers to which it applies.
pub type Remedies<N> = [(&'static [N], &'static str)];

/// Returns the kind of the error with this number, if known.
pub fn kind_of<N: Copy + PartialEq>(number: N, kinds: &Kinds<N>) -> Option<ErrorKind> {
    kinds.iter().find(|(_, numbers)| numbers.contains(&number)).map(|(kind, _)| *kind)
}

/// Adds the hint for this error number, if there is one.
pub fn with_remedy<N: Copy + PartialEq>(error: Error, number: N, remedies: &Remedies<N>) -> Error {
    match remedies.iter().find(|(numbers, _)| numbers.contains(&number)) {
        Some((_, remedy)) => error.hint(*remedy),
        None => error,
    }
}
