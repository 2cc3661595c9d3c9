//! The bulk path: one INSERT with arrays of parameters, column by column.

#![expect(unsafe_code, reason = "the ODBC driver reads through pointers")]

use tacho_core::{Error, ErrorKind, Result, Table, Type};
use tacho_driver::{RowSource, Value, ValueKind, Values, text};

use crate::buffers::{Form, Manner, Timestamp, declared, push_wide, sendable};
use crate::handles::{Connection, Statement};
use crate::library::NULL_DATA;

/// Rows of one execution.
const SETS: usize = 500;
/// Characters of a decimal, with its sign and its point.
const DECIMAL_CHARS: usize = 24;
const INPUT: i16 = 1;
/// A set of parameters was refused, or not run.
const SET_REFUSED: u16 = 5;
const SET_UNUSED: u16 = 7;

/// The values of one column.
struct Column {
    kind: ValueKind,
    form: Form,
    /// Characters of the longest text.
    chars: usize,
    /// Bytes of one value.
    width: usize,
    memory: Vec<u64>,
    lengths: Vec<isize>,
    /// A value as it is written.
    written: Vec<u8>,
}

/// Inserts all rows in the open transaction.
pub fn insert(
    connection: &Connection,
    manner: Manner,
    table: &Table,
    rows: &mut dyn RowSource,
) -> Result<u64> {
    // Before the memory that is bound to it: it goes first.
    let mut columns: Vec<Column> = Vec::new();
    let mut taken = Box::new(0_usize);
    let mut states = vec![0_u16; SETS];
    let statement = connection.statement()?;
    statement.prepare(&insert_sql(table))?;
    statement.note_sets(states.as_mut_ptr());
    let sets = if statement.take_sets(SETS, &raw mut *taken) { SETS } else { 1 };
    columns.extend(table.columns.iter().map(|column| Column::of(column.ty, manner, sets)));
    for (number, column) in (1..).zip(&mut columns) {
        column.bind(number, &statement)?;
    }
    let (mut batch, mut filled, mut loaded) = (Values::default(), 0, 0);
    loop {
        batch.clear();
        let count = rows.next_batch(&mut batch);
        if batch.len() != count * columns.len() {
            return Err(Error::new(ErrorKind::Protocol, "a batch of rows has wrong columns"));
        }
        for row in 0..count {
            for (at, column) in columns.iter_mut().enumerate() {
                column.put(filled, batch.get(row * table.columns.len() + at))?;
            }
            filled += 1;
            if filled == sets {
                loaded += run(&statement, sets, &taken, &states)?;
                filled = 0;
            }
        }
        if count == 0 {
            break;
        }
    }
    if filled > 0 {
        statement.take_sets(filled, &raw mut *taken);
        loaded += run(&statement, filled, &taken, &states)?;
    }
    Ok(loaded)
}

/// Runs the statement with so many sets; all of them must be taken.
fn run(statement: &Statement, sets: usize, taken: &usize, states: &[u16]) -> Result<u64> {
    statement.execute()?;
    let refused = |state: &&u16| **state == SET_REFUSED || **state == SET_UNUSED;
    if sets > 1 && (*taken != sets || states[..sets].iter().find(refused).is_some()) {
        return Err(statement.failure());
    }
    statement.close()?;
    Ok(sets as u64)
}

impl Column {
    fn of(ty: Type, manner: Manner, sets: usize) -> Self {
        let (kind, chars) = match ty {
            Type::SmallInt | Type::Int | Type::BigInt => (ValueKind::Int, 0),
            Type::Decimal { scale, .. } => (ValueKind::Decimal(scale), DECIMAL_CHARS),
            Type::Char(length) | Type::Varchar(length) => {
                (ValueKind::Text, usize::from(length).max(1))
            }
            Type::Timestamp | Type::Date => (ValueKind::Time, 0),
        };
        let form = Form::of(kind, manner);
        let width = form.bytes_of(chars);
        let memory = vec![0; (width * sets).div_ceil(size_of::<u64>())];
        Self { kind, form, chars, width, memory, lengths: vec![0; sets], written: Vec::new() }
    }

    fn bind(&mut self, number: u16, statement: &Statement) -> Result<()> {
        let (kind, size, digits) = declared(self.kind, self.form, self.chars);
        let (memory, lengths) = (self.memory.as_mut_ptr().cast(), self.lengths.as_mut_ptr());
        // SAFETY: the memory holds all sets, and stays until the statement is gone.
        statement.check(unsafe {
            (statement.library.bind_parameter)(
                statement.handle,
                number,
                INPUT,
                self.form.c_type(),
                kind,
                size,
                digits,
                memory,
                self.width as isize,
                lengths,
            )
        })
    }

    fn put(&mut self, set: usize, value: Value<'_>) -> Result<()> {
        self.written.clear();
        match (self.form, self.kind, value) {
            (_, _, Value::Null) => {
                self.lengths[set] = NULL_DATA;
                return Ok(());
            }
            (
                Form::Number,
                _,
                Value::Int(number) | Value::Decimal(number) | Value::Time(number),
            ) => {
                self.written.extend_from_slice(&number.to_ne_bytes());
            }
            (Form::Moment, _, Value::Time(micros)) => {
                Timestamp::of(micros)?.write(&mut self.written);
            }
            (Form::Text, ValueKind::Decimal(scale), Value::Decimal(unscaled)) => {
                text::decimal(unscaled, scale, &mut self.written);
            }
            (Form::Text, ValueKind::Text, Value::Text(text)) => {
                self.written.extend_from_slice(sendable(text)?.as_bytes());
            }
            (Form::Wide, _, Value::Text(text)) => push_wide(text, &mut self.written)?,
            (_, kind, value) => return Err(Error::usage(format!("{value:?} is not of {kind:?}"))),
        }
        let length = self.written.len();
        if length > self.width {
            let text = format!("a text is longer than {} characters", self.chars);
            return Err(Error::new(ErrorKind::Constraint, text));
        }
        self.lengths[set] = length as isize;
        // SAFETY: the memory holds all sets, and a byte has no alignment.
        unsafe {
            let place = self.memory.as_mut_ptr().cast::<u8>().add(set * self.width);
            place.copy_from_nonoverlapping(self.written.as_ptr(), length);
        }
        Ok(())
    }
}

fn insert_sql(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let places = vec!["?"; names.len()].join(", ");
    format!("INSERT INTO {} ({}) VALUES ({places})", table.name, names.join(", "))
}
