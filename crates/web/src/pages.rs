//! The pages: a frame with the way to the others, around what the report says or a script fills in.
//!
//! Reports are those of `tacho report`; every page names the command that says the same. Start reading at
//! [`Page`].

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use minijinja::value::{Serde, Value as Safe};
use minijinja::{AutoEscape, Environment, context};
use tacho_app::ReportRequest;
use tacho_core::shell_word;
use tacho_report::{Text, TextOptions};

use crate::access::Role;
use crate::answer::{Answer, Refused};
use crate::api::{self, Subjects};
use crate::routes::Shared;

const FRAME: &str = include_str!("../assets/frame.html");
const PARTS: [(&str, &str); 10] = [
    ("runs", include_str!("../assets/runs.html")),
    ("new", include_str!("../assets/new.html")),
    ("live", include_str!("../assets/live.html")),
    ("run", include_str!("../assets/run.html")),
    ("compare", include_str!("../assets/compare.html")),
    ("trends", include_str!("../assets/trends.html")),
    ("sweeps", include_str!("../assets/sweeps.html")),
    ("targets", include_str!("../assets/targets.html")),
    ("text", include_str!("../assets/text.html")),
    ("help", include_str!("../assets/help.html")),
];
/// Columns of texts of the command line on a page.
const COLUMNS: usize = 110;

/// The pages that every page leads to: path, name, key.
const WAYS: [(&str, &str); 9] = [
    ("/", "Runs"),
    ("/new", "New run"),
    ("/live", "Live"),
    ("/compare", "Compare"),
    ("/trends", "Trends"),
    ("/sweeps", "Sweeps"),
    ("/targets", "Targets"),
    ("/workloads", "Workloads"),
    ("/help", "Help"),
];

/// One page.
#[derive(Default)]
struct Page {
    /// Path of the way that it belongs to.
    here: &'static str,
    title: String,
    /// The command that says the same; empty for none.
    command: String,
    /// Name of its template.
    part: &'static str,
    /// HTML of a report.
    report: String,
    /// Text of the command line.
    text: String,
    /// What its form was filled in with.
    filled: serde_json::Value,
    /// Whether charts are drawn.
    charts: bool,
    /// Its own script.
    script: &'static str,
}

impl Page {
    fn new(here: &'static str, title: &str, part: &'static str) -> Self {
        Self { here, title: title.to_owned(), part, ..Self::default() }
    }

    fn answer(self, role: Role) -> Response {
        let made = || {
            let mut environment = Environment::new();
            environment.set_auto_escape_callback(|_| AutoEscape::Html);
            environment.add_filter("segment", segment);
            environment.add_template("frame", FRAME)?;
            for (name, text) in PARTS {
                environment.add_template(name, text)?;
            }
            environment.get_template("frame")?.render(context! {
                here => self.here,
                title => self.title,
                command => self.command,
                part => self.part,
                report => Safe::from_safe_string(self.report),
                text => self.text,
                filled => Safe::from(Serde(&self.filled)),
                charts => self.charts,
                script => self.script,
                ways => WAYS,
                may_control => role == Role::Control,
                version => env!("CARGO_PKG_VERSION"),
            })
        };
        let made: Result<String, minijinja::Error> = made();
        match made {
            Ok(html) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response(),
            Err(error) => Refused::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("the page cannot be made: {error:#}"),
            )
            .hint("this is a bug of Tacho: please report it")
            .into_response(),
        }
    }
}

/// A text as one part of a path.
fn segment(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one =
        |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

/// A page that says why there is no other.
pub(crate) fn refusal(refused: &Refused) -> Response {
    let text = std::iter::once(refused.message().to_owned())
        .chain(refused.hints().iter().map(|hint| format!("hint: {hint}")))
        .collect::<Vec<_>>()
        .join("\n\n");
    let page = Page {
        text,
        ..Page::new("", refused.status().canonical_reason().unwrap_or("Refused"), "text")
    };
    let mut response = page.answer(Role::Look);
    *response.status_mut() = refused.status();
    response
}

fn shown(answer: Answer) -> Response {
    answer.unwrap_or_else(|refused| refusal(&refused))
}

pub(crate) async fn runs(Extension(role): Extension<Role>) -> Response {
    let page =
        Page { command: "tacho runs".into(), script: "runs.js", ..Page::new("/", "Runs", "runs") };
    page.answer(role)
}

pub(crate) async fn new(Extension(role): Extension<Role>) -> Response {
    Page { script: "new.js", ..Page::new("/new", "New run", "new") }.answer(role)
}

pub(crate) async fn live(Extension(role): Extension<Role>) -> Response {
    let page = Page {
        command: "tacho watch".into(),
        charts: true,
        script: "live.js",
        ..Page::new("/live", "Live", "live")
    };
    page.answer(role)
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

/// A page with a report in it.
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
    let request = asked.request();
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
    Refused::new(StatusCode::BAD_REQUEST, "the address has an unknown or odd parameter")
        .hint("the form of this page makes a right one")
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
            .filter(|own| !own.is_empty())
            .map(|own| format!("--metric {}", shell_word(own))),
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

pub(crate) async fn sweeps(Extension(role): Extension<Role>) -> Response {
    let page = Page {
        command: "tacho runs --sweeps".into(),
        script: "runs.js",
        ..Page::new("/sweeps", "Sweeps", "sweeps")
    };
    page.answer(role)
}

pub(crate) async fn targets(Extension(role): Extension<Role>) -> Response {
    let page = Page {
        command: "tacho list targets".into(),
        script: "targets.js",
        ..Page::new("/targets", "Targets", "targets")
    };
    page.answer(role)
}

pub(crate) async fn workloads(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
) -> Response {
    let page = Page::new("/workloads", "Workloads", "text");
    shown(spoken(&site, role, page, &["list", "workloads"]).await)
}

pub(crate) async fn workload(
    State(site): State<Shared>,
    Extension(role): Extension<Role>,
    Path(name): Path<String>,
) -> Response {
    let id = match tacho_registry::workload(&name) {
        Ok(known) => known.manifest().id,
        Err(error) => return refusal(&error.into()),
    };
    let page = Page::new("/workloads", id, "text");
    shown(spoken(&site, role, page, &["describe", id]).await)
}

/// A page with what a command prints.
async fn spoken(site: &Shared, role: Role, page: Page, words: &[&'static str]) -> Answer {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let command = format!("tacho {}", words.join(" "));
    let output = site.work(move |site| Ok(api::program(site)?.words(&words)?)).await?;
    if output.exit_code != 0 {
        return Err(Refused::complaint(&output.complaints));
    }
    let filled = serde_json::json!({ "workloads": page.title == "Workloads" });
    Ok(Page { text: output.answer, command, filled, ..page }.answer(role))
}

pub(crate) async fn help(Extension(role): Extension<Role>) -> Response {
    let filled = serde_json::json!({ "terms": tacho_report::TERMS });
    let page =
        Page { filled, command: "tacho --help".into(), ..Page::new("/help", "Help", "help") };
    page.answer(role)
}
