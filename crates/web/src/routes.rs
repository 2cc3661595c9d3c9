//! What is answered: pages for people, and the REST interface below `/api/v1`.
//!
//! Start reading at [`routes`].

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::answer::Refused;
use crate::guard::{Guard, admit};
use crate::page::refusal;
use crate::site::Shared;
use crate::{api, assets, metrics, openapi, pages};

/// Bytes of the body of a request: a plan is a few hundred.
const BODY_MAX: usize = 64 * 1024;
/// How long an answer may take; a report of a day of intervals takes seconds. Events continue as long as they are
/// listened to.
const ANSWER_WITHIN: Duration = Duration::from_mins(2);
/// All routes; `more` are those of another front end.
pub(crate) fn routes(site: Shared, more: Router) -> Router {
    let guard = Arc::clone(&site.guard);
    let pages = Router::new()
        .route("/", get(pages::runs))
        .route("/new", get(pages::new))
        .route("/live", get(pages::live))
        .route("/runs/{run}", get(pages::run))
        .route("/runs/{run}/{file}", get(api::file))
        .route("/compare", get(pages::compare))
        .route("/trends", get(pages::trends))
        .route("/sweeps", get(pages::sweeps))
        .route("/sweeps/{sweep}", get(pages::sweep))
        .route("/targets", get(pages::targets))
        .route("/workloads", get(pages::workloads))
        .route("/workloads/{workload}", get(pages::workload))
        .route("/help", get(pages::help))
        .route("/assets/{name}", get(assets::asset))
        .route("/metrics", get(metrics::metrics));
    let api = Router::new()
        .route("/openapi.json", get(openapi::document))
        .route("/runs", get(api::runs).post(api::start_run))
        .route("/runs/{run}", get(api::run))
        .route("/runs/{run}/intervals", get(api::intervals))
        .route("/runs/{run}/tags", post(api::tags))
        .route("/runs/{run}/note", post(api::note))
        .route("/sweeps", get(api::sweeps))
        .route("/compare", get(api::compare))
        .route("/trend", get(api::trend))
        .route("/targets", get(api::targets))
        .route("/workloads", get(api::workloads))
        .route("/workloads/{workload}", get(api::workload))
        .route("/drivers", get(api::drivers))
        .route("/settings", get(api::settings))
        .route("/plan", post(api::plan))
        .route("/activity", get(api::activity).post(api::start))
        .route("/activity/stop", post(api::stop))
        .route("/activity/charts", get(api::charts))
        .route("/activity/events", get(api::events));
    let all = Router::new().merge(pages).nest("/api/v1", api).with_state(site).merge(more);
    guarded(all.fallback(not_there), guard)
}

/// Routes behind a guard, with limits.
pub(crate) fn guarded(router: Router, guard: Arc<Guard>) -> Router {
    router
        .layer(from_fn(in_time))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(from_fn_with_state(guard, admit))
}

async fn not_there(request: Request) -> Response {
    let refused = Refused::new(StatusCode::NOT_FOUND, "there is no such page");
    if request.uri().path().starts_with("/api/") {
        refused.hint("/api/v1/openapi.json lists what there is").into_response()
    } else {
        refusal(&refused)
    }
}

/// A body that does not come, or an answer that does not get ready, holds nothing for ever.
async fn in_time(request: Request, next: Next) -> Response {
    tokio::time::timeout(ANSWER_WITHIN, next.run(request)).await.unwrap_or_else(|_| {
        Refused::new(StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response()
    })
}
