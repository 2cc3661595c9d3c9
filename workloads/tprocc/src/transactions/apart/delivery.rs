//! Delivery, with 7 statements per district.

use tacho_core::Result;
use tacho_driver::{Access, Exchange};
use tacho_workload::Outcome;

use super::super::delivery::{Delivery, Open};
use super::ping;
use crate::replies::{absent, wrote_one};
use crate::schema::DISTRICTS;
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::{Pick, Style};

impl Delivery {
    /// Runs the delivery district by district, as [`crate::style::Style`] specifies. If the style
    /// has no locks, two deliveries may take the same order.
    pub(in super::super) async fn apart(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        let style = &setup.style;
        ping(setup, exchange).await?;
        exchange.begin(Access::Write);
        (self.moved, self.count) = (0, 0);
        let last = if style.own_districts { self.district } else { DISTRICTS };
        let mut delivered = 0;
        for d in 1..=last {
            let Some(o) = self.pick(style, d, exchange).await? else {
                if setup.behaviour.delivery_stops_at_empty {
                    break;
                }
                continue;
            };
            let open = Open { d, o, ..Open::default() };
            delivered += 1;
            if style.batches {
                self.orders[self.count] = open;
                self.count += 1;
                continue;
            }
            self.deliver(open, setup, exchange).await?;
            if style.commit_each && d < last {
                exchange.commit();
                exchange.begin(Access::Write);
            }
        }
        if self.count > 0 {
            self.deliver_listed(exchange).await?;
        }
        exchange.commit();
        exchange.send().await?;
        self.note_of(last as u64, delivered);
        Ok(Outcome::Committed)
    }

    /// Returns the oldest order in a district.
    async fn pick(&self, style: &Style, d: i64, exchange: &mut Exchange) -> Result<Option<i64>> {
        let statement = match style.pick {
            Pick::Locked => Statement::NewOrderOldestLocked,
            Pick::Plain => Statement::NewOrderOldest,
            Pick::Minimum => Statement::NewOrderMinimum,
            Pick::First => Statement::NewOrderFirst,
        };
        exchange.execute(statement).int(self.w).int(d);
        let row = exchange.send().await?.get(0, 0);
        // For an empty district, the statement may return a minimum of 0, which is not a valid order number.
        let found = row.map(|row| row.number(0)).transpose()?;
        Ok(found.filter(|o| *o > 0))
    }

    async fn deliver(
        &mut self,
        Open { d, o, .. }: Open,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<()> {
        let (style, w) = (&setup.style, self.w);
        exchange.execute(Statement::NewOrderDelete).int(w).int(d).int(o);
        exchange.execute(Statement::OrderCustomer).int(w).int(d).int(o);
        exchange.execute(Statement::OrderCarrier).int(w).int(d).int(o).int(self.carrier);
        let lines = exchange.execute(Statement::LinesDate).int(w).int(d).int(o);
        lines.time(self.delivered);
        let quantities = style.credit_quantities;
        let sum = if quantities { Statement::LinesSumQuantities } else { Statement::LinesSum };
        exchange.execute(sum).int(w).int(d).int(o);
        let reply = exchange.send().await?;
        if style.pick == Pick::Locked {
            wrote_one(reply, 0, Statement::NewOrderDelete)?;
        }
        // Another delivery may have taken this order first, so it may no longer exist.
        self.moved += i64::from(reply.affected(0) > 0);
        let c = reply.one(1)?.number(0)?;
        wrote_one(reply, 2, Statement::OrderCarrier)?;
        let total = reply.one(4)?.maybe_number(0)?.ok_or_else(|| absent("order line", sum))?;
        let pay = if style.deliveries_uncounted {
            Statement::CustomerDeliverFrozen
        } else {
            Statement::CustomerDeliver
        };
        exchange.execute(pay).int(w).int(d).int(c).decimal(total);
        wrote_one(exchange.send().await?, 0, pay)
    }
}
