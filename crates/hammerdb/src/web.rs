//! The web service, which shows jobs, charts and profiles in a browser on this machine.
//!
//! The service accepts only requests from this machine, and it cannot change anything. Start reading at [`answer`].

use std::path::Path;

use axum::Router;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE, HeaderValue};
use axum::http::uri::PathAndQuery;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use tacho_core::Result;
use tacho_web::Server;

use crate::jobs::{Jobs, escaped};

/// Maximum number of bytes of a log to show, counted from its end.
const TAIL: usize = 64 * 1024;
const STYLE: &str = "body{font-family:sans-serif;margin:2em}td,th{padding:.2em .8em;text-align:left}\
                     pre{white-space:pre-wrap}";

/// The content of a response.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn page(title: &str, body: &str) -> Self {
        let title = escaped(title);
        let body = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <link rel=\"stylesheet\" href=\"/style.css\"></head><body><h1>{title}</h1>{body}</body></html>\n"
        );
        Self { status: "200 OK", kind: "text/html; charset=utf-8", body }
    }

    /// Creates a response from a complete page.
    fn whole(body: String) -> Self {
        Self { status: "200 OK", kind: "text/html; charset=utf-8", body }
    }

    fn data(body: String) -> Self {
        Self { status: "200 OK", kind: "application/json", body }
    }

    fn plain(body: String) -> Self {
        Self { status: "200 OK", kind: "text/plain; charset=utf-8", body }
    }

    fn error(status: &'static str, text: &str) -> Self {
        let body = serde_json::json!({ "error": { "message": text } }).to_string();
        Self { status, kind: "application/json", body }
    }

    /// Converts this answer to an HTTP response. If `shared` is true, web pages from other servers may read it.
    fn response(self, shared: bool) -> Response {
        let status = self.status.split(' ').next().and_then(|code| code.parse().ok());
        let status = StatusCode::from_u16(status.unwrap_or(500)).unwrap_or_default();
        let mut response = (status, [(CONTENT_TYPE, self.kind)], self.body).into_response();
        if shared {
            let anybody = HeaderValue::from_static("*");
            response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, anybody);
        }
        response
    }

    /// Returns a response with the data in the given format. If there is no data, the response explains why.
    fn of(data: std::result::Result<String, String>, form: fn(String) -> Self) -> Self {
        data.map_or_else(|text| Self::error("404 Not Found", &text), form)
    }
}

/// A web service that runs until it is dropped.
pub struct Service {
    /// The service's port.
    pub port: u16,
    _server: Server,
}

impl Service {
    /// Serves the jobs below `data` and the logs in `temp` on this port.
    pub fn start(port: u16, data: &Path, temp: &Path) -> Result<Self> {
        let server = Server::open(port, routes(data, temp).fallback_service(whatever(data, temp)))
            .map_err(|error| error.hint("use wsport to set another port"))?;
        Ok(Self { port: server.port(), _server: server })
    }
}

/// Returns the routes for jobs and profiles, so that another web server can include them.
pub fn routes(data: &Path, temp: &Path) -> Router {
    Router::new().route("/jobs", whatever(data, temp)).route("/style.css", whatever(data, temp))
}

/// Handles requests for any path. A separate thread reads the job files, because this takes time.
fn whatever(data: &Path, temp: &Path) -> MethodRouter {
    let (data, temp) = (data.to_owned(), temp.to_owned());
    get(move |uri: Uri| async move {
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str).to_owned();
        let made = move || answer(&Jobs::open(&data), &path, &temp);
        let gone =
            || Answer::error("500 Internal Server Error", "the response could not be created");
        let answer = tokio::task::spawn_blocking(made).await.unwrap_or_else(|_| gone());
        answer.response(uri.query().is_some_and(|query| query.contains("summaryjson")))
    })
}

