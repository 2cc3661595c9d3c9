//! Conditions on loaded rows. Samples of the rows are compared with the generator's rows.
//!
//! Compares all items. Also compares all warehouses and districts, unless there are very many.
//!
//! Ranges of other tables are drawn from all warehouses.
//!
//! Start reading at [`checks`].

use std::ops::Range;
use std::sync::Arc;

use tacho_core::Rng;
use tacho_driver::{Row, StatementId, Value, Values};
use tacho_workload::{Check, Judge, Loaded, LoadedRow, RowRule, Sample};

use crate::generate::Generator;
use crate::payment_notes;
use crate::schema::{
    CUSTOMER, CUSTOMERS, DISTRICT, DISTRICTS, FIRST_OPEN_ORDER, ITEM, ITEMS, ORDER_LINE, ORDERS,
    STOCK, WAREHOUSE,
};
use crate::settings::Sequence;
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::Counters;

/// Number of ranges for each table.
const RANGES: usize = 20;
/// Number of rows in a range.
const STOCK_ROWS: i64 = 250;
const CUSTOMER_ROWS: i64 = 100;
const ORDER_ROWS: i64 = 50;
const WAREHOUSE_ROWS: i64 = 50;
/// Maximum number of warehouses for which every warehouse is compared.
const ALL_WAREHOUSES: i64 = 1_000;
/// Maximum length of a payment's note in the data of a customer with bad credit, clause 2.5.2.2.
const NOTE_MAX: usize = 80;
/// Amount by which a refill increases a quantity, clause 2.4.2.2.
const REFILL: i64 = 91;

/// Returns the conditions. Some other tools round amounts. If their statements may have changed the data, the
/// conditions on amounts are left out.
pub fn checks(setup: &Setup, generator: &Arc<Generator>) -> Vec<Check> {
    let draw = Draw { setup, generator, rng: setup.input_seed.child("samples").rng(0) };
    draw.checks()
}

struct Draw<'a> {
    setup: &'a Setup,
    generator: &'a Arc<Generator>,
    rng: Rng,
}

