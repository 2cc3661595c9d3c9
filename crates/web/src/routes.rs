//! The routes of the web server. They lead to web pages and to the REST interface (`/api/v1`).
//!
//! Start reading at [`routes`].

use std::sync::Arc;
use std::time::Duration;

use aide::axum::ApiRouter;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};

use crate::answer::Refused;
use crate::guard::{Guard, admit};
use crate::openapi::{described, description, get_of, post_of};
use crate::page::refusal;
use crate::pages::{FILLED, filled};
use crate::site::Shared;
use crate::{api, assets, metrics, pages};

/// Maximum size of a request body in bytes. A plan needs a few hundred.
const BODY_MAX: usize = 64 * 1024;
/// Maximum time for a response other than an event stream. The report on a run of a whole day takes
/// several seconds.
const ANSWER_WITHIN: Duration = Duration::from_mins(2);

/// Returns all routes of the server. `more` contains additional routes from another front end.
pub(crate) fn routes(site: Shared, more: Router) -> Router {
    let guard = Arc::clone(&site.guard);
    let pages = Router::new()
        .route("/runs/{run}", get(pages::run))
        .route("/runs/{run}/{file}", get(api::file))
        .route("/compare", get(pages::compare))
        .route("/trends", get(pages::trends))
        .route("/sweeps/{sweep}", get(pages::sweep))
        .route("/workloads", get(pages::workloads))
        .route("/workloads/{workload}", get(pages::workload))
        .route("/help", get(pages::help))
        .route("/assets/{name}", get(assets::asset))
        .route("/metrics", get(metrics::metrics));
    let pages = FILLED.into_iter().fold(pages, |pages, page| {
        pages.route(page.0, get(move |Extension(role)| async move { filled(page, role) }))
    });
    let all = Router::new().merge(pages).merge(described(api())).with_state(site).merge(more);
    guarded(all.fallback(not_there), guard)
}

/// Returns the REST interface's routes with summaries. The handlers determine the request and response types.
pub(crate) fn api() -> ApiRouter<Shared> {
    ApiRouter::new()
        .api_route("/openapi.json", get_of(description, "This description"))
        .api_route(
            "/runs",
            get_of(api::runs, "All saved runs, newest first")
                .merge(post_of(api::start_run, "Start a run")),
        )
        .api_route("/runs/{run}", get_of(api::run, "The record of a run"))
        .api_route("/runs/{run}/intervals", get_of(api::intervals, "The intervals of a run"))
        .api_route("/runs/{run}/tags", post_of(api::tags, "Add tags to a run, or remove them"))
        .api_route("/runs/{run}/note", post_of(api::note, "Set the note of a run"))
        .api_route("/sweeps", get_of(api::sweeps, "All saved sweeps, newest first"))
        .api_route(
            "/compare",
            get_of(
                api::compare,
                "A report on runs or sweeps, compared with a baseline if one is \
                                  given",
            ),
        )
        .api_route("/trend", get_of(api::trend, "A metric over the saved runs"))
        .api_route("/targets", get_of(api::targets, "Targets in tacho.toml, and private servers"))
        .api_route("/workloads", get_of(api::workloads, "All workloads"))
        .api_route("/workloads/{workload}", get_of(api::workload, "A workload with its parameters"))
        .api_route("/drivers", get_of(api::drivers, "All drivers"))
        .api_route("/settings", get_of(api::settings, "Every setting with its default"))
        .api_route(
            "/plan",
            post_of(api::plan, "Preview of a request: its command, and its plan with all settings"),
        )
        .api_route(
            "/activity",
            get_of(api::activity, "The running command, or the last one that ran")
                .merge(post_of(api::start, "Start a command")),
        )
        .api_route("/activity/stop", post_of(api::stop, "Stop the running command, as Ctrl-C does"))
        .api_route("/activity/charts", get_of(api::charts, "The charts of the measurement so far"))
        .api_route(
            "/activity/events",
            get_of(
                api::events,
                "Server-sent events of the running command; send Last-Event-ID to resume",
            ),
        )
}

/// Adds access control and limits to routes.
pub(crate) fn guarded(router: Router, guard: Arc<Guard>) -> Router {
    router
        .layer(from_fn(in_time))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(from_fn_with_state(guard, admit))
}

async fn not_there(request: Request) -> Response {
    let refused = Refused::new(StatusCode::NOT_FOUND, "the page does not exist");
    if request.uri().path().starts_with("/api/") {
        refused.hint("for a list of routes, see /api/v1/openapi.json").into_response()
    } else {
        refusal(&refused)
    }
}

/// Limits the duration of a request. Otherwise, a client that never sends the rest of its request would keep the
/// connection open forever.
async fn in_time(request: Request, next: Next) -> Response {
    tokio::time::timeout(ANSWER_WITHIN, next.run(request)).await.unwrap_or_else(|_| {
        Refused::new(StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response()
    })
}
