//! The description of the REST interface, generated from its router and its handlers' types.
//!
//! Start reading at [`described`].

use std::sync::Arc;

use aide::axum::routing::{ApiMethodRouter, get_with, post_with};
use aide::axum::{ApiRouter, AxumOperationHandler};
use aide::openapi::{Info, OpenApi, SecurityScheme};
use aide::{OperationInput, OperationOutput};
use axum::{Extension, Router};
use serde_json::Value;

use crate::answer::JsonText;
use crate::site::Shared;

const ABOUT: &str = "Runs, comparisons and the running measurement. Results are derived from TPC \
                     benchmarks and are not comparable to published TPC results.";

/// The description as text.
type Description = Arc<str>;

/// Creates a `GET` route.
pub(crate) fn get_of<H, I, O, T>(handler: H, about: &'static str) -> ApiMethodRouter<Shared>
where
    H: AxumOperationHandler<I, O, T, Shared>,
    I: OperationInput,
    O: OperationOutput,
    T: 'static,
{
    get_with(handler, |operation| operation.summary(about))
}

/// Creates a `POST` route.
pub(crate) fn post_of<H, I, O, T>(handler: H, about: &'static str) -> ApiMethodRouter<Shared>
where
    H: AxumOperationHandler<I, O, T, Shared>,
    I: OperationInput,
    O: OperationOutput,
    T: 'static,
{
    post_with(handler, |operation| operation.summary(about))
}

/// Returns the routes below `/api/v1`, together with their description.
pub(crate) fn described(routes: ApiRouter<Shared>) -> Router<Shared> {
    let (routes, description) = with_description(routes);
    routes.layer(Extension(Description::from(description)))
}

#[expect(clippy::default_trait_access, reason = "aide does not re-export the extension type")]
fn with_description(routes: ApiRouter<Shared>) -> (Router<Shared>, String) {
    let info = Info {
        title: "Tacho".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        description: Some(ABOUT.into()),
        ..Info::default()
    };
    let token = SecurityScheme::Http {
        scheme: "bearer".into(),
        bearer_format: None,
        description: None,
        extensions: Default::default(),
    };
    let mut api = OpenApi { info, ..OpenApi::default() };
    let routes = ApiRouter::new().nest("/api/v1", routes).finish_api_with(&mut api, |api| {
        api.security_scheme("token", token).security_requirement("token")
    });
    // Serialization cannot fail, because the description contains only strings and lists.
    (routes, serde_json::to_string(&api).unwrap_or_default())
}

/// Returns the description.
pub(crate) async fn description(Extension(text): Extension<Description>) -> JsonText<Value> {
    text.to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_its_types_and_every_reference_leads_somewhere() {
        let (_, text) = with_description(crate::routes::api());
        let document: Value = serde_json::from_str(&text).expect("JSON");
        for part in text.split("\"$ref\":\"").skip(1) {
            let reference = part.split('"').next().unwrap_or_default();
            let pointer = reference.strip_prefix('#').expect("a reference within");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        let schema = |name: &str| document.pointer(&format!("/components/schemas/{name}"));
        assert!(schema("RunRow").is_some_and(|schema| schema["properties"]["verdict"].is_object()));
        assert!(schema("SettingView").is_some() && schema("Refusal").is_some());
        let paths = document["paths"].as_object().expect("paths");
        assert_eq!(paths.len(), 19);
        for (path, methods) in paths {
            for (method, operation) in methods.as_object().expect("methods") {
                assert!(operation["summary"].is_string(), "{method} {path}");
                let responses = operation["responses"].as_object().expect("responses");
                assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
                assert_eq!(
                    operation["requestBody"].is_object(),
                    takes_body(method, path),
                    "{method} {path}"
                );
                let named = path.matches('{').count();
                let parameters = operation["parameters"].as_array().map_or(0, Vec::len);
                assert!(parameters >= named, "{method} {path}: {parameters}");
            }
        }
    }

    fn takes_body(method: &str, path: &str) -> bool {
        method == "post" && path != "/api/v1/activity/stop"
    }
}
