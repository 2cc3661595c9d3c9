//! The contract for workloads and their instances.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tacho_core::{Parameter, Result, Schema};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, RowSource, StatementId,
};

use crate::{AuditRule, Check, Choices, Client, Counter, LogComparison, Profile, Recorded};

/// Description of a workload.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    /// Name on the command line, such as `tprocc`.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// Unit of scale in the singular, such as `warehouse`.
    pub scale_unit: &'static str,
    /// Number of steps in a unit. A step is the smallest data set: one warehouse, or a hundredth of a gigabyte.
    pub scale_steps: u64,
    /// Largest scale, in steps.
    pub scale_max: u64,
    /// Version of the data format. Tacho rejects a marker with a different version.
    pub version: u32,
    /// Statement that every summary must include, such as the standard that the workload is derived from.
    pub notice: &'static str,
    /// The workload's page in Markdown. It describes the model and lists deviations with clause numbers.
    pub docs: &'static str,
}

/// A deviation from the standard that a parameter can turn on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirk {
    /// Parameter that controls the deviation.
    pub key: &'static str,
    /// Rule of the standard from which the workload deviates, with its clause.
    pub clause: &'static str,
}

/// A transaction type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transaction {
    /// Name, such as `new_order`.
    pub name: &'static str,
    /// Expected fraction of all transactions, from 0 to 1. It is 0 for the queries of [`Streams`].
    pub share: f64,
    /// True if some of these transactions are rolled back on purpose.
    pub rolls_back: bool,
}

/// A table's rows in a range of slots. A slot, the smallest part of a table, yields any number of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Index of the table in the schema.
    pub table: usize,
    /// Slots in the slice.
    pub slots: Range<u64>,
}

/// A unit of the load, committed as a whole so that it is never partly present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Rows in the unit, in load order.
    pub slices: Vec<Slice>,
}

/// The workload's best-known metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline {
    /// Name of the metric, such as `NOPM`, which is measured per minute.
    pub name: &'static str,
    /// Query that reads the counter: one row with one integer that never decreases.
    pub counter: StatementId,
    /// Transaction whose commits are counted and compared with the counter.
    pub transaction: usize,
    /// Expected ratio of all completed transactions to this metric.
    pub ratio: f64,
    /// Number of counted objects after the load, for computing the data's growth. The counter itself starts at 0.
    pub loaded: u64,
    /// One session's maximum per minute with full keying and think times, or `None` if there is no limit.
    pub most_per_session: Option<f64>,
    /// The way of reporting throughput.
    pub stated: Stated,
}

impl Headline {
    /// Returns true if throughput is reported as this metric.
    pub fn is_stated(&self) -> bool {
        self.stated != Stated::Tps
    }
}

/// The way of reporting throughput for a workload with a headline metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// Throughput is reported in this metric, together with all transactions per minute (TPM).
    WithTpm,
    /// Throughput is reported as this metric, together with transactions per second.
    WithTps,
    /// Throughput is reported in transactions per second. The metric only proves commits.
    Tps,
}

/// Query streams: additional virtual users that run one query after another. Transaction metrics exclude them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Number of streams. They are numbered after all other users.
    pub count: u32,
    /// Index of the first transaction type of the query streams. Their types come last and have expected fractions of
    /// 0.
    pub first_kind: usize,
}

/// A workload.
pub trait Workload: Send + Sync {
    /// Returns the workload's description.
    fn manifest(&self) -> &'static Manifest;

    /// Returns the parameters.
    fn parameters(&self) -> &'static [Parameter];

    /// Returns the profiles. The first one is the default.
    fn profiles(&self) -> &'static [Profile];

    /// Returns the deviations from the standard that parameters can turn on or off.
    fn quirks(&self) -> &'static [Quirk] {
        &[]
    }

    /// Returns titled groups of related parameters, in the order in which a comparison changes them.
    fn switch_groups(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[]
    }

    /// Returns the keys of the parameters that affect the data. A run must use the values of the load.
    fn data_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the [`Workload::data_parameters`] that follow from the workload, such as a digest of its tables.
    fn derived_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns a hint about the tables' origin if the workload does not create them itself.
    fn without_data(&self) -> Option<&'static str> {
        None
    }

    /// Returns the form in which the workload can run, if there is only one.
    fn only_form(&self) -> Option<Form> {
        None
    }

    /// Reads a recorded load's log and returns how the engine must run it. Returns `None` for other workloads.
    ///
    /// `progress` receives the bytes read and the total, and returns false to stop.
    fn read_log(
        &self,
        _: &Choices,
        _progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Recorded>> {
        Ok(None)
    }

    /// Returns the argument that selects the workload on the command line, such as a name or a folder.
    fn word(&self) -> &str {
        self.manifest().id
    }

    /// Returns the statements in a dialect for use by `describe`.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog>;

    /// Checks the choices and creates an instance.
    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>>;
}

