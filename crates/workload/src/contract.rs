//! Workload and instance: what a workload must offer.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tacho_core::{Parameter, Result, Schema};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, RowSource, StatementId,
};

use crate::{AuditRule, Check, Choices, Client, Counter, LogComparison, Profile, Recorded};

/// What a workload is.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    /// Name on the command line, such as `tprocc`.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Unit of its scale, singular, such as `warehouse`.
    pub scale_unit: &'static str,
    /// How many steps are one unit. A scale is counted in steps, and one step is the smallest data
    /// there is: 1 for warehouses, 100 for hundredths of a gigabyte.
    pub scale_steps: u64,
    /// Largest scale, in steps.
    pub scale_max: u64,
    /// Version of its data format; a marker of another version is refused.
    pub version: u32,
    /// What every summary must say about it, such as what it is derived from.
    pub notice: &'static str,
    /// The workload's page: what it models, deviations with clause numbers. Markdown.
    pub docs: &'static str,
}

/// A deviation that can be switched alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirk {
    /// The parameter that switches it.
    pub key: &'static str,
    /// What the standard says instead, with the clause.
    pub clause: &'static str,
}

/// A kind of transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transaction {
    /// Name, such as `new_order`.
    pub name: &'static str,
    /// Expected share of all transactions, 0 to 1; 0 for the queries of [`Streams`].
    pub share: f64,
    /// Whether some of them are rolled back on purpose.
    pub rolls_back: bool,
}

/// Rows of one table: a range of its slots. A slot yields none, one or several rows, and is the
/// unit in which a table can be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Index of the table in the schema.
    pub table: usize,
    /// Its slots.
    pub slots: Range<u64>,
}

/// A part of the build that is committed as a whole, and so is either there or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its rows, in the order of loading.
    pub slices: Vec<Slice>,
}

/// The figure that a workload is known for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline {
    /// Name, such as `NOPM`; per minute.
    pub name: &'static str,
    /// The query that counts it in the database: one row, one whole number that only grows.
    pub counter: StatementId,
    /// The transaction whose commits it counts, for the cross-check.
    pub transaction: usize,
    /// Expected ratio of all ended transactions to this figure.
    pub ratio: f64,
    /// How many such things the load made, to tell how far the data has grown since; the counter
    /// begins at 0 after the load.
    pub loaded: u64,
    /// What one session adds to it at most in a minute, with all its keying and think times; `None` where it has
    /// none.
    pub most_per_session: Option<f64>,
    /// How the throughput is stated.
    pub stated: Stated,
}

impl Headline {
    /// Returns true if the throughput is stated as this figure.
    pub fn is_stated(&self) -> bool {
        self.stated != Stated::Tps
    }
}

/// How the users of a workload with a counted figure state its throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// As this figure, next to all transactions per minute (TPM).
    WithTpm,
    /// As this figure, next to transactions per second.
    WithTps,
    /// As transactions per second; the figure only proves commits.
    Tps,
}

/// Virtual users in addition to those that are asked for: each goes through queries, one after the other, as long
/// as the run lasts. What they do is counted by itself and enters no figure of the transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// How many; they are numbered after all other users.
    pub count: u32,
    /// Index of the first kind of transaction that is theirs, as all after it are. Their shares are 0.
    pub first_kind: usize,
}

/// A workload.
pub trait Workload: Send + Sync {
    /// What it is.
    fn manifest(&self) -> &'static Manifest;

    /// Its parameters.
    fn parameters(&self) -> &'static [Parameter];

    /// Its profiles; the first is the default.
    fn profiles(&self) -> &'static [Profile];

    /// The parameters among them that switch a deviation from the standard.
    fn quirks(&self) -> &'static [Quirk] {
        &[]
    }

    /// Parameters that belong together, each group with its title, in the order in which a comparison of two
    /// configurations changes them.
    fn switch_groups(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[]
    }

    /// Keys of the parameters that shape the data. A run must have them as the load had.
    fn data_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Those of [`Workload::data_parameters`] that follow from the workload itself, such as a digest of its
    /// tables, so that no value of them can be chosen.
    fn derived_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Of a workload without data of its own, which `prepare` would make and every run require: a hint of where
    /// tables come from. It runs on what the database holds.
    fn without_data(&self) -> Option<&'static str> {
        None
    }

    /// The only form in which it runs, if there is but one.
    fn only_form(&self) -> Option<Form> {
        None
    }

    /// Reads the log of a load that was recorded, which may take long, before the first instance with these choices is
    /// made, and says how it is run; `None` of any other workload. `progress` is given how many bytes of how many were
    /// read, and returns whether to continue.
    fn read_log(
        &self,
        _: &Choices,
        _progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Recorded>> {
        Ok(None)
    }

    /// What names it on the command line: a folder where it is one of the user.
    fn word(&self) -> &str {
        self.manifest().id
    }

    /// Statements as written for a dialect, for `describe`.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog>;

    /// Checks the choices and makes an instance of them.
    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>>;
}

