//! Small helper functions that transactions use to check their results.

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Reply;

use crate::statements::Statement;

/// Fails unless statement `set` wrote exactly one row. A transaction that wrote nothing must not count as completed.
#[inline]
pub fn wrote_one(reply: &Reply, set: usize, statement: Statement) -> Result<()> {
    wrote(reply, set, 1, statement)
}

/// Fails unless the statement at `set` wrote exactly `wanted` rows.
#[inline]
pub fn wrote(reply: &Reply, set: usize, wanted: u64, statement: Statement) -> Result<()> {
    match reply.affected(set) {
        rows if rows == wanted => Ok(()),
        rows => Err(wrote_others(rows, wanted, statement)),
    }
}

#[cold]
fn wrote_others(rows: u64, wanted: u64, statement: Statement) -> Error {
    let name = statement.name();
    let text = format!("statement {name} wrote {rows} rows instead of {wanted}");
    Error::new(ErrorKind::Missing, text)
        .hint("tacho check shows whether the data is consistent; use tacho prepare to rebuild it")
}

/// Returns the error for a missing row.
#[cold]
pub fn absent(what: &str, statement: Statement) -> Error {
    Error::new(ErrorKind::Missing, format!("statement {} found no {what}", statement.name()))
}

/// Marks a value as used, so that the compiler does not remove the code that reads it. A terminal
/// would display the value.
#[inline]
pub fn show<T>(value: T) {
    std::hint::black_box(value);
}

/// Appends an integer in decimal. `fmt` would take longer than everything else that prepares the statement.
pub fn push_number(number: i64, out: &mut Vec<u8>) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 123_456, -5, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            push_number(number, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), number.to_string());
        }
    }

    #[test]
    fn a_wrong_number_of_rows_is_an_error() {
        let mut reply = Reply::default();
        reply.start(0);
        reply.finish(2);
        let error = wrote_one(&reply, 0, Statement::OrderInsert).unwrap_err();
        assert_eq!(error.message(), "statement order_insert wrote 2 rows instead of 1");
        assert!(wrote_one(&reply, 1, Statement::OrderInsert).is_err());
    }
}
