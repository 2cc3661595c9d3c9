//! New-order, clause 2.4: enters an order of 5 to 15 lines. One in a hundred has an unused item and is rolled back.
//!
//! The database must detect the unused item, not the client, clause 2.4.2.3.
//!
//! Start reading at [`NewOrder::run`].

use tacho_core::{Result, Rng};
use tacho_driver::{Access, Exchange, Reply, Row};
use tacho_workload::Outcome;

use super::customer;
use crate::audit::Counts;
use crate::homes::other_warehouse;
use crate::replies::{absent, show, wrote_one};
use crate::schema::{DISTRICTS, ITEMS};
use crate::settings::{Remote, Sequence, Unused};
use crate::setup::{Setup, Way};
use crate::statements::Statement;

/// Maximum number of lines in an order.
const LINES: usize = 15;
/// Length of `ol_dist_info` in characters.
const DIST_INFO: usize = 24;
/// An item that no database contains, clause 2.4.1.5. This item sorts after all others.
const UNUSED_ITEM: i64 = ITEMS + 1;
/// The number 1 in the format of the rates, which are integers with four decimal places.
const ONE: i64 = 10_000;

/// Input and state of a new-order transaction.
#[derive(Clone, Debug, Default)]
pub struct NewOrder {
    pub(super) w: i64,
    pub(super) d: i64,
    pub(super) c: i64,
    pub(super) entered: i64,
    pub(super) count: usize,
    pub(super) lines: [Line; LINES],
    /// True if the order must be marked as remote, even if all of its lines are supplied locally.
    pub(super) flagged: bool,
    pub(super) order: i64,
    /// The rates `w_tax`, `d_tax` and `c_discount`, each with four decimal places.
    pub(super) rates: Rates,
    /// Text buffers for the items, the supplying warehouses, and the quantities of all lines. If a statement takes
    /// these as a single argument, only the first buffer is used.
    pub(super) arrays: [Vec<u8>; 3],
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    w_tax: i64,
    d_tax: i64,
    discount: i64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) item: i64,
    pub(super) supply: i64,
    pub(super) quantity: i64,
    /// Price returned by the database, or `None` if the item does not exist.
    pub(super) price: Option<i64>,
    /// Stock quantity that was read.
    pub(super) found: i64,
    dist_info: [u8; DIST_INFO],
    dist_length: u8,
}

impl NewOrder {
    /// Draws an order at warehouse `w`, clause 2.4.1.
    pub fn draw(
        &mut self,
        setup: &Setup,
        rng: &mut Rng,
        w: i64,
        entered: i64,
        counts: &mut Counts,
    ) {
        (self.w, self.entered) = (w, entered);
        self.d = rng.between(1, DISTRICTS);
        self.c = customer(setup, rng);
        self.count = rng.between(setup.behaviour.lines_min, 15) as usize;
        counts.new_orders += 1;
        counts.lines += self.count as u64;
        if !setup.draws_in_server() {
            self.draw_lines(setup, rng, counts);
        }
    }

    fn draw_lines(&mut self, setup: &Setup, rng: &mut Rng, counts: &mut Counts) {
        let unused = rng.below(setup.behaviour.rollback_one_in) == 0;
        self.flagged = false;
        for at in 0..self.count {
            self.flagged |= self.lines[at].draw(setup, rng, self.w);
            while setup.behaviour.distinct_items && self.has_twice(at) {
                self.lines[at].draw_item(setup, rng);
            }
        }
        self.place_unused(setup, unused);
        counts.unused_items += u64::from(unused);
        counts.remote_lines += self.remote_lines() as u64;
    }

    /// Returns true if an earlier line has the same item as this one.
    fn has_twice(&self, at: usize) -> bool {
        self.lines[..at].iter().any(|line| line.item == self.lines[at].item)
    }

