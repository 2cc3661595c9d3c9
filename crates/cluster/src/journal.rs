//! A file in which an agent saves its measurement. It is needed if the coordinator is lost.
//!
//! With each interval, a line is added to the file. It thus contains the run up to the last complete interval.
//! Once the coordinator has received everything, the file is removed.
//!
//! Start reading at [`Journal::create`].

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_core::{Error, ErrorKind, Result};
use tacho_engine::Share;

use crate::member::has_absurd_number;
use crate::{Ending, Part, Records};

const FORMAT: &str = "tacho-share";
const VERSION: u32 = 1;
/// Maximum length of a journal line. Each line contains the records of one host in one interval, and a longer line is
/// invalid.
const LINE_MAX: u64 = tacho_core::file::RECORD_MAX;

/// The first line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    run: String,
    host: String,
    share: Share,
    briefing: Value,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// First error in writing, for example because the disk is full.
    failed: Option<Error>,
}

/// The content of a journal.
#[derive(Debug)]
pub struct Saved {
    /// ID of the run.
    pub run: String,
    /// Name of the agent.
    pub host: String,
    /// The agent's share.
    pub share: Share,
    /// The agent's instructions.
    pub briefing: Value,
    /// The records of the intervals.
    pub records: Vec<Records>,
    /// The final results, if the run was completed.
    pub end: Option<Ending>,
    /// True if the last line is truncated.
    pub cut: bool,
}

impl Journal {
    /// Creates a journal in `folder` that only its owner can read. `turn` says how many times the share has been taken
    /// over.
    pub fn create(
        folder: &Path,
        run: &str,
        host: &str,
        share: Share,
        turn: u32,
        briefing: &Value,
    ) -> Result<Self> {
        // The ID becomes part of a file name, so check it, because it came over the network.
        if run.is_empty() || !run.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(Error::new(ErrorKind::Protocol, format!("invalid run id \"{run}\""))
                .hint("use the same build on all hosts"));
        }
        std::fs::create_dir_all(folder)?;
        // If a lost host used the same folder, it has already saved this share there. The number of takeovers in the
        // name keeps the two files apart.
        let turn = if turn == 0 { String::new() } else { format!("-{turn}") };
        let path = folder.join(format!("{run}-{}{turn}.jsonl", share.place + 1));
        let during = |error: std::io::Error| {
            Error::from(error)
                .during(format!("write {}", path.display()))
                .hint("use --dir to choose a writable folder with enough space")
        };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(during)?;
        let (format, version) = (FORMAT.to_owned(), VERSION);
        let (run, host, briefing) = (run.to_owned(), host.to_owned(), briefing.clone());
        let head = Head { format, version, run, host, share, briefing };
        let mut journal = Self { path: path.clone(), file, failed: None };
        journal.line(&head);
        match journal.failed.take() {
            Some(error) => {
                let _ = std::fs::remove_file(&path);
                Err(error.during(format!("write {}", path.display())))
            }
            None => Ok(journal),
        }
    }

    /// Appends a part of the measurement. Writes nothing more after the first error.
    pub fn add(&mut self, part: &Part) {
        if self.failed.is_none() {
            self.line(part);
        }
    }

    fn line(&mut self, what: &impl Serialize) {
        let written = serde_json::to_string(what).map_err(std::io::Error::from);
        let written = written.and_then(|text| self.file.write_all(format!("{text}\n").as_bytes()));
        self.failed = written.err().map(Error::from);
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the error that made the file incomplete, if any.
    pub fn failed(&self) -> Option<&Error> {
        self.failed.as_ref()
    }

    /// Removes the file after the coordinator has received everything.
    pub fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_dir_all(notes_of(&self.path));
    }
}

/// Returns the folder with the notes about commits. It is next to the share's file.
pub fn notes_of(share: &Path) -> PathBuf {
    share.with_extension("commits")
}

impl Saved {
    /// Reads a journal to its end, or up to the first truncated or invalid line.
    pub fn read(path: &Path) -> Result<Self> {
        let during = |error: Error| error.during(format!("read {}", path.display()));
        let mut lines =
            BufReader::new(tacho_core::file::open(path).map_err(|error| during(error.into()))?);
        let head = line(&mut lines)
            .map_err(during)?
            .and_then(|text| serde_json::from_str::<Head>(&text).ok());
        let Some(head) = head.filter(|head| head.format == FORMAT) else {
            let text = "this file was not saved by an agent";
            return Err(during(
                Error::new(ErrorKind::Protocol, text)
                    .hint("use the path that the agent printed when it lost the coordinator"),
            ));
        };
        if head.version > VERSION {
            let text = format!(
                "the file has format version {}, but this build reads version {VERSION}",
                head.version
            );
            return Err(during(Error::new(ErrorKind::Protocol, text).hint("use a newer Tacho")));
        }
        let Head { run, host, share, briefing, .. } = head;
        let mut saved =
            Self { run, host, share, briefing, records: Vec::new(), end: None, cut: false };
        while let Some(text) = line(&mut lines).map_err(during)? {
            let part =
                if has_absurd_number(&text) { None } else { serde_json::from_str(&text).ok() };
            match part {
                Some(Part::Records(records)) => saved.records.push(*records),
                // Commits and tasks are not stored in the journal but in files of their own.
                Some(Part::Commits(_) | Part::Task(_)) => {}
                Some(Part::End(end)) => saved.end = Some(*end),
                None => {
                    saved.cut = true;
                    break;
                }
            }
        }
        Ok(saved)
    }
}

/// Reads the next line.
fn line(lines: &mut impl BufRead) -> Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = std::io::Read::take(&mut *lines, LINE_MAX + 1).read_until(b'\n', &mut bytes)?;
    if read as u64 > LINE_MAX {
        let text = format!("a line is longer than {} MiB", LINE_MAX >> 20);
        return Err(Error::new(ErrorKind::Resource, text)
            .hint("use the file that an agent reported when it lost its coordinator"));
    }
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_rejected() {
        let mut endless = BufReader::new(std::io::repeat(b'a'));
        let error = line(&mut endless).expect_err("a line that is too long");
        assert!(error.to_string().contains("longer than 64 MiB"), "{error}");
    }

    #[test]
    fn the_id_of_a_run_names_no_other_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let create = |run: &str| {
            Journal::create(&folder.path().join("shares"), run, "a", Share::WHOLE, 0, &Value::Null)
        };
        for run in ["", "../x", "/tmp/x", "a/b", "a.b"] {
            assert!(create(run).is_err(), "{run}");
        }
        assert!(create("1f00").expect("a file").path().ends_with("shares/1f00-1.jsonl"));
    }
}
