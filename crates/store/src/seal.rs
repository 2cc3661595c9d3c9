//! Checksums of the files that Tacho writes. When a file is read, its checksum reveals whether it
//! has been changed.
//!
//! Checksums detect damage and manual edits, but not forgery. Older records without checksums are accepted.
//!
//! Start reading at [`sealed`] and [`inspect`].

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use ring::digest::{Context, SHA256};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result};

use crate::record::{NoticeRecord, Record};
use crate::{folder, regular};

/// The checksums of a run or a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checksums {
    /// SHA-256 checksum of this file. While it is computed, the file contains 64 zeros in its place.
    pub record: String,
    /// SHA-256 checksums of the other files of a complete run, by file name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// The result of verifying a file against its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The file has no checksum because it was written by an older version.
    Absent,
    /// The file is unmodified. The checksums of the other files have not been verified yet.
    Intact(Checksums),
    /// The file was modified after it was written.
    Broken,
}

/// Zeros that stand for the file's own checksum while it is computed.
const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Id, name and hint of the notice that a run was modified.
pub const CHANGED: (&str, &str, &str) = (
    "V19",
    "record-changed",
    "do not trust the run's folder: restore it from a copy, or run again",
);
const PART: usize = 64 * 1024;
const HEX: [u8; 16] = *b"0123456789abcdef";

#[derive(Serialize)]
struct Sealed<'a, T> {
    #[serde(flatten)]
    content: &'a T,
    checksums: Checksums,
}

#[derive(Deserialize)]
struct Own {
    checksums: Option<Checksums>,
}

/// Returns the content of a record's file, with its own checksum and with the checksums of the other files.
pub(crate) fn sealed(content: &impl Serialize, files: BTreeMap<String, String>) -> Result<Vec<u8>> {
    let checksums = Checksums { record: BLANK.into(), files };
    let mut text = plain(&Sealed { content, checksums })?;
    let place = rfind(&text, BLANK.as_bytes()).ok_or_else(|| {
        Error::new(ErrorKind::Other, "a record has no placeholder for its checksum")
    })?;
    let sum = hex(&mut &text[..])?;
    text[place..place + sum.len()].copy_from_slice(sum.as_bytes());
    Ok(text)
}

/// Returns the content of a record's file without any checksums.
pub(crate) fn plain(content: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(content)
        .map_err(|error| Error::new(ErrorKind::Other, "invalid JSON in a record").source(error))?;
    text.push(b'\n');
    Ok(text)
}

/// Verifies a file against the checksum that it contains.
pub(crate) fn inspect(text: &[u8]) -> Seal {
    let Ok(Own { checksums: Some(checksums) }) = serde_json::from_slice(text) else {
        return Seal::Absent;
    };
    let sum = checksums.record.as_bytes();
    let place = rfind(text, sum).filter(|_| sum.len() == BLANK.len());
    let Some(place) = place else { return Seal::Broken };
    let mut blank = text.to_vec();
    blank[place..place + sum.len()].copy_from_slice(BLANK.as_bytes());
    match hex(&mut &blank[..]) {
        Ok(found) if found.as_bytes() == sum => Seal::Intact(checksums),
        _ => Seal::Broken,
    }
}

/// Returns the checksums of a finished run's files.
pub(crate) fn of_files(run: &Path) -> BTreeMap<String, String> {
    let names = folder::SEALED.into_iter().filter(|name| run.join(name).exists());
    // Skip an unreadable file. The code that reads it later reports the reason.
    names.filter_map(|name| Some((name.to_owned(), of_file(&run.join(name)).ok()?))).collect()
}

/// Names a file of the run, other than the record, that does not match its checksum. Returns `None`
/// if all files match.
pub(crate) fn compare(run: &Path, checksums: &Checksums) -> Option<String> {
    checksums.files.iter().find_map(|(name, sum)| match of_file(&run.join(name)) {
        Ok(found) if found == *sum => None,
        Ok(_) => Some(changed(name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(format!("{name} is missing")),
        Err(error) => Some(format!("{name} cannot be read: {error}")),
    })
}

/// Makes a modified run INVALID.
pub(crate) fn invalidate(record: &mut Record, what: String) {
    let Some(result) = &mut record.result else { return };
    let (id, name, hint) = CHANGED;
    result.valid = false;
    let notice = NoticeRecord {
        id: id.into(),
        name: name.into(),
        invalidates: true,
        text: what,
        hint: hint.into(),
    };
    result.notices.insert(0, notice);
}

/// Returns the message for a modified file.
pub(crate) fn changed(name: &str) -> String {
    format!("{name} was changed after it was written: its checksum does not match")
}

fn of_file(path: &Path) -> io::Result<String> {
    hex(&mut regular::open(path)?)
}

pub(crate) fn hex(from: &mut impl Read) -> io::Result<String> {
    let (mut context, mut part) = (Context::new(&SHA256), vec![0; PART]);
    loop {
        match from.read(&mut part)? {
            0 => break,
            read => context.update(&part[..read]),
        }
    }
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|half| char::from(HEX[usize::from(half)]));
    Ok(context.finish().as_ref().iter().flat_map(digits).collect())
}

fn rfind(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    text.windows(part.len()).rposition(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_found() -> Result<()> {
        let content = BTreeMap::from([("nopm", "932884"), ("note", BLANK)]);
        let files = BTreeMap::from([("log.txt".to_owned(), "ab".repeat(32))]);
        let text = sealed(&content, files)?;
        assert!(matches!(inspect(&text), Seal::Intact(checksums) if checksums.files.len() == 1));
        for place in 0..text.len() {
            let mut other = text.clone();
            other[place] ^= 1;
            assert!(!matches!(inspect(&other), Seal::Intact(_)), "at {place}");
        }
        assert_eq!(inspect(&plain(&content)?), Seal::Absent);
        Ok(())
    }

    #[test]
    fn the_checksum_is_the_usual_one() -> io::Result<()> {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&mut &b"abc"[..])?, abc);
        Ok(())
    }
}
