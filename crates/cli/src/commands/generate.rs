//! The `tacho generate` command.

use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Exit, FilesReport, FilesRequest, Portion, Request, WrittenFile};
use tacho_core::{Error, Result};
use tacho_driver::FileFormat;
use tacho_report::{Built, FileSize, TextOptions, built};

use super::{print_result, request, text};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job_with(&["workload"], matches, world)?;
    job.load_date = text(matches, "load_date").map(tacho_app::load_date).transpose()?;
    let folder = text(matches, "to").map(PathBuf::from).unwrap_or_default();
    let format = text(matches, "format").and_then(FileFormat::from_name);
    let request = FilesRequest {
        folder: world.folder.join(folder),
        format: format.unwrap_or(FileFormat::Csv),
        portion: text(matches, "part").map_or(Ok(Portion::WHOLE), portion)?,
        noted: true,
    };
    let mut progress = progress(text(matches, "progress").unwrap_or("auto"), None, world);
    let report = tacho_app::generate(Request::new(&job, &context), &request, progress.as_mut())?;
    print_result(&as_json(&report), matches, printer, |_, options| as_text(&report, options))?;
    Ok(Exit::Success)
}

fn portion(text: &str) -> Result<Portion> {
    let pair = text.split_once('/').and_then(|(number, of)| {
        Some(Portion { number: number.trim().parse().ok()?, of: of.trim().parse().ok()? })
    });
    pair.ok_or_else(|| {
        Error::usage(format!("--part {text}")).hint("use --part 3/8 for the third of eight parts")
    })
}

fn as_text(report: &FilesReport, options: &TextOptions) -> String {
    let files = report.files.iter();
    let files = files.map(|file| FileSize { path: &file.path, rows: file.rows, bytes: file.bytes });
    let files: Vec<FileSize<'_>> = files.collect();
    built(Built::Files { files: &files, took: report.took }, &[], &[], options)
}

fn as_json(report: &FilesReport) -> serde_json::Value {
    let files = report.files.iter().map(|WrittenFile { path, table, rows, bytes }| {
        json!({
            "path": path.display().to_string(), "table": table, "rows": rows, "bytes": bytes,
        })
    });
    json!({ "files": files.collect::<Vec<_>>(), "took_s": report.took.as_secs_f64() })
}
