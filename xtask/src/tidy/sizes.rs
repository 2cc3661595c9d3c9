//! Limits the length of files, because a file should contain only one idea. Clippy limits the length of functions.

use super::Violation;
use super::rust::is_test_file;
use super::tree::Tree;

/// Maximum number of lines in a file, not counting tests.
const FILE_MAX: usize = 700;

/// Checks each file.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, source) in tree.rust() {
        let is_test = is_test_file(path);
        let lines = if is_test { source.code.lines().count() } else { source.product_lines() };
        if lines > FILE_MAX {
            let text = format!("file has {lines} lines (maximum {FILE_MAX})");
            found.push(Violation::new(path, 1, "size", text));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_found_and_tests_in_them_do_not_count() {
        let long = "// line\n".repeat(701);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        for (path, text, count) in
            [("a/src/a.rs", &long, 1), ("a/tests/a.rs", &long, 1), ("a/src/a.rs", &tests, 0)]
        {
            assert_eq!(check(&Tree::of(&[(path, text)])).len(), count, "{path}");
        }
    }
}
