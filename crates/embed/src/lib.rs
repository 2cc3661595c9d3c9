//! Embeds all files of a folder in a crate. Build scripts use this crate.
//!
//! This crate is used only by build scripts and must not be linked into a program. Start reading at [`folder`].

use std::env;
use std::fmt::Write;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

/// The start of the first line of a file that is a copy of another file. Words in the copy can be replaced. For
/// example, `-- include tools/x.sql INT=INTEGER` copies `tools/x.sql` and replaces `INT` by `INTEGER`.
const INCLUDE: &str = "-- include ";

/// Writes `files.rs` to the build script's output folder. It contains the relative path and text of each file in
/// `folder`.
pub fn folder(folder: &str) -> Result<()> {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")?).join(folder);
    let mut paths = Vec::new();
    collect(&root, &mut paths)?;
    paths.sort();
    let mut code = String::from("&[\n");
    for path in paths {
        // Use relative paths, so that the generated code is the same on every build machine.
        let file = format!("/{folder}/{path}");
        let _ = match included(&root, &read(&root.join(&path))?)? {
            Some(text) => writeln!(code, "({path:?}, {text:?}),"),
            None => writeln!(
                code,
                "({path:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?}))),"
            ),
        };
    }
    code.push_str("]\n");
    #[expect(clippy::disallowed_methods, reason = "the output of a build script")]
    fs::write(Path::new(&variable("OUT_DIR")?).join("files.rs"), code)
}

/// Returns the included file's text with words replaced, or `None` for an ordinary file.
fn included(root: &Path, text: &str) -> Result<Option<String>> {
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix(INCLUDE)) else {
        return Ok(None);
    };
    let mut parts = line.split(' ');
    let other = read(&root.join(parts.next().unwrap_or_default()))?;
    let words = parts.map(|part| part.split_once('=').ok_or_else(|| Error::other(part.to_owned())));
    Ok(Some(replaced(&other, &words.collect::<Result<Vec<_>>>()?)))
}

/// Replaces the first word of each pair with the second.
fn replaced(text: &str, words: &[(&str, &str)]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let parts = text.split_inclusive(|c| !is_word(c)).map(|part| {
        let end = part.find(|c| !is_word(c)).unwrap_or(part.len());
        let (word, rest) = part.split_at(end);
        let replacement = words
            .iter()
            .find(|(known, _)| *known == word)
            .map_or(word, |(_, replacement)| replacement);
        [replacement, rest]
    });
    parts.flatten().collect()
}

fn read(path: &Path) -> Result<String> {
    #[expect(clippy::disallowed_methods, reason = "the input of a build script")]
    fs::read_to_string(path)
}

fn variable(name: &str) -> Result<String> {
    #[expect(clippy::disallowed_methods, reason = "Cargo passes this variable to a build script")]
    env::var(name).map_err(Error::other)
}

/// Collects the paths of all files below `root`, using `/` as the separator.
fn collect(root: &Path, paths: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            let mut below = Vec::new();
            collect(&entry.path(), &mut below)?;
            paths.extend(below.into_iter().map(|path| format!("{name}/{path}")));
        } else {
            paths.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced() {
        let words = [("INT", "INTEGER"), ("A", "B")];
        let text = "A INT NOT NULL,\n  INT_A TINYINT, (INT)";
        assert_eq!(replaced(text, &words), "B INTEGER NOT NULL,\n  INT_A TINYINT, (INTEGER)");
        assert_eq!(replaced(text, &[]), text);
    }

    #[test]
    fn files_without_an_include_line_are_kept() -> Result<()> {
        assert_eq!(included(Path::new("."), "-- Tables\nCREATE TABLE t (\n")?, None);
        assert!(included(Path::new("."), "-- include no/such/file.sql\n").is_err());
        Ok(())
    }
}
