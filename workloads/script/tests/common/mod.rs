//! Shared test code that creates and reads workload folders.

#![allow(dead_code, reason = "each test binary uses some of it")]
#![expect(clippy::disallowed_methods, reason = "folders of tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tacho_core::{Error, Result};
use tacho_driver::lexer::Syntax;
use tacho_workload::Workload;

/// IDs of the dialects that may have their own files.
pub const DIALECTS: [&str; 4] = ["postgres", "sqlite", "duckdb", "sqlserver"];

/// Returns a folder in the repository.
pub fn shipped(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Reads the workload in a folder.
pub fn read(path: &Path) -> Result<Arc<dyn Workload>> {
    tacho_workload_script::read(path, &DIALECTS.map(|id| (id, Syntax::STANDARD)))
}

/// Creates a folder that contains the given files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Creates a folder with the example files for a new workload.
pub fn example() -> tempfile::TempDir {
    let files = tacho_workload_script::template("shop").expect("files");
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    folder(&files)
}

/// Reads a workload from the given files, which must be valid.
pub fn workload(files: &[(&str, &str)]) -> Arc<dyn Workload> {
    let folder = folder(files);
    read(folder.path()).unwrap_or_else(|error| panic!("{error} {:?}", error.hints()))
}

/// Returns the error and hints for the given files, without the folder's path.
pub fn wrong(files: &[(&str, &str)]) -> (String, String) {
    let folder = folder(files);
    let error: Error = match read(folder.path()) {
        Ok(_) => panic!("the folder is accepted: {files:?}"),
        Err(error) => error,
    };
    let place = format!("{}/", folder.path().display());
    (error.to_string().replace(&place, ""), error.hints().join("; "))
}
