//! Encodes requests: statements as text, calls to system procedures, and transaction requests.
//!
//! Each request is one message, as specified in [MS-TDS] 2.2.6. No memory is allocated, unless the buffer has to grow.
//!
//! Start reading at [`Request`].

use std::ops::Range;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Statement, Value, ValueKind, Values};

use crate::bytes::to_utf16;
use crate::tokens::Environment;
use crate::types::{DATE_TIME_2_N, DECIMAL_N, INT_N, NCHAR_VAR};
use crate::values::{DAY_US, DAYS_FROM_1};
use crate::wire::{BATCH, RPC, TRANSACTION, Writing, begin, seal};

/// Procedure numbers, [MS-TDS] 2.2.6.6.
const EXECUTE_SQL: u16 = 10;
const EXECUTE: u16 = 12;
const PREPARE_AND_EXECUTE: u16 = 13;
const UNPREPARE: u16 = 15;
/// Transaction manager requests, [MS-TDS] 2.2.6.9.
const BEGIN: u16 = 5;
const COMMIT: u16 = 7;
const ROLLBACK: u16 = 8;
/// Separates two calls in a message.
const NEXT_CALL: u8 = 0xFF;
/// Flag of an output parameter.
const BY_REFERENCE: u8 = 1;
/// Maximum size of a string parameter in bytes. Longer strings are sent with the type that has no length limit.
const TEXT_BYTES: u16 = 8_000;
const NULL_TEXT: u16 = 0xFFFF;
/// Precision of every decimal parameter. It is sufficient for the largest number that Tacho uses.
const DIGITS: u8 = 19;
const FRACTION: u8 = 6;

/// A request that is being written.
pub struct Request<'a> {
    out: &'a mut Vec<u8>,
    environment: &'a Environment,
    writing: Writing,
}

impl<'a> Request<'a> {
    /// Starts a message. Its headers contain the transaction that the request belongs to, [MS-TDS] 2.2.5.3.
    #[inline]
    fn begin(kind: u8, environment: &'a Environment, out: &'a mut Vec<u8>) -> Self {
        let writing = begin(kind, out);
        out.extend_from_slice(&[22, 0, 0, 0, 18, 0, 0, 0, 2, 0]);
        out.extend_from_slice(&environment.transaction.to_le_bytes());
        out.extend_from_slice(&[1, 0, 0, 0]);
        Self { out, environment, writing }
    }

    #[inline]
    fn end(mut self) {
        seal(&mut self.writing, self.environment.packet_bytes, true, self.out);
    }

    /// Starts a procedure call.
    #[inline]
    fn call(&mut self, procedure: u16) {
        self.out.extend_from_slice(&[0xFF, 0xFF]);
        self.out.extend_from_slice(&procedure.to_le_bytes());
        self.out.extend_from_slice(&[0, 0]);
    }

    /// Appends a statement's handle as a parameter. If there is no handle yet, the server assigns one and returns it.
    #[inline]
    fn handle(&mut self, handle: Option<i32>) {
        match handle {
            Some(handle) => {
                self.out.extend_from_slice(&[0, 0, INT_N, 4, 4]);
                self.out.extend_from_slice(&handle.to_le_bytes());
            }
            None => self.out.extend_from_slice(&[0, BY_REFERENCE, INT_N, 4, 0]),
        }
    }

    /// Appends a string parameter's type and value. `write` appends the value in UTF-16.
    #[inline]
    fn text(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        self.out.extend_from_slice(&[0, 0, NCHAR_VAR]);
        let at = self.out.len();
        self.out.extend_from_slice(&TEXT_BYTES.to_le_bytes());
        self.out.extend_from_slice(&self.environment.collation);
        self.out.extend_from_slice(&[0, 0]);
        let start = self.out.len();
        write(self.out)?;
        let length = self.out.len() - start;
        if length <= usize::from(TEXT_BYTES) {
            self.out[start - 2..start].copy_from_slice(&(length as u16).to_le_bytes());
            return Ok(());
        }
        // The string is too long for its type. Change the type to one without a length limit, in which the string is a
        // single chunk.
        //
        // The type, the total length and the length of the chunk precede the string.
        self.out[at..at + 2].copy_from_slice(&[0xFF, 0xFF]);
        self.out.resize(self.out.len() + 10, 0);
        self.out.copy_within(start..start + length, start + 10);
        self.out[start - 2..start + 6].copy_from_slice(&(length as u64).to_le_bytes());
        self.out[start + 6..start + 10].copy_from_slice(&(length as u32).to_le_bytes());
        self.out.extend_from_slice(&[0; 4]);
        Ok(())
    }

