//! Rows in which all values are text. They are used for operations outside the hot path.

use tacho_core::{Error, ErrorKind, Result, WaitKind};
use tacho_driver::{Object, ObjectKind, TablePart, Wait};

/// One row, where NULL is `None`.
pub type TextRow = Vec<Option<String>>;

/// Returns the count in this column of a row. NULL or a missing column means 0.
pub fn number(row: &TextRow, column: usize) -> Result<u64> {
    let text = row.get(column).and_then(Option::as_deref).unwrap_or("0");
    text.parse().map_err(|_| Error::new(ErrorKind::Protocol, format!("\"{text}\" is not a count")))
}

/// Converts a result row to a database object, such as a table or routine. The columns are the kind, the name, an ID
/// that changes if the object is created again, the definition, the statement that drops the object, and the schema.
pub fn object(row: TextRow) -> Object {
    let mut words = row.into_iter().map(Option::unwrap_or_default);
    let mut next = || words.next().unwrap_or_default();
    let kind = match next().as_str() {
        "table" => ObjectKind::Table,
        "routine" => ObjectKind::Routine,
        _ => ObjectKind::Other,
    };
    let (name, identity) = (next(), next());
    let shape = next().lines().map(str::to_owned).collect();
    Object { kind, name, identity, shape, drop: next(), schema: next() }
}

/// Converts a result row to a part of a table, such as a column or an index. The columns are the table, the kind, the
/// name, the definition, and an ID that changes if the part is created again.
pub fn table_part(row: TextRow) -> TablePart {
    let mut words = row.into_iter().map(Option::unwrap_or_default);
    let mut next = || words.next().unwrap_or_default();
    TablePart { table: next(), kind: next(), name: next(), definition: next(), identity: next() }
}

/// Converts rows to wait events. The columns are the class, the event and the number of sessions.
pub fn waits(rows: Vec<TextRow>, kind: fn(&str, &str) -> WaitKind) -> Result<Vec<Wait>> {
    let wait = |row: TextRow| {
        let sessions = number(&row, 2)? as u32;
        let mut words = row.into_iter().map(Option::unwrap_or_default);
        let [class, event] = [words.next(), words.next()].map(Option::unwrap_or_default);
        Ok(Wait { kind: kind(&class, &event), class, event, sessions })
    };
    rows.into_iter().map(wait).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_count_as_zero() {
        let row = vec![Some("7".into()), None, Some("x".into())];
        assert_eq!([0, 1, 9].map(|column| number(&row, column).ok()), [Some(7), Some(0), Some(0)]);
        assert!(number(&row, 2).is_err());
    }
}
