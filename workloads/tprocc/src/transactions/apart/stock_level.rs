//! Stock-level. It consists of 4 statements, or of about 200 if the style has a separate statement for each item.

use tacho_core::Result;
use tacho_driver::{Access, Exchange};
use tacho_workload::Outcome;

use super::super::stock_level::{ORDERS, StockLevel};
use super::ping;
use crate::replies::show;
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::Level;

impl StockLevel {
    /// Runs the stock-level transaction as [`crate::style::Style`] specifies.
    pub(in super::super) async fn apart(
        &mut self,
        setup: &Setup,
        exchange: &mut Exchange,
    ) -> Result<Outcome> {
        ping(setup, exchange).await?;
        let Self { w, d, threshold, .. } = *self;
        exchange.begin(Access::Read);
        exchange.execute(Statement::DistrictNext).int(w).int(d);
        let next = exchange.send().await?.one(0)?.number(0)?;
        let statement = match setup.style.level {
            Level::Distinct => Statement::LowStock,
            Level::All => Statement::LowStockLines,
            Level::Items => Statement::RecentItems,
        };
        let count = exchange.execute(statement).int(w).int(d).int(next - ORDERS).int(next);
        if setup.style.level != Level::Items {
            count.int(threshold);
            exchange.commit();
            show(exchange.send().await?.one(0)?.number(0)?);
            return Ok(Outcome::Committed);
        }
        let reply = exchange.send().await?;
        self.items.clear();
        for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
            self.items.push(row.number(0)?);
        }
        for item in &self.items {
            exchange.execute(Statement::StockBelow).int(w).int(*item).int(threshold);
            show(exchange.send().await?.one(0)?.number(0)?);
        }
        exchange.commit();
        exchange.send().await?;
        Ok(Outcome::Committed)
    }
}
