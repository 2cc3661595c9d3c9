//! Each section of an SQL file can be parsed, has a unique name and is not empty. A dialect's
//! version of a section must have the same signature.

#![expect(clippy::disallowed_methods, reason = "the files of the repository")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tacho_driver::{Section, parse_sections};

/// SQL files, each with its text and its name without the extension.
type Files = Vec<(String, String)>;

/// Returns the errors in one folder's files, one per line.
fn wrong(files: &Files, dialects: &BTreeSet<String>) -> Vec<String> {
    // In a user's workload, the file is named `statements.DIALECT.sql`.
    let is_override = |name: &str| dialects.contains(name.rsplit('.').next().unwrap_or(name));
    let (overrides, common): (Vec<_>, Vec<_>) =
        files.iter().partition(|(name, _)| is_override(name));
    let (mut found, mut known) = (Vec::new(), BTreeMap::new());
    for (name, text) in common {
        for section in sections(name, text, &mut found) {
            let signature = (section.params, section.results);
            if known.insert(section.name.clone(), signature).is_some() {
                found.push(format!("{name}: {} exists twice", section.name));
            }
        }
    }
    for (name, text) in overrides {
        let mut names = BTreeSet::new();
        for section in sections(name, text, &mut found) {
            if !names.insert(section.name.clone()) {
                found.push(format!("{name}: {} exists twice", section.name));
            }
            match known.get(&section.name) {
                None => found.push(format!("{name}: {} replaces nothing", section.name)),
                Some(signature) if *signature != (section.params, section.results) => {
                    found.push(format!("{name}: {} has a different signature", section.name));
                }
                Some(_) => {}
            }
        }
    }
    found
}

/// Parses the sections of a file and collects their errors.
fn sections(name: &str, text: &str, found: &mut Vec<String>) -> Vec<Section> {
    let sections = parse_sections(text).unwrap_or_else(|error| {
        found.push(format!("{name}: {error}"));
        Vec::new()
    });
    let empty = sections.iter().filter(|section| section.sql.iter().all(String::is_empty));
    found.extend(empty.map(|section| format!("{name}: {} is empty", section.name)));
    sections
}

/// Collects the SQL files in a folder and its subfolders, grouped by folder.
fn read(folder: &Path, all: &mut BTreeMap<PathBuf, Files>) {
    for path in folder.read_dir().expect("a folder").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            read(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a file");
            all.entry(folder.to_owned()).or_default().push((name, text));
        }
    }
}

#[test]
fn overrides_keep_names_and_signatures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let drivers = root.join("drivers").read_dir().expect("the drivers").flatten();
    let dialects = drivers.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let mut all = BTreeMap::new();
    for folder in
        ["benches", "crates", "drivers", "examples", "packs", "testkit", "tests", "workloads"]
    {
        read(&root.join(folder), &mut all);
    }
    assert!(all.len() > 20, "{} folders with SQL files", all.len());
    for (folder, files) in all {
        assert_eq!(wrong(&files, &dialects), Vec::<String>::new(), "{}", folder.display());
    }
}

#[test]
fn each_mistake_in_a_sql_file_is_found() {
    let dialects = BTreeSet::from(["d".to_owned()]);
    let common = "-- name: a(x int, y text) -> (z decimal(2))\nSELECT z\n-- name: b()\nDELETE\n";
    let table = [
        ("default", "-- name: c(x what)\nSELECT 1\n", "invalid header"),
        ("default", "-- name: c()\n-- only words\n", "c is empty"),
        ("default", "-- name: c()\nA\n-- name: c()\nB\n", "c exists twice"),
        ("d", "-- name: b()\nA\n-- name: b()\nB\n", "b exists twice"),
        ("statements.d", "-- name: a(x int)\nSELECT z\n", "a has a different signature"),
        ("d", "-- name: c()\nSELECT 1\n", "c replaces nothing"),
    ];
    for (name, text, expected) in table {
        let files = [("common", common), (name, text)];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
        let found = wrong(&files, &dialects);
        assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    }
    let good = "-- name: a(x int,  y text) -> (z decimal(2))\nSELECT z\n";
    let files = [("common", common), ("d", good)];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
    assert_eq!(wrong(&files, &dialects), Vec::<String>::new());
}
