//! The table of commit marks, which has one row per session. Each session writes only its own row.
//!
//! Start reading at [`CommitMarks::create`]. `tacho_driver` explains commit marks.

use std::sync::Arc;

use tacho_core::{Column, Error, ErrorKind, Result, Table, Type};
use tacho_driver::{
    Access, Catalog, Dialect, Exchange, Form, Marked, Object, ObjectKind, RowSource, Session,
    StatementId, Values, parse_sections,
};

use crate::{MarkerStore, Noted, Recognized};

/// Names of the statements that sessions use, in the same order as in [`mark_statements`].
const OF_SESSIONS: [&str; 3] = ["mark", "mark_settle", "mark_read"];
const OF_ALL: [&str; 2] = ["marks_settle", "marks_read"];
/// Names of the statements for a table that an earlier version created, which lacks a column.
const OF_ALL_UNNUMBERED: [&str; 2] = ["marks_settle", "marks_read_unnumbered"];
/// IDs of the statements. `MARK` is for sessions that write a mark; the others are for
/// [`CommitMarks`].
const MARK: StatementId = StatementId(0);
const SETTLE: StatementId = StatementId(0);
const READ: StatementId = StatementId(1);
/// Columns of the table. Tables created by an earlier version do not have the last one.
const COLUMNS: [&str; 3] = ["session_id", "commits", "latest"];
/// Value that is stored if the number of the last mark is unknown.
const UNKNOWN: i64 = -1;
/// Session ID of the row that contains the key of the run.
const KEY: i64 = -1;
/// Number of rows in a load batch.
const BATCH: usize = 500;

/// Returns the statements that write a session's mark, wait for a commit in progress, and read the
/// marks.
///
/// # Errors
/// Returns an error if the dialect does not support the statements.
pub fn mark_statements(dialect: &dyn Dialect) -> Result<Catalog> {
    Ok(catalog(dialect, &OF_SESSIONS)?.with_last(MARK))
}

fn catalog(dialect: &dyn Dialect, names: &[&str]) -> Result<Catalog> {
    let files = [parse_sections(include_str!("../sql/commits.sql"))?];
    Catalog::build(dialect, names, &files)
}

/// The marks in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Key of the run that wrote the marks.
    pub key: i64,
    /// Sessions and their marks, which may be in any order.
    pub sessions: Vec<(u32, Marked)>,
}

impl Marks {
    /// Returns the marks at the start of a run, which are all zero.
    pub fn new(key: i64, sessions: u32) -> Self {
        let none = Marked { commits: 0, latest: Some(0) };
        Self { key, sessions: (0..sessions).map(|session| (session, none)).collect() }
    }
}

/// The table of commit marks, together with the separate session that accesses it.
pub struct CommitMarks {
    exchange: Exchange,
    is_numbered: bool,
}

impl CommitMarks {
    /// Name of the table.
    pub const TABLE: &str = crate::marker::MARKS;

    /// Returns true if the table has the columns of a commit mark table, as created by this version
    /// or an earlier one.
    pub fn has_columns(object: &Object) -> bool {
        object.has_columns(COLUMNS) || Self::is_unnumbered(object)
    }

    fn is_unnumbered(object: &Object) -> bool {
        object.has_columns(COLUMNS[..2].iter().copied())
    }

    /// Returns true if Tacho created this commit mark table, according to the marker. In older data, the marker may
    /// have no entry for the table. In that case, the columns of the table are compared.
    pub fn recognize(object: &Object, noted: &Noted, is_copy: bool) -> bool {
        match noted.recognize(object, is_copy) {
            Recognized::Ours => true,
            Recognized::Coming => Self::has_columns(object),
            _ if noted.is_empty() => Self::has_columns(object),
            _ => !noted.has_table(Self::TABLE) && Self::is_unnumbered(object),
        }
    }

    /// Creates the table with these marks and records it in the marker. Replaces the table from an earlier run.
    ///
    /// # Errors
    /// Returns an Auth error if there is already an object with this name that Tacho did not create.
    pub async fn create(
        store: &mut MarkerStore,
        dialect: &dyn Dialect,
        marks: &Marks,
    ) -> Result<()> {
        let table = table();
        let noted = store.noted().await?;
        let objects = store.exchange().inspector().objects().await?;
        let is_copy = noted.is_copy(&objects);
        let found = objects.iter().filter(|object| object.kind != ObjectKind::Routine);
        let found = found.filter(|object| object.name == Self::TABLE).collect::<Vec<&Object>>();
        if let Some(other) = found.iter().find(|object| !Self::recognize(object, &noted, is_copy)) {
            return Err(foreign(other));
        }
        if !noted.is_empty() {
            store.note_coming(&noted, Self::TABLE);
            store.exchange().send().await?;
        }
        let session = store.exchange().session();
        for object in found {
            session.script(&object.drop).await?;
        }
        session.script(&dialect.create_table(&table)).await.map_err(|error| {
            match error.kind() {
                ErrorKind::Exists => exists("an object", &error.to_string()),
                _ => error,
            }
        })?;
        session.load(&table, &mut Rows { marks, next: 0 }).await?;
        if noted.is_empty() {
            return Ok(());
        }
        let objects = session.inspector().objects().await?;
        let created = objects.iter().find(|object| object.is_table(Self::TABLE));
        if let Some(object) = created {
            store.note_table(object);
            store.exchange().send().await?;
        }
        Ok(())
    }

