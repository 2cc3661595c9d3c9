//! Memory that the driver reads parameters from and writes results to, bound once and used again.
//!
//! Start reading at [`Params`] and [`Columns`].

#![expect(unsafe_code, reason = "the ODBC driver reads and writes through pointers")]

use std::ptr::from_mut;
use std::slice::from_raw_parts;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::text::{self, Moment};
use tacho_driver::{Field, Reply, Value, ValueKind, Values, fraction};

use crate::handles::Statement;
use crate::library::{Length, NO_DATA, NULL_DATA};

/// C types.
pub const C_BIGINT: i16 = -25;
pub const C_CHAR: i16 = 1;
const C_DOUBLE: i16 = 8;
const C_WCHAR: i16 = -8;
pub const C_TIMESTAMP: i16 = 93;
/// SQL types.
const SQL_BIGINT: i16 = -5;
const SQL_DECIMAL: i16 = 3;
/// Those of floating-point numbers: FLOAT, REAL, DOUBLE.
const SQL_FLOATS: [i16; 3] = [6, 7, SQL_DOUBLE];
const SQL_DOUBLE: i16 = 8;
const SQL_VARCHAR: i16 = 12;
const SQL_WVARCHAR: i16 = -9;
const SQL_TIMESTAMP: i16 = 93;
const INPUT: i16 = 1;

/// Digits of the longest decimal, of an `i64` without its point.
const DECIMAL_DIGITS: usize = 19;
/// Digits that every floating-point number of 64 bits has.
const DOUBLE_DIGITS: usize = 15;
/// Characters of a decimal in a result: its digits, sign, point and a null, with some to spare.
const DECIMAL_CHARS: usize = 48;
/// Characters of `1970-01-01 00:00:00.000000`, and the digits of its fraction.
const TIMESTAMP_CHARS: usize = 26;
const FRACTION_DIGITS: i16 = 6;
/// By how much of its last digit a decimal may be missed: millions of additions miss it by less.
const SUM_ERROR: f64 = 0.01;
/// Bytes of rows that are fetched at once by one statement.
const BLOCK_BYTES: usize = 16 * 1024;
const BLOCK_ROWS_MAX: usize = 256;
/// Texts that may be longer are read in pieces, one row at a time.
const TEXT_CHARS_MAX: usize = 4_000;
/// A length that no driver writes: the value was not written.
const UNWRITTEN: isize = -99;
/// Bytes of a character in UTF-8.
const CHAR_BYTES: usize = 4;

/// `SQL_TIMESTAMP_STRUCT`; the fraction is in nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Timestamp {
    year: i16,
    month: u16,
    day: u16,
    hour: u16,
    minute: u16,
    second: u16,
    fraction: u32,
}

impl Timestamp {
    pub fn of(micros: i64) -> Result<Self> {
        let Moment { year, month, day, clock: [hour, minute, second], micros } =
            Moment::of(micros)?;
        Ok(Self {
            year: year as i16,
            month: month.into(),
            day: day.into(),
            hour: hour.into(),
            minute: minute.into(),
            second: second.into(),
            fraction: micros * 1_000,
        })
    }

    /// Appends it as it lies in memory.
    pub fn write(self, out: &mut Vec<u8>) {
        let Self { year, month, day, hour, minute, second, fraction } = self;
        out.extend_from_slice(&year.to_ne_bytes());
        out.extend([month, day, hour, minute, second].into_iter().flat_map(u16::to_ne_bytes));
        out.extend_from_slice(&fraction.to_ne_bytes());
    }

    /// Microseconds since 1970.
    fn micros(self) -> Result<i64> {
        let impossible = || protocol(format!("the result holds the time {self:?}"));
        let moment = Moment {
            year: u16::try_from(self.year).map_err(|_| impossible())?,
            month: self.month.min(255) as u8,
            day: self.day.min(255) as u8,
            clock: [self.hour as u8, self.minute as u8, self.second as u8],
            micros: self.fraction / 1_000,
        };
        moment.to_micros().ok_or_else(impossible)
    }
}

