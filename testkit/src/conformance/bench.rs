//! The basis of all checks: sessions, statements and tables for the driver under test.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use tacho_core::{Clock, Column, Index, Result, Seed, Table, Type};
use tacho_driver::{
    Cancels, Catalog, Driver, Environment, Exchange, Form, Row, Scheduling, Session, Target, Value,
    parse_sections,
};

use super::statement::TOTALS;
use crate::clock::{JumpingClock, TestClock};

/// The suite's statements.
pub const SQL: &str = include_str!("../../sql/conformance.sql");

/// A driver and its target, with helpers for using them.
pub struct Bench<'a> {
    /// The driver under test.
    pub driver: &'a dyn Driver,
    /// The target's text.
    pub place: String,
    /// True if the server is a different product that uses the same protocol. It may not support all queries for
    /// information about the server.
    pub relative: bool,
    /// True if the server may execute a COMMIT that is sent together with a statement, even if this statement fails.
    /// The outcome of the COMMIT is then unknown.
    pub doubtful: bool,
    target: Target,
    clock: Arc<dyn Clock>,
    sessions: AtomicU32,
    /// Interrupts sessions if the driver's calls block.
    pub cancels: Cancels,
}

impl<'a> Bench<'a> {
    /// Creates a bench for `driver` and `target`. The driver's kind of scheduling determines the type of clock.
    ///
    /// # Panics
    /// Panics if the target cannot be parsed.
    pub fn new(driver: &'a dyn Driver, target: &str) -> Self {
        let clock: Arc<dyn Clock> = match driver.scheduling() {
            Scheduling::Virtual => Arc::new(JumpingClock::default()),
            Scheduling::Task | Scheduling::Thread => Arc::new(TestClock::default()),
        };
        let place = target.to_owned();
        let target = Target::parse(target).expect("the suite's target can be read");
        let (sessions, cancels) = (AtomicU32::new(0), Cancels::default());
        let (relative, doubtful) = (false, false);
        Self { driver, place, relative, doubtful, target, clock, sessions, cancels }
    }

    /// Runs a future to completion.
    ///
    /// # Panics
    /// Panics if a future of a blocking driver is pending.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        if self.driver.scheduling() != Scheduling::Thread {
            return pollster::block_on(future);
        }
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("a future of a blocking driver is pending"),
        }
    }

    /// Returns the environment for a new session. Each call is given the next session number.
    pub fn environment(&self) -> Environment {
        Environment {
            clock: self.clock.clone(),
            output: Arc::new(Mutex::new(std::io::sink())),
            seed: Seed(42),
            session: self.sessions.fetch_add(1, Ordering::Relaxed),
            create: true,
            set: 0,
            cancels: self.cancels.clone(),
        }
    }

    /// Opens a session.
    pub fn session(&self) -> Result<Box<dyn Session>> {
        self.wait(self.driver.connect(&self.target, self.environment()))
    }

    /// Opens a session that has the suite's statements.
    pub fn exchange(&self, form: Form) -> Result<Exchange> {
        let catalog = self.catalog(SQL)?;
        self.wait(Exchange::new(self.session()?, catalog, form))
    }

    /// Returns the statement forms that the driver must support. They always include the pipelined form, because each
    /// driver must accept several steps at once.
    pub fn forms(&self) -> Vec<Form> {
        let simple = self.driver.capabilities().simple.then_some(Form::Simple);
        [Form::Sql, Form::Pipelined].into_iter().chain(simple).collect()
    }

    /// Returns a catalog that contains the sections of a file, in the same order.
    pub fn catalog(&self, file: &str) -> Result<Arc<Catalog>> {
        let sections = parse_sections(file)?;
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        Ok(Arc::new(Catalog::build(
            self.driver.dialect(),
            &names,
            std::slice::from_ref(&sections),
        )?))
    }

    /// Creates the suite's tables without any rows.
    pub fn reset(&self) -> Result<()> {
        self.clean()?;
        let dialect = self.driver.dialect();
        let mut script = Vec::new();
        for table in tables() {
            script.push(dialect.create_table(&table));
            script.extend(table.indexes.iter().map(|index| dialect.create_index(&table, index)));
        }
        self.script(&script.join(";\n"))
    }

    /// Drops the suite's tables.
    pub fn clean(&self) -> Result<()> {
        let mut session = self.session()?;
        let there = self.wait(session.inspector().tables())?;
        let ours = tables().into_iter().filter(|table| there.iter().any(|name| name == table.name));
        let drop: Vec<String> = ours.map(|table| format!("DROP TABLE {}", table.name)).collect();
        self.wait(session.script(&drop.join(";\n")))?;
        self.wait(session.close())
    }

    /// Runs a script in a separate session.
    pub fn script(&self, sql: &str) -> Result<()> {
        let mut session = self.session()?;
        self.wait(session.script(sql))?;
        self.wait(session.close())
    }

    /// Sends the steps that have been queued. Returns all results, each with one string per row and the number of rows
    /// written.
    pub fn send(&self, exchange: &mut Exchange) -> Result<Vec<(Vec<String>, u64)>> {
        self.wait(exchange.send())?;
        let reply = exchange.reply();
        let rows = |set| (0..reply.rows(set)).filter_map(move |row| reply.get(set, row));
        Ok((0..reply.len())
            .map(|set| (rows(set).map(show_row).collect(), reply.affected(set)))
            .collect())
    }

    /// Returns the number of rows in the suite's first table, and the sum of its decimals.
    pub fn totals(&self) -> Result<Vec<String>> {
        let mut exchange = self.exchange(Form::Sql)?;
        exchange.execute(TOTALS);
        Ok(self.send(&mut exchange)?.remove(0).0)
    }
}

/// Returns the suite's tables. The first has columns of all types, another has a compound key, and another has dates.
pub fn tables() -> [Table; 3] {
    let nullable = |name, ty| Column { name, ty, nullable: true, declared: None };
    let column = |name, ty| Column { name, ty, nullable: false, declared: None };
    let values = Table {
        name: "conformance",
        columns: vec![
            column("id", Type::Int),
            nullable("n", Type::BigInt),
            nullable("d", Type::Decimal { precision: 12, scale: 2 }),
            nullable("s", Type::Varchar(100)),
            nullable("t", Type::Timestamp),
        ],
        key: vec!["id"],
        ..Table::default()
    };
    let pairs = Table {
        name: "conformance_pair",
        columns: vec![
            column("a", Type::SmallInt),
            column("b", Type::Int),
            column("label", Type::Char(6)),
        ],
        key: vec!["a", "b"],
        indexes: vec![Index { name: "conformance_label", columns: vec!["label"], unique: true }],
        ..Table::default()
    };
    let days = Table {
        name: "conformance_day",
        columns: vec![column("id", Type::Int), nullable("day", Type::Date)],
        key: vec!["id"],
        ..Table::default()
    };
    [values, pairs, days]
}

fn show_row(row: Row<'_>) -> String {
    let values: Vec<String> = (0..row.columns()).map(|column| show(row.get(column))).collect();
    values.join(" ")
}

/// Formats a value with its type. Omits trailing blanks, because some databases add them to CHAR values.
fn show(value: Value<'_>) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Int(number) => number.to_string(),
        Value::Decimal(unscaled) => format!("{unscaled}e"),
        Value::Time(micros) => format!("{micros}us"),
        Value::Text(text) => format!("'{}'", String::from_utf8_lossy(text).trim_end()),
    }
}