    /// Opens the table.
    ///
    /// # Errors
    /// Returns a Missing error if there is no such table or another client created it.
    pub async fn open(mut session: Box<dyn Session>, dialect: &dyn Dialect) -> Result<Self> {
        let objects = session.inspector().objects().await?;
        let missing =
            |what: &str| Error::new(ErrorKind::Missing, format!("table {} {what}", Self::TABLE));
        let Some(object) = objects.iter().find(|object| object.is_table(Self::TABLE)) else {
            return Err(missing("does not exist"));
        };
        if !Self::has_columns(object) {
            return Err(missing("is not the table that tacho run creates"));
        }
        let is_numbered = !Self::is_unnumbered(object);
        let statements = if is_numbered { &OF_ALL } else { &OF_ALL_UNNUMBERED };
        let catalog = Arc::new(catalog(dialect, statements)?);
        let exchange = Exchange::new(session, catalog, Form::Sql).await?;
        Ok(Self { exchange, is_numbered })
    }

    /// Reads all marks, after waiting for commits in progress.
    ///
    /// # Errors
    /// Returns a Missing error if the table does not contain the key of a run, or any error from the database.
    pub async fn read(&mut self) -> Result<Marks> {
        self.exchange.begin(Access::Write);
        self.exchange.execute(SETTLE);
        self.exchange.execute(READ);
        self.exchange.commit();
        let reply = self.exchange.send().await?;
        let (mut key, mut sessions) = (None, Vec::new());
        for row in (0..reply.rows(1)).filter_map(|row| reply.get(1, row)) {
            let latest = if self.is_numbered { row.number(2)? } else { UNKNOWN };
            match (row.number(0)?, row.number(1)?) {
                (KEY, number) => key = Some(number),
                (session, commits) => sessions.push((session as u32, Marked::of(commits, latest))),
            }
        }
        let missing = || {
            let text = format!("table {} does not contain a run's key", Self::TABLE);
            Error::new(ErrorKind::Missing, text)
        };
        Ok(Marks { key: key.ok_or_else(missing)?, sessions })
    }

    /// Closes the session.
    ///
    /// # Errors
    /// Returns any error from the database.
    pub async fn close(self) -> Result<()> {
        self.exchange.into_session().close().await
    }
}

/// Returns the error for an object with the table's name that another client created.
fn foreign(object: &Object) -> Error {
    let what = match object.kind {
        ObjectKind::Table => "table",
        _ => object.shape.first().map_or("object", String::as_str),
    };
    let place =
        if object.schema.is_empty() { String::new() } else { format!("{}.", object.schema) };
    exists(&format!("{what} {place}{}", object.name), "the marker has no record of it")
}

fn exists(what: &str, why: &str) -> Error {
    let text = format!(
        "{what} has the same name as the commit mark table, but Tacho did not create it: {why}"
    );
    Error::new(ErrorKind::Auth, text)
        .hint("rename or remove it with the database's client, or omit --verify commits")
}

fn table() -> Table {
    let column = |name, ty| Column { name, ty, nullable: false, declared: None };
    let [session, commits, latest] = COLUMNS;
    Table {
        name: CommitMarks::TABLE,
        columns: vec![
            column(session, Type::Int),
            column(commits, Type::BigInt),
            column(latest, Type::BigInt),
        ],
        key: vec![session],
        ..Table::default()
    }
}

/// Rows of the commit mark table. The first row contains the key of the run, and each following row
/// belongs to one session.
struct Rows<'a> {
    marks: &'a Marks,
    next: usize,
}

impl RowSource for Rows<'_> {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let Marks { key, sessions } = self.marks;
        let until = (sessions.len() + 1).min(self.next + BATCH);
        for row in self.next..until {
            let (session, commits, latest) = match row.checked_sub(1).map(|place| sessions[place]) {
                Some((session, Marked { commits, latest })) => {
                    let latest = latest.map_or(UNKNOWN, u64::cast_signed);
                    (i64::from(session), commits.cast_signed(), latest)
                }
                None => (KEY, *key, 0),
            };
            rows.int(session);
            rows.int(commits);
            rows.int(latest);
        }
        let count = until - self.next;
        self.next = until;
        count
    }
}
