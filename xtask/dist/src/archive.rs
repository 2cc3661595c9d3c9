//! Archives whose bytes depend only on the contents of their files: entries are sorted, all have
//! the same date, and none has an owner.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::EntryType;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path within the archive. A path that ends with a slash is a folder.
    pub path: String,
    pub content: Vec<u8>,
    pub mode: u32,
}

impl Entry {
    pub fn file(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into(), mode: 0o644 }
    }

    pub fn program(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { mode: 0o755, ..Self::file(path, content) }
    }

    pub fn folder(path: &str, mode: u32) -> Self {
        Self { mode, ..Self::file(format!("{path}/"), "") }
    }
}

/// Creates a tar archive, including parent folders for its files.
pub fn tar(entries: Vec<Entry>, date: u64) -> Result<Vec<u8>, String> {
    let mut all = entries;
    let mut folders: BTreeSet<String> = all.iter().map(|entry| entry.path.clone()).collect();
    for path in all.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>() {
        for parent in Path::new(&path).ancestors().skip(1) {
            let folder = parent.display().to_string();
            let is_root = matches!(folder.as_str(), "" | "." | "/");
            if !is_root && folders.insert(format!("{folder}/")) {
                all.push(Entry::folder(&folder, 0o755));
            }
        }
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    let mut archive = tar::Builder::new(Vec::new());
    let failed = |error: std::io::Error| format!("write an archive: {error}");
    for Entry { path, content, mode } in &all {
        let is_folder = path.ends_with('/');
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(if is_folder { EntryType::dir() } else { EntryType::file() });
        header.set_mode(*mode);
        header.set_size(content.len() as u64);
        header.set_mtime(date);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, path, content.as_slice()).map_err(failed)?;
    }
    archive.into_inner().map_err(failed)
}

/// Compresses content at gzip's highest level, without a date.
pub fn gzip(content: &[u8]) -> Result<Vec<u8>, String> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let written = writer.write_all(content).and_then(|()| writer.finish());
    written.map_err(|error| format!("compress: {error}"))
}

/// Creates a ZIP archive. Entries keep their order, as wheels require, and have the format's earliest date.
pub fn zip(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let failed = |error: &dyn std::fmt::Display| format!("write an archive: {error}");
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(entry.mode);
        writer.start_file(&entry.path, options).map_err(|error| failed(&error))?;
        writer.write_all(&entry.content).map_err(|error| failed(&error))?;
    }
    Ok(writer.finish().map_err(|error| failed(&error))?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_the_same_in_any_order() {
        let entries = vec![Entry::file("a/b/text", "words"), Entry::program("a/run", "#!")];
        let turned: Vec<Entry> = entries.iter().rev().cloned().collect();
        let one = tar(entries, 7).expect("an archive");
        assert_eq!(one, tar(turned.clone(), 7).expect("an archive"));
        assert_ne!(one, tar(turned, 8).expect("an archive"));
        let mut archive = tar::Archive::new(one.as_slice());
        let entries = archive.entries().expect("entries").map(|entry| entry.expect("an entry"));
        let found: Vec<(String, u32)> = entries
            .map(|entry| {
                let path = entry.path().expect("a path").display().to_string();
                (path, entry.header().mode().expect("a mode"))
            })
            .collect();
        let expected = [("a/", 0o755), ("a/b/", 0o755), ("a/b/text", 0o644), ("a/run", 0o755)];
        assert_eq!(found, expected.map(|(path, mode)| (path.to_owned(), mode)));
    }
}
