//! A workload's statement in one dialect: its text, parameters and results.

use std::ops::Range;

use tacho_core::{Error, ErrorKind, Result};

use crate::dialect::Dialect;
use crate::text;
use crate::values::{Value, ValueKind, Values};

/// A parameter or a result column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// The kind of its values.
    pub kind: ValueKind,
}

/// A statement in the form in which it is prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The name of the statement's section in the SQL file.
    pub name: String,
    /// The parameters, in the order in which a workload binds them.
    pub params: Vec<Field>,
    /// The result columns. Empty if the statement returns no rows.
    pub results: Vec<Field>,
    /// The text, with the dialect's placeholders.
    pub sql: String,
    /// For each placeholder, the index of its parameter. Indexes that are higher than that of the last parameter stand
    /// for results, which the database returns into variables.
    pub placeholders: Vec<u16>,
    /// The positions at which the text contains parameters, in order.
    pub places: Vec<Place>,
    /// Present if the user wrote this text, which is then sent unchanged. Its values are untyped text, and its results
    /// are read as text or integers.
    pub verbatim: Option<Verbatim>,
}

/// Properties of a user-written text that is sent unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verbatim {
    /// The number of statements in the text. If there are several, the dialect must support this
    /// ([`Dialect::several_statements`]), and the statements must not be prepared.
    pub parts: u16,
    /// True if each result is found by its column name. The dialect must support this ([`Dialect::results_by_name`]).
    pub by_name: bool,
    /// If results are found by their column names, the number of results that the server must return. It may omit all
    /// others ([`crate::Row::is_absent`]).
    pub required: u16,
    /// True if variables are also replaced within strings, quoted names and comments.
    pub everywhere: bool,
}

impl Default for Verbatim {
    fn default() -> Self {
        Self { parts: 1, by_name: false, required: 0, everywhere: false }
    }
}

/// The position of a parameter in a statement's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The byte range of the parameter's placeholder.
    pub bytes: Range<usize>,
    /// The parameter index.
    pub param: u16,
}

impl Statement {
    /// Returns true if the user wrote this text, which is then sent unchanged.
    #[inline]
    pub fn is_verbatim(&self) -> bool {
        self.verbatim.is_some()
    }

    /// Returns true if each result is found by its column name.
    #[inline]
    pub fn is_by_name(&self) -> bool {
        self.verbatim.is_some_and(|text| text.by_name)
    }

    /// Returns true if the server must return the result at this index.
    pub fn requires(&self, result: usize) -> bool {
        self.verbatim.is_none_or(|text| !text.by_name || result < usize::from(text.required))
    }

    /// Adds the statement's name to an error that occurred while preparing it. If the user wrote the text, adds a hint
    /// to use the form `simple`, which does not prepare statements.
    #[cold]
    #[must_use]
    pub fn not_prepared(&self, error: Error) -> Error {
        use ErrorKind::{Constraint, Missing, Other, Syntax, Unsupported, Usage};
        let error = error.during(format!("prepare {}", self.name));
        match error.kind() {
            _ if !self.is_verbatim() => error,
            Missing => error.hint(
                "statements are prepared before the run: if the script creates tables, use --form simple",
            ),
            Constraint | Other | Syntax | Unsupported | Usage => {
                error.hint("use --form simple to send statements as text, without preparing them")
            }
            _ => error,
        }
    }

    /// Returns the number of statements in the text.
    #[inline]
    pub fn parts(&self) -> u16 {
        self.verbatim.map_or(1, |text| text.parts)
    }

    /// Appends the text, with each placeholder replaced by a literal in the syntax of `dialect`. The range `bound`
    /// selects the parameters' values from `from`.
    ///
    /// # Errors
    /// Returns a usage error if the number of values is wrong or a value does not have its parameter's kind.
    pub fn write(
        &self,
        dialect: &dyn Dialect,
        bound: &Range<u32>,
        from: &Values,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if bound.len() != self.params.len() {
            return Err(Error::usage(format!(
                "the wrong number of parameters was bound: {}",
                bound.len()
            )));
        }
        let mut rest = 0;
        for Place { bytes, param } in &self.places {
            out.extend_from_slice(&self.sql.as_bytes()[rest..bytes.start]);
            rest = bytes.end;
            let (at, param) = (out.len(), usize::from(*param));
            let field = self.params.get(param).ok_or_else(|| {
                Error::usage(format!("{} returns values into variables", self.name))
                    .hint("use --form sql")
            })?;
            let value = from.get(bound.start as usize + param);
            if self.verbatim.is_some() {
                unquoted(value, out)?;
                continue;
            }
            dialect.literal(value, field.kind, out)?;
            // A minus sign followed by a negative number would start a comment, so separate them by a space.
            if at > 0 && out[at - 1] == b'-' && out[at] == b'-' {
                out.insert(at, b' ');
            }
        }
        out.extend_from_slice(&self.sql.as_bytes()[rest..]);
        Ok(())
    }

    /// Returns `before`, followed by the text in which these values replace the placeholders.
    ///
    /// # Errors
    /// Fails like [`Statement::write`]. Also returns a usage error if a value is not valid UTF-8.
    pub fn text(&self, before: &str, dialect: &dyn Dialect, values: &Values) -> Result<String> {
        let mut out = before.as_bytes().to_vec();
        self.write(dialect, &(0..values.len() as u32), values, &mut out)?;
        String::from_utf8(out)
            .map_err(|error| Error::usage("a value is not valid UTF-8").source(error))
    }
}

/// Appends a value to a user-written statement as plain text, without quotes.
pub fn unquoted(value: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Null => out.extend_from_slice(b"NULL"),
        Value::Int(number) => text::whole(number, out),
        Value::Text(bytes) => out.extend_from_slice(bytes),
        Value::Decimal(_) | Value::Time(_) => {
            return Err(Error::usage("this statement accepts only text and whole numbers"));
        }
    }
    Ok(())
}
