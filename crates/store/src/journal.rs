//! Journals of a command's temporary changes to a server, such as a sweep's settings or a run's fault.
//!
//! A journal exists until all changes are reverted, even if the command is interrupted. It must
//! never contain a password.
//!
//! Start reading at [`Journal`] and [`JournalStore`].

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result};

use crate::{atomic, failure, regular};

/// The value of the `format` field in a journal.
pub const FORMAT: &str = "tacho-journal";
/// The format version of a settings journal.
pub const VERSION: u32 = 1;
/// The format version of a fault journal. It is 2, because older versions of Tacho assume that all
/// journals of version 1 are settings journals.
pub const FAULT_VERSION: u32 = 2;

/// A journal for restoring a server. It contains the server's settings from before a sweep changed them, or the fault
/// that must be ended, such as a full disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// Always `tacho-journal`.
    pub format: String,
    /// Version of the journal format.
    pub version: u32,
    /// Id of the sweep that changes the settings. Empty in a fault journal.
    pub sweep: String,
    /// Start of the sweep or fault, in RFC 3339 format with the UTC offset.
    pub started_at: String,
    /// The target's name, or its address without the password.
    pub target: String,
    /// The private server that the target refers to, if any.
    pub server: Option<String>,
    /// Process id of the command.
    pub process: u32,
    /// Start time of the command's process, in the operating system's format.
    pub process_started: String,
    /// The original settings.
    pub settings: Vec<KeptSetting>,
    /// State in which a fault has left a private server. Absent in a settings journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultState>,
}

/// The state in which a fault leaves a private server temporarily.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultState {
    /// All processes of the server are suspended.
    Paused,
    /// The server has been stopped and will be started again.
    Stopped,
    /// The server's file system is full.
    Filled,
    /// The server is being replaced by its replica.
    FailingOver,
}

impl FaultState {
    /// Returns the name of the state, as used in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Filled => "filled",
            Self::FailingOver => "failing-over",
        }
    }
}

/// A setting's original value, kept so that it can be restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSetting {
    /// Name of the setting.
    pub name: String,
    /// The value that was in effect.
    pub value: String,
    /// The value that was stored before Tacho replaced it.
    pub stored: Option<String>,
    /// True if a change to this setting requires a server restart.
    pub restart: bool,
    /// The values that the sweep sets. A setting is restored only if it still has one of these
    /// values, so that another client's change is kept. Absent in older journals.
    #[serde(default)]
    pub ours: Option<Vec<String>>,
}

/// All journals below a root folder.
#[derive(Clone, Debug)]
pub struct JournalStore {
    folder: PathBuf,
}

impl JournalStore {
    /// Opens the journals below `root` without accessing any files.
    pub fn open(root: &Path) -> Self {
        Self { folder: root.join("journals") }
    }

    /// Writes a complete journal to disk and returns its path.
    pub fn write(&self, journal: &Journal) -> Result<PathBuf> {
        let text = serde_json::to_vec_pretty(journal).map_err(|error| {
            Error::new(ErrorKind::Other, "invalid JSON in a journal").source(error)
        })?;
        let path = self.path(journal);
        atomic::replace(&path, &text)?;
        Ok(path)
    }

    /// Removes a journal, because its changes have been reverted.
    pub fn remove(&self, journal: &Journal) -> Result<()> {
        let path = self.path(journal);
        match fs::remove_file(&path) {
            // Another command has reverted the changes and removed the file already.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            removed => removed.map_err(failure::writing(&path))?,
        }
        // The folder is removed only if it is empty.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    /// Returns the path of a journal. There is one journal for each target of a sweep, and one for
    /// each fault of a process.
    pub fn path(&self, journal: &Journal) -> PathBuf {
        self.folder.join(format!("{}.json", name(journal)))
    }

    /// Returns all journals, from the oldest to the newest.
    pub fn list(&self) -> Result<Vec<Journal>> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&self.folder).map_err(failure::reading(&self.folder))?;
        let paths = entries.flatten().map(|entry| entry.path());
        let journals =
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut journals: Vec<Journal> = journals.map(|path| read(&path)).collect::<Result<_>>()?;
        journals.sort_by(|a, b| a.started_at.cmp(&b.started_at));
        Ok(journals)
    }
}

/// Returns the file name of a journal, without the extension.
fn name(journal: &Journal) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let target: String = journal.target.chars().map(plain).collect();
    match journal.fault {
        None => format!("{}-{target}", journal.sweep),
        Some(fault) => format!("{}-{}-{target}", fault.word(), journal.process),
    }
}

fn read(path: &Path) -> Result<Journal> {
    let text = regular::read(path).map_err(failure::reading(path))?;
    let journal: Journal = serde_json::from_slice(&text).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("{} is damaged: {error}", path.display()))
            .hint("check the server's settings manually, then remove the file")
    })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if name(&journal) != stem {
        let text = format!("{} contains a journal with a different name", path.display());
        return Err(Error::new(ErrorKind::Protocol, text)
            .hint("check the server's settings manually, then remove the file"));
    }
    if journal.format != FORMAT || journal.version > FAULT_VERSION {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("{} was written by a newer version of Tacho", path.display()),
        )
        .hint("run tacho restore from that version to restore the settings"));
    }
    Ok(journal)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test damages a file")]
mod tests {
    use super::*;

    fn journal() -> Journal {
        Journal {
            format: FORMAT.into(),
            version: VERSION,
            sweep: "7q3f".into(),
            started_at: "2026-03-02T10:14:05+01:00".into(),
            target: "postgres://a@b/c".into(),
            server: None,
            process: 1,
            process_started: String::new(),
            settings: vec![KeptSetting {
                name: "work_mem".into(),
                value: "4MB".into(),
                stored: None,
                restart: false,
                ours: Some(vec!["16MB".into()]),
            }],
            fault: None,
        }
    }

    #[test]
    fn a_journal_of_a_fault_is_no_journal_of_settings() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = JournalStore::open(root.path());
        let fault = Journal {
            version: FAULT_VERSION,
            sweep: String::new(),
            settings: Vec::new(),
            fault: Some(FaultState::Paused),
            ..journal()
        };
        store.write(&journal())?;
        store.write(&fault)?;
        assert_eq!(store.list()?.len(), 2);
        store.remove(&fault)?;
        store.remove(&fault)?;
        assert_eq!(store.list()?, [journal()]);
        Ok(())
    }

    #[test]
    fn a_journal_is_there_until_it_is_removed() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = JournalStore::open(root.path());
        assert!(store.list()?.is_empty());
        store.write(&journal())?;
        let other = Journal { target: "other".into(), ..journal() };
        store.write(&other)?;
        assert_eq!(store.list()?.len(), 2);
        store.remove(&journal())?;
        assert_eq!(store.list()?, std::slice::from_ref(&other));
        store.remove(&other)?;
        assert!(!root.path().join("journals").exists());
        Ok(())
    }

    #[test]
    fn damage_and_newer_versions_are_reported() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = JournalStore::open(root.path());
        store.write(&Journal { version: FAULT_VERSION + 1, ..journal() })?;
        assert_eq!(store.list().expect_err("newer").kind(), ErrorKind::Unsupported);
        fs::write(store.path(&journal()), "{")?;
        assert!(store.list().expect_err("damaged").to_string().contains("damaged"));
        Ok(())
    }
}
