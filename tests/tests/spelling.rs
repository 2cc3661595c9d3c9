//! Spelling of documents and comments.
//!
//! The dictionary lists misspellings rather than correct words, so names of programs are not reported.

#![expect(clippy::disallowed_methods, reason = "the sources lie beside the tests, not in a run")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// In the comment that explains `P`arse and `Q`uery, only the first letters are in backticks. The rest of the second
/// name would be reported as a misspelling.
const CORRECT: [&str; 1] = ["uery"];

/// Returns a file's prose: the whole document, or the comments of a source file.
fn prose<'a>(path: &Path, text: &'a str) -> Vec<(usize, &'a str)> {
    let is_comment = |line: &str| {
        ["//", "--", "#", "/*", "*"].iter().any(|mark| line.trim_start().starts_with(mark))
    };
    let is_document = path.extension().is_some_and(|ending| ending == "md" || ending == "html");
    (1..).zip(text.lines()).filter(|(_, line)| is_document || is_comment(line)).collect()
}

/// Returns the misspelled words in a line, except for code in backticks and addresses.
fn misspelled(line: &str) -> Vec<String> {
    let words = line.split('`').step_by(2).flat_map(str::split_whitespace);
    let words = words.filter(|word| !word.contains("://"));
    let words = words.flat_map(|word| word.split(|c: char| !c.is_ascii_alphabetic() && c != '\''));
    let is_wrong = |word: &&str| {
        // Words of one or two letters are skipped, because they include endings of numbers such as 2nd.
        word.len() > 2
            && word.chars().skip(1).all(|c| c.is_ascii_lowercase() || c == '\'')
            && typos_dict::WORD.find(&(*word).into()).is_some()
            && !CORRECT.contains(word)
    };
    words.filter(is_wrong).map(str::to_owned).collect()
}

#[test]
fn documents_and_comments_are_spelled_correctly() {
    assert_eq!(
        misspelled("We recieve `teh` data, and teh rest: https://statment.example"),
        ["recieve", "teh"]
    );
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let listed = Command::new("git").args(["ls-files"]).current_dir(&root).output().expect("git");
    let listed = String::from_utf8(listed.stdout).expect("names");
    let mut wrong = Vec::new();
    let mut files = 0;
    for name in listed.lines().filter(|name| {
        ["md", "rs", "sql", "toml", "html", "js", "css"]
            .iter()
            .any(|ending| name.ends_with(&format!(".{ending}")))
    }) {
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        files += 1;
        for (number, line) in prose(Path::new(name), &text) {
            wrong.extend(
                misspelled(line).into_iter().map(|word| format!("{name}:{number}: {word}")),
            );
        }
    }
    assert!(files > 1000, "{files} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
