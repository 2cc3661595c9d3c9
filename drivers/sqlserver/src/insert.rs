//! The slower way of loading rows, which uses a multi-row `INSERT` with parameters.

use tacho_core::{Result, Table};
use tacho_driver::{ValueKind, Values};

use crate::link::Link;
use crate::request;
use crate::tokens::Event;

/// Maximum number of values in a call. The server accepts 2,100 parameters, and the call itself needs two of them.
const PARAMETERS_MAX: usize = 2_000;
/// Maximum number of rows per statement. The server accepts no more rows in one list.
const ROWS_MAX: usize = 1_000;

/// A prepared insertion into a table. Each statement contains as many rows as possible.
pub struct Inserter {
    kinds: Vec<ValueKind>,
    start: String,
    most: usize,
    /// The statement that inserts the maximum number of rows.
    full: String,
    waiting: Values,
}

impl Inserter {
    pub fn new(table: &Table) -> Self {
        let kinds: Vec<ValueKind> =
            table.columns.iter().map(|column| ValueKind::of(column.ty)).collect();
        let most = (PARAMETERS_MAX / kinds.len().max(1)).clamp(1, ROWS_MAX);
        let start = format!("INSERT INTO {} ({}) VALUES ", table.name, table.column_names());
        let full = sql(&start, kinds.len(), most);
        Self { kinds, start, most, full, waiting: Values::default() }
    }

    /// Inserts the rows of a batch, and returns the number of rows inserted. Rows that do not fill a whole statement
    /// are kept and inserted later.
    pub async fn push(&mut self, link: &mut Link, batch: &Values) -> Result<u64> {
        let mut inserted = 0;
        for at in 0..batch.len() {
            self.waiting.push(batch.get(at));
            if self.waiting.len() == self.most * self.kinds.len() {
                inserted += self.send(link).await?;
            }
        }
        Ok(inserted)
    }

    /// Inserts the remaining rows.
    pub async fn send(&mut self, link: &mut Link) -> Result<u64> {
        let rows = self.waiting.len() / self.kinds.len().max(1);
        if rows == 0 {
            return Ok(0);
        }
        let rest;
        let sql = if rows == self.most {
            &self.full
        } else {
            rest = sql(&self.start, self.kinds.len(), rows);
            &rest
        };
        link.request(|environment, out| {
            request::execute_once(environment, out, sql, &self.kinds, &self.waiting)
        })?;
        self.waiting.clear();
        let mut inserted = 0;
        link.answer(|event| {
            if let Event::Done(count) = event {
                inserted += count;
            }
            Ok(())
        })
        .await?;
        Ok(inserted)
    }
}

fn sql(start: &str, columns: usize, rows: usize) -> String {
    let mut sql = String::from(start);
    for at in 0..columns * rows {
        let before = match (at, at % columns) {
            (0, _) => "(",
            (_, 0) => "),(",
            _ => ",",
        };
        sql.push_str(before);
        sql.push_str("@P");
        sql.push_str(&(at + 1).to_string());
    }
    sql.push(')');
    sql
}

#[cfg(test)]
mod tests {
    use super::sql;

    #[test]
    fn each_row_has_its_parameters() {
        assert_eq!(sql("x ", 2, 2), "x (@P1,@P2),(@P3,@P4)");
        assert_eq!(sql("x ", 1, 1), "x (@P1)");
    }
}
