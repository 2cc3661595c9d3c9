//! Errors by the numbers of a database: a driver has a table of kinds and one of remedies.

use tacho_core::{Error, ErrorKind};

/// Kinds of errors, each with its numbers.
pub type Kinds<N> = [(ErrorKind, &'static [N])];
/// What a user can do, each with the numbers of the errors that it is for.
pub type Remedies<N> = [(&'static [N], &'static str)];

/// The kind of the error with this number, if it is known.
pub fn kind_of<N: Copy + PartialEq>(number: N, kinds: &Kinds<N>) -> Option<ErrorKind> {
    kinds.iter().find(|(_, numbers)| numbers.contains(&number)).map(|(kind, _)| *kind)
}

/// The error with a hint, if there is a remedy for its number.
pub fn with_remedy<N: Copy + PartialEq>(error: Error, number: N, remedies: &Remedies<N>) -> Error {
    match remedies.iter().find(|(numbers, _)| numbers.contains(&number)) {
        Some((_, remedy)) => error.hint(*remedy),
        None => error,
    }
}
