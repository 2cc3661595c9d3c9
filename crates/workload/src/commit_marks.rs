//! The table of the marks that sessions leave in their transactions: one row for each session, which only
//! that session writes.
//!
//! Start reading at [`CommitMarks::create`]; what a mark is, is in `tacho_driver`.

use std::sync::Arc;

use tacho_core::{Column, Error, ErrorKind, Result, Table, Type};
use tacho_driver::{
    Access, Catalog, Dialect, Exchange, Form, RowSource, Session, StatementId, Values,
    parse_sections,
};

/// Name of the table.
const TABLE: &str = "tacho_commits";
/// What sessions use, in the order of [`mark_statements`].
const OF_SESSIONS: [&str; 3] = ["mark", "mark_settle", "mark_read"];
const OF_ALL: [&str; 2] = ["marks_settle", "marks_read"];
/// The one of sessions that marks, and those of [`CommitMarks`].
const MARK: StatementId = StatementId(0);
const SETTLE: StatementId = StatementId(0);
const READ: StatementId = StatementId(1);
/// The row that holds the key of the run.
const KEY: i64 = -1;
/// Rows of one batch of the load.
const BATCH: usize = 500;

/// The statements of sessions: the one that marks, the one that waits for a commit under way, the one that
/// reads.
///
/// # Errors
/// If the dialect cannot write them.
pub fn mark_statements(dialect: &dyn Dialect) -> Result<Catalog> {
    Ok(catalog(dialect, &OF_SESSIONS)?.with_last(MARK))
}

fn catalog(dialect: &dyn Dialect, names: &[&str]) -> Result<Catalog> {
    let files = [parse_sections(include_str!("../sql/commits.sql"))?];
    Catalog::build(dialect, names, &files)
}

/// The marks that are in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Key of the run that they are of.
    pub key: i64,
    /// Sessions with their counters, in no order.
    pub sessions: Vec<(u32, u64)>,
}

impl Marks {
    /// Those of a run with this key and so many sessions before it begins: all counters are 0.
    pub fn new(key: i64, sessions: u32) -> Self {
        Self { key, sessions: (0..sessions).map(|session| (session, 0)).collect() }
    }
}

/// The table of marks, on a session of its own.
pub struct CommitMarks {
    exchange: Exchange,
}

impl CommitMarks {
    /// Whether a table of this name is the one of the marks.
    pub fn is_marks(name: &str) -> bool {
        name == TABLE
    }

    /// Makes the table again with these marks.
    ///
    /// # Errors
    /// As the database says.
    pub async fn create(
        mut session: Box<dyn Session>,
        dialect: &dyn Dialect,
        marks: &Marks,
    ) -> Result<Self> {
        let table = table();
        let tables = session.inspector().tables().await?;
        if tables.iter().any(|name| name.eq_ignore_ascii_case(TABLE)) {
            session.script(&format!("DROP TABLE {TABLE}")).await?;
        }
        session.script(&dialect.create_table(&table)).await?;
        session.load(&table, &mut Rows { marks, next: 0 }).await?;
        Self::with(session, dialect).await
    }

    /// Opens the table.
    ///
    /// # Errors
    /// Missing, if there is none.
    pub async fn open(mut session: Box<dyn Session>, dialect: &dyn Dialect) -> Result<Self> {
        let tables = session.inspector().tables().await?;
        if tables.iter().any(|name| name.eq_ignore_ascii_case(TABLE)) {
            return Self::with(session, dialect).await;
        }
        Err(Error::new(ErrorKind::Missing, format!("table {TABLE} does not exist")))
    }

    async fn with(session: Box<dyn Session>, dialect: &dyn Dialect) -> Result<Self> {
        let catalog = Arc::new(catalog(dialect, &OF_ALL)?);
        Ok(Self { exchange: Exchange::new(session, catalog, Form::Sql).await? })
    }

    /// Reads all counters, once no commit of a session is under way any more.
    ///
    /// # Errors
    /// As the database says; Missing, if they have no key.
    pub async fn read(&mut self) -> Result<Marks> {
        self.exchange.begin(Access::Write);
        self.exchange.execute(SETTLE);
        self.exchange.execute(READ);
        self.exchange.commit();
        let reply = self.exchange.send().await?;
        let (mut key, mut sessions) = (None, Vec::new());
        for row in (0..reply.rows(1)).filter_map(|row| reply.get(1, row)) {
            match (row.number(0)?, row.number(1)?) {
                (KEY, number) => key = Some(number),
                (session, commits) => sessions.push((session as u32, commits.max(0) as u64)),
            }
        }
        let missing =
            || Error::new(ErrorKind::Missing, format!("table {TABLE} has no key of a run"));
        Ok(Marks { key: key.ok_or_else(missing)?, sessions })
    }

    /// Ends its session.
    ///
    /// # Errors
    /// As the database says.
    pub async fn close(self) -> Result<()> {
        self.exchange.into_session().close().await
    }
}

fn table() -> Table {
    let column = |name, ty| Column { name, ty, nullable: false, declared: None };
    Table {
        name: TABLE,
        columns: vec![column("session_id", Type::Int), column("commits", Type::BigInt)],
        key: vec!["session_id"],
        ..Table::default()
    }
}

/// The rows of marks: that of the key, then one for each session.
struct Rows<'a> {
    marks: &'a Marks,
    next: usize,
}

impl RowSource for Rows<'_> {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let Marks { key, sessions } = self.marks;
        let until = (sessions.len() + 1).min(self.next + BATCH);
        for row in self.next..until {
            let (session, commits) = match row.checked_sub(1).map(|place| sessions[place]) {
                Some((session, commits)) => (i64::from(session), commits.cast_signed()),
                None => (KEY, *key),
            };
            rows.int(session);
            rows.int(commits);
        }
        let count = until - self.next;
        self.next = until;
        count
    }
}
