//! Reads the tables of a TOML file. Rejects unknown keys, and remembers the position of each value.
//!
//! Start reading at [`Entries`].

use std::ops::Range;
use std::sync::Arc;

use tacho_core::{Error, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::vm::source::{Piece, Source};

/// A table with its entries in file order.
pub struct Entries<'a> {
    source: &'a Arc<Source>,
    /// Name of the table in error messages.
    name: String,
    at: usize,
    all: Vec<Entry<'a>>,
}

/// A key with its value.
pub struct Entry<'a> {
    source: &'a Arc<Source>,
    /// The key.
    pub key: &'a str,
    /// Position of the key.
    pub at: usize,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

impl<'a> Entries<'a> {
    /// Returns the entries of a table that starts at byte `at`.
    pub fn new(source: &'a Arc<Source>, name: &str, at: usize, table: &'a DeTable<'a>) -> Self {
        let entry =
            |(key, value): (&'a Spanned<toml::de::DeString<'a>>, &'a Spanned<DeValue<'a>>)| Entry {
                source,
                key: key.get_ref(),
                at: key.span().start,
                span: value.span(),
                value: value.get_ref(),
            };
        let mut all: Vec<Entry<'a>> = table.iter().map(entry).collect();
        all.sort_by_key(|entry| entry.at);
        Self { source, name: name.to_owned(), at, all }
    }

    /// Fails if the table contains a key that is not in `known`.
    pub fn require_known(&self, known: &[&str]) -> Result<()> {
        let unknown = self.all.iter().find(|entry| !known.contains(&entry.key));
        let Some(Entry { key, at, .. }) = unknown else { return Ok(()) };
        let error = self.source.error(*at, format!("unknown key \"{key}\""));
        Err(error.did_you_mean(key, known.iter().copied()))
    }

    /// Returns an iterator over the entries.
    pub fn iter(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.all.iter()
    }

    /// Returns the entry for a key.
    pub fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.all.iter().find(|entry| entry.key == key)
    }

    /// Returns the entry for a required key.
    pub fn required(&self, key: &str) -> Result<&Entry<'a>> {
        self.get(key).ok_or_else(|| {
            self.source.error(self.at, format!("{} has no key \"{key}\"", self.name))
        })
    }

    /// Returns the tables below a key, each with its own key, or none if the key is missing.
    pub fn tables(&self, key: &str) -> Result<Vec<(Entry<'a>, Entries<'a>)>> {
        let Some(entry) = self.get(key) else { return Ok(Vec::new()) };
        let with_table = |entry: Entry<'a>| entry.table().map(|table| (entry, table));
        entry.table()?.all.into_iter().map(with_table).collect()
    }
}

impl<'a> Entry<'a> {
    /// Returns an error at the key's position.
    pub fn error(&self, message: impl AsRef<str>) -> Error {
        self.source.error(self.at, message)
    }

    fn wrong(&self, expected: &str) -> Error {
        let text = format!("invalid value for {}: expected {expected}", self.key);
        self.source.error(self.span.start, text)
    }

    /// Returns a string.
    pub fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("a text in quotes"))
    }

    /// Returns the value as a non-negative integer.
    pub fn count(&self) -> Result<u64> {
        self.whole()
            .filter(|number| *number >= 0)
            .map(|number| number as u64)
            .ok_or_else(|| self.wrong("a whole number of 0 or more"))
    }

    fn whole(&self) -> Option<i64> {
        self.value
            .as_integer()
            .and_then(|integer| i64::from_str_radix(integer.as_str(), integer.radix()).ok())
    }

    /// Returns a number.
    pub fn number(&self) -> Result<f64> {
        let float = self.value.as_float().and_then(|float| float.as_str().parse().ok());
        float
            .or_else(|| self.whole().map(|number| number as f64))
            .ok_or_else(|| self.wrong("a number"))
    }

    /// Returns a string, number or Boolean as text, or [`None`] for anything else.
    pub fn scalar(&self) -> Option<String> {
        match self.value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(_) => self.whole().map(|number| number.to_string()),
            DeValue::Float(float) => Some(float.as_str().to_owned()),
            DeValue::Boolean(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// Returns the name of the value's type: `integer`, `float`, `boolean`, `string` or `other`.
    pub fn kind(&self) -> &'static str {
        match self.value {
            DeValue::Integer(_) => "integer",
            DeValue::Float(_) => "float",
            DeValue::Boolean(_) => "boolean",
            DeValue::String(_) => "string",
            _ => "other",
        }
    }

    /// Returns true or false.
    pub fn switch(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// Returns the value as an expression, which is a string or a literal number.
    pub fn expression(&self) -> Result<Piece> {
        match self.value {
            DeValue::String(text) => Ok(Piece::quoted(self.source, self.span.clone(), text)),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => {
                Ok(Piece::plain(self.source, self.span.clone()))
            }
            _ => Err(self.wrong("an expression, such as \"uniform(1, 10)\"")),
        }
    }

    /// Returns a list of strings.
    pub fn texts(&self) -> Result<Vec<&'a str>> {
        let wrong = || self.wrong("a list of strings, such as [\"a\", \"b\"]");
        let list = self.value.as_array().ok_or_else(wrong)?;
        list.iter().map(|item| item.get_ref().as_str().ok_or_else(wrong)).collect()
    }

    /// Returns the value as a list of lists of strings.
    pub fn lists(&self) -> Result<Vec<Vec<&'a str>>> {
        let wrong = || self.wrong("a list of lists, such as [[\"a\"], [\"b\", \"c\"]]");
        let list = self.value.as_array().ok_or_else(wrong)?;
        let texts = |list: &'a Spanned<DeValue<'a>>| {
            let inner = list.get_ref().as_array().ok_or_else(wrong)?;
            inner.iter().map(|item| item.get_ref().as_str().ok_or_else(wrong)).collect()
        };
        list.iter().map(texts).collect()
    }

    /// Returns a table.
    pub fn table(&self) -> Result<Entries<'a>> {
        let table = self.value.as_table().ok_or_else(|| self.wrong("a table"))?;
        Ok(Entries::new(self.source, self.key, self.at, table))
    }
}
