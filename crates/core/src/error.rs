//! The error type that all layers use. An error contains the failed operation, the reason, and hints.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A result whose error is [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The class of an error. The classes are the same for all databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The server could not be reached, or it closed the connection.
    Connect,
    /// Authentication failed or a permission is missing.
    Auth,
    /// A time limit set by Tacho or the server was exceeded.
    Timeout,
    /// The operation was stopped on request.
    Cancelled,
    /// The server aborted this transaction to resolve a deadlock.
    Deadlock,
    /// The transaction could not be serialized at its isolation level.
    Serialization,
    /// A lock was not granted in time.
    LockTimeout,
    /// A unique key already exists.
    UniqueViolation,
    /// An integrity constraint other than a unique key was violated.
    Constraint,
    /// The server could not parse a statement.
    Syntax,
    /// A table, column, database, or file does not exist.
    Missing,
    /// A table, index, or other object of this name already exists.
    Exists,
    /// The server ran out of memory, disk space, or connections.
    Resource,
    /// The database or this build does not support the operation.
    Unsupported,
    /// The server's response violates its protocol or does not match the schema.
    Protocol,
    /// The server's response is well formed, but its content is wrong.
    WrongAnswer,
    /// Incorrect usage, such as an unknown name or a value that is out of range.
    Usage,
    /// Any other error.
    Other,
}

impl ErrorKind {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 18] = [
        Self::Connect,
        Self::Auth,
        Self::Timeout,
        Self::Cancelled,
        Self::Deadlock,
        Self::Serialization,
        Self::LockTimeout,
        Self::UniqueViolation,
        Self::Constraint,
        Self::Syntax,
        Self::Missing,
        Self::Exists,
        Self::Resource,
        Self::Unsupported,
        Self::Protocol,
        Self::WrongAnswer,
        Self::Usage,
        Self::Other,
    ];
    /// The number of kinds.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the name that is printed and stored, such as `lock_timeout`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Auth => "auth",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Deadlock => "deadlock",
            Self::Serialization => "serialization",
            Self::LockTimeout => "lock_timeout",
            Self::UniqueViolation => "unique_violation",
            Self::Constraint => "constraint",
            Self::Syntax => "syntax",
            Self::Missing => "missing",
            Self::Exists => "exists",
            Self::Resource => "resource",
            Self::Unsupported => "unsupported",
            Self::Protocol => "protocol",
            Self::WrongAnswer => "wrong_answer",
            Self::Usage => "usage",
            Self::Other => "other",
        }
    }
}

/// The possible ways of retrying failed work: not at all, on the same connection, or on a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// A retry would fail in the same way.
    Never,
    /// The connection is still usable. Roll back and retry on the same connection.
    SameConnection,
    /// The connection is lost. A retry requires a new connection.
    NewConnection,
}

impl Retry {
    /// Returns the default retry class for errors of this kind.
    fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Deadlock | ErrorKind::Serialization | ErrorKind::LockTimeout => {
                Self::SameConnection
            }
            ErrorKind::Connect => Self::NewConnection,
            _ => Self::Never,
        }
    }
}

/// An error. It is only as large as a pointer, so that results on the hot path stay small. Other hosts receive only its
/// class, text and hints.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "Sent", into = "Sent")]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    retry: Retry,
    operation: Cow<'static, str>,
    message: String,
    code: Option<String>,
    hints: Vec<String>,
    setting: Option<&'static str>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The form in which an error is sent to other hosts.
#[derive(Serialize, Deserialize)]
struct Sent {
    kind: ErrorKind,
    text: String,
    hints: Vec<String>,
}

impl From<Error> for Sent {
    fn from(error: Error) -> Self {
        Self { kind: error.kind(), text: error.to_string(), hints: error.0.hints }
    }
}

impl From<Sent> for Error {
    fn from(sent: Sent) -> Self {
        let mut error = Self::new(sent.kind, sent.text);
        error.0.hints = sent.hints;
        error
    }
}

