//! The REST interface. It returns the same JSON as the command line.
//!
//! Names in requests can only select existing objects. They are never used as file paths.
//!
//! Start reading at [`start`] and [`events`].

use std::convert::Infallible;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderMap};
use axum::response::IntoResponse;
use axum::response::sse::{Event as Sse, KeepAlive, Sse as Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tacho_analysis::Trend;
use tacho_app::{ReportRequest, Trust, WorkloadView};
use tacho_config::{Command, OPTIONS, SETTINGS, SettingView};
use tacho_report::{CsvTable, Format, ReportJson, RunRow, SweepRow};
use tacho_store::record::Record;
use tacho_store::{IntervalRecord, read_intervals};
use tacho_workload::Workload;

use crate::activity::Refusal;
use crate::answer::{Answer, Asked, Events, JsonText, Refused, Sent};
use crate::charts::LiveCharts;
use crate::hub::{ActivityState, Hub};
use crate::request::{Body, Form, Request};
use crate::site::{Shared, Site};

/// Interval between comments in an event stream. They keep proxies from closing an idle connection.
const BEAT: Duration = Duration::from_secs(15);

/// The run specified in a path: an ID, a prefix of an ID, `latest` or a tag.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct RunPath {
    run: String,
}

/// Returns all saved runs, newest first.
pub(crate) async fn runs(State(site): State<Shared>) -> Answer<Json<Vec<RunRow>>> {
    site.work(|site| {
        let mut runs = site.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.look(&site.context.store()).map(Json)
    })
    .await
}

/// Returns the record of a run.
pub(crate) async fn run(
    State(site): State<Shared>,
    Path(RunPath { run }): Path<RunPath>,
) -> Answer<JsonText<Record>> {
    site.work(move |site| Ok(tacho_report::json(&site.context.store().find(&run)?.record)?.into()))
        .await
}

/// Returns the intervals of a run.
pub(crate) async fn intervals(
    State(site): State<Shared>,
    Path(RunPath { run }): Path<RunPath>,
) -> Answer<JsonText<Vec<IntervalRecord>>> {
    site.work(move |site| {
        let run = site.context.store().find(&run)?;
        Ok(tacho_report::json(&read_intervals(&run.path)?)?.into())
    })
    .await
}

/// Returns a run as a file: `report.html`, `report.md`, `report.json`, `intervals.csv` or `junit.xml`.
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
        _ => return Err(Refused::new(StatusCode::NOT_FOUND, "a run has no such file")),
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

/// Tags to add and to remove.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tags {
    #[serde(default)]
    add: Vec<String>,
    #[serde(default)]
    remove: Vec<String>,
}

/// The tags of a run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TagsOfRun {
    id: String,
    tags: Vec<String>,
}

/// Changes the tags of a run.
pub(crate) async fn tags(
    State(site): State<Shared>,
    Path(RunPath { run }): Path<RunPath>,
    Sent(body): Sent<Tags>,
) -> Answer<Json<TagsOfRun>> {
    site.work(move |site| {
        let store = site.context.store();
        // Use the run's ID from here on. The user may have selected the run by a tag that this
        // request removes.
        let mut found = store.find(&run)?;
        let id = found.record.id.clone();
        for tag in &body.remove {
            found = store.remove_tag(&id, tag)?;
        }
        for tag in &body.add {
            found = store.add_tag(&id, tag)?;
        }
        Ok(Json(TagsOfRun { id, tags: found.record.tags }))
    })
    .await
}

/// The new note of a run. An empty note removes the old one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    note: String,
}

/// The note of a run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NoteOfRun {
    id: String,
    note: Option<String>,
}

/// Sets the note of a run.
pub(crate) async fn note(
    State(site): State<Shared>,
    Path(RunPath { run }): Path<RunPath>,
    Sent(body): Sent<Note>,
) -> Answer<Json<NoteOfRun>> {
    site.work(move |site| {
        let note = Some(body.note.as_str()).filter(|note| !note.is_empty());
        let record = site.context.store().set_note(&run, note)?.record;
        Ok(Json(NoteOfRun { id: record.id, note: record.note }))
    })
    .await
}

/// Returns all saved sweeps, newest first.
pub(crate) async fn sweeps(State(site): State<Shared>) -> Answer<Json<Vec<SweepRow>>> {
    site.work(|site| {
        let store = site.context.store();
        Ok(Json(tacho_report::sweep_rows(&store.sweeps().list()?, &store.list()?)))
    })
    .await
}

/// The runs or sweeps to compare, or to show in a single report.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subjects {
    /// Runs or sweeps, separated by commas.
    #[serde(default)]
    pub(crate) runs: String,
    /// The baseline to compare with.
    #[serde(default)]
    pub(crate) baseline: String,
    /// True to compare runs even if a condition that must be equal differs.
    #[serde(default)]
    pub(crate) force: bool,
    /// The metric of a trend.
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

