//! One statement of a workload in the words of a dialect: its text, parameters and results.

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
    /// What it holds.
    pub kind: ValueKind,
}

/// One statement, ready to be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Name of its section in the SQL file.
    pub name: String,
    /// Parameters in the order in which a workload binds them.
    pub params: Vec<Field>,
    /// Columns of the result; empty if it returns no rows.
    pub results: Vec<Field>,
    /// Text with the dialect's own placeholders.
    pub sql: String,
    /// For the n-th placeholder of the text, the index of its parameter. Differs from 0, 1, 2 … only in
    /// dialects whose placeholders cannot be named twice. From the number of parameters on it is a result
    /// column, which the database returns into this variable.
    pub placeholders: Vec<u16>,
    /// Every place of the text where a parameter stands, in the order of the text.
    pub places: Vec<Place>,
    /// Set if the text is a user's and is sent unchanged. Its values are text without a type, which stands in the
    /// statement without quotes where that travels as text; its rows are discarded if it declares no result, and its
    /// results are read as text, or as whole numbers where the database has them.
    pub verbatim: Option<Verbatim>,
}

/// How a text of a user is read that is sent unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verbatim {
    /// Statements that it holds; those before the last return nothing that is kept. More than one only where
    /// [`Dialect::several_statements`] says so, and as text.
    pub parts: u16,
    /// Whether the declared results are found by their names among the columns that the server returns. Only where
    /// [`Dialect::results_by_name`] says so.
    pub by_name: bool,
    /// The number of results that the server must return if they are found by their names. The others are absent from
    /// a row ([`crate::Row::is_absent`]) if the server returns no such column.
    pub required: u16,
    /// True if variables are replaced in strings, quoted names and comments too.
    pub everywhere: bool,
}

impl Default for Verbatim {
    fn default() -> Self {
        Self { parts: 1, by_name: false, required: 0, everywhere: false }
    }
}

/// Where a parameter stands in the text of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The bytes of its placeholder.
    pub bytes: Range<usize>,
    /// Its index among the parameters.
    pub param: u16,
}

impl Statement {
    /// Whether the text is a user's, sent unchanged.
    #[inline]
    pub fn is_verbatim(&self) -> bool {
        self.verbatim.is_some()
    }

    /// Whether its results are found by their names.
    #[inline]
    pub fn is_by_name(&self) -> bool {
        self.verbatim.is_some_and(|own| own.by_name)
    }

    /// Returns true if the server must return the result at this index.
    pub fn requires(&self, result: usize) -> bool {
        self.verbatim.is_none_or(|own| !own.by_name || result < usize::from(own.required))
    }

    /// Names the statement in the error of preparing it. If the text is a user's, adds the form that prepares nothing.
    #[cold]
    #[must_use]
    pub fn not_prepared(&self, error: Error) -> Error {
        use ErrorKind::{Constraint, Missing, Other, Syntax, Unsupported, Usage};
        let error = error.during(format!("prepare {}", self.name));
        match error.kind() {
            _ if !self.is_verbatim() => error,
            Missing => error.hint(
                "statements are prepared before the run: for tables that the script creates, use --form simple",
            ),
            Constraint | Other | Syntax | Unsupported | Usage => {
                error.hint("use --form simple to send statements as text, without preparing them")
            }
            _ => error,
        }
    }

    /// Statements that its text holds.
    #[inline]
    pub fn parts(&self) -> u16 {
        self.verbatim.map_or(1, |own| own.parts)
    }

    /// Appends the text with literals of `dialect` in place of its placeholders: the values of
    /// `from` at `bound`, in the order of the parameters.
    ///
    /// # Errors
    /// Usage, if there are not as many values as parameters, or one cannot be written as the kind of
    /// its parameter.
    pub fn write(
        &self,
        dialect: &dyn Dialect,
        bound: &Range<u32>,
        from: &Values,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if bound.len() != self.params.len() {
            return Err(Error::usage(format!("it was bound {} parameters", bound.len())));
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
            // Two signs side by side would begin a comment.
            if at > 0 && out[at - 1] == b'-' && out[at] == b'-' {
                out.insert(at, b' ');
            }
        }
        out.extend_from_slice(&self.sql.as_bytes()[rest..]);
        Ok(())
    }

    /// The text with these values in it, after `before`.
    ///
    /// # Errors
    /// As [`Statement::write`], and usage if a value is not UTF-8.
    pub fn text(&self, before: &str, dialect: &dyn Dialect, values: &Values) -> Result<String> {
        let mut out = before.as_bytes().to_vec();
        self.write(dialect, &(0..values.len() as u32), values, &mut out)?;
        String::from_utf8(out).map_err(|error| Error::usage("a value is not UTF-8").source(error))
    }
}

/// Appends a value of a statement of a user as text.
pub fn unquoted(value: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Null => out.extend_from_slice(b"NULL"),
        Value::Int(number) => text::whole(number, out),
        Value::Text(bytes) => out.extend_from_slice(bytes),
        Value::Decimal(_) | Value::Time(_) => {
            return Err(Error::usage("a value of this statement must be text or a whole number"));
        }
    }
    Ok(())
}
