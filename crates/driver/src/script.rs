//! Splits a script into statements, for client libraries that can run only one statement at a time.

use crate::lexer::{self, Lexeme, Nesting, Syntax, Token};

/// Returns a script's statements without the semicolons between them. Omits statements that consist only of comments.
pub fn statements(sql: &str, syntax: Syntax) -> impl Iterator<Item = &str> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let end = if is_routine(rest, syntax) {
                rest.len()
            } else {
                block(rest).unwrap_or_else(|| end_of_statement(rest, syntax))
            };
            let (statement, after) = rest.split_at(end);
            rest = after.strip_prefix(';').unwrap_or(after);
            let statement = statement.trim();
            if !lexer::is_blank(statement, syntax) {
                return Some(statement);
            }
        }
    })
}

/// Returns true if a routine with an unquoted body starts here. Such a body contains semicolons and extends to the end
/// of the text.
fn is_routine(sql: &str, syntax: Syntax) -> bool {
    let words = lexer::words(sql, syntax, 5);
    let Some(("create", rest)) = words.split_first().map(|(first, rest)| (first.as_str(), rest))
    else {
        return false;
    };
    let is_modifier = |word: &&String| {
        matches!(word.as_str(), "or" | "replace" | "alter" | "editionable" | "definer")
    };
    let kind = rest.iter().find(|word| !is_modifier(word)).map(String::as_str);
    let is_quoted = |part: Lexeme| part.token == Token::Text && sql[part.range].starts_with('$');
    matches!(kind, Some("procedure" | "function" | "trigger"))
        && !lexer::tokens(sql, syntax).any(is_quoted)
}

/// Returns the length of a single-line `BEGIN …; END;` at the start of the text, including the final semicolon.
fn block(sql: &str) -> Option<usize> {
    let start = sql.len() - sql.trim_start().len();
    let line = sql[start..].lines().next()?;
    let inner = line.trim_end_matches(';');
    let is_one = line.starts_with("BEGIN ") && inner.ends_with(" END");
    is_one.then(|| start + inner.len() + usize::from(line.ends_with(';')))
}

/// Returns the position of the semicolon that ends the first statement.
fn end_of_statement(sql: &str, syntax: Syntax) -> usize {
    let mut nesting = Nesting::default();
    let mut ends = |part: &Lexeme| nesting.ends_at(part.token, &sql.as_bytes()[part.range.clone()]);
    lexer::tokens(sql, syntax).find(|part| ends(part)).map_or(sql.len(), |part| part.range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_quotes_and_comments_end_nothing() {
        let table: [(&str, &[&str]); 16] = [
            ("", &[]),
            (" ; ;", &[]),
            ("a; b ;c", &["a", "b", "c"]),
            ("a ';' b; c", &["a ';' b", "c"]),
            ("a 'it''s; so'; \"x;y\"; `p;q`", &["a 'it''s; so'", "\"x;y\"", "`p;q`"]),
            ("a -- one; two\n, b; c", &["a -- one; two\n, b", "c"]),
            ("a /* x; y */ b; c /* z;", &["a /* x; y */ b", "c /* z;"]),
            (
                "f $$ x; y $$; g $n$ $$; $n$; h $1; i",
                &["f $$ x; y $$", "g $n$ $$; $n$", "h $1", "i"],
            ),
            ("a 'open; b", &["a 'open; b"]),
            ("-- a;\nb -- c\n; /* d; */ -- e", &["-- a;\nb -- c"]),
            ("a;\nBEGIN b; c; END;;\nd", &["a", "BEGIN b; c; END;", "d"]),
            ("BEGIN; a; END;", &["BEGIN", "a", "END"]),
            ("BEGIN b; c; END\nd; e", &["BEGIN b; c; END", "d", "e"]),
            (
                "a; create or replace procedure p() begin x; y; end",
                &["a", "create or replace procedure p() begin x; y; end"],
            ),
            (
                "-- it's\nCREATE TRIGGER t BEGIN x; y; END",
                &["-- it's\nCREATE TRIGGER t BEGIN x; y; END"],
            ),
            ("create table function_t (a int); b", &["create table function_t (a int)", "b"]),
        ];
        let syntax = Syntax { backticks: true, dollar_quotes: true, ..Syntax::PLAIN };
        for (script, expected) in table {
            assert_eq!(statements(script, syntax).collect::<Vec<_>>(), expected, "{script}");
        }
    }
}
