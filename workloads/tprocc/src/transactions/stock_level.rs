//! Stock-level, clause 2.8: counts the items with low stock in a district's last twenty orders.
//!
//! Start reading at [`StockLevel::run`].

use tacho_core::{Result, Rng};
use tacho_driver::{Access, Exchange};
use tacho_workload::Outcome;

use crate::replies::show;
use crate::settings::Sequence;
use crate::setup::{Setup, Way};
use crate::statements::Statement;

/// Number of orders to examine.
pub(super) const ORDERS: i64 = 20;

/// Input of one stock-level.
#[derive(Clone, Debug, Default)]
pub struct StockLevel {
    pub(super) w: i64,
    pub(super) d: i64,
    pub(super) threshold: i64,
    /// Item numbers in the last orders. They are needed if the transaction sends a separate statement for each item.
    pub(super) items: Vec<i64>,
}

impl StockLevel {
    /// Draws the inputs of a stock-level transaction for district `d` of warehouse `w`, clause 2.8.1.
    pub fn draw(&mut self, rng: &mut Rng, w: i64, d: i64) {
        (self.w, self.d) = (w, d);
        self.threshold = rng.between(10, 20);
    }

    /// Runs the stock-level transaction, clause 2.8.2.2.
    pub async fn run(&mut self, setup: &Setup, exchange: &mut Exchange) -> Result<Outcome> {
        match setup.way {
            Way::Statements if matches!(setup.sequence, Sequence::Apart | Sequence::HammerDb) => {
                self.apart(setup, exchange).await
            }
            Way::Statements => self.statements(exchange).await,
            Way::Calls if setup.routines.hammerdb => self.call_hammerdb(exchange).await,
            Way::Calls => self.call(exchange).await,
        }
    }

    async fn statements(&mut self, exchange: &mut Exchange) -> Result<Outcome> {
        let Self { w, d, threshold, .. } = *self;
        exchange.begin(Access::Read);
        exchange.execute(Statement::DistrictNext).int(w).int(d);
        let next = exchange.send().await?.one(0)?.number(0)?;
        let count = exchange.execute(Statement::LowStock).int(w).int(d);
        count.int(next - ORDERS).int(next).int(threshold);
        exchange.commit();
        show(exchange.send().await?.one(0)?.number(0)?);
        Ok(Outcome::Committed)
    }
}