/// Returns the response to a request for a path and its query string.
pub fn answer(jobs: &Jobs, path: &str, temp: &Path) -> Answer {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let query: Vec<(&str, &str)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    let of = |key: &str| query.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    match place {
        "/" | "/jobs" if query.is_empty() => home(jobs),
        "/jobs" => match (of("jobid"), of("profileid"), of("cmd")) {
            (Some(id), ..) => job(jobs, id, &query),
            (_, Some(id), _) => profile(jobs, id, of("profiledata").is_some()),
            (_, _, Some("profilediff")) => {
                difference(jobs, of("base_pid").unwrap_or(""), of("new_pid").unwrap_or(""))
            }
            _ if of("tailworkload").is_some() => tail(temp),
            _ => Answer::error("400 Bad Request", "see /help"),
        },
        "/style.css" => Answer { kind: "text/css", ..Answer::plain(STYLE.into()) },
        "/env" => Answer::plain(format!(
            "Tacho {}\nTMP = {}\nJobs = {}\n",
            env!("CARGO_PKG_VERSION"),
            temp.display(),
            jobs.folder().display()
        )),
        "/help" => Answer::plain(HELP.into()),
        "/quit" => Answer::error("405 Method Not Allowed", "use wsstop to stop the service"),
        "/pipelines" | "/ci" => {
            Answer::error("404 Not Found", "Tacho does not support commit pipelines")
        }
        _ => Answer::error("404 Not Found", "page not found"),
    }
}

const HELP: &str = "/  /jobs                                   all jobs and profiles\n\
    /jobs?jobid=ID                             the output of a job; with &index &summary &summaryjson\n\
    /jobs?jobid=ID&result|timing|tcount|metrics   a chart; append data to the word for its numbers\n\
    /jobs?jobid=ID&bm|db|dict|status|timestamp|system   a fact\n\
    /jobs?jobid=ID&vu=N  &timing&vuid=N        one virtual user\n\
    /jobs?profileid=N  &profiledata            a performance profile\n\
    /jobs?cmd=profilediff&base_pid=A&new_pid=B a comparison of two profiles\n\
    /jobs?tailworkload=1                       the end of the newest log\n\
    This service is read-only: use the commands jobs ID delete and wsstop.\n";

fn home(jobs: &Jobs) -> Answer {
    let mut body = String::from(
        "<h2>Jobs</h2><table><tr><th>Job<th>Database<th>Date<th>Workload<th>NOPM<th>Status</tr>",
    );
    for row in jobs.rows() {
        let [id, rest @ ..] = &row;
        let cells: Vec<String> =
            rest.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        let link = format!("<a href=\"/jobs?jobid={id}&amp;index\">{id}</a>");
        body.push_str(&["<tr><td>", &link, "</td>", &cells.concat(), "</tr>"].concat());
    }
    body.push_str("</table><h2>Performance profiles</h2>");
    for id in jobs.profile_ids() {
        let link = format!("<a href=\"/jobs?profileid={id}\">{id}</a> ");
        body.push_str(&link);
    }
    Answer::page("Jobs", &body)
}

/// Query keys that select a chart of a job.
const CHARTS: [&str; 4] = ["result", "timing", "tcount", "metrics"];
/// The query keys, each of which selects a property of a job.
const FACTS: [&str; 6] = ["bm", "db", "dict", "status", "timestamp", "system"];

fn job(jobs: &Jobs, id: &str, query: &[(&str, &str)]) -> Answer {
    let of = |key: &str| query.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let has = |key: &str| of(key).is_some();
    let about = |words: &[&str]| Answer::of(jobs.about(id, words, false), Answer::data);
    if has("delete") || has("DELETE") {
        let text = format!("this service is read-only: use the jobs {id} delete command");
        return Answer::error("405 Method Not Allowed", &text);
    }
    if has("index") {
        return index(jobs, id);
    }
    if has("summaryjson") {
        return Answer::of(jobs.report_text(id), Answer::data);
    }
    if has("summary") {
        let text = jobs.report_text(id);
        return Answer::of(text, |text| {
            Answer::page("Job report", &format!("<pre>{}</pre>", escaped(&text)))
        });
    }
    if let Some(user) = of("vu") {
        return about(&[user]);
    }
    if let (true, Some(user)) = (has("timing"), of("vuid")) {
        return about(&["timing", user]);
    }
    for what in CHARTS {
        if has(&format!("{what}data")) || has(what) && has("raw") {
            return about(&[what]);
        }
        if has(what) {
            return Answer::of(jobs.chart(id, what), Answer::whole);
        }
    }
    match FACTS.iter().find(|what| has(what)) {
        Some(what) => about(&[what]),
        None => Answer::of(jobs.about(id, &[], true), |text| {
            Answer::page("Output", &format!("<pre>{}</pre>", escaped(&text)))
        }),
    }
}