    /// Places the unused item and sorts the lines, as the settings require. Depending on the
    /// setting, the item is placed before or after sorting.
    fn place_unused(&mut self, setup: &Setup, unused: bool) {
        let last = self.count - 1;
        let place = match setup.behaviour.unused {
            Unused::Last => Some(last),
            Unused::LastButOne => Some(last - 1),
            Unused::Sorted => None,
        };
        if unused && place.is_none() {
            self.lines[last].item = UNUSED_ITEM;
        }
        if setup.behaviour.sort_lines {
            let sorted = if unused { place.unwrap_or(self.count) } else { self.count };
            self.lines[..sorted].sort_unstable_by_key(|line| (line.supply, line.item));
        }
        if let Some(place) = place.filter(|_| unused) {
            self.lines[place].item = UNUSED_ITEM;
        }
    }

    /// Clears the results of the previous execution.
    pub(super) fn forget(&mut self) {
        self.lines.iter_mut().for_each(|line| line.price = None);
    }

    fn remote_lines(&self) -> usize {
        self.lines[..self.count].iter().filter(|line| line.supply != self.w).count()
    }

    pub fn customer(&self) -> i64 {
        self.c
    }

    /// Runs new-order, clause 2.4.2.2. If the order contains the unused item, all other lines are
    /// executed and then rolled back, clause 2.4.2.3.
    pub async fn run(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        match setup.way {
            Way::Statements => match setup.sequence {
                Sequence::Lines => self.statements(setup, exchange).await,
                Sequence::Orders => self.whole(setup, exchange).await,
                Sequence::Apart | Sequence::HammerDb => self.apart(setup, exchange).await,
            },
            Way::Calls if setup.routines.hammerdb => self.call_hammerdb(setup, exchange).await,
            Way::Calls => self.call(setup, exchange).await,
        }
    }

    /// Runs the statements line by line.
    ///
    /// The district is updated before the stock, so that all new-order transactions lock rows in the same order.
    ///
    /// A second batch contains the statements that need the order number.
    pub(super) async fn statements(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        self.queue_stock(setup, exchange);
        self.take_stock(setup, exchange.send().await?)?;
        self.queue_order(exchange);
        let lines = self.queue_lines(setup, exchange);
        let outcome = self.queue_end(lines, exchange);
        let reply = exchange.send().await?;
        order_is_written(reply)?;
        for set in 0..lines {
            wrote_one(reply, 2 + set, Statement::OrderLineInsert)?;
        }
        Ok(outcome)
    }

    /// Queues a commit if all lines were queued, and a rollback otherwise. Returns the corresponding outcome.
    pub(super) fn queue_end(&self, lines: usize, exchange: &mut Exchange) -> Outcome {
        if lines == self.count {
            exchange.commit();
            Outcome::Committed
        } else {
            exchange.rollback();
            Outcome::RolledBack
        }
    }

    fn queue_stock(&self, setup: &Setup, exchange: &mut Exchange) {
        let Self { w, d, c, .. } = *self;
        exchange.begin(Access::Write);
        exchange.execute(Statement::OrderTerms).int(w).int(d).int(c);
        exchange.execute(Statement::DistrictTakeOrder).int(w).int(d);
        for line in &self.lines[..self.count] {
            line.queue_stock(setup, exchange, w, d);
        }
    }

    fn take_stock(&mut self, setup: &Setup, reply: &Reply) -> Result<()> {
        wrote_one(reply, 1, Statement::DistrictTakeOrder)?;
        self.take_district(reply.one(1)?)?;
        self.take_terms(reply.one(0)?, 0)?;
        let taken = stock_statement(setup);
        for (at, line) in self.lines[..self.count].iter_mut().enumerate() {
            line.take_stock(reply, 2 + at, taken)?;
        }
        Ok(())
    }

    /// Stores the order number and the district's tax rate.
    pub(super) fn take_district(&mut self, row: Row<'_>) -> Result<()> {
        (self.order, self.rates.d_tax) = (row.number(0)?, row.number(1)?);
        Ok(())
    }

