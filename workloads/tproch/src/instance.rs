//! The workload with a given scale, seed and parameters.
//!
//! Start reading at [`Chosen`], whose methods use the code in the other files.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Column, Error, ErrorKind, Result, Schema, Type};
use tacho_driver::{BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, RowSource};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Counter, Headline, Instance, Options, Purpose, Slice,
    Transaction, Unit,
};

use crate::answers;
use crate::client::{Judged, Stream};
use crate::generate;
use crate::params::{PARAMETERS, PROFILES, STORAGE_SYNONYMS};
use crate::refresh::{self, Power, Refresher, Seen};
use crate::schema::{
    CUSTOMER, LINEITEM, NATION, ORDERS, PART, PARTSUPP, REFRESHES, REGION, SUPPLIER, is_fixed,
    rows_per_step, schema,
};
use crate::setup::{Role, Setup};
use crate::statements::{self, cloud_name, query_name};
use crate::{MANIFEST, checks, layout, samples};

/// Maximum number of load units. From 100 gigabytes on, a unit therefore contains several scale steps.
const UNITS_MAX: u64 = 10_000;

/// An instance of the workload.
pub struct Chosen {
    options: Options,
    schema: Schema,
    setup: Arc<Setup>,
    transactions: Vec<Transaction>,
    form: Form,
    seen: Seen,
}

impl Chosen {
    /// Creates an instance if the scale and the parameters are valid.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?
            .with_storage(&PARAMETERS, STORAGE_SYNONYMS)?;
        let setup = Setup::new(choices, &options);
        if setup.cloud && setup.refresh {
            return Err(Error::usage("queries=cloud cannot be combined with refresh=true")
                .hint("refresh functions are supported only with the standard queries"));
        }
        let transactions = transactions(&setup);
        let mut schema = schema(setup.indexed, setup.deviations.phone_type());
        if let Some(names) = setup.upper_names {
            names.in_schema(&mut schema);
        }
        Ok(Self {
            options,
            schema,
            setup: Arc::new(setup),
            transactions,
            form: choices.form,
            seen: Seen::default(),
        })
    }

    /// Returns a flag for each column of each table. It is false if the column may contain rounded
    /// values, because HammerDB's tables can store decimals as integers.
    fn loaded_exactly(&self) -> Vec<Vec<bool>> {
        let rounds = self.options.on("hammerdb_tables");
        let exact = |column: &Column| !(rounds && matches!(column.ty, Type::Decimal { .. }));
        let tables = self.schema.tables.iter();
        tables.map(|table| table.columns.iter().map(exact).collect()).collect()
    }

    fn steps_per_unit(&self) -> u64 {
        self.setup.steps.div_ceil(UNITS_MAX)
    }

    /// Returns how to check a stream's results. After a refresh, the correct results are unknown, so only the number of
    /// rows is checked for plausibility.
    fn judged(&self, tables: u32) -> Judged {
        match self.seen.of(tables) {
            None => Judged::No,
            Some(state) => {
                let as_loaded = state.inserted.set == 0 && !self.setup.refresh;
                let known =
                    self.setup.validation && !self.setup.cloud && answers::are_known(&self.setup);
                if known && as_loaded { Judged::Compared } else { Judged::ByRows }
            }
        }
    }

    fn no_procedures(&self) -> Result<()> {
        if self.form != Form::Procedures {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Unsupported,
            "tproch has no stored routines, because it \
                                                consists of queries",
        )
        .hint("use --form sql, which works with every database"))
    }
}

impl Instance for Chosen {
    fn parameters(&self) -> BTreeMap<String, String> {
        self.options.all().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, dialect: &dyn Dialect) -> Result<Schema> {
        // Only eight of every 32 numbers are used as order keys. The last key is therefore four times the number of
        // orders.
        let (options, last_order) = (&self.options, self.expected_rows(ORDERS) * 4);
        let Some(names) = self.setup.upper_names else {
            return layout::layout(&self.schema, options, last_order, dialect);
        };
        let lower = schema(self.setup.indexed, self.setup.deviations.phone_type());
        let mut schema = layout::layout(&lower, options, last_order, dialect)?;
        names.in_schema(&mut schema);
        Ok(schema)
    }

    fn session_script(&self, dialect: &dyn Dialect) -> Result<String> {
        tacho_workload::session_script(&self.options, dialect)
    }

    /// Unit 0 contains the tables of fixed size. Each of the other units contains some scale steps
    /// of all tables that grow.
    fn units(&self) -> u64 {
        1 + self.setup.steps.div_ceil(self.steps_per_unit())
    }

