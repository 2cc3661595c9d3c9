//! Statements for several rows: for all items, stock rows and lines of an order, or for all orders of a delivery.
//!
//! A new-order transaction with n lines has n + 10 statements. A delivery of ten orders has 27.

use tacho_core::Result;
use tacho_driver::{Exchange, Reply, StatementId};

use super::super::delivery::Delivery;
use super::super::new_order::NewOrder;
use super::wrote_each;
use crate::lists::LENGTHS;
use crate::replies::{absent, show, wrote, wrote_one};
use crate::schema::DISTRICTS;
use crate::setup::Setup;
use crate::statements::Statement;

impl NewOrder {
    /// Reads all items, updates all stock rows, and writes all lines. Returns true if every item exists.
    pub(super) async fn lists(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<bool> {
        let items = exchange.execute(of_length(Statement::ItemsRead5, self.count));
        self.lines[..self.count].iter().fold(items, |items, line| items.int(line.item));
        self.take_items(exchange.send().await?)?;
        let missing = self.lines[..self.count].iter().find(|line| line.price.is_none());
        if let Some(line) = missing {
            let unused = line.is_unused();
            return if unused { Ok(false) } else { Err(absent("item", Statement::ItemsRead5)) };
        }
        let stock = exchange.execute(of_length(Statement::StockLock5, self.count)).int(self.w);
        self.lines[..self.count].iter().fold(stock, |stock, line| stock.int(line.item));
        self.take_listed_stock(exchange.send().await?)?;
        let mut written = [Statement::StockWrite; 15];
        for (at, written) in written.iter_mut().enumerate().take(self.count) {
            *written = self.queue_stock_write(at, setup, exchange);
        }
        wrote_each(exchange.send().await?, &written[..self.count])?;
        let insert = exchange.execute(of_length(Statement::LinesInsert5, self.count));
        let insert = insert.int(self.w).int(self.d).int(self.order);
        self.lines[..self.count].iter().fold(insert, |insert, line| {
            let insert = insert.int(line.item).int(line.supply).int(line.quantity);
            insert.decimal(self.amount(line, setup)).text(line.dist_info())
        });
        wrote(exchange.send().await?, 0, self.count as u64, Statement::LinesInsert5)?;
        Ok(true)
    }

    fn take_items(&mut self, reply: &Reply) -> Result<()> {
        for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
            let (item, price) = (row.number(0)?, row.number(1)?);
            show((row.text(2)?, row.text(3)?));
            let lines = self.lines[..self.count].iter_mut().filter(|line| line.item == item);
            lines.for_each(|line| line.price = Some(price));
        }
        Ok(())
    }

    fn take_listed_stock(&mut self, reply: &Reply) -> Result<()> {
        let mut found = 0;
        for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
            let item = row.number(0)?;
            show(row.text(2)?);
            for line in self.lines[..self.count].iter_mut().filter(|line| line.item == item) {
                line.found = row.number(1)?;
                line.keep_dist_info(row.text(2 + self.d as usize)?);
                found += 1;
            }
        }
        if found == self.count { Ok(()) } else { Err(absent("stock", Statement::StockLock5)) }
    }
}

impl Delivery {
    /// Delivers all orders that were found.
    pub(super) async fn deliver_listed(&mut self, exchange: &mut Exchange) -> Result<()> {
        let numbers = self.numbers();
        let listed = |exchange: &mut Exchange, statement: Statement, before: &[i64], w| {
            let call = exchange.execute(statement).int(w);
            let call = before.iter().fold(call, |call, value| call.int(*value));
            numbers.iter().fold(call, |call, o| call.int(*o));
        };
        let count = self.count as u64;
        listed(exchange, Statement::OpenOrdersDelete, &[], self.w);
        listed(exchange, Statement::OpenOrdersCarry, &[self.carrier], self.w);
        listed(exchange, Statement::OpenOrdersRead, &[], self.w);
        let date = exchange.execute(Statement::OpenLinesDate).int(self.w).time(self.delivered);
        numbers.iter().fold(date, |date, o| date.int(*o));
        listed(exchange, Statement::OpenLinesSum, &[], self.w);
        let reply = exchange.send().await?;
        wrote(reply, 0, count, Statement::OpenOrdersDelete)?;
        wrote(reply, 1, count, Statement::OpenOrdersCarry)?;
        self.take_listed(reply)?;
        for open in &self.orders[..self.count] {
            let pay = exchange.execute(Statement::CustomerDeliver).int(self.w).int(open.d);
            pay.int(open.c).decimal(open.total);
        }
        let reply = exchange.send().await?;
        for set in 0..self.count {
            wrote_one(reply, set, Statement::CustomerDeliver)?;
        }
        self.moved = self.count as i64;
        Ok(())
    }

    /// Returns an order number for each district. The number is 0, which is never a valid order number, if the district
    /// has no order.
    fn numbers(&self) -> [i64; DISTRICTS as usize] {
        let mut numbers = [0; DISTRICTS as usize];
        for open in &self.orders[..self.count] {
            numbers[open.d as usize - 1] = open.o;
        }
        numbers
    }

    fn take_listed(&mut self, reply: &Reply) -> Result<()> {
        let orders = &mut self.orders[..self.count];
        let mut known = [0; 2];
        for (at, set) in [(0, 2), (1, 4)] {
            for row in (0..reply.rows(set)).filter_map(|row| reply.get(set, row)) {
                let d = row.number(0)?;
                let Some(open) = orders.iter_mut().find(|open| open.d == d) else { continue };
                let value = row.number(1)?;
                *(if at == 0 { &mut open.c } else { &mut open.total }) = value;
                known[at] += 1;
            }
        }
        if known == [self.count; 2] {
            Ok(())
        } else {
            Err(absent("order or order line", Statement::OpenLinesSum))
        }
    }
}

/// Returns the variant of a statement for this number of lines. `first` is the variant for the smallest number.
fn of_length(first: Statement, lines: usize) -> StatementId {
    StatementId(StatementId::from(first).0 + (lines - LENGTHS.start()) as u16)
}
