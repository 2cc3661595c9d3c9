//! Payment, clause 2.5: a customer pays at a warehouse and district, sometimes away from home.
//!
//! Start reading at [`Payment::run`].

use tacho_core::{Result, Rng};
use tacho_driver::{Access, Exchange, Reply, Row};
use tacho_workload::Outcome;

use super::Person;
use crate::audit::Counts;
use crate::homes::other_warehouse;
use crate::replies::{absent, push_number, show, wrote_one};
use crate::schema::DISTRICTS;
use crate::settings::{Remote, Sequence};
use crate::setup::{Setup, Way};
use crate::statements::Statement;

/// Length of `c_data` in characters.
const CUSTOMER_DATA: usize = 500;
/// Length of `h_data` in characters.
const HISTORY_DATA: usize = 24;

/// Input and state of a payment.
#[derive(Clone, Debug, Default)]
pub struct Payment {
    pub(super) w: i64,
    pub(super) d: i64,
    pub(super) person: Person,
    /// Amount in cents.
    pub(super) amount: i64,
    pub(super) paid: i64,
    /// Customer number, which is either drawn or found by name.
    pub(super) c: i64,
    pub(super) bad_credit: bool,
    pub(super) history: Vec<u8>,
    pub(super) data: Vec<u8>,
}

impl Payment {
    /// Draws a payment at warehouse `w`, clause 2.5.1.
    pub fn draw(&mut self, setup: &Setup, rng: &mut Rng, w: i64, paid: i64, counts: &mut Counts) {
        (self.w, self.paid) = (w, paid);
        self.d = rng.between(1, DISTRICTS);
        let home = rng.between(1, 100) <= 85;
        let (c_w, c_d) = match setup.behaviour.remote_payments {
            Remote::Warehouse if !home => {
                (other_warehouse(rng, w, setup.warehouses), rng.between(1, DISTRICTS))
            }
            Remote::Near if !home => (w, rng.between(1, DISTRICTS)),
            _ => (w, self.d),
        };
        self.person.draw(setup, rng, c_w, c_d);
        let whole = setup.behaviour.payment_whole_amounts;
        self.amount = if whole { rng.between(1, 5_000) * 100 } else { rng.between(100, 500_000) };
        counts.payments += 1;
        counts.remote_payments += u64::from(self.person.w != w);
        counts.payments_by_name += u64::from(self.person.by_name);
    }

    /// Returns the amount in cents.
    pub fn amount(&self) -> i64 {
        self.amount
    }

    /// Runs the payment, clause 2.5.2.2.
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

    /// Updates the warehouse, the district and the customer. All payments lock rows in this order,
    /// and each update returns its row.
    async fn statements(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        self.queue_place(exchange);
        if self.person.by_name {
            self.person.queue_search(exchange);
            let reply = exchange.send().await?;
            self.take_places(reply)?;
            self.pick(setup, reply, 2)?;
            self.queue_customer(setup, exchange);
            let reply = exchange.send().await?;
            wrote_one(reply, 0, pay_statement(setup))?;
            self.take_customer(reply.one(0)?, 0)?;
        } else {
            self.c = self.person.c;
            self.queue_customer(setup, exchange);
            let reply = exchange.send().await?;
            self.take_places(reply)?;
            wrote_one(reply, 2, pay_statement(setup))?;
            self.take_customer(reply.one(2)?, 0)?;
        }
        self.end(exchange).await
    }

    /// Records the payment and commits.
    pub(super) async fn end(&self, exchange: &mut Exchange) -> Result<Outcome> {
        self.queue_end(exchange);
        let reply = exchange.send().await?;
        if self.bad_credit {
            wrote_one(reply, 0, Statement::CustomerDataUpdate)?;
        }
        wrote_one(reply, usize::from(self.bad_credit), Statement::HistoryInsert)?;
        Ok(Outcome::Committed)
    }

    pub(super) fn queue_place(&self, exchange: &mut Exchange) {
        let Self { w, d, amount, .. } = *self;
        exchange.begin(Access::Write);
        exchange.execute(Statement::WarehousePay).int(w).decimal(amount);
        exchange.execute(Statement::DistrictPay).int(w).int(d).decimal(amount);
    }