#[cold]
fn protocol(text: String) -> Error {
    Error::new(ErrorKind::Protocol, text)
}

/// What decides how values travel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The database keeps decimals and times as whole numbers.
    pub whole_numbers: bool,
    /// How texts travel.
    pub text: TextType,
    /// Whole numbers travel as text, since the driver has no number of 64 bits.
    pub numbers_as_text: bool,
    /// Rows travel one by one, since the driver takes arrays and misreads them.
    pub singly: bool,
}

impl Manner {
    /// How many rows travel at once where so many could.
    pub fn rows(self, rows: usize) -> usize {
        if self.singly { 1 } else { rows }
    }
}

/// How texts travel. Of bytes the locale decides what they are, so that only UTF-16 means the same to all
/// drivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextType {
    /// As UTF-16, to a parameter of national characters.
    #[default]
    Utf16,
    /// As UTF-16, to a parameter of plain characters.
    Utf16AsVarchar,
    /// As bytes, which the driver takes for UTF-8.
    Bytes,
}

/// How values of a kind travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Number,
    /// A decimal of a column that holds floating-point numbers. Its text could have more digits than were declared.
    Double,
    /// Characters of one byte.
    Text,
    /// UTF-16.
    Wide,
    Moment,
}

impl Form {
    pub fn of(kind: ValueKind, manner: Manner) -> Self {
        match kind {
            ValueKind::Int if manner.numbers_as_text => Self::Text,
            ValueKind::Int => Self::Number,
            ValueKind::Decimal(_) | ValueKind::Time if manner.whole_numbers => Self::Number,
            ValueKind::Text if manner.text != TextType::Bytes => Self::Wide,
            ValueKind::Decimal(_) | ValueKind::Text => Self::Text,
            ValueKind::Time => Self::Moment,
        }
    }

    pub fn c_type(self) -> i16 {
        match self {
            Self::Number => C_BIGINT,
            Self::Double => C_DOUBLE,
            Self::Text => C_CHAR,
            Self::Wide => C_WCHAR,
            Self::Moment => C_TIMESTAMP,
        }
    }

    /// Bytes of so many characters. A character may need four in UTF-8 and in UTF-16.
    pub fn bytes_of(self, chars: usize) -> usize {
        match self {
            Self::Number => size_of::<i64>(),
            Self::Double => size_of::<f64>(),
            Self::Text | Self::Wide => chars * CHAR_BYTES,
            Self::Moment => size_of::<Timestamp>(),
        }
    }
}

/// Appends a text in UTF-16, as bytes.
///
/// # Errors
/// Usage, if it is not UTF-8 or holds a zero, which no driver takes for a part of a text.
pub fn push_wide(text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let text = sendable(text)?;
    if text.is_ascii() {
        out.extend(text.bytes().flat_map(|byte| u16::from(byte).to_ne_bytes()));
    } else {
        out.extend(text.encode_utf16().flat_map(u16::to_ne_bytes));
    }
    Ok(())
}

/// A text that a driver neither changes nor cuts off.
pub fn sendable(text: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(text).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| {
        Error::usage("a text is not UTF-8 or holds a zero byte")
            .hint("ODBC drivers change such texts or cut them off: leave it out")
    })
}

/// Reads UTF-16 from bytes.
fn take_wide(bytes: &[u8], values: &mut Values) -> Result<()> {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    let mut broken = false;
    values.text_with(|out| {
        if units.clone().all(|unit| unit < 0x80) {
            out.extend(units.map(|unit| unit as u8));
            return;
        }
        let mut utf8 = [0; 4];
        for character in char::decode_utf16(units) {
            broken |= character.is_err();
            out.extend_from_slice(character.unwrap_or_default().encode_utf8(&mut utf8).as_bytes());
        }
    });
    if broken { Err(protocol("the result holds a text that is not UTF-16".into())) } else { Ok(()) }
}

