//! Order-status, with 5 to 7 statements.

use tacho_core::Result;
use tacho_driver::{Access, Exchange};
use tacho_workload::Outcome;

use super::super::order_status::{OrderStatus, at_position, take_last_order, take_lines};
use super::{ping, queue_names, take_count};
use crate::replies::show;
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::LastOrder;

impl OrderStatus {
    /// Runs order-status as [`crate::style::Style`] specifies. The lines are read even if the customer has no order.
    pub(in super::super) async fn apart(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        ping(setup, exchange).await?;
        let (w, d) = (self.person.w, self.person.d);
        exchange.begin(Access::Read);
        let mut orderer = self.person.c;
        if self.person.by_name {
            let set = queue_names(setup, &self.person, Statement::NamesakesStatus, exchange);
            let reply = exchange.send().await?;
            take_count(setup, reply, 0)?;
            let position = setup.behaviour.status_name;
            let row = at_position(position, reply, set, Statement::NamesakesStatus)?;
            show((row.number(0)?, row.text(1)?, row.text(2)?));
            if !self.looks_elsewhere(setup) {
                orderer = row.number(3)?;
            }
        } else {
            exchange.execute(Statement::CustomerStatus).int(w).int(d).int(orderer);
            show(exchange.send().await?.one(0)?.number(0)?);
        }
        let last = match setup.style.last_order {
            LastOrder::Limit => Statement::LastOrder,
            LastOrder::Maximum => Statement::LastOrderMaximum,
            LastOrder::All => Statement::OrdersOfCustomer,
        };
        exchange.execute(last).int(w).int(d).int(orderer);
        let order = take_last_order(setup, exchange.send().await?, 0)?;
        let lines_of = if setup.style.district_lines { Some(d) } else { order };
        exchange.execute(Statement::OrderLines).int(w).int(d).int(lines_of.unwrap_or(0));
        exchange.commit();
        let reply = exchange.send().await?;
        if lines_of.is_some() {
            take_lines(reply)?;
        }
        Ok(Outcome::Committed)
    }
}
