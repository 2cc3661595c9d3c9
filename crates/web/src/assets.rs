//! The style sheets and scripts. They are compiled into the program and never read from the file system.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH};
use axum::response::{IntoResponse, Response};

use crate::answer::{Answer, Refused};

/// The files that are used only by the web view. Other files are shared with the report.
const OWN: [(&str, &str); 8] = [
    ("web.css", include_str!("../assets/web.css")),
    ("theme.js", include_str!("../assets/theme.js")),
    ("web.js", include_str!("../assets/web.js")),
    ("runs.js", include_str!("../assets/runs.js")),
    ("new.js", include_str!("../assets/new.js")),
    ("live.js", include_str!("../assets/live.js")),
    ("run.js", include_str!("../assets/run.js")),
    ("targets.js", include_str!("../assets/targets.js")),
];

/// Returns the name and content of every file.
pub(crate) fn all_assets() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    OWN.iter().chain(&tacho_report::ASSETS)
}

/// Returns a file, unless the browser's cached copy is current.
pub(crate) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Answer {
    let Some((name, content)) = all_assets().find(|(known, _)| *known == name) else {
        return Err(Refused::new(StatusCode::NOT_FOUND, "there is no such file"));
    };
    let tag = tag(content);
    if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return Ok(StatusCode::NOT_MODIFIED.into_response());
    }
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    let headers =
        [(CONTENT_TYPE, kind.to_owned()), (CACHE_CONTROL, "no-cache".into()), (ETAG, tag)];
    Ok::<Response, _>((headers, *content).into_response())
}

fn tag(content: &str) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}
