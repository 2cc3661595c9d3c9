//! Sessions that run refresh functions, either while other sessions run query streams, or before
//! and after the queries of a single stream.
//!
//! Start reading at [`Refresher`] and [`Power`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Exchange, StatementId, Values};
use tacho_workload::{Client, Outcome, Run, Tally, Ticket, boxed};

use super::{Function, perform, transaction, update_set::UpdateSet};
use crate::client::Stream;
use crate::setup::Setup;

/// A session that runs pairs of refresh functions. Each pair consists of an insertion and a
/// deletion for one update set.
pub struct Refresher {
    setup: Arc<Setup>,
    /// Update set of the first pair.
    first: u64,
    /// Number of functions to run.
    functions: u64,
    /// Number of functions started.
    begun: u64,
    /// Number of rows written by the current function.
    rows: u64,
}

impl Refresher {
    /// Creates a session that runs `pairs` pairs, starting with set `first`.
    pub fn new(setup: Arc<Setup>, first: u64, pairs: u64) -> Self {
        Self { setup, first, functions: 2 * pairs, begun: 0, rows: 0 }
    }

    /// Returns the current refresh function and the update set that it processes.
    fn present(&self) -> (Function, u64) {
        let number = self.begun - 1;
        let function = if number.is_multiple_of(2) { Function::Insert } else { Function::Delete };
        (function, self.first + number / 2)
    }
}

impl Client for Refresher {
    fn ended(&self) -> bool {
        self.begun == self.functions
    }

    fn left(&self) -> Option<u64> {
        Some(self.functions + 1 - self.begun)
    }

    /// Starts the next refresh function. Also prepares the data that the row generator needs, so that the function does
    /// not have to wait for it.
    fn next(&mut self) -> Ticket {
        self.begun += 1;
        let (function, set) = self.present();
        if function == Function::Insert {
            UpdateSet::new(&self.setup, set, 0).warm();
        }
        self.rows = 0;
        Ticket { transaction: transaction(function), keying: Duration::ZERO, think: Duration::ZERO }
    }

    /// Does nothing, because the contents of an update set are fixed.
    fn redraw(&mut self) {}

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let (function, set) = self.present();
        let Self { setup, rows, .. } = self;
        boxed(async move {
            perform(exchange, setup, function, set, rows).await?;
            Ok(Outcome::Committed)
        })
    }

    /// Returns the number of rows written.
    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn growth(&self, moved: &mut [i64]) {
        let (function, _) = self.present();
        moved[function as usize - 1] = self.rows as i64;
    }

    fn commits_in_parts(&self) -> bool {
        true
    }

    fn audit(&self, _: &mut Tally) {}
}

/// A session in a power run, clause 5.3.3: RF1, then the queries of the only stream, then RF2.
pub struct Power {
    refresher: Refresher,
    stream: Stream,
    /// True if the current transaction is a query and not a refresh function.
    asks: bool,
}

impl Power {
    /// Creates a session that runs RF1 for set `first`, then the queries of `stream`, then RF2.
    pub fn new(setup: Arc<Setup>, first: u64, stream: Stream) -> Self {
        Self { refresher: Refresher::new(setup, first, 1), stream, asks: false }
    }

    fn present(&self) -> &dyn Client {
        if self.asks { &self.stream } else { &self.refresher }
    }
}

impl Client for Power {
    fn ended(&self) -> bool {
        self.refresher.ended()
    }

    fn next(&mut self) -> Ticket {
        self.asks = self.refresher.begun > 0 && !self.stream.ended();
        if self.asks { self.stream.next() } else { self.refresher.next() }
    }

    fn redraw(&mut self) {
        if self.asks {
            self.stream.redraw();
        }
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        if self.asks { self.stream.run(exchange) } else { self.refresher.run(exchange) }
    }

    fn verify(&self, exchange: &Exchange) -> Result<()> {
        self.present().verify(exchange)
    }

    fn rows(&self) -> Option<u64> {
        self.present().rows()
    }

    fn growth(&self, moved: &mut [i64]) {
        self.present().growth(moved);
    }

    fn commits_in_parts(&self) -> bool {
        self.present().commits_in_parts()
    }

    fn question(&self) -> Option<(StatementId, &Values)> {
        self.present().question()
    }

    fn audit(&self, _: &mut Tally) {}
}
