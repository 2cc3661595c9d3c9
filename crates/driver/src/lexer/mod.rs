//! The lexical structure of SQL: code, strings, quoted names and comments.
//!
//! The lexer never fails and runs in linear time. An unclosed quote or comment extends to the end of the text. All code
//! that splits or classifies SQL uses this lexer.
//!
//! Start reading at [`tokens`]. [`variables`] finds variables such as `:name`, and [`words`] helps to classify
//! statements.

#[cfg(test)]
mod properties;
mod syntax;
mod tokens;
mod variables;

use std::ops::Range;

pub use syntax::Syntax;
pub use tokens::{Lexeme, Token, Tokens};
pub use variables::{Place, Variable, is_name, variables};

/// Returns the tokens of a text, in order and without gaps.
pub fn tokens<T: AsRef<[u8]> + ?Sized>(text: &T, syntax: Syntax) -> Tokens<'_> {
    Tokens::new(text.as_ref(), syntax)
}

/// Returns the first words that are not quoted, in lower case. Returns at most `count` words.
pub fn words<T: AsRef<[u8]> + ?Sized>(text: &T, syntax: Syntax, count: usize) -> Vec<String> {
    let text = text.as_ref();
    let word = |part: Lexeme| {
        let word = || String::from_utf8_lossy(&text[part.range]).to_lowercase();
        (part.token == Token::Word).then(word)
    };
    tokens(text, syntax).filter_map(word).take(count).collect()
}

/// Returns true if a word occurs in code, which includes the body of a dollar-quoted routine.
pub fn has_word<T: AsRef<[u8]> + ?Sized>(text: &T, syntax: Syntax, word: &str) -> bool {
    let text = text.as_ref();
    tokens(text, syntax).any(|Lexeme { token, range, is_closed }| match (token, &text[range]) {
        (Token::Word, found) => found.eq_ignore_ascii_case(word.as_bytes()),
        (Token::Text, [b'$', body @ ..]) => {
            let tag = body.iter().position(|byte| *byte == b'$').map_or(0, |end| end + 1);
            let end = if is_closed { body.len() - tag - 1 } else { body.len() };
            has_word(&body[tag..end], syntax, word)
        }
        _ => false,
    })
}

/// Returns the first byte of a text that is not white space or part of a comment.
pub fn first_byte<T: AsRef<[u8]> + ?Sized>(text: &T, syntax: Syntax) -> Option<u8> {
    let text = text.as_ref();
    let is_code = |part: &Lexeme| !matches!(part.token, Token::Blank | Token::Comment);
    tokens(text, syntax).find(is_code).map(|part| text[part.range.start])
}

/// Returns true if a text contains only white space, comments and semicolons.
pub fn is_blank<T: AsRef<[u8]> + ?Sized>(text: &T, syntax: Syntax) -> bool {
    tokens(text, syntax)
        .all(|part| matches!(part.token, Token::Blank | Token::Comment | Token::Sign(b';')))
}

/// Returns true if there is more than white space and comments after the first statement.
pub fn is_several<T: AsRef<[u8]> + ?Sized>(text: &T, syntax: Syntax) -> bool {
    let text = text.as_ref();
    let (mut nesting, mut ended) = (Nesting::default(), false);
    for Lexeme { token, range, .. } in tokens(text, syntax) {
        match token {
            Token::Blank | Token::Comment | Token::Sign(b';') if ended => {}
            _ if ended => return true,
            _ => ended = nesting.ends_at(token, &text[range]),
        }
    }
    false
}

/// Finds the ends of statements, as psql does. Semicolons in parentheses or in `BEGIN ATOMIC … END` do not end a
/// statement.
#[derive(Clone, Debug, Default)]
pub struct Nesting {
    parentheses: u32,
    blocks: u32,
    /// The number of words of `CREATE OR REPLACE` with which the statement has begun so far. A number greater than 3
    /// means that the statement's kind is already known.
    words: u8,
    creates: bool,
}

impl Nesting {
    /// Processes the next token. Returns true if the statement ends at this token.
    pub fn ends_at(&mut self, token: Token, text: &[u8]) -> bool {
        match token {
            Token::Sign(b'(') => self.parentheses += 1,
            Token::Sign(b')') => self.parentheses = self.parentheses.saturating_sub(1),
            Token::Sign(b';') if self.parentheses == 0 && self.blocks == 0 => {
                *self = Self::default();
                return true;
            }
            Token::Word if self.parentheses == 0 => self.word(text),
            _ => {}
        }
        false
    }

