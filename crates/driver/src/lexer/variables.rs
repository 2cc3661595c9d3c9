//! Finds variables (`:name`) anywhere in a text.

use std::iter::Peekable;

use super::tokens::is_in_tag;
use super::{Lexeme, Syntax, Token, Tokens, tokens};

/// The place where a variable is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Code.
    Code,
    /// Code within square brackets. A colon there may separate the bounds of a slice instead of starting a variable.
    Brackets,
    /// A string or a quoted name.
    Quotes,
    /// A comment.
    Comment,
}

/// A use of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// The variable's name.
    pub name: &'a str,
    /// The byte position of the colon.
    pub colon: usize,
    /// The context.
    pub place: Place,
}

impl Variable<'_> {
    /// Returns the byte position after the name.
    pub fn end(&self) -> usize {
        self.colon + 1 + self.name.len()
    }
}

/// Returns true if a text is a variable name: letters, digits and `_`, without a leading digit.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(is_in_tag)
}

/// Returns the variables in a text, in order. A cast such as `::int` or a time such as `10:30` is not a variable.
pub fn variables(text: &str, syntax: Syntax) -> Variables<'_> {
    Variables { text, at: 0, parts: tokens(text, syntax).peekable(), brackets: 0 }
}

/// The iterator returned by [`variables`].
#[derive(Clone, Debug)]
pub struct Variables<'a> {
    text: &'a str,
    at: usize,
    parts: Peekable<Tokens<'a>>,
    /// The number of open square brackets before the next token.
    brackets: usize,
}

impl Variables<'_> {
    /// Returns whether a byte position is in code, a string, a name or a comment. Positions must not decrease from one
    /// call to the next.
    fn place(&mut self, at: usize) -> Place {
        while let Some(Lexeme { token, .. }) = self.parts.next_if(|part| part.range.end <= at) {
            match token {
                Token::Sign(b'[') => self.brackets += 1,
                Token::Sign(b']') => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
        }
        match self.parts.peek().map(|part| part.token) {
            Some(Token::Text | Token::Name) => Place::Quotes,
            Some(Token::Comment) => Place::Comment,
            _ if self.brackets > 0 => Place::Brackets,
            _ => Place::Code,
        }
    }
}

impl<'a> Iterator for Variables<'a> {
    type Item = Variable<'a>;

    fn next(&mut self) -> Option<Variable<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let colon = self.at + rest.find(':')?;
            let rest = &self.text[colon..];
            let colons = rest.len() - rest.trim_start_matches(':').len();
            let rest = &rest[colons..];
            let name =
                &rest[..rest.bytes().position(|byte| !is_in_tag(byte)).unwrap_or(rest.len())];
            self.at = colon + colons + name.len();
            if colons == 1 && is_name(name) {
                return Some(Variable { name, colon, place: self.place(colon) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_with_their_places() {
        let text = "/* :a it's */ SELECT E'it\\'s :b', :c::int, $$:d$$, \"e:f\", :g -- :h\n, a[:i:j], b[1:2], 12:30, :é_1$k, :1l";
        let found: Vec<(&str, Place)> = variables(text, Syntax::STANDARD)
            .map(|variable| (variable.name, variable.place))
            .collect();
        let expected = [
            ("a", Place::Comment),
            ("b", Place::Quotes),
            ("c", Place::Code),
            ("d", Place::Quotes),
            ("f", Place::Quotes),
            ("g", Place::Code),
            ("h", Place::Comment),
            ("i", Place::Brackets),
            ("j", Place::Brackets),
            ("é_1", Place::Code),
        ];
        assert_eq!(found, expected);
        for variable in variables(text, Syntax::STANDARD) {
            assert_eq!(text[variable.colon..variable.end()].strip_prefix(':'), Some(variable.name));
        }
    }
}
