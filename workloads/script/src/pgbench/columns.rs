//! Determines a statement's column names from its text, if possible. `\gset` and `\aset` set variables with these
//! names.
//!
//! This file must never guess a name. If the text does not determine a name, Tacho asks the server for it.
//!
//! Start reading at [`columns`].

use tacho_driver::lexer::{Lexeme, Syntax, Token, tokens};

use crate::vm::source::Fail;

/// An element of a statement, such as a word or a sign. A pair of brackets and everything between them is one element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word<'a> {
    Plain(&'a str),
    Quoted(String),
    /// Brackets, including everything between them.
    Group,
    /// An element that is a number, a string, a parameter or a variable.
    Value,
    Sign(u8),
    /// Two colons: a cast.
    Cast,
}

/// Statements that never return rows, or return them only with RETURNING.
const WITHOUT_ROWS: [&str; 14] = [
    "insert", "update", "delete", "merge", "begin", "start", "commit", "rollback", "end", "abort",
    "set", "create", "drop", "truncate",
];

/// Returns the names of a statement's columns in order, or `None` if only the server knows them.
///
/// # Errors
/// Returns an error if the statement does not return rows.
pub fn columns(text: &str, at: u32) -> Result<Option<Vec<String>>, Fail> {
    let words = words(text);
    let main =
        |word: &Word<'_>| is(word, "select") || WITHOUT_ROWS[..4].iter().any(|name| is(word, name));
    let first = match words.first() {
        Some(word) if is(word, "with") => words.iter().position(main),
        first => first.map(|_| 0),
    };
    let Some(first) = first else { return Ok(None) };
    let start = if is(&words[first], "select") {
        first
    } else if !WITHOUT_ROWS.iter().any(|name| is(&words[first], name)) {
        return Ok(None);
    } else if let Some(returning) = words.iter().rposition(|word| is(word, "returning")) {
        returning
    } else {
        let fail = Fail::new(at, "the statement returns no columns");
        return Err(fail.hint("use \\gset and \\aset only after a statement that returns rows"));
    };
    let mut list = &words[start + 1..];
    if list.first().is_some_and(|word| is(word, "distinct") || is(word, "all")) {
        list = &list[1..];
    }
    if let [on, Word::Group, rest @ ..] = list
        && is(on, "on")
    {
        list = rest;
    }
    let ends = [
        "from",
        "into",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "for",
        "union",
        "intersect",
        "except",
        "fetch",
        "window",
    ];
    let ends = |word: &Word<'_>| ends.iter().any(|end| is(word, end)) || *word == Word::Sign(b';');
    let list = &list[..list.iter().position(ends).unwrap_or(list.len())];
    Ok(list.split(|word| *word == Word::Sign(b',')).map(name).collect())
}

fn is(word: &Word<'_>, name: &str) -> bool {
    matches!(word, Word::Plain(text) if text.eq_ignore_ascii_case(name))
}

/// Returns the name of a column if the text determines it with certainty.
fn name(item: &[Word<'_>]) -> Option<String> {
    // Keywords that can end an expression, and constants. None of these is a column's name.
    let is_reserved = |word: &Word<'_>| {
        ["isnull", "notnull", "null", "true", "false", "end", "not"]
            .iter()
            .any(|reserved| is(word, reserved))
    };
    let plain = |word: &Word<'_>| match word {
        Word::Plain(name) if !is_reserved(word) => Some(name.to_ascii_lowercase()),
        Word::Quoted(name) => Some(name.clone()),
        _ => None,
    };
    match item {
        [.., word, alias] if is(word, "as") => match alias {
            Word::Plain(name) => Some(name.to_ascii_lowercase()),
            alias => plain(alias),
        },
        [before @ .., alias @ (Word::Plain(_) | Word::Quoted(_))] if is_column(before) => {
            // A column alias without AS.
            before.last().and_then(plain).and_then(|_| plain(alias))
        }
        [.., word, Word::Value, Word::Plain(_)] if is(word, "interval") => None,
        [.., Word::Value | Word::Group, alias @ (Word::Plain(_) | Word::Quoted(_))] => plain(alias),
        _ => own_name(item),
    }
}

/// Returns the name that the server gives to a column, a function call, or a cast of either.
fn own_name(item: &[Word<'_>]) -> Option<String> {
    // Columns computed by these functions do not get the function's name.
    let is_special = |word: &Word<'_>| {
        [
            "trim",
            "cast",
            "treat",
            "extract",
            "collation",
            "array",
            "row",
            "position",
            "xmlserialize",
        ]
        .iter()
        .any(|special| is(word, special))
    };
    match item {
        [before @ .., Word::Cast, Word::Plain(_)]
        | [before @ .., Word::Cast, Word::Plain(_), Word::Group] => own_name(before),
        [call @ .., Word::Group] if is_column(call) => match call {
            [function] if is_special(function) => None,
            [.., Word::Plain(function)] => Some(function.to_ascii_lowercase()),
            _ => None,
        },
        [.., Word::Plain(column)] if is_column(item) => {
            let is_constant =
                ["null", "true", "false"].iter().any(|constant| is(&item[0], constant));
            (!is_constant).then(|| column.to_ascii_lowercase())
        }
        [.., Word::Quoted(column)] if is_column(item) => Some(column.clone()),
        _ => None,
    }
}

