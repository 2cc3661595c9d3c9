//! Compares the cost of `prepare` with the lowest possible cost: inserting the rows with prepared statements.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use tacho_app::{Context, Job};
use tacho_config::{Source, resolve};
use tacho_core::{Error, ErrorKind, Result, Seed, Table};
use tacho_driver::{Driver, Form, Value, Values};
use tacho_engine::Interrupt;
use tacho_workload::{Choices, Instance, Slice};

use crate::measure::{Cost, measure, median, rounds};

const WAREHOUSES: u64 = 10;
const ROUNDS: usize = 3;

pub(crate) fn run() -> Result<()> {
    println!("{WAREHOUSES} warehouses, {ROUNDS} alternating rounds, in CPU seconds");
    let instance = instance()?;
    let rows = make_all(instance.as_ref());
    let driver = tacho_registry::driver("sqlite")?;
    let (mut ours, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(prepare()?.cpu.as_secs_f64());
        floors.push(floor(instance.as_ref(), driver.as_ref(), &rows)?.cpu.as_secs_f64());
    }
    println!("prepare    {}", rounds(&ours, 2));
    println!("floor      {}", rounds(&floors, 2));
    let ratios: Vec<f64> = ours.iter().zip(&floors).map(|(a, b)| a / b).collect();
    println!("ratio      {}   median {:.2}", rounds(&ratios, 3), median(ratios.clone()));
    Ok(())
}

fn instance() -> Result<Arc<dyn Instance>> {
    let choices = Choices {
        scale: WAREHOUSES,
        data_seed: Seed(42),
        seed: Seed(42),
        loaded_at: 0,
        profile: "spec".into(),
        set: [].into(),
        form: Form::Sql,
        sessions: 1,
        dialect: String::new(),
        sets: 1,
        turn: 0,
    };
    tacho_registry::workload("tprocc")?.instance(&choices)
}

/// Runs the complete use case, from an empty folder to loaded data.
fn prepare() -> Result<Cost> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("bench.db");
    let flag = |key: &str, value: String| (key.to_owned(), vec![value]);
    let flags = vec![
        flag("target", format!("sqlite:{}", file.display())),
        flag("scale", WAREHOUSES.to_string()),
    ];
    let context = Context {
        folder: folder.path().to_owned(),
        output: Arc::new(Mutex::new(std::io::sink())),
        interrupt: Interrupt::default(),
        reading: Arc::new(|_, _| {}),
        trust: tacho_app::Trust::default(),
    };
    let job = Job::new(resolve(Source { flags, ..Source::default() })?, &context)?;
    let (report, cost) =
        measure(|| tacho_app::prepare(tacho_app::Request::new(&job, &context), &mut ()));
    report.map(|_| cost)
}

/// Generates all rows of all tables in memory.
fn make_all(instance: &dyn Instance) -> Vec<Vec<Values>> {
    let make = |table: usize| {
        let mut source = instance.rows(&Slice { table, slots: 0..instance.slots(table) });
        let mut batches = Vec::new();
        loop {
            let mut values = Values::default();
            if source.next_batch(&mut values) == 0 {
                return batches;
            }
            batches.push(values);
        }
    };
    (0..instance.schema().tables.len()).map(make).collect()
}

fn floor(instance: &dyn Instance, driver: &dyn Driver, rows: &[Vec<Values>]) -> Result<Cost> {
    let folder = tempfile::tempdir()?;
    let (result, cost) = measure(|| insert_all(folder.path(), instance, driver, rows));
    result.map(|()| cost).map_err(|error| Error::new(ErrorKind::Other, error.to_string()))
}

fn insert_all(
    folder: &Path,
    instance: &dyn Instance,
    driver: &dyn Driver,
    rows: &[Vec<Values>],
) -> rusqlite::Result<()> {
    let connection = Connection::open(folder.join("floor.db"))?;
    connection.execute_batch(
        "PRAGMA journal_mode = wal; PRAGMA synchronous = full; PRAGMA cache_size = -65536",
    )?;
    for table in &instance.schema().tables {
        connection.execute_batch(&driver.dialect().create_table(table))?;
    }
    for (table, batches) in instance.schema().tables.iter().zip(rows) {
        connection.execute_batch("BEGIN")?;
        insert(&connection, table, batches)?;
        connection.execute_batch("COMMIT")?;
    }
    for table in &instance.schema().tables {
        for index in &table.indexes {
            connection.execute_batch(&driver.dialect().create_index(table, index))?;
        }
    }
    connection.execute_batch(&driver.dialect().analyze(&instance.schema().tables))
}

fn insert(connection: &Connection, table: &Table, batches: &[Values]) -> rusqlite::Result<()> {
    let marks = vec!["?"; table.columns.len()].join(", ");
    let mut statement =
        connection.prepare(&format!("INSERT INTO {} VALUES ({marks})", table.name))?;
    for values in batches {
        let mut at = 0;
        while at < values.len() {
            for column in 1..=table.columns.len() {
                bind(&mut statement, column, values.get(at))?;
                at += 1;
            }
            statement.raw_execute()?;
        }
    }
    Ok(())
}

fn bind(
    statement: &mut rusqlite::Statement<'_>,
    column: usize,
    value: Value<'_>,
) -> rusqlite::Result<()> {
    match value {
        Value::Null => statement.raw_bind_parameter(column, rusqlite::types::Null),
        Value::Int(number) | Value::Decimal(number) | Value::Time(number) => {
            statement.raw_bind_parameter(column, number)
        }
        Value::Text(text) => {
            statement.raw_bind_parameter(column, std::str::from_utf8(text).unwrap_or_default())
        }
    }
}
