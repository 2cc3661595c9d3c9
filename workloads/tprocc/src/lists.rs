//! Statements that process several rows at once. The SQL file contains each statement once, and it is expanded for
//! every possible number of rows.
//!
//! Start reading at [`expanded`].

use std::ops::RangeInclusive;

/// Number of lines in an order.
pub const LENGTHS: RangeInclusive<usize> = 5..=15;
/// Number of districts in a list. Lists of districts are written only for this length.
const DISTRICTS: usize = 10;

/// Prefix that marks a section with lists.
const LIST: &str = "-- list: ";
const LENGTH: &str = "@n@";
const EACH: &str = "@each ";

/// Returns the file with its lists expanded, or unchanged if it has none.
pub fn expanded(file: &str) -> String {
    if !file.contains(LIST) {
        return file.to_owned();
    }
    let mut out = String::new();
    // Skip the text before the first section, which is only a comment.
    for section in file.split(LIST).skip(1) {
        let lengths = if section.contains(LENGTH) { LENGTHS } else { DISTRICTS..=DISTRICTS };
        for length in lengths {
            out.push_str("-- name: ");
            out.push_str(&repeated(&section.replace(LENGTH, &length.to_string()), length));
        }
    }
    out
}

/// Repeats each marked part of the text, with `#` replaced by the row number.
fn repeated(text: &str, length: usize) -> String {
    let mut parts = text.split(EACH);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (row, rest) = part.split_once('@').unwrap_or((part, ""));
        let rows: Vec<String> =
            (1..=length).map(|number| row.replace('#', &number.to_string())).collect();
        out.push_str(&rows.join(", "));
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_out() {
        assert_eq!(
            repeated("f(@each i# int@) (@each (#, :i#)@)", 2),
            "f(i1 int, i2 int) ((1, :i1), (2, :i2))"
        );
        let file =
            "-- To the reader\n-- list: a_@n@(@each i# int@)\nX\n-- list: b(@each o# int@)\nY\n";
        let text = expanded(file);
        assert_eq!(text.matches("-- name: a_").count(), 11);
        assert!(
            text.starts_with("-- name: a_5(i1 int, i2 int, i3 int, i4 int, i5 int)\nX\n"),
            "{text}"
        );
        assert!(text.contains("o10 int)\nY\n") && !text.contains('@'));
        assert_eq!(expanded("SELECT 1"), "SELECT 1");
    }
}
