//! One error type for all layers: what was tried, what happened, what to do.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A result with our [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The class of an error, the same for every database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The server could not be reached or hung up.
    Connect,
    /// The server refused who we are or what we may do.
    Auth,
    /// A time limit of ours or of the server passed.
    Timeout,
    /// Stopped on request.
    Cancelled,
    /// The server chose this transaction as the victim of a deadlock.
    Deadlock,
    /// The isolation level could not be kept.
    Serialization,
    /// A lock was not granted in time.
    LockTimeout,
    /// A duplicate key.
    UniqueViolation,
    /// Any other integrity rule of the schema.
    Constraint,
    /// The server did not understand a statement.
    Syntax,
    /// A table, column, database or file is not there.
    Missing,
    /// A table, index or other object of this name exists.
    Exists,
    /// Memory, disk or connections are used up.
    Resource,
    /// The database or this build cannot do it.
    Unsupported,
    /// The server's answer was not what its protocol or schema promises.
    Protocol,
    /// The server's answer is not the right one.
    WrongAnswer,
    /// Wrong use: an unknown name, a value out of range.
    Usage,
    /// Anything else.
    Other,
}

impl ErrorKind {
    /// Every kind, in the order of its discriminant.
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
    /// How many kinds there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The name as printed and stored, such as `lock_timeout`.
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

/// Whether, and where, the same work may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// It would fail again.
    Never,
    /// The connection is fine: roll back and try again.
    SameConnection,
    /// The connection is lost.
    NewConnection,
}

impl Retry {
    /// What an error of this kind allows, if nothing more is known.
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

/// What went wrong. One pointer wide, so that results on the hot path stay small. On the way to another host it
/// keeps its class, its text and its hints.
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

/// An error as it is sent to another host.
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
    /// An error of this kind; `message` says what happened, in lower case and without a full stop.
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

    /// Wrong use: an unknown name, a value out of range.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Adds what was being done, such as `open tprocc.db`. The first call wins.
    #[must_use]
    pub fn during(mut self, operation: impl Into<Cow<'static, str>>) -> Self {
        if self.0.operation.is_empty() {
            self.0.operation = operation.into();
        }
        self
    }

    /// Adds the database's own code, such as an SQLSTATE.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.0.code = Some(code.into());
        self
    }

    /// Adds a remedy. Several hints are alternatives, printed in this order.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hints.push(hint.into());
        self
    }

    /// Adds the key of the setting or parameter whose value is wrong, so that a form can show the error there. The first
    /// call wins.
    #[must_use]
    pub fn of_setting(mut self, key: &'static str) -> Self {
        self.0.setting.get_or_insert(key);
        self
    }

    /// The same error in another class, which also decides whether the same work may be tried again.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        (self.0.kind, self.0.retry) = (kind, Retry::of(kind));
        self
    }

    /// Says whether the same work may be tried again.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.0.retry = retry;
        self
    }

    /// Adds the error of the library below.
    #[must_use]
    pub fn source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether the same work may be tried again.
    pub fn retry_class(&self) -> Retry {
        self.0.retry
    }

    /// The database's own code.
    pub fn native_code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The remedies, alternatives of each other.
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// The key of the setting or parameter whose value is wrong, if it is known.
    pub fn setting(&self) -> Option<&'static str> {
        self.0.setting
    }

    /// What happened, without what was tried and without hints.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.operation.is_empty() {
            write!(f, "cannot {}: ", self.0.operation)?;
        }
        // A server's message may hold what a terminal obeys.
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
