//! Checks that all files from users or other programs are opened by one function, which accepts
//! only regular files of limited size.

use super::Violation;
use super::rust::is_test_file;
use super::tree::Tree;

const PRODUCT: &[&str] = &["crates/", "drivers/", "workloads/"];
/// Calls and names with which a file can be opened. The last one is an option of `OpenOptions`.
const OPENERS: &[&str] = &[
    "File::open(",
    "fs::read(",
    "fs::read_to_string(",
    "fs::{read",
    "pem_file",
    "stdin().lock(",
    "stdin().read",
    "stdin().lines(",
    ".read(true)",
];

/// Source files that may open files directly: the one with that function, and those that open only
/// system files, folders or memory-mapped files.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "crates/core/src/file.rs", "crates/core/src/replace.rs", "crates/embed/", "crates/collect/",
    "crates/engine/src/batch.rs", "crates/net/src/environment.rs", "crates/servers/src/server_pool.rs",
    "crates/servers/src/slow.rs", "crates/store/src/commit_log.rs", "crates/store/src/lock.rs",
    "crates/cli/src/arguments.rs",
    "crates/cli/src/system/", "crates/hammerdb/src/console/rest.rs",
    "crates/hammerdb/src/dictionary/file.rs",
];

/// Checks code, but not comments or literals.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let begins = |path: &str, list: &[&str]| list.iter().any(|start| path.starts_with(start));
    let mut found = Vec::new();
    for (path, source) in tree.rust() {
        let is_other = begins(path, OTHERS) || is_test_file(path) || path.ends_with("/build.rs");
        if !begins(path, PRODUCT) || is_other {
            continue;
        }
        for (line, code) in
            (1..).zip(source.code.lines()).filter(|numbered| !source.is_test(numbered.0))
        {
            for opener in OPENERS.iter().filter(|opener| code.contains(**opener)) {
                let text = format!(
                    "use tacho_core::file instead of {opener}, because it limits how much is read"
                );
                found.push(Violation::new(path, line, "open", text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_ways_of_opening_are_found() {
        let table: &[(&str, &str, usize)] = &[
            ("crates/store/src/a.rs", "let a = File::open(path); std::fs::read(path);\n", 2),
            ("drivers/x/src/a.rs", "use std::fs::{read_to_string, write};\n", 1),
            ("crates/web/src/a.rs", "CertificateDer::pem_file_iter(path);\n", 1),
            ("crates/store/src/a.rs", "file::open(path); // File::open(path)\n", 0),
            ("crates/store/src/a.rs", "#[cfg(test)]\nfn f() { std::fs::read(path); }\n", 0),
            ("crates/web/src/a.rs", "OpenOptions::new()\n    .read(true)\n    .open(path);\n", 1),
            ("crates/web/src/a.rs", "OpenOptions::new().write(true).open(path);\n", 0),
            ("crates/cli/src/a.rs", "io::stdin().lock().read_until(b'\\n', &mut line);\n", 1),
            ("crates/cli/src/a.rs", "io::stdin().read_line(&mut line);\n", 1),
            ("crates/cli/src/a.rs", "io::stdin().is_terminal();\n", 0),
            ("crates/collect/src/a.rs", "std::fs::read_to_string(path);\n", 0),
            ("tests/src/a.rs", "std::fs::read(path);\n", 0),
        ];
        for (path, text, count) in table {
            assert_eq!(check(&Tree::of(&[(path, text)])).len(), *count, "{path} {text:?}");
        }
    }
}
