//! Splits Rust source into code, comments and literals, using rustc's lexer, and finds the test code.
//!
//! This is not a full parser, because the rules need only comments, literals and braces.

use std::ops::Range;

use ra_ap_rustc_lexer::LiteralKind::{Byte, Char, Float, Int};
use ra_ap_rustc_lexer::{FrontmatterAllowed, Token, TokenKind, tokenize};

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Line on which the literal starts, counting from 1.
    pub line: usize,
    /// The text between the quotes. Escape sequences are kept as written.
    pub text: String,
}

/// A source file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The text of the file, with comments and literals replaced by blanks.
    pub code: String,
    /// The text with only comments blanked out.
    pub uncommented: String,
    /// String literals in order.
    pub literals: Vec<Literal>,
    /// Lines that belong to items under `#[cfg(test)]`.
    tests: Vec<Range<usize>>,
}

impl Source {
    /// Scans a file.
    pub fn read(text: &str) -> Self {
        let pieces = pieces(text);
        let code = blanked(text, &pieces, |_| true);
        let uncommented = blanked(text, &pieces, |kind| kind == Kind::Comment);
        let lines = Lines::of(text);
        let literals = pieces
            .iter()
            .filter(|(kind, _)| *kind == Kind::Text)
            .map(|(_, range)| Literal {
                line: lines.at(range.start),
                text: text[range.clone()].to_owned(),
            })
            .collect();
        let tests = test_items(&code, &lines);
        Self { code, uncommented, literals, tests }
    }

    /// Returns true if this line, counted from 1, belongs to an item under `#[cfg(test)]`.
    pub fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&line))
    }

    /// Returns the number of lines that do not belong to items under `#[cfg(test)]`.
    pub fn product_lines(&self) -> usize {
        (1..=self.code.lines().count()).filter(|line| !self.is_test(*line)).count()
    }
}

/// Returns true if the path indicates that the file contains only tests or code for tests.
pub fn is_test_file(path: &str) -> bool {
    let mut folders = path.split('/').rev();
    let name = folders.next().unwrap_or_default();
    name == "tests.rs" || folders.any(|folder| matches!(folder, "tests" | "benches" | "testkit"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comment,
    /// A string literal.
    Text,
    /// A character literal.
    Char,
}

/// Returns the comments and literals in order, without their quotes.
fn pieces(text: &str) -> Vec<(Kind, Range<usize>)> {
    let mut at = 0;
    let piece = |token: Token| {
        let range = at..at + token.len as usize;
        at = range.end;
        let (kind, quote) = match token.kind {
            TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                return Some((Kind::Comment, range));
            }
            TokenKind::Literal { kind: Int { .. } | Float { .. }, .. } => return None,
            TokenKind::Literal { kind: Char { .. } | Byte { .. }, .. } => (Kind::Char, '\''),
            TokenKind::Literal { .. } => (Kind::Text, '"'),
            _ => return None,
        };
        let token = &text[range.clone()];
        let (first, last) = (token.find(quote)?, token.rfind(quote)?);
        Some((kind, range.start + first + 1..range.start + last.max(first + 1)))
    };
    tokenize(text, FrontmatterAllowed::No).filter_map(piece).collect()
}

fn blanked(text: &str, pieces: &[(Kind, Range<usize>)], blank: impl Fn(Kind) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (_, range) in pieces.iter().filter(|(kind, _)| blank(*kind)) {
        out.push_str(&text[at..range.start]);
        out.extend(text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The positions where lines start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Returns the line number of a position, counting from 1.
    fn at(&self, position: usize) -> usize {
        self.0.partition_point(|start| *start <= position)
    }
}

/// Returns the lines of items that have a `cfg(test)` attribute.
fn test_items(code: &str, lines: &Lines) -> Vec<Range<usize>> {
    code.match_indices("#[cfg(")
        .filter(|(at, _)| {
            let condition = code[*at..].split(']').next().unwrap_or_default();
            let mut words = condition.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word == "test") && !condition.contains("not(")
        })
        .map(|(at, _)| lines.at(at)..lines.at(item_end(code, at) - 1) + 1)
        .collect()
}

/// Returns the position just after the end of the item whose attributes start at `at`.
fn item_end(code: &str, at: usize) -> usize {
    let mut depth = 0_i32;
    for (position, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(byte, b';' | b'}') {
            return position + 1;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_told_from_code() {
        let text = concat!(
            "let a = \"x // \\\" y\"; // one \"two\"\n",
            "/* a /* b */ c */ let c = '\"'; let d = '\\''; let e: &'a str = br#\"q\"r\"#;\n",
            "let raw = r\"\\\"; let r#fn = 1;\n",
        );
        let source = Source::read(text);
        let texts: Vec<(usize, &str)> =
            source.literals.iter().map(|l| (l.line, l.text.as_str())).collect();
        assert_eq!(texts, [(1, "x // \\\" y"), (2, "q\"r"), (3, "\\")]);
        assert!(!source.uncommented.contains("one") && !source.uncommented.contains("/*"));
        assert!(source.uncommented.contains("q\"r") && !source.code.contains('q'));
        assert!(source.code.contains("let e: &'a str") && source.code.contains("let r#fn = 1"));
        assert_eq!(source.code.lines().count(), 3);
    }

    #[test]
    fn test_items_are_found_and_the_rest_is_counted() {
        let text = "fn a() {}\n#[cfg(test)]\nuse x;\nfn b() {}\n#[cfg(all(test, unix))]\n\
                    #[expect(y, reason = \"z\")]\nmod tests {\n  fn c() {}\n}\n\
                    #[cfg(not(test))]\nfn d() {}\n";
        let source = Source::read(text);
        let tests: Vec<usize> = (1..=11).filter(|line| source.is_test(*line)).collect();
        assert_eq!(tests, [2, 3, 5, 6, 7, 8, 9]);
        assert_eq!(source.product_lines(), 4);
    }

    #[test]
    fn test_files_are_known_by_their_path() {
        for path in ["tests/src/cli.rs", "drivers/x/tests/conformance.rs", "crates/x/src/tests.rs"]
        {
            assert!(is_test_file(path), "{path}");
        }
        assert!(!is_test_file("crates/metrics/src/test_statistic.rs"));
        assert!(!is_test_file("xtask/src/test.rs"));
    }
}
