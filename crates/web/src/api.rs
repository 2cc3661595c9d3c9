//! The REST interface: the JSON of the command line.
//!
//! What names something is looked up among what there is; no name of a request becomes a path.
//! Start reading at [`start`] and [`events`].

use std::convert::Infallible;
use std::sync::PoisonError;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderMap};
use axum::response::sse::{Event as Sse, KeepAlive, Sse as Stream};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacho_app::{ReportRequest, Trust};
use tacho_report::{CsvTable, Format, RunRow};
use tacho_store::read_intervals;

use crate::activity::{Output, Refusal};
use crate::answer::{Answer, Refused};
use crate::hub::Hub;
use crate::request::{Body, Command, Form, Request};
use crate::site::{Shared, Site};

/// A comment that keeps a connection through proxies.
const BEAT: Duration = Duration::from_secs(15);

fn json_text(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// A body that is no JSON, or not of the form that is asked for.
fn unreadable(rejection: &JsonRejection) -> Refused {
    Refused::new(rejection.status(), rejection.body_text())
}

/// All saved runs, newest first.
pub(crate) async fn runs(State(site): State<Shared>) -> Answer<Json<Vec<RunRow>>> {
    site.work(|site| {
        let mut runs = site.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.look(&site.context.store()).map(Json)
    })
    .await
}

/// The record of a run: an id, the begin of one, `latest` or a tag.
pub(crate) async fn run(State(site): State<Shared>, Path(run): Path<String>) -> Answer {
    let found =
        move |site: &Site| Ok(tacho_report::json(&site.context.store().find(&run)?.record)?);
    site.work(found).await.map(json_text)
}

/// The intervals of a run.
pub(crate) async fn intervals(State(site): State<Shared>, Path(run): Path<String>) -> Answer {
    site.work(move |site| {
        let run = site.context.store().find(&run)?;
        Ok(tacho_report::json(&read_intervals(&run.path)?)?)
    })
    .await
    .map(json_text)
}

/// A run as a file: `report.html`, `report.md`, `report.json`, `intervals.csv`, `junit.xml`.
pub(crate) async fn file(
    State(site): State<Shared>,
    Path((run, file)): Path<(String, String)>,
) -> Answer {
    let (format, kind) = match file.as_str() {
        "report.html" => (Format::Html, "text/html; charset=utf-8"),
        "report.md" => (Format::Markdown, "text/markdown; charset=utf-8"),
        "report.json" => (Format::Json, "application/json"),
        "intervals.csv" => (Format::Csv(CsvTable::Intervals), "text/csv; charset=utf-8"),
        "junit.xml" => (Format::Junit, "application/xml"),
        _ => return Err(Refused::new(StatusCode::NOT_FOUND, "there is no such file of a run")),
    };
    let intervals = matches!(format, Format::Csv(_));
    let text = site
        .work(move |site| {
            let request = ReportRequest { what: vec![run], intervals, ..ReportRequest::default() };
            Ok(tacho_report::render(&tacho_app::report(&site.context, &request)?, format)?)
        })
        .await?;
    let name = format!("attachment; filename=\"{file}\"");
    Ok(([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, name)], text).into_response())
}

/// Labels to add and to remove.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tags {
    #[serde(default)]
    add: Vec<String>,
    #[serde(default)]
    remove: Vec<String>,
}

/// Changes the labels of a run.
pub(crate) async fn tags(
    State(site): State<Shared>,
    Path(run): Path<String>,
    body: Result<Json<Tags>, JsonRejection>,
) -> Answer<Json<Value>> {
    let Json(body) = body.map_err(|rejection| unreadable(&rejection))?;
    site.work(move |site| {
        let store = site.context.store();
        // The id, since the tag that names the run may be the one that is removed.
        let mut found = store.find(&run)?;
        let id = found.record.id.clone();
        for tag in &body.remove {
            found = store.remove_tag(&id, tag)?;
        }
        for tag in &body.add {
            found = store.add_tag(&id, tag)?;
        }
        Ok(Json(json!({ "id": id, "tags": found.record.tags })))
    })
    .await
}

/// The note of a run; an empty one removes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    note: String,
}

/// Sets the note of a run.
pub(crate) async fn note(
    State(site): State<Shared>,
    Path(run): Path<String>,
    body: Result<Json<Note>, JsonRejection>,
) -> Answer<Json<Value>> {
    let Json(body) = body.map_err(|rejection| unreadable(&rejection))?;
    site.work(move |site| {
        let note = Some(body.note.as_str()).filter(|note| !note.is_empty());
        let run = site.context.store().set_note(&run, note)?;
        Ok(Json(json!({ "id": run.record.id, "note": run.record.note })))
    })
    .await
}

/// All saved sweeps, newest first.
pub(crate) async fn sweeps(State(site): State<Shared>) -> Answer {
    site.work(|site| {
        let store = site.context.store();
        Ok(tacho_report::sweeps_json(&store.sweeps().list()?, &store.list()?)?)
    })
    .await
    .map(json_text)
}

