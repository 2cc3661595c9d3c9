//! Loads rows with INSERT statements. The values of each column are passed to the driver as an array of parameters.
//!
//! Start reading at [`insert`].

#![expect(unsafe_code, reason = "the ODBC driver reads through pointers")]

use tacho_core::{Error, ErrorKind, Result, Table, Type};
use tacho_driver::{RowSource, Value, ValueKind, Values, insert_sql, next_rows, text};

use crate::buffers::{Form, Manner, Timestamp, declared, push_wide, sendable};
use crate::handles::{Connection, Statement};
use crate::library::{Length, NULL_DATA};

/// Number of rows to send at once.
const SETS: usize = 512;
/// Maximum size of a decimal in characters, including its sign and decimal point.
const DECIMAL_CHARS: usize = 24;
const INPUT: i16 = 1;
/// Status of a parameter set that was rejected or not executed.
const SET_REFUSED: u16 = 5;
const SET_UNUSED: u16 = 7;

/// The values of one column.
struct Column<L> {
    kind: ValueKind,
    form: Form,
    manner: Manner,
    /// Maximum length in characters of a text value.
    chars: usize,
    /// Size of one value in bytes.
    width: usize,
    memory: Vec<u64>,
    lengths: Vec<L>,
    /// Buffer in which a value is encoded before it is copied to `memory`.
    written: Vec<u8>,
}

/// Inserts all rows in the open transaction, with `rows_each` rows in each INSERT statement. If the driver sends a
/// separate request for each parameter set, several rows per statement make loading faster.
pub fn insert<L: Length>(
    connection: &Connection<L>,
    manner: Manner,
    rows_each: usize,
    table: &Table,
    rows: &mut dyn RowSource,
) -> Result<u64> {
    let mut many =
        Insert::new(connection, manner, table, rows_each, manner.rows(SETS / rows_each))?;
    let mut one = None;
    let (mut batch, mut loaded) = (Values::default(), 0);
    let width = table.columns.len();
    loop {
        let count = next_rows(rows, &mut batch, table)?;
        let grouped = if count > 0 { count - count % rows_each } else { 0 };
        for row in 0..grouped {
            loaded += many.put(&batch, row * width)?;
        }
        if grouped < count && one.is_none() {
            one = Some(Insert::new(connection, manner, table, 1, 1)?);
        }
        for row in grouped..count {
            loaded += one.as_mut().map_or(Ok(0), |one| one.put(&batch, row * width))?;
        }
        if count == 0 {
            return Ok(loaded + many.send()?);
        }
    }
}

/// A statement that inserts several rows, with memory for the rows of many executions.
struct Insert<L: Length> {
    // Declared before the memory that is bound to it, because fields are dropped in this order.
    statement: Statement<L>,
    /// Columns of the first row in each statement, followed by the second row's columns, and so on.
    columns: Vec<Column<L>>,
    width: usize,
    rows_each: usize,
    /// Maximum number of parameter sets to send at once.
    sets: usize,
    /// Number of rows that are waiting to be sent.
    rows: usize,
    taken: Box<L>,
    states: Box<[u16]>,
}

impl<L: Length> Insert<L> {
    fn new(
        connection: &Connection<L>,
        manner: Manner,
        table: &Table,
        rows_each: usize,
        sets: usize,
    ) -> Result<Self> {
        let statement = connection.statement()?;
        statement.prepare(&insert_sql(table, rows_each))?;
        let (mut taken, mut states) = (Box::new(L::default()), vec![0; sets].into_boxed_slice());
        statement.note_sets(states.as_mut_ptr());
        let arrays = sets > 1 && statement.take_sets(sets, &raw mut *taken);
        let sets = if arrays { sets } else { 1 };
        let each = || table.columns.iter().map(|column| Column::of(column.ty, manner, sets));
        let mut columns: Vec<Column<L>> = (0..rows_each).flat_map(|_| each()).collect();
        for (number, column) in (1..).zip(&mut columns) {
            column.bind(number, &statement)?;
        }
        let width = table.columns.len();
        Ok(Self { statement, columns, width, rows_each, sets, rows: 0, taken, states })
    }

