//! The workload with a given scale, seed and parameters.
//!
//! Start reading at [`Chosen`], whose methods use the code in the other files.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Result, Schema};
use tacho_driver::{Capabilities, Catalog, Dialect, Form, RowSource};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Counter, Headline, Instance, Options, Routines, Slice,
    Stated, Terminals, Transaction, Unit,
};

use crate::client::Terminal;
use crate::generate::{Generator, Rows};
use crate::mix::{NAMES, NEW_ORDER, ORDER_STATUS, STOCK_LEVEL};
use crate::names::Names;
use crate::params::PARAMETERS;
use crate::physical::{Physical, STORAGE_SYNONYMS};
use crate::profiles::PROFILES;
use crate::schema::{
    CUSTOMER, DISTRICT, HISTORY, ITEM, NEW_ORDER as NEW_ORDER_TABLE, ORDER_LINE, ORDERS, STOCK,
    WAREHOUSE, schema, slots_per_warehouse,
};
use crate::settings::Sequence;
use crate::settings::Settings;
use crate::setup::{Setup, Way};
use crate::statements::{self, Group, Statement};
use crate::{MANIFEST, audit, checks, layout, pacing, proof, samples};

/// Maximum number of new orders per minute that a terminal with wait times can reach, TPC-C clause
/// 5.2.5. Ten terminals reach 12.86.
const MOST_PER_SESSION: f64 = 1.286;
/// Number of terminals of a warehouse, TPC-C clause 4.2.2.
const TERMINALS_MAX: u32 = 10;
/// Fraction of transactions that are new orders, as assumed for [`MOST_PER_SESSION`].
const USUAL_SHARE: f64 = 0.45;

/// An instance of the workload.
pub struct Chosen {
    options: Options,
    schema: Schema,
    setup: Arc<Setup>,
    generator: Arc<Generator>,
    transactions: Vec<Transaction>,
    form: Form,
    names: Names,
}

impl Chosen {
    /// Creates an instance if the scale and the parameters are valid.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?
            .with_storage(&PARAMETERS, STORAGE_SYNONYMS)?;
        let physical = Physical::new(&options, choices.scale)?;
        let setup = Setup::new(choices, Settings::new(&options, &choices.dialect)?, physical);
        let generator =
            Generator::new(choices.data_seed, setup.population, setup.constants, setup.loaded_at);
        let shares = NAMES.into_iter().zip(setup.mix.shares()).enumerate();
        let transactions = shares.map(|(kind, (name, share))| Transaction {
            name,
            share,
            rolls_back: kind == NEW_ORDER && audit::rollback_share(&setup) > 0.0,
        });
        Ok(Self {
            options,
            schema: named(schema(setup.variant()), setup.physical.names),
            names: setup.physical.names,
            transactions: transactions.collect(),
            setup: Arc::new(setup),
            generator: Arc::new(generator),
            form: choices.form,
        })
    }

    /// Returns the number of statements in the catalog. Other workloads can append their own
    /// statements, because this number is the same for every dialect.
    pub fn statements(&self) -> u16 {
        statements::count(self.group())
    }

    /// Fails if a parameter has a value for which the selected statements cannot be used, or if the form needs routines
    /// that the data does not have.
    fn require_statements(&self) -> Result<()> {
        if let Some(key) = self.setup.misfit {
            let value = self.options.text(key);
            let text = format!("{key}={value} requires statements=apart");
            return Err(tacho_core::Error::usage(text).hint("use --set statements=apart"));
        }
        let has_own_tables = self.setup.physical.are_own_tables();
        if self.form != Form::Procedures || has_own_tables && self.setup.sequence != Sequence::Apart
        {
            return Ok(());
        }
        let why = if has_own_tables {
            "statements=apart sends statements"
        } else {
            "the tables do not have any"
        };
        let text = format!("--form procedures requires stored routines, but {why}");
        Err(tacho_core::Error::usage(text).hint("use --form sql, simple or pipelined"))
    }

    fn warehouses(&self) -> u64 {
        self.setup.warehouses as u64
    }

    /// Returns the group of statements that the transactions need besides the common ones, if any.
    fn group(&self) -> Option<Group> {
        match (self.setup.way, self.setup.sequence) {
            (Way::Calls, _) => Some(Group::Calls),
            (Way::Statements, Sequence::Orders) => Some(Group::Orders),
            (Way::Statements, _) if self.setup.style.batches => Some(Group::Batches),
            (Way::Statements, Sequence::Apart | Sequence::HammerDb) => Some(Group::Apart),
            (Way::Statements, Sequence::Lines) => None,
        }
    }
}

/// Renames the tables to `names`.
fn named(mut schema: Schema, names: Names) -> Schema {
    for (table, definition) in schema.tables.iter_mut().enumerate() {
        definition.name = names.table(table);
    }
    schema
}

