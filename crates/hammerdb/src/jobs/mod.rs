//! The jobs repository, which stores the output of builds, checks, deletions and runs.
//!
//! Each job has its own file below `hammerdb/` in the data folder, so parallel scripts never share a file. Users' own
//! scripts read a copy in HammerDB's job database. Passwords are not stored.
//!
//! Start reading at [`Jobs`].

mod answers;
mod chart;
mod database;
mod file;
mod profiles;
mod queries;
mod report;
mod rows;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tacho_core::Result;
use tacho_store::{Run, Store};

pub use answers::plain;
pub use chart::escaped;
use database::JobDatabase;
use file::JobFile;
pub use file::{Sample, new_id};

use crate::clock;
use crate::dictionary::Dictionary;

/// The last output line of a virtual user that finished successfully. It also becomes the job's status.
pub const ALL_COMPLETE: &str = "ALL VIRTUAL USERS COMPLETE";

/// All jobs in a data folder, and the job that is currently running.
pub struct Jobs {
    folder: PathBuf,
    store: Store,
    /// Data folders used by sessions that were started elsewhere.
    others: Vec<PathBuf>,
    current: Option<JobFile>,
    /// HammerDB's job database.
    pub database: JobDatabase,
    /// ID of the running job or, if no job is running, of the last job of this session.
    last: String,
}

fn folder_of(data: &Path) -> PathBuf {
    data.join("hammerdb")
}

/// Properties of a job that are known at its start.
pub struct Beginning<'a> {
    /// The job's ID, if one has been assigned already, for example because it is used as a tag.
    pub id: Option<String>,
    /// `build`, `check`, `delete` or `run`.
    pub kind: &'static str,
    /// The dictionary in use.
    pub dictionary: &'a Dictionary,
    /// Number of virtual users, excluding the monitor.
    pub users: u32,
    /// The performance profile, or 0 if there is none.
    pub profile: u64,
}

impl Jobs {
    /// Opens the job repository below a data folder. Does not access any files yet.
    pub fn open(data: &Path) -> Self {
        let (folder, last) = (folder_of(data), String::new());
        let (store, database) = (Store::open(data), JobDatabase::default());
        Self { folder, store, others: Vec::new(), current: None, database, last }
    }

    /// Adds the jobs below these data folders.
    pub fn also(&mut self, others: Vec<PathBuf>) {
        let folder = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        self.others = others;
        self.others.retain(|data| folder_of(data) != folder);
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts a job and returns its id.
    pub fn begin(&mut self, beginning: &Beginning<'_>) -> Result<String> {
        let dictionary = beginning.dictionary;
        let shown = dictionary.shown().into_iter().map(|(section, pairs)| {
            let pairs = pairs.into_iter().map(|(key, value)| (key.to_owned(), value.into()));
            (section.to_owned(), Value::Object(pairs.collect()))
        });
        let job = JobFile {
            jobid: beginning.id.clone().unwrap_or_else(new_id),
            kind: beginning.kind.into(),
            db: dictionary.database().name.into(),
            bm: dictionary.benchmark.inner_name().into(),
            timestamp: clock::stamp(),
            profile_id: beginning.profile,
            activevu: beginning.users,
            dict: shown.collect(),
            status: "RUNNING".into(),
            stores_timing: dictionary.generic("timeprofile", "xt_job_storage") != "0",
            folder: self.folder.clone(),
            ..JobFile::default()
        };
        job.write(&self.folder)?;
        self.store_beginning(&job);
        let id = job.jobid.clone();
        self.last.clone_from(&id);
        self.current = Some(job);
        Ok(id)
    }

    /// Returns the ID of the running job, if any.
    pub fn current_id(&self) -> Option<&str> {
        self.current.as_ref().map(|job| job.jobid.as_str())
    }

    /// Returns the ID of the running job or of this session's last job. Empty if there is none.
    pub fn last_id(&self) -> &str {
        &self.last
    }

    /// Adds an output line to the running job. Status lines belong to user 0.
    pub fn says(&mut self, user: u32, text: &str) {
        if let Some(job) = &mut self.current {
            job.output.push((user, text.to_owned()));
        }
    }

    /// Adds the ID of a run record to the job that created it.
    pub fn record(&mut self, run: &str) {
        if let Some(job) = &mut self.current {
            job.runs.push(run.to_owned());
        }
    }

    /// Stores a value of the transaction counter.
    pub fn count(&mut self, metric: &str, value: u64) {
        if let Some(job) = &mut self.current {
            metric.clone_into(&mut job.counter);
            job.tcount.push((clock::stamp(), value));
        }
    }

    /// Stores a sample of the machine's load.
    pub fn sample(&mut self, sample: Sample) {
        if let Some(job) = &mut self.current {
            job.metrics.push(sample);
        }
    }

    /// Ends the running job.
    pub fn end(&mut self, success: bool) -> Result<()> {
        let Some(mut job) = self.current.take() else { return Ok(()) };
        job.status = if success { "SUCCESS" } else { "FAILED" }.into();
        let written = job.write(&self.folder);
        self.store_ended(&job);
        written
    }

    /// Returns all jobs, the oldest first. Files that cannot be read are left out.
    fn all(&self) -> Vec<JobFile> {
        let mut jobs = JobFile::read_all(&self.folder);
        jobs.extend(self.others.iter().flat_map(|data| JobFile::read_all(&folder_of(data))));
        if let Some(current) = &self.current {
            jobs.retain(|job| job.jobid != current.jobid);
            jobs.push(current.clone());
        }
        jobs.sort_by(|a, b| (&a.timestamp, &a.jobid).cmp(&(&b.timestamp, &b.jobid)));
        jobs
    }

    /// Returns the job with this ID, or an error message if it does not exist.
    fn find(&self, id: &str) -> std::result::Result<JobFile, String> {
        let found = self.all().into_iter().find(|job| job.jobid == id);
        found.ok_or_else(|| format!("Jobid {id} does not exist"))
    }

    /// Returns a job's last run record, if it still exists.
    fn run(&self, job: &JobFile) -> Option<Run> {
        let id = job.runs.last()?;
        if job.folder == self.folder {
            return self.store.find(id).ok();
        }
        Store::open(job.folder.parent()?).find(id).ok()
    }

    /// Returns a job's NOPM and TPM from its run record or, if the record was pruned, from its output.
    fn result(&self, job: &JobFile) -> Option<(u64, u64)> {
        let said = job.output.iter().rev().find(|(_, text)| text.starts_with("TEST RESULT"))?;
        let measured = self.run(job).and_then(|run| {
            let result = run.record.result?;
            let nopm = result.headline?.per_minute.round() as u64;
            Some((nopm, result.tpm?.per_minute.round() as u64))
        });
        measured.or_else(|| file::numbers(&said.1))
    }
}
