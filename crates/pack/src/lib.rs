//! A database pack is a folder of text files that describe a database, so no code is needed. The database must use the
//! protocol of an existing driver.
//!
//! This crate does not depend on a particular database or workload. Start reading at [`Pack::read`].

mod answers;
mod dialect;
mod driver;
mod file;
mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Capabilities, Driver, Manifest};

use crate::answers::Answers;
use crate::file::{CAPABILITIES, Document, TYPES};

/// The file that makes a folder a pack.
pub const FILE: &str = "pack.toml";

/// A pack. Like a built-in driver, it lives as long as the process.
#[derive(Debug)]
pub struct Pack {
    /// Path of the pack's folder, as specified by the user.
    pub folder: PathBuf,
    /// The driver manifest that results from the pack's file.
    pub manifest: &'static Manifest,
    /// A target scheme of the base driver. The pack's database uses the protocol of this driver.
    pub base: &'static str,
    /// Files that replace statements of a workload. Each entry consists of the workload's name, the file's path and the
    /// file's content.
    pub overlays: Vec<(String, PathBuf, &'static str)>,
    capabilities: Vec<(&'static str, bool)>,
    types: BTreeMap<String, String>,
    sql: BTreeMap<String, &'static str>,
    answers: Answers,
    errors: BTreeMap<String, ErrorKind>,
    /// The column types that have been declared. Each type is stored only once.
    declared: Mutex<BTreeSet<&'static str>>,
}

impl Pack {
    /// Reads a pack from its folder.
    ///
    /// # Errors
    /// Returns a usage error with the file and line if a key or a value is not allowed.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text = read(&path).map_err(|error| {
            error.hint(format!("a pack is a folder that contains a {FILE} file"))
        })?;
        let document = Document::parse(&path, &text)?;
        let docs = read(&folder.join("docs.md")).unwrap_or_default();
        let manifest = Manifest {
            id: keep(document.name()?),
            title: keep(document.required("title")?),
            schemes: &[],
            tested: keep(document.required("tested")?),
            docs: keep(docs),
            // Redacted reports already show the words of the base driver, so a pack does not repeat them.
            plain_words: "",
        };
        let types = document.table("types", TYPES)?;
        document.require_placeholders(&types)?;
        Ok(Self {
            manifest: Box::leak(Box::new(manifest)),
            base: keep(document.required("base")?),
            overlays: overlays(&folder.join("sql"))?,
            capabilities: document.capabilities()?,
            types,
            sql: document.statements()?,
            answers: Answers::read(&document)?,
            errors: document.errors()?,
            declared: Mutex::default(),
            folder: folder.to_owned(),
        })
    }

    /// Returns the pack's driver, which is based on `base`.
    pub fn over(self: &Arc<Self>, base: Arc<dyn Driver>) -> Arc<dyn Driver> {
        driver::over(self.clone(), base)
    }

    /// Returns text for the user that lists the pack's changes, one per line.
    pub fn changes(&self) -> Vec<String> {
        let list = |label: &str, words: Vec<String>| {
            (!words.is_empty()).then(|| format!("{label}: {}", words.join(", ")))
        };
        let capability = |(key, has): &(&str, bool)| format!("{key} = {has}");
        let ty = |(key, text): (&String, &String)| format!("{key} = {text}");
        let error = |(code, kind): (&String, &ErrorKind)| format!("{code} = {}", kind.name());
        let files = self.overlays.iter().map(|(_, path, _)| path.display().to_string());
        [
            list("Capabilities", self.capabilities.iter().map(capability).collect()),
            list("Types", self.types.iter().map(ty).collect()),
            list("Answers", self.answers.words()),
            list("Errors", self.errors.iter().map(error).collect()),
            list("Statements", files.collect()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn capabilities(&self, base: Capabilities) -> Capabilities {
        let mut all = base;
        for (key, has) in &self.capabilities {
            if let Some((_, field)) = CAPABILITIES.iter().find(|(known, _)| known == key) {
                *field(&mut all) = *has;
            }
        }
        all
    }

    /// Changes the error's kind to the one that the pack assigns to the error's code.
    #[cold]
    fn error(&self, error: Error) -> Error {
        match error.native_code().and_then(|code| self.errors.get(code)) {
            Some(kind) => error.of_kind(*kind),
            None => error,
        }
    }

    /// Returns a string that lives as long as the process. Equal strings share memory.
    fn declared(&self, text: String) -> &'static str {
        let mut known = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(text.as_str()) {
            return found;
        }
        let kept = keep(text);
        known.insert(kept);
        kept
    }
}

/// Leaks a string, because all strings of a driver must be static.
fn keep(text: String) -> &'static str {
    text.leak()
}

fn read(path: &Path) -> Result<String> {
    tacho_core::file::text(path, tacho_core::file::SMALL_MAX).map_err(|error| {
        Error::usage(error.to_string()).source(error).during(format!("read {}", path.display()))
    })
}

/// Returns the files `<workload>.sql` in a folder. The folder need not exist.
fn overlays(folder: &Path) -> Result<Vec<(String, PathBuf, &'static str)>> {
    let mut found = Vec::new();
    for entry in folder.read_dir().into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.extension().is_none_or(|extension| extension != "sql") {
            return Err(Error::usage(format!("{}: not a statement file", path.display()))
                .hint("name each file in the sql folder after a workload, such as NAME.sql"));
        }
        let text = keep(read(&path)?);
        found.push((name, path, text));
    }
    found.sort();
    Ok(found)
}
