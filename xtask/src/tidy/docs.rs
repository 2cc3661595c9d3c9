//! Checks for broken links between Markdown files and for pages that are not on the site.
//!
//! `cargo xtask docs --check` and `cargo xtask site` check that the reference is complete.

use super::Violation;
use super::tree::{File, Tree};

const RULE: &str = "docs";
/// The site's table of contents.
const CONTENTS: &str = "docs/SUMMARY.md";

/// Checks the table of contents and every link between files in the repository.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let pages = tree.files.iter().filter(|file| file.is("md"));
    let mut found: Vec<Violation> = pages.flat_map(|file| dead_links(tree, file)).collect();
    found.extend(unlisted(tree));
    found
}

/// Returns the pages that are not listed in the site's table of contents.
fn unlisted(tree: &Tree) -> Vec<Violation> {
    let Some(contents) = tree.files.iter().find(|file| file.path == CONTENTS) else {
        return Vec::new();
    };
    let pages = tree.files.iter().filter(|file| file.is("md") && file.path != CONTENTS);
    let pages = pages.filter_map(|file| file.path.strip_prefix("docs/"));
    pages
        .filter(|page| !contents.text.contains(&format!("]({page})")))
        .map(|page| Violation::new(CONTENTS, 1, RULE, format!("the page {page} is not listed")))
        .collect()
}

/// Returns links to files that do not exist in the repository.
fn dead_links(tree: &Tree, file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    for (line, content) in (1..).zip(file.text.lines()) {
        for rest in content.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') && !is_there(tree, &file.path, target) {
                let text = format!("the link to {target} is broken");
                found.push(Violation::new(&file.path, line, RULE, text));
            }
        }
    }
    found
}

fn is_there(tree: &Tree, from: &str, target: &str) -> bool {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/').filter(|part| !matches!(*part, "." | "")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    tree.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|found| found.to_string()).collect()
    }

    #[test]
    fn each_page_is_on_the_site() {
        let contents = (CONTENTS, "- [A](guides/a.md)\n");
        let pages = [("docs/guides/a.md", "# A"), ("docs/guides/b.md", "# B"), ("other.md", "# C")];
        let found = texts(&[contents, pages[0], pages[1], pages[2]]);
        assert_eq!(found, ["docs/SUMMARY.md:1: docs: the page guides/b.md is not listed"]);
    }

    #[test]
    fn dead_links_are_found() {
        let table = [
            ("docs/a.md", "[b](b.md#there) and [c](../README.md), [web](https://x.y/z)\n", 0),
            ("docs/a.md", "[b](../b.md)\n", 1),
            ("docs/a.md", "[here](#section), [folder](../docs/)\n", 0),
            ("README.md", "[a](docs/b.md) [x](docs/x.md)\n", 1),
        ];
        for (path, text, count) in table {
            let mut files = vec![("docs/b.md", "\n"), (path, text)];
            if path != "README.md" {
                files.push(("README.md", "\n"));
            }
            assert_eq!(texts(&files).len(), count, "{path} {text:?}");
        }
    }
}
