//! An HTML page. It consists of a frame with the navigation and a body. The body contains a report,
//! or a script creates it in the browser.
//!
//! Every page shows the command that prints the same information. Start reading at [`Page`].

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use minijinja::value::{Serde, Value as Safe};
use minijinja::{AutoEscape, Environment, context};
use tacho_core::{Error, ErrorKind, Result};

use crate::access::Role;
use crate::answer::Refused;

const FRAME: &str = include_str!("../assets/frame.html");
const PARTS: [(&str, &str); 11] = [
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
    ("saved", include_str!("../assets/saved.html")),
];

/// The pages in the navigation, each as its path and its name.
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

/// The place where a page is published: on a server, or in a folder of saved pages.
pub(crate) struct Place<'a> {
    /// Relative path from the page to the root, without a trailing slash.
    pub(crate) root: &'a str,
    /// The pages in the navigation, each as its path and its name.
    pub(crate) ways: &'a [(&'a str, &'a str)],
    /// The data that the script of a saved page needs, by the path at which a server would provide
    /// it. `None` if the page comes from a server.
    pub(crate) saved: Option<&'a serde_json::Value>,
}

/// A page.
#[derive(Default)]
pub(crate) struct Page {
    /// Path of the navigation entry to which this page belongs.
    pub(crate) here: &'static str,
    pub(crate) title: String,
    /// The command that prints the same information. Empty if there is none.
    pub(crate) command: String,
    /// Name of the page's template.
    pub(crate) part: &'static str,
    /// HTML of a report.
    pub(crate) report: String,
    /// Text as printed on the command line.
    pub(crate) text: String,
    /// Values used to fill in the page's form.
    pub(crate) filled: serde_json::Value,
    /// True if the page has charts.
    pub(crate) charts: bool,
    /// Name of the page's script.
    pub(crate) script: &'static str,
}

impl Page {
    pub(crate) fn new(here: &'static str, title: &str, part: &'static str) -> Self {
        Self { here, title: title.to_owned(), part, ..Self::default() }
    }

    pub(crate) fn answer(self, role: Role) -> Response {
        match self.html(role, &Place { root: "", ways: &WAYS, saved: None }) {
            Ok(html) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response(),
            Err(error) => Refused::from(error).into_response(),
        }
    }

    /// Returns the page as HTML for this location.
    pub(crate) fn html(self, role: Role, place: &Place<'_>) -> Result<String> {
        // `<` could end the script element, so it is written as a JSON escape.
        let saved = place.saved.map(|saved| saved.to_string().replace('<', "\\u003c"));
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
                ways => Safe::from(Serde(&place.ways)),
                root => place.root,
                saved => saved.map(Safe::from_safe_string),
                may_control => role == Role::Control,
                version => env!("CARGO_PKG_VERSION"),
            })
        };
        let made: std::result::Result<String, minijinja::Error> = made();
        made.map_err(|error| {
            Error::new(ErrorKind::Other, format!("cannot generate the page: {error:#}"))
                .hint("this is a bug in Tacho; please report it")
        })
    }
}

/// Encodes a string as a path segment.
fn segment(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one =
        |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

/// Returns a page that explains why the page is not available.
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
