//! The traits that a workload and its instances implement.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Parameter, Result, Schema};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, Operations, RowSource, StatementId,
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
    /// Number of steps in a unit of scale. A step is the smallest possible data set: one warehouse, or a hundredth of a
    /// gigabyte.
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

/// A deviation from the standard that a parameter turns on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirk {
    /// Parameter that controls the deviation.
    pub key: &'static str,
    /// The rule from which the workload deviates, with its clause number in the standard.
    pub clause: &'static str,
}

/// A transaction type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transaction {
    /// Name, such as `new_order`.
    pub name: &'static str,
    /// Expected fraction of all transactions, from 0 to 1. It is 0 for the queries of [`Streams`].
    pub share: f64,
    /// True if some transactions of this type are rolled back on purpose.
    pub rolls_back: bool,
}

/// A subset of a table's rows. A table is divided into numbered slots, and each slot may contain
/// any number of rows. A slice contains the rows in a range of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Index of the table in the schema.
    pub table: usize,
    /// Slots in the slice.
    pub slots: Range<u64>,
}

/// A part of the data that is loaded and committed as a whole, so that it is never only partly
/// present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Rows in the unit, in load order.
    pub slices: Vec<Slice>,
}

/// The workload's best-known metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline {
    /// Name of the metric, such as `NOPM`. Its values are per minute.
    pub name: &'static str,
    /// Query that returns one row with the counter, an integer that never decreases.
    pub counter: StatementId,
    /// Index of the transaction whose commits increase the counter. The client's count of them is
    /// compared with it.
    pub transaction: usize,
    /// Expected number of completed transactions of all types per unit of this metric.
    pub ratio: f64,
    /// Number of objects that the load has already created. The counter does not include them, so this number is needed
    /// to compute how much the data grows.
    pub loaded: u64,
    /// Maximum that one session can reach per minute if it waits for all keying and think times.
    /// `None` if there is no limit.
    pub most_per_session: Option<f64>,
    /// The way of reporting throughput.
    pub stated: Stated,
}

impl Headline {
    /// Returns true if throughput is reported in units of this metric.
    pub fn is_stated(&self) -> bool {
        self.stated != Stated::Tps
    }
}

/// The unit in which a workload with a headline metric reports its throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// Throughput is reported as this metric, together with the total of transactions per minute (TPM).
    WithTpm,
    /// Throughput is reported as this metric, together with transactions per second.
    WithTps,
    /// Throughput is reported only in transactions per second. The workload's own metric serves to
    /// detect lost commits.
    Tps,
}

/// Query streams, which are additional virtual users. Each runs one query after another. Their
/// queries are not part of the transaction metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Number of streams. The virtual users that run them are numbered after all other users.
    pub count: u32,
    /// Index of the first query type among the transaction types. The query types come last, and
    /// their expected fractions are 0.
    pub first_kind: usize,
}

/// The terminals of a workload: simulated users who key in each input and think about each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminals {
    /// Mean keying and think time of one transaction.
    pub cycle: Duration,
    /// Maximum number of terminals that the standard allows per unit of scale.
    pub per_unit_max: u32,
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

    /// Returns groups of related parameters, each with a title. An experiment that compares
    /// settings changes the parameters of one group after another, in this order.
    fn switch_groups(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[]
    }

    /// Returns the keys of the parameters that affect the data. A run must use the same values as
    /// the load.
    fn data_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the [`Workload::data_parameters`] whose values the workload computes itself, such as
    /// a hash of its tables.
    fn derived_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns a hint that tells the user where the tables come from, or `None` if the workload
    /// creates them itself.
    fn without_data(&self) -> Option<&'static str> {
        None
    }

    /// Returns the only form in which the workload can run, or `None` if it supports several forms.
    fn only_form(&self) -> Option<Form> {
        None
    }

    /// If the workload replays a log, reads the log and returns how the engine must run the load.
    /// Returns `None` for all other workloads.
    ///
    /// `progress` is called with the number of bytes read and the total. If it returns false,
    /// reading stops.
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

    /// Returns the statements in a dialect, for `describe`.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog>;

    /// Checks the user's choices, such as the scale, and creates an instance with them.
    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>>;
}

/// The stored routines of a workload in one dialect. Each script contains a single routine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routines {
    /// Scripts that create or replace the routines.
    pub create: Vec<String>,
    /// Scripts that drop the routines, regardless of their parameter lists. They also succeed if a
    /// routine does not exist.
    pub drop: Vec<String>,
}

/// The reason why [`Instance::inspect_data`] is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The inspection precedes a run, so it may change the database.
    Run,
    /// The inspection precedes a check, so it must not change anything.
    Check,
}

