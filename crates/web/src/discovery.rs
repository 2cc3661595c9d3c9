//! Publishes the address of the server for a data folder, so that `tacho watch` can find it. Only the user can read the
//! file, because it contains a token.
//!
//! Start reading at [`Notice::leave`].

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tacho_core::{Result, file};

const FILE: &str = "web.json";

/// The published file. It is removed when the server stops.
pub struct Notice {
    path: PathBuf,
    content: String,
}

impl Notice {
    /// Writes the server's address and its read-only token to the data folder.
    pub fn leave(folder: &Path, url: &str, token: &str) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join(FILE);
        let content =
            json!({ "format": "tacho-web", "version": 1, "url": url, "token": token }).to_string();
        // Replace an existing file instead of overwriting it, because its permissions may allow
        // other users to read it.
        let _ = fs::remove_file(&path);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(content.as_bytes())?;
        Ok(Self { path, content })
    }

    /// Returns the URL and token of this folder's server, if they have been published.
    pub fn find(folder: &Path) -> Option<(String, String)> {
        let found: Value = serde_json::from_slice(&read(&folder.join(FILE)).ok()?).ok()?;
        let text = |key: &str| found[key].as_str().map(str::to_owned);
        Some((text("url")?, text("token")?))
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    file::read(path, file::SMALL_MAX)
}

impl Drop for Notice {
    fn drop(&mut self) {
        // Remove the file only if it is unchanged. Another server for the same folder may have
        // replaced it.
        if read(&self.path).is_ok_and(|content| content == self.content.as_bytes()) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
