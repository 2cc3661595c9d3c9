//! The statements of a workload, written for one dialect and numbered.

use tacho_core::{Error, ErrorKind, Result};

use crate::{Dialect, Section};

/// A statement's place in its [`Catalog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId(pub u16);

/// What a value is, as a statement's signature declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A whole number: `int`.
    Int,
    /// A decimal with so many digits after the point: `decimal(2)`.
    Decimal(u8),
    /// Text: `text`.
    Text,
    /// A time: `time`.
    Time,
}

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
    /// For the n-th placeholder of the text, the index of its parameter. Differs from 0, 1, 2 …
    /// only in dialects whose placeholders cannot be named twice.
    pub placeholders: Vec<u16>,
}

/// All statements that a session needs, each at the index of its [`StatementId`]: first those that
/// a workload names, then those that follow one of them in its section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    statements: Vec<Statement>,
    /// How many of them are named.
    named: usize,
    /// For each statement, the one that follows it.
    next: Vec<Option<StatementId>>,
}

impl Catalog {
    /// Builds the catalog that has the sections called `names`, in that order. A section of a later
    /// file replaces one of the same name in an earlier file; its signature must be the same.
    pub fn build(dialect: &dyn Dialect, names: &[&str], files: &[Vec<Section>]) -> Result<Self> {
        let count = names.len();
        let (mut statements, mut next) = (Vec::new(), vec![None; count]);
        let mut others = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let mut written = newest(name, dialect, files)?.render(dialect)?.into_iter();
            statements.extend(written.next());
            let mut last = at;
            for statement in written {
                next[last] = Some(StatementId(next.len() as u16));
                last = next.len();
                next.push(None);
                others.push(statement);
            }
        }
        statements.append(&mut others);
        Ok(Self { statements, named: count, next })
    }

    /// The statement that follows this one in its section.
    #[inline]
    pub fn next(&self, id: StatementId) -> Option<StatementId> {
        self.next.get(usize::from(id.0)).copied().flatten()
    }

    /// Whether this statement follows another one in its section.
    #[inline]
    pub fn follows(&self, id: StatementId) -> bool {
        usize::from(id.0) >= self.named
    }

    /// The statements in the order of their ids.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The statement with this id.
    ///
    /// # Panics
    /// If the id belongs to another catalog with more statements.
    #[inline]
    pub fn get(&self, id: StatementId) -> &Statement {
        &self.statements[usize::from(id.0)]
    }
}

/// The section of the last file that has one, if its signature is that of the first.
fn newest<'a>(name: &str, dialect: &dyn Dialect, files: &'a [Vec<Section>]) -> Result<&'a Section> {
    let mut versions = files.iter().flatten().filter(|section| section.name == name);
    let first = versions.next().ok_or_else(|| missing(name, dialect))?;
    let last = versions.next_back().unwrap_or(first);
    if (&first.params, &first.results) == (&last.params, &last.results) {
        return Ok(last);
    }
    Err(Error::new(ErrorKind::Syntax, format!("statement {name} has two signatures")))
}

fn missing(name: &str, dialect: &dyn Dialect) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!("there is no statement {name} for the dialect {}", dialect.id()),
    )
}