impl Draw<'_> {
    fn checks(mut self) -> Vec<Check> {
        let items = self.items();
        let parts = [
            ("R1", "items match the loaded data", "1.4.9, no transaction changes them", items),
            ("R2", "sampled stock matches the loaded data", "2.4.2.2", self.stock()),
            ("R3", "sampled customers match the loaded data", "2.5.2.2", self.customers()),
            ("R4", "sampled orders and lines match what was entered", "2.4.2.2", self.orders()),
            (
                "R5",
                "warehouses and districts match the loaded data",
                "1.2.1, no transaction changes them",
                self.places(),
            ),
            ("R6", "sampled payments have the correct notes", "2.5.2.2", vec![self.history()]),
        ];
        let check = |(id, rule, clause, samples): (_, _, _, Vec<Sample>)| Check {
            id,
            rule,
            clause,
            statement: samples[0].statement,
            bound: Values::default(),
            keys: None,
            judge: Judge::NoRows,
            samples,
            by_loader: false,
            excused: None,
        };
        parts.into_iter().map(check).collect()
    }

    fn items(&self) -> Vec<Sample> {
        let columns = [0, 1, 2, 3, 4].map(Some);
        vec![self.sample(
            (Statement::SampleItems, ITEM),
            &[1, ITEMS],
            0..ITEMS as u64,
            &columns,
            None,
        )]
    }

    /// Samples stock rows. Orders reduce a row's quantity, and refills increase it. The number of
    /// refills follows from the total quantity ordered.
    fn stock(&mut self) -> Vec<Sample> {
        let Setup { behaviour, routines, sequence, .. } = self.setup;
        let kept =
            !behaviour.counters_frozen && !self.setup.style.stock_frozen && !routines.hammerdb;
        let rule: (_, RowRule) = ("s_quantity", follows_from_orders);
        let stale = self.setup.style.stock_plain && self.setup.style.stock_absolute;
        let rule = (kept && *sequence != Sequence::HammerDb && !stale).then_some(rule);
        let columns: Vec<Option<usize>> =
            [Some(1), None, None].into_iter().chain((3..13).map(Some)).chain([Some(16)]).collect();
        let one = |draw: &mut Self| {
            let w = draw.rng.between(1, draw.setup.warehouses);
            let first = draw.rng.between(1, ITEMS - STOCK_ROWS + 1);
            let slot = ((w - 1) * ITEMS + first - 1) as u64;
            let bound = [w, first, first + STOCK_ROWS - 1];
            let slots = slot..slot + STOCK_ROWS as u64;
            draw.sample((Statement::SampleStock, STOCK), &bound, slots, &columns, rule)
        };
        (0..RANGES).map(|_| one(self)).collect()
    }

    fn customers(&mut self) -> Vec<Sample> {
        // Selects the columns from the name to the phone number, the credit status and limit, and the discount.
        let columns: Vec<Option<usize>> =
            (2..12).chain(13..16).map(Some).chain([None, None]).collect();
        let uncounted = self.setup.style.counters != Counters::Both;
        let frozen = uncounted || self.setup.routines.hammerdb;
        let rule: RowRule =
            if frozen { good_credit_keeps_data } else { data_follows_from_payments };
        let one = |draw: &mut Self| {
            let (bound, slots) = draw.range(1..CUSTOMERS - CUSTOMER_ROWS + 2, CUSTOMER_ROWS);
            let rule = Some(("c_data", rule));
            draw.sample((Statement::SampleCustomers, CUSTOMER), &bound, slots, &columns, rule)
        };
        (0..RANGES).map(|_| one(self)).collect()
    }

    /// Samples orders. Half of the samples contain orders that were not delivered when they were loaded.
    fn orders(&mut self) -> Vec<Sample> {
        // The carrier changes when an order is delivered. It can therefore be compared only for orders that were loaded
        // as delivered.
        let orders = [2, 3, 5, 6, 4].map(Some);
        // HammerDB's tables may round amounts to integers, so do not compare amounts.
        let amount = (!self.setup.physical.hammerdb_tables).then_some(6);
        let lines = [Some(2), Some(3), Some(4), Some(7), Some(8), Some(9), amount];
        let mut samples = Vec::new();
        for at in 0..RANGES {
            let numbers = if at % 2 == 0 {
                1..FIRST_OPEN_ORDER - ORDER_ROWS
            } else {
                FIRST_OPEN_ORDER..CUSTOMERS - ORDER_ROWS + 2
            };
            let (bound, slots) = self.range(numbers, ORDER_ROWS);
            let table = (Statement::SampleOrders, ORDERS);
            let kept = if at % 2 == 0 { &orders[..] } else { &orders[..4] };
            samples.push(self.sample(table, &bound, slots.clone(), kept, None));
            let table = (Statement::SampleLines, ORDER_LINE);
            samples.push(self.sample(table, &bound, slots, &lines, None));
            if !self.setup.behaviour.line_amount_taxed
                && !self.setup.style.whole_amounts
                && !self.setup.routines.hammerdb
                && amount.is_some()
            {
                samples.push(entered(Statement::SampleAmounts, &bound[..2]));
            }
            if self.joins_stock() {
                samples.push(entered(Statement::SampleDistInfo, &bound[..2]));
            }
        }
        samples
    }

    /// Returns true if the text in an order line can be checked against the line's stock row with a join. This requires
    /// that the text was copied from the stock row.
    ///
    /// If the data is distributed over several nodes, rows of different warehouses cannot be joined.
    fn joins_stock(&self) -> bool {
        let Setup { sequence, routines, physical, .. } = self.setup;
        *sequence != Sequence::Apart && !routines.hammerdb && !physical.distributed
    }

    /// Samples warehouses and districts. Compares all columns except the totals and the next order number.
    fn places(&mut self) -> Vec<Sample> {
        let warehouse: Vec<Option<usize>> = [0].into_iter().chain(2..9).map(Some).collect();
        let district: Vec<Option<usize>> = [0, 1, 3].into_iter().chain(5..11).map(Some).collect();
        let warehouses = self.setup.warehouses;
        let ranges: Vec<(i64, i64)> = if warehouses <= ALL_WAREHOUSES {
            vec![(1, warehouses)]
        } else {
            let mut first = || self.rng.between(1, warehouses - WAREHOUSE_ROWS + 1);
            (0..RANGES).map(|_| first()).map(|w| (w, w + WAREHOUSE_ROWS - 1)).collect()
        };
        let both = |(first, last): (i64, i64)| {
            let tables = [
                (Statement::SampleWarehouses, WAREHOUSE, 1, &warehouse),
                (Statement::SampleDistricts, DISTRICT, DISTRICTS, &district),
            ];
            tables.map(|(statement, table, rows, columns)| {
                let slots = ((first - 1) * rows) as u64..(last * rows) as u64;
                self.sample((statement, table), &[first, last], slots, columns, None)
            })
        };
        ranges.into_iter().flat_map(both).collect()
    }

    /// Samples the payments of one district.
    fn history(&mut self) -> Sample {
        let w = self.rng.between(1, self.setup.warehouses);
        let d = self.rng.between(1, DISTRICTS);
        let judge = payment_notes::judge(Arc::clone(self.generator), w, d);
        Sample { statement: Statement::SampleHistory.into(), bound: numbers(&[w, d]), judge }
    }

    /// Draws a range of customers or orders. Returns the warehouse, the district, the first and
    /// last number, and the range of slots.
    fn range(&mut self, numbers: Range<i64>, rows: i64) -> ([i64; 4], Range<u64>) {
        let w = self.rng.between(1, self.setup.warehouses);
        let d = self.rng.between(1, DISTRICTS);
        let first = self.rng.between(numbers.start, numbers.end - 1);
        let slot = (((w - 1) * DISTRICTS + d - 1) * CUSTOMERS + first - 1) as u64;
        ([w, d, first, first + rows - 1], slot..slot + rows as u64)
    }

    fn sample(
        &self,
        (statement, table): (Statement, usize),
        bound: &[i64],
        slots: Range<u64>,
        columns: &[Option<usize>],
        rule: Option<(&'static str, RowRule)>,
    ) -> Sample {
        let generator = Arc::clone(self.generator);
        let rows = move || {
            let mut rows = Values::default();
            slots.clone().for_each(|slot| {
                generator.slot(table, slot, &mut rows);
            });
            rows
        };
        let width = crate::schema::schema(self.setup.variant()).tables[table].columns.len();
        let loaded =
            Loaded { rows: Box::new(rows), width, columns: columns.to_vec(), rule, gone: None };
        Sample { statement: statement.into(), bound: numbers(bound), judge: loaded.judge() }
    }
}

