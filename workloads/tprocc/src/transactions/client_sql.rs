//! The transactions as HammerDB sends them in its mode without stored procedures, statement by statement:
//! it reads first and writes what it has computed, so that updates may be lost.
//!
//! A new-order of n lines is 4n + 7 statements, a payment 9 by number and 10 by name and one more for bad
//! credit, an order-status 5 or 6, a delivery 72. A stock-level is as ours. Start reading at
//! [`NewOrder::client_sql`].

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Row};
use tacho_workload::Outcome;

use super::delivery::{Delivery, Open};
use super::new_order::{NewOrder, order_is_written};
use super::order_status::{OrderStatus, middle, take_last_order, take_lines};
use super::payment::{Payment, middle_of};
use crate::replies::{absent, push_number, show, wrote_one};
use crate::schema::DISTRICTS;
use crate::setup::Setup;
use crate::statements::Statement;

/// Characters of `c_data`.
const CUSTOMER_DATA: usize = 500;
/// The column of a customer's number in a row of a payment.
const NUMBER: usize = 14;

impl NewOrder {
    /// Ends at the unused item, before stock is read.
    pub(super) async fn client_sql(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let Self { w, d, c, .. } = *self;
        exchange.execute(Statement::OrderTerms).int(w).int(d).int(c);
        exchange.begin(Access::Write);
        exchange.execute(Statement::DistrictLock).int(w).int(d);
        exchange.execute(Statement::DistrictCountUp).int(w).int(d);
        let reply = exchange.send().await?;
        self.take_terms(reply.one(0)?, 0)?;
        self.take_district(reply.one(1)?)?;
        wrote_one(reply, 2, Statement::DistrictCountUp)?;
        for at in 0..self.count {
            if !self.send_line(setup, exchange, at).await? {
                exchange.rollback();
                exchange.send().await?;
                return Ok(Outcome::RolledBack);
            }
        }
        self.queue_order(exchange);
        exchange.commit();
        order_is_written(exchange.send().await?)?;
        self.show_total();
        Ok(Outcome::Committed)
    }

    /// Sends the line at this place; whether there is such an item.
    async fn send_line(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
        at: usize,
    ) -> Result<bool> {
        let Self { w, d, order, rates, .. } = *self;
        let line = &mut self.lines[at];
        exchange.execute(Statement::ItemRead).int(line.item);
        let reply = exchange.send().await?;
        let Some(item) = reply.get(0, 0) else {
            let unused = line.is_unused();
            return if unused { Ok(false) } else { Err(absent("item", Statement::ItemRead)) };
        };
        line.price = Some(item.number(0)?);
        show((item.text(1)?, item.text(2)?));
        exchange.execute(Statement::StockRead).int(line.supply).int(line.item);
        let stock = exchange.send().await?.one(0)?;
        show(stock.text(1)?);
        line.keep_dist_info(stock.text(1 + d as usize)?);
        let left = stock.number(0)? - line.quantity;
        let left = if left >= setup.behaviour.stock_reserve { left } else { left + 91 };
        exchange.execute(Statement::StockWrite).int(line.supply).int(line.item).int(left);
        let insert = exchange.execute(Statement::LineInsert).int(w).int(d).int(order);
        let insert = insert.int(at as i64 + 1).int(line.item).int(line.supply);
        let amount = rates.exact(line.cents().unwrap_or(0), setup.behaviour.line_amount_taxed);
        insert.int(line.quantity).decimal(amount).text(line.dist_info());
        let reply = exchange.send().await?;
        wrote_one(reply, 0, Statement::StockWrite)?;
        wrote_one(reply, 1, Statement::LineInsert)?;
        Ok(true)
    }
}

impl Payment {
    pub(super) async fn client_sql(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        self.queue_place(exchange);
        let person = &self.person;
        if person.by_name {
            let count = exchange.execute(Statement::NamesakesCount).int(person.w).int(person.d);
            count.text(&person.last);
            let list = exchange.execute(Statement::NamesakesRead).int(person.w).int(person.d);
            list.text(&person.last);
        } else {
            let read = exchange.execute(Statement::CustomerRead).int(person.w).int(person.d);
            read.int(person.c);
        }
        let reply = exchange.send().await?;
        self.take_places(reply)?;
        let row = if self.person.by_name {
            show(reply.one(2)?.number(0)?);
            middle_of(setup, reply, 3)?
        } else {
            reply.one(2)?
        };
        self.show_customer(row, 0)?;
        self.c = row.number(NUMBER)?;
        let balance = row.number(1)? + self.change(setup);
        self.write_customer(balance, exchange).await?;
        self.bad_credit = false;
        self.end(exchange).await
    }

