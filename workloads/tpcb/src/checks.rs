//! The conditions that the data must meet. Their queries are in `sql/checks.sql`.
//!
//! If the data cannot meet a condition, this condition is not checked, and the reason is reported. A condition is never
//! weakened.
//!
//! Start reading at [`checks`].

use tacho_driver::Values;
use tacho_workload::{Check, Judge, Loaded, Sample, Slice, made};

use crate::generate::Rows;
use crate::schema::ACCOUNT;
use crate::setup::Setup;
use crate::statements::Statement;

/// Document that defines the conditions.
const CLAUSE: &str = "tpcb docs, Checks";

/// ID, rule and query of each condition.
const CONDITIONS: [(&str, &str, Statement); 7] = [
    ("C1", "abalance = sum(delta) of the account's history", Statement::CheckC1),
    ("C2", "tbalance = sum(delta) of the teller's history", Statement::CheckC2),
    ("C3", "bbalance = sum(delta) of the branch's history", Statement::CheckC3),
    ("C4", "sum(tbalance) = sum(bbalance)", Statement::CheckC4),
    ("C5", "each branch has 10 tellers and 100000 accounts", Statement::CheckC5),
    ("C6", "history refers only to existing tellers, branches and accounts", Statement::CheckC6),
    ("C7", "fillers, amounts and times match the loaded data and the transactions", BY_LOADER),
];
/// Condition that may be violated if a tool other than Tacho loaded the data.
const BY_LOADER: Statement = Statement::CheckC7;
/// Tolerated difference between clocks. A server's clock may be wrong or in another time zone.
const CLOCKS_DIFFER_US: i64 = 2 * 86_400_000_000;

/// Number of account ranges that are compared with the loaded data.
const RANGES: usize = 20;
/// Number of accounts in a range.
const RANGE_ROWS: i64 = 250;
/// Number of columns in the account table.
const ACCOUNT_COLUMNS: usize = 4;

/// Returns the conditions. Those that the data cannot meet are marked as excused, so they are not checked.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let check = |(id, rule, statement): (_, _, Statement)| {
        let by_loader = statement == BY_LOADER;
        let mut bound = Values::default();
        if by_loader {
            bound.time(setup.loaded_at - CLOCKS_DIFFER_US);
        }
        let (statement, excused) = (statement.into(), excuse(id, setup));
        let (keys, judge, samples) = (None, Judge::NoRows, Vec::new());
        Check {
            id,
            rule,
            clause: CLAUSE,
            statement,
            bound,
            keys,
            judge,
            samples,
            by_loader,
            excused,
        }
    };
    CONDITIONS.into_iter().map(check).chain([accounts(setup)]).collect()
}

/// Compares ranges of accounts with the generator's rows, except for the balances, which condition C1 checks.
fn accounts(setup: &Setup) -> Check {
    let rng = &mut setup.input_seed.child("samples").rng(0);
    let sample = |_| {
        let first = rng.between(1, setup.accounts() - RANGE_ROWS + 1);
        let slots = (first - 1) as u64..(first - 1 + RANGE_ROWS) as u64;
        let rows = move || {
            let slice = Slice { table: ACCOUNT, slots: slots.clone() };
            made(Box::new(Rows::new(&slice)), RANGE_ROWS as usize)
        };
        let columns = vec![Some(0), Some(1), Some(3)];
        let (width, rows) = (ACCOUNT_COLUMNS, Box::new(rows));
        let loaded = Loaded { rows, width, columns, rule: None, gone: None };
        let mut bound = Values::default();
        bound.int(first);
        bound.int(first + RANGE_ROWS - 1);
        Sample { statement: Statement::SampleAccounts.into(), bound, judge: loaded.judge() }
    };
    Check {
        id: "R1",
        rule: "sampled accounts are as loaded",
        clause: CLAUSE,
        statement: Statement::SampleAccounts.into(),
        bound: Values::default(),
        keys: None,
        judge: Judge::NoRows,
        samples: (0..RANGES).map(sample).collect(),
        by_loader: false,
        excused: None,
    }
}

fn excuse(id: &str, setup: &Setup) -> Option<String> {
    let who = match id {
        "C2" => "tellers",
        "C3" => "branches",
        _ => return None,
    };
    let text = format!("balanced=accounts: simple-update writes history but does not update {who}");
    (!setup.all_balanced).then_some(text)
}
