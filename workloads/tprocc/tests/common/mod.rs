//! Shared test code: instances, generated rows, and a simulated database that records its requests.

#![allow(dead_code, reason = "each test binary uses some of it")]

pub mod crowds;
pub mod routines;

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use tacho_core::{Result, Table};
use tacho_driver::{
    BoxFuture, Catalog, Dialect, Exchange, Form, Inspector, Reply, RowSource, Session, Step, Steps,
    TextRows, Uninspected, Value, ValueKind, Values, no_answers, without_simple_form,
    without_text_rows,
};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, find};
use tacho_workload::{Choices, Instance, Slice, Verdict};

/// Creates an instance with the given scale, profile and parameters.
pub fn instance(scale: u64, profile: &str, set: &[(&str, &str)]) -> Arc<dyn Instance> {
    instance_in(Form::Sql, scale, profile, set)
}

/// Creates an instance for this form with the given scale, profile and parameters.
pub fn instance_in(
    form: Form,
    scale: u64,
    profile: &str,
    set: &[(&str, &str)],
) -> Arc<dyn Instance> {
    instance_for("", form, scale, profile, set)
}

/// Creates an instance for dialect `dialect` and this form, with the given scale, profile and parameters.
pub fn instance_for(
    dialect: &str,
    form: Form,
    scale: u64,
    profile: &str,
    set: &[(&str, &str)],
) -> Arc<dyn Instance> {
    let dialect = dialect.to_owned();
    let mut choices = Choices { form, dialect, ..contract::choices(scale, profile) };
    choices.set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    contract::instance(&*tacho_workload_tprocc::workload(), &choices)
}

/// Returns the index of a table.
pub fn table(instance: &dyn Instance, name: &str) -> usize {
    instance.schema().tables.iter().position(|table| table.name == name).expect("a table")
}

/// Returns the index of a column.
pub fn column(instance: &dyn Instance, table: usize, name: &str) -> usize {
    let columns = &instance.schema().tables[table].columns;
    columns.iter().position(|column| column.name == name).expect("a column")
}

/// Calls `visit` with the values in each batch of rows in a range.
pub fn visit(
    instance: &dyn Instance,
    table: usize,
    slots: Range<u64>,
    mut visit: impl FnMut(&Values),
) {
    let mut rows = instance.rows(&Slice { table, slots });
    let mut values = Values::default();
    while rows.next_batch(&mut values) > 0 {
        visit(&values);
        values.clear();
    }
}

/// Returns the number of rows in a range, and the number of those whose value in this column is accepted by `wanted`.
pub fn count(
    instance: &dyn Instance,
    (name, column_name): (&str, &str),
    slots: Range<u64>,
    mut wanted: impl FnMut(Value<'_>) -> bool,
) -> (u64, u64) {
    let table = table(instance, name);
    let (at, width) =
        (column(instance, table, column_name), instance.schema().tables[table].columns.len());
    let (mut rows, mut found) = (0, 0);
    visit(instance, table, slots, |values| {
        for row in (0..values.len()).step_by(width) {
            rows += 1;
            found += u64::from(wanted(values.get(row + at)));
        }
    });
    (rows, found)
}

/// An FNV-1a digest of the data written to it, which is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Digest {
    /// The digest of no data.
    pub const EMPTY: Self = Self(0xCBF2_9CE4_8422_2325);

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    /// Adds a value together with its type.
    pub fn value(&mut self, value: Value<'_>) {
        let (kind, number) = match value {
            Value::Null => (b'n', 0),
            Value::Int(number) => (b'i', number),
            Value::Decimal(number) => (b'd', number),
            Value::Time(number) => (b't', number),
            Value::Text(text) => {
                self.bytes(text);
                (b's', text.len() as i64)
            }
        };
        self.bytes(&[kind]);
        self.bytes(&number.to_le_bytes());
    }

    /// Adds all values.
    pub fn values(&mut self, values: &Values) {
        (0..values.len()).for_each(|at| self.value(values.get(at)));
    }
}

/// A record of the requests that the simulated database has received, and settings for its responses.
#[derive(Default)]
pub struct Paper {
    /// One line for each request, with its name and parameters.
    pub lines: Vec<String>,
    /// Number of affected rows that each write reports. If it is `None`, each write reports one row.
    pub affected: Option<u64>,
    /// Statement that returns no rows.
    pub empty: Option<&'static str>,
    /// A district in which other deliveries take the oldest order before this one can, and how many times they do so.
    pub overtaken: Option<(i64, u32)>,
}

/// A session of a simulated database, in which every item exists, and every name belongs to two
/// customers with bad credit.
///
/// District 3 has no undelivered order. The amounts of all order lines are NULL.
struct PaperSession {
    catalog: Arc<Catalog>,
    paper: Arc<Mutex<Paper>>,
    inspector: Uninspected,
}

/// Returns an exchange with a simulated database, and the requests that the database records.
pub fn paper(instance: &dyn Instance) -> (Exchange, Arc<Mutex<Paper>>) {
    paper_of(instance, tacho_driver_noop::driver().dialect())
}

