//! New-order. A transaction with n lines consists of at most 4n + 9 statements.

use tacho_core::Result;
use tacho_driver::{Access, Exchange};
use tacho_workload::Outcome;

use super::super::new_order::{Line, NewOrder, order_is_written};
use super::{ping, wrote_each};
use crate::replies::{absent, show, wrote_one};
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::Rollback;

impl NewOrder {
    /// Runs the new-order transaction as [`crate::style::Style`] specifies.
    pub(in super::super) async fn apart(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let style = &setup.style;
        ping(setup, exchange).await?;
        self.forget();
        self.open(setup, exchange).await?;
        if !style.order_last {
            self.queue_order(exchange);
            order_is_written(exchange.send().await?)?;
        }
        let complete = if style.batches {
            self.lists(setup, exchange).await?
        } else {
            self.one_by_one(setup, exchange).await?
        };
        if !complete {
            exchange.rollback();
            exchange.send().await?;
            return Ok(Outcome::RolledBack);
        }
        if style.order_last {
            self.queue_order(exchange);
        }
        exchange.commit();
        let reply = exchange.send().await?;
        if style.order_last {
            order_is_written(reply)?;
        }
        self.show_total();
        Ok(Outcome::Committed)
    }

    /// Starts the transaction, reads the customer and the warehouse, and takes the order number.
    async fn open(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<()> {
        let (style, w, d) = (&setup.style, self.w, self.d);
        if style.terms_before_begin {
            self.queue_terms(setup, exchange);
            exchange.begin(Access::Write);
        } else {
            exchange.begin(Access::Write);
            self.queue_terms(setup, exchange);
        }
        exchange.execute(Statement::DistrictLock).int(w).int(d);
        if !style.district_absolute {
            exchange.execute(Statement::DistrictCountUp).int(w).int(d);
        }
        let reply = exchange.send().await?;
        let sets = if style.terms_separate {
            self.take_separate_terms(reply)?;
            2
        } else {
            self.take_terms(reply.one(0)?, 0)?;
            1
        };
        self.take_district(reply.one(sets)?)?;
        if !style.district_absolute {
            return wrote_one(reply, sets + 1, Statement::DistrictCountUp);
        }
        exchange.execute(Statement::DistrictWrite).int(w).int(d).int(self.order + 1);
        wrote_one(exchange.send().await?, 0, Statement::DistrictWrite)
    }

    fn queue_terms(&self, setup: &Setup, exchange: &mut Exchange) {
        let Self { w, d, c, .. } = *self;
        if setup.style.terms_separate {
            exchange.execute(Statement::CustomerTerms).int(w).int(d).int(c);
            exchange.execute(Statement::WarehouseTerms).int(w);
        } else {
            exchange.execute(Statement::OrderTerms).int(w).int(d).int(c);
        }
    }

    /// Reads and writes the lines one by one. Returns true if every item exists.
    ///
    /// Some styles write all other lines even if an item does not exist.
    async fn one_by_one(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<bool> {
        let style = &setup.style;
        if style.rollback == Rollback::Items {
            for at in 0..self.count {
                if !self.read_item(at, exchange).await? {
                    return Ok(false);
                }
            }
        }
        let mut number = 0;
        for at in 0..self.count {
            if style.rollback != Rollback::Items && !self.read_item(at, exchange).await? {
                if style.rollback == Rollback::Item {
                    return Ok(false);
                }
                continue;
            }
            number += 1;
            self.read_stock(at, setup, exchange).await?;
            if !style.lines_at_end {
                let stock = self.queue_stock_write(at, setup, exchange);
                let line = self.queue_line(at, number, setup, exchange);
                wrote_each(exchange.send().await?, &[stock, line])?;
            }
        }
        if style.lines_at_end {
            self.write_lines(setup, exchange).await?;
        }
        Ok(number == self.count as i64)
    }

    /// Writes all lines, followed by all stock rows.
    async fn write_lines(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<()> {
        let known = (0..self.count).filter(|at| self.lines[*at].price.is_some());
        let mut written = [Statement::LineInsert; 2 * 15];
        let mut sent = 0;
        for (at, number) in known.clone().zip(1..) {
            written[sent] = self.queue_line(at, number, setup, exchange);
            sent += 1;
        }
        for at in known {
            written[sent] = self.queue_stock_write(at, setup, exchange);
            sent += 1;
        }
        wrote_each(exchange.send().await?, &written[..sent])
    }

    /// Reads a line's item. Returns true if it exists.
    async fn read_item(&mut self, at: usize, exchange: &mut Exchange) -> Result<bool> {
        let line = &mut self.lines[at];
        exchange.execute(Statement::ItemRead).int(line.item);
        let reply = exchange.send().await?;
        let Some(item) = reply.get(0, 0) else {
            let unused = line.is_unused();
            return if unused { Ok(false) } else { Err(absent("item", Statement::ItemRead)) };
        };
        line.price = Some(item.number(0)?);
        show((item.text(1)?, item.text(2)?));
        Ok(true)
    }

    /// Reads a line's stock row.
    async fn read_stock(
        &mut self,
        at: usize,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<()> {
        let (style, w, d) = (&setup.style, self.w, self.d);
        let line = &mut self.lines[at];
        let statement = match (style.ten_districts, style.stock_plain) {
            (true, true) => Statement::StockRead,
            (true, false) => Statement::StockLock,
            (false, true) => Statement::StockReadOne,
            (false, false) => Statement::StockLockOne,
        };
        let read = exchange.execute(statement).int(line.source(setup, w)).int(line.item);
        if !style.ten_districts {
            read.int(d);
        }
        let stock = exchange.send().await?.one(0)?;
        line.found = stock.number(0)?;
        show(stock.text(1)?);
        line.keep_dist_info(stock.text(if style.ten_districts { 1 + d as usize } else { 2 })?);
        Ok(())
    }

    /// Queues the update of a line's stock row.
    pub(super) fn queue_stock_write(
        &self,
        at: usize,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Statement {
        let (style, line) = (&setup.style, &self.lines[at]);
        let statement = match (style.stock_absolute, style.stock_frozen) {
            (true, true) => Statement::StockWrite,
            (true, false) => Statement::StockWriteCounted,
            (false, true) => Statement::StockReduce,
            (false, false) => Statement::StockReduceCounted,
        };
        let write = exchange.execute(statement).int(line.source(setup, self.w)).int(line.item);
        let reserve = setup.behaviour.stock_reserve;
        let write = if style.stock_absolute {
            let left = line.found - line.quantity;
            let write = write.int(if left >= reserve { left } else { left + 91 });
            if style.stock_frozen { write } else { write.int(line.quantity) }
        } else {
            write.int(line.quantity).int(line.quantity + reserve)
        };
        if !style.stock_frozen {
            write.int(i64::from(line.supply != self.w));
        }
        statement
    }

    fn queue_line(
        &self,
        at: usize,
        number: i64,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Statement {
        let (Self { w, d, order, .. }, line) = (self, &self.lines[at]);
        let exact = setup.style.exact_amounts;
        let statement = if exact { Statement::LineInsertExact } else { Statement::LineInsert };
        let insert = exchange.execute(statement).int(*w).int(*d).int(*order).int(number);
        let insert = insert.int(line.item).int(line.supply).int(line.quantity);
        let amount = if exact {
            let taxed = setup.behaviour.line_amount_taxed;
            self.rates.exact(line.cents().unwrap_or(0), taxed)
        } else {
            self.amount(line, setup)
        };
        insert.decimal(amount).text(line.dist_info());
        statement
    }

    /// Returns the line's amount in cents.
    pub(super) fn amount(&self, line: &Line, setup: &Setup) -> i64 {
        let cents = line.cents().unwrap_or(0);
        let cents = if setup.behaviour.line_amount_taxed { self.rates.total(cents) } else { cents };
        if setup.style.whole_amounts { (cents + 50) / 100 * 100 } else { cents }
    }
}

impl Line {
    pub(super) fn source(&self, setup: &Setup, home: i64) -> i64 {
        if setup.style.stock_at_home { home } else { self.supply }
    }
}