    /// Appends a value as a parameter of the given kind.
    #[inline]
    fn value(&mut self, value: Value<'_>, kind: ValueKind) -> Result<()> {
        match (kind, value) {
            (ValueKind::Text, Value::Text(text)) => return self.text_value(text),
            (ValueKind::Int, Value::Int(number)) => {
                self.out.extend_from_slice(&[0, 0, INT_N, 8, 8]);
                self.out.extend_from_slice(&number.to_le_bytes());
            }
            (ValueKind::Decimal(scale), Value::Decimal(number)) => self.decimal(number, scale),
            (ValueKind::Decimal(scale), Value::Int(number)) => {
                let unscaled = 10_i64.checked_pow(scale.into());
                let unscaled = unscaled.and_then(|factor| factor.checked_mul(number));
                self.decimal(unscaled.ok_or_else(|| too_large(number))?, scale);
            }
            (ValueKind::Time, Value::Time(micros)) => {
                let (days, micros) = days_and_micros(micros)?;
                self.out.extend_from_slice(&[0, 0, DATE_TIME_2_N, FRACTION, 8]);
                self.out.extend_from_slice(&micros.to_le_bytes()[..5]);
                self.out.extend_from_slice(&days.to_le_bytes()[..3]);
            }
            (kind, Value::Null) => self.null(kind),
            (kind, value) => return Err(mismatch(value, kind)),
        }
        Ok(())
    }

    fn text_value(&mut self, text: &[u8]) -> Result<()> {
        let at = self.out.len();
        self.text(|out| to_utf16(text, out))?;
        // Declare the maximum length for every string, so that the server can use the same plan for strings of any
        // length.
        if self.out[at + 3..at + 5] == [0xFF, 0xFF] {
            let text = "a string is longer than 4,000 characters, the limit for a parameter";
            return Err(Error::new(ErrorKind::Constraint, text).hint("use --form simple"));
        }
        Ok(())
    }

    #[inline]
    fn decimal(&mut self, number: i64, scale: u8) {
        let sign = u8::from(number >= 0);
        self.out.extend_from_slice(&[0, 0, DECIMAL_N, 9, DIGITS, scale, 9, sign]);
        self.out.extend_from_slice(&number.unsigned_abs().to_le_bytes());
    }

    fn null(&mut self, kind: ValueKind) {
        match kind {
            ValueKind::Int => self.out.extend_from_slice(&[0, 0, INT_N, 8, 0]),
            ValueKind::Decimal(scale) => {
                self.out.extend_from_slice(&[0, 0, DECIMAL_N, 9, DIGITS, scale, 0]);
            }
            ValueKind::Time => self.out.extend_from_slice(&[0, 0, DATE_TIME_2_N, FRACTION, 0]),
            ValueKind::Text => {
                self.out.extend_from_slice(&[0, 0, NCHAR_VAR]);
                self.out.extend_from_slice(&TEXT_BYTES.to_le_bytes());
                self.out.extend_from_slice(&self.environment.collation);
                self.out.extend_from_slice(&NULL_TEXT.to_le_bytes());
            }
        }
    }

    #[inline]
    fn values(&mut self, statement: &Statement, bound: &Range<u32>, from: &Values) -> Result<()> {
        if bound.len() != statement.params.len() {
            return Err(Error::usage(format!("it was bound {} parameters", bound.len())));
        }
        for source in &statement.placeholders {
            let kind = statement.params[usize::from(*source)].kind;
            self.value(from.get(bound.start as usize + usize::from(*source)), kind)?;
        }
        Ok(())
    }
}

/// Appends a batch. `write` appends its text in UTF-16.
#[inline]
pub fn batch(
    environment: &Environment,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let request = Request::begin(BATCH, environment, out);
    write(request.out)?;
    request.end();
    Ok(())
}

/// Appends a call that runs a statement. The first call contains the statement's text; later calls contain its handle.
#[inline]
pub fn execute(
    environment: &Environment,
    out: &mut Vec<u8>,
    statement: &Statement,
    handle: Option<i32>,
    bound: &Range<u32>,
    from: &Values,
) -> Result<()> {
    let mut request = Request::begin(RPC, environment, out);
    request.call(if handle.is_some() { EXECUTE } else { PREPARE_AND_EXECUTE });
    request.handle(handle);
    if handle.is_none() {
        let kinds = statement.placeholders.iter();
        let kinds = kinds.map(|source| statement.params[usize::from(*source)].kind);
        request.text(|out| declare(kinds, out))?;
        request.text(|out| to_utf16(statement.sql.as_bytes(), out))?;
    }
    request.values(statement, bound, from)?;
    request.end();
    Ok(())
}

