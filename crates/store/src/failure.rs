//! File system errors, each with the operation that failed and a hint.
//!
//! An error must always contain the path, because users need it first. Start reading at [`writing`].

use std::io;
use std::path::Path;

use tacho_core::{Error, ErrorKind};

/// Returns a function that converts an I/O error that occurred while writing `path`.
pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| with_remedy(error.into()).during(format!("write {}", path.display()))
}

/// Returns a function that converts an I/O error that occurred while reading `path`.
pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| {
        let error = Error::from(error);
        let error = match error.kind() {
            ErrorKind::Missing => error,
            ErrorKind::Auth => {
                error.hint("check the permissions, or use another folder with --dir")
            }
            _ => error.hint("use another folder with --dir"),
        };
        error.during(format!("read {}", path.display()))
    }
}

/// Returns a function that adds the path of a damaged file to an error. If the error has no hint, a hint is added as
/// well.
pub(crate) fn damaged(path: &Path) -> impl FnOnce(Error) -> Error {
    move |error| error.or_hint(FROM_COPY).during(format!("read {}", path.display()))
}

/// The hint for a damaged file of a run.
pub(crate) const FROM_COPY: &str =
    "import the run again from an archive or a copy of its folder, or remove it";

fn with_remedy(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Resource => error
            .hint("free space on that disk, for example with tacho runs prune --keep 20")
            .hint("or keep runs on another disk with --dir FOLDER"),
        ErrorKind::Auth => error.hint("use --dir FOLDER with a folder that you can write to"),
        _ => error.hint("use another folder with --dir FOLDER"),
    }
}

/// Copies an error. The writer of a run keeps one copy and returns the other to the caller.
pub(crate) fn again(error: &Error) -> Error {
    let copy = Error::new(error.kind(), error.to_string());
    error.hints().iter().fold(copy, |copy, hint| copy.hint(hint.clone()))
}
