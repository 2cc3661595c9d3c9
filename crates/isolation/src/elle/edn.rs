//! A reader for the part of EDN that histories use.

use tacho_core::Result;

use super::broken;

/// Maximum nesting depth. Histories need four levels.
const DEPTH_MAX: u32 = 16;

/// A value. Sets are read as lists, and tags are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Nil,
    Number(u64),
    /// A keyword, with its colon, or any other word.
    Word(String),
    Text,
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// The text that is left to read.
pub(super) struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Returns the next value, or `None` at the end of the text.
    pub(super) fn next_value(&mut self) -> Result<Option<Value>> {
        self.skip();
        if self.rest.is_empty() { Ok(None) } else { self.value(0).map(Some) }
    }

    /// Skips blanks, commas and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            let Some(comment) = self.rest.strip_prefix(';') else { return };
            self.rest = comment.find('\n').map_or("", |end| &comment[end..]);
        }
    }

    fn value(&mut self, depth: u32) -> Result<Value> {
        if depth > DEPTH_MAX {
            return Err(broken("it is nested too deeply"));
        }
        self.skip();
        let Some(first) = self.rest.chars().next() else { return Err(broken("it ends too early")) };
        match first {
            '[' => self.list(1, ']', depth).map(Value::List),
            '(' => self.list(1, ')', depth).map(Value::List),
            '{' => self.map(depth),
            '#' if self.rest.starts_with("#{") => self.list(2, '}', depth).map(Value::List),
            '#' => {
                self.rest = &self.rest[1..];
                self.word()?;
                self.value(depth + 1)
            }
            '"' => self.text(),
            _ => self.word().map(|word| match (word, word.parse()) {
                ("nil", _) => Value::Nil,
                (_, Ok(number)) => Value::Number(number),
                (word, Err(_)) => Value::Word(word.to_owned()),
            }),
        }
    }

    fn list(&mut self, opening: usize, closing: char, depth: u32) -> Result<Vec<Value>> {
        self.rest = &self.rest[opening..];
        let mut values = Vec::new();
        loop {
            self.skip();
            if let Some(rest) = self.rest.strip_prefix(closing) {
                self.rest = rest;
                return Ok(values);
            }
            values.push(self.value(depth + 1)?);
        }
    }

    fn map(&mut self, depth: u32) -> Result<Value> {
        let mut values = self.list(1, '}', depth)?.into_iter();
        let mut entries = Vec::new();
        while let Some(key) = values.next() {
            let Some(value) = values.next() else { return Err(broken("a map lacks a value")) };
            entries.push((key, value));
        }
        Ok(Value::Map(entries))
    }

    fn word(&mut self) -> Result<&'a str> {
        let is_end = |c: char| c.is_whitespace() || "[](){}\",;".contains(c);
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(broken("a bracket is not closed or not opened"));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    /// Skips a string.
    fn text(&mut self) -> Result<Value> {
        let mut is_escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(Value::Text);
                }
                _ => {}
            }
        }
        Err(broken("a string is not closed"))
    }
}
