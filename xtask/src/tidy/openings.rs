//! Checks that doc comments name the item or say what the function does.
//!
//! A comment that starts with a question word, such as "Whether", is not a sentence, so the reader
//! has to guess the rest.

use super::Violation;
use super::tree::Tree;

const QUESTIONS: &[&str] = &["How", "What", "Whether", "Which", "Who", "Why"];

/// Checks all Rust files.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let is_rust = |path: &str| path.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs");
    let rust = tree.files.iter().filter(|file| is_rust(&file.path));
    rust.flat_map(|file| questions(&file.path, &file.text)).collect()
}

fn questions(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut before = None;
    for (at, line) in text.lines().enumerate() {
        let comment = doc_comment(line);
        // Check only the first line of a paragraph, because any other line may start in the middle of a sentence.
        if before.is_none_or(str::is_empty)
            && let Some(word) = comment.and_then(|comment| comment.split(' ').next())
            && QUESTIONS.contains(&word)
        {
            let text = format!(
                "doc comment starts with \"{word}\"; name the item or say what the function does"
            );
            found.push(Violation::new(path, at + 1, "opening", text));
        }
        before = comment;
    }
    found
}

/// Returns a line's text if the line is a doc comment.
fn doc_comment(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_found_at_the_start_of_a_paragraph() {
        let text = "//! What it does.\n\n/// Returns what it does,\n/// which is nothing.\n///\n/// How it works.\n\
                    // Why not.\nfn f() {}\n";
        let found = check(&Tree::of(&[("a.rs", text)]));
        assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), [1, 6]);
    }
}