/// Returns an exchange with a simulated database of this dialect, and the requests that the database records.
pub fn paper_of(instance: &dyn Instance, dialect: &dyn Dialect) -> (Exchange, Arc<Mutex<Paper>>) {
    let paper = Arc::new(Mutex::new(Paper::default()));
    let session = PaperSession {
        catalog: Arc::default(),
        paper: Arc::clone(&paper),
        inspector: Uninspected { version: "paper" },
    };
    let catalog = instance.catalog(dialect).expect("a catalog");
    let exchange = Exchange::new(Box::new(session), catalog, Form::Sql);
    (pollster::block_on(exchange).expect("an exchange"), paper)
}

impl PaperSession {
    fn answer(&self, step: &Step, values: &Values, reply: &mut Reply) {
        let mut paper = self.paper.lock().expect("the paper");
        let Step::Execute { statement, params } = step else {
            paper.lines.push(format!("{step:?}"));
            return;
        };
        let statement = self.catalog.get(*statement);
        let bound: Vec<Value<'_>> =
            (params.start..params.end).map(|at| values.get(at as usize)).collect();
        assert_eq!(bound.len(), statement.params.len(), "{}", statement.name);
        paper.lines.push(format!("{} {}", statement.name, words(&bound)));
        reply.start(statement.results.len());
        let rows = match statement.name.as_str() {
            name if paper.empty == Some(name) => 0,
            "customers_by_name" | "namesakes_read" | "namesakes_status" => 2,
            "item_read" if bound[0] == Value::Int(100_001) => 0,
            "stock_take" if bound[1] == Value::Int(100_001) => 0,
            _ => 1,
        };
        let searches = ["new_order_take", "oldest_new_order"];
        let mut nothing =
            searches.contains(&statement.name.as_str()) && bound.get(1) == Some(&Value::Int(3));
        if let Some((district, left)) = &mut paper.overtaken
            && statement.name == "new_order_take"
            && bound[1] == Value::Int(*district)
            && *left > 0
        {
            *left -= 1;
            nothing = true;
        }
        for row in 0..rows {
            for field in &statement.results {
                match field.kind {
                    _ if nothing || field.name == "ol_amount" => reply.values().null(),
                    ValueKind::Int => reply.values().int(7 + row),
                    ValueKind::Decimal(_) => reply.values().decimal(1_000),
                    ValueKind::Text => reply.values().text(b"BC"),
                    ValueKind::Time => reply.values().time(5),
                }
            }
        }
        reply.finish(paper.affected.unwrap_or(rows as u64));
    }
}

/// Formats values as in `1 2 'BC'`.
fn words(values: &[Value<'_>]) -> String {
    let word = |value: &Value<'_>| match value {
        Value::Null => "null".into(),
        Value::Int(number) | Value::Decimal(number) | Value::Time(number) => number.to_string(),
        Value::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
    };
    values.iter().map(word).collect::<Vec<String>>().join(" ")
}

impl Session for PaperSession {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.catalog = catalog;
        Box::pin(async { Ok(()) })
    }

    fn simple(&mut self, _: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        without_simple_form()
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        _: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        steps.steps.iter().for_each(|step| self.answer(step, steps.values, reply));
        Poll::Ready(Ok(()))
    }

    fn script<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn text_rows<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        without_text_rows()
    }

    fn load<'a>(
        &'a mut self,
        _: &'a Table,
        _: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async { Ok(0) })
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        &mut self.inspector
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    no_answers!(slow_load, drop_set);
}

/// Returns the IDs of the violated conditions and of the excused conditions.
pub fn verdicts(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<(Vec<&'static str>, Vec<&'static str>)> {
    let (mut violated, mut excused) = (Vec::new(), Vec::new());
    for finding in find(bench, exchange, instance)? {
        match finding.verdict {
            Verdict::Holds => {}
            Verdict::Violated { .. } => violated.push(finding.check.id),
            Verdict::Excused(_) => excused.push(finding.check.id),
        }
    }
    Ok((violated, excused))
}

/// The corruptions in `sql/damage.sql`, each with the conditions that it must violate.
pub const DAMAGES: [(&str, &[&str]); 25] = [
    ("c1", &["C1", "C8"]),
    ("c2", &["C2"]),
    ("c3", &["C3", "C5", "C11"]),
    ("c4", &["C4", "C6"]),
    ("c5", &["C5", "C7"]),
    ("c6", &["C6"]),
    ("c7", &["C7"]),
    ("c8", &["C8", "C9"]),
    ("c9", &["C9"]),
    ("c10", &["C10"]),
    ("c11", &["C11"]),
    ("c12", &["C12"]),
    ("no_warehouse", &["C1", "C8"]),
    ("no_district", &["C1", "C2", "C9"]),
    ("no_order", &["C4", "C6", "C7", "C11"]),
    ("no_lines", &["C4", "C6"]),
    ("no_new_order", &["C5", "C11"]),
    ("foreign_new_order", &["C2", "C3", "C5", "C11"]),
    ("no_history", &["C8", "C9", "C10"]),
    ("r1", &["R1"]),
    ("r2", &["R2"]),
    ("r2_text", &["R2", "R4"]),
    ("r3", &["R3"]),
    ("r4", &["R4"]),
    ("r4_entered", &["R4"]),
];