    pub(super) fn take_places(&mut self, reply: &Reply) -> Result<()> {
        wrote_one(reply, 0, Statement::WarehousePay)?;
        wrote_one(reply, 1, Statement::DistrictPay)?;
        self.take_place((reply.one(0)?, 0), (reply.one(1)?, 0))
    }

    /// Stores `h_data`: the names of warehouse and district with four spaces between them.
    ///
    /// In the rows of both the warehouse and the district, the columns of the address follow the name.
    pub(super) fn take_place(
        &mut self,
        (warehouse, w_first): (Row<'_>, usize),
        (district, d_first): (Row<'_>, usize),
    ) -> Result<()> {
        self.history.clear();
        self.history.extend_from_slice(warehouse.text(w_first)?);
        self.history.extend_from_slice(b"    ");
        self.history.extend_from_slice(district.text(d_first)?);
        self.history.truncate(HISTORY_DATA);
        for column in 1..6 {
            show((warehouse.text(w_first + column)?, district.text(d_first + column)?));
        }
        Ok(())
    }

    /// Selects the customer in the middle of those found by name, whose rows are in result `set`.
    pub(super) fn pick(&mut self, setup: &Setup, reply: &Reply, set: usize) -> Result<()> {
        self.c = middle_of(setup, reply, set)?.number(0)?;
        Ok(())
    }

    fn queue_customer(&self, setup: &Setup, exchange: &mut Exchange) {
        let Person { w, d, .. } = self.person;
        let change = self.change(setup);
        let update =
            exchange.execute(pay_statement(setup)).int(w).int(d).int(self.c).decimal(change);
        if !setup.behaviour.counters_frozen {
            update.decimal(self.amount);
        }
    }

    /// Returns the change to the balance.
    pub(super) fn change(&self, setup: &Setup) -> i64 {
        if setup.behaviour.payment_adds { self.amount } else { -self.amount }
    }

    /// Stores what a payment displays, and the note for bad credit. Column `first` contains the credit status.
    pub(super) fn take_customer(&mut self, row: Row<'_>, first: usize) -> Result<()> {
        self.show_customer(row, first)?;
        if self.bad_credit {
            self.note_payment(row.text(first + 14)?);
        }
        Ok(())
    }

    /// Reads all columns except the data, and records whether the customer has bad credit.
    pub(super) fn show_customer(&mut self, row: Row<'_>, first: usize) -> Result<()> {
        self.bad_credit = row.text(first)? == b"BC";
        for column in 1..5 {
            show(row.number(first + column)?);
        }
        for column in 5..14 {
            show(row.text(first + column)?);
        }
        Ok(())
    }

    /// Prepends a note about the payment to the customer's data, and truncates the data to 500
    /// characters, clause 2.5.2.2.
    pub(super) fn note_payment(&mut self, data: &[u8]) {
        self.data.clear();
        for number in [self.c, self.person.d, self.person.w, self.d, self.w] {
            push_number(number, &mut self.data);
            self.data.push(b' ');
        }
        push_number(self.amount / 100, &mut self.data);
        let cents = (self.amount % 100) as u8;
        self.data.extend_from_slice(&[b'.', b'0' + cents / 10, b'0' + cents % 10]);
        self.data.extend_from_slice(b" | ");
        self.data.extend_from_slice(data);
        self.data.truncate(CUSTOMER_DATA);
    }

    fn queue_end(&self, exchange: &mut Exchange) {
        let Person { w, d, .. } = self.person;
        if self.bad_credit {
            let update = exchange.execute(Statement::CustomerDataUpdate);
            update.int(w).int(d).int(self.c).text(&self.data);
        }
        let insert = exchange.execute(Statement::HistoryInsert).int(self.c).int(d).int(w);
        let insert = insert.int(self.d).int(self.w).time(self.paid);
        insert.decimal(self.amount).text(&self.history);
        exchange.commit();
    }
}

/// Returns the row of the middle customer.
pub(super) fn middle_of<'a>(setup: &Setup, reply: &'a Reply, set: usize) -> Result<Row<'a>> {
    let middle = setup.behaviour.by_name.of(reply.rows(set));
    reply.get(set, middle).ok_or_else(|| absent("customer", Statement::CustomersByName))
}

/// Returns the statement that updates the customer, with or without the counters.
fn pay_statement(setup: &Setup) -> Statement {
    if setup.behaviour.counters_frozen {
        Statement::CustomerPayFrozen
    } else {
        Statement::CustomerPay
    }
}
