//! The HTML report: either a self-contained file, or the body of a page on a site that provides styles and scripts.
//!
//! A self-contained file requests nothing from a server. The templates are `assets/page.html` and `assets/body.html`.
//!
//! Start reading at [`page`].

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value as Context, context};
use serde_json::Value;
use tacho_core::{Error, ErrorKind, Result};

use crate::document::Document;
use crate::report::summary;

const PAGE: &str = include_str!("../../assets/page.html");
const BODY: &str = include_str!("../../assets/body.html");
const STYLE: &str = include_str!("../../assets/style.css");
/// The scripts in dependency order.
const SCRIPTS: [&str; 4] = [
    include_str!("../../assets/formats.js"),
    include_str!("../../assets/charts.js"),
    include_str!("../../assets/queries.js"),
    include_str!("../../assets/page.js"),
];
const D3: &str = include_str!("../../assets/d3.min.js");
const PLOT: &str = include_str!("../../assets/plot.umd.min.js");
const LICENCES: &str = include_str!("../../assets/licences.txt");

/// Names and contents of the style and script files for [`body`]. A page must load them in this order.
pub const ASSETS: [(&str, &str); 7] = [
    ("style.css", STYLE),
    ("d3.min.js", D3),
    ("plot.umd.min.js", PLOT),
    ("formats.js", SCRIPTS[0]),
    ("charts.js", SCRIPTS[1]),
    ("queries.js", SCRIPTS[2]),
    ("page.js", SCRIPTS[3]),
];

/// Returns the complete file.
pub(super) fn page(document: &Document, data: &Value) -> Result<String> {
    let safe = |text: &str| Context::from_safe_string(text.to_owned());
    let context = context! {
        alone => true,
        style => safe(STYLE),
        charts => safe(&SCRIPTS.join("\n")),
        d3 => safe(D3),
        plot => safe(PLOT),
        licences => safe(LICENCES),
        ..content(document, data)
    };
    rendered("page.html", context)
}

/// Returns the content of the page's body, excluding the head, styles and scripts.
pub(super) fn body(document: &Document, data: &Value) -> Result<String> {
    rendered("body.html", context! { alone => false, ..content(document, data) })
}

fn content(document: &Document, data: &Value) -> Context {
    // A literal `</script` would end the script element, so each `<` is written as a JSON escape.
    let data = data.to_string().replace('<', "\\u003c");
    context! {
        document => Context::from(Serde(document)),
        data => Context::from_safe_string(data),
        summary => Context::from_safe_string(summary::html(&document.summary)),
    }
}

fn rendered(template: &str, context: Context) -> Result<String> {
    let made = || {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.add_filter("tone", tone);
        environment.add_filter("whole", whole);
        environment.add_template("page.html", PAGE)?;
        environment.add_template("body.html", BODY)?;
        environment.get_template(template)?.render(context)
    };
    made().map_err(|error| {
        Error::new(ErrorKind::Other, format!("could not render the page: {error:#}"))
            .hint("this is a bug in Tacho: please report it")
    })
}

/// Replaces the space between a number and a percent sign with a non-breaking space, so that the two stay on one line.
fn whole(text: &str) -> String {
    text.replace(" %", "\u{202f}%")
}

/// Returns the CSS class for a text that starts with a verdict. The class determines the colour.
fn tone(text: &str) -> &'static str {
    match text {
        t if t.starts_with(['✗']) || t.starts_with("WORSE") || t.starts_with("INVALID") => "bad",
        t if t.starts_with("UNSTABLE") || t.starts_with("TOO SHORT") => "warn",
        t if t.starts_with('!') || t.starts_with("INCOMPLETE") => "warn",
        t if t.starts_with('✓') || t.starts_with("better") => "good",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, Line, Section};
    use crate::report::markdown;
    use crate::table::{Column, Table};

    #[test]
    fn headings_lines_and_notes_are_in_pages_and_in_markdown() {
        let lines = ["a <b>", "two"].map(|part| vec![part.to_owned(), "end".to_owned()]);
        let table = Table::new(vec![Column::left("name", ["payment".to_owned()])]);
        let blocks = vec![
            Block::heading("A heading"),
            Block::lines(lines.map(Line::dotted)),
            Block::Table(Table { note: "a note".into(), ..table }),
        ];
        let sections = Section::of("id", "Section", blocks).into_iter().collect();
        let document = Document { sections, ..Document::default() };
        let page = body(&document, &Value::Null).expect("a page");
        for part in [
            "<h3>A heading</h3>",
            "<p>a &lt;b&gt; · end<br>two · end</p>",
            "<p class=\"note\">a note</p>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let text = markdown::text(&document);
        let whole = "### A heading\n\n- a \\<b\\> · end\n- two · end\n\n";
        assert!(text.contains(whole) && text.contains("| payment |\n\na note\n"), "{text}");
    }
}
