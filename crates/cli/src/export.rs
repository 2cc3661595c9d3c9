//! Files that the user wants the result in: created before the run, written after it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use tacho_core::{Error, Result};

/// A file that could be created.
pub(crate) struct Export {
    path: PathBuf,
    format: Format,
    file: File,
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
        #[expect(clippy::disallowed_methods, reason = "the user names this file")]
        let file = File::create(path).map_err(|error| {
            Error::usage(error.to_string())
                .source(error)
                .during(format!("create {}", path.display()))
                .hint("name a file in a folder that exists and can be written")
        })?;
        Ok(Self { path: path.to_owned(), format, file })
    }

    /// Writes the result.
    pub(crate) fn write(mut self, json: &str, text: &str) -> Result<()> {
        let content = match self.format {
            Format::Json => json,
            Format::Text => text,
        };
        self.file
            .write_all(content.as_bytes())
            .map_err(|error| Error::from(error).during(format!("write {}", self.path.display())))
    }
}
