//! Conditions that the additional tables must meet, and checks that each query returns a plausible number of rows.
//!
//! Start reading at [`conditions`] and [`answers`].

use std::ops::RangeInclusive;
use std::sync::Arc;

use tacho_core::Seed;
use tacho_driver::Values;
use tacho_workload::{Check, Judge, Loaded, Sample, Violations, made};

use crate::generate::Rows;

use crate::queries::{bind, wrong_rows};
use crate::schema::{NATION, REGION, SUPPLIER, rows, tables};
use crate::statements::Own;
use crate::statements::QUERIES;

/// Document that defines the conditions.
const PAPER: &str = "CH-benCHmark, DBTest 2011";

/// IDs of the query checks.
const ANSWERS: [&str; QUERIES] = [
    "Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q11", "Q12", "Q13", "Q14", "Q15",
    "Q16", "Q17", "Q18", "Q19", "Q20", "Q21", "Q22",
];

/// Returns the conditions on the additional tables and on rows that refer to them.
pub fn conditions(statements: Own, warehouses: u64) -> Vec<Check> {
    let mut counts = Values::default();
    for table in [REGION, NATION, SUPPLIER] {
        counts.int(rows(table) as i64);
    }
    let by_warehouse = 1..=warehouses as i64;
    let check = |id, rule, number, bound, keys: Option<RangeInclusive<i64>>| {
        let (clause, statement) = (PAPER, statements.condition(number));
        Check {
            id,
            rule,
            clause,
            statement,
            bound,
            keys,
            judge: Judge::NoRows,
            samples: Vec::new(),
            by_loader: false,
            excused: None,
        }
    };
    let none = Values::default;
    vec![
        check("N1", "region, nation and supplier contain the expected rows", 1, counts, None),
        check("N2", "each nation has a region, and each supplier has a nation", 2, none(), None),
        check("N3", "each customer has a nation", 3, none(), Some(by_warehouse.clone())),
        check("N4", "each stock row has a supplier", 4, none(), Some(by_warehouse)),
    ]
}

/// Returns the check that compares the additional tables with the generated rows. It covers every row, because no
/// transaction changes these tables.
pub fn samples(statements: Own, data_seed: Seed) -> Check {
    let sample = |(table, columns): (usize, usize)| {
        let all = move || {
            let source = Rows::new(data_seed, table, 0..rows(table));
            made(Box::new(source), rows(table) as usize)
        };
        let columns_compared = (0..columns).map(Some).collect();
        let loaded = Loaded {
            rows: Box::new(all),
            width: columns,
            columns: columns_compared,
            rule: None,
            gone: None,
        };
        Sample {
            statement: statements.sample(table),
            bound: Values::default(),
            judge: loaded.judge(),
        }
    };
    let widths = tables().into_iter().map(|table| table.columns.len()).enumerate();
    Check {
        id: "R7",
        rule: "regions, nations and suppliers are unchanged since loading",
        clause: PAPER,
        statement: statements.sample(REGION),
        bound: Values::default(),
        keys: None,
        judge: Judge::NoRows,
        samples: widths.map(sample).collect(),
        by_loader: false,
        excused: None,
    }
}

/// Returns a check for each query, which fails if the query returns an implausible number of rows.
pub fn answers(statements: Own, loaded_at: i64) -> impl Iterator<Item = Check> {
    (1..).zip(ANSWERS).map(move |(number, id)| {
        let mut bound = Values::default();
        bind(number, loaded_at, &mut bound);
        let judge = move |reply_rows| match wrong_rows(number, reply_rows) {
            Some(first) => Violations { count: 1, first },
            None => Violations::default(),
        };
        Check {
            id,
            rule: "the query returns a valid number of rows",
            clause: PAPER,
            statement: statements.query(number),
            bound,
            keys: None,
            judge: Judge::Compare(Arc::new(move |_, reply| judge(reply.rows(0)))),
            samples: Vec::new(),
            by_loader: false,
            excused: None,
        }
    })
}