    /// Writes the balance, and of a customer of bad credit the note too.
    async fn write_customer(&mut self, balance: i64, exchange: &mut Exchange) -> Result<()> {
        let (w, d, c) = (self.person.w, self.person.d, self.c);
        if !self.bad_credit {
            let write = exchange.execute(Statement::CustomerWrite).int(w).int(d).int(c);
            write.decimal(balance);
            return wrote_one(exchange.send().await?, 0, Statement::CustomerWrite);
        }
        exchange.execute(Statement::CustomerDataRead).int(w).int(d).int(c);
        self.label_note(exchange.send().await?.one(0)?)?;
        let write = exchange.execute(Statement::CustomerWriteData).int(w).int(d).int(c);
        write.decimal(balance).text(&self.data);
        wrote_one(exchange.send().await?, 0, Statement::CustomerWriteData)
    }

    /// Puts the note before the data: each value with its label, less the first character, and as much
    /// shorter than the column as the note is long.
    fn label_note(&mut self, row: Row<'_>) -> Result<()> {
        self.data.clear();
        let values = [
            ("c_id ", self.c),
            (" c_d_id ", self.person.d),
            (" c_w_id ", self.person.w),
            (" d_id ", self.d),
            (" w_id ", self.w),
            (" amount ", self.amount / 100),
        ];
        for (label, value) in values {
            self.data.extend_from_slice(label.as_bytes());
            push_number(value, &mut self.data);
        }
        self.data.extend_from_slice(b" h_data ");
        self.data.extend_from_slice(&self.history);
        let room = CUSTOMER_DATA.saturating_sub(self.data.len());
        self.data.extend_from_slice(row.text(0)?);
        self.data.remove(0);
        self.data.truncate(room);
        Ok(())
    }
}

impl OrderStatus {
    /// The lines are asked for also where there is no order.
    pub(super) async fn client_sql(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let (w, d) = (self.person.w, self.person.d);
        exchange.begin(Access::Read);
        let mut orderer = self.person.c;
        if self.person.by_name {
            let count = exchange.execute(Statement::NamesakesCount).int(w).int(d);
            count.text(&self.person.last);
            let list = exchange.execute(Statement::NamesakesStatus).int(w).int(d);
            list.text(&self.person.last);
            let reply = exchange.send().await?;
            let row = middle(reply, 1, Statement::NamesakesStatus)?;
            show((row.number(0)?, row.text(1)?, row.text(2)?));
            if !self.looks_elsewhere(setup) {
                orderer = row.number(3)?;
            }
        } else {
            exchange.execute(Statement::CustomerStatus).int(w).int(d).int(orderer);
            show(exchange.send().await?.one(0)?.number(0)?);
        }
        exchange.execute(Statement::LastOrder).int(w).int(d).int(orderer);
        let order = take_last_order(setup, exchange.send().await?, 0)?;
        exchange.execute(Statement::OrderLines).int(w).int(d).int(order.unwrap_or(0));
        exchange.commit();
        let reply = exchange.send().await?;
        if order.is_some() {
            take_lines(reply)?;
        }
        Ok(Outcome::Committed)
    }
}

impl Delivery {
    /// One district after the other, to the first that is empty. An order that another delivery has
    /// just taken is delivered once more.
    pub(super) async fn client_sql(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        exchange.begin(Access::Write);
        self.moved = 0;
        let mut delivered = 0;
        for d in 1..=DISTRICTS {
            exchange.execute(Statement::NewOrderFirst).int(self.w).int(d);
            let Some(row) = exchange.send().await?.get(0, 0) else {
                if setup.behaviour.delivery_stops_at_empty {
                    break;
                }
                continue;
            };
            let open = Open { d, o: row.number(0)?, ..Open::default() };
            self.deliver(open, exchange).await?;
            delivered += 1;
        }
        exchange.commit();
        exchange.send().await?;
        self.note(delivered);
        Ok(Outcome::Committed)
    }

    async fn deliver(&mut self, Open { d, o, .. }: Open, exchange: &mut Exchange) -> Result<()> {
        let w = self.w;
        exchange.execute(Statement::NewOrderDelete).int(w).int(d).int(o);
        exchange.execute(Statement::OrderCustomer).int(w).int(d).int(o);
        exchange.execute(Statement::OrderCarrier).int(w).int(d).int(o).int(self.carrier);
        let lines = exchange.execute(Statement::OrderLinesDeliver).int(w).int(d).int(o);
        lines.time(self.delivered);
        let reply = exchange.send().await?;
        // Another delivery may have taken it already.
        self.moved += i64::from(reply.affected(0) > 0);
        let c = reply.one(1)?.number(0)?;
        wrote_one(reply, 2, Statement::OrderCarrier)?;
        let total = (reply.one(3)?.maybe_number(0)?)
            .ok_or_else(|| absent("order line", Statement::OrderLinesDeliver))?;
        let pay = exchange.execute(Statement::CustomerDeliverFrozen).int(w).int(d).int(c);
        pay.decimal(total);
        wrote_one(exchange.send().await?, 0, Statement::CustomerDeliverFrozen)
    }
}
