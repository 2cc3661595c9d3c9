//! Creates the files for the result before the run, and writes them after it.
//!
//! A run that fails to start must not destroy an earlier result. Existing files are replaced only by a complete result.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tacho_core::{Error, Result, replace_file};

use crate::forms;

/// A file that could be created.
pub(crate) struct Export {
    path: PathBuf,
    format: Format,
    file: File,
    /// True if the file was created for this run and is still empty.
    empty: bool,
}

/// The contents of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// The record.
    Json,
    /// The summary.
    Text,
    /// A report in the format with this name.
    Report(&'static str),
}

/// Creates all files before the run, so that an invalid path is found early.
pub(crate) fn create(paths: &[String]) -> Result<Vec<Export>> {
    paths.iter().map(|path| Export::create(Path::new(path))).collect()
}

impl Export {
    fn create(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = match extension {
            Some("json") => Format::Json,
            Some("txt") => Format::Text,
            _ => Format::Report(forms::by_extension(path).map_err(|_| {
                Error::usage(format!("unknown file format: {}", path.display()))
                    .hint("use the extension .json, .txt, .html, .md, .csv or .xml")
            })?),
        };
        let (file, empty) = open(path).map_err(|error| {
            Error::usage(error.to_string())
                .source(error)
                .during(format!("create {}", path.display()))
                .hint("use a file in a folder that exists and is writable")
        })?;
        Ok(Self { path: path.to_owned(), format, file, empty })
    }

    /// Writes a result to the file. `content` returns the result in a given file format.
    pub(crate) fn write(mut self, content: impl Fn(Format) -> Result<String>) -> Result<()> {
        let content = content(self.format)?;
        self.empty = false;
        self.replace(&content)
            .map_err(|error| Error::from(error).during(format!("write {}", self.path.display())))
    }

    fn replace(&mut self, content: &str) -> std::io::Result<()> {
        // Pipes and devices have no length.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(content.as_bytes())
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        if self.empty {
            // If the empty file cannot be removed, report only the error that prevented the run.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Writes a file atomically, so that a full disk does not destroy an earlier result. Writes to pipes and devices
/// directly.
pub(crate) fn replace(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let content = content.as_ref();
    // Resolve symbolic links, so that the file is replaced and not the link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_special = path.metadata().is_ok_and(|metadata| !metadata.is_file());
    let written = if is_special {
        write_to(&path, content)
    } else {
        replace_file(&path, content, &File::options())
    };
    written.map_err(|error| {
        let text = error.to_string();
        let error = Error::from(error);
        let error = match error.kind() {
            tacho_core::ErrorKind::Resource => {
                error.hint("free space on that disk, or use -o with a file on another disk")
            }
            _ => Error::usage(text)
                .source(error)
                .hint("use -o with a file in a folder that exists and is writable"),
        };
        error.during(format!("write {}", path.display()))
    })
}

fn write_to(path: &Path, content: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(content)
}

/// Opens a file for writing. The returned flag is true if the file is new.
fn open(path: &Path) -> std::io::Result<(File, bool)> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Ok((OpenOptions::new().write(true).open(path)?, false))
        }
        Err(error) => Err(error),
    }
}