/// Appends a call that runs a statement without preparing it. `kinds` may describe only the values of a single row. It
/// is then repeated for each row.
pub fn execute_once(
    environment: &Environment,
    out: &mut Vec<u8>,
    sql: &str,
    kinds: &[ValueKind],
    values: &Values,
) -> Result<()> {
    let mut request = Request::begin(RPC, environment, out);
    request.call(EXECUTE_SQL);
    let all = || kinds.iter().cycle().take(values.len());
    request.text(|out| to_utf16(sql.as_bytes(), out))?;
    request.text(|out| declare(all().copied(), out))?;
    for (at, kind) in all().enumerate() {
        request.value(values.get(at), *kind)?;
    }
    request.end();
    Ok(())
}

/// Appends calls that make the server close statements. All calls are in one message.
pub fn forget(environment: &Environment, out: &mut Vec<u8>, handles: impl Iterator<Item = i32>) {
    let mut request = Request::begin(RPC, environment, out);
    for (at, handle) in handles.enumerate() {
        if at > 0 {
            request.out.push(NEXT_CALL);
        }
        request.call(UNPREPARE);
        request.handle(Some(handle));
    }
    request.end();
}

/// Appends a request that starts an unnamed transaction at the session's isolation level.
#[inline]
pub fn begin_transaction(environment: &Environment, out: &mut Vec<u8>) {
    transaction(environment, BEGIN, out);
}

/// Appends the request that commits the transaction.
#[inline]
pub fn commit(environment: &Environment, out: &mut Vec<u8>) {
    transaction(environment, COMMIT, out);
}

/// Appends the request that rolls back the transaction.
#[inline]
pub fn rollback(environment: &Environment, out: &mut Vec<u8>) {
    transaction(environment, ROLLBACK, out);
}

/// Appends a transaction request, which consists of its type, a zero byte and an empty name. At the start of a
/// transaction, the zero byte keeps the isolation level. At the end, it prevents the server from starting a new
/// transaction.
#[inline]
fn transaction(environment: &Environment, what: u16, out: &mut Vec<u8>) {
    let request = Request::begin(TRANSACTION, environment, out);
    request.out.extend_from_slice(&what.to_le_bytes());
    request.out.extend_from_slice(&[0, 0]);
    request.end();
}

/// Appends the names and types of the parameters in UTF-16, such as `@P1 bigint,@P2 nvarchar(4000)`.
fn declare(kinds: impl Iterator<Item = ValueKind>, out: &mut Vec<u8>) -> Result<()> {
    for (at, kind) in kinds.enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let declared = match kind {
            ValueKind::Int => format!("{comma}@P{} bigint", at + 1),
            ValueKind::Decimal(scale) => format!("{comma}@P{} decimal({DIGITS},{scale})", at + 1),
            ValueKind::Text => format!("{comma}@P{} nvarchar({})", at + 1, TEXT_BYTES / 2),
            ValueKind::Time => format!("{comma}@P{} datetime2({FRACTION})", at + 1),
        };
        to_utf16(declared.as_bytes(), out)?;
    }
    Ok(())
}

/// Returns the days since 1 January of the year 1, and the microseconds since midnight.
///
/// # Errors
/// Returns a usage error if the year is outside the range 1 to 9999.
#[inline]
pub fn days_and_micros(micros: i64) -> Result<(u32, i64)> {
    let days = micros.div_euclid(DAY_US) + DAYS_FROM_1;
    let days = u32::try_from(days).ok().filter(|days| *days < 3_652_059);
    let outside =
        || Error::usage(format!("{micros} µs since 1970 is outside the range of years 1 to 9999"));
    Ok((days.ok_or_else(outside)?, micros.rem_euclid(DAY_US)))
}

#[cold]
fn mismatch(value: Value<'_>, kind: ValueKind) -> Error {
    Error::usage(format!("cannot bind {value:?} to a parameter of type {kind:?}"))
        .hint("bind a value of the type declared in the statement's signature")
}

#[cold]
fn too_large(number: i64) -> Error {
    Error::usage(format!("{number} does not fit into a decimal with {DIGITS} digits"))
}

#[cfg(test)]
mod tests {
    use tacho_driver::{Catalog, parse_sections};

    use super::*;
    use crate::bytes::{Bytes, string};
    use crate::dialect::SqlServer;
    use crate::tokens::Tokens;
    use crate::types::{Column, joined};

    fn environment() -> Environment {
        let mut environment = Tokens::new(32_767).environment;
        environment.transaction = 0x0102;
        environment.collation = [9, 4, 0xD0, 0, 0x34];
        environment
    }

