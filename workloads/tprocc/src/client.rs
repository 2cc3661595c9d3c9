//! A virtual user, which draws transactions with their inputs and runs them.
//!
//! A virtual user must not allocate memory once its buffers are warm. Start reading at [`Terminal`].

use std::sync::Arc;

use tacho_core::{Rng, Seed};
use tacho_driver::Exchange;
use tacho_workload::{Client, Run, Tally, Ticket, boxed};

use crate::audit::Counts;
use crate::homes::Place;
use crate::mix::{DELIVERY, Dealer, NEW_ORDER, ORDER_STATUS, PAYMENT};
use crate::pacing;
use crate::schema::DISTRICTS;
use crate::setup::Setup;
use crate::transactions::delivery::Delivery;
use crate::transactions::new_order::NewOrder;
use crate::transactions::order_status::OrderStatus;
use crate::transactions::payment::Payment;
use crate::transactions::stock_level::StockLevel;

/// The state of a session. It includes the inputs of the last transaction, so that a failed
/// transaction can be run again.
pub struct Terminal {
    setup: Arc<Setup>,
    seed: Seed,
    /// Number of transactions drawn so far.
    sequence: u64,
    /// Number of times that new inputs were drawn for the current transaction.
    redraws: u64,
    place: Place,
    dealer: Dealer,
    kind: usize,
    new_order: NewOrder,
    payment: Payment,
    order_status: OrderStatus,
    delivery: Delivery,
    stock_level: StockLevel,
    counts: Counts,
}

impl Terminal {
    /// Creates the virtual user with number `session`.
    pub fn new(setup: Arc<Setup>, session: u32) -> Self {
        let seed = setup.input_seed.nth(u64::from(session));
        Self {
            place: place(&setup, session, seed),
            dealer: Dealer::new(setup.mix.clone(), seed),
            setup,
            seed,
            sequence: 0,
            redraws: 0,
            kind: 0,
            new_order: NewOrder::default(),
            payment: Payment::default(),
            order_status: OrderStatus::default(),
            delivery: Delivery::default(),
            stock_level: StockLevel::default(),
            counts: Counts::default(),
        }
    }
}

/// Returns the home of session `session`, whose inputs have the given seed.
fn place(setup: &Setup, session: u32, seed: Seed) -> Place {
    // Determine the session's number among the sessions that use the same set of tables, and how many such sessions
    // there are.
    let (number, sessions) = (session / setup.sets, setup.sessions.div_ceil(setup.sets));
    Place::new(&setup.behaviour, setup.warehouses, number, sessions, seed)
}

impl Terminal {
    /// Draws the input for a transaction of the current type.
    fn draw(&mut self, rng: &mut Rng) {
        let w = self.place.warehouse(rng);
        // Dates do not come from a clock, because the input would then depend on when it is drawn.
        let at = self.setup.loaded_at + self.sequence as i64;
        let (setup, counts) = (&*self.setup, &mut self.counts);
        match self.kind {
            NEW_ORDER => self.new_order.draw(setup, rng, w, at, counts),
            PAYMENT => self.payment.draw(setup, rng, w, at, counts),
            ORDER_STATUS => self.order_status.draw(setup, rng, w, counts),
            DELIVERY => self.delivery.draw(rng, w, at, self.place.district),
            _ => {
                let each = setup.behaviour.each_district;
                let d = if each { rng.between(1, DISTRICTS) } else { self.place.district };
                self.stock_level.draw(rng, w, d);
            }
        }
    }
}

impl Client for Terminal {
    fn seat(&mut self, terminal: u32, sequence: u64) {
        self.seed = self.setup.input_seed.nth(u64::from(terminal));
        self.place = place(&self.setup, terminal, self.seed);
        self.dealer.reseed(self.seed);
        self.sequence = sequence;
    }

    fn next(&mut self) -> Ticket {
        let rng = &mut self.seed.rng(self.sequence);
        self.kind = self.dealer.deal(self.sequence, rng);
        self.sequence += 1;
        self.redraws = 0;
        self.counts.kinds[self.kind] += 1;
        self.draw(rng);
        Ticket {
            transaction: self.kind,
            keying: pacing::keying(self.kind),
            think: pacing::think(&self.setup.behaviour, self.kind, rng),
        }
    }

    fn redraw(&mut self) {
        let stream = self.seed.child("redraw").nth(self.sequence);
        let rng = &mut stream.rng(self.redraws);
        self.redraws += 1;
        self.draw(rng);
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let setup = &*self.setup;
        match self.kind {
            NEW_ORDER => boxed(self.new_order.run(setup, exchange)),
            PAYMENT => boxed(self.payment.run(setup, exchange)),
            ORDER_STATUS => boxed(self.order_status.run(setup, exchange)),
            DELIVERY => boxed(self.delivery.run(setup, exchange)),
            _ => boxed(self.stock_level.run(setup, exchange)),
        }
    }

    fn growth(&self, moved: &mut [i64]) {
        let ordered = if self.kind == NEW_ORDER { self.new_order.customer() } else { 0 };
        let paid = if self.kind == PAYMENT { self.payment.amount() } else { 0 };
        let delivered = if self.kind == DELIVERY { self.delivery.moved } else { 0 };
        let carried = delivered * self.delivery.carrier;
        // Some setups do not use the last counters as proof. `moved` is then shorter, so these values are ignored.
        let all = [ordered, paid, paid, delivered, carried];
        moved.iter_mut().zip(all).for_each(|(moved, by)| *moved = by);
    }

    fn audit(&self, tally: &mut Tally) {
        let counts = Counts {
            districts: self.delivery.visited,
            districts_skipped: self.delivery.skipped,
            ..self.counts.clone()
        };
        counts.tally(&self.setup, tally);
    }
}
