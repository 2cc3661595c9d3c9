//! Tables as data: a workload describes them once, a dialect writes them in its own words.

use crate::Result;

/// A column's type, in the common subset of the databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 16-bit integer.
    SmallInt,
    /// 32-bit integer.
    Int,
    /// 64-bit integer.
    BigInt,
    /// Exact number of `precision` digits, `scale` of them after the point.
    Decimal {
        /// All digits.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// Text of exactly this many characters.
    Char(u16),
    /// Text of at most this many characters.
    Varchar(u16),
    /// Date and time of day.
    Timestamp,
    /// A day, without time of day. Its values are times of midnight in UTC.
    Date,
}

impl Type {
    /// Mean stored bytes, for size estimates; variable text counts three quarters of its limit.
    pub const fn mean_bytes(self) -> u64 {
        match self {
            Self::SmallInt => 2,
            Self::Int | Self::Date => 4,
            Self::BigInt | Self::Timestamp => 8,
            Self::Decimal { precision, .. } => precision as u64 / 2 + 1,
            Self::Char(length) => length as u64,
            Self::Varchar(length) => length as u64 * 3 / 4,
        }
    }
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, lower case.
    pub name: &'static str,
    /// Type.
    pub ty: Type,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// The type in a dialect's own words where it is not that of `ty`, such as a whole number for
    /// amounts: values are sent as `ty`, and the server makes its own of them.
    pub declared: Option<&'static str>,
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Name, unique in the schema.
    pub name: &'static str,
    /// Columns, most significant first.
    pub columns: Vec<&'static str>,
    /// Whether it forbids duplicates.
    pub unique: bool,
}

/// Rows are spread by the hash of a column over so many partitions, or, where a server has no such partitions, by
/// equal ranges of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashPartitions {
    /// The column.
    pub column: &'static str,
    /// What the partitions' names begin with; their number follows, from 0.
    pub prefix: &'static str,
    /// How many, at least 1.
    pub count: u32,
    /// The largest value of the column, the smallest of which is 1.
    pub highest: u64,
}

/// Where the rows of a table are in a database of several nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// On the node that the value of this column belongs to; tables that are spread by equal values
    /// lie together.
    By(&'static str),
    /// All rows on every node.
    Everywhere,
}

/// How a table is kept. The default asks for nothing: the database's own way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Spread over partitions.
    pub partitions: Option<HashPartitions>,
    /// Kept out of the log: quick to write, and empty after a crash.
    pub unlogged: bool,
    /// Spread over nodes.
    pub distribution: Option<Distribution>,
    /// A key of numbers that the server counts up and that queries do not see, for a table without
    /// one: the name of its column.
    pub hidden_key: Option<&'static str>,
    /// What only the dialect understands: its own options, each with a value.
    pub options: Vec<(String, String)>,
    /// Of a table whose rows are all loaded: the columns of its key, each with its last number; they are numbered
    /// from 1 without gaps, and there is a row for each combination. Empty if rows come or go later.
    pub ranges: Vec<(&'static str, u64)>,
}

/// One way of keeping a table that a dialect can write.
#[derive(Clone, Copy, Debug)]
pub struct StorageOption {
    /// Its name, or that of the workloads' parameter for it.
    pub key: &'static str,
    /// What it is, for users; empty if `--storage` does not set it.
    pub help: &'static str,
    /// Fails if the value is none that it can have.
    pub check: fn(&str) -> Result<()>,
}

impl StorageOption {
    /// [`Storage::partitions`]
    pub const PARTITIONS: Self =
        Self::field("partitions", "number of hash partitions of the large tables");
    /// [`Storage::unlogged`]
    pub const UNLOGGED: Self = Self::field(
        "unlogged",
        "true: tables are not logged, and empty after a crash of the server",
    );
    /// [`Storage::distribution`]
    pub const DISTRIBUTED: Self =
        Self::field("distributed", "true: rows are distributed over the nodes of a cluster");
    /// [`Storage::hidden_key`]
    pub const HIDDEN_KEY: Self = Self::field(
        "history_pk",
        "true: a table without a key has an auto-increment key in an invisible column",
    );
    /// [`Table::references`]
    pub const FOREIGN_KEYS: Self = Self::field("foreign_keys", "");

