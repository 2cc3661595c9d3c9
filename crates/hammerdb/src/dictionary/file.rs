//! The file that stores settings between scripts, as in HammerDB.
//!
//! The file contains only values that were set explicitly. Only its owner can read it. Concurrent scripts merge their
//! changes under a lock.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacho_core::file::SMALL_MAX;
use tacho_core::{Error, Result};

/// Name of the file.
const NAME: &str = "tacho-hammerdb-settings.json";
/// Value of `format` in the file.
const FORMAT: &str = "tacho-hammerdb-settings";
/// Version of the format.
const VERSION: u32 = 1;
/// Maximum number of folders in the file.
const FOLDERS_MAX: usize = 32;
/// A note for people who open the file.
const ABOUT: &str =
    "settings made by HammerDB scripts; remove this file to start with the defaults again";

/// Values by owner, section and key. The owner is a database's prefix or `generic`.
pub type Values = BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>;

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    format: String,
    version: u32,
    #[serde(default)]
    about: String,
    values: Values,
    /// Data folders used by earlier sessions, the most recent last.
    #[serde(default)]
    folders: Vec<PathBuf>,
}

/// The stored settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Values that were set.
    pub values: Values,
    /// Data folders used by earlier sessions, the most recent last.
    pub folders: Vec<PathBuf>,
}

/// A settings file.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    path: PathBuf,
}

impl SettingsFile {
    /// Returns the settings file of this temporary folder, but does not access it yet.
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(NAME) }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the stored settings, or `None` if there is no file.
    pub fn read(&self) -> Result<Option<Kept>> {
        let file = match tacho_core::file::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.trouble(error, "read")),
        };
        self.require_own(&file)?;
        file.lock_shared().map_err(|error| self.trouble(error, "read"))?;
        let Content { values, folders, .. } = self.content(&file)?;
        Ok(Some(Kept { values, folders }))
    }

    /// Records a folder with jobs, so that sessions in other folders can find these jobs.
    pub fn put_folder(&self, folder: &Path) -> Result<()> {
        self.change(|content| {
            content.folders.retain(|known| known != folder);
            content.folders.push(folder.to_owned());
            let surplus = content.folders.len().saturating_sub(FOLDERS_MAX);
            content.folders.drain(..surplus);
        })
    }

    /// Stores the given values and keeps all others.
    pub fn put<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, &'a str, &'a str, &'a str)>,
    ) -> Result<()> {
        self.change(|content| {
            for (owner, section, key, value) in values {
                let sections = content.values.entry(owner.to_owned()).or_default();
                let keys = sections.entry(section.to_owned()).or_default();
                keys.insert(key.to_owned(), value.to_owned());
            }
        })
    }

    fn change(&self, change: impl FnOnce(&mut Content)) -> Result<()> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path).map_err(|error| self.trouble(error, "write"))?;
        self.require_own(&file)?;
        file.lock().map_err(|error| self.trouble(error, "write"))?;
        let mut content = self.content(&file)?;
        change(&mut content);
        let (format, about) = (FORMAT.to_owned(), ABOUT.to_owned());
        let content = Content { format, version: VERSION, about, ..content };
        let text = serde_json::to_string_pretty(&content).unwrap_or_default() + "\n";
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(text.as_bytes()))
            .and_then(|()| file.set_len(text.len() as u64))
            .map_err(|error| self.trouble(error, "write"))
    }

    fn content(&self, file: &File) -> Result<Content> {
        let text = tacho_core::file::read_opened(file, SMALL_MAX);
        let text = text.map_err(|error| self.trouble(error, "read"))?;
        if text.is_empty() {
            return Ok(Content::default());
        }
        let content: std::result::Result<Content, _> = serde_json::from_slice(&text);
        let invalid = |why: String| {
            Error::usage(format!("invalid settings file {}: {why}", self.path.display()))
                .hint("remove the file to start with the defaults")
        };
        let content = content.map_err(|error| invalid(error.to_string()))?;
        if content.format != FORMAT || content.version > VERSION {
            let Content { format, version, .. } = content;
            return Err(invalid(format!("format {format}, version {version} is not supported")));
        }
        Ok(content)
    }

    /// Returns an error if the file belongs to another user. Such a file could redirect a script's commands to another
    /// server.
    fn require_own(&self, file: &File) -> Result<()> {
        let found = file.metadata().map_err(|error| self.trouble(error, "read"))?;
        if is_own(&found) {
            return Ok(());
        }
        Err(Error::usage(format!("{} belongs to another user", self.path.display()))
            .hint("set TMP to a folder that you own"))
    }

    fn trouble(&self, error: std::io::Error, what: &str) -> Error {
        Error::from(error)
            .during(format!("{what} the settings in {}", self.path.display()))
            .hint("set TMP to a writable folder")
    }
}

/// Returns true if a file belongs to the user of this process. Also returns true if the system does not provide this
/// information.
#[cfg(unix)]
pub fn is_own(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // On Linux, `/proc/self` belongs to the user of the process. Other systems skip this check.
    std::fs::metadata("/proc/self").map_or(true, |process| process.uid() == file.uid())
}

/// Returns true, because owners are checked on Unix only.
#[cfg(not(unix))]
pub fn is_own(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the test writes files")]

    use super::*;

    #[test]
    fn values_are_merged_and_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = SettingsFile::new(folder.path());
        assert_eq!(file.read().expect("no file"), None);
        file.put([("pg", "tpcc", "pg_rampup", "10"), ("generic", "benchmark", "bm", "TPC-H")])
            .expect("written");
        file.put([("pg", "tpcc", "pg_rampup", "1")]).expect("written");
        for folder in ["/a", "/b", "/a"] {
            file.put_folder(Path::new(folder)).expect("written");
        }
        let Kept { values, folders } = file.read().expect("a file").expect("content");
        assert_eq!(folders, [Path::new("/b"), Path::new("/a")]);
        assert_eq!(values["pg"]["tpcc"]["pg_rampup"], "1");
        assert_eq!(values["generic"]["benchmark"]["bm"], "TPC-H");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(file.path()).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(file.path(), "{\"format\": 1}").expect("written");
        let error = file.read().expect_err("broken");
        assert!(error.to_string().contains("invalid settings file"), "{error}");
        // If the file could not be read, it must not be overwritten.
        assert!(file.put([("pg", "tpcc", "pg_rampup", "1")]).is_err());
    }
}
