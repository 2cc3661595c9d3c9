//! Columns of a statement's result. Values are fetched in blocks of rows. Long text values are fetched one row at a
//! time, in pieces.

#![expect(unsafe_code, reason = "the ODBC driver reads and writes through pointers")]

use std::ptr::from_mut;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Field, Reply, ValueKind, Values};

use super::form::{C_CHAR, C_DOUBLE, C_TIMESTAMP, C_WCHAR, SQL_FLOATS};
use super::pieces::{get, pieces};
use super::wide::take_wide;
use super::{Column, Form, Manner, Timestamp, protocol};
use crate::handles::Statement;
use crate::library::Length;

/// Size in bytes of the block of rows that a statement fetches in one call.
const BLOCK_BYTES: usize = 16 * 1024;
const BLOCK_ROWS_MAX: usize = 256;
/// Maximum length of text values in blocks. Longer values are read in pieces, one row at a time.
const TEXT_CHARS_MAX: usize = 4_000;

/// The columns of a statement's result.
pub struct Columns<L> {
    all: Box<[Column<L>]>,
    /// Number of rows in a block, or 0 if values are read in pieces.
    block: usize,
    /// Number of rows in the last block fetched.
    fetched: Box<L>,
    /// The pieces of one value.
    piece: Vec<u8>,
}

impl<L: Length> Columns<L> {
    /// Binds memory to the columns of a statement that has just been run for the first time.
    pub fn bind(fields: &[Field], manner: Manner, statement: &Statement<L>) -> Result<Self> {
        let found = statement.columns()?;
        if found != fields.len() {
            let text = format!(
                "the statement returns {found} columns, but its signature declares {}",
                fields.len()
            );
            return Err(Error::new(ErrorKind::Syntax, text));
        }
        let mut all = Vec::with_capacity(found);
        let mut in_pieces = false;
        for (number, field) in (1..).zip(fields) {
            let mut column = Column::new(field.kind, manner, 0);
            match field.kind {
                ValueKind::Text => {
                    let chars = statement.column(number)?.chars;
                    in_pieces |= chars == 0 || chars > TEXT_CHARS_MAX;
                    column = Column::new(field.kind, manner, chars.min(TEXT_CHARS_MAX));
                }
                ValueKind::Decimal(_)
                    if column.form == Form::Text
                        && SQL_FLOATS.contains(&statement.column(number)?.sql_type) =>
                {
                    (column.form, column.width) = (Form::Double, Form::Double.bytes_of(0));
                }
                _ => {}
            }
            all.push(column);
        }
        let row: usize = all.iter().map(|column| column.width + size_of::<L>()).sum();
        let mut columns =
            Self { all: all.into(), block: 0, fetched: Box::new(L::default()), piece: Vec::new() };
        if !in_pieces {
            let rows = manner.rows((BLOCK_BYTES / row).clamp(1, BLOCK_ROWS_MAX));
            columns.bind_blocks(rows, statement)?;
        }
        Ok(columns)
    }

    fn bind_blocks(&mut self, rows: usize, statement: &Statement<L>) -> Result<()> {
        let takes = statement.fetch_blocks(rows, &raw mut *self.fetched);
        let rows = if takes { rows } else { 1 };
        if !takes {
            *self.fetched = L::of(1);
        }
        for (number, column) in (1..).zip(&mut self.all) {
            column.hold(rows);
            let memory = column.memory.as_mut_ptr().cast();
            // SAFETY: the memory holds all rows of a block and remains valid until the statement is dropped.
            statement.check(unsafe {
                (statement.library.bind_col)(
                    statement.handle,
                    number,
                    column.form.c_type(),
                    memory,
                    L::of(column.width as isize),
                    column.lengths.as_mut_ptr(),
                )
            })?;
        }
        self.block = rows;
        Ok(())
    }

    /// Fetches all rows into the reply and returns their number.
    pub fn read_all(&mut self, statement: &Statement<L>, reply: &mut Reply) -> Result<u64> {
        let mut rows = 0;
        while statement.fetch()? {
            if self.block == 0 {
                self.read_pieces(statement, reply.values())?;
                rows += 1;
                continue;
            }
            let fetched = self.fetched.number();
            if !(1..=self.block as isize).contains(&fetched) {
                let text =
                    format!("the driver reports that it fetched {fetched} of {} rows", self.block);
                return Err(protocol(text));
            }
            let (fetched, values) = (fetched as usize, reply.values());
            for row in 0..fetched {
                for column in &mut self.all {
                    column.read(row, values)?;
                }
            }
            rows += fetched as u64;
        }
        Ok(rows)
    }

    /// Reads one row, one column at a time, without limiting the length of values.
    fn read_pieces(&mut self, statement: &Statement<L>, values: &mut Values) -> Result<()> {
        for (place, column) in (1..).zip(&self.all) {
            if column.form == Form::Moment {
                let mut moment = Timestamp::default();
                let found = get(statement, place, C_TIMESTAMP, from_mut(&mut moment))?;
                if found { values.time(moment.micros()?) } else { values.null() }
            } else if column.form == Form::Double {
                let mut number = 0_f64;
                let found = get(statement, place, C_DOUBLE, from_mut(&mut number))?;
                if found { values.decimal(column.unscaled(number)?) } else { values.null() }
            } else if column.form == Form::Wide {
                if pieces(statement, place, C_WCHAR, &mut self.piece)? {
                    take_wide(&self.piece, values)?;
                } else {
                    values.null();
                }
            } else if pieces(statement, place, C_CHAR, &mut self.piece)? {
                column.take_text(&self.piece, values)?;
            } else {
                values.null();
            }
        }
        Ok(())
    }
}
