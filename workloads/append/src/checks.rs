//! The conditions that the data must meet. They do not cover the values in the lists, which are checked with the
//! history of a run.
//!
//! Start reading at [`checks`].

use tacho_driver::Values;
use tacho_workload::{Check, Judge};

use crate::setup::Setup;
use crate::statements::Statement;

/// Document that defines the conditions.
const CLAUSE: &str = "append docs, Checks";

/// Returns the conditions.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let mut keys = check("C1", "keys run from 1 to the number of keys", Statement::CheckKeys);
    keys.bound.int(setup.all_keys as i64);
    vec![keys, check("C2", "each value in a list is followed by a comma", Statement::CheckLists)]
}

fn check(id: &'static str, rule: &'static str, statement: Statement) -> Check {
    Check {
        id,
        rule,
        clause: CLAUSE,
        statement: statement.into(),
        bound: Values::default(),
        keys: None,
        judge: Judge::NoRows,
        samples: Vec::new(),
        by_loader: false,
        excused: None,
    }
}
