//! Query plans. Db2 writes a plan into explain tables, which belong to the user or to SYSTOOLS. The driver reads the
//! plan and then rolls back.
//!
//! Start reading at [`of`].

use std::collections::BTreeMap;

use tacho_calls::{offered, query, text};
use tacho_core::Result;
use tacho_driver::{Statement, Values, plan::push_line};

use crate::dialect::Db2;

type Connection = tacho_calls::Connection<i32>;
type Row = Vec<Option<String>>;

const EXPLAIN: &str = "EXPLAIN PLAN FOR ";
const SCHEMA: &str = include_str!("../sql/explain_schema.sql");
/// The plan query, with a placeholder for the schema of the explain tables.
const EXPLAINED: &str = include_str!("../sql/explained.sql");
const USUAL_SCHEMA: &str = "SYSTOOLS";

/// The number of the root operator, and the maximum depth of a displayed plan. No real plan is that deep.
const ROOT: &str = "1";
const DEPTH_MAX: usize = 100;

/// Returns a statement's plan without running it, or `None` if there are no explain tables.
pub fn of(
    connection: &Connection,
    statement: &Statement,
    values: &Values,
) -> Result<Option<String>> {
    let Some(schema) = offered(connection, SCHEMA)?.first().map(|row| text(row, 0)) else {
        return Ok(None);
    };
    let explain = statement.text(EXPLAIN, &Db2, values)?;
    let explained = EXPLAINED.replace(USUAL_SCHEMA, &format!("\"{schema}\""));
    connection.set_autocommit(false)?;
    let plan = connection.run(&explain).and_then(|()| query(connection, &explained));
    let undone = connection.roll_back().and_then(|()| connection.set_autocommit(true));
    let found = plan.and_then(|found| undone.map(|()| found))?;
    Ok(tree(&found.rows))
}

/// Formats a plan as one line per operator, with each operator's inputs indented below it. Returns `None` if the root
/// has no input.
///
/// Each row contains an operator's number, and the number and name of one of its inputs.
fn tree(rows: &[Row]) -> Option<String> {
    let mut inputs: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for row in rows {
        inputs.entry(text(row, 0)).or_default().push((text(row, 1), text(row, 2)));
    }
    let mut plan = String::new();
    push_inputs(&inputs, ROOT, 0, &mut plan);
    (!plan.is_empty()).then_some(plan)
}

fn push_inputs(
    inputs: &BTreeMap<String, Vec<(String, String)>>,
    operator: &str,
    depth: usize,
    plan: &mut String,
) {
    let sources = inputs.get(operator).filter(|_| depth < DEPTH_MAX);
    for (source, name) in sources.into_iter().flatten() {
        push_line(&format!("{}{}", "  ".repeat(depth), shown(name)), plan);
        push_inputs(inputs, source, depth + 1, plan);
    }
}

/// Returns the name of an operator, table or index in lower case. Replaces the generated name of an index with a fixed
/// text, because the name contains a time.
fn shown(name: &str) -> String {
    let number = name.strip_prefix("SQL").unwrap_or_default();
    if number.len() >= 15 && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return "index of a key".into();
    }
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[[&str; 3]]) -> Vec<Row> {
        rows.iter().map(|row| row.map(|text| Some(text.to_owned())).to_vec()).collect()
    }

    #[test]
    fn streams_are_a_tree() {
        let found = rows(&[
            ["1", "2", "NLJOIN"],
            ["2", "3", "TBSCAN"],
            ["2", "4", "FETCH "],
            ["3", "-1", "ORDERS"],
            ["4", "5", "IXSCAN"],
            ["4", "-1", "CUSTOMER"],
            ["5", "-1", "SQL261125130000010"],
        ]);
        let plan = tree(&found).expect("a plan");
        let expected = "nljoin\n  tbscan\n    orders\n  fetch\n    ixscan\n      index of a key\n    customer\n";
        assert_eq!(plan, expected);
        assert_eq!(tree(&rows(&[["2", "3", "TBSCAN"]])), None);
    }

    #[test]
    fn an_operator_that_leads_to_itself_ends() {
        let plan = tree(&rows(&[["1", "1", "UNION"]])).expect("a plan");
        assert_eq!(plan.lines().count(), DEPTH_MAX);
    }

    #[test]
    fn the_query_has_a_schema_for_each_table() {
        let sql = EXPLAINED.replace(USUAL_SCHEMA, "\"ME\"");
        assert_eq!(sql.matches("\"ME\".explain_").count(), 3, "{sql}");
    }
}
