//! Small helper functions that transactions use to check their results.

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Reply;

use crate::statements::Statement;

const REMEDY: &str = "to check the data, use tacho check; to rebuild it, use tacho prepare";

/// Fails unless statement `set` wrote exactly one row. A transaction that wrote nothing must not count as completed.
#[inline]
pub fn wrote_one(reply: &Reply, set: usize, statement: Statement) -> Result<()> {
    match reply.affected(set) {
        1 => Ok(()),
        rows => Err(wrote(rows, statement)),
    }
}

/// Fails unless result `set` contains a balance. The balance is read, as a client would do, but not used.
#[inline]
pub fn read_balance(reply: &Reply, set: usize) -> Result<()> {
    let row = reply.get(set, 0).ok_or_else(absent)?;
    std::hint::black_box(row.number(0)?);
    Ok(())
}

#[cold]
fn wrote(rows: u64, statement: Statement) -> Error {
    let text = format!("statement {} wrote {rows} rows instead of one", statement.name());
    Error::new(ErrorKind::Missing, text).hint(REMEDY)
}

#[cold]
fn absent() -> Error {
    let text = format!("statement {} found no account", Statement::AccountBalance.name());
    Error::new(ErrorKind::Missing, text).hint(REMEDY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_of_rows_is_an_error() {
        let mut reply = Reply::default();
        reply.start(0);
        reply.finish(2);
        reply.start(1);
        reply.finish(0);
        let error = wrote_one(&reply, 0, Statement::TellerUpdate).unwrap_err();
        assert_eq!(error.message(), "statement teller_update wrote 2 rows instead of one");
        assert_eq!(read_balance(&reply, 1).unwrap_err().kind(), ErrorKind::Missing);
    }
}