/// Compares runs or sweeps with a baseline and returns the report as JSON.
pub(crate) async fn compare(
    State(site): State<Shared>,
    Asked(subjects): Asked<Subjects>,
) -> Answer<JsonText<ReportJson<'static>>> {
    site.work(move |site| {
        let report = tacho_app::report(&site.context, &subjects.request())?;
        Ok(tacho_report::render(&report, Format::Json)?.into())
    })
    .await
}

/// Returns the trend of a metric over the saved runs.
pub(crate) async fn trend(
    State(site): State<Shared>,
    Asked(subjects): Asked<Subjects>,
) -> Answer<JsonText<Trend>> {
    site.work(move |site| Ok(tacho_report::json(&trend_of(site, &subjects)?)?.into())).await
}

pub(crate) fn trend_of(site: &Site, asked: &Subjects) -> tacho_core::Result<Trend> {
    let named = |text: &'_ str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (runs, metric) = (named(&asked.runs), named(&asked.metric));
    // A name in a request must not be interpreted as a path, so folders are rejected.
    if let Some(word) = runs.as_deref().filter(|word| tacho_registry::is_workload_folder(word)) {
        return Err(tacho_core::Error::usage(format!(
            "there is no run or workload named \"{word}\""
        ))
        .hint("use a run, a tag or a built-in workload"));
    }
    tacho_app::trend(&site.context.store(), runs.as_deref(), metric.as_deref())
}

/// A list entry.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "describes the output of a command")]
pub(crate) struct Entry {
    name: String,
    about: String,
}

/// Returns the targets defined in `tacho.toml` and the private servers.
pub(crate) async fn targets(State(site): State<Shared>) -> Answer<JsonText<Vec<Entry>>> {
    listed(&site, "targets").await
}

/// Returns all workloads.
pub(crate) async fn workloads(State(site): State<Shared>) -> Answer<JsonText<Vec<Entry>>> {
    listed(&site, "workloads").await
}

/// Returns all drivers.
pub(crate) async fn drivers(State(site): State<Shared>) -> Answer<JsonText<Vec<Entry>>> {
    listed(&site, "drivers").await
}

/// The workload specified in a path.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct WorkloadPath {
    workload: String,
}

/// Returns a workload with its parameters and profiles.
pub(crate) async fn workload(
    Path(WorkloadPath { workload }): Path<WorkloadPath>,
) -> Answer<Json<WorkloadView>> {
    built_in(&workload).map(|workload| Json(WorkloadView::of(workload.as_ref())))
}

/// Returns the built-in workload with this name. Names from requests are never looked up in the file system.
pub(crate) fn built_in(name: &str) -> Answer<Arc<dyn Workload>> {
    tacho_registry::built_in_workload(name).ok_or_else(|| {
        Refused::new(StatusCode::NOT_FOUND, "the workload does not exist")
            .hint("to list all workloads, use /workloads")
    })
}

async fn listed(site: &Shared, list: &'static str) -> Answer<JsonText<Vec<Entry>>> {
    let words = ["list", list, "--output=json"].map(str::to_owned);
    let output = site.work(move |site| Ok(program(site)?.words(&words)?)).await?;
    match output.exit_code {
        0 => Ok(output.answer.into()),
        _ => Err(Refused::complaint(&output.complaints)),
    }
}

pub(crate) fn program(site: &Site) -> Answer<&crate::activity::Program> {
    site.program.as_ref().ok_or_else(|| {
        Refused::new(
            StatusCode::CONFLICT,
            "this server belongs to one measurement and cannot start another",
        )
        .hint("to start measurements, use tacho serve")
    })
}

/// Returns all settings and the options of individual commands.
pub(crate) async fn settings() -> Json<Vec<SettingView>> {
    Json(SETTINGS.iter().chain(OPTIONS).map(SettingView::from).collect())
}

/// A preview of a request.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Preview {
    /// The command line that the request would run.
    words: String,
    /// The output of the command's `--dry-run`; null for a command without a plan.
    plan: Value,
}

/// Returns a preview of a request: the command, and the plan with all settings, as `--dry-run` prints it.
pub(crate) async fn plan(
    State(site): State<Shared>,
    Sent(body): Sent<Body>,
) -> Answer<Json<Preview>> {
    require_allowed(&body, &site.context.trust)?;
    body.check()?;
    let has_plan = !matches!(body.command, Command::Check | Command::Clean | Command::Doctor);
    let request = Request::read(body)?;
    let words = request.words();
    if !has_plan {
        return Ok(Json(Preview { words, plan: Value::Null }));
    }
    let request = request.dry();
    let output = site.work(move |site| Ok(program(site)?.ask(&request)?)).await?;
    if output.exit_code != 0 {
        return Err(Refused::complaint(&output.complaints));
    }
    let plan = serde_json::from_str(&output.answer).unwrap_or(Value::String(output.answer));
    Ok(Json(Preview { words, plan }))
}

