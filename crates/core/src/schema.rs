//! Table definitions for all databases. A workload describes its tables once, and each dialect generates the SQL.

use crate::Result;

/// A column type that all supported databases have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 16-bit integer.
    SmallInt,
    /// 32-bit integer.
    Int,
    /// 64-bit integer.
    BigInt,
    /// Exact number with `precision` digits, of which `scale` follow the decimal point.
    Decimal {
        /// Total number of digits.
        precision: u8,
        /// Digits after the decimal point.
        scale: u8,
    },
    /// Text of exactly this many characters.
    Char(u16),
    /// Text of at most this many characters.
    Varchar(u16),
    /// Date and time of day.
    Timestamp,
    /// A calendar day. Its values are timestamps at midnight UTC.
    Date,
}

impl Type {
    /// Returns the average stored size in bytes. Variable-length text is assumed to have three quarters of its maximum
    /// length.
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
    /// Name, in lower case.
    pub name: &'static str,
    /// Type.
    pub ty: Type,
    /// True if NULL is allowed.
    pub nullable: bool,
    /// Column type in CREATE TABLE, if it differs from `ty`. For example, a dialect may store amounts as integers. The
    /// values that are sent still have the type `ty`.
    pub declared: Option<&'static str>,
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Name, unique within the schema.
    pub name: &'static str,
    /// Columns, the most significant first.
    pub columns: Vec<&'static str>,
    /// True if the index is unique.
    pub unique: bool,
}

/// Partitioning of a table by the hash of a column. If a server does not support this, each partition is a range of
/// values instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashPartitions {
    /// The partitioning column.
    pub column: &'static str,
    /// Prefix of the partitions' names. The number of the partition follows, starting at 0.
    pub prefix: &'static str,
    /// Number of partitions, at least 1.
    pub count: u32,
    /// The maximum value in the column. The minimum is 1.
    pub highest: u64,
}

/// Distribution of a table's rows over the nodes of a distributed database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// The column that determines the node on which a row is stored. Rows with equal values are on the same node, even
    /// if they are in different tables.
    By(&'static str),
    /// Every node has all rows.
    Everywhere,
}

/// Storage options for a table. Any option that is not set is left to the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Hash partitions; absent if the table is not partitioned.
    pub partitions: Option<HashPartitions>,
    /// True to keep changes to the table out of the transaction log. This makes writes faster, but a crash empties the
    /// table.
    pub unlogged: bool,
    /// Distribution over the nodes of a cluster.
    pub distribution: Option<Distribution>,
    /// Name of an auto-increment key column to add to a table that has no key. Queries do not use this column.
    pub hidden_key: Option<&'static str>,
    /// Options that only the dialect itself understands, as key–value pairs.
    pub options: Vec<(String, String)>,
    /// For a table with a fixed number of rows, the key columns and the maximum value of each. Key values start at 1,
    /// and there is one row for every combination. Empty for other tables.
    pub ranges: Vec<(&'static str, u64)>,
}

/// A storage option that a dialect supports.
#[derive(Clone, Copy, Debug)]
pub struct StorageOption {
    /// Name of the option. It is also the name of the workload parameter that sets it.
    pub key: &'static str,
    /// Help text for users; empty if `--storage` cannot set the option.
    pub help: &'static str,
    /// Returns an error if the value is not allowed.
    pub check: fn(&str) -> Result<()>,
}

impl StorageOption {
    /// [`Storage::partitions`]
    pub const PARTITIONS: Self =
        Self::field("partitions", "number of hash partitions for the large tables");
    /// [`Storage::unlogged`]
    pub const UNLOGGED: Self =
        Self::field("unlogged", "true: tables are not logged and are empty after a server crash");
    /// [`Storage::distribution`]
    pub const DISTRIBUTED: Self =
        Self::field("distributed", "true: rows are distributed over the nodes of a cluster");
    /// [`Storage::hidden_key`]
    pub const HIDDEN_KEY: Self = Self::field(
        "history_pk",
        "true: a table without a key gets an auto-increment key in an invisible column",
    );
    /// [`Table::references`]
    pub const FOREIGN_KEYS: Self = Self::field("foreign_keys", "");

    /// Creates an option that sets a field of [`Storage`] or [`Table`]. The workload has already validated its value.
    const fn field(key: &'static str, help: &'static str) -> Self {
        Self { key, help, check: |_| Ok(()) }
    }

    /// Returns true if the option with this key sets a field of [`Storage`] or [`Table`], and false if it is one of the
    /// dialect's own options.
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
    /// Returns the requested value of one of the dialect's options, or `None` if there is none.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Returns the key and value of each requested option. The value is empty, except for options that only the dialect
    /// itself understands.
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
    /// Returns the schema with these storage options for all tables.
    #[must_use]
    pub fn kept_as(mut self, storage: &Storage) -> Self {
        for table in &mut self.tables {
            table.storage = storage.clone();
        }
        self
    }
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Name, unique within the schema.
    pub name: &'static str,
    /// Columns of this table.
    pub columns: Vec<&'static str>,
    /// The referenced table.
    pub table: &'static str,
    /// The referenced columns.
    pub key: Vec<&'static str>,
}

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Name, in lower case.
    pub name: &'static str,
    /// Columns, in the same order as in generated rows.
    pub columns: Vec<Column>,
    /// Physical column order, as indexes into `columns`. If empty, the dialect chooses the order.
    pub stored: Vec<usize>,
    /// Columns of the primary key; empty if the table has no primary key.
    pub key: Vec<&'static str>,
    /// Name of the primary key constraint. If empty, the database chooses the name.
    pub key_name: &'static str,
    /// Secondary indexes, which are created after the load.
    pub indexes: Vec<Index>,
    /// Columns that occur in the conditions of queries but have no index. Some databases collect statistics on such
    /// columns only on request.
    pub searched: Vec<&'static str>,
    /// Foreign keys that the server must enforce, created after the load.
    pub references: Vec<Reference>,
    /// Storage options.
    pub storage: Storage,
    /// A statement written by the user to create the table. It replaces the dialect's statement.
    pub ddl: Option<String>,
}

impl Table {
    /// Returns the keys and values of the requested storage options, like [`Storage::asked`]. If the table has foreign
    /// keys, they count as a requested option.
    pub fn asked(&self) -> impl Iterator<Item = (&str, &str)> {
        let references = (!self.references.is_empty()).then_some(StorageOption::FOREIGN_KEYS);
        self.storage.asked().chain(references.map(|option| (option.key, "")))
    }

    /// Returns the column names as a list for a statement, such as `a, b`.
    pub fn column_names(&self) -> String {
        self.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the columns in physical order, if an order is specified.
    pub fn stored_columns(&self) -> Option<impl Iterator<Item = &Column>> {
        let order = Some(&self.stored).filter(|order| !order.is_empty())?;
        Some(order.iter().filter_map(|at| self.columns.get(*at)))
    }

    /// Returns the average size of a row's values in bytes, for size estimates.
    pub fn mean_row_bytes(&self) -> u64 {
        self.columns.iter().map(|column| column.ty.mean_bytes()).sum()
    }
}

/// All tables of a workload in the order in which they are created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The tables.
    pub tables: Vec<Table>,
}
