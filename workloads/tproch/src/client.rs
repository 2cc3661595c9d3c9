//! A query stream. Its number determines the order in which it runs the queries of each set.
//!
//! Start reading at [`Stream`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, Rng};
use tacho_driver::{Exchange, StatementId, Values};
use tacho_workload::{Client, Outcome, Run, Tally, Ticket, boxed};

use crate::queries::{Arguments, draw, order};
use crate::setup::Setup;
use crate::statements::{cloud_name, cloud_query, query, query_name};
use crate::{answers, row_counts};

/// The way in which the results of a stream's queries are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Results are not checked, because the database stores no data.
    No,
    /// Only the number of rows is checked.
    ByRows,
    /// Results are compared with known correct results.
    Compared,
}

/// The state of one session.
pub struct Stream {
    setup: Arc<Setup>,
    /// Stream number, which determines the order of the queries. If there is only one stream, its number is 0.
    number: u32,
    /// Number of queries drawn so far.
    sequence: u64,
    /// Number of times that parameters were redrawn for the current query.
    redraws: u64,
    /// Current query, counted from 1.
    query: u8,
    /// Parameter values of the current query.
    values: Values,
    /// Number of rows returned.
    rows: Option<u64>,
    /// Verification of results.
    judged: Judged,
}

impl Stream {
    /// Creates the stream with this number, which determines the order of the queries. A power run has a single stream,
    /// with the number 0.
    pub fn new(setup: Arc<Setup>, number: u32, judged: Judged) -> Self {
        Self {
            setup,
            number,
            sequence: 0,
            redraws: 0,
            query: 0,
            values: Values::default(),
            rows: None,
            judged,
        }
    }

    fn statement(&self) -> StatementId {
        if self.setup.cloud { cloud_query(self.query) } else { query(self.query) }
    }

    /// Draws the parameters of the current query from the stream's own seed. They are different in each query set,
    /// clause 2.1.3.3.
    fn draw(&mut self, rng: &mut Rng) {
        self.values.clear();
        let mut arguments = Arguments::new(self.setup.steps, &mut self.values);
        if self.setup.cloud {
            arguments.cloud(self.query);
        } else if self.setup.validation {
            arguments.validation(self.query);
        } else {
            draw(self.query, rng, &self.setup.deviations, &mut arguments);
        }
    }
}

impl Client for Stream {
    fn ended(&self) -> bool {
        self.sequence == self.setup.query_sets * self.setup.queries()
    }

    fn left(&self) -> Option<u64> {
        Some(self.setup.query_sets * self.setup.queries() + 1 - self.sequence)
    }

    fn next(&mut self) -> Ticket {
        let place = self.sequence % self.setup.queries();
        // In every stream, the cloud queries run in numerical order.
        self.query =
            if self.setup.cloud { place as u8 + 1 } else { order(self.number)[place as usize] };
        let seed = self.setup.seed.nth(self.number.into());
        let rng = &mut seed.rng(self.sequence);
        self.sequence += 1;
        self.redraws = 0;
        self.draw(rng);
        let transaction = usize::from(self.query) - 1;
        Ticket { transaction, keying: Duration::ZERO, think: Duration::ZERO }
    }

    fn redraw(&mut self) {
        let seed = self.setup.seed.child("redraw").nth(self.number.into());
        let rng = &mut seed.nth(self.sequence).rng(self.redraws);
        self.redraws += 1;
        self.draw(rng);
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let statement = self.statement();
        let Self { values, rows, .. } = self;
        boxed(async move {
            *rows = None;
            exchange.execute(statement).all(values);
            *rows = Some(exchange.send().await?.rows(0) as u64);
            Ok(Outcome::Committed)
        })
    }

    fn verify(&self, exchange: &Exchange) -> Result<()> {
        let reply = exchange.reply();
        let wrong = match self.judged {
            Judged::No => None,
            Judged::ByRows => row_counts::wrong_rows(self.query, &self.setup, reply.rows(0)),
            Judged::Compared => {
                let columns = &exchange.catalog().get(self.statement()).results;
                let found = answers::compare(self.query, self.setup.steps, columns, reply);
                (found.count > 0).then_some(found.first)
            }
        };
        wrong.map_or(Ok(()), |wrong| {
            let name = if self.setup.cloud { cloud_name } else { query_name }(self.query);
            let text = format!("{name} returned a wrong result: {wrong}");
            Err(Error::new(ErrorKind::WrongAnswer, text)
                .hint("tacho check verifies every query whose correct result is known"))
        })
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn question(&self) -> Option<(StatementId, &Values)> {
        Some((self.statement(), &self.values))
    }

    fn audit(&self, _: &mut Tally) {}
}