/// Stored routines of a workload for one dialect: scripts, one routine each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routines {
    /// Create or replace them.
    pub create: Vec<String>,
    /// Remove them, also those that other parameters would have made; no error if they are absent.
    pub drop: Vec<String>,
}

/// What [`Instance::inspect_data`] comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A run: the database may be changed.
    Run,
    /// A check: nothing may be changed.
    Check,
}

/// A workload with scale, seed and parameters chosen. Pure: equal choices give equal rows and
/// inputs.
pub trait Instance: Send + Sync {
    /// All parameters with their values.
    fn parameters(&self) -> BTreeMap<String, String>;

    /// The tables as the workload sees them: generated rows fit them.
    fn schema(&self) -> &Schema;

    /// The tables as they are made in a dialect: those of [`Instance::schema`] in the same order,
    /// with the same columns in the same order. Types, NULL, keys, indexes, names and storage may be
    /// others.
    fn layout(&self, _dialect: &dyn Dialect) -> Result<Schema> {
        Ok(self.schema().clone())
    }

    /// How many units the build has.
    fn units(&self) -> u64;

    /// The unit at `index`.
    fn unit(&self, index: u64) -> Unit;

    /// How many slots the table at `table` has.
    fn slots(&self, table: usize) -> u64;

    /// How many rows the table at `table` will have; a mean if that is drawn.
    fn expected_rows(&self, table: usize) -> u64;

    /// The rows of a slice, from nothing but its numbers.
    fn rows(&self, slice: &Slice) -> Box<dyn RowSource>;

    /// Fails if the database lacks something that the choices need.
    fn requires(&self, capabilities: &Capabilities) -> Result<()>;

    /// The statements that clients, checks and headline use.
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>>;

    /// The stored routines of form `procedures`; none where the dialect has none.
    fn routines(&self, _dialect: &dyn Dialect) -> Result<Routines> {
        Ok(Routines::default())
    }

    /// Statements that every session of a run begins with, such as limits that the parameters ask for;
    /// empty where nothing is needed, an error if the dialect has no words for them.
    fn session_script(&self, _dialect: &dyn Dialect) -> Result<String> {
        Ok(String::new())
    }

    /// The kinds of transactions, in the order of their indexes.
    fn transactions(&self) -> &[Transaction];

    /// Whether transactions of this kind only read, so that none of their commits can be lost.
    fn reads_only(&self, _kind: usize) -> bool {
        false
    }

    /// The streams of queries next to the transactions, for an instance that has such; there may be none at
    /// present.
    fn streams(&self) -> Option<Streams> {
        None
    }

    /// Whether its clients come to an end by themselves. A run is then over with the last of them,
    /// and each of their transactions is kept by itself.
    fn ends(&self) -> bool {
        false
    }

    /// How it is run, if its sessions and times are those of a log.
    fn recorded(&self) -> Option<Recorded> {
        None
    }

    /// The log as it was, and how the replay differs from it so far.
    fn compare_with_log(&self) -> Option<LogComparison> {
        None
    }

    /// Whether clients and checks have to know what earlier runs have left in the database; if so,
    /// [`Instance::inspect_data`] is asked before they are made.
    fn needs_inspection(&self) -> bool {
        false
    }

    /// Whether clients give new rows numbers that continue those of earlier ones. A client that begins in the middle of a
    /// load would give some of them once more.
    fn numbers_rows(&self) -> bool {
        self.needs_inspection()
    }

    /// Looks at what earlier runs have left in the set of tables with this number, 0 for the only one,
    /// and keeps it in mind. Before a run it also brings to an end what an interrupted one has left,
    /// and fails if the database has no room for what the clients will do. Returns what the user
    /// should know.
    fn inspect_data<'a>(
        &'a self,
        _: &'a mut Exchange,
        _tables: u32,
        _purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async { Ok(None) })
    }

    /// The virtual user number `session`, from 0.
    fn client(&self, session: u32) -> Box<dyn Client>;

    /// The conditions on the data.
    fn checks(&self) -> Vec<Check>;

    /// The checks after a run by default: all, or those that take no longer than
    /// the run itself.
    fn checks_after_run(&self) -> Vec<Check> {
        self.checks()
    }

    /// The figure that the workload is known for.
    fn headline(&self) -> Option<Headline>;

    /// Sums in the database by which the commits of the transactions are proved, in addition to the
    /// headline's counter: read before and after the run and compared with what the clients add up. At
    /// most 8; each must be read within moments at any scale.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// What the generator audit promises.
    fn audit_rules(&self) -> Vec<AuditRule>;
}
