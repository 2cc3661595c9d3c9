//! The words, literals and comments of a statement, as far as its text is to be grouped or filled in.
//!
//! It never fails: what does not end reaches to the end of the text. Start reading at [`Tokens`].

use std::ops::Range;

/// How a log's database writes texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// `'text'`, `E'te\'xt'`, `$tag$text$tag$`, `"name"`, `$1`.
    Standard,
    /// `'te\'xt'`, `"text"`, `` `name` ``, `# comment`.
    Backslash,
}

/// What a part of a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Blanks and comments.
    Space,
    /// A keyword or a name.
    Word,
    /// A name in quotes.
    Quoted,
    /// A number or a text.
    Literal,
    /// A placeholder with its number, such as `$1`.
    Parameter(usize),
    /// One other byte.
    Sign(u8),
}

/// The parts of a statement, in order and without gaps.
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    quoting: Quoting,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a [u8], quoting: Quoting) -> Self {
        Self { text, at: 0, quoting }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn while_in(&self, mut at: usize, is_in: impl Fn(u8) -> bool) -> usize {
        while at < self.text.len() && is_in(self.text[at]) {
            at += 1;
        }
        at
    }

    /// The place after a text whose opening quote is at `at`; a doubled quote is one of its characters.
    fn after_quotes(&self, at: usize, escapes: bool) -> usize {
        let quote = self.text[at];
        let mut at = at + 1;
        while at < self.text.len() {
            match self.text[at] {
                b'\\' if escapes => at += 2,
                byte if byte == quote && self.byte(at + 1) == quote => at += 2,
                byte if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        self.text.len()
    }

    fn after_line(&self, at: usize) -> usize {
        self.while_in(at, |byte| byte != b'\n')
    }

    /// The place after a comment, which may hold others.
    fn after_comment(&self, at: usize) -> usize {
        let (mut at, mut depth) = (at + 2, 1);
        while at < self.text.len() && depth > 0 {
            match (self.text[at], self.byte(at + 1)) {
                (b'*', b'/') => (at, depth) = (at + 2, depth - 1),
                (b'/', b'*') if self.quoting == Quoting::Standard => {
                    (at, depth) = (at + 2, depth + 1);
                }
                _ => at += 1,
            }
        }
        at.min(self.text.len())
    }

    /// The place after `$tag$ … $tag$` that begins at `at`, if one does.
    fn after_dollars(&self, at: usize) -> Option<usize> {
        let end = self.while_in(at + 1, is_in_word_without_dollar);
        if self.byte(end) != b'$' || self.byte(at + 1).is_ascii_digit() {
            return None;
        }
        let tag = &self.text[at..=end];
        let rest = &self.text[end + 1..];
        let found = rest.windows(tag.len()).position(|window| window == tag);
        Some(found.map_or(self.text.len(), |found| end + 1 + found + tag.len()))
    }

    fn number(&self, at: usize) -> usize {
        let end = self.while_in(at, |byte| byte.is_ascii_alphanumeric() || byte == b'.');
        // 1e-5
        let is_exponent = matches!(self.byte(end.wrapping_sub(1)), b'e' | b'E')
            && matches!(self.byte(end), b'+' | b'-')
            && self.byte(end + 1).is_ascii_digit()
            && !self.text[at..].starts_with(b"0x");
        if is_exponent { self.while_in(end + 1, |byte| byte.is_ascii_digit()) } else { end }
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let from = self.at;
        let first = *self.text.get(from)?;
        let second = self.byte(from + 1);
        let standard = self.quoting == Quoting::Standard;
        let (token, end) = match first {
            _ if first.is_ascii_whitespace() => {
                (Token::Space, self.while_in(from, |byte| byte.is_ascii_whitespace()))
            }
            b'-' if second == b'-' => (Token::Space, self.after_line(from)),
            b'#' if !standard => (Token::Space, self.after_line(from)),
            b'/' if second == b'*' => (Token::Space, self.after_comment(from)),
            b'\'' => (Token::Literal, self.after_quotes(from, !standard)),
            b'"' if !standard => (Token::Literal, self.after_quotes(from, true)),
            b'e' | b'E' if standard && second == b'\'' => {
                (Token::Literal, self.after_quotes(from + 1, true))
            }
            b'b' | b'B' | b'x' | b'X' | b'n' | b'N' if second == b'\'' => {
                (Token::Literal, self.after_quotes(from + 1, !standard))
            }
            b'"' | b'`' => (Token::Quoted, self.after_quotes(from, false)),
            b'$' if standard && second.is_ascii_digit() => {
                let end = self.while_in(from + 1, |byte| byte.is_ascii_digit());
                let digits = std::str::from_utf8(&self.text[from + 1..end]).unwrap_or_default();
                (Token::Parameter(digits.parse().unwrap_or(0)), end)
            }
            b'$' if standard => match self.after_dollars(from) {
                Some(end) => (Token::Literal, end),
                None => (Token::Sign(first), from + 1),
            },
            _ if first.is_ascii_digit() || (first == b'.' && second.is_ascii_digit()) => {
                (Token::Literal, self.number(from))
            }
            _ if is_in_word(first) => (Token::Word, self.while_in(from, is_in_word)),
            _ => (Token::Sign(first), from + 1),
        };
        self.at = end.min(self.text.len());
        Some((token, from..self.at))
    }
}

fn is_in_word_without_dollar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_in_word(byte: u8) -> bool {
    is_in_word_without_dollar(byte) || byte == b'$'
}

/// Whether anything follows the first semicolon: the text is several statements.
pub fn is_several(text: &[u8], quoting: Quoting) -> bool {
    let mut ended = false;
    for (token, _) in Tokens::new(text, quoting) {
        match token {
            Token::Sign(b';') => ended = true,
            Token::Space => {}
            _ if ended => return true,
            _ => {}
        }
    }
    false
}

/// The first words in lower case, at most `count` of them.
pub fn words(text: &[u8], quoting: Quoting, count: usize) -> Vec<String> {
    let of = |(token, range): (Token, Range<usize>)| {
        let word = || String::from_utf8_lossy(&text[range]).to_lowercase();
        (token == Token::Word).then(word)
    };
    Tokens::new(text, quoting).filter_map(of).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, quoting: Quoting) -> String {
        let show = |(token, range): (Token, Range<usize>)| {
            let part = &text[range];
            match token {
                Token::Space => "_".to_owned(),
                Token::Literal => format!("<{part}>"),
                Token::Quoted => format!("[{part}]"),
                Token::Parameter(number) => format!("#{number}"),
                Token::Word | Token::Sign(_) => part.to_owned(),
            }
        };
        Tokens::new(text.as_bytes(), quoting).map(show).collect()
    }

    #[test]
    fn parts_are_as_each_database_writes_them() {
        let table = [
            (Quoting::Standard, "a='it''s; $1' -- x", "a=<'it''s; $1'>__"),
            (
                Quoting::Standard,
                "E'\\'' $1 $$a;'$$ $t$ $$ $t$",
                "<E'\\''>_#1_<$$a;'$$>_<$t$ $$ $t$>",
            ),
            (Quoting::Standard, "\"A b\".c1 >1.5e-3/* /* */ */;", "[\"A b\"].c1_><1.5e-3>_;"),
            (Quoting::Standard, "a$1 'open", "a$1_<'open>"),
            (Quoting::Backslash, "'a\\'b' \"c\" `d` # e\nf", "<'a\\'b'>_<\"c\">_[`d`]___f"),
            (Quoting::Backslash, "0xFF+1 x'1f'", "<0xFF>+<1>_<x'1f'>"),
        ];
        for (quoting, text, expected) in table {
            assert_eq!(shown(text, quoting), expected, "{text}");
        }
    }

    #[test]
    fn several_statements_are_seen() {
        for (text, expected) in
            [("a;", false), ("a; -- b", false), ("a; b", true), ("select ';'", false)]
        {
            assert_eq!(is_several(text.as_bytes(), Quoting::Standard), expected, "{text}");
        }
    }
}
