//! The list of settings files that the user has allowed to start programs. It is stored in the
//! user's own folder, so that a settings file from another person cannot add itself to the list.
//!
//! A checksum covers a file's path and content, so a changed or moved file is not trusted.
//!
//! Start reading at [`TrustStore`].

use std::fs;
use std::path::{Path, PathBuf};

use tacho_core::Result;

use crate::lock::EditLock;
use crate::{atomic, failure, regular, seal};

/// Name of the list. Each line contains a file's checksum and, for human readers, its path.
const FILE: &str = "trusted-files";

/// The files that a user trusts.
#[derive(Clone, Debug)]
pub struct TrustStore {
    folder: PathBuf,
}

impl TrustStore {
    /// Returns the trusted files listed in this folder, which does not have to exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Returns true if the user trusts this file with its current content.
    pub fn trusts(&self, file: &Path, content: &str) -> bool {
        let Ok(sum) = checksum(file, content) else { return false };
        self.lines().iter().any(|line| line.split(' ').next() == Some(sum.as_str()))
    }

    /// Records that the user trusts a file with this content. Earlier content is no longer trusted.
    ///
    /// # Errors
    /// Returns any I/O error.
    pub fn trust(&self, file: &Path, content: &str) -> Result<()> {
        let path = file.canonicalize().map_err(failure::reading(file))?;
        let line = format!("{} {}", checksum(file, content)?, shown(&path));
        fs::create_dir_all(&self.folder).map_err(failure::writing(&self.folder))?;
        let _lock = EditLock::take(&self.folder)?;
        let mut lines = self.lines();
        lines.retain(|known| {
            known.split_once(' ').is_none_or(|(_, trusted)| trusted != shown(&path))
        });
        lines.push(line);
        atomic::replace(&self.folder.join(FILE), (lines.join("\n") + "\n").as_bytes())
    }

    fn lines(&self) -> Vec<String> {
        let text = regular::read(&self.folder.join(FILE)).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string().replace('\n', " ")
}

fn checksum(file: &Path, content: &str) -> Result<String> {
    let path = file.canonicalize().map_err(failure::reading(file))?;
    let text = [path.as_os_str().as_encoded_bytes(), b"\0", content.as_bytes()].concat();
    Ok(seal::hex(&mut &text[..])?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes files")]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_one_file_with_one_content() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = TrustStore::open(&root.path().join("state"));
        let [file, other] = ["a", "b"].map(|name| root.path().join(name));
        fs::write(&file, "x")?;
        fs::write(&other, "x")?;
        assert!(!store.trusts(&file, "x"));
        store.trust(&file, "x")?;
        assert!(store.trusts(&file, "x"));
        assert!(!store.trusts(&other, "x") && !store.trusts(&file, "y"));
        store.trust(&other, "x")?;
        store.trust(&file, "y")?;
        assert!(store.trusts(&file, "y") && store.trusts(&other, "x"));
        assert!(!store.trusts(&file, "x"));
        assert!(!store.trusts(&root.path().join("none"), "x"));
        Ok(())
    }

    #[test]
    fn files_that_are_trusted_at_the_same_time_are_all_trusted() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = TrustStore::open(&root.path().join("state"));
        let files: Vec<PathBuf> =
            (0..8).map(|number| root.path().join(format!("{number}"))).collect();
        for file in &files {
            fs::write(file, "x")?;
        }
        std::thread::scope(|scope| {
            let store = &store;
            let trust = |file: &'_ PathBuf| store.trust(file, "x");
            let all: Vec<_> = files.iter().map(|file| scope.spawn(move || trust(file))).collect();
            all.into_iter().try_for_each(|one| one.join().expect("no panic"))
        })?;
        assert!(files.iter().all(|file| store.trusts(file, "x")));
        Ok(())
    }
}
