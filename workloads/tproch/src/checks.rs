//! Conditions on the data, and the expected query results.
//!
//! If a condition cannot be checked, the reason is reported. A condition is never weakened.
//!
//! Start reading at [`conditions`].

use std::sync::Arc;

use tacho_driver::{StatementId, Values};
use tacho_workload::{Check, Judge};

use crate::answers::{self, compare};
use crate::queries::{Arguments, QUERIES};
use crate::schema::{
    CUSTOMER, NATION, ORDERS, PART, PARTSUPP, REGION, SUPPLIER, is_fixed, rows_per_step,
};
use crate::setup::Setup;
use crate::statements::{condition, query};

/// ID, rule, clause and query of each condition.
const CONDITIONS: [(&str, &str, &str, StatementId); 6] = [
    ("H1", "each table has the expected rows", "4.2.5", condition(1)),
    ("H2", "no key occurs twice", "1.4.2.1", condition(2)),
    ("H3", "all foreign keys refer to existing rows", "1.4.2.3", condition(3)),
    ("H4", "o_totalprice is the sum of the prices of the order's lines", "4.2.3", condition(4)),
    ("H5", "o_orderstatus follows from l_linestatus", "4.2.3", condition(5)),
    ("H6", "refreshes have deleted as many orders as they inserted", "2.5", condition(6)),
];

/// Tables whose rows are counted, in the order of the statement's parameters.
const COUNTED: [usize; 7] = [REGION, NATION, SUPPLIER, CUSTOMER, PART, PARTSUPP, ORDERS];

/// IDs of the query checks.
const ANSWERS: [&str; QUERIES] = [
    "Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q11", "Q12", "Q13", "Q14", "Q15",
    "Q16", "Q17", "Q18", "Q19", "Q20", "Q21", "Q22",
];

/// Returns the conditions on the rows.
pub fn conditions(setup: &Setup, refreshed: bool) -> Vec<Check> {
    let steps = setup.steps;
    let conditions = CONDITIONS.into_iter().map(|(id, rule, clause, statement)| {
        let mut bound = if id == "H1" { counts(steps) } else { Values::default() };
        if id == "H6" {
            bound.int((rows_per_step(ORDERS) * steps) as i64);
        }
        let (keys, judge) = (None, Judge::NoRows);
        let excused =
            (id == "H5" && setup.deviations.open && (refreshed || setup.refresh)).then(|| {
                "refresh_open=true: inserted orders are open regardless of their lines".into()
            });
        Check {
            id,
            rule,
            clause,
            statement,
            bound,
            keys,
            judge,
            samples: Vec::new(),
            by_loader: false,
            excused,
        }
    });
    conditions.collect()
}

/// Returns a check for each query. The check runs the query with parameters for which the correct result is known.
/// After a refresh, the check is excused, because the result may have changed.
pub fn answers(setup: &Setup, refreshed: bool) -> impl Iterator<Item = Check> {
    (1..).zip(ANSWERS).map(move |(number, id)| answer(number, id, setup, refreshed))
}

fn counts(steps: u64) -> Values {
    let mut bound = Values::default();
    for table in COUNTED {
        let steps = if is_fixed(table) { 1 } else { steps };
        bound.int((rows_per_step(table) * steps) as i64);
    }
    bound
}

fn answer(number: u8, id: &'static str, setup: &Setup, refreshed: bool) -> Check {
    let steps = setup.steps;
    let mut bound = Values::default();
    Arguments::new(steps, &mut bound).validation(number);
    Check {
        id,
        rule: "the result matches the known correct result",
        clause: "2.4, query validation",
        statement: query(number),
        bound,
        keys: None,
        judge: Judge::Compare(Arc::new(move |columns, reply| {
            compare(number, steps, columns, reply)
        })),
        samples: Vec::new(),
        by_loader: false,
        excused: match (refreshed, setup.deviations.other_answers()) {
            (true, _) => {
                Some("correct results are known only if the tables were never refreshed".into())
            }
            (_, true) => Some(
                "correct results are known only for data that follows the specification".into(),
            ),
            _ if !answers::KNOWN.contains(&steps) => {
                Some("correct results are known only for scales 0.01 and 1".into())
            }
            _ => None,
        },
    }
}
