//! Implements `datagenrun`, which writes a schema's rows to flat files.

use std::path::PathBuf;

use tacho_app::{Context, Exit, FilesReport, FilesRequest, Portion, Request, generate};
use tacho_core::Result;
use tacho_driver::FileFormat;
use tacho_store::event::BuildState;
use tacho_store::{Event, Listener};

use super::job;
use super::request::Flags;
use super::transcript::{State, Transcript};
use crate::dictionary::Benchmark;

/// A request to generate files.
#[derive(Clone, Debug)]
pub struct FilesTask {
    /// The settings.
    pub flags: Flags,
    /// The benchmark for which rows are generated.
    pub benchmark: Benchmark,
    /// Number of warehouses, or the scale factor.
    pub size: String,
    /// Number of virtual users, each of which writes its own files.
    pub users: u32,
    /// The output folder, which must exist.
    pub folder: PathBuf,
}

pub(super) fn write(task: &FilesTask, context: &Context, transcript: &Transcript) -> Exit {
    for user in 1..=task.users {
        transcript.is(user, State::Running);
    }
    let written = try_write(task, context, &mut FileLines { task, transcript, begun: false });
    let (state, exit) = match written {
        Ok(report) => {
            tell(task, &report, transcript);
            (State::Success, Exit::Success)
        }
        Err(error) => transcript.fails(1, &error),
    };
    for user in 1..=task.users {
        transcript.is(user, state);
    }
    exit
}

fn try_write(
    task: &FilesTask,
    context: &Context,
    lines: &mut FileLines<'_>,
) -> Result<FilesReport> {
    let job = job(task.flags.clone(), context)?;
    let (folder, format) = (task.folder.clone(), FileFormat::Tbl);
    let request = FilesRequest { folder, format, portion: Portion::WHOLE, noted: false };
    generate(Request::new(&job, context), &request, lines)
}

fn tell(task: &FilesTask, report: &FilesReport, transcript: &Transcript) {
    for file in &report.files {
        let (path, rows) = (file.path.display(), file.rows);
        transcript.says(1, format!("Generated File {path} with {rows} rows"));
    }
    let minutes = report.took.as_secs() / 60;
    let text = match task.benchmark {
        Benchmark::TprocC => {
            format!("{} WAREHOUSE SCHEMA GENERATED in {minutes} MINUTES", task.size)
        }
        Benchmark::TprocH => {
            format!("SCALE FACTOR {} SCHEMA GENERATED in {minutes} MINUTES", task.size)
        }
    };
    transcript.says(1, text);
}

struct FileLines<'a> {
    task: &'a FilesTask,
    transcript: &'a Transcript,
    begun: bool,
}

impl Listener for FileLines<'_> {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => self.transcript.says(1, text.as_str()),
            Event::Build { build } => self.build(build),
            _ => {}
        }
    }
}

impl FileLines<'_> {
    fn build(&mut self, state: &BuildState) {
        if !self.begun {
            self.begun = true;
            self.transcript.says(
                1,
                match self.task.benchmark {
                    Benchmark::TprocC => "Generating Warehouse",
                    Benchmark::TprocH => {
                        "Generating REGION, NATION and the tables that depend on the scale factor"
                    }
                },
            );
        }
        let done = state.rows as f64 / state.all_rows().max(1) as f64 * 100.0;
        self.transcript.says(1, format!("Generated {} rows, {done:.0} percent", state.rows));
    }
}
