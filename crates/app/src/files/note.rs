//! The description file in a folder of row files, which tells `prepare` what they contain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result, file};
use tacho_driver::FileFormat;
use tacho_workload::Marker;

use super::written::{Portion, WrittenFile};

/// Prefix of description file names. The part number follows it.
const PREFIX: &str = "tacho_files_";

/// The files of one part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileNote {
    /// The data marker's entries, which are written to the database once the files have been loaded.
    data: BTreeMap<String, String>,
    format: String,
    part: u64,
    of: u64,
    files: Vec<NotedFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NotedFile {
    name: String,
    table: String,
    rows: u64,
}

/// The files in a folder. Together, they contain all rows of a data set.
#[derive(Clone, Debug)]
pub struct LoadedFiles {
    /// The marker of the data in the files.
    pub(crate) marker: Marker,
    pub(crate) format: FileFormat,
    folder: PathBuf,
    files: Vec<NotedFile>,
}

/// Returns the path of a part's description file in a folder.
pub(crate) fn path(folder: &Path, portion: Portion) -> PathBuf {
    folder.join(format!("{PREFIX}{}.json", portion.number))
}

/// Writes the description of a part's files.
#[expect(clippy::disallowed_methods, reason = "writes to a folder that the user chose")]
pub(crate) fn write(
    path: &Path,
    marker: &Marker,
    format: FileFormat,
    portion: Portion,
    files: &[WrittenFile],
) -> Result<()> {
    let noted = files.iter().map(|file| NotedFile {
        name: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        table: file.table.to_owned(),
        rows: file.rows,
    });
    let note = FileNote {
        data: marker.entries(),
        format: format.name().to_owned(),
        part: portion.number,
        of: portion.of,
        files: noted.collect(),
    };
    let text = serde_json::to_string_pretty(&note).map_err(|error| unreadable(path, &error))?;
    std::fs::write(path, text + "\n").map_err(|error| {
        Error::from(error)
            .during(format!("write {}", path.display()))
            .hint("remove this part's files, free some disk space, and repeat the command")
    })
}

impl LoadedFiles {
    /// Returns the files that `generate` wrote to a folder.
    ///
    /// # Errors
    /// Returns an error if a part or a file is missing, or if the parts contain different data.
    pub fn read(folder: &Path) -> Result<Self> {
        let notes = notes(folder)?;
        let first = notes.first().ok_or_else(|| {
            let text = format!("{} contains no files written by tacho generate", folder.display());
            Error::new(ErrorKind::Missing, text).hint("create them with tacho generate --to FOLDER")
        })?;
        if let Some(other) = notes.iter().find(|note| {
            (&note.data, &note.format, note.of) != (&first.data, &first.format, first.of)
        }) {
            return Err(differ(first, other));
        }
        let parts: BTreeSet<u64> = notes.iter().map(|note| note.part).collect();
        if let Some(part) = (1..=first.of).find(|part| !parts.contains(part)) {
            let text = format!("{} does not contain part {part} of {}", folder.display(), first.of);
            return Err(Error::new(ErrorKind::Missing, text)
                .hint(format!("copy the part's files and {PREFIX}{part}.json into the folder")));
        }
        let damaged = || unreadable(&path(folder, Portion::WHOLE), &"unknown content");
        let marker = Marker::from_entries(&first.data).ok_or_else(damaged)?;
        let format = FileFormat::from_name(&first.format).ok_or_else(damaged)?;
        let files: Vec<NotedFile> = notes.iter().flat_map(|note| note.files.clone()).collect();
        let found = Self { marker, format, folder: folder.to_owned(), files };
        match found.files.iter().find(|file| !folder.join(&file.name).is_file()) {
            Some(file) => {
                Err(Error::new(ErrorKind::Missing, format!("{} is missing", found.at(&file.name)))
                    .hint("copy the missing file into the folder, or generate all files again"))
            }
            None => Ok(found),
        }
    }

    /// Returns the paths of a table's files, each with its row count.
    pub(crate) fn of(&self, table: &str) -> Vec<(String, u64)> {
        let of_table = self.files.iter().filter(|file| file.table == table);
        of_table.map(|file| (self.at(&file.name), file.rows)).collect()
    }

    /// Returns the folder, for use in messages.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn at(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

fn notes(folder: &Path) -> Result<Vec<FileNote>> {
    let failed = |error| {
        let error = Error::from(error).during(format!("read {}", folder.display()));
        error.hint("use --files with a folder written by tacho generate --to")
    };
    let mut notes = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(".json") {
            let text = file::text(&path, file::RECORD_MAX).map_err(failed)?;
            let note = serde_json::from_str(&text).map_err(|error| unreadable(&path, &error))?;
            notes.push(note);
        }
    }
    notes.sort_by_key(|note: &FileNote| note.part);
    Ok(notes)
}

fn differ(one: &FileNote, other: &FileNote) -> Error {
    let text = format!("parts {} and {} contain different data", one.part, other.part);
    let date = |note: &FileNote| note.data.get("loaded_at").cloned();
    let mut error = Error::new(ErrorKind::Missing, text);
    if date(one) != date(other) {
        error = error.hint("generate all parts with the same --load-date");
    }
    error.hint("generate all parts with the same settings")
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Protocol, format!("{} cannot be read: {why}", path.display()))
        .hint("copy the file again, exactly as tacho generate wrote it")
}
