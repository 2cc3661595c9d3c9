//! The transactions as calls to HammerDB's stored routines. These are functions or procedures.
//!
//! The routines draw inputs on the server, and may not find a customer. Apart from rollbacks of
//! orders, their results are not checked.
//!
//! Start reading at [`NewOrder::call_hammerdb`].

use tacho_core::Result;
use tacho_driver::{Exchange, Reply};
use tacho_workload::Outcome;

use super::Person;
use super::delivery::Delivery;
use super::new_order::NewOrder;
use super::order_status::OrderStatus;
use super::payment::Payment;
use super::stock_level::StockLevel;
use crate::replies::show;
use crate::routines::Kind;
use crate::setup::Setup;
use crate::statements::Statement;

/// Names of parameters in the routines. If `by_name_never_matches` is true, the routines do not search for the value of
/// the parameter, but for its name as a string.
const PARAMETERS: [&[u8]; 2] = [b"$8", b"$5"];

/// Column that contains the order number in a procedure's result.
const ORDER_NUMBER: usize = 5;

impl NewOrder {
    pub(super) async fn call_hammerdb(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let call = exchange.execute(Statement::CallNewOrder).int(self.w).int(setup.warehouses);
        let call = call.int(self.d).int(self.c).int(self.count as i64);
        if setup.routines.kind == Kind::Procedures {
            call.time(self.entered);
        }
        let reply = exchange.send().await?;
        take(reply);
        // If the procedure rolls back a new order, it returns no order number.
        let rolled_back = setup.routines.rollback_one_in.is_some()
            && reply.one(0)?.maybe_number(ORDER_NUMBER)?.is_none();
        Ok(if rolled_back { Outcome::RolledBack } else { Outcome::Committed })
    }
}

impl Payment {
    pub(super) async fn call_hammerdb(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let person = &self.person;
        let call = exchange.execute(Statement::CallPayment).int(self.w).int(self.d);
        let call = call.int(person.w).int(person.d).int(person.c).int(i64::from(person.by_name));
        let call = call.decimal(self.amount).text(name(setup, person, PARAMETERS[0]));
        if setup.routines.kind == Kind::Procedures {
            call.time(self.paid);
        }
        Ok(take(exchange.send().await?))
    }
}

impl OrderStatus {
    pub(super) async fn call_hammerdb(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let person = &self.person;
        let call = exchange.execute(Statement::CallOrderStatus).int(person.w).int(person.d);
        let call = call.int(person.c).int(i64::from(person.by_name));
        let call = call.text(name(setup, person, PARAMETERS[1]));
        if setup.routines.kind == Kind::Procedures {
            call.time(setup.loaded_at);
        }
        Ok(take(exchange.send().await?))
    }
}

impl Delivery {
    pub(super) async fn call_hammerdb(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let call = exchange.execute(Statement::CallDelivery).int(self.w).int(self.carrier);
        if setup.routines.kind == Kind::Procedures {
            call.time(self.delivered);
        }
        Ok(take(exchange.send().await?))
    }
}

impl StockLevel {
    pub(super) async fn call_hammerdb(&mut self, exchange: &mut Exchange) -> Result<Outcome> {
        let call = exchange.execute(Statement::CallStockLevel);
        call.int(self.w).int(self.d).int(self.threshold);
        Ok(take(exchange.send().await?))
    }
}

/// Returns the name to search for, which is empty if the customer is selected by ID.
fn name<'a>(setup: &Setup, person: &'a Person, parameter: &'static [u8]) -> &'a [u8] {
    let wrong = setup.behaviour.by_name_never_matches && setup.routines.kind == Kind::Functions;
    match (wrong, person.by_name) {
        (true, _) => parameter,
        (false, true) => &person.last,
        (false, false) => b"",
    }
}

/// Reads the whole result.
fn take(reply: &Reply) -> Outcome {
    for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
        for column in 0..row.columns() {
            show(row.get(column));
        }
    }
    Outcome::Committed
}
