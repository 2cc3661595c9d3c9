//! The conditions on the data; their queries are in `sql/checks.sql`.
//!
//! A condition that the data cannot hold is excused with the reason; it must never be weakened
//! instead. Start reading at [`checks`].

use tacho_driver::Values;
use tacho_workload::{Check, Judge};

use crate::setup::Setup;
use crate::statements::Whole;

/// Where the conditions are written.
const CLAUSE: &str = "oltp docs, Checks";

/// Id, rule and query of each condition, and whether it is about the size.
const CONDITIONS: [(&str, &str, Whole, bool); 3] = [
    ("C1", "each table has table_size rows", Whole::CheckRows, true),
    ("C2", "ids are 1 to table_size", Whole::CheckIds, true),
    ("C3", "c has 119 characters, pad 59", Whole::CheckTexts, false),
];

/// The conditions, those excused that the event breaks.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let check = |(id, rule, statement, of_size): (_, _, Whole, bool)| {
        let mut bound = Values::default();
        if of_size {
            bound.int(setup.size);
        }
        let text = || format!("{} changes the number of rows", setup.event.name());
        Check {
            id,
            rule,
            clause: CLAUSE,
            statement: statement.into(),
            bound,
            keys: None,
            judge: Judge::NoRows,
            samples: Vec::new(),
            excused: (of_size && !setup.event.keeps_rows()).then(text),
        }
    };
    CONDITIONS.into_iter().map(check).collect()
}
