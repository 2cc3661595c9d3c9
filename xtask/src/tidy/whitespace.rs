//! Checks that text files end with a newline. Code, SQL and Markdown may have no tabs or trailing spaces.

use super::Violation;
use super::tree::Tree;

/// Checks every text file.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        let mut add = |line, text: &str| {
            found.push(Violation::new(&file.path, line, "whitespace", text));
        };
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            add(file.text.lines().count(), "no newline at the end");
        }
        let is_checked = ["rs", "sql", "md"].iter().any(|ending| file.is(ending));
        for (number, line) in (1..).zip(file.text.lines()).filter(|_| is_checked) {
            if line.contains('\t') || line.ends_with([' ', '\r']) {
                add(number, "a tab, or space at the end");
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
        for text in ["x", "x \n", "x\ty\n", "x\t\n"] {
            assert_eq!(check(&Tree::of(&[("a.md", text)])).len(), 1, "{text:?}");
        }
        assert_eq!(check(&Tree::of(&[("a.md", "good\n"), ("b.md", ""), ("a.toml", "x \n")])), []);
    }
}
