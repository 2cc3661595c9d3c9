//! Text files end in a newline; code, SQL and Markdown have no tabs and no trailing spaces.

use super::Violation;
use super::tree::Tree;

const RULE: &str = "whitespace";

/// Checks every text file.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        let mut add = |line, text: &str| {
            found.push(Violation::new(&file.path, line, RULE, text));
        };
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            add(file.text.lines().count(), "no newline at the end");
        }
        if !["rs", "sql", "md"].iter().any(|ending| file.is(ending)) {
            continue;
        }
        for (number, line) in (1..).zip(file.text.lines()) {
            if line.contains('\t') {
                add(number, "a tab");
            }
            if line.ends_with([' ', '\t', '\r']) {
                add(number, "space at the end");
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slip_is_found() {
        let table: &[(&str, &str, usize)] = &[
            ("a.md", "good\n", 0),
            ("a.md", "", 0),
            ("a.json", "{}", 1),
            ("a.rs", "x \n", 1),
            ("a.sql", "x\ty\n", 1),
            ("a.md", "x\t\n", 2),
            ("a.toml", "x \n", 0),
        ];
        for (path, text, count) in table {
            let found = check(&Tree::of(&[(path, text)]));
            assert_eq!(found.len(), *count, "{path} {text:?}: {found:?}");
        }
    }
}