    /// Adds the row that starts at index `first`. Sends all added rows when the memory is full.
    fn put(&mut self, batch: &Values, first: usize) -> Result<u64> {
        let (set, row) = (self.rows / self.rows_each, self.rows % self.rows_each);
        for (at, column) in self.columns[row * self.width..][..self.width].iter_mut().enumerate() {
            column.put(set, batch.get(first + at))?;
        }
        self.rows += 1;
        if self.rows == self.sets * self.rows_each { self.send() } else { Ok(0) }
    }

    /// Inserts all added rows. Returns an error unless all of them are inserted.
    fn send(&mut self) -> Result<u64> {
        let rows = std::mem::take(&mut self.rows);
        let sets = rows / self.rows_each;
        if rows == 0 {
            return Ok(0);
        }
        if sets < self.sets {
            self.statement.take_sets(sets, &raw mut *self.taken);
        }
        self.statement.execute()?;
        let refused = |state: &u16| *state == SET_REFUSED || *state == SET_UNUSED;
        let taken = self.taken.number();
        if self.sets > 1 && (taken != sets as isize || self.states[..sets].iter().any(refused)) {
            let error = self.statement.failure();
            if error.kind() == ErrorKind::Protocol {
                let text =
                    format!("the driver accepted {taken} of {sets} rows but reported no error");
                return Err(Error::new(ErrorKind::Protocol, text)
                    .hint("if the driver cannot send arrays, use arrays=off (slower)"));
            }
            return Err(error);
        }
        self.statement.close()?;
        Ok(rows as u64)
    }
}

impl<L: Length> Column<L> {
    fn of(ty: Type, manner: Manner, sets: usize) -> Self {
        let kind = ValueKind::of(ty);
        let chars = match ty {
            Type::Char(length) | Type::Varchar(length) => usize::from(length).max(1),
            _ => DECIMAL_CHARS,
        };
        let form = Form::of(kind, manner);
        let width = form.bytes_of(chars);
        let memory = vec![0; (width * sets).div_ceil(size_of::<u64>())];
        Self {
            kind,
            form,
            manner,
            chars,
            width,
            memory,
            lengths: vec![L::default(); sets],
            written: Vec::new(),
        }
    }

    fn bind(&mut self, number: u16, statement: &Statement<L>) -> Result<()> {
        let (kind, size, digits) = declared(self.kind, self.form, self.manner, self.chars);
        let (memory, lengths) = (self.memory.as_mut_ptr().cast(), self.lengths.as_mut_ptr());
        // SAFETY: the memory is large enough for all sets and remains valid until the statement is dropped.
        statement.check(unsafe {
            (statement.library.bind_parameter)(
                statement.handle,
                number,
                INPUT,
                self.form.c_type(),
                kind,
                L::of(size as isize),
                digits,
                memory,
                L::of(self.width as isize),
                lengths,
            )
        })
    }

    fn put(&mut self, set: usize, value: Value<'_>) -> Result<()> {
        self.written.clear();
        match (self.form, self.kind, value) {
            (_, _, Value::Null) => {
                self.lengths[set] = L::of(NULL_DATA);
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
            (Form::Text, ValueKind::Int, Value::Int(number)) => {
                text::whole(number, &mut self.written);
            }
            (Form::Text, ValueKind::Text, Value::Text(text)) => {
                self.written.extend_from_slice(sendable(text)?.as_bytes());
            }
            (Form::Wide, _, Value::Text(text)) => push_wide(text, &mut self.written)?,
            (_, kind, value) => {
                return Err(Error::usage(format!("{value:?} is not a value of type {kind:?}")));
            }
        }
        let length = self.written.len();
        if length > self.width {
            let text = format!("a string is longer than {} characters", self.chars);
            return Err(Error::new(ErrorKind::Constraint, text));
        }
        self.lengths[set] = L::of(length as isize);
        // SAFETY: the memory is large enough for all sets, and bytes do not have any alignment requirement.
        unsafe {
            let place = self.memory.as_mut_ptr().cast::<u8>().add(set * self.width);
            place.copy_from_nonoverlapping(self.written.as_ptr(), length);
        }
        Ok(())
    }
}
