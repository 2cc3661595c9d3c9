//! The description of the REST interface, made from the types that it speaks.
//!
//! Start reading at [`ROUTES`].

use axum::Json;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use tacho_report::RunRow;
use tacho_store::IntervalRecord;
use tacho_store::record::Record;

use crate::api::{Note, RunBody, Subjects, Tags};
use crate::request::Body;

/// One operation.
struct Route {
    path: &'static str,
    method: &'static str,
    about: &'static str,
    /// What is sent, or the names of the query.
    body: Option<fn(&mut SchemaGenerator) -> Value>,
    query: Option<fn(&mut SchemaGenerator) -> Value>,
    answer: fn(&mut SchemaGenerator) -> Value,
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn object(_: &mut SchemaGenerator) -> Value {
    json!({ "type": "object" })
}

fn list(_: &mut SchemaGenerator) -> Value {
    json!({ "type": "array", "items": { "type": "object" } })
}

const fn get(
    path: &'static str,
    about: &'static str,
    answer: fn(&mut SchemaGenerator) -> Value,
) -> Route {
    Route { path, method: "get", about, body: None, query: None, answer }
}

const fn post(
    path: &'static str,
    about: &'static str,
    body: Option<fn(&mut SchemaGenerator) -> Value>,
) -> Route {
    Route { path, method: "post", about, body, query: None, answer: object }
}

/// All of them; a test asks each one.
const ROUTES: [Route; 21] = [
    get("/runs", "All saved runs, newest first", of::<Vec<RunRow>>),
    post("/runs", "Start a run", Some(of::<RunBody>)),
    get("/runs/{run}", "The record of a run", of::<Record>),
    get("/runs/{run}/intervals", "The intervals of a run", of::<Vec<IntervalRecord>>),
    post("/runs/{run}/tags", "Add labels to a run, or remove them", Some(of::<Tags>)),
    post("/runs/{run}/note", "Set the note of a run", Some(of::<Note>)),
    get("/sweeps", "All saved sweeps, newest first", list),
    Route {
        query: Some(of::<Subjects>),
        ..get("/compare", "A report of runs or sweeps, against a baseline if one is named", object)
    },
    Route { query: Some(of::<Subjects>), ..get("/trend", "A metric over the saved runs", object) },
    get("/targets", "Targets of tacho.toml and private servers", list),
    get("/workloads", "All workloads", list),
    get("/workloads/{workload}", "A workload with its parameters", object),
    get("/drivers", "All drivers", list),
    get("/settings", "Every setting with its default", list),
    post(
        "/plan",
        "What a request would do: its command, and its plan with all settings",
        Some(of::<Body>),
    ),
    get("/activity", "The command that is running or ran last", object),
    post("/activity", "Start a command", Some(of::<Body>)),
    post("/activity/stop", "Stop the running command, as Ctrl-C does", None),
    get("/activity/charts", "The charts of the measurement so far", object),
    get(
        "/activity/events",
        "Server-sent events of the running command; Last-Event-ID resumes",
        object,
    ),
    get("/openapi.json", "This description", object),
];

/// The description.
pub(crate) async fn document() -> Json<Value> {
    Json(description())
}

fn description() -> Value {
    let settings = SchemaSettings::openapi3();
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in &ROUTES {
        let path = paths.entry(format!("/api/v1{}", route.path)).or_insert_with(|| json!({}));
        path[route.method] = operation(route, &mut generator);
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Tacho",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs, comparisons and the running measurement. Figures are derived from TPC \
                            benchmarks and not comparable to published TPC results.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": generator.take_definitions(true),
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let kind =
        if route.path.ends_with("/events") { "text/event-stream" } else { "application/json" };
    let answer = (route.answer)(generator);
    let mut own = json!({
        "summary": route.about,
        "parameters": parameters(route, generator),
        "responses": {
            "200": { "description": "done", "content": { kind: { "schema": answer } } },
            "4XX": { "description": "refused: error.message says why, error.hints what to do" },
        },
    });
    if let Some(body) = route.body {
        let schema = body(generator);
        own["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    }
    own
}

fn parameters(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let within = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut all: Vec<Value> = within
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    if route.query.is_some() {
        let schema = generator.root_schema_for::<Subjects>().to_value();
        let names = schema["properties"].as_object().cloned().unwrap_or_default();
        all.extend(names.into_iter().map(
            |(name, own)| json!({ "name": name, "in": "query", "required": false, "schema": own }),
        ));
    }
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let document = description();
        let text = document.to_string();
        for part in text.split("\"$ref\":\"").skip(1) {
            let reference = part.split('"').next().unwrap_or_default();
            let pointer = reference.strip_prefix('#').expect("a reference within");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        assert!(document.pointer("/components/schemas/RunRow/properties/verdict").is_some());
        assert_eq!(document["paths"].as_object().map(Map::len), Some(19));
    }
}
