//! The workload with a given scale, seed and parameters.
//!
//! Start reading at [`Chosen`], whose methods use the code in the other files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result, Schema};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, Reply, RowSource, StatementId, Value,
};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Counter, Headline, Instance, Options, PlaceInSet, Purpose,
    Sequence, Slice, Transaction, Unit,
};

use crate::client::User;
use crate::generate::Rows;
use crate::params::{PARAMETERS, PROFILES};
use crate::schema;
use crate::setup::Setup;
use crate::statements::{self, Bulk, Whole};
use crate::{MANIFEST, audit, checks};

/// Number of rows committed together during the load.
const UNIT_ROWS: u64 = 50_000;

/// An instance of the workload.
pub struct Chosen {
    options: Options,
    schema: Schema,
    setup: Arc<Setup>,
    transactions: [Transaction; 1],
    form: Form,
    sets: u32,
    /// Highest IDs found in the database, for each set of tables and each table.
    last_ids: Mutex<BTreeMap<u32, Vec<i64>>>,
}

impl Chosen {
    /// Creates an instance if the scale and the parameters are valid.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?;
        let setup = Setup::new(choices, &options)?;
        let transaction = Transaction { name: setup.event.name(), share: 1.0, rolls_back: false };
        let schema = if setup.event.is_bulk() {
            schema::bulk(choices.scale)
        } else {
            schema::schema(choices.scale, setup.secondary_index)
        };
        Ok(Self {
            schema: schema.kept_as(&options.plain_storage()?),
            options,
            setup: Arc::new(setup),
            transactions: [transaction],
            form: choices.form,
            sets: choices.sets.max(1),
            last_ids: Mutex::default(),
        })
    }

    fn units_of_table(&self) -> u64 {
        // Even a table without rows needs one load unit, which creates the table.
        (self.setup.size as u64).div_ceil(UNIT_ROWS).max(1)
    }

    fn sessions_of_set(&self) -> i64 {
        (self.setup.sessions as u64).div_ceil(u64::from(self.sets)) as i64
    }

    /// Fails if there are more bulk-insert sessions than tables, because two sessions would then share a table.
    fn require_a_table_each(&self) -> Result<()> {
        let (sessions, tables) = (self.sessions_of_set(), self.setup.tables);
        if sessions <= tables {
            return Ok(());
        }
        let text = format!(
            "bulk-insert requires one table per session: {} for {}",
            counted(tables as u64, "table"),
            counted(sessions as u64, "session")
        );
        Err(Error::usage(text)
            .hint(format!("use --sessions {tables}, or prepare with --scale {sessions}")))
    }

    fn no_procedures(&self) -> Result<()> {
        if self.form != Form::Procedures {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported, "oltp has no stored routines")
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

    fn units(&self) -> u64 {
        self.units_of_table() * self.schema.tables.len() as u64
    }

    fn unit(&self, index: u64) -> Unit {
        let (table, part) = (index / self.units_of_table(), index % self.units_of_table());
        let (start, size) = (part * UNIT_ROWS, self.setup.size as u64);
        let slots = start..(start + UNIT_ROWS).min(size);
        Unit { slices: vec![Slice { table: table as usize, slots }] }
    }

    fn slots(&self, _table: usize) -> u64 {
        self.setup.size as u64
    }

    fn expected_rows(&self, table: usize) -> u64 {
        self.slots(table)
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        Box::new(Rows::new(Arc::clone(&self.setup), slice))
    }

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.no_procedures()?;
        capabilities.require(self.form, "the database")
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        self.no_procedures()?;
        let tables = self.schema.tables.len() as u64;
        let catalog = if self.setup.event.is_bulk() {
            statements::bulk_catalog(dialect, tables, self.setup.lists)
        } else {
            statements::catalog(dialect, tables, self.setup.lists)
        };
        catalog.map(Arc::new)
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn needs_inspection(&self) -> bool {
        self.setup.event.numbers_rows()
    }

    /// Reads the highest ID in each table. New rows get the IDs that follow.
    fn inspect_data<'a>(
        &'a self,
        exchange: &'a mut Exchange,
        tables: u32,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            if purpose == Purpose::Check {
                return Ok(None);
            }
            let is_bulk = self.setup.event.is_bulk();
            if is_bulk {
                self.require_a_table_each()?;
            }
            let id: StatementId =
                if is_bulk { Bulk::LastIds.into() } else { Whole::LastIds.into() };
            exchange.execute(id);
            let last = last_ids(exchange.send().await?, self.schema.tables.len())?;
            let mut found = self.last_ids.lock().unwrap_or_else(PoisonError::into_inner);
            found.insert(tables, last);
            Ok(None)
        })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let PlaceInSet { set, place } = PlaceInSet::of(session, self.sets);
        let found = self.last_ids.lock().unwrap_or_else(PoisonError::into_inner);
        let found = found.get(&set).map_or(&[][..], Vec::as_slice);
        let (table, ids) = if self.setup.event.is_bulk() {
            let table = place as usize % self.schema.tables.len();
            (table, Sequence { next: found.get(table).copied().unwrap_or(0) + 1, step: 0 })
        } else {
            let last = found.iter().max().copied().unwrap_or(self.setup.size);
            (0, Sequence { next: last + 1 + i64::from(place), step: self.sessions_of_set() })
        };
        Box::new(User::new(Arc::clone(&self.setup), session, table as i64, ids))
    }

    fn checks(&self) -> Vec<Check> {
        checks::checks(&self.setup)
    }

    /// Returns `None`. A headline metric must be counted in the database, but the data does not show how many events
    /// have run.
    fn headline(&self) -> Option<Headline> {
        None
    }

    fn counters(&self) -> Vec<Counter> {
        let rows = self.setup.lists.rows as i64;
        let counter = Counter {
            transaction: 0,
            name: "rows",
            statement: Bulk::RowsTotal.into(),
            column: 0,
            digits: 0,
            step: (rows, rows),
        };
        if self.setup.event.is_bulk() { vec![counter] } else { Vec::new() }
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        audit::rules(&self.setup)
    }
}

/// Returns the highest ID in each table. A table is identified by the number at the end of its name.
fn last_ids(reply: &Reply, tables: usize) -> Result<Vec<i64>> {
    let mut found = vec![0; tables];
    for row in 0..reply.rows(0) {
        // A target without data returns NULL.
        let Some(row) = reply.get(0, row) else { continue };
        let Value::Text(name) = row.get(0) else { continue };
        let name = String::from_utf8_lossy(name);
        let number = name.trim().trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(last) = place.and_then(|place| found.get_mut(place)) {
            *last = row.maybe_number(1)?.unwrap_or(0);
        }
    }
    Ok(found)
}
