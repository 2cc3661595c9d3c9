//! Files of rows, which some databases load by themselves.

use tacho_core::Table;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated with a line of names; NULL is empty, and an empty text is in quotes.
    Csv,
    /// Separated by `|`, without names; NULL is empty, and what would end a value has a backslash.
    Tbl,
}

impl FileFormat {
    /// All names, which are the extensions too.
    pub const NAMES: [&str; 2] = ["csv", "tbl"];

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Csv, Self::Tbl].into_iter().find(|format| format.name() == name)
    }

    /// Its name and extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => Self::NAMES[0],
            Self::Tbl => Self::NAMES[1],
        }
    }
}

/// The files of a table. The columns are in the order of [`Table::columns`], times are in UTC.
#[derive(Clone, Copy, Debug)]
pub struct RowFiles<'a> {
    /// The table, which exists.
    pub table: &'a Table,
    /// How the rows are written.
    pub format: FileFormat,
    /// Their paths as the server finds them, without control characters.
    pub paths: &'a [String],
}

/// How the server loads files of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileLoad {
    /// A statement for each file, which is part of the transaction that it is run in.
    Each(Vec<String>),
    /// One statement for all files, which commits on its own and replaces the rows of the table.
    Replacing(String),
}

impl RowFiles<'_> {
    /// The names of the columns, in the order of the files.
    pub fn columns(&self) -> String {
        self.table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// A statement for each file, from its path as a literal.
    pub fn each(&self, statement: impl Fn(&str) -> String) -> FileLoad {
        let quoted = |path: &String| format!("'{}'", path.replace('\'', "''"));
        FileLoad::Each(self.paths.iter().map(|path| statement(&quoted(path))).collect())
    }
}