impl Error {
    /// Creates an error. `message` says what happened, in lower case and without a final period.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            retry: Retry::of(kind),
            operation: Cow::Borrowed(""),
            message: message.into(),
            code: None,
            hints: Vec::new(),
            setting: None,
            source: None,
        }))
    }

    /// Creates a usage error, for example for an unknown name or a value out of range.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Adds the name of the operation that failed, such as `open tprocc.db`. Only the first name is kept.
    #[must_use]
    pub fn during(mut self, operation: impl Into<Cow<'static, str>>) -> Self {
        if self.0.operation.is_empty() {
            self.0.operation = operation.into();
        }
        self
    }

    /// Adds the database's error code, such as an SQLSTATE.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.0.code = Some(code.into());
        self
    }

    /// Adds a hint. If there are several, they are alternatives and are printed in the order in which they were added.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hints.push(hint.into());
        self
    }

    /// Adds a hint, unless there is one already.
    #[must_use]
    pub fn or_hint(self, hint: impl Into<String>) -> Self {
        if self.0.hints.is_empty() { self.hint(hint) } else { self }
    }

    /// Adds the key of the invalid setting or parameter, so that a form can show the error next to its field. Only the
    /// first key is kept.
    #[must_use]
    pub fn of_setting(mut self, key: &'static str) -> Self {
        self.0.setting.get_or_insert(key);
        self
    }

    /// Returns the same error with another class and that class's default retry class.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        (self.0.kind, self.0.retry) = (kind, Retry::of(kind));
        self
    }

    /// Sets the retry class, which says whether and how failed work can be retried.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.0.retry = retry;
        self
    }

    /// Adds the underlying library's error as the cause.
    #[must_use]
    pub fn source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the retry class: whether failed work can be retried, and on which connection.
    pub fn retry_class(&self) -> Retry {
        self.0.retry
    }

    /// Returns the database's error code, if there is one.
    pub fn native_code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// Returns the hints. They are alternatives, so following any one of them is enough.
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// Returns the key of the setting or parameter with the wrong value, if known.
    pub fn setting(&self) -> Option<&'static str> {
        self.0.setting
    }

    /// Returns the message alone, without the operation and the hints.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.operation.is_empty() {
            write!(f, "cannot {}: ", self.0.operation)?;
        }
        // Show control characters in visible form. Messages from servers can contain them, and a terminal would
        // interpret them.
        f.write_str(&crate::visible(&self.0.message))?;
        if let Some(code) = &self.0.code {
            write!(f, " ({code})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self, self.0.kind.name())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind as Io;
        let kind = match error.kind() {
            Io::NotFound => ErrorKind::Missing,
            Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::Auth,
            Io::StorageFull | Io::QuotaExceeded | Io::OutOfMemory | Io::FileTooLarge => {
                ErrorKind::Resource
            }
            Io::TimedOut => ErrorKind::Timeout,
            _ => ErrorKind::Other,
        };
        Self::new(kind, error.to_string()).source(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_in_order() {
        for (position, kind) in ErrorKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, position);
        }
    }

    #[test]
    fn message_has_operation_text_and_code() {
        let error = Error::new(ErrorKind::LockTimeout, "database is locked")
            .code("SQLITE_BUSY")
            .during("open x.db");
        assert_eq!(error.to_string(), "cannot open x.db: database is locked (SQLITE_BUSY)");
        assert_eq!(error.retry_class(), Retry::SameConnection);
    }

    #[test]
    fn an_error_keeps_class_text_and_hints_on_the_way_to_another_host() {
        let error = Error::new(ErrorKind::Auth, "refused").code("28P01").during("log in").hint("x");
        let sent = Sent::from(error.clone());
        assert_eq!(sent.text, error.to_string());
        let received = Error::from(sent);
        assert_eq!(received.to_string(), error.to_string());
        assert_eq!((received.kind(), received.hints()), (error.kind(), error.hints()));
    }

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
