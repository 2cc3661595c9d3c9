//! What a record holds of the machine of the server and of the room that the data takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine of the server. Unknown values are empty or absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineRecord {
    /// Source of these values: `client` if the server ran on the client's machine and the client
    /// read them; else `server`.
    pub source: String,
    /// Name.
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
    /// Processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Path of the data on that machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data_path: String,
    /// File system of that path, such as `ext4`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file_system: String,
    /// Device and model of its disk.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub disk: String,
    /// Size of the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// Whether the disk is rotational.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_rotational: Option<bool>,
}

/// Size of the data, from the database's catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SizesRecord {
    /// Size of the database or its file; else the sum of the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_bytes: Option<u64>,
    /// Each table; empty if the database does not report sizes of tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableSizeRecord>,
}

/// Size of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableSizeRecord {
    /// Its name.
    pub name: String,
    /// Rows, as the server estimates them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Bytes without indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Bytes of its indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_bytes: Option<u64>,
}

impl SizesRecord {
    /// All of the data; `None` where that is not known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.database_bytes.or_else(|| {
            let each =
                self.tables.iter().map(|own| Some(own.bytes? + own.index_bytes.unwrap_or(0)));
            each.sum::<Option<u64>>().filter(|_| !self.tables.is_empty())
        })
    }
}
