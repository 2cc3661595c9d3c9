//! Files that the user wants the result in: created before the run, written after it.
//!
//! A run that does not begin must never cost an earlier result: a file that was there stays as it is
//! until it is written, and one that was made for nothing is removed.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tacho_core::{Error, Result};

/// A file that could be created.
pub(crate) struct Export {
    path: PathBuf,
    format: Format,
    file: File,
    /// Whether it was made for this run and holds nothing yet.
    empty: bool,
}

#[derive(Clone, Copy)]
enum Format {
    Json,
    Text,
}

/// Creates all files, so that a wrong path is found before the run and not after it.
pub(crate) fn create(paths: &[String]) -> Result<Vec<Export>> {
    paths.iter().map(|path| Export::create(Path::new(path))).collect()
}

impl Export {
    fn create(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = match extension {
            Some("json") => Format::Json,
            Some("txt") => Format::Text,
            _ => {
                return Err(Error::usage(format!("no format is known for {}", path.display()))
                    .hint("use one of the extensions .json and .txt"));
            }
        };
        let (file, empty) = open(path).map_err(|error| {
            Error::usage(error.to_string())
                .source(error)
                .during(format!("create {}", path.display()))
                .hint("name a file in a folder that exists and can be written")
        })?;
        Ok(Self { path: path.to_owned(), format, file, empty })
    }

    /// Writes the result.
    pub(crate) fn write(mut self, json: &str, text: &str) -> Result<()> {
        let content = match self.format {
            Format::Json => json,
            Format::Text => text,
        };
        self.empty = false;
        self.replace(content)
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
            // An empty file left behind is a lesser harm than to hide why there was no run.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Opens a file for writing, and says whether it had to be made.
fn open(path: &Path) -> std::io::Result<(File, bool)> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Ok((OpenOptions::new().write(true).open(path)?, false))
        }
        Err(error) => Err(error),
    }
}
