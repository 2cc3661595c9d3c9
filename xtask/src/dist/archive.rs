//! Archives whose bytes follow from their content: sorted, with one date, without an owner.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::crates;
use super::documents::Documents;
use super::release::Release;
use super::targets::{System, Target};
use super::{Artefact, licences, read, sbom};

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// A folder if it ends with a slash.
    pub path: String,
    pub content: Vec<u8>,
    pub mode: u32,
}

impl Entry {
    pub fn file(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into(), mode: 0o644 }
    }

    pub fn program(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into(), mode: 0o755 }
    }

    pub fn folder(path: &str, mode: u32) -> Self {
        Self { path: format!("{path}/"), content: Vec::new(), mode }
    }
}

/// The archive of the program with all files that are delivered with it.
pub fn program(
    release: &Release,
    target: &'static Target,
    program: &Path,
    documents: &Documents,
    folder: &Path,
) -> Result<Artefact, String> {
    let stem = release.stem(target.triple);
    let below = |name: &str| format!("{stem}/{name}");
    let mut entries = vec![Entry::program(below(&target.program(&release.name)), read(program)?)];
    entries.extend(
        documents.files().into_iter().map(|(name, content)| Entry::file(below(&name), content)),
    );
    let crates = crates::all(target.triple)?;
    entries.push(Entry::file(below("THIRD-PARTY-LICENCES.txt"), licences::text(&crates)?));
    let list = format!("{:#}\n", sbom::cyclone_dx(release, target.triple, &crates));
    entries.push(Entry::file(below("tacho.cdx.json"), list));
    let (end, content) = match target.system {
        System::Windows => ("zip", zip(entries)?),
        System::Linux | System::MacOs => ("tar.gz", gzip(&tar(entries, release.date)?)?),
    };
    Artefact::write(folder.join(format!("{stem}.{end}")), &content, Some(target))
}

/// A tar archive with the folders that its files need.
pub fn tar(mut entries: Vec<Entry>, date: u64) -> Result<Vec<u8>, String> {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    let mut archive = tar::Builder::new(Vec::new());
    let header = |kind: tar::EntryType, mode: u32, size: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size as u64);
        header.set_mtime(date);
        header.set_uid(0);
        header.set_gid(0);
        header
    };
    let mut made: Vec<PathBuf> = Vec::new();
    let failed = |error: std::io::Error| format!("write an archive: {error}");
    for entry in &entries {
        let parents: Vec<&Path> = Path::new(&entry.path).ancestors().skip(1).collect();
        for parent in parents.into_iter().rev() {
            let is_root = ["", ".", "/"].iter().any(|root| parent == Path::new(root));
            if !is_root && !made.contains(&parent.to_owned()) {
                let mut header = header(tar::EntryType::Directory, 0o755, 0);
                archive
                    .append_data(&mut header, parent.join(""), std::io::empty())
                    .map_err(failed)?;
                made.push(parent.to_owned());
            }
        }
        if entry.path.ends_with('/') {
            let mut header = header(tar::EntryType::Directory, entry.mode, 0);
            archive.append_data(&mut header, &entry.path, std::io::empty()).map_err(failed)?;
            made.push(Path::new(&entry.path).join("").components().collect());
            continue;
        }
        let mut header = header(tar::EntryType::Regular, entry.mode, entry.content.len());
        archive.append_data(&mut header, &entry.path, entry.content.as_slice()).map_err(failed)?;
    }
    archive.into_inner().map_err(failed)
}

/// As small as gzip makes it, without a date.
pub fn gzip(content: &[u8]) -> Result<Vec<u8>, String> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let written = writer.write_all(content).and_then(|()| writer.finish());
    written.map_err(|error| format!("compress: {error}"))
}

/// A ZIP archive; its dates are the first that the format has.
pub fn zip(mut entries: Vec<Entry>) -> Result<Vec<u8>, String> {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    zip_in_order(&entries)
}

/// A ZIP archive in this order, which wheels care for.
pub fn zip_in_order(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let failed = |error: String| format!("write an archive: {error}");
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(entry.mode);
        writer.start_file(&entry.path, options).map_err(|error| failed(error.to_string()))?;
        writer.write_all(&entry.content).map_err(|error| failed(error.to_string()))?;
    }
    Ok(writer.finish().map_err(|error| failed(error.to_string()))?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![Entry::file("a/b/text", "words"), Entry::program("a/run", "#!")]
    }

    #[test]
    fn an_archive_is_the_same_in_any_order() {
        let mut turned = entries();
        turned.reverse();
        let one = tar(entries(), 7).expect("an archive");
        assert_eq!(one, tar(turned.clone(), 7).expect("an archive"));
        assert_ne!(one, tar(turned.clone(), 8).expect("an archive"));
        assert_eq!(zip(entries()).expect("an archive"), zip(turned).expect("an archive"));
        let mut archive = tar::Archive::new(one.as_slice());
        let found: Vec<(String, u32)> = archive
            .entries()
            .expect("entries")
            .map(|entry| {
                let entry = entry.expect("an entry");
                let path = entry.path().expect("a path").display().to_string();
                (path, entry.header().mode().expect("a mode"))
            })
            .collect();
        let expected = [("a/", 0o755), ("a/b/", 0o755), ("a/b/text", 0o644), ("a/run", 0o755)];
        let expected: Vec<(String, u32)> =
            expected.map(|(path, mode)| (path.to_owned(), mode)).into();
        assert_eq!(found, expected);
    }
}
