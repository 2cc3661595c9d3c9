//! Variants of the transactions in which one statement processes all lines of an order, or all orders of a delivery.
//!
//! These variants take a third of the round trips, and correspondingly less CPU time in the client.
//!
//! These statements lock, write and read rows in the same order as the line-by-line statements.
//!
//! Start reading at [`NewOrder::whole`].

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Reply};
use tacho_workload::Outcome;

use super::calls::counted;
use super::delivery::Delivery;
use super::new_order::{Line, NewOrder, order_is_written};
use super::payment::Payment;
use super::rows::{Field, push_rows};
use crate::replies::{absent, wrote};
use crate::schema::DISTRICTS;
use crate::setup::Setup;
use crate::statements::Statement;

impl NewOrder {
    /// Runs new-order with one statement for all lines. If two lines need the same stock row, the
    /// order is run line by line, because a single statement would write the row only once.
    pub(super) async fn whole(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        if self.repeats() {
            return self.statements(setup, exchange).await;
        }
        self.queue_whole_stock(setup, exchange);
        self.take_whole_stock(exchange.send().await?)?;
        self.queue_order(exchange);
        let lines = self.queue_whole_lines(setup, exchange);
        let outcome = self.queue_end(lines, exchange);
        let reply = exchange.send().await?;
        order_is_written(reply)?;
        wrote(reply, 2, lines as u64, Statement::OrderLinesInsert)?;
        Ok(outcome)
    }

    fn repeats(&self) -> bool {
        let lines = &self.lines[..self.count];
        let same = |at: usize, (w, i): (i64, i64)| {
            lines[..at].iter().any(|line| (line.supply, line.item) == (w, i))
        };
        lines.iter().enumerate().any(|(at, line)| same(at, (line.supply, line.item)))
    }

    fn queue_whole_stock(&mut self, setup: &Setup, exchange: &mut Exchange) {
        let Self { w, d, c, count, lines, arrays: [text, ..], .. } = self;
        let (w, d) = (*w, *d);
        let row = |line: &Line| {
            let remote = i64::from(line.supply != w);
            [line.supply, line.item, line.quantity, remote].map(Field::Number)
        };
        push_rows(lines[..*count].iter().map(row), text);
        exchange.begin(Access::Write);
        exchange.execute(Statement::DistrictAdvance).int(w).int(d);
        exchange.execute(Statement::OrderShown).int(w).int(d).int(*c);
        let take = exchange.execute(Statement::StockTakeLines).text(text);
        take.int(setup.behaviour.stock_reserve).int(counted(setup));
        exchange.execute(Statement::StockLines).text(text).int(d);
    }

    fn take_whole_stock(&mut self, reply: &Reply) -> Result<()> {
        wrote(reply, 0, 1, Statement::DistrictAdvance)?;
        let shown = reply.one(1)?;
        self.take_district(shown)?;
        self.take_terms(shown, 2)?;
        let found = reply.rows(3);
        wrote(reply, 2, found as u64, Statement::StockTakeLines)?;
        let lines = &mut self.lines[..self.count];
        for line in lines.iter_mut() {
            line.price = None;
        }
        for row in (0..found).filter_map(|row| reply.get(3, row)) {
            let number = row.number(0)? as usize;
            let line = number.checked_sub(1).and_then(|at| lines.get_mut(at));
            line.ok_or_else(|| absent("line", Statement::StockLines))?.keep(row, 1)?;
        }
        let known = |line: &Line| line.price.is_some() || line.is_unused();
        if lines.iter().all(known) { Ok(()) } else { Err(absent("item", Statement::StockLines)) }
    }

    fn queue_whole_lines(&mut self, setup: &Setup, exchange: &mut Exchange) -> usize {
        let mut text = std::mem::take(&mut self.arrays[0]);
        let mut queued = 0;
        let rows = self.priced_lines(setup).map(|(number, line, amount)| {
            queued += 1;
            let [number, item, supply, quantity, amount] =
                [number, line.item, line.supply, line.quantity, amount].map(Field::Number);
            [number, item, supply, quantity, amount, Field::Text(line.dist_info())]
        });
        push_rows(rows, &mut text);
        let insert = exchange.execute(Statement::OrderLinesInsert).int(self.w).int(self.d);
        insert.int(self.order).text(&text);
        self.arrays[0] = text;
        self.show_total();
        queued
    }
}