/// Returns the page of a job, with a link to everything that can be shown about it.
fn index(jobs: &Jobs, id: &str) -> Answer {
    if let Err(text) = jobs.about(id, &["bm"], false) {
        return Answer::error("404 Not Found", &text);
    }
    let words = ["summary", "summaryjson"].into_iter().chain(CHARTS).chain(FACTS);
    let links: Vec<String> = words
        .map(|what| format!("<li><a href=\"/jobs?jobid={id}&amp;{what}\">{what}</a></li>"))
        .collect();
    let all = format!("<li><a href=\"/jobs?jobid={id}\">output</a></li>");
    Answer::page(&format!("Job {id}"), &format!("<ul>{all}{}</ul>", links.concat()))
}

fn profile(jobs: &Jobs, id: &str, data: bool) -> Answer {
    let Ok(id) = id.parse() else {
        let text = "Performance profile id should be an integer";
        return Answer::error("400 Bad Request", text);
    };
    if data {
        return Answer::of(jobs.profile(id), Answer::data);
    }
    Answer::of(jobs.profile_chart(id), Answer::whole)
}

fn difference(jobs: &Jobs, base: &str, new: &str) -> Answer {
    let (Ok(base), Ok(new)) = (base.parse(), new.parse()) else {
        let text = "Performance profile id should be an integer";
        return Answer::error("400 Bad Request", text);
    };
    Answer::of(jobs.diff(base, new, false), Answer::plain)
}

/// Returns the end of the newest virtual user log.
fn tail(temp: &Path) -> Answer {
    let none = || Answer::error("404 Not Found", "log not found: enable it with vuset logtotemp 1");
    let Ok(files) = temp.read_dir() else { return none() };
    // Other users can write to this folder, so a file in it may be a symbolic link to any other file.
    let files = files.flatten().filter(|file| file.file_type().is_ok_and(|kind| kind.is_file()));
    let logs = files.filter(|file| {
        let path = file.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        stem.starts_with("hammerdb") && path.extension().is_some_and(|end| end == "log")
    });
    let newest = logs.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
    let Some(path) = newest.map(|file| file.path()) else { return none() };
    read(&path).map_or_else(|_| none(), |text| Answer::plain(end(&text).to_owned()))
}

/// Returns the end of a string. The result starts at a character boundary.
fn end(text: &str) -> &str {
    let start = (text.len().saturating_sub(TAIL)..text.len()).find(|at| text.is_char_boundary(*at));
    start.map_or("", |start| &text[start..])
}

fn read(path: &Path) -> std::io::Result<String> {
    tacho_core::file::text(path, tacho_core::file::RECORD_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_unknown_paths_and_jobs() {
        let folder = tempfile::tempdir().expect("a folder");
        let jobs = Jobs::open(folder.path());
        let status = |path: &str| answer(&jobs, path, folder.path()).status;
        for path in ["/", "/jobs", "/help", "/env", "/style.css"] {
            assert_eq!(status(path), "200 OK", "{path}");
        }
        for path in [
            "/x",
            "/ci?ci_id=1",
            "/jobs?jobid=X",
            "/jobs?jobid=X&index",
            "/jobs?profileid=7",
            "/jobs?jobid=X&summaryjson",
            "/jobs?jobid=X&timing",
            "/jobs?tailworkload=1",
        ] {
            assert_eq!(status(path), "404 Not Found", "{path}");
        }
        assert_eq!(status("/jobs?profileid=x"), "400 Bad Request");
        assert_eq!(status("/jobs?cmd=profilediff&base_pid=1"), "400 Bad Request");
        for path in ["/quit", "/jobs?jobid=X&DELETE"] {
            assert_eq!(status(path), "405 Method Not Allowed", "{path}");
        }
        assert_eq!(end(&"é".repeat(TAIL)).len(), TAIL);
    }
}
