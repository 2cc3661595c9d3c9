//! The contract of workloads and their instances.

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
    /// Unit of the scale in the singular, such as `warehouse`.
    pub scale_unit: &'static str,
    /// Number of steps in a unit. Scales are counted in steps, and the smallest possible data set has one step: 1 for
    /// warehouses, 100 for hundredths of a gigabyte.
    pub scale_steps: u64,
    /// Largest scale, in steps.
    pub scale_max: u64,
    /// Version of the data format; Tacho rejects a marker of another version.
    pub version: u32,
    /// Statement that every summary must include, such as the standard from which the workload is derived.
    pub notice: &'static str,
    /// The workload's page in Markdown: what it models, and its deviations with clause numbers.
    pub docs: &'static str,
}

/// A deviation from the standard that a parameter can switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirk {
    /// Parameter that switches the deviation.
    pub key: &'static str,
    /// Rule in the standard from which it deviates, with the clause.
    pub clause: &'static str,
}

/// A transaction type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transaction {
    /// Name, such as `new_order`.
    pub name: &'static str,
    /// Expected share of all transactions, from 0 to 1; 0 for the queries of [`Streams`].
    pub share: f64,
    /// True if some of these transactions are rolled back on purpose.
    pub rolls_back: bool,
}

/// Rows of a table, given as a range of slots. A slot yields zero, one or several rows and is the smallest unit into
/// which a table can be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Index of the table in the schema.
    pub table: usize,
    /// Slots in the slice.
    pub slots: Range<u64>,
}

/// A part of the build that is committed as a whole, so that it exists completely or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Rows in the unit, in loading order.
    pub slices: Vec<Slice>,
}

/// The metric that a workload is known for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline {
    /// Name, such as `NOPM`; the metric is per minute.
    pub name: &'static str,
    /// Query that reads the counter from the database: it returns one row with one integer, which only grows.
    pub counter: StatementId,
    /// Transaction whose commits the counter counts, for the cross-check.
    pub transaction: usize,
    /// Expected ratio of all finished transactions to this metric.
    pub ratio: f64,
    /// Number of counted objects that the load created, used to compute how far the data has grown since then. The
    /// counter itself is 0 after the load.
    pub loaded: u64,
    /// Largest number per minute that one session can contribute with full keying and think times; `None` if there is
    /// no such limit.
    pub most_per_session: Option<f64>,
    /// Form in which throughput is reported.
    pub stated: Stated,
}

impl Headline {
    /// Returns true if throughput is reported as this metric.
    pub fn is_stated(&self) -> bool {
        self.stated != Stated::Tps
    }
}

/// The form in which throughput is reported for a workload that has a headline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// As this metric, together with all transactions per minute (TPM).
    WithTpm,
    /// As this metric, together with transactions per second.
    WithTps,
    /// As transactions per second; the metric only proves commits.
    Tps,
}

/// Query streams: virtual users in addition to the requested ones, each of which runs one query after another for as
/// long as the run lasts. Their work is counted separately and does not affect any transaction metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Number of streams, which are numbered after all other users.
    pub count: u32,
    /// Index of the first transaction type that belongs to the streams; all later types belong to them, too. Their
    /// shares are 0.
    pub first_kind: usize,
}

/// A workload.
pub trait Workload: Send + Sync {
    /// Returns the description of the workload.
    fn manifest(&self) -> &'static Manifest;

    /// Returns the parameters.
    fn parameters(&self) -> &'static [Parameter];

    /// Returns the profiles; the first one is the default.
    fn profiles(&self) -> &'static [Profile];

    /// Returns the parameters that switch a deviation from the standard.
    fn quirks(&self) -> &'static [Quirk] {
        &[]
    }

    /// Returns groups of related parameters with their titles, in the order in which a comparison of two configurations
    /// changes them.
    fn switch_groups(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[]
    }

    /// Returns the keys of the parameters that shape the data. A run must use the same values as the load.
    fn data_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns those [`Workload::data_parameters`] that are derived from the workload itself, such as a digest of its
    /// tables, and that the user therefore cannot choose.
    fn derived_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns a hint about where the tables come from, if the workload has no data of its own. Such a workload runs on
    /// existing tables; `prepare` has nothing to create, and runs do not require it.
    fn without_data(&self) -> Option<&'static str> {
        None
    }

    /// Returns the only form in which the workload can run, if there is just one.
    fn only_form(&self) -> Option<Form> {
        None
    }

    /// Reads the log of a recorded load and returns the way in which the engine must run it, or `None` for any other
    /// workload. Reading may take a long time; it happens before the first instance with these choices is created.
    /// `progress` receives the number of bytes read and the total, and returns false to stop.
    fn read_log(
        &self,
        _: &Choices,
        _progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Recorded>> {
        Ok(None)
    }

    /// Returns the word that selects the workload on the command line, which is a folder for a user's own workload.
    fn word(&self) -> &str {
        self.manifest().id
    }

    /// Returns the statements in a dialect, for `describe`.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog>;

    /// Checks the choices and creates an instance.
    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>>;
}