    /// Recognizes CREATE [OR REPLACE] FUNCTION or PROCEDURE. In such statements, it also recognizes BEGIN, CASE and
    /// END.
    fn word(&mut self, text: &[u8]) {
        const RULED_OUT: u8 = 5;
        let is = |word: &str| text.eq_ignore_ascii_case(word.as_bytes());
        self.words = match self.words {
            0 if is("create") => 1,
            1 if is("or") => 2,
            2 if is("replace") => 3,
            1 | 3 if is("function") || is("procedure") => {
                self.creates = true;
                RULED_OUT
            }
            _ => RULED_OUT,
        };
        if !self.creates {
            return;
        }
        if is("begin") || (is("case") && self.blocks > 0) {
            self.blocks += 1;
        } else if is("end") {
            self.blocks = self.blocks.saturating_sub(1);
        }
    }
}

/// Returns the range of each statement without its semicolon. Omits statements without code.
pub fn statements(text: &str, syntax: Syntax) -> Vec<Range<usize>> {
    let (mut found, mut nesting, mut start, mut has_code) =
        (Vec::new(), Nesting::default(), 0, false);
    for Lexeme { token, range, .. } in tokens(text, syntax) {
        if nesting.ends_at(token, &text.as_bytes()[range.clone()]) {
            found.extend(has_code.then_some(start..range.start));
            (start, has_code) = (range.end, false);
        } else {
            has_code |= !matches!(token, Token::Blank | Token::Comment);
        }
    }
    found.extend(has_code.then_some(start..text.len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_outside_of_quotes_parentheses_and_bodies() {
        let table: [(&str, &[&str]); 8] = [
            ("", &[]),
            (" ; /* a; */ ;-- b", &[]),
            ("a; b ';' ; c \";\"", &["a", "b ';'", "c \";\""]),
            ("create rule r as do (a; b); c", &["create rule r as do (a; b)", "c"]),
            ("$$ a; $$; E'\\';' ; $x$ $$ ; $x$", &["$$ a; $$", "E'\\';'", "$x$ $$ ; $x$"]),
            (
                "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; b; END; c",
                &[
                    "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; b; END",
                    "c",
                ],
            ),
            ("BEGIN; a; END; b", &["BEGIN", "a", "END", "b"]),
            ("CREATE TABLE begin (a int); b", &["CREATE TABLE begin (a int)", "b"]),
        ];
        for (text, expected) in table {
            let found: Vec<&str> = statements(text, Syntax::STANDARD)
                .into_iter()
                .map(|range| text[range].trim())
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn words_skip_comments_and_quotes() {
        let text = "/* it's */ -- SELECT\n ROLLBACK 'a' \"b\" To c";
        assert_eq!(words(text, Syntax::STANDARD, 2), ["rollback", "to"]);
        assert_eq!(words("# a\nBegin `work` x", Syntax::BACKSLASH, 3), ["begin", "x"]);
        assert_eq!(first_byte("/* W */\n(select)", Syntax::STANDARD), Some(b'('));
        for (text, expected) in [
            ("BEGIN; commit; END", true),
            ("-- commit\n'commit' \"commit\" committed", false),
            ("AS $b$ 'commit' BEGIN COMMIT; END $b$", true),
            ("AS $$ -- COMMIT\n'commit' $$ $b$ commit", true),
            ("AS $$ 'commit' $$ $", false),
        ] {
            assert_eq!(has_word(text, Syntax::STANDARD, "commit"), expected, "{text}");
        }
    }

    #[test]
    fn blanks_and_several_statements_are_recognised() {
        for (text, blank, several) in [
            ("", true, false),
            ("/* don't */ ; -- '\n", true, false),
            ("a; -- b", false, false),
            ("a; b", false, true),
            ("(a; b);;", false, false),
            ("select ';'", false, false),
            ("'-- a'", false, false),
        ] {
            assert_eq!(is_blank(text, Syntax::STANDARD), blank, "{text}");
            assert_eq!(is_several(text, Syntax::STANDARD), several, "{text}");
        }
    }
}
