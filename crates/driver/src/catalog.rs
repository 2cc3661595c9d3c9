//! The numbered statements that a workload uses, in one dialect.

use std::collections::HashMap;

use tacho_core::{Error, ErrorKind, Result};

use crate::dialect::Dialect;
use crate::sql_file::Section;
use crate::statement::Statement;

/// The index of a statement in its [`Catalog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId(pub u16);

/// All statements that a session needs, indexed by [`StatementId`]. A workload's named statements come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    statements: Vec<Statement>,
    /// The number of named statements.
    named: usize,
    /// For each statement, the ID of the next statement in the same section.
    next: Vec<Option<StatementId>>,
    /// The statement that is always executed directly before COMMIT.
    last: Option<StatementId>,
}

impl Catalog {
    /// Builds a catalog from the sections with these names, in this order. If several files contain a section, all
    /// versions must have the same signature, and the last one is used.
    pub fn build(dialect: &dyn Dialect, names: &[&str], files: &[Vec<Section>]) -> Result<Self> {
        let count = names.len();
        let (mut statements, mut next) = (Vec::new(), vec![None; count]);
        let mut others = Vec::new();
        let mut versions: HashMap<&str, (&Section, &Section)> = HashMap::new();
        for section in files.iter().flatten() {
            let known = versions.entry(&section.name).or_insert((section, section));
            known.1 = section;
        }
        for (at, name) in names.iter().enumerate() {
            let known = versions.get(name).ok_or_else(|| missing(name, dialect))?;
            let mut written = newest(name, *known)?.render(dialect)?.into_iter();
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
        Ok(Self { statements, named: count, next, last: None })
    }

    /// Returns this catalog with the statements of another catalog added.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let named = self.named + other.named;
        let ours = |at: usize| if at < self.named { at } else { at + other.named };
        let theirs =
            |at: usize| if at < other.named { at + self.named } else { at + self.statements.len() };
        let count = self.statements.len() + other.statements.len();
        let (mut statements, mut next) = (vec![None; count], vec![None; count]);
        let place: [(&Self, &dyn Fn(usize) -> usize); 2] = [(self, &ours), (other, &theirs)];
        for (catalog, place) in place {
            for (at, statement) in catalog.statements.iter().enumerate() {
                statements[place(at)] = Some(statement.clone());
                next[place(at)] =
                    catalog.next[at].map(|id| StatementId(place(usize::from(id.0)) as u16));
            }
        }
        let moved = |id: StatementId, place: &dyn Fn(usize) -> usize| {
            StatementId(place(usize::from(id.0)) as u16)
        };
        let last = self.last.map(|id| moved(id, &ours)).or(other.last.map(|id| moved(id, &theirs)));
        Self { statements: statements.into_iter().flatten().collect(), named, next, last }
    }

    /// Returns this catalog with a statement marked as always executed directly before COMMIT. Drivers can then prepare
    /// both together.
    #[must_use]
    pub fn with_last(self, id: StatementId) -> Self {
        Self { last: Some(id), ..self }
    }

    /// Returns the statement that is always executed directly before COMMIT, if any.
    pub fn last(&self) -> Option<StatementId> {
        self.last
    }

    /// Returns the statement that comes after this one in its section.
    #[inline]
    pub fn next(&self, id: StatementId) -> Option<StatementId> {
        self.next.get(usize::from(id.0)).copied().flatten()
    }

    /// Returns the number of named statements. Each of them is the first one in its section.
    pub fn named(&self) -> usize {
        self.named
    }

    /// Returns true if this statement is not the first one in its section.
    #[inline]
    pub fn follows(&self, id: StatementId) -> bool {
        usize::from(id.0) >= self.named
    }

    /// Appends a line to the text of some statements. `is_chosen` receives a statement's name and returns true if the
    /// line must be appended.
    pub fn end_with(&mut self, line: &str, is_chosen: impl Fn(&str) -> bool) {
        for statement in self.statements.iter_mut().filter(|each| is_chosen(&each.name)) {
            statement.sql.extend(["\n", line]);
        }
    }

    /// Returns the statements, ordered by ID.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Returns the statement with this ID.
    ///
    /// # Panics
    /// Panics if the ID belongs to another catalog that has more statements.
    #[inline]
    pub fn get(&self, id: StatementId) -> &Statement {
        &self.statements[usize::from(id.0)]
    }
}

/// Returns the last version of a section, which must have the same signature as the first version.
fn newest<'a>(name: &str, (first, last): (&Section, &'a Section)) -> Result<&'a Section> {
    if (&first.params, &first.results) == (&last.params, &last.results) {
        return Ok(last);
    }
    Err(Error::new(ErrorKind::Syntax, format!("statement {name} has two signatures")))
}

fn missing(name: &str, dialect: &dyn Dialect) -> Error {
    Error::new(ErrorKind::Unsupported, format!("dialect {} has no {name} statement", dialect.id()))
}
