//! `tacho report`

use std::path::Path;

use clap::ArgMatches;
use tacho_app::{Exit, ReportRequest};
use tacho_core::units::bytes;
use tacho_core::{Error, Result};
use tacho_report::{CsvTable, Format, Report};

use super::text;
use crate::export;
use crate::printer::Printer;
use crate::world::World;

/// Where a page goes if nobody says it: a terminal is no place for one.
const FILE: &str = "report.html";
/// Standard output as a file.
const STDOUT: &str = "-";
/// The formats, each with the endings of files that mean it.
pub(crate) const FORMATS: [(&str, &[&str]); 5] = [
    ("html", &["html", "htm"]),
    ("md", &["md", "markdown"]),
    ("csv", &["csv"]),
    ("json", &["json"]),
    ("junit", &["xml"]),
];

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let file = text(matches, "file");
    let table = text(matches, "table");
    let form = match (text(matches, "format"), file) {
        (Some(form), _) => form,
        (None, _) if table.is_some() => "csv",
        (None, Some(file)) if file != STDOUT => by_extension(Path::new(file))?,
        (None, _) => "html",
    };
    if table.is_some() && form != "csv" {
        return Err(Error::usage(format!("--table chooses a table of CSV, and this is {form}"))
            .hint("add --format csv, or leave out --table"));
    }
    let what = matches.get_many::<String>("runs").into_iter().flatten().cloned();
    let request = ReportRequest {
        what: what.collect(),
        baseline: text(matches, "baseline").map(str::to_owned),
        force: matches.get_flag("force"),
        redact: matches.get_flag("redact"),
        intervals: form == "csv",
    };
    let report = tacho_app::report(&world.context(text(matches, "dir")), &request)?;
    let content = report.render(format(form, table, &report))?;
    match file.unwrap_or(if form == "html" { FILE } else { STDOUT }) {
        STDOUT => printer.answer(&content)?,
        file => {
            export::replace(Path::new(file), &content)?;
            printer.tell(&format!("Saved  {file} ({})", bytes(content.len() as u64)));
        }
    }
    Ok(Exit::Success)
}

/// The form that the name of a file asks for.
pub(crate) fn by_extension(file: &Path) -> Result<&'static str> {
    let extension = file.extension().and_then(|own| own.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    let known = FORMATS.iter().find(|(_, endings)| endings.contains(&extension.as_str()));
    known.map(|(format, _)| *format).ok_or_else(|| {
        Error::usage(format!("no format is known for {}", file.display()))
            .hint("use one of the extensions .html, .md, .csv, .json and .xml, or --format")
    })
}

/// A form by its name.
pub(crate) fn format(name: &str, table: Option<&str>, report: &Report) -> Format {
    match name {
        "md" => Format::Markdown,
        "csv" => {
            Format::Csv(table.and_then(CsvTable::from_name).unwrap_or_else(|| CsvTable::of(report)))
        }
        "json" => Format::Json,
        "junit" => Format::Junit,
        _ => Format::Html,
    }
}
