//! Generates dbgen's rows, byte for byte, with the crate `tpchgen`.
//!
//! A slot consists of the rows that one scale step adds to a table.
//!
//! dbgen's generators can start at any row, so any worker can generate any slots in any order.
//!
//! The generators use dbgen's own seed and not Tacho's.
//!
//! Start reading at [`rows`].

use std::io::Write;
use std::ops::Range;

use tacho_driver::{RowSource, Values};
use tacho_workload::Slice;
use tpchgen::dates::TPCHDate;
use tpchgen::generators::{
    Customer, CustomerGenerator, LineItem, LineItemGenerator, Nation, NationGenerator, Order,
    OrderGenerator, Part, PartGenerator, PartSupp, PartSuppGenerator, Region, RegionGenerator,
    Supplier, SupplierGenerator,
};
use tpchgen::random::PhoneNumberInstance;

use crate::hammerdb::Deviations;
use crate::schema::{
    CUSTOMER, LINEITEM, NATION, ORDERS, PART, PARTSUPP, REFRESHES, REGION, SUPPLIER,
};

/// Number of rows in a batch.
const BATCH_ROWS: usize = 500;
const DAY_US: i64 = 86_400_000_000;
/// Factor that makes up for rounding errors. It is needed because the generators multiply the scale factor by a row
/// count and truncate the result.
const ABOVE: f64 = 1.0 + 1e-12;

/// Returns the scale factor for `steps` steps, as the generators expect it.
pub fn factor(steps: u64) -> f64 {
    steps as f64 / 100.0 * ABOVE
}

/// Returns the rows in `slice` for data with `steps` steps.
pub fn rows(steps: u64, slice: &Slice, deviations: Deviations) -> Box<dyn RowSource> {
    let slots = slice.slots.clone();
    let parts = Parts { factor: factor(steps), count: steps as i32, slots, deviations };
    match slice.table {
        REGION => parts.once(RegionGenerator::default().into_iter(), region),
        NATION => parts.once(NationGenerator::default().into_iter(), nation),
        REFRESHES => parts.once([1, 2].into_iter(), refresh),
        SUPPLIER => parts.all(|f, part, of| SupplierGenerator::new(f, part, of).iter(), supplier),
        CUSTOMER => parts.all(|f, part, of| CustomerGenerator::new(f, part, of).iter(), customer),
        PART => parts.all(|f, part, of| PartGenerator::new(f, part, of).iter(), part),
        PARTSUPP => parts.all(|f, part, of| PartSuppGenerator::new(f, part, of).iter(), partsupp),
        ORDERS => parts.all(|f, part, of| OrderGenerator::new(f, part, of).iter(), order),
        LINEITEM => parts.all(|f, part, of| LineItemGenerator::new(f, part, of).iter(), line),
        other => unreachable!("there is no table {other}"),
    }
}

/// A range of equally large parts of a table.
struct Parts {
    factor: f64,
    count: i32,
    slots: Range<u64>,
    deviations: Deviations,
}

/// A function that writes a row.
type RowWriter<T> = fn(&T, &Deviations, &mut Values);

impl Parts {
    /// Returns the rows of all parts, in the order of the parts.
    fn all<I: Iterator + Send + 'static>(
        self,
        make: impl Fn(f64, i32, i32) -> I + Send + 'static,
        write: RowWriter<I::Item>,
    ) -> Box<dyn RowSource> {
        let Self { factor, count, slots, deviations } = self;
        // The generators number the parts from 1.
        let rows = slots.flat_map(move |slot| make(factor, slot as i32 + 1, count));
        Box::new(Rows { source: rows, write, deviations })
    }

    /// Returns all rows of a table that consists of a single part.
    fn once<I: Iterator + Send + 'static>(
        self,
        rows: I,
        write: RowWriter<I::Item>,
    ) -> Box<dyn RowSource> {
        let rows = rows.take(if self.slots.is_empty() { 0 } else { usize::MAX });
        Box::new(Rows { source: rows, write, deviations: self.deviations })
    }
}

/// Generated rows, converted to values.
struct Rows<I: Iterator> {
    source: I,
    write: RowWriter<I::Item>,
    deviations: Deviations,
}

impl<I: Iterator + Send> RowSource for Rows<I> {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let mut made = 0;
        for row in self.source.by_ref().take(BATCH_ROWS) {
            (self.write)(&row, &self.deviations, rows);
            made += 1;
        }
        made
    }
}

/// Appends a value as text.
fn shown(rows: &mut Values, value: &impl std::fmt::Display) {
    // Writing to a `Vec` cannot fail.
    rows.text_with(|out| drop(write!(out, "{value}")));
}

