//! A temporary folder for one test. Start reading at [`Folder`].

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Call, violations};

/// A temporary folder that is removed with its contents after the test.
pub struct Folder(TempDir);

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Creates an empty folder that all users can access, including the one that runs a server.
    pub fn open() -> Self {
        Self::new().for_all()
    }

    /// Creates an empty folder on disk that all users can access. Other temporary folders may be in memory.
    pub fn on_disk() -> Self {
        Self(tempfile::tempdir_in("/var/tmp").expect("a temporary folder")).for_all()
    }

    fn for_all(self) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let folder = self;
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), open).expect("our folder");
        folder
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of a file in this folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Creates a call to `tacho` in this folder. Words in single quotes stay together, as in `'a b'`.
    pub fn tacho(&self, line: &str) -> Call {
        Call::new(self.path(), line)
    }

    /// Creates a call to an `sh` script in this folder. In the script, `$TACHO` is the path of the binary.
    pub fn shell(&self, script: &str) -> Call {
        Call::shell(self.path(), script)
    }

    /// Returns the sorted names of the folder's entries.
    pub fn names(&self) -> Vec<String> {
        names(self.path())
    }

    /// Returns true if a file in this folder or a subfolder contains the text. Tcl scripts are ignored.
    pub fn mentions(&self, text: &str) -> bool {
        mentions(self.path(), text)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).expect("a file can be written");
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).expect("a file can be read")
    }

    /// Returns the run folders, oldest first.
    pub fn runs(&self) -> Vec<PathBuf> {
        let runs = self.file("tacho-data/runs");
        names(&runs).into_iter().map(|name| runs.join(name)).collect()
    }

    /// Returns a report in JSON format, after validating it. `what` contains the arguments of `tacho report`: runs,
    /// sweeps and options.
    pub fn report(&self, what: &str) -> Value {
        let report = self.tacho(&format!("report {what} --format json")).exits(0).json();
        self.is_report(&report);
        report
    }

    /// Checks a report against its schema.
    pub fn is_report(&self, report: &Value) {
        let schema = self.tacho("schema report").exits(0).json();
        assert_eq!(violations(&schema, report), [""; 0]);
    }

    /// Returns the record of a saved run.
    pub fn record(&self, run: &str) -> Value {
        self.tacho(&format!("show {run} --output json")).exits(0).json()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.map(|entry| entry.expect("a folder can be read").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn mentions(folder: &Path, text: &str) -> bool {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut entries = entries.filter(|path| path.extension().is_none_or(|end| end != "tcl"));
    entries.any(|path| {
        if path.is_dir() {
            return mentions(&path, text);
        }
        let bytes = fs::read(&path).expect("a file can be read");
        String::from_utf8_lossy(&bytes).contains(text)
    })
}

/// Removes the checksums from a record, so that a test can change its numbers. Older records have no checksums.
pub fn unsealed(mut record: Value) -> Value {
    if let Some(record) = record.as_object_mut() {
        record.remove("checksums");
    }
    if let Some(result) = record["result"].as_object_mut() {
        result.remove("verdict");
    }
    record
}
