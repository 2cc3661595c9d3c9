//! The web service: jobs, charts and profiles in a browser of this machine.
//!
//! It answers on loopback alone, to this machine's own names alone, and changes nothing: what HammerDB
//! deletes by a link is deleted by a command here. Start reading at [`answer`].

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tacho_core::{Error, Result};

use crate::jobs::{Jobs, escaped};

/// How long a browser may take to ask.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest head of a request.
const HEAD_MAX: u64 = 16 * 1024;
/// So much of a log's end is shown.
const TAIL: usize = 64 * 1024;
const STYLE: &str = "body{font-family:sans-serif;margin:2em}td,th{padding:.2em .8em;text-align:left}\
                     pre{white-space:pre-wrap}";

/// What is answered.
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

    /// A page that is complete already.
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

    /// Data, or the reason why there is none.
    fn of(data: std::result::Result<String, String>, form: fn(String) -> Self) -> Self {
        data.map_or_else(|text| Self::error("404 Not Found", &text), form)
    }
}

/// A service that goes on until it is dropped.
pub struct Service {
    /// Its port.
    pub port: u16,
    over: Arc<AtomicBool>,
}

impl Service {
    /// Begins to answer on a port, of the jobs below `data`; logs lie in `temp`.
    pub fn start(port: u16, data: &Path, temp: &Path) -> Result<Self> {
        let fail = |error: std::io::Error| {
            Error::from(error)
                .during(format!("start the web service on port {port}"))
                .hint("wsport sets another port")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&over);
        let (data, temp) = (data.to_owned(), temp.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (data, temp) = (data.clone(), temp.clone());
                std::thread::spawn(move || serve(stream, &data, &temp));
            }
        });
        Ok(Self { port, over })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener, which sees that it is over.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

/// Answers one request.
fn serve(mut stream: TcpStream, data: &Path, temp: &Path) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let Ok(copy) = stream.try_clone() else { return };
    let head = BufReader::new(copy.take(HEAD_MAX)).lines().map_while(std::io::Result::ok);
    let head: Vec<String> = head.take_while(|line| !line.is_empty()).collect();
    let Some(request) = head.first() else { return };
    let host = head.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    let answer = match request.split(' ').collect::<Vec<_>>()[..] {
        // A page from elsewhere that has its name point here must not read what is here.
        _ if !host.is_some_and(is_here) => Answer::error("403 Forbidden", "only for localhost"),
        ["GET", path, _] => answer(&Jobs::open(data), path, temp),
        _ => Answer::error("405 Method Not Allowed", "only GET is answered"),
    };
    let Answer { status, kind, body } = answer;
    // The artifact may be taken by the page that it is shared with, if the user opens it there.
    let cross =
        if request.contains("summaryjson") { "Access-Control-Allow-Origin: *\r\n" } else { "" };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{cross}\
         Connection: close\r\n\r\n"
    );
    // A browser that is gone needs no answer.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

fn is_here(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// The answer to a path with its query.
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
        "/quit" => Answer::error("405 Method Not Allowed", "wsstop stops the service"),
        "/pipelines" | "/ci" => {
            Answer::error("404 Not Found", "Tacho does not have pipelines of commits")
        }
        _ => Answer::error("404 Not Found", "page not found"),
    }
}

const HELP: &str = "/  /jobs                                   all jobs and profiles\n\
    /jobs?jobid=ID                             the output of a job; with &index &summary &summaryjson\n\
    /jobs?jobid=ID&result|timing|tcount|metrics   a chart; with data at the end of the word its numbers\n\
    /jobs?jobid=ID&bm|db|dict|status|timestamp|system   a fact\n\
    /jobs?jobid=ID&vu=N  &timing&vuid=N        one virtual user\n\
    /jobs?profileid=N  &profiledata            a performance profile\n\
    /jobs?cmd=profilediff&base_pid=A&new_pid=B two of them\n\
    /jobs?tailworkload=1                       the end of the newest log\n\
    Nothing can be changed here: jobs ID delete and wsstop are commands.\n";

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

/// The words that may follow a job's id, with a chart behind them.
const CHARTS: [&str; 4] = ["result", "timing", "tcount", "metrics"];
/// Those with a fact behind them.
const FACTS: [&str; 6] = ["bm", "db", "dict", "status", "timestamp", "system"];

fn job(jobs: &Jobs, id: &str, query: &[(&str, &str)]) -> Answer {
    let of = |key: &str| query.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let has = |key: &str| of(key).is_some();
    let about = |words: &[&str]| Answer::of(jobs.about(id, words, false), Answer::data);
    if has("delete") || has("DELETE") {
        let text = format!("nothing is deleted here: jobs {id} delete is the command");
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

/// A job's menu.
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

/// The end of the newest log of virtual users.
fn tail(temp: &Path) -> Answer {
    let none = || Answer::error("404 Not Found", "log not found: vuset logtotemp 1 creates one");
    let Ok(files) = temp.read_dir() else { return none() };
    let logs = files.flatten().filter(|file| {
        let path = file.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        stem.starts_with("hammerdb") && path.extension().is_some_and(|end| end == "log")
    });
    let newest = logs.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
    let Some(path) = newest.map(|file| file.path()) else { return none() };
    read(&path).map_or_else(|_| none(), |text| Answer::plain(end(&text).to_owned()))
}

/// The last part of a text, from a whole letter on.
fn end(text: &str) -> &str {
    let start = (text.len().saturating_sub(TAIL)..text.len()).find(|at| text.is_char_boundary(*at));
    start.map_or("", |start| &text[start..])
}

#[expect(clippy::disallowed_methods, reason = "a log of HammerDB's kind")]
fn read(path: &PathBuf) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machines_names_are_answered() {
        for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:80"] {
            assert!(is_here(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8080", "10.0.0.1", ""] {
            assert!(!is_here(host), "{host}");
        }
    }

    #[test]
    fn what_is_not_there_is_told() {
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