    fn unit(&self, index: u64) -> Unit {
        let Some(growing) = index.checked_sub(1) else {
            return Unit {
                slices: [REGION, NATION, REFRESHES]
                    .map(|table| Slice { table, slots: 0..1 })
                    .into(),
            };
        };
        let first = growing * self.steps_per_unit();
        let slots = first..(first + self.steps_per_unit()).min(self.setup.steps);
        let tables = [SUPPLIER, CUSTOMER, PART, PARTSUPP, ORDERS, LINEITEM];
        Unit { slices: tables.map(|table| Slice { table, slots: slots.clone() }).into() }
    }

    fn slots(&self, table: usize) -> u64 {
        if is_fixed(table) { 1 } else { self.setup.steps }
    }

    fn expected_rows(&self, table: usize) -> u64 {
        rows_per_step(table) * self.slots(table)
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        generate::rows(self.setup.steps, slice, self.setup.deviations)
    }

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.no_procedures()?;
        capabilities.require(self.form, "the database")?;
        if self.setup.refresh && !capabilities.stores_data {
            let text = "refresh=true needs rows to refresh, but this database does not store any";
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("omit the parameter, or use a different database"));
        }
        Ok(())
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        self.no_procedures()?;
        let Setup { deviations, cloud, upper_names, .. } = &*self.setup;
        let mut catalog = statements::catalog(dialect, deviations, *cloud, *upper_names)?;
        tacho_workload::bound_queries(&self.options, dialect, &mut catalog);
        Ok(Arc::new(catalog))
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    /// Returns true if the transaction is a query. Queries come before the refresh functions in the list of
    /// transactions.
    fn reads_only(&self, kind: usize) -> bool {
        kind < self.setup.queries() as usize
    }

    /// A stream ends with its last query set.
    fn ends(&self) -> bool {
        true
    }

    /// Returns true. The data must be inspected first, because clients and checks must know which refreshes have run.
    fn needs_inspection(&self) -> bool {
        true
    }

    fn inspect_data<'a>(
        &'a self,
        exchange: &'a mut Exchange,
        tables: u32,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        let refreshes = purpose == Purpose::Run && self.setup.refresh;
        let pairs = if refreshes { self.setup.pairs(tables.saturating_sub(1)) } else { 0 };
        Box::pin(async move {
            let (state, words) = refresh::look(exchange, &self.setup, pairs).await?;
            self.seen.note(tables, state);
            Ok(words)
        })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let tables = self.setup.tables_of(session);
        let state = self.seen.of(tables).unwrap_or_default();
        let (setup, next) = (Arc::clone(&self.setup), state.inserted.set + 1);
        let stream = |number| Stream::new(Arc::clone(&self.setup), number, self.judged(tables));
        match self.setup.role(session) {
            Role::Stream(number) => Box::new(stream(number)),
            Role::Power(number) => Box::new(Power::new(setup, next, stream(number))),
            Role::Refresher(pairs) => Box::new(Refresher::new(setup, next, pairs)),
        }
    }

    fn checks(&self) -> Vec<Check> {
        let mut checks = self.checks_after_run();
        checks.extend(checks::answers(&self.setup, self.seen.refreshed()));
        checks
    }

    /// Leaves out the checks of query results, which the run has already made. Running all queries
    /// again would take as long as the run itself.
    fn checks_after_run(&self) -> Vec<Check> {
        let refreshed = self.seen.refreshed();
        let mut checks = checks::conditions(&self.setup, refreshed);
        checks.extend(samples::checks(&self.setup, &self.loaded_exactly()));
        checks
    }

    /// There is no headline metric, because queries leave nothing in the database that could be counted.
    fn headline(&self) -> Option<Headline> {
        None
    }

    /// Returns the counters of the refresh functions. Queries have none, because they change nothing.
    fn counters(&self) -> Vec<Counter> {
        if self.setup.refresh { refresh::counters(&self.setup) } else { Vec::new() }
    }

    /// Returns no rules, because nothing is random: a stream's order is fixed, and each query set
    /// runs every query once.
    fn audit_rules(&self) -> Vec<AuditRule> {
        Vec::new()
    }
}

/// Returns the queries and, if they are enabled, the refresh functions.
fn transactions(setup: &Setup) -> Vec<Transaction> {
    let of = if setup.cloud { cloud_name } else { query_name };
    let names = (1..=setup.queries() as u8).map(of);
    let refreshes = ["rf1", "rf2"].into_iter().filter(|_| setup.refresh);
    let names: Vec<&str> = names.chain(refreshes).collect();
    let share = 1.0 / names.len() as f64;
    names.into_iter().map(|name| Transaction { name, share, rolls_back: false }).collect()
}
