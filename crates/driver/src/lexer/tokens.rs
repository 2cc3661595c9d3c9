//! The scanner. It runs in linear time, because it reads each byte only a limited number of times.

use std::ops::Range;

use super::Syntax;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// White space.
    Blank,
    /// A comment, up to the end of the line or the closing `*/`.
    Comment,
    /// The start or end of `/*! … */`, whose content is code.
    Executed,
    /// A keyword or an unquoted name.
    Word,
    /// A quoted name.
    Name,
    /// A string, including its quotes and prefix.
    Text,
    /// A number.
    Number,
    /// A numbered placeholder, such as `$1`.
    Parameter(usize),
    /// Any other single byte, which is ASCII.
    Sign(u8),
}

/// A token and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// The kind.
    pub token: Token,
    /// The byte range.
    pub range: Range<usize>,
    /// False if a string, name or comment is not closed.
    pub is_closed: bool,
}

/// An iterator over the tokens of a text, in order and without gaps.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    syntax: Syntax,
    /// True within `/*! … */`.
    is_executed: bool,
}

/// The position after a token, and true if the token has its closing delimiter.
type End = (usize, bool);

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a [u8], syntax: Syntax) -> Self {
        Self { text, at: 0, syntax, is_executed: false }
    }

    /// Continues at this byte, which must be the start of a token.
    #[must_use]
    pub fn starting_at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn after(&self, mut at: usize, is_in: impl Fn(u8) -> bool) -> usize {
        while at < self.text.len() && is_in(self.text[at]) {
            at += 1;
        }
        at
    }

    /// Returns the end of a string or name that starts at `at`. A doubled quote is part of it.
    fn quoted(&self, at: usize, close: u8, escapes: bool) -> End {
        let mut at = at + 1;
        while at < self.text.len() {
            match self.text[at] {
                b'\\' if escapes => at += 2,
                byte if byte == close && self.byte(at + 1) == close => at += 2,
                byte if byte == close => return (at + 1, true),
                _ => at += 1,
            }
        }
        (self.text.len(), false)
    }

    /// Returns the end of an `E'…'` string. If the next line starts with a quote, the string continues there.
    fn escape_string(&self, quote: usize) -> End {
        let mut end = self.quoted(quote, b'\'', true);
        while end.1
            && let Some(next) = self.continued(end.0)
        {
            end = self.quoted(next, b'\'', true);
        }
        end
    }

    /// If the string that ends at `end` is continued by another string literal, returns the position of that literal's
    /// opening quote.
    fn continued(&self, end: usize) -> Option<usize> {
        let mut at = end;
        loop {
            let after = self.after(at, is_blank);
            at = if self.text[after..].starts_with(b"--") { self.line(after) } else { after };
            if at == after {
                break;
            }
        }
        let has_line = self.byte(at) == b'\'' && self.text[end..at].contains(&b'\n');
        has_line.then_some(at)
    }

    fn line(&self, at: usize) -> usize {
        self.after(at, |byte| byte != b'\n')
    }

    fn block_comment(&self, at: usize) -> End {
        let (mut at, mut depth) = (at + 2, 1_usize);
        while at < self.text.len() {
            match (self.text[at], self.byte(at + 1)) {
                (b'*', b'/') => {
                    (at, depth) = (at + 2, depth - 1);
                    if depth == 0 {
                        return (at, true);
                    }
                }
                (b'/', b'*') if self.syntax.nested_comments => (at, depth) = (at + 2, depth + 1),
                _ => at += 1,
            }
        }
        (self.text.len(), false)
    }

    /// Returns the end of `$tag$ … $tag$` if one starts here.
    fn dollar_quoted(&self, at: usize) -> Option<End> {
        let end = self.after(at + 1, is_in_tag);
        if self.byte(end) != b'$' || self.byte(at + 1).is_ascii_digit() {
            return None;
        }
        let tag = &self.text[at..=end];
        let mut at = end + 1;
        while let Some(next) = self.text[at..].iter().position(|byte| *byte == b'$') {
            at += next;
            if self.text[at..].starts_with(tag) {
                return Some((at + tag.len(), true));
            }
            at += 1;
        }
        Some((self.text.len(), false))
    }

    /// Returns the end of a `q'[ … ]'` string whose quote is at `at`.
    fn delimited(&self, at: usize) -> End {
        let close = match self.byte(at + 1) {
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            b'(' => b')',
            other => other,
        };
        let rest = self.text.get(at + 2..).unwrap_or_default();
        match rest.windows(2).position(|pair| pair == [close, b'\'']) {
            Some(length) => (at + 2 + length + 2, true),
            None => (self.text.len(), false),
        }
    }

    /// Returns the end of a string with a letter prefix if one starts here.
    fn prefixed(&self, at: usize) -> Option<(Token, End)> {
        let letter = |at: usize| self.byte(at).to_ascii_lowercase();
        let escapes = self.syntax.backslash_escapes;
        let end = match (letter(at), letter(at + 1), self.byte(at + 2)) {
            (b'e', b'\'', _) if self.syntax.escape_strings => self.escape_string(at + 1),
            (b'q', b'\'', _) if self.syntax.delimited_strings => self.delimited(at + 1),
            (b'n', b'q', b'\'') if self.syntax.delimited_strings => self.delimited(at + 2),
            (b'b' | b'x' | b'n', b'\'', _) => self.quoted(at + 1, b'\'', escapes),
            (b'u', b'&', b'\'') => self.quoted(at + 2, b'\'', false),
            (b'u', b'&', b'"') => return Some((Token::Name, self.quoted(at + 2, b'"', false))),
            _ => return None,
        };
        Some((Token::Text, end))
    }

    fn number(&self, at: usize) -> usize {
        let is_in = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
        let end = self.after(at, is_in);
        // 1e-5
        let is_exponent = matches!(self.byte(end.wrapping_sub(1)), b'e' | b'E')
            && matches!(self.byte(end), b'+' | b'-')
            && self.byte(end + 1).is_ascii_digit()
            && !self.text[at..].starts_with(b"0x");
        if is_exponent { self.after(end + 1, |byte| byte.is_ascii_digit()) } else { end }
    }

    fn dollar(&self, at: usize) -> (Token, End) {
        if self.byte(at + 1).is_ascii_digit() {
            let end = self.after(at + 1, |byte| byte.is_ascii_digit());
            let digits = std::str::from_utf8(&self.text[at + 1..end]).unwrap_or_default();
            return (Token::Parameter(digits.parse().unwrap_or(0)), (end, true));
        }
        match self.dollar_quoted(at) {
            Some(end) => (Token::Text, end),
            None => (Token::Sign(b'$'), (at + 1, true)),
        }
    }

    /// If the current position is at a marker such as `/*!80000` or at the matching `*/`, returns the end of this
    /// marker.
    fn executed(&mut self) -> Option<usize> {
        let rest = &self.text[self.at..];
        if self.is_executed && rest.starts_with(b"*/") {
            self.is_executed = false;
            return Some(self.at + 2);
        }
        let begin = [&b"/*!"[..], b"/*M!"].into_iter().find(|begin| rest.starts_with(begin))?;
        self.is_executed = true;
        Some(self.after(self.at + begin.len(), |byte| byte.is_ascii_digit()))
    }

    fn part(&self, at: usize, first: u8) -> (Token, End) {
        let (second, syntax) = (self.byte(at + 1), self.syntax);
        let closed = |token, end| (token, (end, true));
        let is_last = at + 2 >= self.text.len();
        let dashes = !syntax.dashes_need_blank || is_last || is_blank(self.byte(at + 2));
        match first {
            _ if is_blank(first) => closed(Token::Blank, self.after(at, is_blank)),
            b'-' if second == b'-' && dashes => closed(Token::Comment, self.line(at)),
            b'#' if syntax.hash_comments => closed(Token::Comment, self.line(at)),
            b'/' if second == b'*' => (Token::Comment, self.block_comment(at)),
            b'\'' => (Token::Text, self.quoted(at, b'\'', syntax.backslash_escapes)),
            b'"' if syntax.double_quoted_strings => {
                (Token::Text, self.quoted(at, b'"', syntax.backslash_escapes))
            }
            b'"' => (Token::Name, self.quoted(at, b'"', false)),
            b'`' if syntax.backticks => (Token::Name, self.quoted(at, b'`', false)),
            b'[' if syntax.brackets => (Token::Name, self.quoted(at, b']', false)),
            b'$' if syntax.dollar_quotes => self.dollar(at),
            _ if first.is_ascii_digit() || (first == b'.' && second.is_ascii_digit()) => {
                closed(Token::Number, self.number(at))
            }
            _ if is_in_word(first) => match self.prefixed(at) {
                Some(found) => found,
                None => closed(Token::Word, self.after(at, is_in_word)),
            },
            _ => closed(Token::Sign(first), at + 1),
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Lexeme;

    fn next(&mut self) -> Option<Lexeme> {
        let from = self.at;
        let first = *self.text.get(from)?;
        let end = if self.syntax.executed_comments { self.executed() } else { None };
        let (token, (end, is_closed)) = match end {
            Some(end) => (Token::Executed, (end, true)),
            None => self.part(from, first),
        };
        // A backslash at the end of the text escapes nothing. Make sure that the token does not extend beyond the text.
        self.at = end.min(self.text.len());
        Some(Lexeme { token, range: from..self.at, is_closed })
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0B
}

/// Returns true for bytes that names and dollar-quote tags can contain, including all non-ASCII bytes.
pub(super) fn is_in_tag(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_in_word(byte: u8) -> bool {
    is_in_tag(byte) || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    fn shown(text: &str, syntax: Syntax) -> String {
        let show = |Lexeme { token, range, is_closed }: Lexeme| {
            let part = &text[range];
            let open = if is_closed { "" } else { "…" };
            match token {
                Token::Blank => "_".to_owned(),
                Token::Executed => "|".to_owned(),
                Token::Comment => format!("({part}{open})"),
                Token::Text => format!("<{part}{open}>"),
                Token::Number => format!("{{{part}}}"),
                Token::Name => format!("[{part}{open}]"),
                Token::Parameter(number) => format!("#{number}"),
                Token::Word => part.to_owned(),
                Token::Sign(sign) => format!("'{}", char::from(sign)),
            }
        };
        tokens(text, syntax).map(show).collect()
    }

    #[test]
    fn parts_are_read_by_the_rules_of_each_database() {
        let brackets = Syntax { brackets: true, nested_comments: true, ..Syntax::PLAIN };
        let delimited = Syntax { delimited_strings: true, ..Syntax::PLAIN };
        let table = [
            (Syntax::STANDARD, "a='it''s; $1' -- x", "a'=<'it''s; $1'>_(-- x)"),
            (
                Syntax::STANDARD,
                "E'\\'' $1 $$a;'$$ $t$ $$ $t$",
                "<E'\\''>_#1_<$$a;'$$>_<$t$ $$ $t$>",
            ),
            (
                Syntax::STANDARD,
                "\"A b\".c1 >1.5e-3/* /* */ */;",
                "[\"A b\"]'.c1_'>{1.5e-3}(/* /* */ */)';",
            ),
            (Syntax::STANDARD, "a$1 'open", "a$1_<'open…>"),
            (Syntax::STANDARD, "note'x' $1a$ b$$c", "note<'x'>_#1a$_b$$c"),
            (Syntax::STANDARD, "'a\\' $é$'$é$ é", "<'a\\'>_<$é$'$é$>_é"),
            (Syntax::STANDARD, "E'\\'' -- ;\n  '\\'' 'a'", "<E'\\'' -- ;\n  '\\''>_<'a'>"),
            (Syntax::STANDARD, "E'a' '\\' 1", "<E'a'>_<'\\'>_{1}"),
            (Syntax::STANDARD, "U&'\\' U&\"'\" N'a' x'1f'", "<U&'\\'>_[U&\"'\"]_<N'a'>_<x'1f'>"),
            (Syntax::STANDARD, "a--b\n[1:2] /* x", "a(--b)_'[{1}':{2}']_(/* x…)"),
            (Syntax::STANDARD, "\"open", "[\"open…]"),
            (Syntax::STANDARD, "E'x\\", "<E'x\\…>"),
            (Syntax::BACKSLASH, "'a\\'b' \"c\" `d` # e\nf", "<'a\\'b'>_<\"c\">_[`d`]_(# e)_f"),
            (Syntax::BACKSLASH, "0xFF+1 x'1f' 5--3 -- a", "{0xFF}'+{1}_<x'1f'>_{5}'-'-{3}_(-- a)"),
            (Syntax::BACKSLASH, "/* /* */ '$$' $$", "(/* /* */)_<'$$'>_$$"),
            (Syntax::BACKSLASH, "/*!40101 SET a='*/'*/;/*M!*/*/", "|_SET_a'=<'*/'>|';||'*'/"),
            (brackets, "[a]]'b] 'c\\' /* /* */ */", "[[a]]'b]]_<'c\\'>_(/* /* */ */)"),
            (delimited, "q'[it's]' nq'!a'!' q'<", "<q'[it's]'>_<nq'!a'!'>_<q'<…>"),
        ];
        for (syntax, text, expected) in table {
            assert_eq!(shown(text, syntax), expected, "{text}");
        }
    }
}
