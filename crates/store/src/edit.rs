//! Edits that a user may make to a finished run: adding or removing tags and changing its note.
//!
//! This module must never change a result. Start reading at [`Store::set_tags`].

use tacho_core::{Error, ErrorKind, Result};

use crate::lock::EditLock;
use crate::record::Record;
use crate::tag::check_tag;
use crate::{Run, Seal, Store, entry, folder, seal, writer};

impl Store {
    /// Replaces a run's tags.
    pub fn set_tags(&self, selector: &str, tags: &[String]) -> Result<Run> {
        let mut kept: Vec<String> = Vec::new();
        for tag in tags {
            check_tag(tag)?;
            if !kept.contains(tag) {
                kept.push(tag.clone());
            }
        }
        self.edit(selector, |record| {
            record.tags = kept;
            Ok(())
        })
    }

    /// Adds a tag, unless the run already has it.
    pub fn add_tag(&self, selector: &str, tag: &str) -> Result<Run> {
        check_tag(tag)?;
        self.edit(selector, |record| {
            if !record.tags.iter().any(|known| known == tag) {
                record.tags.push(tag.to_owned());
            }
            Ok(())
        })
    }

    /// Removes a tag. Returns an error if the run does not have this tag.
    pub fn remove_tag(&self, selector: &str, tag: &str) -> Result<Run> {
        self.edit(selector, |record| {
            let Some(place) = record.tags.iter().position(|known| known == tag) else {
                return Err(no_such_tag(record, tag));
            };
            record.tags.remove(place);
            Ok(())
        })
    }

    /// Replaces or removes a run's note.
    pub fn set_note(&self, selector: &str, note: Option<&str>) -> Result<Run> {
        self.edit(selector, |record| {
            record.note = note.map(str::to_owned);
            Ok(())
        })
    }

    fn edit(&self, selector: &str, change: impl FnOnce(&mut Record) -> Result<()>) -> Result<Run> {
        let mut run = self.find(selector)?;
        let _lock = EditLock::take(&run.path)?;
        // Load the record without adding default values for missing fields, because they would then
        // be written to the file.
        let (mut record, seal) = entry::load(&run.path)?;
        let checksums = match seal {
            Seal::Broken => return Err(is_changed(&run)),
            Seal::Intact(checksums) => Some(checksums.files),
            Seal::Absent => None,
        };
        change(&mut record)?;
        writer::write_record(&run.path, &record, checksums)?;
        (run.record.tags, run.record.note) = (record.tags, record.note);
        Ok(run)
    }
}

/// Returns the error for a record that was modified outside Tacho. It must not get a new checksum,
/// which would hide the change.
fn is_changed(run: &Run) -> Error {
    let text = format!("run {}: {}", run.record.id, seal::changed(folder::RECORD));
    Error::new(ErrorKind::Protocol, text).hint(seal::CHANGED.2)
}

fn no_such_tag(record: &Record, tag: &str) -> Error {
    let error = Error::usage(format!("run {} has no tag \"{tag}\"", record.id));
    match &record.tags[..] {
        [] => error.hint("it has no tags"),
        tags => error.hint(format!("its tags: {}", tags.join(", "))),
    }
}