/// A workload with a given scale, seed and parameters. The same choices always give the same rows
/// and inputs.
pub trait Instance: Send + Sync {
    /// Returns all parameters with their values.
    fn parameters(&self) -> BTreeMap<String, String>;

    /// Returns the logical tables. Their columns are those of the generated rows.
    fn schema(&self) -> &Schema;

    /// Returns the tables as a dialect defines them, with types, keys, indexes, names and storage. They are in the same
    /// order as in [`Instance::schema`].
    fn layout(&self, _dialect: &dyn Dialect) -> Result<Schema> {
        Ok(self.schema().clone())
    }

    /// Returns the number of load units.
    fn units(&self) -> u64;

    /// Returns the unit at `index`.
    fn unit(&self, index: u64) -> Unit;

    /// Returns the number of slots in the table with index `table`.
    fn slots(&self, table: usize) -> u64;

    /// Returns the number of rows in the table with index `table`. If the number is random, returns its mean.
    fn expected_rows(&self, table: usize) -> u64;

    /// Returns the rows of a slice. The rows depend only on the slice's slot numbers, so every call
    /// returns the same rows.
    fn rows(&self, slice: &Slice) -> Box<dyn RowSource>;

    /// Returns an error if the database lacks a capability that is needed for the user's choices.
    fn requires(&self, capabilities: &Capabilities) -> Result<()>;

    /// Returns the statements that the clients, the checks and the headline metric use.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>>;

    /// Returns the stored routines for the `procedures` form, if the dialect has any.
    fn routines(&self, _dialect: &dyn Dialect) -> Result<Routines> {
        Ok(Routines::default())
    }

    /// Returns the statements that every session executes first, such as those that set limits.
    /// Fails if the dialect has no statement for one of the limits.
    fn session_script(&self, _dialect: &dyn Dialect) -> Result<String> {
        Ok(String::new())
    }

    /// Returns the transaction types in index order.
    fn transactions(&self) -> &[Transaction];

    /// Returns true if transactions of this type are read-only. They have no commits that could be
    /// lost.
    fn reads_only(&self, _kind: usize) -> bool {
        false
    }

    /// Returns the query streams that run alongside the transactions, or `None` if there are none.
    fn streams(&self) -> Option<Streams> {
        None
    }

    /// Returns the workload's terminals, or `None` if its users have no keying and think times. With terminals, the
    /// clients implement [`Client::seat`].
    fn terminals(&self) -> Option<Terminals> {
        None
    }

    /// Returns true if clients end on their own. The run then lasts until the last client ends, and records every
    /// transaction.
    fn ends(&self) -> bool {
        false
    }

    /// Returns how the engine must run the instance if its sessions and times come from a recorded log.
    fn recorded(&self) -> Option<Recorded> {
        None
    }

    /// Returns a comparison between a recorded log and its replay. While the replay is running, the
    /// comparison covers the statements that have already been sent.
    fn compare_with_log(&self) -> Option<LogComparison> {
        None
    }

    /// Returns true if clients and checks depend on changes by earlier runs.
    /// [`Instance::inspect_data`] must then be called first.
    fn needs_inspection(&self) -> bool {
        false
    }

    /// Returns true if clients assign numbers to the rows that they insert, starting after the
    /// highest number in the data. Such clients cannot be started while a run is in progress.
    fn numbers_rows(&self) -> bool {
        self.needs_inspection()
    }

    /// Finds the changes that earlier runs made to a table set, and completes changes that were
    /// interrupted. May return a message for the user.
    /// Returns an error if earlier runs have used up data that another run would need.
    fn inspect_data<'a>(
        &'a self,
        _: &'a mut Exchange,
        _tables: u32,
        _purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns true if clients report their operations, so that the isolation between transactions can be checked.
    fn has_history(&self) -> bool {
        false
    }

    /// Reads every list that clients may have changed, so that transaction isolation can be checked. Each list is read
    /// exactly once, after all sessions have ended.
    fn final_reads<'a>(&'a self, _: &'a mut Exchange) -> BoxFuture<'a, Result<Vec<Operations>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Returns the virtual user with number `session`, counted from 0.
    fn client(&self, session: u32) -> Box<dyn Client>;

    /// Returns the conditions on the data.
    fn checks(&self) -> Vec<Check>;

    /// Returns the checks that are made after a run by default. If some checks take longer than the
    /// run, they are not included.
    fn checks_after_run(&self) -> Vec<Check> {
        self.checks()
    }

    /// Returns the workload's main metric.
    fn headline(&self) -> Option<Headline>;

    /// Returns up to 8 sums that are used to detect lost commits, in addition to the headline metric's counter. Each
    /// sum must be fast to read.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// Returns the rules for the generator audit.
    fn audit_rules(&self) -> Vec<AuditRule>;
}
