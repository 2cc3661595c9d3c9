//! The `tacho timing` command.

use std::path::Path;

use clap::ArgMatches;
use tacho_analysis::Timing;
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_report::{Text, json, timing_csv, timing_xlsx};
use tacho_store::{Run, histogram_log, read_all_intervals, read_histograms};

use super::{print_result, text};
use crate::printer::{Printer, say};
use crate::world::World;

/// The file formats. The extension of a file's name selects its format.
#[derive(Clone, Copy)]
enum Format {
    Spreadsheet,
    Csv,
    Json,
    HistogramLog,
}

const FORMATS: [(&str, Format); 4] = [
    ("xlsx", Format::Spreadsheet),
    ("csv", Format::Csv),
    ("json", Format::Json),
    ("hlog", Format::HistogramLog),
];

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let files = matches.get_many::<String>("export").into_iter().flatten();
    let files: Vec<(&String, Format)> =
        files.map(|file| Ok((file, format(file)?))).collect::<Result<_>>()?;
    let store = world.context(text(matches, "dir")).store();
    let run = store.find(text(matches, "run").unwrap_or("latest"))?;
    let timing =
        Timing::of(&run.record, &read_histograms(&run.path)?, read_all_intervals(&run.path)?)?;
    for (file, format) in files {
        write(&world.folder.join(file), &content(format, &timing, &run)?)?;
        say(&format!("Saved  {file}"));
    }
    print_result(&timing, matches, printer, Text::text)?;
    Ok(Exit::Success)
}

fn format(file: &str) -> Result<Format> {
    let extension =
        Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let known = FORMATS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
    known.map(|(_, format)| *format).ok_or_else(|| {
        Error::usage(format!("unknown file format: {file}"))
            .hint("use the extension .xlsx, .csv, .json or .hlog")
    })
}

fn content(format: Format, timing: &Timing, run: &Run) -> Result<Vec<u8>> {
    match format {
        Format::Spreadsheet => timing_xlsx(timing),
        Format::Csv => Ok(timing_csv(timing).into_bytes()),
        Format::Json => json(timing).map(String::into_bytes),
        Format::HistogramLog => histogram_log(&run.path),
    }
}

#[expect(clippy::disallowed_methods, reason = "writes a file that the user requested")]
fn write(path: &Path, content: &[u8]) -> Result<()> {
    std::fs::write(path, content).map_err(|error| {
        Error::usage(error.to_string())
            .source(error)
            .during(format!("write {}", path.display()))
            .hint("use a file in a folder that exists and is writable")
    })
}