/// A workload's stored routines for one dialect, as scripts with one routine each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routines {
    /// Scripts that create or replace the routines.
    pub create: Vec<String>,
    /// Scripts that remove the routines, including those that other parameters would have created. It is not an error
    /// if a routine does not exist.
    pub drop: Vec<String>,
}

/// Purpose for which [`Instance::inspect_data`] is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A run follows, so the database may be changed.
    Run,
    /// A check follows, so nothing may be changed.
    Check,
}

/// A workload with chosen scale, seed and parameters. An instance is pure: equal choices produce equal rows and inputs.
pub trait Instance: Send + Sync {
    /// Returns all parameters with their values.
    fn parameters(&self) -> BTreeMap<String, String>;

    /// Returns the logical tables, which the generated rows match.
    fn schema(&self) -> &Schema;

    /// Returns the tables as they are created in a dialect. They are the tables of [`Instance::schema`] with the same
    /// columns, all in the same order. Types, NULL constraints, keys, indexes, names and storage may differ.
    fn layout(&self, _dialect: &dyn Dialect) -> Result<Schema> {
        Ok(self.schema().clone())
    }

    /// Returns the number of units in the build.
    fn units(&self) -> u64;

    /// Returns the unit at `index`.
    fn unit(&self, index: u64) -> Unit;

    /// Returns the number of slots in the table at index `table`.
    fn slots(&self, table: usize) -> u64;

    /// Returns the number of rows that the table at index `table` will have, or the mean if the number is random.
    fn expected_rows(&self, table: usize) -> u64;

    /// Returns the rows of a slice, which depend only on its slot numbers.
    fn rows(&self, slice: &Slice) -> Box<dyn RowSource>;

    /// Fails if the database lacks a capability that the choices need.
    fn requires(&self, capabilities: &Capabilities) -> Result<()>;

    /// Returns the statements that the clients, the checks and the headline use.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>>;

    /// Returns the stored routines for the form `procedures`; none if the dialect does not have any.
    fn routines(&self, _dialect: &dyn Dialect) -> Result<Routines> {
        Ok(Routines::default())
    }

    /// Returns the statements that every session executes at the start of a run, such as limits that the parameters
    /// set. The result is empty if no statement is needed; it is an error if the dialect cannot express one.
    fn session_script(&self, _dialect: &dyn Dialect) -> Result<String> {
        Ok(String::new())
    }

    /// Returns the transaction types in index order.
    fn transactions(&self) -> &[Transaction];

    /// Returns true if transactions of this type only read, so that none of their commits can be lost.
    fn reads_only(&self, _kind: usize) -> bool {
        false
    }

    /// Returns the query streams that run next to the transactions, if this kind of instance has streams. Their current
    /// number may be zero.
    fn streams(&self) -> Option<Streams> {
        None
    }

    /// Returns true if clients end by themselves. The run then ends with the last client, and every single transaction
    /// is recorded.
    fn ends(&self) -> bool {
        false
    }

    /// Returns the way in which the engine must run the instance, if its sessions and times come from a log.
    fn recorded(&self) -> Option<Recorded> {
        None
    }

    /// Returns the recorded log and the differences between it and the replay so far.
    fn compare_with_log(&self) -> Option<LogComparison> {
        None
    }

    /// Returns true if clients and checks need to know what earlier runs have left in the database. In that case,
    /// [`Instance::inspect_data`] is called before they are created.
    fn needs_inspection(&self) -> bool {
        false
    }

    /// Returns true if clients number new rows and continue the numbers of earlier rows. A client that starts in the
    /// middle of a load would use some numbers a second time.
    fn numbers_rows(&self) -> bool {
        self.needs_inspection()
    }

    /// Inspects what earlier runs have left in the set of tables with this number, which is 0 if there is only one set,
    /// and remembers the result. Before a run, it also completes what an interrupted run has left behind, and fails if
    /// the database has no room for the clients' work. Returns a message for the user, if any.
    fn inspect_data<'a>(
        &'a self,
        _: &'a mut Exchange,
        _tables: u32,
        _purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns the virtual user with the number `session`, counted from 0.
    fn client(&self, session: u32) -> Box<dyn Client>;

    /// Returns the conditions on the data.
    fn checks(&self) -> Vec<Check>;

    /// Returns the checks that follow a run by default: all checks, or only those that take no longer than the run
    /// itself.
    fn checks_after_run(&self) -> Vec<Check> {
        self.checks()
    }

    /// Returns the metric that the workload is known for.
    fn headline(&self) -> Option<Headline>;

    /// Returns the sums in the database that prove the transactions' commits, in addition to the headline's counter.
    /// They are read before and after the run and compared with the sums of the clients. There may be at most 8, and
    /// each must be quick to read at any scale.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// Returns the rules of the generator audit.
    fn audit_rules(&self) -> Vec<AuditRule>;
}
