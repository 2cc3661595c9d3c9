//! Parameters for table storage.
//!
//! Storage properties of the tables. Each dialect implements them in its own way.
//!
//! Start reading at [`Physical`].

use tacho_core::{Distribution, Error, HashPartitions, Result, Storage};
use tacho_workload::Options;

use crate::names::Names;
use crate::schema::{CUSTOMERS, DISTRICTS, ITEMS};

/// Number of warehouses in a partition with `partitions=auto`. With less than twice as many
/// warehouses, the tables are not partitioned.
const WAREHOUSES_PER_PARTITION: u64 = 100;
/// Maximum number of partitions, each of which is a separate table. No test needs this many.
const PARTITIONS_MAX: u32 = 1_000;

/// Storage options of dialects that can also be set as parameters.
pub const STORAGE_SYNONYMS: &[&str] = &["engine", "fillfactor", "tablespace", "organize"];

/// Name of Tacho's own tables.
const OWN: &str = "own";

/// Table storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Physical {
    /// True if HammerDB's own tables are used. This is possible only for dialects in which these tables are known.
    pub hammerdb_tables: bool,
    /// Folder of the tool whose tables are used, or empty for Tacho's own tables.
    pub tool: String,
    /// Names of the tables.
    pub names: Names,
    /// True if foreign keys are declared.
    pub foreign_keys: bool,
    /// True if sessions turn off the checks of foreign keys.
    pub unchecked: bool,
    partitions: Option<u32>,
    warehouses: u64,
    unlogged: bool,
    /// True if rows are distributed over nodes by warehouse.
    pub distributed: bool,
    /// The dialect's storage options.
    options: Vec<(String, String)>,
    /// Name of a key column to add to `history`, which has no key in the standard.
    history_key: Option<&'static str>,
}

impl Physical {
    /// Reads resolved options.
    pub fn new(options: &Options, warehouses: u64) -> Result<Self> {
        Ok(Self {
            hammerdb_tables: options.on("hammerdb_tables"),
            tool: match options.text("tables") {
                OWN if options.on("hammerdb_tables") => "hammerdb".to_owned(),
                tool => tool.to_owned(),
            },
            names: Names::of(options.text("tables")),
            foreign_keys: options.text("foreign_keys") != "none",
            unchecked: options.text("foreign_keys") == "unchecked",
            partitions: partitions(options.text("partitions"), warehouses)?,
            warehouses,
            unlogged: options.on("unlogged"),
            distributed: options.on("distributed"),
            options: options.storage(STORAGE_SYNONYMS)?,
            history_key: options.on("history_pk").then_some("id"),
        })
    }

    /// Returns true if the tables have Tacho's names and columns, which Tacho's routines require.
    pub fn are_own_tables(&self) -> bool {
        self.hammerdb_tables || self.tool == OWN
    }

    /// Returns the storage options for a table.
    pub fn storage(&self, table: &str) -> Storage {
        let partitions = self.partitions.filter(|_| table == "order_line");
        Storage {
            partitions: partitions.map(|count| HashPartitions {
                column: "ol_w_id",
                prefix: "ol_",
                count,
                highest: self.warehouses,
            }),
            unlogged: self.unlogged,
            distribution: self.distributed.then(|| distribution(table)),
            options: self.options.clone(),
            hidden_key: self.history_key.filter(|_| table == "history"),
            ranges: ranges(table, self.warehouses),
        }
    }
}

/// Returns a table's key columns in order, each with its highest value. The table has a row for
/// every combination of these values.
fn ranges(table: &str, warehouses: u64) -> Vec<(&'static str, u64)> {
    let number = |count: i64| count as u64;
    match table {
        "warehouse" => vec![("w_id", warehouses)],
        "district" => vec![("d_w_id", warehouses), ("d_id", number(DISTRICTS))],
        "customer" => {
            vec![("c_w_id", warehouses), ("c_d_id", number(DISTRICTS)), ("c_id", number(CUSTOMERS))]
        }
        "item" => vec![("i_id", number(ITEMS))],
        "stock" => vec![("s_w_id", warehouses), ("s_i_id", number(ITEMS))],
        _ => Vec::new(),
    }
}

/// Places all rows of a warehouse on the same node, and the items on every node.
fn distribution(table: &str) -> Distribution {
    match table {
        "warehouse" => Distribution::By("w_id"),
        "district" => Distribution::By("d_w_id"),
        "customer" => Distribution::By("c_w_id"),
        "history" => Distribution::By("h_w_id"),
        "stock" => Distribution::By("s_w_id"),
        "orders" => Distribution::By("o_w_id"),
        "new_order" => Distribution::By("no_w_id"),
        "order_line" => Distribution::By("ol_w_id"),
        _ => Distribution::Everywhere,
    }
}

fn partitions(text: &str, warehouses: u64) -> Result<Option<u32>> {
    match text {
        "none" => Ok(None),
        "auto" => {
            let count = (warehouses / WAREHOUSES_PER_PARTITION) as u32;
            Ok((count >= 2).then_some(count.min(PARTITIONS_MAX)))
        }
        number => match number.parse() {
            Ok(count @ 1..=PARTITIONS_MAX) => Ok(Some(count)),
            _ => Err(Error::usage(format!("invalid value for partitions: \"{text}\""))
                .hint(format!("allowed: none, auto, or 1 to {PARTITIONS_MAX}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of key values must exist in the loaded rows exactly once.
    #[test]
    fn rows_that_are_all_loaded_have_their_ranges() {
        let names = ["warehouse", "district", "customer", "history", "item", "stock", "orders"];
        for (table, name) in names.into_iter().enumerate() {
            let ranges = ranges(name, 3);
            let rows: u64 = ranges.iter().map(|(_, last)| last).product();
            let warehouses = if name == "item" { 1 } else { 3 };
            let loaded = warehouses * crate::schema::slots_per_warehouse(table);
            assert!(ranges.is_empty() || rows == loaded, "{name}: {rows} of {loaded}");
            assert_eq!(ranges.is_empty(), ["history", "orders"].contains(&name), "{name}");
        }
    }

    #[test]
    fn partitions_come_with_two_hundred_warehouses() {
        let table = [
            ("none", 1_000, Ok(None)),
            ("auto", 199, Ok(None)),
            ("auto", 200, Ok(Some(2))),
            ("auto", 999, Ok(Some(9))),
            ("8", 1, Ok(Some(8))),
            ("0", 1, Err(())),
            ("many", 1, Err(())),
            ("1001", 1, Err(())),
        ];
        for (text, warehouses, expected) in table {
            assert_eq!(partitions(text, warehouses).map_err(drop), expected, "{text} {warehouses}");
        }
    }
}
