//! Checks for terms reserved for the TPC, because Tacho's results are not TPC results.

use super::Violation;
use super::tree::Tree;

const FORBIDDEN: &[&str] = &["tpmC", "QphH", "TPC-C result", "TPC-H result"];

/// Files that contain the terms because they list them as forbidden.
const LISTS: &[&str] = &["xtask/", "CONTRIBUTING.md", "docs/adr/"];

/// Checks all text files. Sentences with a negation, such as "this is not a TPC-C result", are allowed.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        if LISTS.iter().any(|list| file.path.starts_with(list)) {
            continue;
        }
        // A term may span two lines.
        let text = file.text.replace('\n', " ");
        for word in FORBIDDEN {
            for (at, _) in text.match_indices(word).filter(|(at, _)| !is_denied(&text[..*at])) {
                let line = file.text[..at].matches('\n').count() + 1;
                let text = format!("\"{word}\" belongs to the TPC");
                found.push(Violation::new(&file.path, line, "word", text));
            }
        }
    }
    found
}

/// Returns true if the sentence contains a negation up to this point.
fn is_denied(before: &str) -> bool {
    let sentence = before.rsplit(['.', ';', '|']).next().unwrap_or_default().to_lowercase();
    sentence.split(|c: char| !c.is_alphanumeric()).any(|w| matches!(w, "not" | "no" | "never"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_unless_denied_or_listed() {
        let table: &[(&str, &str, usize)] = &[
            ("README.md", "It reached 100 tpmC.\n", 1),
            ("README.md", "This is no TPC-C\nresult.\n", 0),
            ("README.md", "Not quick. A TPC-C\nresult.\n", 1),
            ("crates/a/src/a.rs", "let qph = \"QphH\";\n", 1),
            ("CONTRIBUTING.md", "We say NOPM where others say tpmC.\n", 0),
        ];
        for (path, text, count) in table {
            let found = check(&Tree::of(&[(path, text)]));
            assert_eq!(found.len(), *count, "{path} {text:?}: {found:?}");
        }
        assert_eq!(check(&Tree::of(&[("a.md", "one\ntwo\nthe QphH\n")]))[0].line, 3);
    }
}
