//! The workload with scale, seed and parameters chosen.
//!
//! Start reading at [`Chosen`]: it hands every question to the file that answers it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result, Schema};
use tacho_driver::{Capabilities, Catalog, Dialect, Form, RowSource};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Headline, Instance, Options, Slice, Transaction, Unit,
};

use crate::client::Stream;
use crate::generate;
use crate::params::{PARAMETERS, PROFILES};
use crate::queries::QUERIES;
use crate::schema::{
    CUSTOMER, LINEITEM, NATION, ORDERS, PART, PARTSUPP, REGION, SUPPLIER, is_fixed, rows_per_step,
    schema,
};
use crate::setup::Setup;
use crate::statements::{self, query_name};
use crate::{MANIFEST, checks};

/// Most units of a build: from 100 gigabytes on, a unit has several steps.
const UNITS_MAX: u64 = 10_000;

/// An instance of the workload.
pub struct Chosen {
    options: Options,
    schema: Schema,
    setup: Arc<Setup>,
    transactions: [Transaction; QUERIES],
    form: Form,
}

impl Chosen {
    /// Checks scale and parameters.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?;
        let setup = Setup::new(choices, &options);
        let share = 1.0 / QUERIES as f64;
        let transactions = std::array::from_fn(|at| Transaction {
            name: query_name(at as u8 + 1),
            share,
            rolls_back: false,
        });
        Ok(Self {
            options,
            schema: schema(setup.indexed),
            setup: Arc::new(setup),
            transactions,
            form: choices.form,
        })
    }

    fn steps_per_unit(&self) -> u64 {
        self.setup.steps.div_ceil(UNITS_MAX)
    }

    fn no_procedures(&self) -> Result<()> {
        if self.form != Form::Procedures {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported, "tproch has no stored routines: it is queries")
            .hint("--form sql works with every database"))
    }
}

impl Instance for Chosen {
    fn parameters(&self) -> BTreeMap<String, String> {
        self.options.all().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Unit 0 is the tables that do not grow; the others are some steps of all that do.
    fn units(&self) -> u64 {
        1 + self.setup.steps.div_ceil(self.steps_per_unit())
    }

    fn unit(&self, index: u64) -> Unit {
        let Some(growing) = index.checked_sub(1) else {
            return Unit {
                slices: [REGION, NATION].map(|table| Slice { table, slots: 0..1 }).into(),
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
        generate::rows(self.setup.steps, slice)
    }

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.no_procedures()?;
        self.form.require(capabilities, "the database")
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        self.no_procedures()?;
        statements::catalog(dialect).map(Arc::new)
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    /// A stream ends with its last query set.
    fn ends(&self) -> bool {
        true
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        Box::new(Stream::new(Arc::clone(&self.setup), session))
    }

    fn checks(&self) -> Vec<Check> {
        checks::checks(self.setup.steps)
    }

    /// None: a query changes nothing that could be counted.
    fn headline(&self) -> Option<Headline> {
        None
    }

    /// None: the orders of the streams are fixed, and each set asks every query once.
    fn audit_rules(&self) -> Vec<AuditRule> {
        Vec::new()
    }
}