impl Instance for Chosen {
    fn parameters(&self) -> BTreeMap<String, String> {
        self.options.all().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, dialect: &dyn Dialect) -> Result<Schema> {
        let logical = schema(self.setup.variant());
        layout::layout(&logical, &self.setup.physical, dialect)
    }

    /// Unit 0 contains the items, and unit w contains all other rows of warehouse w.
    fn units(&self) -> u64 {
        1 + self.warehouses()
    }

    fn unit(&self, index: u64) -> Unit {
        let slice = |table| {
            let slots = slots_per_warehouse(table);
            let first = index.saturating_sub(1) * slots;
            Slice { table, slots: first..first + slots }
        };
        let tables: &[usize] = match index {
            0 => &[ITEM],
            _ => &[
                WAREHOUSE,
                DISTRICT,
                CUSTOMER,
                HISTORY,
                STOCK,
                ORDERS,
                NEW_ORDER_TABLE,
                ORDER_LINE,
            ],
        };
        Unit { slices: tables.iter().copied().map(slice).collect() }
    }

    fn slots(&self, table: usize) -> u64 {
        let factor = if table == ITEM { 1 } else { self.warehouses() };
        slots_per_warehouse(table) * factor
    }

    fn expected_rows(&self, table: usize) -> u64 {
        // An order has 5 to `lines_max` lines, uniformly distributed, so the mean is (5 + `lines_max`) / 2.
        let lines = 5 + self.setup.population.lines_max as u64;
        if table == ORDER_LINE { self.slots(table) * lines / 2 } else { self.slots(table) }
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        Box::new(Rows::new(Arc::clone(&self.generator), slice))
    }

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.require_statements()?;
        capabilities.require(self.form, "the database")
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        let sections = |group: Group| match group {
            Group::Calls => Ok((group, vec![self.setup.routines.calls(dialect)?])),
            _ => group.sections(dialect),
        };
        let more = self.group().map(sections).transpose()?;
        statements::catalog(dialect, more, self.names).map(Arc::new)
    }

    /// Creates the routines for every form, so that all forms can run on the same data.
    fn routines(&self, dialect: &dyn Dialect) -> Result<Routines> {
        // The stored routines support only Tacho's own tables.
        if !self.setup.physical.are_own_tables() {
            return Ok(Routines::default());
        }
        let physical = &self.setup.physical;
        let kind = dialect.routine_kind(&physical.storage("warehouse"));
        Ok(self.setup.routines.routines(dialect, kind, physical.distributed))
    }

    fn session_script(&self, dialect: &dyn Dialect) -> Result<String> {
        let script =
            statements::stale_writes(dialect).filter(|_| self.setup.behaviour.stale_writes);
        let unchecked = statements::unchecked(dialect).filter(|_| self.setup.physical.unchecked);
        Ok(script.into_iter().chain(unchecked).collect::<Vec<_>>().join("\n"))
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn reads_only(&self, kind: usize) -> bool {
        matches!(kind, ORDER_STATUS | STOCK_LEVEL)
    }

    fn terminals(&self) -> Option<Terminals> {
        let cycle = pacing::cycle(&self.setup.behaviour, self.setup.mix.shares());
        Some(Terminals { cycle, per_unit_max: TERMINALS_MAX })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        Box::new(Terminal::new(Arc::clone(&self.setup), session))
    }

    fn checks(&self) -> Vec<Check> {
        let mut checks = checks::checks(&self.setup);
        checks.extend(samples::checks(&self.setup, &self.generator));
        checks
    }

    /// Leaves out one condition. Its query reads all order lines again, which takes too long to do after every run.
    fn checks_after_run(&self) -> Vec<Check> {
        let mut checks = self.checks();
        checks.retain(checks::is_after_run);
        checks
    }

    /// Defines the headline metric: new orders per minute. Each committed new-order transaction
    /// increases the order number of a district by one.
    fn headline(&self) -> Option<Headline> {
        let share = self.setup.mix.shares()[NEW_ORDER];
        // A different mix has a different limit.
        let is_usual = (share - USUAL_SHARE).abs() < 0.02;
        let committed = share * (1.0 - audit::rollback_share(&self.setup));
        (committed > 0.0).then(|| Headline {
            name: "NOPM",
            counter: Statement::NewOrdersTotal.into(),
            transaction: NEW_ORDER,
            ratio: 1.0 / committed,
            loaded: self.slots(ORDERS) * u64::from(self.setup.sets),
            most_per_session: is_usual.then_some(MOST_PER_SESSION),
            stated: Stated::WithTpm,
        })
    }

    fn counters(&self) -> Vec<Counter> {
        proof::counters(&self.setup)
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        audit::rules(&self.setup)
    }
}
