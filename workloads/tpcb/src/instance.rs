//! The workload with a given scale, seed and parameters.
//!
//! Start reading at [`Chosen`], whose methods use the code in the other files.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result, Schema};
use tacho_driver::{Capabilities, Catalog, Dialect, Form, RowSource};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Counter, Headline, Instance, Options, Slice, Stated,
    Transaction, Unit,
};

use crate::client::User;
use crate::generate::Rows;
use crate::input::DELTA;
use crate::params::{PARAMETERS, PROFILES};
use crate::schema::{ACCOUNT, BRANCH, TELLER, schema, slots_per_branch};
use crate::setup::{Script, Setup};
use crate::statements::{self, Statement};
use crate::{MANIFEST, audit, checks};

/// An instance of the workload.
pub struct Chosen {
    options: Options,
    schema: Schema,
    setup: Arc<Setup>,
    transactions: [Transaction; 1],
    form: Form,
}

impl Chosen {
    /// Creates an instance if the scale and the parameters are valid.
    pub fn new(choices: &Choices) -> Result<Self> {
        MANIFEST.require_scale(choices.scale)?;
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?;
        let storage = options.plain_storage()?;
        let setup = Setup::new(choices, &options)?;
        let transaction = Transaction { name: setup.script.name(), share: 1.0, rolls_back: false };
        Ok(Self {
            options,
            schema: schema(choices.scale).kept_as(&storage),
            setup: Arc::new(setup),
            transactions: [transaction],
            form: choices.form,
        })
    }

    fn branches(&self) -> u64 {
        self.setup.branches as u64
    }

    fn no_procedures(&self) -> Result<()> {
        if self.form != Form::Procedures {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported, "tpcb has no stored routines")
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

    /// Unit 0 contains all branches and tellers. Unit b contains branch b's accounts.
    fn units(&self) -> u64 {
        1 + self.branches()
    }

    fn unit(&self, index: u64) -> Unit {
        let whole = |table| Slice { table, slots: 0..self.slots(table) };
        let slices = match index.checked_sub(1) {
            None => vec![whole(BRANCH), whole(TELLER)],
            Some(branch) => {
                let slots = slots_per_branch(ACCOUNT);
                let first = branch * slots;
                vec![Slice { table: ACCOUNT, slots: first..first + slots }]
            }
        };
        Unit { slices }
    }

    fn slots(&self, table: usize) -> u64 {
        slots_per_branch(table) * self.branches()
    }

    fn expected_rows(&self, table: usize) -> u64 {
        self.slots(table)
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        Box::new(Rows::new(slice))
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

    fn reads_only(&self, _: usize) -> bool {
        self.setup.script == Script::SelectOnly
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        Box::new(User::new(Arc::clone(&self.setup), session))
    }

    fn checks(&self) -> Vec<Check> {
        checks::checks(&self.setup)
    }

    /// Defines the headline metric: commits, counted as new rows in the history table. select-only
    /// has none, because it adds no rows.
    fn headline(&self) -> Option<Headline> {
        self.setup.script.writes().then(|| Headline {
            name: "CPM",
            counter: Statement::HistoryCount.into(),
            transaction: 0,
            ratio: 1.0,
            // The history table is supposed to grow. No transaction reads the table, so its growth cannot slow the run
            // down and must not be reported as drift.
            loaded: 0,
            most_per_session: None,
            stated: Stated::Tps,
        })
    }

    /// Sums of the transferred amounts, as recorded in the history and in the balances of tellers and branches.
    ///
    /// Omits accounts, because summing them takes time proportional to their number.
    fn counters(&self) -> Vec<Counter> {
        let names = match self.setup.script {
            Script::TpcbLike => &["delta of the history", "tbalance", "bbalance"][..],
            Script::SimpleUpdate => &["delta of the history"],
            Script::SelectOnly => &[],
        };
        let counter = |(column, name): (usize, &&'static str)| Counter {
            transaction: 0,
            name,
            statement: Statement::CommitsTotal.into(),
            column,
            digits: 0,
            step: (-DELTA, DELTA),
        };
        names.iter().enumerate().map(counter).collect()
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        audit::rules(&self.setup)
    }
}