impl Payment {
    /// Runs payment. Locks the warehouse, the district and the customer, in this order, and then
    /// reads all three in one statement.
    pub(super) async fn whole(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        exchange.begin(Access::Write);
        exchange.execute(Statement::PlacesPay).int(self.w).int(self.d).decimal(self.amount);
        self.c = self.person.c;
        let mut first = 1;
        if self.person.by_name {
            self.person.queue_search(exchange);
            let reply = exchange.send().await?;
            wrote(reply, 0, 2, Statement::PlacesPay)?;
            self.pick(setup, reply, 1)?;
            first = 0;
        }
        self.queue_whole_customer(setup, exchange);
        let reply = exchange.send().await?;
        if first > 0 {
            wrote(reply, 0, 2, Statement::PlacesPay)?;
        }
        wrote(reply, first, 1, Statement::CustomerPayRow)?;
        let shown = reply.one(first + 1)?;
        self.take_place((shown, 0), (shown, 6))?;
        self.take_customer(shown, 12)?;
        self.end(exchange).await
    }

    fn queue_whole_customer(&self, setup: &Setup, exchange: &mut Exchange) {
        let (w, d, c) = (self.person.w, self.person.d, self.c);
        let pay = exchange.execute(Statement::CustomerPayRow).int(w).int(d).int(c);
        pay.decimal(self.change(setup)).decimal(self.amount).int(counted(setup));
        let shown = exchange.execute(Statement::PaymentShown).int(self.w).int(self.d);
        shown.int(w).int(d).int(c);
    }
}

impl Delivery {
    pub(super) async fn whole(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        exchange.begin(Access::Write);
        exchange.execute(Statement::OldestNewOrders).int(self.w);
        let stops = setup.behaviour.delivery_stops_at_empty;
        self.take_whole_oldest(stops, exchange.send().await?)?;
        self.moved = self.count as i64;
        if self.count > 0 {
            self.queue_whole_orders(exchange);
            self.take_whole_orders(exchange.send().await?)?;
            self.queue_whole_customers(setup, exchange);
        }
        exchange.commit();
        let reply = exchange.send().await?;
        if self.count > 0 {
            wrote(reply, 0, self.count as u64, Statement::CustomersDeliver)?;
        }
        self.note(self.count as u64);
        Ok(Outcome::Committed)
    }

    fn take_whole_oldest(&mut self, stops_at_empty: bool, reply: &Reply) -> Result<()> {
        let mut oldest = [None; DISTRICTS as usize];
        for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
            let d = row.number(0)? as usize;
            let place = d.checked_sub(1).and_then(|at| oldest.get_mut(at));
            *place.ok_or_else(|| absent("district", Statement::OldestNewOrders))? =
                row.maybe_number(1)?;
        }
        self.keep_oldest(stops_at_empty, oldest);
        Ok(())
    }

    fn queue_whole_orders(&mut self, exchange: &mut Exchange) {
        let Self { w, carrier, delivered, count, orders, rows, .. } = self;
        push_rows(orders[..*count].iter().map(|open| [open.d, open.o].map(Field::Number)), rows);
        exchange.execute(Statement::NewOrdersDelete).int(*w).text(rows);
        exchange.execute(Statement::OrdersDeliver).int(*w).text(rows).int(*carrier);
        exchange.execute(Statement::LinesDeliver).int(*w).text(rows).time(*delivered);
        exchange.execute(Statement::OrdersDelivered).int(*w).text(rows);
    }

    /// Checks and reads the delivered orders. All of them must exist, because other deliveries
    /// cannot take an order that this one has locked.
    fn take_whole_orders(&mut self, reply: &Reply) -> Result<()> {
        let count = self.count as u64;
        wrote(reply, 0, count, Statement::NewOrdersDelete)?;
        wrote(reply, 1, count, Statement::OrdersDeliver)?;
        let line = || absent("order line", Statement::OrdersDelivered);
        if reply.rows(3) != self.count {
            return Err(line());
        }
        let found = (0..self.count).filter_map(|row| reply.get(3, row));
        for (open, row) in self.orders[..self.count].iter_mut().zip(found) {
            if row.number(0)? != open.d {
                return Err(line());
            }
            (open.c, open.total) = (row.number(1)?, row.maybe_number(2)?.ok_or_else(line)?);
        }
        Ok(())
    }

    fn queue_whole_customers(&mut self, setup: &Setup, exchange: &mut Exchange) {
        let Self { w, count, orders, rows, .. } = self;
        let paid = orders[..*count].iter().map(|open| [open.d, open.c, open.total]);
        push_rows(paid.map(|row| row.map(Field::Number)), rows);
        exchange.execute(Statement::CustomersDeliver).int(*w).text(rows).int(counted(setup));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_stock_that_two_lines_name_is_noticed() {
        let mut order = NewOrder { count: 3, ..NewOrder::default() };
        for (line, (supply, item)) in order.lines.iter_mut().zip([(1, 7), (2, 7), (1, 8)]) {
            (line.supply, line.item) = (supply, item);
        }
        assert!(!order.repeats());
        order.lines[2].item = 7;
        assert!(order.repeats());
        // Only the first `count` lines belong to the order. The others are left over from an earlier order, and must be
        // ignored.
        order.count = 2;
        assert!(!order.repeats());
    }
}
