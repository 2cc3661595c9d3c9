//! The five transactions: each draws its input and runs it.
//!
//! A file here must never draw while it runs, so that a failed transaction can be run again with
//! the same input, and must never allocate once its buffers are warm. Start reading at
//! [`new_order`]; one statement for
//! several rows is in `orders.rs`, each read and write by itself in `apart/`, and how stored routines are called in `calls.rs` and `hammerdb.rs`.

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

/// Who a transaction is for: chosen by number, or by last name as in clauses 2.5.1.2 and 2.6.1.2.
#[derive(Clone, Debug, Default)]
pub struct Person {
    /// Warehouse.
    pub w: i64,
    /// District.
    pub d: i64,
    /// Number; drawn for both ways, and used by name only where a quirk wants it.
    pub c: i64,
    /// Chosen by last name.
    pub by_name: bool,
    /// The last name.
    pub last: Vec<u8>,
}

impl Person {
    /// Draws number, way and name; the district and warehouse are given.
    pub fn draw(&mut self, setup: &Setup, rng: &mut Rng, w: i64, d: i64) {
        (self.w, self.d) = (w, d);
        self.c = customer(setup, rng);
        self.by_name = rng.between(1, 100) <= 60;
        self.last.clear();
        let uniform = setup.behaviour.uniform_name;
        let name = if uniform { rng.between(0, 999) } else { setup.constants.run_name(rng) };
        last_name(name, &mut self.last);
    }

    /// Queues the search for the customers of the name.
    pub fn queue_search(&self, exchange: &mut Exchange) {
        let search = exchange.execute(Statement::CustomersByName);
        search.int(self.w).int(self.d).text(&self.last);
    }
}

/// A customer number.
pub fn customer(setup: &Setup, rng: &mut Rng) -> i64 {
    if setup.behaviour.uniform_customer {
        rng.between(1, CUSTOMERS)
    } else {
        setup.constants.customer(rng)
    }
}
