//! The conditions that the data must meet. Their queries are in `sql/checks.sql`.
//!
//! If the data cannot meet a condition, this condition is not checked, and the reason is reported. A condition is never
//! weakened.
//!
//! Start reading at [`checks`].

use std::sync::Arc;

use tacho_driver::{StatementId, Values};
use tacho_workload::{Check, Judge};

use crate::samples;
use crate::setup::Setup;
use crate::statements::{Bulk, Whole};

/// Document that defines the conditions.
const CLAUSE: &str = "oltp docs, Checks";

/// Conditions, each with its ID, rule, query and a flag. The flag is true if the condition holds only as long as the
/// number of rows does not change.
const CONDITIONS: [(&str, &str, Whole, bool); 3] = [
    ("C1", "each table has table_size rows", Whole::CheckRows, true),
    ("C2", "ids run from 1 to table_size", Whole::CheckIds, true),
    ("C3", "c has 119 characters, and pad has 59", Whole::CheckTexts, false),
];

/// ID, rule and query of each condition on the bulk-insert tables.
const BULK_CONDITIONS: [(&str, &str, Bulk); 2] = [
    ("B1", "ids run without gaps from 1 to the number of rows", Bulk::CheckNumbers),
    ("B2", "k is id", Bulk::CheckValues),
];

/// Returns the conditions. Those that the event violates by design are marked as excused, so they are not checked.
pub fn checks(setup: &Arc<Setup>) -> Vec<Check> {
    if setup.event.is_bulk() {
        let check = |(id, rule, statement): (_, _, Bulk)| check(id, rule, statement.into());
        return BULK_CONDITIONS.into_iter().map(check).collect();
    }
    let check = |(id, rule, statement, of_size): (_, _, Whole, bool)| {
        let mut condition = check(id, rule, statement.into());
        if of_size {
            condition.bound.int(setup.size);
        }
        let text = || format!("{} changes the number of rows", setup.event.name());
        condition.excused = (of_size && !setup.event.keeps_rows()).then(text);
        condition
    };
    let mut checks: Vec<Check> = CONDITIONS.into_iter().map(check).collect();
    let rows = "sampled rows match the loaded data or its updates";
    checks.push(Check {
        samples: samples::samples(setup),
        ..self::check("R1", rows, Whole::SampleRows.into())
    });
    checks
}

fn check(id: &'static str, rule: &'static str, statement: StatementId) -> Check {
    Check {
        id,
        rule,
        clause: CLAUSE,
        statement,
        bound: Values::default(),
        keys: None,
        judge: Judge::NoRows,
        samples: Vec::new(),
        by_loader: false,
        excused: None,
    }
}
