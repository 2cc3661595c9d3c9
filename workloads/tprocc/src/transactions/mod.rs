//! The five transactions, each of which draws its input and then runs.
//!
//! A transaction must draw all inputs before it runs, because a retry needs the same ones. It must
//! not allocate memory once its buffers are warm.
//!
//! Start reading at [`new_order`]. Statements for several rows are in `orders.rs`, separate statements in `apart/`, and
//! calls to routines in `calls.rs` and `hammerdb.rs`.

mod apart;
mod calls;
pub mod delivery;
mod hammerdb;
pub mod new_order;
pub mod order_status;
mod orders;
pub mod payment;
mod rows;
pub mod stock_level;

use tacho_core::Rng;
use tacho_driver::Exchange;

use crate::random::last_name;
use crate::schema::CUSTOMERS;
use crate::setup::Setup;
use crate::statements::Statement;

/// A customer who is selected by number or by last name, clauses 2.5.1.2 and 2.6.1.2.
#[derive(Clone, Debug, Default)]
pub struct Person {
    /// Warehouse.
    pub w: i64,
    /// District.
    pub d: i64,
    /// Customer number, which is always drawn. If the customer is selected by name, only some deviations use this
    /// number.
    pub c: i64,
    /// True if the customer is selected by last name.
    pub by_name: bool,
    /// The last name.
    pub last: Vec<u8>,
}

impl Person {
    /// Draws a customer of a district: the number, whether the customer is selected by number or by
    /// name, and the name.
    pub fn draw(&mut self, setup: &Setup, rng: &mut Rng, w: i64, d: i64) {
        (self.w, self.d) = (w, d);
        self.c = customer(setup, rng);
        self.by_name = rng.between(1, 100) <= 60;
        self.last.clear();
        let uniform = setup.behaviour.uniform_name;
        let name = if uniform { rng.between(0, 999) } else { setup.constants.run_name(rng) };
        last_name(name, &mut self.last);
    }

    /// Queues the query that finds the customers with this last name.
    pub fn queue_search(&self, exchange: &mut Exchange) {
        let search = exchange.execute(Statement::CustomersByName);
        search.int(self.w).int(self.d).text(&self.last);
    }
}

/// Draws a customer number.
pub fn customer(setup: &Setup, rng: &mut Rng) -> i64 {
    if setup.behaviour.uniform_customer {
        rng.between(1, CUSTOMERS)
    } else {
        setup.constants.customer(rng)
    }
}