/// A workload's stored routines for one dialect, as scripts that contain one routine each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routines {
    /// Scripts that create or replace the routines.
    pub create: Vec<String>,
    /// Scripts that remove the routines, whatever their parameters. They succeed if a routine does not exist.
    pub drop: Vec<String>,
}

/// Reason for calling [`Instance::inspect_data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A run follows, so the database can be changed.
    Run,
    /// A check follows, so nothing must be changed.
    Check,
}

/// A workload with a given scale, seed and parameters. Equal choices produce equal rows and inputs.
pub trait Instance: Send + Sync {
    /// Returns all parameters with their values.
    fn parameters(&self) -> BTreeMap<String, String>;

    /// Returns the logical tables, which the generated rows match.
    fn schema(&self) -> &Schema;

    /// Returns the tables with a dialect's types, keys, indexes, names and storage, in the order of
    /// [`Instance::schema`].
    fn layout(&self, _dialect: &dyn Dialect) -> Result<Schema> {
        Ok(self.schema().clone())
    }

    /// Returns the number of load units.
    fn units(&self) -> u64;

    /// Returns the unit at `index`.
    fn unit(&self, index: u64) -> Unit;

    /// Returns the number of slots in the table with index `table`.
    fn slots(&self, table: usize) -> u64;

    /// Returns the number of rows in the table with index `table`, or the mean if the number is random.
    fn expected_rows(&self, table: usize) -> u64;

    /// Returns the rows in a slice, which depend only on its slot numbers.
    fn rows(&self, slice: &Slice) -> Box<dyn RowSource>;

    /// Fails if the database lacks a capability that the choices require.
    fn requires(&self, capabilities: &Capabilities) -> Result<()>;

    /// Returns the statements used by the clients, the checks and the headline.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>>;

    /// Returns the stored routines for the `procedures` form, if the dialect has any.
    fn routines(&self, _dialect: &dyn Dialect) -> Result<Routines> {
        Ok(Routines::default())
    }

    /// Returns the statements that every session executes first, such as limits. Fails if the dialect cannot express
    /// one.
    fn session_script(&self, _dialect: &dyn Dialect) -> Result<String> {
        Ok(String::new())
    }

    /// Returns the transaction types in index order.
    fn transactions(&self) -> &[Transaction];

    /// Returns true if transactions of this type are read-only, so that no commit can be lost.
    fn reads_only(&self, _kind: usize) -> bool {
        false
    }

    /// Returns the query streams that run alongside the transactions, or `None` if the instance has none.
    fn streams(&self) -> Option<Streams> {
        None
    }

    /// Returns true if clients end on their own. The run then lasts until the last client ends, and records every
    /// transaction.
    fn ends(&self) -> bool {
        false
    }

    /// Returns how the engine must run the instance if its sessions and times come from a log.
    fn recorded(&self) -> Option<Recorded> {
        None
    }

    /// Returns a comparison of the recorded log with the replay so far.
    fn compare_with_log(&self) -> Option<LogComparison> {
        None
    }

    /// Returns true if clients and checks need [`Instance::inspect_data`] to find what earlier runs changed.
    fn needs_inspection(&self) -> bool {
        false
    }

    /// Returns true if clients number new rows from the highest existing number. No client may then start during a run.
    fn numbers_rows(&self) -> bool {
        self.needs_inspection()
    }

    /// Finds changes by earlier runs in a table set, and completes unfinished ones. May return a message for the user.
    ///
    /// Fails if there is no room for more work.
    fn inspect_data<'a>(
        &'a self,
        _: &'a mut Exchange,
        _tables: u32,
        _purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns the virtual user with number `session`, counted from 0.
    fn client(&self, session: u32) -> Box<dyn Client>;

    /// Returns the conditions on the data.
    fn checks(&self) -> Vec<Check>;

    /// Returns the checks that follow a run by default: all, or only checks that take no longer than the run.
    fn checks_after_run(&self) -> Vec<Check> {
        self.checks()
    }

    /// Returns the workload's best-known metric.
    fn headline(&self) -> Option<Headline>;

    /// Returns up to 8 sums that prove commits, besides the headline's counter. Each must be quick to read.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// Returns the rules for the generator audit.
    fn audit_rules(&self) -> Vec<AuditRule>;
}