    /// Stores the customer's discount from the first result, and the warehouse's tax rate from the second.
    pub(super) fn take_separate_terms(&mut self, reply: &Reply) -> Result<()> {
        let customer = reply.one(0)?;
        self.rates.discount = customer.number(0)?;
        show((customer.text(1)?, customer.text(2)?));
        self.rates.w_tax = reply.one(1)?.number(0)?;
        Ok(())
    }

    /// Stores the warehouse's tax rate from column `first`, and the customer's discount, name and credit status after
    /// it.
    pub(super) fn take_terms(&mut self, row: Row<'_>, first: usize) -> Result<()> {
        (self.rates.w_tax, self.rates.discount) = (row.number(first)?, row.number(first + 1)?);
        show((row.text(first + 2)?, row.text(first + 3)?));
        Ok(())
    }

    pub(super) fn queue_order(&self, exchange: &mut Exchange) {
        let Self { w, d, c, order, .. } = *self;
        let local = i64::from(self.remote_lines() == 0 && !self.flagged);
        let insert = exchange.execute(Statement::OrderInsert).int(w).int(d).int(order).int(c);
        insert.int(self.count as i64).int(local).time(self.entered);
        exchange.execute(Statement::NewOrderInsert).int(w).int(d).int(order);
    }

    /// Queues the lines whose items exist, and returns the number of these lines.
    fn queue_lines(&self, setup: &Setup, exchange: &mut Exchange) -> usize {
        let Self { w, d, order, .. } = *self;
        let mut queued = 0;
        for (number, line, amount) in self.priced_lines(setup) {
            let insert = exchange.execute(Statement::OrderLineInsert).int(w).int(d).int(order);
            let insert = insert.int(number).int(line.item).int(line.supply).int(line.quantity);
            insert.decimal(amount).text(line.dist_info());
            queued += 1;
        }
        self.show_total();
        queued
    }

    /// Returns the lines whose items exist, each with its line number and amount.
    pub(super) fn priced_lines(&self, setup: &Setup) -> impl Iterator<Item = (i64, &Line, i64)> {
        let taxed = setup.behaviour.line_amount_taxed;
        let known = self.lines[..self.count].iter().filter_map(|line| Some((line, line.cents()?)));
        known.zip(1..).map(move |((line, cents), number)| {
            (number, line, if taxed { self.rates.total(cents) } else { cents })
        })
    }

    /// Computes the order's total amount, which a terminal would display.
    pub(super) fn show_total(&self) {
        let lines = self.lines[..self.count].iter();
        show(self.rates.total(lines.filter_map(Line::cents).sum()));
    }
}

/// Fails unless the first two statements wrote the order.
pub(super) fn order_is_written(reply: &Reply) -> Result<()> {
    wrote_one(reply, 0, Statement::OrderInsert)?;
    wrote_one(reply, 1, Statement::NewOrderInsert)
}

/// Returns the statement that updates stock, with or without the counters.
fn stock_statement(setup: &Setup) -> Statement {
    if setup.behaviour.counters_frozen { Statement::StockTakeFrozen } else { Statement::StockTake }
}

impl Rates {
    /// Returns an amount with eight more decimal places than cents, so that nothing is rounded. If `taxed` is true, the
    /// amount includes taxes and the discount.
    pub(super) fn exact(self, cents: i64, taxed: bool) -> i64 {
        let factor = (ONE - self.discount) * (ONE + self.w_tax + self.d_tax);
        cents * if taxed { factor } else { ONE * ONE }
    }

    /// Returns an amount in cents with taxes and discount, rounded half up, clause 2.4.2.2.
    pub(super) fn total(self, cents: i64) -> i64 {
        let factor = (ONE - self.discount) * (ONE + self.w_tax + self.d_tax);
        let unit = i128::from(ONE * ONE);
        ((i128::from(cents) * i128::from(factor) + unit / 2) / unit) as i64
    }
}

