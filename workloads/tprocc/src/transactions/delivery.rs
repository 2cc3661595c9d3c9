//! Delivery, clause 2.7: delivers each district's oldest undelivered order, all in one transaction.
//!
//! Clause 2.7.2 requires deliveries to be queued. Like comparable tools, this workload runs them immediately instead.
//!
//! Start reading at [`Delivery::run`].

use std::ops::RangeInclusive;

use tacho_core::{Error, ErrorKind, Result, Rng};
use tacho_driver::{Access, Exchange, Reply};
use tacho_workload::Outcome;

use crate::replies::{absent, wrote_one};
use crate::schema::DISTRICTS;
use crate::settings::Sequence;
use crate::setup::{Setup, Way};
use crate::statements::Statement;

/// Number of statements between finding an order and crediting its customer.
const PER_ORDER: usize = 2;
/// Maximum number of searches for an order in a district, in case other deliveries keep taking its orders first.
const SEARCHES_MAX: u32 = 20;

/// Input and state of a delivery.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub(super) w: i64,
    /// Carrier for all orders in the delivery, clause 2.7.1.2.
    pub carrier: i64,
    pub(super) delivered: i64,
    /// District of the session.
    pub(super) district: i64,
    pub(super) count: usize,
    pub(super) orders: [Open; DISTRICTS as usize],
    /// The orders as text.
    pub(super) rows: Vec<u8>,
    /// Number of orders that the last delivery took, or the largest possible number if the exact one is not known.
    pub moved: i64,
    /// Number of visited districts that had no undelivered order, since the start of the session.
    pub skipped: u64,
    /// Number of districts visited since the start of the session.
    pub visited: u64,
}

/// An order that is being delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    pub(super) d: i64,
    pub(super) o: i64,
    pub(super) c: i64,
    pub(super) total: i64,
    /// True if the order has already been deleted from `new_order`.
    pub(super) deleted: bool,
}

impl Delivery {
    /// Draws a delivery at warehouse `w`, clause 2.7.1.
    pub fn draw(&mut self, rng: &mut Rng, w: i64, delivered: i64, district: i64) {
        (self.w, self.delivered, self.district) = (w, delivered, district);
        self.carrier = rng.between(1, 10);
    }