/// The declaration of a parameter for the server: its type, its size, and the digits of its fraction.
pub fn declared(kind: ValueKind, form: Form, manner: Manner, chars: usize) -> (i16, usize, i16) {
    match (form, kind) {
        (Form::Number, _) => (SQL_BIGINT, DECIMAL_DIGITS, 0),
        (Form::Double, _) => (SQL_DOUBLE, DOUBLE_DIGITS, 0),
        (Form::Text, ValueKind::Decimal(scale)) => (SQL_DECIMAL, DECIMAL_DIGITS, scale.into()),
        (Form::Text, ValueKind::Int) => (SQL_DECIMAL, DECIMAL_DIGITS, 0),
        (Form::Text, _) => (SQL_VARCHAR, chars.max(1), 0),
        (Form::Wide, _) if manner.text == TextType::Utf16AsVarchar => {
            (SQL_VARCHAR, chars.max(1), 0)
        }
        (Form::Wide, _) => (SQL_WVARCHAR, chars.max(1), 0),
        (Form::Moment, _) => (SQL_TIMESTAMP, TIMESTAMP_CHARS, FRACTION_DIGITS),
    }
}

/// One parameter.
struct Param<L> {
    kind: ValueKind,
    form: Form,
    length: L,
    number: i64,
    moment: Timestamp,
    text: Vec<u8>,
    /// Bytes of the text's memory when it was bound.
    bound: usize,
}

/// The parameters of a statement.
pub struct Params<L> {
    /// In memory of their own: the driver has their addresses.
    all: Box<[Param<L>]>,
    /// The parameter of each placeholder.
    placeholders: Box<[u16]>,
    manner: Manner,
}

