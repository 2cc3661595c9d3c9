//! Computes table rows from the column expressions. Each row depends only on the seed, the table and the slot.
//!
//! The generator does not keep any state between slots. Start reading at [`Rows`].

use std::ops::Range;
use std::sync::Arc;

use tacho_core::{Error, Seed, Type};
use tacho_driver::{RowSource, Values};

use crate::vm::execute::{fault_of, unscaled};
use crate::vm::machine::{Fault, Machine, Node};
use crate::vm::source::Piece;
use crate::vm::value::{Cause, Val};

/// Number of rows in a batch.
const BATCH_ROWS: usize = 300;
const DAY_US: i64 = 86_400_000_000;

/// A generator for the rows of a table.
#[derive(Debug)]
pub struct Generator {
    /// Name of the table, for error messages.
    pub table: &'static str,
    /// Number of rows, which equals the number of slots.
    pub slots: u64,
    /// Columns of the table. A column's expression can read earlier columns.
    pub columns: Vec<Column>,
    /// Seed for the rows.
    pub seed: Seed,
    /// Number of registers that the expressions need.
    pub registers: usize,
}

/// A generator for the values of a column.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    pub ty: Type,
    pub nullable: bool,
    pub node: Node,
    /// Register in which the value is stored, so that later columns can use it.
    pub register: u16,
    pub piece: Piece,
}

/// The rows in a range of slots.
pub struct Rows {
    generator: Arc<Generator>,
    slots: Range<u64>,
    machine: Machine,
    error: Option<Error>,
}

impl Rows {
    /// Returns the rows for `slots`.
    pub fn new(generator: Arc<Generator>, slots: Range<u64>) -> Self {
        let machine = Machine::new(generator.registers, generator.seed.rng(0));
        Self { generator, slots, machine, error: None }
    }

    fn row(&mut self, slot: u64, rows: &mut Values) -> Result<(), Error> {
        let Self { generator, machine, .. } = self;
        machine.text.clear();
        machine.rng = generator.seed.rng(slot);
        machine.registers[0] = Val::Int(slot as i64 + 1);
        for column in &generator.columns {
            let made = machine.eval(&column.node).and_then(|value| {
                machine.registers[usize::from(column.register)] = value;
                append(value, column, machine, rows).map_err(|cause| Fault { cause, at: 0 })
            });
            made.map_err(|fault| {
                let (table, name) = (generator.table, column.name);
                let error = fault_of(&column.piece, fault);
                Error::usage(format!(
                    "{}, row {} of {table}, column {name}",
                    error.message(),
                    slot + 1
                ))
            })?;
        }
        Ok(())
    }
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let mut made = 0;
        while made < BATCH_ROWS
            && self.error.is_none()
            && let Some(slot) = self.slots.next()
        {
            let before = rows.len();
            if let Err(error) = self.row(slot, rows) {
                // Fill up the row with NULL. The row is never committed, because the error ends the load.
                for _ in rows.len() - before..self.generator.columns.len() {
                    rows.null();
                }
                self.error = Some(error);
            }
            made += 1;
        }
        made
    }

    fn error(&mut self) -> Option<Error> {
        self.error.take()
    }
}

fn append(value: Val, column: &Column, machine: &Machine, rows: &mut Values) -> Result<(), Cause> {
    match (value, column.ty) {
        (Val::Null, _) if column.nullable => rows.null(),
        (Val::Null, _) => return Err(Cause::IsNull),
        (Val::Int(number), Type::SmallInt) if i16::try_from(number).is_ok() => rows.int(number),
        (Val::Int(number), Type::Int) if i32::try_from(number).is_ok() => rows.int(number),
        (Val::Int(number), Type::BigInt) => rows.int(number),
        (Val::Int(_) | Val::Float(_), Type::Decimal { precision, scale }) => {
            let number = unscaled(value, scale)?;
            if number.unsigned_abs() >= 10_u64.pow(u32::from(precision)) {
                return Err(Cause::DoesNotFit);
            }
            rows.decimal(number);
        }
        (Val::Time(micros), Type::Timestamp) => rows.time(micros),
        (Val::Time(micros), Type::Date) => rows.time(micros - micros.rem_euclid(DAY_US)),
        (Val::Text(from, to), Type::Varchar(length)) => {
            let bytes = machine.bytes(from, to);
            if characters(bytes) > usize::from(length) {
                return Err(Cause::DoesNotFit);
            }
            rows.text(bytes);
        }
        (Val::Text(from, to), Type::Char(length)) => {
            let bytes = machine.bytes(from, to);
            let blanks = usize::from(length).checked_sub(characters(bytes));
            let blanks = blanks.ok_or(Cause::DoesNotFit)?;
            rows.text_with(|out| {
                out.extend_from_slice(bytes);
                out.resize(out.len() + blanks, b' ');
            });
        }
        _ => return Err(Cause::DoesNotFit),
    }
    Ok(())
}

fn characters(bytes: &[u8]) -> usize {
    // Each character has one byte that is not a UTF-8 continuation byte, so count these bytes.
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}