/// Returns the state of the current command or, if none is running, the last one.
pub(crate) async fn activity(State(site): State<Shared>) -> Json<ActivityState> {
    Json(site.hub.state())
}

/// Starts a command, unless another one is still running.
pub(crate) async fn start(
    State(site): State<Shared>,
    Sent(body): Sent<Body>,
) -> Answer<JsonText<ActivityState, 202>> {
    begin(&site, body)
}

/// The settings of a run to be started.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunBody {
    /// The settings of the run, with the same keys as in `tacho.toml`. With `from`, the plan of a
    /// saved run is repeated.
    #[serde(default)]
    settings: Map<String, Value>,
}

/// Starts a run.
pub(crate) async fn start_run(
    State(site): State<Shared>,
    Sent(RunBody { settings }): Sent<RunBody>,
) -> Answer<JsonText<ActivityState, 202>> {
    begin(&site, Body { command: Command::Run, settings, output: Form::Json })
}

fn begin(site: &Site, body: Body) -> Answer<JsonText<ActivityState, 202>> {
    require_allowed(&body, &site.context.trust)?;
    let request = Request::read(body)?;
    match program(site)?.start(&request, &site.hub) {
        Ok(()) => Ok(serde_json::to_string(&site.hub.state()).unwrap_or_default().into()),
        Err(Refusal::Failed(error)) => Err(error.into()),
        Err(Refusal::Busy) => Err(Refused::new(StatusCode::CONFLICT, "a measurement is running")
            .hint("only one measurement can run at a time: wait until it has ended, or stop it")),
    }
}

/// Rejects settings that would start a program or load code, unless the server's owner has allowed
/// them.
///
/// This function does not check settings that come from a run's record or from `--vary`, because the command itself
/// checks them.
fn require_allowed(body: &Body, trust: &Trust) -> Answer<()> {
    let Some((key, text)) = body.program(trust) else { return Ok(()) };
    let what = format!("the request would run a program or load code: {text}");
    Err(Refused::new(StatusCode::FORBIDDEN, what)
        .hint(format!("to allow {key} in all requests, use tacho serve --allow {key}")))
}

/// Interrupts the running command as Ctrl-C would, so that its results are kept. A second request
/// aborts the command.
pub(crate) async fn stop(State(site): State<Shared>) -> Answer<Json<ActivityState>> {
    if site.hub.stop() {
        return Ok(Json(site.hub.state()));
    }
    Err(Refused::new(StatusCode::CONFLICT, "nothing is running"))
}

/// Returns the charts of the measurement so far.
pub(crate) async fn charts(State(site): State<Shared>) -> Answer<JsonText<LiveCharts>> {
    site.work(|site| {
        let mut charts = site.charts.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(charts.of(&site.hub).into())
    })
    .await
}

/// Streams the events of the running command. With `Last-Event-ID`, missed events are sent first.
pub(crate) async fn events(State(site): State<Shared>, headers: HeaderMap) -> Events {
    let id = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let boot = site.boot.clone();
    let seen = id.and_then(|id| {
        // If the event number was sent before the server was restarted, it is ignored.
        let (activity, number) = id.strip_prefix(&boot)?.strip_prefix('-')?.split_once('.')?;
        Some((activity.parse::<u64>().ok()?, number.parse::<u64>().ok()?))
    });
    let stream = Followed { hub: site.hub.clone(), boot, seen: seen.unwrap_or_default() };
    let events = Stream::new(stream.events()).keep_alive(KeepAlive::new().interval(BEAT));
    Events(events.into_response())
}

/// The position of a listener in the sequence of events.
struct Followed {
    hub: Hub,
    boot: String,
    seen: (u64, u64),
}

impl Followed {
    fn events(self) -> impl futures_util::Stream<Item = Result<Sse, Infallible>> {
        let changed = self.hub.watch();
        let start = (self, changed, std::collections::VecDeque::new());
        futures_util::stream::unfold(start, |(mut followed, mut changed, mut ready)| async move {
            loop {
                if let Some(event) = ready.pop_front() {
                    return Some((Ok(event), (followed, changed, ready)));
                }
                changed.borrow_and_update();
                let (activity, events) = followed.hub.after(followed.seen.0, followed.seen.1);
                if events.is_empty() {
                    changed.changed().await.ok()?;
                    continue;
                }
                followed.seen = (activity, events.last().map_or(0, |last| last.number));
                ready.extend(events.iter().map(|event| {
                    let id = format!("{}-{activity}.{}", followed.boot, event.number);
                    Sse::default().id(id).event(&event.name).data(&event.data)
                }));
            }
        })
    }
}
