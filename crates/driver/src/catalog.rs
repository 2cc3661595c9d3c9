//! The statements of a workload, written for one dialect and numbered.

use std::collections::HashMap;

use tacho_core::{Error, ErrorKind, Result};

use crate::dialect::Dialect;
use crate::sql_file::Section;
use crate::statement::Statement;

/// A statement's place in its [`Catalog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId(pub u16);

/// All statements that a session needs, each at the index of its [`StatementId`]: first those that
/// a workload names, then those that follow one of them in its section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    statements: Vec<Statement>,
    /// How many of them are named.
    named: usize,
    /// For each statement, the one that follows it.
    next: Vec<Option<StatementId>>,
    /// The one that always is the last before COMMIT.
    last: Option<StatementId>,
}

impl Catalog {
    /// Builds the catalog that has the sections called `names`, in that order. A section of a later
    /// file replaces one of the same name in an earlier file; its signature must be the same.
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

    /// This catalog with the statements of another one, which come after those that this one names.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let named = self.named + other.named;
        let own = |at: usize| if at < self.named { at } else { at + other.named };
        let theirs =
            |at: usize| if at < other.named { at + self.named } else { at + self.statements.len() };
        let count = self.statements.len() + other.statements.len();
        let (mut statements, mut next) = (vec![None; count], vec![None; count]);
        let place: [(&Self, &dyn Fn(usize) -> usize); 2] = [(self, &own), (other, &theirs)];
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
        let last = self.last.map(|id| moved(id, &own)).or(other.last.map(|id| moved(id, &theirs)));
        Self { statements: statements.into_iter().flatten().collect(), named, next, last }
    }

    /// This catalog with a statement that always is the last before COMMIT: a driver may prepare the two as one.
    #[must_use]
    pub fn with_last(self, id: StatementId) -> Self {
        Self { last: Some(id), ..self }
    }

    /// The statement that always is the last before COMMIT, if there is one.
    pub fn last(&self) -> Option<StatementId> {
        self.last
    }

    /// The statement that follows this one in its section.
    #[inline]
    pub fn next(&self, id: StatementId) -> Option<StatementId> {
        self.next.get(usize::from(id.0)).copied().flatten()
    }

    /// How many statements are named; the others follow one of them.
    pub fn named(&self) -> usize {
        self.named
    }

    /// Whether this statement follows another one in its section.
    #[inline]
    pub fn follows(&self, id: StatementId) -> bool {
        usize::from(id.0) >= self.named
    }

    /// Adds a line to the text of each statement of a name that is chosen.
    pub fn end_with(&mut self, line: &str, is_chosen: impl Fn(&str) -> bool) {
        for statement in self.statements.iter_mut().filter(|each| is_chosen(&each.name)) {
            statement.sql.extend(["\n", line]);
        }
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

/// The last version of a section, if its signature is that of the first.
fn newest<'a>(name: &str, (first, last): (&Section, &'a Section)) -> Result<&'a Section> {
    if (&first.params, &first.results) == (&last.params, &last.results) {
        return Ok(last);
    }
    Err(Error::new(ErrorKind::Syntax, format!("statement {name} has two signatures")))
}

fn missing(name: &str, dialect: &dyn Dialect) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!("no statement {name} for the dialect {}", dialect.id()),
    )
}
