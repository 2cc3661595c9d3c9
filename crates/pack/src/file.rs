//! Parses `pack.toml` and checks its keys. The keys' positions are kept for error messages.
//!
//! Start reading at [`Document::parse`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Capabilities;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::keep;

/// Top-level keys and tables.
const TOP: &[&str] =
    &["name", "title", "base", "tested", "capabilities", "types", "sql", "ask", "errors"];
/// Column types. They can contain placeholders in braces.
pub const TYPES: &[&str] =
    &["small_int", "int", "big_int", "decimal", "char", "varchar", "timestamp", "date"];
/// Statements and parts of statements in the dialect. `{table}` stands for a table name.
const STATEMENTS: &[&str] = &["analyze", "drop_table", "first_rows", "remainder", "session"];

type Field = fn(&mut Capabilities) -> &mut bool;

/// Capabilities of a database, named like the fields of [`Capabilities`].
pub const CAPABILITIES: &[(&str, Field)] = &[
    ("procedures", |all| &mut all.procedures),
    ("pipelining", |all| &mut all.pipelining),
    ("joins_commit", |all| &mut all.joins_commit),
    ("simple", |all| &mut all.simple),
    ("concurrent_writers", |all| &mut all.concurrent_writers),
    ("counters", |all| &mut all.counters),
    ("settings", |all| &mut all.settings),
    ("sets", |all| &mut all.sets),
    ("transactional_ddl", |all| &mut all.transactional_ddl),
];

type Entries<'a> = DeTable<'a>;

/// A valid TOML file without unknown top-level keys.
pub struct Document<'a> {
    path: String,
    text: &'a str,
    entries: Entries<'a>,
}

impl<'a> Document<'a> {
    pub fn parse(path: &Path, text: &'a str) -> Result<Self> {
        let path = path.display().to_string();
        let entries = DeTable::parse(text).map_err(|error| {
            let what = error.to_string().trim_end().to_owned();
            Error::usage(what).during(format!("read {path}")).hint("https://toml.io explains TOML")
        })?;
        let document = Self { path, text, entries: entries.into_inner() };
        document.require_known(&document.entries, TOP)?;
        Ok(document)
    }

    /// Returns the file and line of a span.
    fn place(&self, span: &Range<usize>) -> String {
        let line = self.text[..span.start.min(self.text.len())].matches('\n').count() + 1;
        format!("{}:{line}", self.path)
    }

    fn require_known(&self, table: &Entries<'_>, known: &[&str]) -> Result<()> {
        let unknown = table.keys().find(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown else { return Ok(()) };
        let name = key.get_ref();
        Err(Error::usage(format!("{}: unknown key \"{name}\"", self.place(&key.span())))
            .did_you_mean(name, known.iter().copied()))
    }

    fn wrong(&self, key: &Spanned<DeString<'_>>, allowed: &str) -> Error {
        let name = key.get_ref();
        Error::usage(format!("{}: the value of {name} is not allowed", self.place(&key.span())))
            .hint(format!("allowed: {allowed}"))
    }

    /// Returns a top-level string.
    pub fn text(&self, key: &str) -> Option<String> {
        self.entries.get(key)?.get_ref().as_str().map(str::to_owned)
    }

    pub fn required(&self, key: &str) -> Result<String> {
        self.text(key).filter(|text| !text.is_empty()).ok_or_else(|| {
            Error::usage(format!("{}: {key} is missing or is not a string", self.path))
                .hint(format!("write it as {key} = \"...\" above the first table"))
        })
    }

    /// Returns the name of the pack. A target starts with this name, followed by a colon.
    pub fn name(&self) -> Result<String> {
        let name = self.required("name")?;
        if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            return Ok(name);
        }
        Err(Error::usage(format!("{}: the name \"{name}\" cannot be a target scheme", self.path))
            .hint("use only lower-case letters and digits"))
    }

