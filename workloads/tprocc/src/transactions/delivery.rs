//! Delivery, clause 2.7: the oldest open order of each of the ten districts, in one transaction.
//!
//! It runs at once and not from a queue (clause 2.7.2 wants one), as all its peers do. Start
//! reading at [`Delivery::run`].

use tacho_core::{Result, Rng};
use tacho_driver::{Access, Exchange, Reply};
use tacho_workload::Outcome;

use crate::replies::{absent, wrote_one};
use crate::schema::DISTRICTS;
use crate::setup::{Sequence, Setup, Way};
use crate::statements::Statement;

/// Statements per order between finding and paying it.
const PER_ORDER: usize = 2;

/// Input and state of one delivery.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub(super) w: i64,
    pub(super) carrier: i64,
    pub(super) delivered: i64,
    pub(super) count: usize,
    pub(super) orders: [Open; DISTRICTS as usize],
    /// The orders as text.
    pub(super) rows: Vec<u8>,
    /// Districts that had no order for us, since the session began.
    pub skipped: u64,
    /// Districts looked at, since the session began.
    pub visited: u64,
}

/// An order that is being delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    pub(super) d: i64,
    pub(super) o: i64,
    pub(super) c: i64,
    pub(super) total: i64,
}

impl Delivery {
    /// Draws a delivery at warehouse `w`, clause 2.7.1.
    pub fn draw(&mut self, rng: &mut Rng, (w, delivered): (i64, i64)) {
        (self.w, self.delivered) = (w, delivered);
        self.carrier = rng.between(1, 10);
    }

    /// Runs it, clause 2.7.4.2.
    pub async fn run(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        match setup.way {
            Way::Statements => match setup.sequence {
                Sequence::Lines => self.statements(setup, exchange).await,
                Sequence::Orders => self.whole(setup, exchange).await,
                Sequence::HammerDb => self.client_sql(setup, exchange).await,
            },
            Way::Calls if setup.routines.hammerdb => self.call_hammerdb(setup, exchange).await,
            Way::Calls => self.call(setup, exchange).await,
        }
    }

    async fn statements(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        exchange.begin(Access::Write);
        for d in 1..=DISTRICTS {
            exchange.execute(Statement::OldestNewOrder).int(self.w).int(d);
        }
        let stops = setup.behaviour.delivery_stops_at_empty;
        self.take_oldest(stops, exchange.send().await?)?;
        for order in &self.orders[..self.count] {
            let delete = exchange.execute(Statement::NewOrderDelete);
            delete.int(self.w).int(order.d).int(order.o);
        }
        self.keep_deleted(exchange.send().await?);
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

    /// Notes how many of the districts had an order for us.
    pub(super) fn note(&mut self, delivered: u64) {
        self.visited += DISTRICTS as u64;
        self.skipped += (DISTRICTS as u64).saturating_sub(delivered);
    }

    fn take_oldest(&mut self, stops_at_empty: bool, reply: &Reply) -> Result<()> {
        let mut oldest = [None; DISTRICTS as usize];
        for (set, oldest) in oldest.iter_mut().enumerate() {
            *oldest = reply.one(set)?.maybe_number(0)?;
        }
        self.keep_oldest(stops_at_empty, oldest);
        Ok(())
    }

    /// Keeps the oldest orders of the districts that have one.
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

    /// Drops the orders that another delivery took between our look and our delete; the district
    /// is then skipped, clause 2.7.4.2.
    fn keep_deleted(&mut self, reply: &Reply) {
        let mut kept = 0;
        for at in 0..self.count {
            if reply.affected(at) == 1 {
                self.orders[kept] = self.orders[at];
                kept += 1;
            }
        }
        self.count = kept;
    }

    fn queue_orders(&self, exchange: &mut Exchange) {
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
            // Without a line there is no sum.
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

/// The update of the customer, with or without the counter.
fn pay_statement(setup: &Setup) -> Statement {
    if setup.behaviour.counters_frozen {
        Statement::CustomerDeliverFrozen
    } else {
        Statement::CustomerDeliver
    }
}
