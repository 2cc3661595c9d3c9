//! Checks that all drivers have the same set of files, and that all workloads have the same set of files.

use std::collections::BTreeSet;

use super::Violation;
use super::tree::Tree;

const RULE: &str = "folder";
const DRIVER_LINES_MAX: usize = 100;
const DRIVER: &[&str] = &["docs.md", "src/lib.rs", "tests/conformance.rs"];
const WORKLOAD: &[&str] = &[
    "docs.md",
    "src/lib.rs",
    "src/params.rs",
    "src/schema.rs",
    "src/checks.rs",
    "sql/default.sql",
];
/// A workload whose statements, tables and parameters are defined by users.
const OF_USERS: &str = "workloads/script";

/// Checks that the required files exist, and that a driver's main page is short.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (parent, files) in [("drivers/", DRIVER), ("workloads/", WORKLOAD)] {
        let names = tree.files.iter().filter_map(|file| {
            file.path.strip_prefix(parent)?.split_once('/').map(|(name, _)| name)
        });
        for folder in names.map(|name| format!("{parent}{name}")).collect::<BTreeSet<_>>() {
            let of_users = ["docs.md", "src/lib.rs"];
            let is_needed = |name: &&&str| folder != OF_USERS || of_users.contains(name);
            for name in files.iter().filter(is_needed) {
                let path = format!("{folder}/{name}");
                let is_front = parent == "drivers/" && *name == "src/lib.rs";
                match tree.file(&path).map(|file| file.text.lines().count()) {
                    None => found.push(Violation::new(&path, 1, RULE, "this file is missing")),
                    Some(lines) if is_front && lines > DRIVER_LINES_MAX => {
                        let text = format!(
                            "{lines} lines; a driver's front page has at most \
                                            {DRIVER_LINES_MAX}"
                        );
                        found.push(Violation::new(&path, 1, RULE, text));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_and_long_front_pages_are_named() {
        let long = "\n".repeat(101);
        let tree = Tree::of(&[
            ("drivers/x/src/lib.rs", ""),
            ("drivers/y/docs.md", ""),
            ("drivers/y/src/lib.rs", &long),
            ("drivers/y/tests/conformance.rs", ""),
            ("workloads/script/src/lib.rs", ""),
        ]);
        let paths: Vec<String> = check(&tree).into_iter().map(|found| found.path).collect();
        #[rustfmt::skip]
        let expected = [
            "drivers/x/docs.md", "drivers/x/tests/conformance.rs", "drivers/y/src/lib.rs", "workloads/script/docs.md",
        ];
        assert_eq!(paths, expected);
    }
}