/// Appends the phone number `other` or, if there is none, the generated one.
fn phone(other: Option<String>, phone: &PhoneNumberInstance, rows: &mut Values) {
    match other {
        Some(other) => rows.text(other.as_bytes()),
        None => shown(rows, phone),
    }
}

fn day(rows: &mut Values, date: TPCHDate) {
    rows.time(i64::from(date.to_unix_epoch()) * DAY_US);
}

fn region(row: &Region<'_>, _: &Deviations, rows: &mut Values) {
    rows.int(row.r_regionkey);
    rows.text(row.r_name.as_bytes());
    rows.text(row.r_comment.as_bytes());
}

fn nation(row: &Nation<'_>, deviations: &Deviations, rows: &mut Values) {
    rows.int(row.n_nationkey);
    rows.text(row.n_name.as_bytes());
    rows.int(deviations.region(row.n_name, row.n_regionkey));
    rows.text(row.n_comment.as_bytes());
}

fn supplier(row: &Supplier, deviations: &Deviations, rows: &mut Values) {
    rows.int(row.s_suppkey);
    shown(rows, &row.s_name);
    shown(rows, &row.s_address);
    rows.int(row.s_nationkey);
    phone(deviations.phone("supplier", row.s_suppkey), &row.s_phone, rows);
    rows.decimal(row.s_acctbal.into_inner());
    rows.text(deviations.comment(&row.s_comment).as_bytes());
}

fn customer(row: &Customer<'_>, deviations: &Deviations, rows: &mut Values) {
    rows.int(row.c_custkey);
    shown(rows, &row.c_name);
    shown(rows, &row.c_address);
    rows.int(row.c_nationkey);
    phone(deviations.phone("customer", row.c_custkey), &row.c_phone, rows);
    rows.decimal(row.c_acctbal.into_inner());
    rows.text(row.c_mktsegment.as_bytes());
    rows.text(row.c_comment.as_bytes());
}

fn part(row: &Part<'_>, deviations: &Deviations, rows: &mut Values) {
    rows.int(row.p_partkey);
    match deviations.part_name(row.p_partkey) {
        Some(name) => rows.text(name.as_bytes()),
        None => shown(rows, &row.p_name),
    }
    shown(rows, &row.p_mfgr);
    shown(rows, &row.p_brand);
    rows.text(row.p_type.as_bytes());
    rows.int(row.p_size.into());
    rows.text(row.p_container.as_bytes());
    rows.decimal(row.p_retailprice.into_inner());
    rows.text(row.p_comment.as_bytes());
}

fn partsupp(row: &PartSupp<'_>, _: &Deviations, rows: &mut Values) {
    rows.int(row.ps_partkey);
    rows.int(row.ps_suppkey);
    rows.int(row.ps_availqty.into());
    rows.decimal(row.ps_supplycost.into_inner());
    rows.text(row.ps_comment.as_bytes());
}

/// Appends the values of an order.
pub fn order(row: &Order<'_>, _: &Deviations, rows: &mut Values) {
    rows.int(row.o_orderkey);
    rows.int(row.o_custkey);
    rows.text(row.o_orderstatus.as_str().as_bytes());
    rows.decimal(row.o_totalprice.into_inner());
    day(rows, row.o_orderdate);
    rows.text(row.o_orderpriority.as_bytes());
    shown(rows, &row.o_clerk);
    rows.int(row.o_shippriority.into());
    rows.text(row.o_comment.as_bytes());
}

/// Appends the row in which a refresh function stores its progress. The row is in its initial state, before any
/// refresh.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as all rows are passed")]
fn refresh(function: &i64, _: &Deviations, rows: &mut Values) {
    rows.int(*function);
    (0..4).for_each(|_| rows.int(0));
}

/// Appends the values of a line.
pub fn line(row: &LineItem<'_>, _: &Deviations, rows: &mut Values) {
    rows.int(row.l_orderkey);
    rows.int(row.l_partkey);
    rows.int(row.l_suppkey);
    rows.int(row.l_linenumber.into());
    rows.decimal(row.l_quantity * 100);
    rows.decimal(row.l_extendedprice.into_inner());
    rows.decimal(row.l_discount.into_inner());
    rows.decimal(row.l_tax.into_inner());
    rows.text(row.l_returnflag.as_bytes());
    rows.text(row.l_linestatus.as_bytes());
    day(rows, row.l_shipdate);
    day(rows, row.l_commitdate);
    day(rows, row.l_receiptdate);
    rows.text(row.l_shipinstruct.as_bytes());
    rows.text(row.l_shipmode.as_bytes());
    rows.text(row.l_comment.as_bytes());
}