    /// Returns the entries of a TOML table in key order, or nothing if the table is missing.
    fn entries(&self, name: &str) -> Result<Vec<(&Spanned<DeString<'a>>, &DeValue<'a>)>> {
        let Some((key, value)) = self.entries.get_key_value(name) else { return Ok(Vec::new()) };
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(key, &format!("a table, [{name}]")));
        };
        Ok(table.iter().map(|(key, value)| (key, value.get_ref())).collect())
    }

    /// Returns the entries of a TOML table after checking that all keys are known.
    pub fn known(
        &self,
        name: &str,
        known: &[&str],
    ) -> Result<Vec<(&Spanned<DeString<'a>>, &DeValue<'a>)>> {
        if let Some(DeValue::Table(table)) = self.entries.get(name).map(Spanned::get_ref) {
            self.require_known(table, known)?;
        }
        self.entries(name)
    }

    /// Returns a table of strings.
    pub fn table(&self, name: &str, known: &[&str]) -> Result<BTreeMap<String, String>> {
        let text = |(key, value): (&Spanned<DeString<'_>>, &DeValue<'_>)| {
            let text = value.as_str().ok_or_else(|| self.wrong(key, "a text"))?;
            Ok((key.get_ref().to_string(), text.to_owned()))
        };
        self.known(name, known)?.into_iter().map(text).collect()
    }

    pub fn statements(&self) -> Result<BTreeMap<String, &'static str>> {
        let table = self.table("sql", STATEMENTS)?.into_iter();
        Ok(table.map(|(key, text)| (key, keep(text))).collect())
    }

    pub fn capabilities(&self) -> Result<Vec<(&'static str, bool)>> {
        let names: Vec<&'static str> = CAPABILITIES.iter().map(|(name, _)| *name).collect();
        let entries = self.known("capabilities", &names)?.into_iter();
        let one = |(key, value): (&Spanned<DeString<'_>>, &DeValue<'_>)| {
            let has = value.as_bool().ok_or_else(|| self.wrong(key, "true, false"))?;
            let name = names.iter().find(|name| **name == key.get_ref().as_ref());
            Ok((*name.unwrap_or(&""), has))
        };
        entries.map(one).collect()
    }

    /// Returns the error kind for each error code that is specific to the database.
    pub fn errors(&self) -> Result<BTreeMap<String, ErrorKind>> {
        let words: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
        let one = |(key, value): (&Spanned<DeString<'_>>, &DeValue<'_>)| {
            let word = value.as_str().unwrap_or_default();
            let kind = ErrorKind::ALL.into_iter().find(|kind| kind.name() == word);
            let kind = kind.ok_or_else(|| self.wrong(key, &words.join(", ")))?;
            Ok((key.get_ref().to_string(), kind))
        };
        self.entries("errors")?.into_iter().map(one).collect()
    }

    /// Returns the SQL that the pack specifies for a query. The value `false` turns the query off,
    /// and an empty string is returned. The value `true` leaves the query to the base driver, and
    /// `None` is returned.
    pub fn answer(
        &self,
        key: &Spanned<DeString<'_>>,
        value: &DeValue<'_>,
        texts: bool,
    ) -> Result<Option<&'static str>> {
        match value {
            DeValue::Boolean(false) => Ok(Some("")),
            DeValue::Boolean(true) => Ok(None),
            DeValue::String(text) if texts && !text.trim().is_empty() => {
                Ok(Some(keep(text.to_string())))
            }
            _ => Err(self.wrong(key, if texts { "a query, true, false" } else { "true, false" })),
        }
    }

    /// Returns an error if a column type contains a placeholder that it does not support. For
    /// example, `varchar` supports only `{length}`.
    pub fn require_placeholders(&self, types: &BTreeMap<String, String>) -> Result<()> {
        for (name, text) in types {
            let allowed: &[&str] = match name.as_str() {
                "decimal" => &["precision", "scale"],
                "char" | "varchar" => &["length"],
                _ => &[],
            };
            for part in text.split('{').skip(1) {
                let inside = part.split('}').next().unwrap_or_default();
                if !allowed.contains(&inside) {
                    let text = format!(
                        "{}: the type {name} contains the placeholder {{{inside}}}, which is not one of its sizes",
                        self.path
                    );
                    let sizes = allowed.join("}, {");
                    return Err(Error::usage(text).hint(format!("allowed: {{{sizes}}}")));
                }
            }
        }
        Ok(())
    }
}
