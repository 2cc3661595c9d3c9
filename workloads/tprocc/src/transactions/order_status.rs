//! Order-status, clause 2.6: reads a customer's last order.
//!
//! Start reading at [`OrderStatus::run`].

use tacho_core::{Result, Rng};
use tacho_driver::{Access, Exchange, Reply, Row};
use tacho_workload::Outcome;

use super::Person;
use crate::audit::Counts;
use crate::replies::{absent, show};
use crate::schema::DISTRICTS;
use crate::settings::{Position, Sequence};
use crate::setup::{Setup, Way};
use crate::statements::Statement;

/// Input and state of an order-status transaction.
#[derive(Clone, Debug, Default)]
pub struct OrderStatus {
    pub(super) person: Person,
    /// Customer number, which is either drawn or found by name.
    c: i64,
}

impl OrderStatus {
    /// Draws the inputs of an order-status transaction at warehouse `w`, clause 2.6.1.
    pub fn draw(&mut self, setup: &Setup, rng: &mut Rng, w: i64, counts: &mut Counts) {
        let d = rng.between(1, DISTRICTS);
        self.person.draw(setup, rng, w, d);
        counts.statuses += 1;
        counts.statuses_by_name += u64::from(self.person.by_name);
    }

    /// Runs the order-status transaction, clause 2.6.2.2.
    pub async fn run(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        match setup.way {
            Way::Statements if matches!(setup.sequence, Sequence::Apart | Sequence::HammerDb) => {
                self.apart(setup, exchange).await
            }
            Way::Statements => self.statements(setup, exchange).await,
            Way::Calls if setup.routines.hammerdb => self.call_hammerdb(setup, exchange).await,
            Way::Calls => self.call(setup, exchange).await,
        }
    }

    async fn statements(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        exchange.begin(Access::Read);
        self.c = self.person.c;
        if self.person.by_name {
            self.person.queue_search(exchange);
            let reply = exchange.send().await?;
            // The customer is at position n/2, rounded up, clause 2.6.2.2.
            let middle = at_position(Position::Ceil, reply, 0, Statement::CustomersByName)?;
            self.c = middle.number(0)?;
        }
        self.queue_customer(setup, exchange);
        let order = take_customer(setup, exchange.send().await?)?;
        let Person { w, d, .. } = self.person;
        if let Some(order) = order {
            exchange.execute(Statement::OrderLines).int(w).int(d).int(order);
        }
        exchange.commit();
        let reply = exchange.send().await?;
        if order.is_some() {
            take_lines(reply)?;
        }
        Ok(Outcome::Committed)
    }

    /// Returns true if a setting makes order-status display the order of a customer other than the one found by name.
    pub(super) fn looks_elsewhere(&self, setup: &Setup) -> bool {
        self.person.by_name && setup.behaviour.order_status_random_customer
    }

    fn queue_customer(&self, setup: &Setup, exchange: &mut Exchange) {
        let Person { w, d, .. } = self.person;
        exchange.execute(Statement::CustomerStatus).int(w).int(d).int(self.c);
        let orderer = if self.looks_elsewhere(setup) { self.person.c } else { self.c };
        exchange.execute(Statement::LastOrder).int(w).int(d).int(orderer);
    }
}

/// Returns the number of the customer at `position` among the rows of result `set`.
pub(super) fn at_position(
    position: Position,
    reply: &Reply,
    set: usize,
    statement: Statement,
) -> Result<Row<'_>> {
    let at = position.of(reply.rows(set));
    reply.get(set, at).ok_or_else(|| absent("customer", statement))
}

/// Reads the customer and returns the number of the customer's last order.
fn take_customer(setup: &Setup, reply: &Reply) -> Result<Option<i64>> {
    let customer = reply.one(0)?;
    show(customer.number(0)?);
    for column in 1..4 {
        show(customer.text(column)?);
    }
    take_last_order(setup, reply, 1)
}

/// Reads the last order and returns its number. The order's row is at `set`.
pub(super) fn take_last_order(setup: &Setup, reply: &Reply, set: usize) -> Result<Option<i64>> {
    let Some(order) = reply.get(set, 0) else { return no_order(setup, Statement::LastOrder) };
    show((order.number(1)?, order.maybe_number(2)?));
    order.number(0).map(Some)
}

/// Returns the result for a customer without an order. This is an error unless the load leaves some
/// customers without orders.
pub(super) fn no_order(setup: &Setup, statement: Statement) -> Result<Option<i64>> {
    let allowed = setup.population.independent_customers;
    if allowed { Ok(None) } else { Err(absent("order", statement)) }
}

pub(super) fn take_lines(reply: &Reply) -> Result<()> {
    if reply.rows(0) == 0 {
        return Err(absent("order line", Statement::OrderLines));
    }
    for line in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
        show((line.number(0)?, line.number(1)?, line.number(2)?));
        // HammerDB's routines leave some lines without an amount.
        show((line.maybe_number(3)?, line.maybe_number(4)?));
    }
    Ok(())
}