/// What is compared or reported together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subjects {
    /// Runs or sweeps with commas between them.
    #[serde(default)]
    pub(crate) runs: String,
    /// What they are held against.
    #[serde(default)]
    pub(crate) baseline: String,
    /// Whether to compare what should not be compared.
    #[serde(default)]
    pub(crate) force: bool,
    /// Of a trend: the metric.
    #[serde(default)]
    pub(crate) metric: String,
}

impl Subjects {
    pub(crate) fn request(&self) -> ReportRequest {
        let named = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        ReportRequest {
            what: self.runs.split(',').filter_map(named).collect(),
            baseline: named(&self.baseline),
            force: self.force,
            ..ReportRequest::default()
        }
    }
}

/// Runs or sweeps against a baseline: the report as JSON.
pub(crate) async fn compare(
    State(site): State<Shared>,
    query: Result<Query<Subjects>, QueryRejection>,
) -> Answer {
    let Query(subjects) =
        query.map_err(|rejection| Refused::new(rejection.status(), rejection.body_text()))?;
    site.work(move |site| {
        let report = tacho_app::report(&site.context, &subjects.request())?;
        Ok(tacho_report::render(&report, Format::Json)?)
    })
    .await
    .map(json_text)
}

/// A metric over the saved runs.
pub(crate) async fn trend(
    State(site): State<Shared>,
    query: Result<Query<Subjects>, QueryRejection>,
) -> Answer {
    let Query(asked) =
        query.map_err(|rejection| Refused::new(rejection.status(), rejection.body_text()))?;
    site.work(move |site| Ok(tacho_report::json(&trend_of(site, &asked)?)?)).await.map(json_text)
}

pub(crate) fn trend_of(site: &Site, asked: &Subjects) -> tacho_core::Result<tacho_analysis::Trend> {
    let named = |text: &'_ str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (runs, metric) = (named(&asked.runs), named(&asked.metric));
    // What a request names is not looked for on the disk.
    if let Some(word) = runs.as_deref().filter(|word| tacho_registry::is_workload_folder(word)) {
        return Err(tacho_core::Error::usage(format!("no run or workload is named \"{word}\""))
            .hint("name a run, a tag or a built-in workload"));
    }
    tacho_app::trend(&site.context.store(), runs.as_deref(), metric.as_deref())
}

/// Targets of `tacho.toml` and private servers.
pub(crate) async fn targets(State(site): State<Shared>) -> Answer {
    listed(&site, &["list", "targets"]).await
}

/// All workloads.
pub(crate) async fn workloads(State(site): State<Shared>) -> Answer {
    listed(&site, &["list", "workloads"]).await
}

/// All drivers.
pub(crate) async fn drivers(State(site): State<Shared>) -> Answer {
    listed(&site, &["list", "drivers"]).await
}

/// A workload with its parameters and profiles.
pub(crate) async fn workload(State(site): State<Shared>, Path(name): Path<String>) -> Answer {
    listed(&site, &["describe", built_in(&name)?]).await
}

/// A workload of the program by its name. What a request names is not looked for on the disk.
pub(crate) fn built_in(name: &str) -> Answer<&'static str> {
    let all = tacho_registry::workloads();
    let known = all.iter().map(|workload| workload.manifest().id).find(|id| *id == name);
    known.ok_or_else(|| {
        Refused::new(StatusCode::NOT_FOUND, "there is no workload of this name")
            .hint("/workloads lists all of them")
    })
}

async fn listed(site: &Shared, words: &[&'static str]) -> Answer {
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    words.push("--output=json".into());
    let output = site.work(move |site| Ok(program(site)?.words(&words)?)).await?;
    answered(output)
}

pub(crate) fn program(site: &Site) -> Answer<&crate::activity::Program> {
    site.program.as_ref().ok_or_else(|| {
        Refused::new(
            StatusCode::CONFLICT,
            "this server belongs to one measurement and starts no other",
        )
        .hint("tacho serve starts measurements")
    })
}

/// The answer of a command, or what it complained of.
fn answered(output: Output) -> Answer {
    match output.exit_code {
        0 => Ok(json_text(output.answer)),
        _ => Err(Refused::complaint(&output.complaints)),
    }
}

/// Every setting with its values, default and help.
pub(crate) async fn settings() -> Json<Value> {
    let setting = |own: &tacho_config::Setting| {
        let allowed = match own.parameter.kind {
            tacho_core::ParameterKind::Choice(words) => Some(words),
            _ => None,
        };
        json!({
            "key": own.parameter.key,
            "group": own.group,
            "default": own.parameter.default,
            "help": own.parameter.help,
            "value": own.value_name,
            "allowed": allowed,
            "repeated": own.repeated,
            "rare": own.rare,
            "http": own.http.word(),
        })
    };
    Json(tacho_config::SETTINGS.iter().map(setting).collect())
}

/// What a request would do: the plan with all settings, as `--dry-run` prints it, and the command.
pub(crate) async fn plan(
    State(site): State<Shared>,
    body: Result<Json<Body>, JsonRejection>,
) -> Answer<Json<Value>> {
    let Json(body) = body.map_err(|rejection| unreadable(&rejection))?;
    require_allowed(&body, &site.context.trust)?;
    if matches!(body.command, Command::Check | Command::Clean | Command::Doctor) {
        let request = Request::read(body)?;
        return Ok(Json(json!({ "words": request.words(), "plan": null })));
    }
    let request = Request::read(body)?.dry();
    let words = request.words();
    let output = site.work(move |site| Ok(program(site)?.ask(&request)?)).await?;
    if output.exit_code != 0 {
        return Err(Refused::complaint(&output.complaints));
    }
    let plan = serde_json::from_str(&output.answer).unwrap_or(Value::String(output.answer));
    Ok(Json(json!({ "words": words, "plan": plan })))
}

/// What is running, or was done last.
pub(crate) async fn activity(State(site): State<Shared>) -> Json<Value> {
    Json(site.hub.state())
}

/// Starts something, unless something continues.
pub(crate) async fn start(
    State(site): State<Shared>,
    body: Result<Json<Body>, JsonRejection>,
) -> Answer {
    let Json(body) = body.map_err(|rejection| unreadable(&rejection))?;
    begin(&site, body)
}

/// What a run is started with: settings by their keys.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunBody {
    /// Settings by their keys in `tacho.toml`; `from` names a saved run whose plan is repeated.
    #[serde(default)]
    settings: Map<String, Value>,
}

