//! What an agent measured, in a file: there for whoever lost the coordinator.
//!
//! The file grows with each interval, and is removed when the coordinator has everything. A run is read from it
//! as far as it goes. Start reading at [`Journal::create`].

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
/// A line is an interval of one host; whatever is longer is no file of ours.
const LINE_MAX: usize = 1 << 30;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    run: String,
    host: String,
    share: Share,
    briefing: Value,
}

/// A file that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The first failure: there is room no more.
    failed: Option<Error>,
}

/// What a file holds.
#[derive(Debug)]
pub struct Saved {
    /// The run.
    pub run: String,
    /// The agent.
    pub host: String,
    /// Its share.
    pub share: Share,
    /// What it was to do.
    pub briefing: Value,
    /// The intervals.
    pub records: Vec<Records>,
    /// The end, if it came to that.
    pub end: Option<Ending>,
    /// Whether the last line was cut off.
    pub cut: bool,
}

impl Journal {
    /// Begins a file in `folder`, which only its owner can read, for a share that was taken over `turn` times.
    pub fn create(
        folder: &Path,
        run: &str,
        host: &str,
        share: Share,
        turn: u32,
        briefing: &Value,
    ) -> Result<Self> {
        // It comes over the network, and becomes the name of a file.
        if run.is_empty() || !run.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(Error::new(ErrorKind::Protocol, format!("invalid id of a run \"{run}\""))
                .hint("use the same build on all hosts"));
        }
        std::fs::create_dir_all(folder)?;
        // The lost host may have saved its part of the share in the same folder.
        let turn = if turn == 0 { String::new() } else { format!("-{turn}") };
        let path = folder.join(format!("{run}-{}{turn}.jsonl", share.place + 1));
        let during = |error: std::io::Error| {
            Error::from(error)
                .during(format!("write {}", path.display()))
                .hint("choose a folder that can be written, and has room, with --dir")
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

    /// Adds a part. The first failure is kept, and the file is as long as it is.
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why it is not complete.
    pub fn failed(&self) -> Option<&Error> {
        self.failed.as_ref()
    }

    /// Removes it: the coordinator has everything.
    pub fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_dir_all(notes_of(&self.path));
    }
}

/// The folder of what is noted of commits, next to the file of a share.
pub fn notes_of(share: &Path) -> PathBuf {
    share.with_extension("commits")
}

impl Saved {
    /// Reads a file, as far as it goes.
    pub fn read(path: &Path) -> Result<Self> {
        let during = |error: Error| error.during(format!("read {}", path.display()));
        let mut lines =
            BufReader::new(tacho_core::file::open(path).map_err(|error| during(error.into()))?);
        let head = line(&mut lines)?.and_then(|text| serde_json::from_str::<Head>(&text).ok());
        let Some(head) = head.filter(|head| head.format == FORMAT) else {
            let text = "this is not what an agent has saved";
            return Err(during(
                Error::new(ErrorKind::Protocol, text)
                    .hint("an agent that has lost its coordinator names the file that it saved"),
            ));
        };
        if head.version > VERSION {
            let text =
                format!("the file is of format {}, this build reads {VERSION}", head.version);
            return Err(during(Error::new(ErrorKind::Protocol, text).hint("use a newer Tacho")));
        }
        let Head { run, host, share, briefing, .. } = head;
        let mut saved =
            Self { run, host, share, briefing, records: Vec::new(), end: None, cut: false };
        while let Some(text) = line(&mut lines)? {
            let part =
                if has_absurd_number(&text) { None } else { serde_json::from_str(&text).ok() };
            match part {
                Some(Part::Records(records)) => saved.records.push(*records),
                // They are in a file of their own.
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

/// The next line.
fn line(lines: &mut impl BufRead) -> Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = std::io::Read::take(&mut *lines, LINE_MAX as u64).read_until(b'\n', &mut bytes)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
