//! The transactions as calls to Tacho's own routines. A call is one round trip and commits automatically.
//!
//! The routines themselves are in the SQL files. The code that calls them must never retry or repair anything.
//!
//! Start reading at [`NewOrder::call`].

use tacho_core::Result;
use tacho_driver::{Exchange, Row};
use tacho_workload::Outcome;

use super::delivery::Delivery;
use super::new_order::{Line, NewOrder};
use super::order_status::{OrderStatus, no_order};
use super::payment::Payment;
use super::stock_level::StockLevel;
use crate::replies::{push_number, show};
use crate::settings::Position;
use crate::setup::Setup;
use crate::statements::Statement;

/// Error codes that the routines raise when they roll back. SQLSTATE class TC is not used by any standard.
///
/// The code 50002 is used on databases where routines raise numeric errors.
const ROLLED_BACK: [&str; 2] = ["TC001", "50002"];

impl NewOrder {
    /// Calls the new-order routine, which returns no order number if it has rolled back.
    ///
    /// On some databases, a routine cannot roll back its transaction. Instead, it fails with one of the codes in
    /// [`ROLLED_BACK`].
    pub(super) async fn call(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        self.fill_arrays();
        let Self { w, d, c, entered, arrays: [items, supplies, quantities], .. } = &*self;
        let call = exchange.execute(Statement::CallNewOrder).int(*w).int(*d).int(*c);
        let call = call.time(*entered).text(items).text(supplies).text(quantities);
        let call = call.int(setup.behaviour.stock_reserve).int(counted(setup));
        call.int(i64::from(setup.behaviour.line_amount_taxed));
        let row = match exchange.send().await {
            Ok(reply) => reply.one(0)?,
            Err(error) if error.native_code().is_some_and(|code| ROLLED_BACK.contains(&code)) => {
                return Ok(Outcome::RolledBack);
            }
            Err(error) => return Err(error),
        };
        if row.maybe_number(0)?.is_none() {
            return Ok(Outcome::RolledBack);
        }
        show_numbers(row, &[1, 2, 3, 6])?;
        show_texts(row, &[4, 5, 7, 8, 9, 10])?;
        Ok(Outcome::Committed)
    }

    /// Writes the items, warehouses and quantities of all lines as arrays, such as `{5,7}`.
    fn fill_arrays(&mut self) {
        let fields: [fn(&Line) -> i64; 3] =
            [|line| line.item, |line| line.supply, |line| line.quantity];
        for (array, field) in self.arrays.iter_mut().zip(fields) {
            array.clear();
            for line in &self.lines[..self.count] {
                array.push(if array.is_empty() { b'{' } else { b',' });
                push_number(field(line), array);
            }
            array.push(b'}');
        }
    }
}

impl Payment {
    pub(super) async fn call(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        let (person, change) = (&self.person, self.change(setup));
        let call = exchange.execute(Statement::CallPayment).int(self.w).int(self.d);
        let call = call.int(person.w).int(person.d).int(person.c);
        let call = call.int(i64::from(person.by_name)).text(&person.last);
        // The routine adds the number of customers to this value and halves the sum. The result is the position of the
        // middle customer.
        let call = call.int(if setup.behaviour.by_name == Position::Floor { 2 } else { 1 });
        call.decimal(self.amount).decimal(change).int(counted(setup)).time(self.paid);
        let row = exchange.send().await?.one(0)?;
        show_numbers(row, &[0, 20, 22, 23, 24])?;
        show_texts(row, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])?;
        show_texts(row, &[21, 25])?;
        Ok(Outcome::Committed)
    }
}

impl OrderStatus {
    pub(super) async fn call(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        let (person, is_home) = (&self.person, !self.looks_elsewhere(setup));
        let call = exchange.execute(Statement::CallOrderStatus);
        let call = call.int(person.w).int(person.d).int(person.c);
        call.int(i64::from(person.by_name)).text(&person.last).int(i64::from(is_home));
        let row = exchange.send().await?.one(0)?;
        show_numbers(row, &[0, 1])?;
        show_texts(row, &[2, 3, 4])?;
        if row.maybe_number(5)?.is_none() {
            no_order(setup, Statement::CallOrderStatus)?;
            return Ok(Outcome::Committed);
        }
        show((row.number(6)?, row.maybe_number(7)?));
        show_texts(row, &[8, 9, 10, 11, 12])?;
        Ok(Outcome::Committed)
    }
}

impl Delivery {
    pub(super) async fn call(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        let call = exchange.execute(Statement::CallDelivery).int(self.w).int(self.carrier);
        let stops = i64::from(setup.behaviour.delivery_stops_at_empty);
        call.time(self.delivered).int(counted(setup)).int(stops);
        let delivered = exchange.send().await?.one(0)?.number(0)?;
        self.moved = delivered;
        self.note(delivered as u64);
        Ok(Outcome::Committed)
    }
}

impl StockLevel {
    pub(super) async fn call(&mut self, exchange: &mut Exchange) -> Result<Outcome> {
        let call = exchange.execute(Statement::CallStockLevel);
        call.int(self.w).int(self.d).int(self.threshold);
        show(exchange.send().await?.one(0)?.number(0)?);
        Ok(Outcome::Committed)
    }
}

/// Returns 1 if the routine must update totals and counters, and 0 otherwise.
pub(super) fn counted(setup: &Setup) -> i64 {
    i64::from(!setup.behaviour.counters_frozen)
}

/// Reads the numbers in the given columns. Fails if one of them is NULL.
fn show_numbers(row: Row<'_>, columns: &[usize]) -> Result<()> {
    for column in columns {
        show(row.number(*column)?);
    }
    Ok(())
}

/// Reads the strings in the given columns. Fails if one of them is NULL.
fn show_texts(row: Row<'_>, columns: &[usize]) -> Result<()> {
    for column in columns {
        show(row.text(*column)?);
    }
    Ok(())
}
