//! A statement with its values written into it.
//!
//! DuckDB 1.5 plans a prepared statement once, with the statistics that its tables have then, and rows
//! that come later can be lost from its results or changed in them: its pull request 24696 says so and
//! mends it for later versions. So only statements that read no table are kept prepared. Values in the
//! text also let it plan with them. Start reading at [`Text::write`].

use std::fmt::Write;

use tacho_driver::{Statement, Value, ValueKind, Values};

use crate::handles::DAY_US;

/// A statement cut at its placeholders.
#[derive(Debug, Default)]
pub struct Text {
    /// What goes before each placeholder, and the index of its parameter.
    parts: Vec<(String, usize)>,
    end: String,
}

impl Text {
    /// Cuts a statement.
    pub fn of(statement: &Statement) -> Self {
        let mut text = Self::default();
        let mut pieces = statement.sql.split('$');
        let mut before = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = piece[..digits].parse().unwrap_or(0);
            match number.checked_sub(1).and_then(|place| statement.placeholders.get(place)) {
                Some(param) => {
                    text.parts.push((std::mem::take(&mut before), usize::from(*param)));
                    piece[digits..].clone_into(&mut before);
                }
                None => before.extend(["$", piece]),
            }
        }
        text.end = before;
        text
    }

    /// Appends the text with these values to `out`, which ends with a null for C.
    pub fn write(&self, statement: &Statement, values: &Values, first: usize, out: &mut Vec<u8>) {
        out.clear();
        for (before, param) in &self.parts {
            out.extend_from_slice(before.as_bytes());
            let kind = statement.params.get(*param).map(|param| param.kind);
            literal(values.get(first + param), kind, out);
        }
        out.extend_from_slice(self.end.as_bytes());
        out.push(0);
    }
}

/// Whether a statement is kept prepared: it writes what it is given and reads nothing.
pub fn reads_nothing(statement: &Statement) -> bool {
    let sql = statement.sql.to_ascii_uppercase();
    sql.trim_start().starts_with("INSERT") && !sql.contains("SELECT")
}

fn literal(value: Value<'_>, kind: Option<ValueKind>, out: &mut Vec<u8>) {
    let mut words = Words(out);
    // Writing to a Vec cannot fail.
    let _ = match value {
        Value::Null => words.write_str("NULL"),
        // In brackets, so that a sign does not join one before it.
        Value::Int(number) => write!(words, "({number})"),
        Value::Decimal(unscaled) => {
            let scale = match kind {
                Some(ValueKind::Decimal(scale)) => usize::from(scale),
                _ => 0,
            };
            let sign = if unscaled < 0 { "-" } else { "" };
            let digits = format!("{:0>1$}", unscaled.unsigned_abs(), scale + 1);
            let (whole, part) = digits.split_at(digits.len() - scale);
            let point = if scale > 0 { "." } else { "" };
            write!(words, "({sign}{whole}{point}{part})")
        }
        // A day, so that a column of days need not be made one of times; both can be compared with it.
        Value::Time(micros) if micros % DAY_US == 0 => {
            write!(words, "(DATE '1970-01-01' + ({}))", micros / DAY_US)
        }
        Value::Time(micros) => write!(words, "make_timestamp({micros})"),
        Value::Text(text) => {
            out.push(b'\'');
            for byte in text {
                if *byte == b'\'' {
                    out.push(b'\'');
                }
                out.push(*byte);
            }
            out.push(b'\'');
            Ok(())
        }
    };
}

struct Words<'a>(&'a mut Vec<u8>);

impl Write for Words<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_driver::Field;

    #[test]
    fn values_stand_where_their_placeholders_were() {
        let kinds = [ValueKind::Int, ValueKind::Decimal(2), ValueKind::Text, ValueKind::Time];
        let params = kinds.map(|kind| Field { name: "x".into(), kind }).to_vec();
        let statement = Statement {
            name: "s".into(),
            params,
            results: Vec::new(),
            sql: "a -$1 $2, $3 '$' $1 $4".into(),
            placeholders: vec![0, 1, 2, 3],
            places: Vec::new(),
        };
        let mut values = Values::default();
        values.int(9);
        values.int(-5);
        values.decimal(-7);
        values.text(b"it's");
        values.time(2 * DAY_US);
        let mut out = Vec::new();
        Text::of(&statement).write(&statement, &values, 1, &mut out);
        let expected = "a -(-5) (-0.07), 'it''s' '$' (-5) (DATE '1970-01-01' + (2))\0";
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert!(!reads_nothing(&statement));
    }
}
