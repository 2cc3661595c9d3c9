//! The jobs repository: what each build, check, removal and run said, and which run record it has
//! left.
//!
//! A job is one file below `hammerdb/` in the data folder, so two scripts at once never share one.
//! Figures are not kept here: they are read from the run's record. Passwords are never kept. Start
//! reading at [`Jobs`].

mod answers;
mod chart;
mod file;
mod profiles;
mod queries;
mod report;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tacho_core::Result;
use tacho_store::{Run, Store};

pub use answers::plain;
pub use chart::escaped;
use file::JobFile;
pub use file::{Sample, new_id};

use crate::clock;
use crate::dictionary::Dictionary;

/// The line that ends all virtual users, and the status of a job.
pub const ALL_COMPLETE: &str = "ALL VIRTUAL USERS COMPLETE";

/// All jobs of a data folder, and the one that is still running.
pub struct Jobs {
    folder: PathBuf,
    store: Store,
    /// Data folders of sessions that began elsewhere.
    others: Vec<PathBuf>,
    current: Option<JobFile>,
    /// The id of the job that is running, or of the last one of this session.
    last: String,
}

/// Where the jobs of a data folder are.
fn folder_of(data: &Path) -> PathBuf {
    data.join("hammerdb")
}

/// What is known of a job when it begins.
pub struct Beginning<'a> {
    /// Its id, if something bears it already.
    pub id: Option<String>,
    /// `build`, `check`, `delete` or `run`.
    pub kind: &'static str,
    /// The dictionary in use.
    pub dictionary: &'a Dictionary,
    /// Virtual users without the monitor.
    pub users: u32,
    /// The performance profile; 0 for none.
    pub profile: u64,
}

impl Jobs {
    /// The jobs below a data folder. Nothing is touched yet.
    pub fn open(data: &Path) -> Self {
        let (folder, last) = (folder_of(data), String::new());
        Self { folder, store: Store::open(data), others: Vec::new(), current: None, last }
    }

    /// Shows the jobs below these data folders too.
    pub fn also(&mut self, others: Vec<PathBuf>) {
        let own = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        self.others = others;
        self.others.retain(|data| folder_of(data) != own);
    }

    /// Where they are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins a job and gives its id.
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
            folder: self.folder.clone(),
            ..JobFile::default()
        };
        job.write(&self.folder)?;
        let id = job.jobid.clone();
        self.last.clone_from(&id);
        self.current = Some(job);
        Ok(id)
    }

    /// The id of the job that is running.
    pub fn current_id(&self) -> Option<&str> {
        self.current.as_ref().map(|job| job.jobid.as_str())
    }

    /// The id of the job that is running, or of the last one of this session; empty if there was none.
    pub fn last_id(&self) -> &str {
        &self.last
    }

    /// Keeps a line of a virtual user of the job that is running; 0 stands for states.
    pub fn says(&mut self, user: u32, text: &str) {
        if let Some(job) = &mut self.current {
            job.output.push((user, text.to_owned()));
        }
    }

    /// Notes the run record that the job has begun.
    pub fn record(&mut self, run: &str) {
        if let Some(job) = &mut self.current {
            job.runs.push(run.to_owned());
        }
    }

    /// Keeps a value of the transaction counter.
    pub fn count(&mut self, metric: &str, value: u64) {
        if let Some(job) = &mut self.current {
            metric.clone_into(&mut job.counter);
            job.tcount.push((clock::stamp(), value));
        }
    }

    /// Keeps a sample of the machine's load.
    pub fn sample(&mut self, sample: Sample) {
        if let Some(job) = &mut self.current {
            job.metrics.push(sample);
        }
    }

    /// Ends the job that is running.
    pub fn end(&mut self, success: bool) -> Result<()> {
        let Some(mut job) = self.current.take() else { return Ok(()) };
        job.status = if success { "SUCCESS" } else { "FAILED" }.into();
        job.write(&self.folder)
    }

    /// All jobs, oldest first. A file that cannot be read is left out.
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

    /// The job of this id; the text of an error if there is none.
    fn find(&self, id: &str) -> std::result::Result<JobFile, String> {
        let found = self.all().into_iter().find(|job| job.jobid == id);
        found.ok_or_else(|| format!("Jobid {id} does not exist"))
    }

    /// The last run record of a job, if it still exists.
    fn run(&self, job: &JobFile) -> Option<Run> {
        let id = job.runs.last()?;
        if job.folder == self.folder {
            return self.store.find(id).ok();
        }
        Store::open(job.folder.parent()?).find(id).ok()
    }

    /// NOPM and TPM of a job: from the record, or, if that was pruned, from what the job said.
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
