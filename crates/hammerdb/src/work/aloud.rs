//! HammerDB's test driver tells each transaction and the values that it returned, by its virtual user.
//!
//! A driver around another one, so that neither the session loop nor a driver knows of it. Sessions for
//! administration are those of the inner driver. Start reading at [`AloudSession::tell`].

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Result, Schema, Table, Work};
use tacho_driver::text::{self, Moment};
use tacho_driver::{
    ADMINISTRATION, BacklogFuture, BoxFuture, Capabilities, Catalog, CollectorFuture, Counters,
    DataSizes, Dialect, Driver, Environment, Manifest, Object, RemovalFuture, Reply, Room,
    RowSource, Scheduling, ServerFacts, ServerMachine, Session, SettingsFuture, Statement, Step,
    Steps, Target, Value, ValueKind, Values,
};

use super::voice::Voice;
use crate::tcl::element;

/// What the names of statements that call a routine begin with.
const CALL: &str = "call_";

/// A driver whose sessions say what came back.
pub(super) struct Aloud {
    pub(super) driver: Arc<dyn Driver>,
    pub(super) voice: Voice,
    /// Number of the virtual user of the first session, and how many virtual users share the sessions.
    pub(super) first: u32,
    pub(super) users: u32,
}

impl Driver for Aloud {
    fn manifest(&self) -> &'static Manifest {
        self.driver.manifest()
    }

    fn capabilities(&self) -> Capabilities {
        self.driver.capabilities()
    }

    fn dialect(&self) -> &dyn Dialect {
        self.driver.dialect()
    }

    fn scheduling(&self) -> Scheduling {
        self.driver.scheduling()
    }

    fn check(&self, target: &Target) -> Result<()> {
        self.driver.check(target)
    }

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
        let (voice, user) = (self.voice.clone(), self.first + number % self.users);
        Box::pin(async move {
            let session = inner.await?;
            let (catalog, begun) = (Arc::default(), None);
            Ok(Box::new(AloudSession { session, catalog, begun, voice, user }) as Box<dyn Session>)
        })
    }

    fn remove<'a>(&'a self, target: &'a Target) -> RemovalFuture<'a> {
        self.driver.remove(target)
    }

    fn collector<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> CollectorFuture<'a> {
        self.driver.collector(target, environment)
    }

    fn settings<'a>(&'a self, target: &'a Target) -> SettingsFuture<'a> {
        self.driver.settings(target)
    }

    fn backlog<'a>(&'a self, target: &'a Target, environment: Environment) -> BacklogFuture<'a> {
        self.driver.backlog(target, environment)
    }
}

struct AloudSession {
    session: Box<dyn Session>,
    catalog: Arc<Catalog>,
    /// How many results the reply had when the exchange began that is under way.
    begun: Option<usize>,
    voice: Voice,
    user: u32,
}

impl AloudSession {
    /// Tells the results of an exchange. A routine's is that of the last statement of its section, after
    /// the name of the transaction; in other forms each statement that returns rows has a line.
    fn tell(&self, steps: Steps<'_>, reply: &Reply, first: usize) {
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
                self.voice.says(self.user, name.replace('_', " "));
                rows.for_each(|row| self.voice.says(self.user, row));
            } else {
                let name = statement.name.replace('_', " ");
                rows.for_each(|row| self.voice.says(self.user, format!("{name}: {row}")));
            }
        }
    }
}

/// A value as an element of a Tcl list.
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

impl Session for AloudSession {
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
        // One that failed is told too, with what came back before that.
        if polled.is_ready() {
            self.begun = None;
            self.tell(steps, reply, first);
        }
        polled
    }

    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        self.session.script(sql)
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        self.session.load(table, rows)
    }

    fn slow_load(&self) -> Option<&'static str> {
        self.session.slow_load()
    }

    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        self.session.tables()
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        self.session.objects()
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        self.session.obstacles(tables)
    }

    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>> {
        self.session.drop_set()
    }

    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        self.session.accepts(schema)
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        self.session.facts()
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        self.session.machine()
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        self.session.sizes()
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        self.session.counters()
    }

    fn room(&mut self) -> BoxFuture<'_, Result<Option<Room>>> {
        self.session.room()
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        self.session.plan(statement, values)
    }

    fn work(&mut self, alone: bool) -> BoxFuture<'_, Result<Option<Work>>> {
        self.session.work(alone)
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        self.session.close()
    }
}
