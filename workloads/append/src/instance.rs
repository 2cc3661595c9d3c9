//! The workload with a given scale, seed and parameters.
//!
//! Start reading at [`Chosen`], whose methods use the code in the other files.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result, Schema};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, Operations, RowSource,
};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Headline, Instance, Options, Purpose, Slice, Transaction,
    Unit,
};

use crate::client::User;
use crate::generate::Rows;
use crate::params::{PARAMETERS, PROFILES};
use crate::schema::schema;
use crate::setup::{READ, Setup};
use crate::{MANIFEST, audit, checks, final_reads, statements};

/// Number of rows committed together during the load.
const UNIT_ROWS: u64 = 50_000;

/// An instance of the workload.
pub struct Chosen {
    options: Options,
    schema: Schema,
    setup: Arc<Setup>,
    transactions: Vec<Transaction>,
    form: Form,
}

impl Chosen {
    /// Creates an instance if the scale and the parameters are valid.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?;
        let storage = options.plain_storage()?;
        let setup = Setup::new(choices, &options);
        Ok(Self {
            options,
            schema: schema().kept_as(&storage),
            transactions: setup.transactions(),
            setup: Arc::new(setup),
            form: choices.form,
        })
    }

    fn no_procedures(&self) -> Result<()> {
        if self.form != Form::Procedures {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported, "append has no stored routines")
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
        self.setup.all_keys.div_ceil(UNIT_ROWS)
    }

    fn unit(&self, index: u64) -> Unit {
        let first = index * UNIT_ROWS;
        let slots = first..(first + UNIT_ROWS).min(self.setup.all_keys);
        Unit { slices: vec![Slice { table: 0, slots }] }
    }

    fn slots(&self, _table: usize) -> u64 {
        self.setup.all_keys
    }

    fn expected_rows(&self, table: usize) -> u64 {
        self.slots(table)
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        Box::new(Rows::new(slice.slots.clone()))
    }

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.no_procedures()?;
        capabilities.require(self.form, "the database")
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        self.no_procedures()?;
        statements::catalog(dialect).map(Arc::new)
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn reads_only(&self, kind: usize) -> bool {
        self.transactions.get(kind).is_some_and(|transaction| transaction.name == READ)
    }

    fn needs_inspection(&self) -> bool {
        true
    }

    /// Returns false. The values that clients write contain the session number, so a client can start at any time.
    fn numbers_rows(&self) -> bool {
        false
    }

    /// Finds the keys that earlier runs used.
    fn inspect_data<'a>(
        &'a self,
        exchange: &'a mut Exchange,
        _tables: u32,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            if purpose == Purpose::Run {
                final_reads::start(&self.setup, exchange).await?;
            }
            Ok(None)
        })
    }

    fn has_history(&self) -> bool {
        true
    }

    fn final_reads<'a>(
        &'a self,
        exchange: &'a mut Exchange,
    ) -> BoxFuture<'a, Result<Vec<Operations>>> {
        Box::pin(final_reads::final_reads(&self.setup, exchange))
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        Box::new(User::new(Arc::clone(&self.setup), session))
    }

    fn checks(&self) -> Vec<Check> {
        checks::checks(&self.setup)
    }

    /// There is no headline metric, because nothing in the database counts the transactions.
    fn headline(&self) -> Option<Headline> {
        None
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        audit::rules(&self.setup)
    }
}