impl Line {
    /// Draws the item, the quantity and the supplying warehouse. One line in a hundred is supplied by a different
    /// warehouse, clause 2.4.1.5.
    ///
    /// Returns true if this line only marks its order as remote.
    fn draw(&mut self, setup: &Setup, rng: &mut Rng, w: i64) -> bool {
        self.draw_item(setup, rng);
        self.quantity = rng.between(1, 10);
        let remote = rng.between(1, 100) == 1;
        let elsewhere = remote && setup.behaviour.remote_lines == Remote::Warehouse;
        self.supply = if elsewhere { other_warehouse(rng, w, setup.warehouses) } else { w };
        remote && setup.behaviour.remote_lines == Remote::Near
    }

    fn draw_item(&mut self, setup: &Setup, rng: &mut Rng) {
        self.item = if setup.behaviour.uniform_item {
            rng.between(1, ITEMS)
        } else {
            setup.constants.item(rng)
        };
    }

    fn queue_stock(&self, setup: &Setup, exchange: &mut Exchange, w: i64, d: i64) {
        let Self { item, supply, quantity, .. } = *self;
        let keep = quantity + setup.behaviour.stock_reserve;
        let update = exchange.execute(stock_statement(setup));
        let update = update.int(supply).int(item).int(quantity).int(keep).int(d);
        if !setup.behaviour.counters_frozen {
            update.int(i64::from(supply != w));
        }
    }

    /// Stores the price and the district string of the line's item. Fails if an item other than the
    /// unused one does not exist.
    fn take_stock(&mut self, reply: &Reply, set: usize, taken: Statement) -> Result<()> {
        let Some(row) = reply.get(set, 0) else {
            self.price = None;
            return if self.is_unused() { Ok(()) } else { Err(absent("item", taken)) };
        };
        wrote_one(reply, set, taken)?;
        self.keep(row, 0)
    }

    /// Returns true if no database contains the item.
    pub(super) fn is_unused(&self) -> bool {
        self.item > ITEMS
    }

    /// Returns the line's amount in cents without taxes, or `None` if its item does not exist.
    pub(super) fn cents(&self) -> Option<i64> {
        self.price.map(|price| price * self.quantity)
    }

    pub(super) fn dist_info(&self) -> &[u8] {
        &self.dist_info[..usize::from(self.dist_length)]
    }

    /// Stores the price and the district string. A line's values start at column `first` of the row.
    pub(super) fn keep(&mut self, row: Row<'_>, first: usize) -> Result<()> {
        self.price = Some(row.number(first)?);
        let original = has_mark(row.text(first + 2)?) && has_mark(row.text(first + 4)?);
        let brand = if original { b'B' } else { b'G' };
        show((row.text(first + 1)?, row.number(first + 3)?, brand));
        self.keep_dist_info(row.text(first + 5)?);
        Ok(())
    }

    pub(super) fn keep_dist_info(&mut self, dist_info: &[u8]) {
        let length = dist_info.len().min(DIST_INFO);
        self.dist_info[..length].copy_from_slice(&dist_info[..length]);
        self.dist_length = length as u8;
    }
}

/// Returns true if the text contains the mark defined in clause 4.3.3.1.
fn has_mark(text: &[u8]) -> bool {
    text.windows(8).any(|part| part == b"ORIGINAL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_include_taxes_and_discount() {
        let rates = Rates { w_tax: 1_000, d_tax: 500, discount: 2_000 };
        assert_eq!(rates.total(10_000), 9_200);
        assert_eq!(rates.total(1), 1);
        assert_eq!(Rates { discount: 5_000, ..Rates::default() }.total(1), 1);
        assert_eq!(Rates { discount: 5_001, ..Rates::default() }.total(1), 0);
    }

    #[test]
    fn the_mark_is_found_anywhere() {
        assert!(has_mark(b"ORIGINAL") && has_mark(b"xxORIGINALy"));
        assert!(!has_mark(b"original") && !has_mark(b"ORIGINA") && !has_mark(b"noop"));
    }
}
