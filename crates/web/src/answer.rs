//! Responses and errors, as JSON for programs. Every error has a message, and hints if possible.
//!
//! Start reading at [`Refused`].

use std::marker::PhantomData;

use aide::generate::GenContext;
use aide::openapi::{self, Operation};
use aide::{OperationInput, OperationOutput};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tacho_core::{Error, ErrorKind};

/// A request that was rejected or has failed, with the reason.
#[derive(Debug)]
pub(crate) struct Refused {
    status: StatusCode,
    error: Refusal,
}

/// The error in a response.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Refusal {
    /// Description of the failure.
    message: String,
    /// Suggestions on how to continue. It is enough to follow any one of them.
    hints: Vec<String>,
    /// Key of the setting whose value is invalid, if any.
    setting: Option<&'static str>,
}

/// An error response.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RefusalAnswer {
    error: Refusal,
}

/// The result of handling a request: a response, or the reason why the request was rejected or
/// failed.
pub(crate) type Answer<T = Response> = Result<T, Refused>;

impl Refused {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, error: Refusal { message: message.into(), ..Refusal::default() } }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error.hints.push(hint.into());
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.error.message
    }

    pub(crate) fn hints(&self) -> &[String] {
        &self.error.hints
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// Creates an error from the error messages and hints that a failed command printed.
    pub(crate) fn complaint(text: &str) -> Self {
        let (mut message, mut hints) = (Vec::new(), Vec::new());
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix("hint: ") {
                Some(hint) => hints.push(hint.to_owned()),
                None => message.push(line.strip_prefix("error: ").unwrap_or(line)),
            }
        }
        let error = Refusal { message: message.join(" "), hints, setting: None };
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, error }
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
        let (message, hints) = (error.to_string(), error.hints().to_vec());
        Self { status, error: Refusal { message, hints, setting: error.setting() } }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(RefusalAnswer { error: self.error })).into_response()
    }
}

/// The possible responses of an operation by status code. The response for `None` applies to all
/// other status codes.
type Responses = Vec<(Option<openapi::StatusCode>, openapi::Response)>;

impl OperationOutput for Refused {
    type Inner = RefusalAnswer;

    fn inferred_responses(context: &mut GenContext, operation: &mut Operation) -> Responses {
        let response = Json::<RefusalAnswer>::operation_response(context, operation);
        let description = "the reason, with hints".to_owned();
        response
            .map(|response| (None, openapi::Response { description, ..response }))
            .into_iter()
            .collect()
    }
}

/// A stream of server-sent events.
pub(crate) struct Events(pub(crate) Response);

impl IntoResponse for Events {
    fn into_response(self) -> Response {
        self.0
    }
}

impl OperationOutput for Events {
    type Inner = String;

    fn inferred_responses(_: &mut GenContext, _: &mut Operation) -> Responses {
        let content = [("text/event-stream".to_owned(), openapi::MediaType::default())];
        let (description, content) = ("the events".to_owned(), content.into_iter().collect());
        let response = openapi::Response { description, content, ..Default::default() };
        vec![(Some(openapi::StatusCode::Code(StatusCode::OK.as_u16())), response)]
    }
}

/// A response with the status code `STATUS`. Its body is a `T` that is already in JSON form.
pub(crate) struct JsonText<T, const STATUS: u16 = 200>(String, PhantomData<fn() -> T>);

impl<T, const STATUS: u16> From<String> for JsonText<T, STATUS> {
    fn from(text: String) -> Self {
        Self(text, PhantomData)
    }
}

impl<T, const STATUS: u16> IntoResponse for JsonText<T, STATUS> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(STATUS).unwrap_or_default();
        (status, [(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl<T: JsonSchema, const STATUS: u16> OperationOutput for JsonText<T, STATUS> {
    type Inner = T;

    fn inferred_responses(context: &mut GenContext, operation: &mut Operation) -> Responses {
        let response = Json::<T>::operation_response(context, operation);
        response
            .map(|response| (Some(openapi::StatusCode::Code(STATUS)), response))
            .into_iter()
            .collect()
    }
}

/// The JSON body of a request. Requests with an invalid body are rejected.
pub(crate) struct Sent<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        let body = Json::from_request(request, state).await;
        body.map(|Json(body)| Self(body))
            .map_err(|rejection| Refused::new(rejection.status(), rejection.body_text()))
    }
}

impl<T: JsonSchema> OperationInput for Sent<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        Json::<T>::operation_input(context, operation);
    }
}

/// The parsed query string of a request. A request with an invalid query string is rejected.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        let query = Query::from_request_parts(parts, state).await;
        query
            .map(|Query(query)| Self(query))
            .map_err(|rejection| Refused::new(rejection.status(), rejection.body_text()))
    }
}

impl<T: JsonSchema> OperationInput for Asked<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        Query::<T>::operation_input(context, operation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_command_error_with_its_hints() {
        let text = "error: unknown workload or run \"tproc\"\n\n  hint: did you mean tprocc?\n  hint: tacho list\n";
        let refused = Refused::complaint(text);
        assert_eq!(refused.message(), "unknown workload or run \"tproc\"");
        assert_eq!(refused.hints(), ["did you mean tprocc?", "tacho list"]);
    }
}
