//! The file of a single job.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tacho_core::{Error, Result, replace_file};

/// Value of `format` in the file.
const FORMAT: &str = "tacho-hammerdb-job";
/// Version of the format.
const VERSION: u32 = 1;

/// The average load on the machine over a few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Date of the sample.
    pub timestamp: String,
    /// Percentage of the total CPU time spent in user programs.
    pub usr: f64,
    /// Percentage of the total CPU time spent in the kernel.
    pub sys: f64,
    /// Percentage of the total CPU time spent in interrupts.
    pub irq: f64,
    /// Idle percentage.
    pub idle: f64,
    /// Transfers per second on all disks.
    pub iops: f64,
    /// Total transfer rate of all disks, in megabytes per second.
    pub mbps: f64,
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobFile {
    /// Always `tacho-hammerdb-job`.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The job's ID, which has 24 hexadecimal digits. The job's run records are tagged with it.
    pub jobid: String,
    /// `build`, `check`, `delete` or `run`.
    pub kind: String,
    /// Name of the database.
    pub db: String,
    /// `TPC-C` or `TPC-H`.
    pub bm: String,
    /// Date when the job was started.
    pub timestamp: String,
    /// Number of the performance profile, or 0 if there is none.
    pub profile_id: u64,
    /// Number of virtual users, excluding the monitor.
    pub activevu: u32,
    /// `RUNNING`, `SUCCESS` or `FAILED`.
    pub status: String,
    /// Ids of the run records.
    pub runs: Vec<String>,
    /// The configuration by section, in the dictionary's order, with passwords masked.
    pub dict: Map<String, Value>,
    /// Output lines. The number is that of the virtual user, or 0 for a line about the job's status.
    pub output: Vec<(u32, String)>,
    /// Name of the transaction counter's metric.
    pub counter: String,
    /// Readings of the transaction counter, each with its date.
    pub tcount: Vec<(String, u64)>,
    /// Samples of the machine's load.
    pub metrics: Vec<Sample>,
    /// True if the transaction times must be stored in HammerDB's job database.
    #[serde(skip)]
    pub stores_timing: bool,
    /// The folder that contains the file.
    #[serde(skip)]
    pub folder: std::path::PathBuf,
}

impl JobFile {
    /// Returns true if this is a TPROC-H job.
    pub fn asks_queries(&self) -> bool {
        self.bm == "TPC-H"
    }

    /// Writes the whole file.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(format!("{}.json", self.jobid));
        let job = Self { format: FORMAT.into(), version: VERSION, ..self.clone() };
        let text = serde_json::to_string_pretty(&job).unwrap_or_default();
        std::fs::create_dir_all(folder)
            .and_then(|()| replace_file(&path, text.as_bytes(), &std::fs::File::options()))
            .map_err(|error| {
                Error::from(error).during(format!("write the job {}", path.display())).hint(
                    "use --dir to choose a writable folder, or disable jobs \
                     for the next script with jobs disable 1",
                )
            })
    }

    /// Reads all job files in a folder. Files that cannot be read are skipped.
    pub fn read_all(folder: &Path) -> Vec<Self> {
        let Ok(entries) = folder.read_dir() else { return Vec::new() };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
        let jobs = paths.filter_map(|path| {
            let text = tacho_core::file::text(&path, tacho_core::file::RECORD_MAX).ok()?;
            let job: Self = serde_json::from_str(&text).ok()?;
            // Skip a job whose ID differs from its file's name, because the ID is used to find the file for writing and
            // removing.
            let is_own = path.file_stem().is_some_and(|stem| stem == job.jobid.as_str());
            is_own.then_some(job)
        });
        let jobs = jobs.filter(|job| job.format == FORMAT);
        jobs.map(|job| Self { folder: folder.to_owned(), ..job }).collect()
    }

    /// Removes the file.
    pub fn remove(&self, folder: &Path) -> Result<()> {
        let path = folder.join(format!("{}.json", self.jobid));
        std::fs::remove_file(&path).map_err(|error| {
            Error::from(error)
                .during(format!("remove the job {}", path.display()))
                .hint("remove the file manually")
        })
    }
}

/// Returns a new ID of upper-case hexadecimal digits. It starts with the time, so that sorting IDs also sorts them by
/// age.
pub fn new_id() -> String {
    let now = tacho_collect::wall_clock();
    let chance = RandomState::new().hash_one((now.as_nanos(), std::process::id()));
    format!("{:08X}{:08X}{:08X}", now.as_secs() as u32, now.subsec_nanos(), chance as u32)
}

/// Returns the NOPM and TPM from a result line, which may contain them in either order.
pub fn numbers(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once("achieved ")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let before = |unit: &str| {
        let place = words.iter().position(|word| *word == unit)?;
        words[..place].iter().rev().find_map(|word| word.parse().ok())
    };
    Some((before("NOPM")?, before("TPM")?))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the test writes files")]

    use super::*;

    #[test]
    fn results_are_read_in_both_orders() {
        let table = [
            "TEST RESULT : System achieved 26201 NOPM from 60673 SQL Server TPM",
            "TEST RESULT : System achieved 60673 SQL Server TPM at 26201 NOPM",
        ];
        for line in table {
            assert_eq!(numbers(line), Some((26_201, 60_673)), "{line}");
        }
        assert_eq!(numbers("Test stopped"), None);
    }

    #[test]
    fn ids_have_24_digits_and_differ() {
        let (a, b) = (new_id(), new_id());
        assert!(a != b && a.len() == 24, "{a} {b}");
        assert!(a < b && a.chars().all(|c| matches!(c, '0'..='9' | 'A'..='F')), "{a} {b}");
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let job = JobFile {
            format: FORMAT.into(),
            version: VERSION,
            jobid: new_id(),
            output: vec![(1, "a \"b\"".into())],
            folder: folder.path().to_owned(),
            ..JobFile::default()
        };
        job.write(folder.path()).expect("written");
        let elsewhere = JobFile { jobid: "../victim".into(), ..job.clone() };
        let text = serde_json::to_string(&elsewhere).expect("JSON");
        std::fs::write(folder.path().join("forged.json"), text).expect("written");
        assert_eq!(JobFile::read_all(folder.path()), std::slice::from_ref(&job));
        job.remove(folder.path()).expect("removed");
        assert!(JobFile::read_all(folder.path()).is_empty());
    }
}
