//! Prints the transactions and results of each virtual user, as HammerDB's test driver does.
//!
//! The output is printed by a driver that wraps the actual driver, so that no other module needs to be changed for it.
//!
//! Start reading at [`EchoSession::echo`].

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::Result;
use tacho_driver::text::{self, Moment};
use tacho_driver::{
    ADMINISTRATION, BoxFuture, Catalog, Driver, Environment, Reply, Session, Step, Steps, Target,
    Value, ValueKind, forwards,
};

use super::transcript::Transcript;
use crate::tcl::element;

/// Prefix in the names of statements that call a routine.
const CALL: &str = "call_";

/// A driver whose sessions print the results they receive.
pub(super) struct EchoDriver {
    pub(super) driver: Arc<dyn Driver>,
    pub(super) transcript: Transcript,
    /// The number of the virtual user that runs the first session.
    pub(super) first: u32,
    pub(super) users: u32,
}

impl Driver for EchoDriver {
    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        let number = environment.session;
        let inner = self.driver.connect(target, environment);
        if number >= ADMINISTRATION {
            return inner;
        }
        let (transcript, user) = (self.transcript.clone(), self.first + number % self.users);
        Box::pin(async move {
            let session = inner.await?;
            let (catalog, begun) = (Arc::default(), None);
            Ok(Box::new(EchoSession { session, catalog, begun, transcript, user })
                as Box<dyn Session>)
        })
    }

    forwards!(driver: manifest, capabilities, dialect, scheduling, check, code, library);
    forwards!(driver: runs_code, remove, collector, settings, deferred_work);
}

struct EchoSession {
    session: Box<dyn Session>,
    catalog: Arc<Catalog>,
    /// Number of results that were in the reply when the current round trip started. `None` if no round trip is in
    /// progress.
    begun: Option<usize>,
    transcript: Transcript,
    user: u32,
}

impl EchoSession {
    /// Prints the rows that a round trip returned, one per line. If a routine was called, a line with the transaction's
    /// name precedes its rows. For all other statements, each line starts with the statement's name.
    fn echo(&self, steps: Steps<'_>, reply: &Reply, first: usize) {
        let executed = steps.steps.iter().filter_map(|step| match step {
            Step::Execute { statement, .. } => Some(*statement),
            _ => None,
        });
        for (at, id) in (first..).zip(executed) {
            if self.catalog.next(id).is_some() {
                continue;
            }
            let statement = self.catalog.get(id);
            let rows = (0..reply.rows(at)).filter_map(|row| reply.get(at, row));
            let rows = rows.map(|row| {
                let columns = statement.results.iter().zip(0..row.columns());
                let values = columns.map(|(field, column)| written(row.get(column), field.kind));
                values.collect::<Vec<_>>().join(" ")
            });
            if let Some(name) = statement.name.strip_prefix(CALL) {
                self.transcript.prints(self.user, name.replace('_', " "));
                rows.for_each(|row| self.transcript.prints(self.user, row));
            } else {
                let name = statement.name.replace('_', " ");
                rows.for_each(|row| self.transcript.prints(self.user, format!("{name}: {row}")));
            }
        }
    }
}

/// Formats a value as a Tcl list element.
fn written(value: Value<'_>, kind: ValueKind) -> String {
    let mut out = Vec::new();
    match (value, kind) {
        (Value::Null, _) => {}
        (Value::Decimal(unscaled), ValueKind::Decimal(scale)) => {
            text::decimal(unscaled, scale, &mut out);
        }
        (Value::Int(number) | Value::Decimal(number), _) => text::whole(number, &mut out),
        (Value::Text(text), _) => out.extend_from_slice(text),
        (Value::Time(micros), _) => {
            if let Some(moment) = Moment::from_micros(micros) {
                moment.write_seconds(&mut out);
            }
        }
    }
    element(&String::from_utf8_lossy(&out))
}

impl Session for EchoSession {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.catalog = catalog.clone();
        self.session.prepare(catalog)
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.catalog = catalog.clone();
        self.session.simple(catalog)
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        let first = *self.begun.get_or_insert(reply.len());
        let polled = self.session.poll_exchange(steps, reply, context);
        // If a round trip fails, print the results that arrived before the failure.
        if polled.is_ready() {
            self.begun = None;
            self.echo(steps, reply, first);
        }
        polled
    }

    forwards!(session: script, text_rows, load, slow_load, drop_set, inspector, close);
}
