//! Connection errors that any network protocol can have.

use std::io;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Retry};

/// Returns true if the connection cannot be used after this error.
pub fn is_last(error: &Error) -> bool {
    error.retry_class() == Retry::NewConnection
}

/// Converts an error about a rejected setting to a usage error. If the connection was lost or a privilege is missing,
/// the error keeps its kind.
#[cold]
pub fn not_taken(error: Error, operation: String, hint: &'static str) -> Error {
    if is_last(&error) || error.kind() == ErrorKind::Auth {
        return error.during(operation);
    }
    let hints = error.hints().iter().cloned();
    let usage = Error::usage(error.message()).during(operation);
    hints.fold(usage, Error::hint).hint(hint)
}

/// Returns the error for a connection that was lost.
#[cold]
pub fn lost(error: &io::Error) -> Error {
    let text = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        _ => format!("connection lost: {error}"),
    };
    Error::new(ErrorKind::Connect, text)
        .hint("see the server's log; if it shows nothing, the network connection was interrupted")
}

/// Returns the error for a response that violates the protocol. The connection is then unusable.
#[cold]
pub fn unexpected(what: &str) -> Error {
    let text = format!("unexpected response from the server: {what}");
    Error::new(ErrorKind::Protocol, text).retry(Retry::NewConnection)
}

/// Returns the error for a socket that could not be opened.
#[cold]
pub fn unreachable(error: io::Error) -> Error {
    let (text, hint) = match error.kind() {
        io::ErrorKind::ConnectionRefused => (
            "the server refused the connection".to_owned(),
            "check that it is running and listening on this port",
        ),
        io::ErrorKind::NotFound => (
            "the socket does not exist".to_owned(),
            "check that the server is running and listening on this port",
        ),
        io::ErrorKind::PermissionDenied => {
            ("permission denied for the socket".to_owned(), "connect over TCP, with host=127.0.0.1")
        }
        io::ErrorKind::UnexpectedEof => {
            ("the server closed the connection".to_owned(), "see the server's log")
        }
        _ => (error.to_string(), "check the host and port"),
    };
    Error::new(ErrorKind::Connect, text).hint(hint).source(error)
}

/// Returns the error for a server that does not respond. `option` is the option with which the user can change the time
/// limit.
#[cold]
pub fn too_late(limit: Duration, option: &str) -> Error {
    let seconds = limit.as_secs_f64();
    Error::new(ErrorKind::Timeout, format!("timed out after {seconds} s"))
        .hint(format!("check the host and port, or allow more time with {option}"))
}
