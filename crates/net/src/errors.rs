//! Errors of a connection, whatever is spoken on it.

use std::io;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Retry};

/// Whether the connection has ended with this error.
pub fn is_last(error: &Error) -> bool {
    error.retry_class() == Retry::NewConnection
}

/// What a server says to a value of a setting that it would not take: a wrong use, whatever its own class
/// for it, unless the connection has ended or the right is missing.
#[cold]
pub fn not_taken(error: Error, operation: String, hint: &'static str) -> Error {
    if is_last(&error) || error.kind() == ErrorKind::Auth {
        return error.during(operation);
    }
    let hints = error.hints().iter().cloned();
    let usage = Error::usage(error.message()).during(operation);
    hints.fold(usage, Error::hint).hint(hint)
}

/// A socket that cannot be used any more.
#[cold]
pub fn lost(error: &io::Error) -> Error {
    let text = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        _ => format!("the connection is lost: {error}"),
    };
    Error::new(ErrorKind::Connect, text)
        .hint("see the server's log; if it says nothing, the network between was cut")
}

/// An answer that the protocol does not provide for; nothing on this connection can be trusted.
#[cold]
pub fn unexpected(what: &str) -> Error {
    let text = format!("the server's answer is none that was expected: {what}");
    Error::new(ErrorKind::Protocol, text).retry(Retry::NewConnection)
}

/// A socket that could not be opened.
#[cold]
pub fn unreachable(error: io::Error) -> Error {
    let (text, hint) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            ("the server refuses the connection".to_owned(), "is it running, and on this port?")
        }
        io::ErrorKind::NotFound => {
            ("the socket does not exist".to_owned(), "is the server running, and on this port?")
        }
        io::ErrorKind::PermissionDenied => {
            ("the socket may not be used".to_owned(), "connect over TCP, with host=127.0.0.1")
        }
        io::ErrorKind::UnexpectedEof => {
            ("the server hung up".to_owned(), "the server's log says why")
        }
        _ => (error.to_string(), "check host and port"),
    };
    Error::new(ErrorKind::Connect, text).hint(hint).source(error)
}

/// A server that says nothing; `option` is what the user calls the limit.
#[cold]
pub fn too_late(limit: Duration, option: &str) -> Error {
    let seconds = limit.as_secs_f64();
    Error::new(ErrorKind::Timeout, format!("there was no answer within {seconds} s"))
        .hint(format!("check host and port, or allow more time with {option}"))
}