/// Starts a run.
pub(crate) async fn start_run(
    State(site): State<Shared>,
    body: Result<Json<RunBody>, JsonRejection>,
) -> Answer {
    let Json(RunBody { settings }) = body.map_err(|rejection| unreadable(&rejection))?;
    begin(&site, Body { command: Command::Run, settings, output: Form::Json })
}

fn begin(site: &Site, body: Body) -> Answer {
    require_allowed(&body, &site.context.trust)?;
    let request = Request::read(body)?;
    match program(site)?.start(&request, &site.hub) {
        Ok(()) => Ok((StatusCode::ACCEPTED, Json(site.hub.state())).into_response()),
        Err(Refusal::Failed(error)) => Err(error.into()),
        Err(Refusal::Busy) => Err(Refused::new(StatusCode::CONFLICT, "a measurement is running")
            .hint(
                "one runs at a time, so that none disturbs another: wait for its end, or stop it",
            )),
    }
}

/// Refuses a request whose settings would start a program or load code. The command that is started refuses what only
/// it can see: records, and what varies.
fn require_allowed(body: &Body, trust: &Trust) -> Answer<()> {
    let Some((key, text)) = body.program(trust) else { return Ok(()) };
    let what = format!("the request would run a program or load code: {text}");
    Err(Refused::new(StatusCode::FORBIDDEN, what)
        .hint(format!("tacho serve --allow {key} accepts it from every request")))
}

/// Asks what is running to end, as Ctrl-C does: what was measured is kept. A second time aborts.
pub(crate) async fn stop(State(site): State<Shared>) -> Answer<Json<Value>> {
    if site.hub.stop() {
        return Ok(Json(site.hub.state()));
    }
    Err(Refused::new(StatusCode::CONFLICT, "nothing is running"))
}

/// The charts of the measurement so far.
pub(crate) async fn charts(State(site): State<Shared>) -> Answer {
    let made = |site: &Site| {
        let mut charts = site.charts.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(charts.of(&site.hub))
    };
    site.work(made).await.map(json_text)
}

/// The events of what is running, as they happen. With `Last-Event-ID`, which browsers send after a break, those
/// that were missed come first.
pub(crate) async fn events(State(site): State<Shared>, headers: HeaderMap) -> impl IntoResponse {
    let id = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let boot = site.boot.clone();
    let seen = id.and_then(|id| {
        // Numbers of another server, before a restart, are not ours.
        let (activity, number) = id.strip_prefix(&boot)?.strip_prefix('-')?.split_once('.')?;
        Some((activity.parse::<u64>().ok()?, number.parse::<u64>().ok()?))
    });
    let stream = Followed { hub: site.hub.clone(), boot, seen: seen.unwrap_or_default() };
    Stream::new(stream.events()).keep_alive(KeepAlive::new().interval(BEAT))
}

/// How far one listener is.
struct Followed {
    hub: Hub,
    boot: String,
    seen: (u64, u64),
}

impl Followed {
    fn events(self) -> impl futures_util::Stream<Item = Result<Sse, Infallible>> {
        let changed = self.hub.watch();
        let start = (self, changed, std::collections::VecDeque::new());
        futures_util::stream::unfold(start, |(mut own, mut changed, mut ready)| async move {
            loop {
                if let Some(event) = ready.pop_front() {
                    return Some((Ok(event), (own, changed, ready)));
                }
                changed.borrow_and_update();
                let (activity, events) = own.hub.after(own.seen.0, own.seen.1);
                if events.is_empty() {
                    changed.changed().await.ok()?;
                    continue;
                }
                own.seen = (activity, events.last().map_or(0, |last| last.number));
                ready.extend(events.iter().map(|event| {
                    let id = format!("{}-{activity}.{}", own.boot, event.number);
                    Sse::default().id(id).event(&event.name).data(&event.data)
                }));
            }
        })
    }
}
