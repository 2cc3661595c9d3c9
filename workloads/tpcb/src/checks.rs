//! The conditions on the data; their queries are in `sql/checks.sql`.
//!
//! A condition that the data cannot hold is excused with the reason; it must never be weakened
//! instead. Start reading at [`checks`].

use tacho_driver::Values;
use tacho_workload::{Check, Judge};

use crate::setup::Setup;
use crate::statements::Statement;

/// Where the conditions are written.
const CLAUSE: &str = "tpcb docs, Checks";

/// Id, rule and query of each condition.
const CONDITIONS: [(&str, &str, Statement); 6] = [
    ("C1", "abalance = sum(delta) of the account's history", Statement::CheckC1),
    ("C2", "tbalance = sum(delta) of the teller's history", Statement::CheckC2),
    ("C3", "bbalance = sum(delta) of the branch's history", Statement::CheckC3),
    ("C4", "sum(tbalance) = sum(bbalance)", Statement::CheckC4),
    ("C5", "each branch has its 10 tellers and 100000 accounts", Statement::CheckC5),
    ("C6", "history refers to tellers, branches and accounts that exist", Statement::CheckC6),
];

/// The conditions, those excused that the data cannot hold.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let check = |(id, rule, statement): (_, _, Statement)| Check {
        id,
        rule,
        clause: CLAUSE,
        statement: statement.into(),
        bound: Values::default(),
        keys: None,
        judge: Judge::NoRows,
        samples: Vec::new(),
        excused: excuse(id, setup),
    };
    CONDITIONS.into_iter().map(check).collect()
}

fn excuse(id: &str, setup: &Setup) -> Option<String> {
    let who = match id {
        "C2" => "tellers",
        "C3" => "branches",
        _ => return None,
    };
    let text = format!("balanced=accounts: simple-update writes history without {who}");
    (!setup.all_balanced).then_some(text)
}
