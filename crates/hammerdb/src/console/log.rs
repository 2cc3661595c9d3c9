//! HammerDB's log files. They are opened in append mode, and output to them is not buffered.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::clock;
use crate::work::ruler;

/// The header of a log: its title, and the length of the ruler that is printed below the title. This length differs
/// between HammerDB's files.
pub(super) struct Head {
    title: &'static str,
    ruler: usize,
}

/// The header of the virtual users' log.
pub(super) const USERS: Head = Head { title: "Hammerdb Log", ruler: 44 };
/// The header of the transaction counter's log.
pub(super) const COUNTER: Head = Head { title: "Hammerdb Transaction Counter Log", ruler: 63 };

/// An open log.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    /// True if each line of virtual user output starts with the date.
    timestamps: bool,
}

impl Log {
    /// Opens a log and writes its header. On failure, returns an error message.
    pub(super) fn open(path: &Path, head: &Head, timestamps: bool) -> Result<Self, String> {
        let head = format!("{} @ {}\n{}\n", head.title, clock::now(), ruler(head.ruler));
        let open = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let open = open.and_then(|mut file| file.write_all(head.as_bytes()).map(|()| file));
        let file = open.map_err(|error| trouble(path, &error))?;
        Ok(Self { path: path.to_owned(), file, timestamps })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line of virtual user output. On failure, returns an error message.
    pub(super) fn write(&mut self, line: &str) -> Option<String> {
        let stamp = match line.strip_prefix("Vuser ").and_then(|rest| rest.split_once(':')) {
            Some((user, _)) if self.timestamps => format!("Timestamp {user} @ {}\n", clock::now()),
            _ => String::new(),
        };
        self.append(&format!("{stamp}{line}\n"))
    }

    /// Writes text unchanged.
    pub(super) fn append(&mut self, text: &str) -> Option<String> {
        let error = self.file.write_all(text.as_bytes()).err()?;
        Some(trouble(&self.path, &error))
    }
}

fn trouble(path: &Path, error: &std::io::Error) -> String {
    let hint = "the log is incomplete; free some space, or set TMP to another folder";
    format!("Error: cannot write {}: {error}; hint: {hint}", path.display())
}