    /// Parses a call's parameters. Each has a status, a type and a value.
    fn parameters(body: &[u8]) -> Vec<(u8, Column, Option<Vec<u8>>)> {
        let (mut bytes, mut found) = (Bytes(body), Vec::new());
        while !bytes.0.is_empty() {
            assert_eq!(bytes.u8(), Ok(0), "no name");
            let status = bytes.u8().expect("a status");
            let column = Column::read(&mut bytes).expect("a type");
            let value = column.value(&mut bytes).expect("a value").map(<[u8]>::to_vec);
            found.push((status, column, value));
        }
        found
    }

    #[test]
    fn a_statement_is_prepared_when_it_runs_first() -> Result<()> {
        let file = "-- name: x(a int, b text, c decimal(2), d time)\n\
                    INSERT INTO t VALUES (:b, :a, :c, :d, :a)";
        let catalog = Catalog::build(&SqlServer, &["x"], &[parse_sections(file)?])?;
        let statement = &catalog.statements()[0];
        let mut values = Values::default();
        values.int(-7);
        values.text("naïve".as_bytes());
        values.decimal(-5);
        values.time(1);
        let mut out = Vec::new();
        execute(&environment(), &mut out, statement, None, &(0..4), &values)?;
        assert_eq!(out[..2], [RPC, 1]);
        assert_eq!(out[8..30], *b"\x16\0\0\0\x12\0\0\0\x02\0\x02\x01\0\0\0\0\0\0\x01\0\0\0");
        assert_eq!(out[30..36], [0xFF, 0xFF, 13, 0, 0, 0]);
        let found = parameters(&out[36..]);
        assert_eq!((found[0].0, &found[0].2), (BY_REFERENCE, &None));
        let text = |at: usize| string(found[at].2.as_deref().unwrap_or_default());
        let declared = "@P1 nvarchar(4000),@P2 bigint,@P3 decimal(19,2),@P4 datetime2(6)";
        assert_eq!(text(1), declared);
        assert_eq!(text(2), "INSERT INTO t VALUES (@P1, @P2, @P3, @P4, @P2)");
        assert_eq!(text(3), "naïve");
        assert_eq!(found[3].1.collation, [9, 4, 0xD0, 0, 0x34]);
        assert_eq!(found[4].2.as_deref(), Some(&(-7_i64).to_le_bytes()[..]));
        assert_eq!(found[5].2.as_deref(), Some(&[0, 5, 0, 0, 0, 0, 0, 0, 0][..]));
        assert_eq!(found[6].2.as_deref(), Some(&[1, 0, 0, 0, 0, 0x3A, 0xF9, 0x0A][..]));
        out.clear();
        execute(&environment(), &mut out, statement, Some(5), &(0..4), &values)?;
        assert_eq!(out[30..36], [0xFF, 0xFF, 12, 0, 0, 0]);
        assert_eq!(parameters(&out[36..])[0].2.as_deref(), Some(&[5, 0, 0, 0][..]));
        Ok(())
    }

    #[test]
    fn a_long_text_is_of_a_type_without_a_limit() -> Result<()> {
        let sql = "x".repeat(4_001);
        let mut out = Vec::new();
        execute_once(&environment(), &mut out, &sql, &[ValueKind::Int], &Values::default())?;
        let found = parameters(&out[36..]);
        assert_eq!(string(&joined(found[0].2.as_deref().unwrap_or_default())), sql);
        let mut values = Values::default();
        values.text(sql.as_bytes());
        let refused = execute_once(&environment(), &mut out, "", &[ValueKind::Text], &values)
            .expect_err("long");
        assert_eq!(refused.kind(), ErrorKind::Constraint);
        Ok(())
    }

    #[test]
    fn every_kind_may_be_null() -> Result<()> {
        let kinds = [ValueKind::Int, ValueKind::Decimal(4), ValueKind::Text, ValueKind::Time];
        let mut values = Values::default();
        (0..4).for_each(|_| values.null());
        let mut out = Vec::new();
        execute_once(&environment(), &mut out, "", &kinds, &values)?;
        assert_eq!(parameters(&out[36..])[2..].iter().filter(|one| one.2.is_none()).count(), 4);
        values.clear();
        values.int(1);
        assert!(execute_once(&environment(), &mut out, "", &[ValueKind::Text], &values).is_err());
        values.clear();
        values.time(i64::MAX);
        assert!(execute_once(&environment(), &mut out, "", &[ValueKind::Time], &values).is_err());
        Ok(())
    }

    #[test]
    fn commits_use_transaction_manager_requests() {
        let mut out = Vec::new();
        commit(&environment(), &mut out);
        assert_eq!(out[..8], [TRANSACTION, 1, 0, 34, 0, 0, 1, 0]);
        assert_eq!(out[30..], [COMMIT as u8, 0, 0, 0]);
    }
}
