//! Rows whose values are text, for requests off the hot path.

use tacho_core::{Error, ErrorKind, Result};

/// One row; NULL is `None`.
pub type TextRow = Vec<Option<String>>;

/// A column that must be a count; NULL and none count as 0.
pub fn number(row: &TextRow, column: usize) -> Result<u64> {
    let text = row.get(column).and_then(Option::as_deref).unwrap_or("0");
    text.parse().map_err(|_| Error::new(ErrorKind::Protocol, format!("\"{text}\" is not a count")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_counts_as_none() {
        let row = vec![Some("7".into()), None, Some("x".into())];
        assert_eq!([0, 1, 9].map(|column| number(&row, column).ok()), [Some(7), Some(0), Some(0)]);
        assert!(number(&row, 2).is_err());
    }
}
