//! Plain words: documents, and texts that the program prints, use the words of the field. The list
//! has the words and phrases that were used in their place before; [`IN_CODE`] are those that
//! comments must not use either, in any file, and that no name in the product is.
//!
//! A line that needs one of them ends in a comment with [`ESCAPE`].

use std::path::Path;

use super::Violation;
use super::rust::{is_test_file, words};
use super::tree::{File, Tree};

const RULE: &str = "plain";
/// In a comment of the line, in Markdown or Rust.
const ESCAPE: &str = "tidy: plain";

/// Phrases in lower case, and what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("told", "reported, shown"),
    ("tell", "report, show"),
    ("tells", "reports, shows"),
    ("telling", "reporting"),
    ("anew", "again"),
    ("beside", "next to, with, in addition to"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("gone on", "continued"),
    ("somebody", "another client, a user"),
    ("nobody", "no client, no user"),
    ("others", "other clients, the remaining ones"),
    ("by itself", "separately, automatically"),
    ("by themselves", "separately, automatically"),
    ("that is there", "existing"),
    ("that are there", "existing"),
    ("is no", "is not a"),
    ("are no", "are not"),
    ("what was", "the noun"),
    ("there and back", "up and down"),
    ("as it is", "unchanged"),
    ("of ours", "of Tacho"),
];

/// Those of the list that are rejected in comments and as names.
const IN_CODE: &[&str] = &["told", "anew", "beside", "somebody", "nobody"];

/// Documents of the repository.
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
/// Sources whose texts users read.
const SOURCES: &[&str] = &["crates/", "drivers/", "workloads/"];
/// Prints what another tool prints.
const EXCLUDED: &str = "crates/hammerdb/";

/// Checks the documents outside of code, the string literals of the product, and all comments.
pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.files.iter().flat_map(of_file).collect()
}

fn of_file(file: &File) -> Vec<Violation> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    let mut look = |first: usize, text: &str, is_listed: fn(&str) -> bool| {
        for (offset, phrase, instead) in banned(text).filter(|(_, phrase, _)| is_listed(phrase)) {
            let line = first + offset;
            if lines.get(line - 1).is_some_and(|text| !text.contains(ESCAPE)) {
                let text = format!("\"{phrase}\": write {instead}");
                found.push(Violation::new(&file.path, line, RULE, text));
            }
        }
    };
    if is_document(&file.path) {
        look(1, &prose(&file.text), |_| true);
    } else if let Some(source) = file.rust.as_ref().filter(|_| is_product(&file.path)) {
        for literal in source.literals.iter().filter(|literal| !source.is_test(literal.line)) {
            look(literal.line, &without_values(&literal.text), |_| true);
        }
        let names = source.code.lines().enumerate().map(|(at, line)| (at + 1, line));
        for (number, names) in names.filter(|(number, _)| !source.is_test(*number)) {
            look(number, names, |phrase| IN_CODE.contains(&phrase));
        }
    }
    for comments in comments(file) {
        look(1, &prose(&comments), |phrase| IN_CODE.contains(&phrase));
    }
    found
}

/// The comments of a file by their kinds, each on its line.
fn comments(file: &File) -> Vec<String> {
    if let Some(source) = &file.rust {
        return vec![source.comments.clone()];
    }
    match () {
        () if file.is("sql") => vec![after_mark(&file.text, "--")],
        () if file.is("toml") || file.is("sh") || file.is("yml") => {
            vec![after_mark(&file.text, "#")]
        }
        () if file.is("js") => {
            vec![after_mark(&file.text, "//"), between(&file.text, "/*", "*/")]
        }
        () if file.is("css") => vec![between(&file.text, "/*", "*/")],
        () if file.is("html") => vec![between(&file.text, "<!--", "-->")],
        () => Vec::new(),
    }
}

/// Comments that end with their line.
fn after_mark(text: &str, mark: &str) -> String {
    let comment = |line: &'_ str| line.split_once(mark).map_or("", |(_, after)| after).to_owned();
    text.lines().map(comment).collect::<Vec<_>>().join("\n")
}

/// Comments between two marks.
fn between(text: &str, open: &str, close: &str) -> String {
    let line_ends = |text: &str| text.matches('\n').collect::<String>();
    let mut parts = text.split(open);
    let mut out = line_ends(parts.next().unwrap_or_default());
    for part in parts {
        let (comment, code) = part.split_once(close).unwrap_or((part, ""));
        out.push_str(comment);
        out.push_str(&line_ends(code));
    }
    out
}

fn is_document(path: &str) -> bool {
    let is_markdown = Path::new(path).extension().is_some_and(|extension| extension == "md");
    let is_page = path.starts_with("docs/") && is_markdown;
    is_page || path.ends_with("/docs.md") || DOCUMENTS.contains(&path)
}

fn is_product(path: &str) -> bool {
    let is_source = SOURCES.iter().any(|folder| path.starts_with(folder));
    is_source && !path.starts_with(EXCLUDED) && !is_test_file(path)
}

