//! Payment, with 9 to 13 statements.

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Reply, Row};
use tacho_workload::Outcome;

use super::super::payment::{Payment, middle_of};
use super::{ping, queue_names, take_count};
use crate::replies::{push_number, wrote_one};
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::Counters;

/// Length of `c_data` in characters.
const CUSTOMER_DATA: usize = 500;
/// Column of the customer number in a row that a payment reads.
const NUMBER: usize = 14;
/// Number of statements that read or write the warehouse and the district.
const PLACES: usize = 4;

impl Payment {
    /// Runs the payment as [`crate::style::Style`] specifies.
    pub(in super::super) async fn apart(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let style = &setup.style;
        ping(setup, exchange).await?;
        exchange.begin(Access::Write);
        self.queue_places(setup, exchange);
        let whole = style.names_whole;
        let list = if whole { Statement::NamesakesRead } else { Statement::CustomersByName };
        let mut set = PLACES;
        if self.person.by_name {
            set += queue_names(setup, &self.person, list, exchange);
        } else {
            self.queue_customer_read(self.person.c, setup, exchange);
        }
        let reply = exchange.send().await?;
        self.take_both_places(setup, reply)?;
        let balance = if self.person.by_name {
            take_count(setup, reply, PLACES)?;
            let row = middle_of(setup, reply, set)?;
            if whole {
                self.take_row(row)?
            } else {
                let c = row.number(0)?;
                self.queue_customer_read(c, setup, exchange);
                self.take_row(exchange.send().await?.one(0)?)?
            }
        } else {
            self.take_row(reply.one(set)?)?
        };
        self.write_customer(balance, setup, exchange).await?;
        self.bad_credit = false;
        self.end(exchange).await
    }

    /// Queues the four statements on the warehouse and the district.
    fn queue_places(&self, setup: &Setup, exchange: &mut Exchange) {
        let Self { w, d, amount, .. } = *self;
        let locked = setup.style.places_locked;
        let warehouse = |exchange: &mut Exchange| {
            let read =
                if locked { Statement::WarehouseReadLocked } else { Statement::WarehouseRead };
            if locked {
                exchange.execute(read).int(w);
            }
            exchange.execute(Statement::WarehouseAdd).int(w).decimal(amount);
            if !locked {
                exchange.execute(read).int(w);
            }
        };
        let district = |exchange: &mut Exchange| {
            let read = if locked { Statement::DistrictReadLocked } else { Statement::DistrictRead };
            if locked {
                exchange.execute(read).int(w).int(d);
            }
            exchange.execute(Statement::DistrictAdd).int(w).int(d).decimal(amount);
            if !locked {
                exchange.execute(read).int(w).int(d);
            }
        };
        if setup.style.district_first {
            district(exchange);
            warehouse(exchange);
        } else {
            warehouse(exchange);
            district(exchange);
        }
    }

    fn take_both_places(&mut self, setup: &Setup, reply: &Reply) -> Result<()> {
        let (w, d) = if setup.style.district_first { (2, 0) } else { (0, 2) };
        let (read, write) = if setup.style.places_locked { (0, 1) } else { (1, 0) };
        wrote_one(reply, w + write, Statement::WarehouseAdd)?;
        wrote_one(reply, d + write, Statement::DistrictAdd)?;
        self.take_place((reply.one(w + read)?, 0), (reply.one(d + read)?, 0))
    }

    fn queue_customer_read(&self, c: i64, setup: &Setup, exchange: &mut Exchange) {
        let plain = setup.style.customer_plain;
        let read = if plain { Statement::CustomerRead } else { Statement::CustomerLock };
        exchange.execute(read).int(self.person.w).int(self.person.d).int(c);
    }

    /// Stores the customer values that the payment needs, and returns the customer's balance.
    fn take_row(&mut self, row: Row<'_>) -> Result<i64> {
        self.show_customer(row, 0)?;
        self.c = row.number(NUMBER)?;
        row.number(1)
    }

    /// Writes the customer's balance and counters and, if the customer has bad credit, the data.
    async fn write_customer(
        &mut self,
        balance: i64,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<()> {
        let (style, w, d, c) = (&setup.style, self.person.w, self.person.d, self.c);
        if self.bad_credit {
            exchange.execute(Statement::CustomerDataRead).int(w).int(d).int(c);
            let row = exchange.send().await?.one(0)?;
            if style.data_unchanged {
                self.data.clear();
                self.data.extend_from_slice(row.text(0)?);
            } else if style.data_labelled {
                self.label_note(row)?;
            } else {
                self.note_payment(row.text(0)?);
            }
        }
        let counted = style.counters != Counters::Neither;
        let statement = write_statement(style.balance_absolute, counted, self.bad_credit);
        let write = exchange.execute(statement).int(w).int(d).int(c);
        let change = self.change(setup);
        let write = write.decimal(if style.balance_absolute { balance + change } else { change });
        let write = match style.counters {
            Counters::Both => write.decimal(self.amount).int(1),
            Counters::Sum => write.decimal(self.amount).int(0),
            Counters::SumPlusOne => write.decimal(100).int(0),
            Counters::Neither => write,
        };
        if self.bad_credit {
            write.text(&self.data);
        }
        wrote_one(exchange.send().await?, 0, statement)
    }

    /// Inserts a note at the start of the data, in which each value has a label. Then removes the first character and
    /// truncates the data.
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

/// Returns the statement that sets the customer's balance or adds to it. It may also write the counters and the data.
fn write_statement(absolute: bool, counted: bool, data: bool) -> Statement {
    match (absolute, counted, data) {
        (true, false, false) => Statement::CustomerWrite,
        (true, false, true) => Statement::CustomerWriteData,
        (true, true, false) => Statement::CustomerWriteCounted,
        (true, true, true) => Statement::CustomerWriteCountedData,
        (false, false, false) => Statement::CustomerAdd,
        (false, false, true) => Statement::CustomerAddData,
        (false, true, false) => Statement::CustomerAddCounted,
        (false, true, true) => Statement::CustomerAddCountedData,
    }
}