fn numbers(bound: &[i64]) -> Values {
    let mut values = Values::default();
    for number in bound {
        values.int(*number);
    }
    values
}

/// Returns a sample of a district's newest order lines. The sample's query returns only the lines that violate the
/// condition.
fn entered(statement: Statement, bound: &[i64]) -> Sample {
    let statement: StatementId = statement.into();
    Sample { statement, bound: numbers(bound), judge: Judge::NoRows }
}

/// Returns true if the orders account for the change in quantity. Each order subtracts the ordered
/// quantity, and each refill adds 91, clause 2.4.2.2.
fn follows_from_orders(found: Row<'_>, loaded: LoadedRow<'_>) -> bool {
    let (Ok(quantity), Ok(ordered), Value::Int(first)) =
        (found.number(1), found.number(2), loaded.get(2))
    else {
        return false;
    };
    ordered >= 0 && (quantity + ordered - first).rem_euclid(REFILL) == 0
}

/// Returns false if the data of a customer with good credit has changed, which no transaction may do.
fn good_credit_keeps_data(found: Row<'_>, loaded: LoadedRow<'_>) -> bool {
    loaded.get(13) != Value::Text(b"GC") || is_data(found, loaded, 0)
}

/// Returns true if the customer's data results from the payments. If the customer has bad credit, each payment inserts
/// a note before the data, and cuts off everything after 500 characters.
fn data_follows_from_payments(found: Row<'_>, loaded: LoadedRow<'_>) -> bool {
    let payments = found.number(13).unwrap_or(1).max(1) as usize - 1;
    match loaded.get(13) {
        Value::Text(b"GC") => is_data(found, loaded, 0),
        _ => (0..=payments * NOTE_MAX).take(501).any(|notes| is_data(found, loaded, notes)),
    }
}

/// Returns true if the data consists of `notes` characters of payment notes, followed by the loaded data.
fn is_data(found: Row<'_>, loaded: LoadedRow<'_>, notes: usize) -> bool {
    let (Ok(found), Value::Text(loaded)) = (found.text(14), loaded.get(20)) else { return false };
    match found.get(notes..) {
        Some(rest) if notes == 0 => rest == loaded,
        Some(rest) => {
            loaded.starts_with(rest) && (rest.len() == loaded.len() || found.len() == 500)
        }
        None => notes >= found.len(),
    }
}
