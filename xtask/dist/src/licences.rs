//! The licences of everything in the program, with their texts. Most licences require that their text is included.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use xtask::process;

use crate::crates::Crate;

/// Lower-case prefixes of licence file names.
const NAMES: [&str; 6] = ["license", "licence", "copying", "unlicense", "notice", "copyright"];
/// Licences of components that are not crates.
const OTHERS: &str = include_str!("licences.txt");

/// Returns the text for the archive: a list of all crates with their licences, followed by each
/// different licence text.
pub fn text(crates: &[Crate]) -> Result<String, String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for library in crates {
        let found = files(&library.folder);
        if found.is_empty() {
            without.push(library.id());
        }
        for text in found {
            texts.entry(text).or_default().push(library.id());
        }
    }
    let mut out = String::from("Licences of the software in this program\n\n");
    for library in crates {
        let licence =
            if library.licence.is_empty() { "see its text below" } else { &library.licence };
        let _ = writeln!(
            out,
            "{} {}: {licence}\n    {}",
            library.name, library.version, library.repository
        );
    }
    let _ = write!(out, "\n{OTHERS}");
    if !without.is_empty() {
        let _ = writeln!(
            out,
            "\nThese crates come without the text of their licence; the common texts of MIT and Apache-2.0 are \
             the last two below:\n    {}",
            without.join(", ")
        );
    }
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|one, other| one.1.cmp(&other.1));
    for (text, users) in &texts {
        let _ = write!(out, "\n{}\n{}\n\n{}\n", "=".repeat(100), users.join(", "), text.trim());
    }
    for file in ["crates/report/assets/licences.txt", "LICENSE-MIT", "LICENSE-APACHE"] {
        let text = crate::read(&process::root().join(file))?;
        let text = String::from_utf8_lossy(&text);
        let _ = write!(out, "\n{}\n{file}\n\n{}\n", "=".repeat(100), text.trim());
    }
    Ok(out)
}

/// Returns the licence texts from a crate's folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<String> = entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            NAMES.iter().any(|known| name.starts_with(known))
        })
        .filter_map(|entry| std::fs::read(entry.path()).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_there_once_and_what_has_none_is_named() {
        let folder = std::env::temp_dir().join(format!("tacho-licences-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("LICENSE-BSD"), "Be nice.\r\nAlways.").expect("written");
        std::fs::write(folder.join("lib.rs"), "Nothing").expect("written");
        let one = crate::crates::example();
        let with = |name: &str| Crate { name: name.into(), folder: folder.clone(), ..one.clone() };
        let text = text(&[one.clone(), with("six"), with("ten")]).expect("a text");
        assert_eq!(text.matches("Be nice.\nAlways.").count(), 1);
        assert!(text.contains("six@1.0.0, ten@1.0.0\n\nBe nice."), "{text}");
        assert!(
            text.contains("one 1.0.0: MIT/Apache-2.0") && text.contains("    one@1.0.0\n"),
            "{text}"
        );
        assert!(
            text.contains("SQLite") && text.contains("Apache License") && !text.contains("Nothing")
        );
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
