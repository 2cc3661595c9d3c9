//! Facts about the server's machine and the disk space occupied by the data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The server's machine. Unknown values are empty or absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineRecord {
    /// Source of the values in this object: `client` if the server ran on the client's machine,
    /// otherwise `server`.
    pub source: String,
    /// Host name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Operating system.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub os: String,
    /// Processor architecture.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arch: String,
    /// Processor model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cpu: String,
    /// Number of processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Memory size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Path of the database files on the server's machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data_path: String,
    /// The file system that contains this path, such as `ext4`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file_system: String,
    /// Device name and model of the disk that contains this path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub disk: String,
    /// Size of the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// True if the disk is rotational.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_rotational: Option<bool>,
}

/// Data sizes, as reported by the database catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SizesRecord {
    /// Size of the database or its file. If that is unknown, the total size of the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_bytes: Option<u64>,
    /// Size of each table; empty if the database does not report table sizes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableSizeRecord>,
}

/// The size of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableSizeRecord {
    /// Table name.
    pub name: String,
    /// Number of rows, as estimated by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Table size in bytes, without indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Total size of the table's indexes in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_bytes: Option<u64>,
}

impl SizesRecord {
    /// Returns the total size of the data, or `None` if the size is unknown.
    pub fn total_bytes(&self) -> Option<u64> {
        self.database_bytes.or_else(|| {
            let each =
                self.tables.iter().map(|table| Some(table.bytes? + table.index_bytes.unwrap_or(0)));
            each.sum::<Option<u64>>().filter(|_| !self.tables.is_empty())
        })
    }
}
