//! Writes the rows of a build to flat files. It uses the same generators as a load, but needs no database.
//!
//! Repeating a command produces identical files, because each worker always generates the same units. It writes its
//! own file for each table.
//!
//! Start reading at [`generate`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Schema};
use tacho_driver::{FileFormat, RowSource, Values};
use tacho_store::Listener;
use tacho_workload::Instance;

use crate::build::{Counted, Shared, Watched, all_workers, write_rows};
use crate::clock::clock;
use crate::files::{Portion, WrittenFile, note};
use crate::preparation::new_marker;
use crate::{Request, plan_prepare};

/// The number of bytes in each write.
const PIECE: usize = 1 << 20;

/// The files to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesRequest {
    /// The folder, which is created if it does not exist.
    pub folder: PathBuf,
    /// The file format.
    pub format: FileFormat,
    /// The portion of the rows.
    pub portion: Portion,
    /// True if a description of the files is written to the folder, so that `prepare` can load them.
    pub noted: bool,
}

/// The outcome of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesReport {
    /// The files written.
    pub files: Vec<WrittenFile>,
    /// The time taken.
    pub took: Duration,
}

/// Writes a workload's rows, one file per table and worker. If this fails, removes the files. Never overwrites existing
/// files.
pub fn generate(
    request: Request<'_>,
    files: &FilesRequest,
    listener: &mut dyn Listener,
) -> Result<FilesReport> {
    let Request { job, context } = request;
    if job.sets() > 1 {
        return Err(Error::usage("files can be written for only one table set").hint("omit --sets"));
    }
    let wanted = plan_prepare(job)?;
    let instance = wanted.instance.as_ref();
    let units = files.portion.part(0..instance.units())?;
    let asked = u64::from(job.resolved.plan.load.sessions);
    let workers = asked.clamp(1, (units.end - units.start).max(1));
    let shared = Shared::new(instance, units.clone().collect(), context.interrupt.clone(), 0);
    let first = (files.portion.number - 1) * asked + 1;
    let numbers = first..first + workers;
    let maker =
        Maker { instance, layout: &wanted.layout, request: files, shared: &shared, numbers };
    maker.prepare_folder()?;
    let begin = clock();
    let watched = Watched { shared: &shared, instance, clock: &begin };
    let made = all_workers(workers as usize, watched, listener, |worker, _| {
        let share = Portion { number: worker as u64 + 1, of: workers }.part(units.clone())?;
        maker.work(first + worker as u64, share)
    });
    let made: Vec<WrittenFile> = match made {
        Ok(made) if context.interrupt.interrupt_count() == 0 => {
            made.into_iter().flatten().collect()
        }
        Ok(_) => {
            maker.remove_unfinished();
            return Err(Error::new(ErrorKind::Cancelled, "the files are incomplete")
                .hint("the files written so far were removed; repeat the command to start over"));
        }
        Err(error) => {
            maker.remove_unfinished();
            return Err(explained(error, wanted.bytes / files.portion.of, &files.folder));
        }
    };
    let mut report = FilesReport { took: begin.now().since(Instant(0)), ..FilesReport::default() };
    for one in made {
        let path = one.path.with_extension(files.format.name());
        let renamed = std::fs::rename(&one.path, &path);
        renamed.map_err(|error| failed(error, "name", &path))?;
        report.files.push(WrittenFile { path, ..one });
    }
    report.files.sort();
    if files.noted {
        let data = new_marker(job, &wanted);
        let path = note::path(&files.folder, files.portion);
        note::write(&path, &data, files.format, files.portion, &report.files)?;
    }
    Ok(report)
}

/// Parses a load date in UTC. Returns it as microseconds since 1970.
pub fn load_date(text: &str) -> Result<i64> {
    let date: Option<jiff::civil::DateTime> = text.parse().ok();
    let moment = date.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok());
    moment.map(|moment| moment.timestamp().as_microsecond()).ok_or_else(|| {
        Error::usage(format!("invalid date for --load-date: \"{text}\""))
            .hint("specify the date in UTC, such as 2026-11-25 or 2026-11-25T14:00:00")
    })
}

struct Maker<'a> {
    instance: &'a dyn Instance,
    layout: &'a Schema,
    request: &'a FilesRequest,
    shared: &'a Shared,
    /// The worker numbers, which are part of the file names.
    numbers: Range<u64>,
}

