//! An order-processing instance that adds three tables, the queries, and the query streams.
//!
//! All other methods call the order-processing instance. Start reading at [`Chosen`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tacho_core::{Result, Schema, Seed, Table};
use tacho_driver::{BoxFuture, Catalog, Dialect, Exchange, RowSource};
use tacho_workload::{
    Check, Choices, Client, Instance, InstanceLayer, Options, Purpose, Slice, Streams, Transaction,
    Unit,
};

use crate::generate::Rows;
use crate::params::{STREAMS, resolve};
use crate::schema::{NATION, REGION, SUPPLIER, rows, tables};
use crate::statements::QUERIES;
use crate::statements::{Own, query_name};
use crate::stream::{KINDS_BEFORE, Stream};
use crate::{MANIFEST, checks, statements};

/// An instance of the workload.
pub struct Chosen {
    orders: tacho_workload_tprocc::Chosen,
    options: Options,
    choices: Choices,
    schema: Schema,
    transactions: Vec<Transaction>,
    statements: Own,
    /// True if existing data has been found and inspected.
    seen: AtomicBool,
}

impl Chosen {
    /// Creates an instance if the scale and the parameters are valid.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let (options, rest) = resolve(choices)?;
        let orders = tacho_workload_tprocc::Chosen::new(&rest)?;
        let mut schema = orders.schema().clone();
        schema.tables.extend(tables());
        // Streams run all queries, regardless of the transaction mix.
        let query =
            |number| Transaction { name: query_name(number), share: 0.0, rolls_back: false };
        let mut transactions = orders.transactions().to_vec();
        assert_eq!(
            transactions.len(),
            KINDS_BEFORE,
            "number of transaction types before the queries"
        );
        transactions.extend((1..=QUERIES as u8).map(query));
        let statements = Own { first: orders.statements() };
        let (choices, seen) = (rest, AtomicBool::new(false));
        Ok(Self { orders, options, choices, schema, transactions, statements, seen })
    }

    /// Returns the table's index among the additional tables, or `None` for any other table.
    fn own_table(&self, table: usize) -> Option<usize> {
        table.checked_sub(self.first_table())
    }

    fn first_table(&self) -> usize {
        self.orders.schema().tables.len()
    }

    fn own_checks(&self) -> Vec<Check> {
        let mut checks = checks::conditions(self.statements, self.choices.scale);
        checks.push(checks::samples(self.statements, self.choices.data_seed));
        checks
    }

    fn stream_seed(&self, number: u32) -> Seed {
        self.choices.seed.child("streams").nth(number.into())
    }
}

impl InstanceLayer for Chosen {
    fn inner(&self) -> &dyn Instance {
        &self.orders
    }

    fn parameters(&self) -> BTreeMap<String, String> {
        self.options.all().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Gives the additional tables the same storage as the item table. Neither they nor the item table belong to a
    /// warehouse.
    fn layout(&self, dialect: &dyn Dialect) -> Result<Schema> {
        let mut schema = self.orders.layout(dialect)?;
        let like = |table: &&Table| table.name == "item";
        let storage = schema.tables.iter().find(like).map(|table| table.storage.clone());
        // The item table is divided by item number, which the additional tables do not have.
        let mut storage = storage.unwrap_or_default();
        storage.ranges.clear();
        let kept = |table: Table| Table { storage: storage.clone(), ..table };
        schema.tables.extend(tables().into_iter().map(kept));
        Ok(schema)
    }

    /// The order-processing workload's load units, followed by one unit for all additional tables.
    fn units(&self) -> u64 {
        self.orders.units() + 1
    }

    fn unit(&self, index: u64) -> Unit {
        if index < self.orders.units() {
            return self.orders.unit(index);
        }
        let slice = |table| Slice { table: self.first_table() + table, slots: 0..rows(table) };
        Unit { slices: [REGION, NATION, SUPPLIER].map(slice).into() }
    }

    fn slots(&self, table: usize) -> u64 {
        self.own_table(table).map_or_else(|| self.orders.slots(table), rows)
    }

    fn expected_rows(&self, table: usize) -> u64 {
        self.own_table(table).map_or_else(|| self.orders.expected_rows(table), rows)
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        match self.own_table(slice.table) {
            Some(table) => Box::new(Rows::new(self.choices.data_seed, table, slice.slots.clone())),
            None => self.orders.rows(slice),
        }
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        let orders = self.orders.catalog(dialect)?;
        let mut queries = statements::catalog(dialect)?;
        tacho_workload::bound_queries(&self.options, dialect, &mut queries);
        Ok(Arc::new(orders.and(&queries)))
    }

    fn session_script(&self, dialect: &dyn Dialect) -> Result<String> {
        let scripts = [
            self.orders.session_script(dialect)?,
            tacho_workload::session_script(&self.options, dialect)?,
        ];
        let some: Vec<String> = scripts.into_iter().filter(|script| !script.is_empty()).collect();
        Ok(some.join(";\n"))
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn reads_only(&self, kind: usize) -> bool {
        kind >= KINDS_BEFORE || self.orders.reads_only(kind)
    }

    fn streams(&self) -> Option<Streams> {
        let count = self.options.count(STREAMS) as u32;
        Some(Streams { count, first_kind: KINDS_BEFORE })
    }

    /// Returns true, because the query results can be checked only if the database contains data.
    fn needs_inspection(&self) -> bool {
        true
    }

    fn numbers_rows(&self) -> bool {
        true
    }

    fn inspect_data<'a>(
        &'a self,
        _: &'a mut Exchange,
        _: u32,
        _: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        self.seen.store(true, Ordering::Relaxed);
        Box::pin(async { Ok(None) })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let Some(number) = session.checked_sub(self.choices.sessions) else {
            return self.orders.client(session);
        };
        let judged = self.seen.load(Ordering::Relaxed);
        let (seed, loaded_at) = (self.stream_seed(number), self.choices.loaded_at);
        Box::new(Stream::new(self.statements, seed, loaded_at, judged))
    }

    fn checks(&self) -> Vec<Check> {
        let mut checks = self.orders.checks();
        checks.extend(self.own_checks());
        checks.extend(checks::answers(self.statements, self.choices.loaded_at));
        checks
    }

    /// Leaves out the checks of the queries, because the streams have already checked the results.
    fn checks_after_run(&self) -> Vec<Check> {
        let mut checks = self.orders.checks_after_run();
        checks.extend(self.own_checks());
        checks
    }
}
