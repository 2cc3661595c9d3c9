//! The report formats, which are selected by name or by file extension.

use std::path::Path;

use tacho_analysis::Reported;
use tacho_core::{Error, Result};
use tacho_report::{CsvTable, Format};

/// The formats with their file extensions.
pub(crate) const FORMATS: [(&str, &[&str]); 5] = [
    ("html", &["html", "htm"]),
    ("md", &["md", "markdown"]),
    ("csv", &["csv"]),
    ("json", &["json"]),
    ("junit", &["xml"]),
];

/// Returns the name of the format for a file extension.
pub(crate) fn by_extension(file: &Path) -> Result<&'static str> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    let known = FORMATS.iter().find(|(_, endings)| endings.contains(&extension.as_str()));
    known.map(|(format, _)| *format).ok_or_else(|| {
        Error::usage(format!("unknown file format: {}", file.display()))
            .hint("use the extension .html, .md, .csv, .json or .xml, or --format")
    })
}

/// Returns the format with this name.
pub(crate) fn form(name: &str, table: Option<&str>, report: &Reported) -> Format {
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