/// The phrases in a text: how many lines below its first, which, and what to write.
fn banned(text: &str) -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    // A phrase may go over the end of a line; positions stay, since each character keeps its length.
    let flat = text.to_ascii_lowercase().replace(['\n', '\\'], " ");
    let mut found = Vec::new();
    for (phrase, instead) in BANNED {
        let first = phrase.split(' ').next().unwrap_or_default();
        for at in words(&flat, first) {
            let Some(after) = after(&flat[at..], phrase) else { continue };
            if !is_usual(&flat[..at], phrase, after) {
                found.push((text[..at].matches('\n').count(), *phrase, *instead));
            }
        }
    }
    found.into_iter()
}

/// What follows the words of a phrase, with any space between them, if the text begins with them.
fn after<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    phrase.split(' ').try_fold(text, |rest, word| {
        rest.trim_start().strip_prefix(word).filter(|after| !after.starts_with(is_part))
    })
}

/// "There is no …", "is no longer" and "as long as it is" are plain.
fn is_usual(before: &str, phrase: &str, after: &str) -> bool {
    let before = before.trim_end();
    match phrase {
        "is no" | "are no" => before.ends_with("there") || after.trim_start().starts_with("longer"),
        "as it is" => before.ends_with("long") || before.ends_with("soon"),
        _ => false,
    }
}

/// A format string with the names of its values blanked out.
fn without_values(text: &str) -> String {
    let mut depth = 0;
    let blank = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth > 0 && c.is_ascii_alphabetic() { 'x' } else { c }
    };
    text.chars().map(blank).collect()
}

/// A document with its code blanked out: fenced and indented blocks, and what stands between
/// backticks.
fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    let mut indented = false;
    let mut after_empty = true;
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        indented = line.starts_with("    ") && (indented || after_empty);
        after_empty = line.is_empty();
        if !fence && !fenced && !indented {
            for (place, part) in line.split('`').enumerate() {
                out.push_str(if place % 2 == 0 { part } else { "x" });
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_prose_and_in_texts_of_the_product() {
        let table: &[(&str, &str, &[usize])] = &[
            ("docs/a.md", "One line.\nIt goes\non. A tell.\n", &[2, 3]),
            ("docs/a.md", "This is no run.\nThere is no run, and `nobody` runs.\n", &[1]),
            ("docs/a.md", "```\nnobody\n```\n\n    others\n\nothers\n", &[7]),
            ("docs/a.md", "1. One\n    others\n", &[2]),
            ("docs/a.md", "brothers, intelligent, besides, go-on\n", &[]),
            ("docs/a.md", "It is no longer there, as long as it is.\n", &[]),
            ("crates/a/src/a.rs", "f(\"{told} of {others:?}, {beside}\");\n", &[]),
            ("docs/a.md", "the user nobody <!-- tidy: plain -->\n", &[]),
            ("CHANGELOG.md", "nobody\n", &[]),
            ("drivers/a/docs.md", "Nobody.\n", &[1]),
            ("crates/a/src/a.rs", "// others\nf(\"by \\\n  itself\"); // others\n", &[2]),
            ("crates/a/src/a.rs", "f(\"nobody\"); // tidy: plain\n", &[]),
            ("crates/a/src/a.rs", "#[cfg(test)]\nmod tests {\n  f(\"nobody\");\n}\n", &[]),
            ("crates/a/tests/a.rs", "f(\"nobody\");\n", &[]),
            ("crates/hammerdb/src/a.rs", "f(\"nobody\");\n", &[]),
        ];
        for (path, text, lines) in table {
            let found = check(&Tree::of(&[(path, text)]));
            let mut found: Vec<usize> = found.iter().map(|violation| violation.line).collect();
            found.sort_unstable();
            assert_eq!(&found, lines, "{path} {text:?}");
        }
    }

    #[test]
    fn five_words_are_found_in_comments_of_every_file_and_in_names() {
        let table: &[(&str, &str, &[usize])] = &[
            ("crates/a/src/a.rs", "/// Is told.\nfn told() {} // anew\n", &[1, 2, 2]),
            ("crates/a/src/a.rs", "/* a\nbeside */ fn nobody() {}\n", &[2, 2]),
            ("crates/a/src/a.rs", "#[cfg(test)]\nmod tests {\n  fn told() {}\n}\n", &[]),
            ("crates/a/tests/a.rs", "// Nobody\nf(\"nobody\");\n", &[1]),
            ("crates/hammerdb/src/a.rs", "// others, `told`\n// somebody\n", &[2]),
            ("xtask/src/a.rs", "// a user named nobody, tidy: plain\n", &[]),
            ("drivers/a/sql/a.sql", "SELECT told -- told\nFROM nobody\n", &[1]),
            ("a/Cargo.toml", "[told]\n# nobody\n", &[2]),
            ("a.sh", "told\n# told\n", &[2]),
            ("a.js", "const told = 1; // told\n/** Nobody\n is told. */\n", &[1, 2, 3]),
            ("a.css", "told {}\n/* beside\n */ told {} /* anew */\n", &[2, 3]),
            ("a.html", "<p>told</p>\n<!-- nobody -->\n", &[2]),
            ("a.txt", "# told\n", &[]),
        ];
        for (path, text, lines) in table {
            let found = check(&Tree::of(&[(path, text)]));
            let mut found: Vec<usize> = found.iter().map(|violation| violation.line).collect();
            found.sort_unstable();
            assert_eq!(&found, lines, "{path} {text:?}");
        }
    }
}