impl Maker<'_> {
    /// Returns the temporary path of the file for a table and worker.
    fn path(&self, table: &str, worker: u64) -> PathBuf {
        let format = self.request.format.name();
        self.request.folder.join(format!("{table}_{worker}.{format}-part"))
    }

    fn prepare_folder(&self) -> Result<()> {
        let folder = &self.request.folder;
        std::fs::create_dir_all(folder).map_err(|error| failed(error, "make", folder))?;
        if self.request.noted {
            require_new(&note::path(folder, self.request.portion))?;
        }
        for table in &self.layout.tables {
            for worker in self.numbers.clone() {
                let path = self.path(table.name, worker).with_extension(self.request.format.name());
                require_new(&path)?;
            }
        }
        Ok(())
    }

    /// Writes the rows of a range of units.
    fn work(&self, worker: u64, units: Range<u64>) -> Result<Vec<WrittenFile>> {
        let mut files: BTreeMap<usize, TableFile> = BTreeMap::new();
        for unit in units {
            if self.shared.stopped() {
                break;
            }
            for slice in self.instance.unit(unit).slices {
                let file = match files.entry(slice.table) {
                    std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
                    std::collections::btree_map::Entry::Vacant(place) => {
                        place.insert(self.open(slice.table, worker)?)
                    }
                };
                let mut source = Counted {
                    source: self.instance.rows(&slice),
                    total: self.shared.counter(slice.table),
                    rows: 0,
                    stop: &|| self.shared.stopped(),
                };
                file.append(&self.layout.tables[slice.table], &mut source)?;
            }
        }
        files.into_values().map(TableFile::finish).collect()
    }

    #[expect(clippy::disallowed_methods, reason = "writes to a folder that the user chose")]
    fn open(&self, table: usize, worker: u64) -> Result<TableFile> {
        let table = &self.layout.tables[table];
        let path = self.path(table.name, worker);
        let file = File::create(&path).map_err(|error| failed(error, "make", &path))?;
        let mut file = TableFile {
            file: BufWriter::with_capacity(PIECE, file),
            format: self.request.format,
            text: Vec::new(),
            batch: Values::default(),
            made: WrittenFile { path, table: table.name, rows: 0, bytes: 0 },
        };
        if file.format == FileFormat::Csv {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            file.text.extend_from_slice((names.join(",") + "\n").as_bytes());
            file.write()?;
        }
        Ok(file)
    }

    /// Removes the files of this command's workers, but not other parts in the same folder.
    fn remove_unfinished(&self) {
        for table in &self.layout.tables {
            for worker in self.numbers.clone() {
                // If a file cannot be removed, its temporary name shows that it is incomplete.
                let _ = std::fs::remove_file(self.path(table.name, worker));
            }
        }
    }
}

fn require_new(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    Err(Error::usage(format!("{} already exists", path.display()))
        .hint("existing files are never overwritten: remove the file, or use another folder"))
}

/// A file that is being written.
struct TableFile {
    file: BufWriter<File>,
    format: FileFormat,
    text: Vec<u8>,
    batch: Values,
    made: WrittenFile,
}

impl TableFile {
    fn append(&mut self, table: &tacho_core::Table, source: &mut dyn RowSource) -> Result<()> {
        loop {
            self.batch.clear();
            let rows = source.next_batch(&mut self.batch);
            if rows == 0 {
                return source.error().map_or(Ok(()), Err);
            }
            write_rows(table, &self.batch, self.format, &mut self.text)?;
            self.made.rows += rows as u64;
            self.write()?;
        }
    }

    fn write(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.text);
        written.map_err(|error| failed(error, "write", &self.made.path))?;
        self.made.bytes += self.text.len() as u64;
        self.text.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<WrittenFile> {
        self.file.flush().map_err(|error| failed(error, "write", &self.made.path))?;
        Ok(self.made)
    }
}

fn failed(error: std::io::Error, what: &str, path: &Path) -> Error {
    Error::from(error).during(format!("{what} {}", path.display()))
}

/// Adds a hint to an error, for example if the disk is full.
fn explained(error: Error, bytes: u64, folder: &Path) -> Error {
    let needed = tacho_core::units::bytes(bytes);
    match error.kind() {
        ErrorKind::Resource => error.hint(format!(
            "the files need about {needed}: free space in {}, or use a folder on another disk; \
                the files written so far were removed",
            folder.display()
        )),
        _ => error.hint("the written files were removed"),
    }
}