/// Returns true if the item is a column name, with or without a qualifier.
fn is_column(item: &[Word<'_>]) -> bool {
    let is_name = |word: &Word<'_>| matches!(word, Word::Plain(_) | Word::Quoted(_));
    let fits = |(place, word): (usize, &Word<'_>)| {
        if place % 2 == 0 { is_name(word) } else { *word == Word::Sign(b'.') }
    };
    item.len() % 2 == 1 && item.iter().enumerate().all(fits)
}

fn words(text: &str) -> Vec<Word<'_>> {
    let (mut found, mut depth) = (Vec::new(), 0_u32);
    // Position after the previous token, if this token was a colon. A second colon at this position makes a cast
    // (`::`).
    let mut colon = None;
    for Lexeme { token, range, .. } in tokens(text, Syntax::STANDARD) {
        let follows_colon = colon.take() == Some(range.start);
        match token {
            Token::Sign(b'(' | b'[') => {
                if depth == 0 {
                    found.push(Word::Group);
                }
                depth += 1;
            }
            Token::Sign(b')' | b']') => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            Token::Blank | Token::Comment | Token::Executed => {}
            Token::Sign(b':') if follows_colon => {
                found.pop();
                found.push(Word::Cast);
            }
            Token::Sign(b':') => {
                found.push(Word::Sign(b':'));
                colon = Some(range.end);
            }
            Token::Word if follows_colon => {
                found.pop();
                found.push(Word::Value);
            }
            Token::Word => found.push(Word::Plain(&text[range.clone()])),
            Token::Name => {
                let name = text[range.clone()].trim_matches('"');
                found.push(Word::Quoted(name.replace("\"\"", "\"")));
            }
            Token::Text | Token::Number | Token::Parameter(_) => found.push(Word::Value),
            Token::Sign(sign) => found.push(Word::Sign(sign)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_names_that_the_text_gives() {
        let table = [
            ("SELECT abalance FROM a WHERE aid = :aid;", "abalance"),
            ("select a.x, b.y AS z, count(*), 1 + 2 AS \"Two\" from t", "x z count Two"),
            ("SELECT max(id)::int, now() at, x::bigint FROM t", "max at x"),
            ("SELECT (SELECT 1 FROM b) AS n", "n"),
            ("INSERT INTO t SELECT 1 FROM b RETURNING id, Name", "id name"),
            ("WITH w AS (SELECT 2 AS q) SELECT DISTINCT q FROM w", "q"),
            ("SELECT DISTINCT ON (a) a, \"B\"\"c\" FROM t", "a B\"c"),
            ("SELECT coalesce(max(b), 0) + 1 c, a b, :v d, :v::int AS e FROM t", "c b d e"),
            ("SELECT '5' AS a, ',' AS b", "a b"),
            ("/* Let's go, SELECT 2 AS b */ SELECT 1 AS a -- , 3 AS c", "a"),
            ("SELECT E'it\\'s, 1 AS x' AS a, $$, 'y$$ AS b", "a b"),
            ("SELECT 'x' AS end, s.f(1)", "end f"),
        ];
        for (text, expected) in table {
            let found = columns(text, 0).map(|names| names.map(|names| names.join(" ")));
            assert_eq!(found.expect(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn the_server_knows_the_other_names() {
        for text in [
            "SELECT * FROM t",
            "SELECT a.*, 1 AS b FROM a",
            "SELECT 1 + 2",
            "SELECT CASE WHEN a > 1 THEN 2 ELSE b END FROM t",
            "SELECT x IS NULL, a AND b, x COLLATE \"C\", trim(x), 1::int, true, not a",
            "SELECT a, count(*) OVER ()",
            "SELECT interval '1' day",
            "SELECT :columns FROM t",
            "VALUES (1, 2)",
            "TABLE t",
            "SHOW work_mem",
            "(SELECT 1 AS a)",
            "CALL p(1)",
            "EXPLAIN SELECT 1 AS a",
            "WITH w AS (SELECT 1 AS a) TABLE w",
        ] {
            assert_eq!(columns(text, 0).expect(text), None, "{text}");
        }
    }

    #[test]
    fn a_statement_without_rows_is_rejected() {
        for text in ["UPDATE t SET a = 1", "/* RETURNING a */ DELETE FROM t", "BEGIN"] {
            assert!(columns(text, 0).is_err(), "{text}");
        }
    }
}
