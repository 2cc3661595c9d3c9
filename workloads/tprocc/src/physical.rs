//! The parameters that say how the tables are kept.
//!
//! What a database makes of them is its dialect's affair. Start reading at [`Physical`].

use tacho_core::{Distribution, Error, HashPartitions, Result, Storage};
use tacho_workload::Options;

use crate::names::Names;
use crate::schema::{CUSTOMERS, DISTRICTS, ITEMS};

/// Warehouses of one partition with `partitions=auto`, and half of those from which on there are any.
const WAREHOUSES_PER_PARTITION: u64 = 100;
/// Far more than anybody has use for; each is a table of its own.
const PARTITIONS_MAX: u32 = 1_000;

/// Storage options of dialects that have parameters of their own.
pub const STORAGE_SYNONYMS: &[&str] = &["engine", "fillfactor", "tablespace", "organize"];

/// The tables of this workload.
const OWN: &str = "own";

/// How the tables are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Physical {
    /// The tables are HammerDB's, where these are known.
    pub hammerdb_tables: bool,
    /// The folder of the tool whose tables they are; none has the name of ours.
    pub tool: String,
    /// Their names.
    pub names: Names,
    /// Foreign keys are declared.
    pub foreign_keys: bool,
    /// Sessions do not check them.
    pub unchecked: bool,
    partitions: Option<u32>,
    warehouses: u64,
    unlogged: bool,
    /// Rows are spread over nodes by warehouse.
    pub distributed: bool,
    /// Options of the dialect.
    options: Vec<(String, String)>,
    /// The column of the key that `history`, which has none, is given.
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

    /// Whether the tables have our names and columns, as our stored routines need them.
    pub fn are_own_tables(&self) -> bool {
        self.hammerdb_tables || self.tool == OWN
    }

    /// How the table of this name is kept.
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

/// The numbers of the rows that are all loaded, in the order of their tables' keys.
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

/// All that belongs to a warehouse lies with it; items are read by everybody.
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

    /// Each combination of numbers is one row of the load.
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
