//! Answers and refusals: JSON for programs, a sentence with its hint in all of them.
//!
//! Start reading at [`Refused`].

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tacho_core::{Error, ErrorKind};

/// What is not done, and why.
#[derive(Debug)]
pub(crate) struct Refused {
    status: StatusCode,
    message: String,
    hints: Vec<String>,
}

/// An answer, or why there is none.
pub(crate) type Answer<T = Response> = Result<T, Refused>;

impl Refused {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// What a command that ended with an exit code complained of.
    pub(crate) fn complaint(text: &str) -> Self {
        let (mut message, mut hints) = (Vec::new(), Vec::new());
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix("hint: ") {
                Some(hint) => hints.push(hint.to_owned()),
                None => message.push(line.strip_prefix("error: ").unwrap_or(line)),
            }
        }
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, message: message.join(" "), hints }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::Usage => StatusCode::BAD_REQUEST,
            ErrorKind::Missing => StatusCode::NOT_FOUND,
            ErrorKind::Unsupported | ErrorKind::Constraint | ErrorKind::Protocol => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let hints = error.hints().iter().map(ToString::to_string).collect();
        Self { status, message: error.to_string(), hints }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let error: Value = json!({ "message": self.message, "hints": self.hints });
        (self.status, Json(json!({ "error": error }))).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_complained_of_is_told_with_its_hints() {
        let text = "error: unknown workload or run \"tproc\"\n\n  hint: did you mean tprocc?\n  hint: tacho list\n";
        let refused = Refused::complaint(text);
        assert_eq!(refused.message(), "unknown workload or run \"tproc\"");
        assert_eq!(refused.hints(), ["did you mean tprocc?", "tacho list"]);
    }
}
