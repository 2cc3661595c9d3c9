//! The web view's pages. A saved run's page has the same content as `tacho report`.
//!
//! Start reading at [`reported`].

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use tacho_app::ReportRequest;
use tacho_core::shell_word;
use tacho_report::{Text, TextOptions};

use crate::access::Role;
use crate::answer::{Answer, Refused};
use crate::api::{self, Subjects};
use crate::page::{Page, refusal};
use crate::site::Shared;

/// Width of command line output on a page, in columns.
const COLUMNS: usize = 110;

fn shown(answer: Answer) -> Response {
    answer.unwrap_or_else(|refused| refusal(&refused))
}

/// A page whose content is created by a script. The texts are the page's path, title, template and
/// script, and the command that prints the same information.
type Filled = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The pages that scripts fill in.
pub(crate) const FILLED: [Filled; 5] = [
    ("/", "Runs", "runs", "runs.js", "tacho runs"),
    ("/new", "New run", "new", "new.js", ""),
    ("/live", "Live", "live", "live.js", "tacho watch"),
    ("/sweeps", "Sweeps", "sweeps", "runs.js", "tacho runs --sweeps"),
    ("/targets", "Targets", "targets", "targets.js", "tacho list targets"),
];

pub(crate) fn filled((path, title, part, script, command): Filled, role: Role) -> Response {
    let (command, charts) = (command.to_owned(), part == "live");
    Page { command, charts, script, ..Page::new(path, title, part) }.answer(role)
}

pub(crate) async fn run(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
    Path(run): Path<String>,
) -> Response {
    let request = ReportRequest { what: vec![run.clone()], ..ReportRequest::default() };
    let filled = serde_json::json!({ "run": run });
    let page = Page { script: "run.js", filled, ..Page::new("/", "", "run") };
    let command = format!("tacho report {} -o report.html", shell_word(&run));
    shown(reported(&site, role, request, Page { command, ..page }).await)
}

pub(crate) async fn sweep(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
    Path(sweep): Path<String>,
) -> Response {
    let request = ReportRequest { what: vec![sweep.clone()], ..ReportRequest::default() };
    let command = format!("tacho sweep --show {}", shell_word(&sweep));
    shown(reported(&site, role, request, Page { command, ..Page::new("/sweeps", "", "run") }).await)
}

/// Returns a page that contains a report.
async fn reported(site: &Shared, role: Role, request: ReportRequest, page: Page) -> Answer {
    let body = site
        .work(move |site| Ok(tacho_report::body(&tacho_app::report(&site.context, &request)?)?))
        .await?;
    Ok(Page { title: body.title, report: body.html, charts: true, ..page }.answer(role))
}

pub(crate) async fn compare(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
    query: Result<Query<Subjects>, QueryRejection>,
) -> Response {
    let Ok(Query(asked)) = query else { return refusal(&odd_query()) };
    let mut request = asked.request();
    // `tacho compare` uses the same default.
    if request.what.is_empty() && request.baseline.is_some() {
        request.what.push("latest".to_owned());
    }
    let filled =
        serde_json::json!({ "runs": asked.runs, "baseline": asked.baseline, "force": asked.force });
    let page = Page { filled, ..Page::new("/compare", "Compare", "compare") };
    if request.what.is_empty() {
        return page.answer(role);
    }
    let others = request.what.iter().map(|run| shell_word(run)).collect::<Vec<_>>().join(" ");
    let command = match &request.baseline {
        Some(baseline) => format!("tacho compare {} {others}", shell_word(baseline)),
        None => format!("tacho report {others} -o report.html"),
    };
    let force = if asked.force { " --force" } else { "" };
    let page = Page { command: format!("{command}{force}"), ..page };
    let refused = |refused: Refused, page: Page| {
        let status = refused.status();
        let text = format!("{}\n\n{}", refused.message(), refused.hints().join("\n"));
        let mut response = Page { text, ..page }.answer(role);
        *response.status_mut() = status;
        response
    };
    let again = Page {
        filled: page.filled.clone(),
        command: page.command.clone(),
        ..Page::new("/compare", "Compare", "compare")
    };
    reported(&site, role, request, page).await.unwrap_or_else(|why| refused(why, again))
}

fn odd_query() -> Refused {
    Refused::new(StatusCode::BAD_REQUEST, "the address contains an unknown or invalid parameter")
        .hint("use the form on this page to create a valid address")
}

pub(crate) async fn trends(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
    query: Result<Query<Subjects>, QueryRejection>,
) -> Response {
    let Ok(Query(asked)) = query else { return refusal(&odd_query()) };
    let filled = serde_json::json!({ "runs": asked.runs, "metric": asked.metric });
    let mut words = vec!["tacho trend".to_owned()];
    words.extend(Some(&asked.runs).filter(|runs| !runs.is_empty()).map(|runs| shell_word(runs)));
    words.extend(
        Some(&asked.metric)
            .filter(|metric| !metric.is_empty())
            .map(|metric| format!("--metric {}", shell_word(metric))),
    );
    let page =
        Page { filled, command: words.join(" "), ..Page::new("/trends", "Trends", "trends") };
    let options = TextOptions { width: COLUMNS, color: false };
    let made = site
        .work(move |site| {
            let trend = api::trend_of(site, &asked)?;
            let what = trend.runs.iter().map(|run| run.id.clone()).collect();
            let request = ReportRequest { what, ..ReportRequest::default() };
            let report = tacho_app::report(&site.context, &request)?;
            Ok((trend.text(&options), tacho_report::body(&report)?.html))
        })
        .await;
    match made {
        Ok((text, report)) => Page { text, report, charts: true, ..page }.answer(role),
        Err(refused) => {
            let text = format!("{}\n\n{}", refused.message(), refused.hints().join("\n"));
            Page { text, ..page }.answer(role)
        }
    }
}

pub(crate) async fn workloads(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
) -> Response {
    let all = tacho_registry::workloads();
    let names: Vec<&str> = all.iter().map(|workload| workload.manifest().id).collect();
    let filled = serde_json::json!({ "workloads": names });
    let page = Page { filled, ..Page::new("/workloads", "Workloads", "text") };
    shown(spoken(&site, role, page, &["list", "workloads"]).await)
}

pub(crate) async fn workload(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
    Path(name): Path<String>,
) -> Response {
    let id = match api::built_in(&name) {
        Ok(workload) => workload.manifest().id,
        Err(refused) => return refusal(&refused),
    };
    let page = Page::new("/workloads", id, "text");
    shown(spoken(&site, role, page, &["describe", id]).await)
}

/// Returns a page with the output of a command.
async fn spoken(site: &Shared, role: Role, page: Page, words: &[&'static str]) -> Answer {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let command = format!("tacho {}", words.join(" "));
    let output = site.work(move |site| Ok(api::program(site)?.words(&words)?)).await?;
    if output.exit_code != 0 {
        return Err(Refused::complaint(&output.complaints));
    }
    Ok(Page { text: output.answer, command, ..page }.answer(role))
}

pub(crate) async fn help(Extension(role): Extension<Role>) -> Response {
    let filled = serde_json::json!({ "terms": tacho_report::TERMS });
    let page =
        Page { filled, command: "tacho --help".into(), ..Page::new("/help", "Help", "help") };
    page.answer(role)
}