impl<L: Length> Params<L> {
    pub fn new(fields: &[Field], placeholders: &[u16], manner: Manner) -> Self {
        let param = |field: &Field| Param {
            kind: field.kind,
            form: Form::of(field.kind, manner),
            length: L::default(),
            number: 0,
            moment: Timestamp::default(),
            text: Vec::with_capacity(64),
            bound: 0,
        };
        Self { all: fields.iter().map(param).collect(), placeholders: placeholders.into(), manner }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Binds all placeholders.
    pub fn bind(&mut self, statement: &Statement<L>) -> Result<()> {
        for at in 0..self.all.len() {
            self.bind_one(at, statement)?;
        }
        Ok(())
    }

    fn bind_one(&mut self, at: usize, statement: &Statement<L>) -> Result<()> {
        let param = &mut self.all[at];
        param.bound = param.text.capacity();
        let (kind, size, digits) = declared(param.kind, param.form, self.manner, param.bound);
        let (memory, room) = match param.form {
            Form::Number | Form::Double => ((&raw mut param.number).cast(), size_of::<i64>()),
            Form::Text | Form::Wide => (param.text.as_mut_ptr().cast(), param.bound),
            Form::Moment => ((&raw mut param.moment).cast(), size_of::<Timestamp>()),
        };
        let (form, length) = (param.form.c_type(), &raw mut param.length);
        for place in (1..).zip(&self.placeholders).filter(|(_, param)| usize::from(**param) == at) {
            // SAFETY: the memory stays where it is until it is bound again or the statement is gone.
            statement.check(unsafe {
                (statement.library.bind_parameter)(
                    statement.handle,
                    place.0,
                    INPUT,
                    form,
                    kind,
                    L::of(size as isize),
                    digits,
                    memory,
                    L::of(room as isize),
                    length,
                )
            })?;
        }
        Ok(())
    }

    /// Puts a value in its place.
    pub fn set(&mut self, at: usize, value: Value<'_>, statement: &Statement<L>) -> Result<()> {
        let param = &mut self.all[at];
        param.text.clear();
        match (param.form, param.kind, value) {
            (_, _, Value::Null) => {
                param.length = L::of(NULL_DATA);
                return Ok(());
            }
            (
                Form::Number,
                _,
                Value::Int(number) | Value::Decimal(number) | Value::Time(number),
            ) => {
                param.number = number;
                param.length = L::of(0);
                return Ok(());
            }
            (Form::Moment, _, Value::Time(micros)) => {
                param.moment = Timestamp::of(micros)?;
                param.length = L::of(0);
                return Ok(());
            }
            (Form::Text, ValueKind::Decimal(scale), Value::Decimal(unscaled)) => {
                text::decimal(unscaled, scale, &mut param.text);
            }
            (Form::Text, ValueKind::Decimal(_) | ValueKind::Int, Value::Int(number)) => {
                text::whole(number, &mut param.text);
            }
            (Form::Text, ValueKind::Text, Value::Text(bytes)) => {
                param.text.extend_from_slice(sendable(bytes)?.as_bytes());
            }
            (Form::Wide, _, Value::Text(bytes)) => push_wide(bytes, &mut param.text)?,
            (_, kind, value) => return Err(Error::usage(format!("{value:?} is not of {kind:?}"))),
        }
        param.length = L::of(param.text.len() as isize);
        if param.text.capacity() == param.bound { Ok(()) } else { self.bind_one(at, statement) }
    }
}

/// One column of a result.
pub struct Column<L> {
    pub kind: ValueKind,
    pub form: Form,
    /// Bytes of one value.
    pub width: usize,
    /// The values of a block, one after the other.
    pub memory: Box<[u64]>,
    pub lengths: Box<[L]>,
}

/// The columns of a statement's result.
pub struct Columns<L> {
    all: Box<[Column<L>]>,
    /// Rows that come at once; 0 if they come in pieces.
    block: usize,
    /// Rows that have come.
    fetched: Box<L>,
    /// A value in pieces.
    piece: Vec<u8>,
}

impl<L: Length> Columns<L> {
    /// Binds memory for a statement that has run for the first time.
    pub fn bind(fields: &[Field], manner: Manner, statement: &Statement<L>) -> Result<Self> {
        let found = statement.columns()?;
        if found != fields.len() {
            let text =
                format!("it gives {found} columns and its signature declares {}", fields.len());
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
            // SAFETY: the memory holds all rows of a block, and stays until the statement is gone.
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

    /// Fetches all rows into the reply; returns how many.
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
                    format!("the driver says that it fetched {fetched} of {} rows", self.block);
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

    /// One row, column by column, as long as each is.
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

impl<L: Length> Column<L> {
    /// A column without memory. A text has at most so many characters.
    pub fn new(kind: ValueKind, manner: Manner, chars: usize) -> Self {
        let form = Form::of(kind, manner);
        let width = match kind {
            ValueKind::Decimal(_) | ValueKind::Int if form == Form::Text => DECIMAL_CHARS,
            ValueKind::Text => form.bytes_of(chars + 1),
            _ => form.bytes_of(0),
        };
        Self { kind, form, width, memory: [].into(), lengths: [].into() }
    }

    /// Makes room for so many values.
    pub fn hold(&mut self, rows: usize) {
        self.memory = vec![0; (rows * self.width).div_ceil(size_of::<u64>())].into();
        self.lengths = vec![L::of(UNWRITTEN); rows].into();
    }

    /// Appends the value of a row.
    ///
    /// # Errors
    /// Protocol, if the driver has not written it, cut it off, or it is none of its kind.
    #[inline]
    pub fn read(&mut self, row: usize, values: &mut Values) -> Result<()> {
        let length = self.lengths[row].number();
        if length == UNWRITTEN {
            return Err(protocol(format!("the driver has written less than {} rows", row + 1)));
        }
        // What is left from another block must not be taken for a row of the next one.
        self.lengths[row] = L::of(UNWRITTEN);
        if length == NULL_DATA {
            values.null();
            return Ok(());
        }
        match self.form {
            Form::Number => {
                let number = self.memory[row] as i64;
                match self.kind {
                    ValueKind::Decimal(_) => values.decimal(number),
                    ValueKind::Time => values.time(number),
                    ValueKind::Int | ValueKind::Text => values.int(number),
                }
            }
            Form::Double => values.decimal(self.unscaled(f64::from_bits(self.memory[row]))?),
            Form::Moment => values.time(self.moment(row).micros()?),
            Form::Text | Form::Wide => {
                let bytes = usize::try_from(length).ok().filter(|bytes| *bytes < self.width);
                let bytes = bytes.ok_or_else(|| cut_off(self.width - 1))?;
                let text = &self.bytes()[row * self.width..][..bytes];
                if self.form == Form::Wide {
                    return take_wide(text, values);
                }
                self.take_text(text, values)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn take_text(&self, text: &[u8], values: &mut Values) -> Result<()> {
        match (self.form, self.kind) {
            (Form::Number, ValueKind::Decimal(_)) => {
                text::read(text, ValueKind::Decimal(0), values)
            }
            (Form::Number, ValueKind::Time) => {
                let mut number = Values::default();
                text::read(text, ValueKind::Int, &mut number)?;
                if let Value::Int(micros) = number.get(0) {
                    values.time(micros);
                }
                Ok(())
            }
            (_, kind) => text::read(text, kind, values),
        }
    }

    /// A floating-point number as a decimal, which sums of such numbers miss by little. One between two decimals is none.
    fn unscaled(&self, number: f64) -> Result<i64> {
        let scale = if let ValueKind::Decimal(scale) = self.kind { scale.into() } else { 0 };
        let scaled = number * 10_f64.powi(scale);
        let unscaled = scaled.round();
        if unscaled.abs() <= fraction::EXACT as f64 && (scaled - unscaled).abs() < SUM_ERROR {
            return Ok(unscaled as i64);
        }
        let text =
            format!("the result holds the number {number}, which does not have {scale} digits");
        Err(protocol(text))
    }

    fn bytes(&self) -> &[u8] {
        let memory = &self.memory;
        // SAFETY: the same memory; a byte has no alignment.
        unsafe { from_raw_parts(memory.as_ptr().cast(), size_of_val(&**memory)) }
    }

    fn moment(&self, row: usize) -> Timestamp {
        let first = row * size_of::<Timestamp>();
        let bytes = &self.bytes()[first..first + size_of::<Timestamp>()];
        // SAFETY: so many bytes are there, and any bytes are such numbers.
        unsafe { bytes.as_ptr().cast::<Timestamp>().read_unaligned() }
    }
}

#[cold]
fn cut_off(bytes: usize) -> Error {
    protocol(format!("the driver cut a value off after {bytes} bytes"))
}

/// Bytes that are read of a value at first.
const PIECE_BYTES: usize = 4 * 1024;
/// The length of what is not known to the end.
const NO_TOTAL: isize = -4;

/// The text of a column of the present row, from 1, in UTF-8 whatever its length; `None` for NULL.
pub fn text_of<L: Length>(
    statement: &Statement<L>,
    number: u16,
    piece: &mut Vec<u8>,
) -> Result<Option<String>> {
    if statement.reads_bytes {
        let found = pieces(statement, number, C_CHAR, piece)?;
        return Ok(found.then(|| String::from_utf8_lossy(piece).into_owned()));
    }
    if !pieces(statement, number, C_WCHAR, piece)? {
        return Ok(None);
    }
    let units = piece.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    Ok(Some(char::decode_utf16(units).map(|found| found.unwrap_or('\u{fffd}')).collect()))
}

/// The bytes of a text of the present row in one of its types; `false` for NULL.
fn pieces<L: Length>(
    statement: &Statement<L>,
    number: u16,
    c_type: i16,
    text: &mut Vec<u8>,
) -> Result<bool> {
    text.clear();
    let null = if c_type == C_WCHAR { 2 } else { 1 };
    loop {
        let before = text.len();
        text.resize(before + PIECE_BYTES.max(before), 0);
        let room = text.len() - before;
        let mut length = L::default();
        // SAFETY: the driver writes at most the room that it is given.
        let code = unsafe {
            let memory = text[before..].as_mut_ptr().cast();
            (statement.library.get_data)(
                statement.handle,
                number,
                c_type,
                memory,
                L::of(room as isize),
                &raw mut length,
            )
        };
        let length = length.number();
        if code == NO_DATA {
            text.truncate(before);
            return Ok(true);
        }
        statement.check(code)?;
        if length == NULL_DATA {
            return Ok(false);
        }
        // A piece that is not the last ends with a null.
        if length != NO_TOTAL && length as usize <= room - null {
            text.truncate(before + length as usize);
            return Ok(true);
        }
        text.truncate(before + room - null);
    }
}

/// A value of fixed length of the present row; `false` for NULL.
fn get<L: Length, T>(
    statement: &Statement<L>,
    number: u16,
    c_type: i16,
    value: *mut T,
) -> Result<bool> {
    let mut length = L::default();
    // SAFETY: the value has the type that is asked for.
    statement.check(unsafe {
        let room = L::of(size_of::<T>() as isize);
        (statement.library.get_data)(
            statement.handle,
            number,
            c_type,
            value.cast(),
            room,
            &raw mut length,
        )
    })?;
    Ok(length.number() != NULL_DATA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_back() -> Result<()> {
        for micros in [0, -1, 951_782_400_000_001, 253_402_300_799_999_999, -30_610_224_000_000_000]
        {
            assert_eq!(Timestamp::of(micros)?.micros()?, micros);
        }
        assert!(Timestamp::of(i64::MAX).is_err());
        let before_christ = Timestamp { year: -43, month: 3, day: 15, ..Timestamp::default() };
        assert!(before_christ.micros().is_err());
        Ok(())
    }

    #[test]
    fn floating_point_numbers_are_read_as_decimals() -> Result<()> {
        let mut column = Column::<isize>::new(ValueKind::Decimal(2), Manner::default(), 0);
        (column.form, column.width) = (Form::Double, Form::Double.bytes_of(0));
        let mut read = |number: f64| {
            column.hold(1);
            (column.memory[0], column.lengths[0]) = (number.to_bits(), 8);
            let mut values = Values::default();
            column.read(0, &mut values).map(|()| format!("{:?}", values.get(0)))
        };
        for (number, decimal) in
            [(0.1 + 0.2, 30), (-12.34, -1_234), (0.0, 0), (5e12, 500_000_000_000_000)]
        {
            assert_eq!(read(number)?, format!("{:?}", Value::Decimal(decimal)));
        }
        for number in [1.0 / 3.0, 12.345, f64::NAN, f64::INFINITY, 1e15] {
            assert!(read(number).is_err(), "{number}");
        }
        Ok(())
    }

    #[test]
    fn decimals_travel_as_the_database_keeps_them() {
        for (kind, whole_numbers, expected) in [
            (ValueKind::Decimal(2), false, Form::Text),
            (ValueKind::Decimal(2), true, Form::Number),
            (ValueKind::Time, false, Form::Moment),
            (ValueKind::Time, true, Form::Number),
            (ValueKind::Int, false, Form::Number),
            (ValueKind::Text, true, Form::Wide),
        ] {
            let manner = Manner { whole_numbers, ..Manner::default() };
            assert_eq!(Form::of(kind, manner), expected, "{kind:?}");
        }
        let manner = Manner { numbers_as_text: true, ..Manner::default() };
        let form = Form::of(ValueKind::Int, manner);
        assert_eq!(declared(ValueKind::Int, form, manner, 0), (SQL_DECIMAL, DECIMAL_DIGITS, 0));
    }
}
