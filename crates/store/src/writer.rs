//! Writes the files of a run while it is in progress.
//!
//! A write failure must never stop the run, and `run.json` must never be truncated.
//!
//! Start reading at [`RunWriter::create`] and [`RunWriter::finish`].
#![expect(clippy::disallowed_methods, reason = "this crate writes the run files")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tacho_core::{Error, ErrorKind, Result, Seed};

use crate::histograms::{HistogramFile, Measured, SessionHistogram};
use crate::intervals::IntervalFile;
use crate::lock::{EditLock, RunLock};
use crate::record::{FORMAT, HostIntervalRecord, Record, RunState, VERSION};
use crate::tag::check_tag;
use crate::{
    IntervalRecord, ServerIntervalRecord, Store, atomic, entry, failure, folder, id, reserve, seal,
};

/// The files of a run in progress.
///
/// Until [`keep`](Self::keep) is called, dropping a writer removes its folder. After that, an
/// incomplete run remains.
pub struct RunWriter {
    id: String,
    folder: PathBuf,
    files: Files,
    failure: Option<Error>,
    lock: RunLock,
    /// True if the folder must be kept.
    kept: bool,
}

struct Files {
    intervals: IntervalFile,
    /// The file for the server's activity. It is created when the first line is written, because the server is not
    /// monitored in every run.
    server: Option<IntervalFile>,
    hosts: Option<IntervalFile>,
    folder: PathBuf,
    histograms: HistogramFile,
    /// Start of the run. Offsets in the histogram log are relative to this time.
    started: SystemTime,
    log: File,
    log_path: PathBuf,
}

impl RunWriter {
    /// Creates the folder and its files. This happens before the run starts, so that a write
    /// failure is noticed early.
    ///
    /// Sets the record's id, format, version and state. The id is drawn from `id_seed`.
    pub fn create(store: &Store, mut record: Record, id_seed: Seed) -> Result<Self> {
        folder::started(&record.started_at)?;
        record.tags.iter().try_for_each(|tag| check_tag(tag))?;
        let runs = store.path();
        fs::create_dir_all(runs).map_err(failure::writing(runs))?;
        // The lock prevents two runs that start at the same time from drawing the same id.
        let lock = EditLock::take(runs)?;
        record.id = id::draw(id_seed, &store.ids()?);
        let folder = runs.join(folder::name(&record));
        fs::create_dir(&folder).map_err(failure::writing(&folder))?;
        let run_lock = RunLock::take(&folder);
        // Only now, so that `prune` never sees a folder that is being created without its lock.
        drop(lock);
        run_lock.and_then(|lock| Self::fill(folder.clone(), record, lock)).inspect_err(|_| {
            // If the run never starts, remove everything that was created for it.
            let _ = fs::remove_dir_all(&folder);
        })
    }

    fn fill(folder: PathBuf, record: Record, lock: RunLock) -> Result<Self> {
        reserve::take(&folder)?;
        let id = record.id.clone();
        let files = Files::create(&folder, &record)?;
        write_record(&folder, &sealed(record, &id, RunState::Incomplete), Some(BTreeMap::new()))?;
        Ok(Self { id, folder, files, failure: None, lock, kept: false })
    }