    /// Runs the delivery, clause 2.7.4.2.
    pub async fn run(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        self.moved = DISTRICTS;
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

    async fn statements(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        exchange.begin(Access::Write);
        self.take_all(setup.behaviour.delivery_stops_at_empty, exchange).await?;
        self.queue_orders(exchange);
        self.take_orders(exchange.send().await?)?;
        self.queue_customers(setup, exchange);
        let reply = exchange.send().await?;
        for at in 0..self.count {
            wrote_one(reply, at, pay_statement(setup))?;
        }
        self.note(self.count as u64);
        Ok(Outcome::Committed)
    }

    /// Counts a delivery that visited all districts and found `delivered` orders.
    pub(super) fn note(&mut self, delivered: u64) {
        self.note_of(DISTRICTS as u64, delivered);
    }

    /// Counts a delivery that visited `districts` districts and found `delivered` orders.
    pub(super) fn note_of(&mut self, districts: u64, delivered: u64) {
        self.visited += districts;
        self.skipped += districts.saturating_sub(delivered);
    }

    /// Takes the oldest order in every district. Since all deliveries visit the districts in the
    /// same order, they cannot deadlock.
    ///
    /// The first order is taken separately. Its lock makes other deliveries in this warehouse wait,
    /// so the remaining orders can be taken in a single step.
    ///
    /// If the delivery must end at the first empty district, it takes the orders one by one, because it cannot put back
    /// an order that it should not have taken.
    async fn take_all(&mut self, stops_at_empty: bool, exchange: &mut Exchange) -> Result<()> {
        self.count = 0;
        for d in 1..=DISTRICTS {
            let before = self.count;
            self.take(d..=d, exchange).await?;
            let is_empty = self.count == before;
            if is_empty && stops_at_empty {
                break;
            }
            if !is_empty && !stops_at_empty && d < DISTRICTS {
                return self.take(d + 1..=DISTRICTS, exchange).await;
            }
        }
        Ok(())
    }

    /// Takes the oldest order in each of the given districts, if it has one.
    ///
    /// A search that had to wait for another delivery may miss orders that were entered meanwhile.
    /// A district that seems empty is therefore searched again.
    async fn take(
        &mut self,
        districts: RangeInclusive<i64>,
        exchange: &mut Exchange,
    ) -> Result<()> {
        let mut wanted = [false; DISTRICTS as usize];
        districts.for_each(|d| wanted[d as usize - 1] = true);
        for _ in 0..SEARCHES_MAX {
            queue_for(wanted, self.w, Statement::NewOrderTake, exchange);
            let first = self.count;
            self.keep_taken(&mut wanted, exchange.send().await?)?;
            self.delete_found(first, exchange).await?;
            if !wanted.contains(&true) {
                return Ok(());
            }
            queue_for(wanted, self.w, Statement::OldestNewOrder, exchange);
            let reply = exchange.send().await?;
            for (set, d) in chosen(wanted).enumerate() {
                wanted[d as usize - 1] = reply.one(set)?.maybe_number(0)?.is_some();
            }
            let Some(lost) = chosen(wanted).next() else { return Ok(()) };
            // If this transaction has locked an order in a later district, it must not wait for an order in this
            // district, because this could cause a deadlock.
            if self.orders[..self.count].iter().any(|open| open.d > lost) {
                break;
            }
        }
        Err(overtaken())
    }

    /// Stores the orders that were found and removes their districts from `wanted`.
    fn keep_taken(&mut self, wanted: &mut [bool; DISTRICTS as usize], reply: &Reply) -> Result<()> {
        for (set, d) in chosen(*wanted).enumerate() {
            let found = reply.get(set, 0).map(|row| row.maybe_number(0)).transpose()?.flatten();
            let Some(o) = found else { continue };
            let deleted = reply.affected(set) > 0;
            self.orders[self.count] = Open { d, o, deleted, ..Open::default() };
            self.count += 1;
            wanted[d as usize - 1] = false;
        }
        Ok(())
    }

    /// Deletes the orders from index `first` on, if the search has only locked them. Then sorts all
    /// orders by district.
    async fn delete_found(&mut self, first: usize, exchange: &mut Exchange) -> Result<()> {
        let found = &mut self.orders[first..self.count];
        for Open { d, o, .. } in found.iter().filter(|open| !open.deleted) {
            exchange.execute(Statement::NewOrderDelete).int(self.w).int(*d).int(*o);
        }
        let locked = found.iter().filter(|open| !open.deleted).count();
        if locked > 0 {
            let reply = exchange.send().await?;
            for set in 0..locked {
                if reply.affected(set) == 0 {
                    return Err(overtaken());
                }
            }
        }
        self.orders[..self.count].sort_unstable_by_key(|open| open.d);
        Ok(())
    }

    /// Stores the oldest order of each district that has an order.
    pub(super) fn keep_oldest(
        &mut self,
        stops_at_empty: bool,
        oldest: [Option<i64>; DISTRICTS as usize],
    ) {
        self.count = 0;
        for (d, oldest) in (1..).zip(oldest) {
            if let Some(o) = oldest {
                self.orders[self.count] = Open { d, o, ..Open::default() };
                self.count += 1;
            } else if stops_at_empty {
                break;
            }
        }
    }

    fn queue_orders(&mut self, exchange: &mut Exchange) {
        self.moved = self.count as i64;
        let w = self.w;
        for Open { d, o, .. } in self.orders[..self.count].iter().copied() {
            exchange.execute(Statement::OrderDeliver).int(w).int(d).int(o).int(self.carrier);
            let lines = exchange.execute(Statement::OrderLinesDeliver).int(w).int(d).int(o);
            lines.time(self.delivered);
        }
    }

    fn take_orders(&mut self, reply: &Reply) -> Result<()> {
        for (at, order) in self.orders[..self.count].iter_mut().enumerate() {
            let first = at * PER_ORDER;
            wrote_one(reply, first, Statement::OrderDeliver)?;
            order.c = reply.one(first)?.number(0)?;
            // An order without lines has no total.
            order.total = (reply.one(first + 1)?.maybe_number(0)?)
                .ok_or_else(|| absent("order line", Statement::OrderLinesDeliver))?;
        }
        Ok(())
    }

    fn queue_customers(&self, setup: &Setup, exchange: &mut Exchange) {
        for order in &self.orders[..self.count] {
            let update = exchange.execute(pay_statement(setup));
            update.int(self.w).int(order.d).int(order.c).decimal(order.total);
        }
        exchange.commit();
    }
}

/// Queues a statement for each district in `wanted`.
fn queue_for(
    wanted: [bool; DISTRICTS as usize],
    w: i64,
    statement: Statement,
    exchange: &mut Exchange,
) {
    chosen(wanted).for_each(|d| {
        exchange.execute(statement).int(w).int(d);
    });
}

/// Returns the numbers of the districts in `wanted`.
fn chosen(wanted: [bool; DISTRICTS as usize]) -> impl Iterator<Item = i64> {
    (1..).zip(wanted).filter_map(|(d, wanted)| wanted.then_some(d))
}

/// Returns the error for a delivery whose order was taken by another delivery, although its
/// district still has undelivered orders.
#[cold]
fn overtaken() -> Error {
    let text = "other deliveries processed every order that was found, but the district still has open orders";
    Error::new(ErrorKind::Serialization, text)
}

/// Returns the statement that updates the customer, with or without the counter.
fn pay_statement(setup: &Setup) -> Statement {
    if setup.behaviour.counters_frozen {
        Statement::CustomerDeliverFrozen
    } else {
        Statement::CustomerDeliver
    }
}