    /// One that is a field of [`Storage`], which a workload fills: its value is not text any more.
    const fn field(key: &'static str, help: &'static str) -> Self {
        Self { key, help, check: |_| Ok(()) }
    }

    /// Whether a workload fills a field of [`Storage`] with the option of this key.
    pub fn is_field(key: &str) -> bool {
        let all = [
            Self::PARTITIONS,
            Self::UNLOGGED,
            Self::DISTRIBUTED,
            Self::HIDDEN_KEY,
            Self::FOREIGN_KEYS,
        ];
        all.iter().any(|option| option.key == key)
    }
}

impl Storage {
    /// The value of an option of the dialect, if it is asked for.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The keys of what is asked for, with the values of what only the dialect understands.
    pub fn asked(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = [
            (StorageOption::PARTITIONS, self.partitions.is_some()),
            (StorageOption::UNLOGGED, self.unlogged),
            (StorageOption::DISTRIBUTED, self.distribution.is_some()),
            (StorageOption::HIDDEN_KEY, self.hidden_key.is_some()),
        ];
        let known =
            known.into_iter().filter(|(_, asked)| *asked).map(|(option, _)| (option.key, ""));
        known.chain(self.options.iter().map(|(key, value)| (key.as_str(), value.as_str())))
    }
}

impl Schema {
    /// The same with all tables kept in this way.
    #[must_use]
    pub fn kept_as(mut self, storage: &Storage) -> Self {
        for table in &mut self.tables {
            table.storage = storage.clone();
        }
        self
    }
}

/// Columns whose values are a key of another table: a foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Name, unique in the schema.
    pub name: &'static str,
    /// Columns of this table.
    pub columns: Vec<&'static str>,
    /// The other table.
    pub table: &'static str,
    /// Its columns.
    pub key: Vec<&'static str>,
}

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Name, lower case.
    pub name: &'static str,
    /// Columns; generated rows have the same order.
    pub columns: Vec<Column>,
    /// The physical order, as places among `columns`; empty leaves it to the dialect.
    pub stored: Vec<usize>,
    /// Columns of the primary key; empty if the table has none.
    pub key: Vec<&'static str>,
    /// Name of the key's constraint; empty leaves it to the database.
    pub key_name: &'static str,
    /// Secondary indexes, made after the load.
    pub indexes: Vec<Index>,
    /// Columns that queries compare without an index: the optimizer should know how their values are
    /// distributed, where it collects that only on request.
    pub searched: Vec<&'static str>,
    /// Foreign keys that the server is to hold, made after the load.
    pub references: Vec<Reference>,
    /// How it is kept.
    pub storage: Storage,
    /// A user's own statement that creates it, in place of the dialect's.
    pub ddl: Option<String>,
}

impl Table {
    /// What is asked for of keeping it, as [`Storage::asked`].
    pub fn asked(&self) -> impl Iterator<Item = (&str, &str)> {
        let references = (!self.references.is_empty()).then_some(StorageOption::FOREIGN_KEYS);
        self.storage.asked().chain(references.map(|option| (option.key, "")))
    }

    /// The names of its columns for a statement: `a, b`.
    pub fn column_names(&self) -> String {
        self.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// Columns in physical order, if that is given.
    pub fn stored_columns(&self) -> Option<impl Iterator<Item = &Column>> {
        let order = Some(&self.stored).filter(|order| !order.is_empty())?;
        Some(order.iter().filter_map(|at| self.columns.get(*at)))
    }

    /// Mean bytes of a row's values, for size estimates.
    pub fn mean_row_bytes(&self) -> u64 {
        self.columns.iter().map(|column| column.ty.mean_bytes()).sum()
    }
}

/// All tables of a workload, in the order of creation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The tables.
    pub tables: Vec<Table>,
}