    /// Returns the run's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the first write failure, if any. The run continues after such a failure, but its
    /// record should mention it.
    pub fn failed(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Appends an interval. Returns an error only for the first failure; after that, does nothing.
    pub fn interval(&mut self, interval: &IntervalRecord) -> Result<()> {
        self.step(|files| files.intervals.append(interval))
    }

    /// Appends the server's activity in an interval. After the first failure, does nothing.
    pub fn server(&mut self, interval: &ServerIntervalRecord) -> Result<()> {
        self.step(|files| files.server()?.append(interval))
    }

    /// Appends an observed machine's activity in an interval. After the first failure, does nothing.
    pub fn host(&mut self, interval: &HostIntervalRecord) -> Result<()> {
        self.step(|files| files.hosts()?.append(interval))
    }

    /// Appends the histograms of a part of the measured phase. After the first failure, does nothing.
    pub fn histograms(
        &mut self,
        start: Duration,
        length: Duration,
        measured: &[Measured<'_>],
    ) -> Result<()> {
        self.step(|files| files.histograms.append(start, length, measured))
    }

    /// Writes each virtual user's service times in the measured phase. After the first failure, does nothing.
    pub fn session_times(
        &mut self,
        start: Duration,
        length: Duration,
        times: &[SessionHistogram],
    ) -> Result<()> {
        self.step(|files| {
            let mut log = HistogramFile::create(&files.folder, folder::SESSIONS, files.started)?;
            let tagged = times.iter().map(|times| (times.tag(), &times.service));
            log.append_tagged(start, length, tagged)?;
            log.sync()
        })
    }

    /// Appends a line to the log, with a time relative to the start of the run. After the first failure, does nothing.
    pub fn log(&mut self, at: Duration, line: &str) -> Result<()> {
        self.step(|files| files.log(at, line))
    }

    /// Completes the interval, histogram and log files. If this fails, [`finish`](Self::finish) can still record the
    /// failure.
    pub fn close(&mut self) -> Result<()> {
        self.step(Files::close)
    }

    /// Writes the final record with the current tags and note, and returns the folder. If writing fails, uses the
    /// reserved disk space.
    pub fn finish(mut self, record: Record) -> Result<PathBuf> {
        self.keep();
        // Ignore the result. The writer stores the failure, and the record must be written in any
        // case.
        let _ = self.close();
        reserve::release(&self.folder);
        // If the folder was removed, it is created again. No lock is needed in that case, because no other process can
        // be changing the record.
        let _lock = self.folder.exists().then(|| EditLock::take(&self.folder)).transpose()?;
        let record = with_edits(record, &self.folder);
        let checksums = seal::of_files(&self.folder);
        write_record(&self.folder, &sealed(record, &self.id, RunState::Complete), Some(checksums))?;
        self.lock.release();
        Ok(std::mem::take(&mut self.folder))
    }

    /// Keeps the folder when the writer is dropped.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    fn step(&mut self, write: impl FnOnce(&mut Files) -> Result<()>) -> Result<()> {
        if self.failure.is_some() {
            return Ok(());
        }
        write(&mut self.files).inspect_err(|error| self.failure = Some(failure::again(error)))
    }
}

impl Drop for RunWriter {
    fn drop(&mut self) {
        if self.kept || std::thread::panicking() {
            return;
        }
        self.lock.release();
        // Ignore errors here, because the error that ended the run is more important.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Files {
    fn create(folder: &Path, record: &Record) -> Result<Self> {
        let log_path = folder.join(folder::LOG);
        let log = File::create(&log_path).map_err(failure::writing(&log_path))?;
        let started = folder::started(&record.started_at)?;
        let histograms = HistogramFile::create(folder, folder::HISTOGRAMS, started)?;
        let intervals = IntervalFile::create(folder, folder::INTERVALS)?;
        let folder = folder.to_owned();
        Ok(Self {
            intervals,
            server: None,
            hosts: None,
            folder,
            histograms,
            started,
            log,
            log_path,
        })
    }

    fn server(&mut self) -> Result<&mut IntervalFile> {
        if self.server.is_none() {
            self.server = Some(IntervalFile::create(&self.folder, folder::SERVER)?);
        }
        self.server.as_mut().ok_or_else(|| Error::new(ErrorKind::Other, "no file of the server"))
    }

    fn hosts(&mut self) -> Result<&mut IntervalFile> {
        if self.hosts.is_none() {
            self.hosts = Some(IntervalFile::create(&self.folder, folder::HOSTS)?);
        }
        self.hosts.as_mut().ok_or_else(|| Error::new(ErrorKind::Other, "no file of the hosts"))
    }

    fn log(&mut self, at: Duration, line: &str) -> Result<()> {
        // Indents the continuation lines of an entry, so that each unindented line starts an entry.
        let line = line.trim_end().replace('\n', "\n           ");
        let line = format!("{:>10.3} {line}\n", at.as_secs_f64());
        self.log.write_all(line.as_bytes()).map_err(failure::writing(&self.log_path))
    }

    fn close(&mut self) -> Result<()> {
        self.intervals.close()?;
        for file in [&mut self.server, &mut self.hosts].into_iter().flatten() {
            file.close()?;
        }
        self.histograms.sync()?;
        self.log.sync_data().map_err(failure::writing(&self.log_path))
    }
}

fn sealed(record: Record, id: &str, state: RunState) -> Record {
    Record { format: FORMAT.into(), version: VERSION, id: id.into(), state, ..record }
}

/// Reads the tags and the note again, because a user may have changed them during the run.
fn with_edits(record: Record, folder: &Path) -> Record {
    match entry::load(folder) {
        Ok((on_disk, _)) => Record { tags: on_disk.tags, note: on_disk.note, ..record },
        Err(_) => record,
    }
}

/// Replaces the record in a folder. `checksums` contains those of the run's other files, or is `None` for a record of
/// an older version.
pub(crate) fn write_record(
    folder: &Path,
    record: &Record,
    checksums: Option<BTreeMap<String, String>>,
) -> Result<()> {
    let text = match checksums {
        Some(files) => seal::sealed(record, files)?,
        None => seal::plain(record)?,
    };
    atomic::replace(&folder.join(folder::RECORD), &text)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::record::{HostRecord, PlanRecord, ServerRecord};

    fn record() -> Record {
        Record {
            format: String::new(),
            version: 0,
            id: String::new(),
            state: RunState::Incomplete,
            started_at: "2026-03-02T10:14:05Z".into(),
            tags: Vec::new(),
            note: None,
            tool_version: String::new(),
            plan: PlanRecord::default(),
            host: HostRecord::default(),
            server: ServerRecord::default(),
            data: None,
            result: None,
            repaired: false,
        }
    }

    #[test]
    fn full_disks_are_reported_once_and_the_record_is_written() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path());
        let mut writer = RunWriter::create(&store, record(), Seed(1)).unwrap();
        writer.files.log = File::options().write(true).open("/dev/full").unwrap();
        let error = writer.log(Duration::ZERO, "lost").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Resource);
        assert!(error.hints()[0].contains("free space"), "{error}");
        assert!(writer.log(Duration::ZERO, "lost too").is_ok());
        assert_eq!(writer.failed().map(ToString::to_string), Some(error.to_string()));
        writer.finish(record()).unwrap();
        assert_eq!(store.find("latest").unwrap().state(), "complete");
    }
}
