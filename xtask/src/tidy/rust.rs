//! Rust source seen by a simple scanner: code, comments and literals apart; functions; test code.
//!
//! It is no parser. It knows comments, literals and braces, which is all that the rules need.

use std::ops::Range;

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// What stands between the quotes, escapes as written.
    pub text: String,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Line of the keyword `fn`, from 1.
    pub line: usize,
    /// Lines from that one to the closing brace.
    pub lines: usize,
}

/// One file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The text with comments and literals blanked out.
    pub code: String,
    /// The text with only comments blanked out.
    pub uncommented: String,
    /// String literals in order.
    pub literals: Vec<Literal>,
    /// Functions in order.
    pub functions: Vec<Function>,
    /// Lines of items under `#[cfg(test)]`.
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
        let functions = functions(&code, &lines);
        let tests = test_items(&code, &lines);
        Self { code, uncommented, literals, functions, tests }
    }

    /// Whether this line, from 1, belongs to an item under `#[cfg(test)]`.
    pub fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&line))
    }

    /// Lines that are not under `#[cfg(test)]`.
    pub fn product_lines(&self) -> usize {
        (1..=self.code.lines().count()).filter(|line| !self.is_test(*line)).count()
    }
}

/// Whether a file holds nothing but tests or what tests use, by its path.
pub fn is_test_file(path: &str) -> bool {
    let mut folders = path.split('/').rev();
    let name = folders.next().unwrap_or_default();
    name == "tests.rs" || folders.any(|folder| matches!(folder, "tests" | "benches" | "testkit"))
}

/// The positions at which `word` stands as a whole word.
pub fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| is_name(*byte));
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !part(before) && (!part(bytes.get(at + word.len())) || word.ends_with('!'))
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comment,
    /// A string literal.
    Text,
    /// A character literal.
    Char,
}

/// Comments and literals, without their quotes, in order.
fn pieces(text: &str) -> Vec<(Kind, Range<usize>)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let Some((kind, inside, length)) = piece(text, at) else {
            at += next.len_utf8();
            continue;
        };
        pieces.push((kind, at + inside.start..at + inside.end));
        at += length;
    }
    pieces
}

/// The comment or literal that begins at `at`: its kind, its inside and its length, counted from
/// there.
fn piece(text: &str, at: usize) -> Option<(Kind, Range<usize>, usize)> {
    let rest = &text[at..];
    match rest.as_bytes() {
        [b'/', b'/', ..] => {
            let length = rest.find('\n').unwrap_or(rest.len());
            Some((Kind::Comment, 0..length, length))
        }
        [b'/', b'*', ..] => {
            let length = block_comment(rest);
            Some((Kind::Comment, 0..length, length))
        }
        [b'"', ..] => {
            let end = 1 + closing(&rest[1..], b'"');
            Some((Kind::Text, 1..end, (end + 1).min(rest.len())))
        }
        [b'\'', ..] => {
            let end = character(rest)?;
            Some((Kind::Char, 1..end, (end + 1).min(rest.len())))
        }
        [b'r', ..] if begins_literal(text.as_bytes(), at) => raw_string(rest),
        _ => None,
    }
}

/// Whether the `r` at this place is not the tail of a name: `r"`, `br"` or `cr"`.
fn begins_literal(bytes: &[u8], at: usize) -> bool {
    let before = match &bytes[..at] {
        [before @ .., b'b' | b'c'] | before => before,
    };
    !before.last().is_some_and(|byte| is_name(*byte))
}

/// Length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Position of the closing quote of a literal with escapes.
fn closing(text: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// The raw string that begins here.
fn raw_string(text: &str) -> Option<(Kind, Range<usize>, usize)> {
    let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
    let start = hashes + 2;
    if text.as_bytes().get(start - 1) != Some(&b'"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let end = text[start..].find(&close).map_or(text.len(), |length| start + length);
    Some((Kind::Text, start..end, (end + close.len()).min(text.len())))
}

/// Position of the closing quote of a character literal; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut inside = text[1..].chars();
    let first = inside.next()?;
    if first == '\\' {
        return Some(1 + closing(&text[1..], b'\''));
    }
    (inside.next() == Some('\'')).then(|| 1 + first.len_utf8())
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

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line, from 1, of a position.
    fn at(&self, position: usize) -> usize {
        self.0.partition_point(|start| *start <= position)
    }
}

fn functions(code: &str, lines: &Lines) -> Vec<Function> {
    words(code, "fn")
        .filter_map(|at| {
            let rest = code[at + 2..].trim_start();
            let name: String = rest.bytes().take_while(|b| is_name(*b)).map(char::from).collect();
            let item = item(code, at);
            if name.is_empty() || !item.has_body {
                return None;
            }
            let line = lines.at(at);
            Some(Function { name, line, lines: lines.at(item.end - 1) + 1 - line })
        })
        .collect()
}

/// Lines of the items that follow an attribute `cfg(test)`.
fn test_items(code: &str, lines: &Lines) -> Vec<Range<usize>> {
    code.match_indices("#[cfg(")
        .filter(|(at, _)| {
            let condition = code[*at..].split(']').next().unwrap_or_default();
            words(condition, "test").next().is_some() && !condition.contains("not(")
        })
        .map(|(at, _)| lines.at(at)..lines.at(item(code, at).end - 1) + 1)
        .collect()
}

struct Item {
    /// Whether it ends with braces, and not with a semicolon.
    has_body: bool,
    /// One past its last byte.
    end: usize,
}

/// The item that begins at `at`, attributes included.
fn item(code: &str, at: usize) -> Item {
    let mut depth = 0_i32;
    for (position, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b';' if depth == 0 => return Item { has_body: false, end: position + 1 },
            b'{' if depth == 0 => {
                return Item { has_body: true, end: closing_brace(code, position) };
            }
            _ => {}
        }
    }
    Item { has_body: false, end: code.len() }
}

/// One past the brace that closes the one at `open`.
fn closing_brace(code: &str, open: usize) -> usize {
    let mut depth = 0_i32;
    for (position, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
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
    fn functions_are_measured_and_declarations_are_not() {
        let text = "trait T { fn none(&self) -> [u8; 4]; }\nfn one() {}\n\nconst fn \
                    two<F: Fn(u8)>(f: fn(u8))\nwhere F: Copy,\n{\n    let x = \"}\";\n}\n";
        let functions = Source::read(text).functions;
        let shape: Vec<(&str, usize, usize)> =
            functions.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(shape, [("one", 2, 1), ("two", 4, 5)]);
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
    fn words_are_whole() {
        let text = "eprintln!(x) println!(y) my_println!(z)";
        assert_eq!(words(text, "println!").collect::<Vec<_>>(), [13]);
        assert_eq!(words("fnord fn a_fn", "fn").collect::<Vec<_>>(), [6]);
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
