//! Row files, which some databases can load by themselves without a client.

use tacho_core::Table;

/// The format of row files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values with a header line. An empty field is NULL, and an empty string is quoted.
    Csv,
    /// Values separated by `|`, without a header line. An empty field is NULL, and a backslash precedes special
    /// characters.
    Tbl,
}

impl FileFormat {
    /// The names of all formats. They are also used as file extensions.
    pub const NAMES: [&str; 2] = ["csv", "tbl"];

    /// Returns the format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Csv, Self::Tbl].into_iter().find(|format| format.name() == name)
    }

    /// Returns the format's name, which is also its file extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => Self::NAMES[0],
            Self::Tbl => Self::NAMES[1],
        }
    }
}

/// A table's row files. Columns are in the order of [`Table::columns`], and times are in UTC.
#[derive(Clone, Copy, Debug)]
pub struct RowFiles<'a> {
    /// The table, which exists.
    pub table: &'a Table,
    /// The format of the rows.
    pub format: FileFormat,
    /// The paths of the files as seen by the server. They must not contain control characters.
    pub paths: &'a [String],
}

/// The way in which the server loads row files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileLoad {
    /// One statement for each file. All are executed as part of the current transaction.
    Each(Vec<String>),
    /// A single statement that replaces all rows of the table with the rows of all files. It commits by itself.
    Replacing(String),
}

impl RowFiles<'_> {
    /// Returns the column names as a list, in the order of the columns in the files.
    pub fn columns(&self) -> String {
        self.table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// Returns one statement for each file. `statement` receives the path as a SQL literal.
    pub fn each(&self, statement: impl Fn(&str) -> String) -> FileLoad {
        let quoted = |path: &String| format!("'{}'", path.replace('\'', "''"));
        FileLoad::Each(self.paths.iter().map(|path| statement(&quoted(path))).collect())
    }
}
