//! Counts the product's lines of Rust code in `crates`, `drivers` and `workloads`, without tests.

use std::collections::BTreeMap;

use xtask::{Outcome, process};

use super::rust::{Source, is_test_file};
use super::tree::Tree;

/// Prints the old and new line counts of each package that has changed since a revision, and the totals.
pub fn print(revision: &str) -> Outcome {
    let words =
        ["grep", "-zIe", "", revision, "--", "crates/*.rs", "drivers/*.rs", "workloads/*.rs"];
    let grepped = process::output("git", &words)?;
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    let grepped = String::from_utf8_lossy(&grepped);
    for (path, line) in grepped.lines().filter_map(|line| line.split_once('\0')) {
        let path = path.split_once(':').map_or(path, |(_, path)| path);
        let text = files.entry(path).or_default();
        text.push_str(line);
        text.push('\n');
    }
    let mut lines: BTreeMap<String, [i64; 2]> = BTreeMap::new();
    for (path, text) in &files {
        count(&mut lines, path, &Source::read(text), 0);
    }
    for (path, source) in Tree::load()?.rust() {
        count(&mut lines, path, source, 1);
    }
    for (name, [then, now]) in lines.iter().filter(|(_, [then, now])| then != now) {
        println!("{name:24} {then:>7} {now:>7} {:>+7}", now - then);
    }
    Ok(true)
}

fn count(lines: &mut BTreeMap<String, [i64; 2]>, path: &str, source: &Source, column: usize) {
    let package = path.split_inclusive('/').take(2).collect::<String>();
    let is_product =
        ["crates/", "drivers/", "workloads/"].iter().any(|kind| path.starts_with(kind));
    if is_product && !is_test_file(path) {
        for name in [package.as_str(), "all"] {
            lines.entry(name.to_owned()).or_default()[column] += source.product_lines() as i64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_other_folders_do_not_count() {
        let mut lines = BTreeMap::new();
        for path in ["crates/a/src/lib.rs", "crates/a/tests/main.rs", "xtask/src/main.rs"] {
            let source = Source::read("fn f() {}\n\n#[cfg(test)]\nmod tests {}\n");
            count(&mut lines, path, &source, 1);
        }
        let expected = [("all".to_owned(), [0, 2]), ("crates/a/".to_owned(), [0, 2])];
        assert_eq!(lines, BTreeMap::from(expected));
    }
}
