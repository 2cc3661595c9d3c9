//! Every driver has the same file names, and so has every workload.

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

/// Its statements are those of its users.
const OF_USERS: &str = "workloads/script";

/// Checks which files are there, and that a driver's front page is short.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (parent, files) in [("drivers", DRIVER), ("workloads", WORKLOAD)] {
        for folder in members(tree, parent) {
            let own = |name: &&&str| folder != OF_USERS || !name.starts_with("sql/");
            for name in files.iter().filter(own) {
                let path = format!("{folder}/{name}");
                if tree.file(&path).is_none() {
                    found.push(Violation::new(&path, 1, RULE, "this file is missing"));
                }
            }
            if parent == "drivers" {
                found.extend(long_front_page(tree, &format!("{folder}/src/lib.rs")));
            }
        }
    }
    found
}

/// The folders right below `parent`.
fn members(tree: &Tree, parent: &str) -> BTreeSet<String> {
    tree.files
        .iter()
        .filter_map(|file| {
            let mut parts = file.path.split('/');
            let (first, name) = (parts.next()?, parts.next()?);
            (first == parent && parts.next().is_some()).then(|| format!("{parent}/{name}"))
        })
        .collect()
}

fn long_front_page(tree: &Tree, path: &str) -> Option<Violation> {
    let lines = tree.file(path)?.text.lines().count();
    let text = format!("{lines} lines; the manifest and the constructor fit {DRIVER_LINES_MAX}");
    (lines > DRIVER_LINES_MAX).then(|| Violation::new(path, DRIVER_LINES_MAX + 1, RULE, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_are_named() {
        let tree = Tree::of(&[("drivers/x/src/lib.rs", ""), ("workloads/y/src/lib.rs", "")]);
        let paths: Vec<String> = check(&tree).into_iter().map(|found| found.path).collect();
        assert_eq!(
            paths,
            [
                "drivers/x/docs.md",
                "drivers/x/tests/conformance.rs",
                "workloads/y/docs.md",
                "workloads/y/src/params.rs",
                "workloads/y/src/schema.rs",
                "workloads/y/src/checks.rs",
                "workloads/y/sql/default.sql",
            ]
        );
    }

    #[test]
    fn a_complete_driver_passes_until_its_front_page_is_long() {
        let long = "\n".repeat(101);
        for (page, count) in [("", 0), (long.as_str(), 1)] {
            let tree = Tree::of(&[
                ("drivers/x/docs.md", ""),
                ("drivers/x/src/lib.rs", page),
                ("drivers/x/tests/conformance.rs", ""),
            ]);
            assert_eq!(check(&tree).len(), count);
        }
    }
}
