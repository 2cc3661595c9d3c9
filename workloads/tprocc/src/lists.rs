//! Statements over lists, written once and repeated for each length.
//!
//! Start reading at [`expanded`].

use std::ops::RangeInclusive;

/// Lengths of an order.
pub const LENGTHS: RangeInclusive<usize> = 5..=15;
/// Rows of a list in a section that is written once.
const DISTRICTS: usize = 10;

/// Begins a section with lists.
const LIST: &str = "-- list: ";
const LENGTH: &str = "@n@";
const EACH: &str = "@each ";

/// A file with its lists written out. One without lists stays as it is.
pub fn expanded(file: &str) -> String {
    if !file.contains(LIST) {
        return file.to_owned();
    }
    let mut out = String::new();
    // Before the first section the file speaks to its reader.
    for section in file.split(LIST).skip(1) {
        let lengths = if section.contains(LENGTH) { LENGTHS } else { DISTRICTS..=DISTRICTS };
        for length in lengths {
            out.push_str("-- name: ");
            out.push_str(&repeated(&section.replace(LENGTH, &length.to_string()), length));
        }
    }
    out
}

/// The text with what stands after each mark repeated, with the number of the row in place of `#`.
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
