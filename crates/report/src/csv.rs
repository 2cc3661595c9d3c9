//! Formats named values as CSV (RFC 4180), with a header and plain numbers.
//!
//! Start reading at [`text`].

use serde_json::{Number, Value};

/// Formats rows as CSV. The header contains the field names of the first row. Null values become empty cells.
pub(crate) fn text(rows: &[Value], line_end: &str) -> String {
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.collect();
        text.extend([&cells.join(","), line_end]);
    };
    let fields = |row| Value::as_object(row).into_iter().flatten();
    line(&mut rows.first().into_iter().flat_map(fields).map(|(name, _)| name.clone()));
    for row in rows {
        line(&mut fields(row).map(|(_, value)| cell(value)));
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(number) => plain(number),
        Value::String(text) => quoted(text),
        other => quoted(&other.to_string()),
    }
}

/// Formats a number without an exponent. Whole numbers have no decimal point.
fn plain(number: &Number) -> String {
    let whole = number.as_u64().map(|integer| integer.to_string());
    whole.or_else(|| Some(number.as_f64()?.to_string())).unwrap_or_default()
}

/// Quotes a string if CSV requires it. If it looks like a formula, adds an apostrophe, so that
/// spreadsheets do not evaluate it.
fn quoted(cell: &str) -> String {
    let is_formula =
        cell.starts_with(['=', '@', '+', '-', '\t', '\r']) && cell.parse::<f64>().is_err();
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_no_formulas() {
        let table = [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-a,b", "\"'-a,b\""),
            ("-1.5", "-1.5"),
            ("-inf", "-inf"),
            ("a=b", "a=b"),
            ("say \"x\"", "\"say \"\"x\"\"\""),
        ];
        for (cell, expected) in table {
            assert_eq!(quoted(cell), expected);
        }
    }

    #[test]
    fn rows_have_the_names_of_their_values() {
        let rows =
            [json!({ "a": 1, "b": 2.0, "c": "x,y" }), json!({ "a": null, "b": 0.5, "c": true })];
        assert_eq!(text(&rows, "\n"), "a,b,c\n1,2,\"x,y\"\n,0.5,true\n");
    }
}
