//! Formats a statement's plan from `DuckDB`'s JSON, with a line per operator and property.
//!
//! Estimates and values are omitted, because they often change even if the plan itself does not. Start reading at
//! [`lines`].

use serde_json::Value;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::plan::push_line;

/// Operator properties that change whenever the statistics are refreshed.
const ESTIMATES: [&str; 1] = ["Estimated Cardinality"];

/// Returns a plan's operators, each listed below the operator that consumes its rows.
///
/// # Errors
/// Returns a protocol error if the text is not a plan in JSON format.
pub fn lines(json: &str) -> Result<String> {
    let roots: Value = serde_json::from_str(json).map_err(|error| strange(json).source(error))?;
    let mut plan = String::new();
    for root in roots.as_array().ok_or_else(|| strange(json))? {
        push(root, 0, &mut plan);
    }
    if plan.is_empty() { Err(strange(json)) } else { Ok(plan) }
}

fn push(operator: &Value, depth: usize, plan: &mut String) {
    let indent = 2 * depth;
    let Some(name) = operator["name"].as_str() else { return };
    push_line(&format!("{:indent$}{}", "", name.trim()), plan);
    for (key, fact) in operator["extra_info"].as_object().into_iter().flatten() {
        let fact = words(fact);
        if !ESTIMATES.contains(&key.as_str()) && !fact.is_empty() {
            push_line(&format!("{:indent$}  {key}: {fact}", ""), plan);
        }
    }
    for child in operator["children"].as_array().into_iter().flatten() {
        push(child, depth + 1, plan);
    }
}

/// Formats one or more properties as a single line.
fn words(fact: &Value) -> String {
    match fact {
        Value::String(text) => text.split_whitespace().collect::<Vec<&str>>().join(" "),
        Value::Array(all) => all.iter().map(words).collect::<Vec<String>>().join(", "),
        other => other.to_string(),
    }
}

fn strange(json: &str) -> Error {
    let begin: String = json.chars().take(80).collect();
    Error::new(ErrorKind::Protocol, format!("not a plan: {begin}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_its_operators_and_no_estimates_or_values() {
        let json = r#"[{"name": "PROJECTION", "extra_info": {"Projections": ["a", "sum(b)"],
            "Estimated Cardinality": "1"}, "children": [{"name": "SEQ_SCAN ", "children": [],
            "extra_info": {"Table": "t", "Filters": "a>=0.05 AND\nb='x y'", "Text": ""}}]}]"#;
        let expected = "PROJECTION\n  Projections: a, sum(b)\n  SEQ_SCAN\n    \
                        Table: t\n    Filters: a>=? AND b=?\n";
        assert_eq!(lines(json).ok().as_deref(), Some(expected));
        for strange in ["", "[]", "{}", "┌───┐", r#"[{"id": 1}]"#] {
            assert_eq!(lines(strange).expect_err(strange).kind(), ErrorKind::Protocol);
        }
    }
}
