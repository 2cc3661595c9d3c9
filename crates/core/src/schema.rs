//! Tables as data: a workload describes them once, a dialect writes them in its own words.

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
}

impl Type {
    /// Mean stored bytes, for size estimates; variable text counts three quarters of its limit.
    pub const fn mean_bytes(self) -> u64 {
        match self {
            Self::SmallInt => 2,
            Self::Int => 4,
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
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Name, unique in the schema.
    pub name: &'static str,
    /// Columns, most significant first.
    pub columns: &'static [&'static str],
    /// Whether it forbids duplicates.
    pub unique: bool,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name, lower case.
    pub name: &'static str,
    /// Columns in physical order; generated rows have the same order.
    pub columns: Vec<Column>,
    /// Columns of the primary key; empty if the table has none.
    pub key: &'static [&'static str],
    /// Secondary indexes, made after the load.
    pub indexes: Vec<Index>,
}

impl Table {
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
