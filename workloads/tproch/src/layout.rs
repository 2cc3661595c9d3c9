//! Table storage, as required by the parameters.
//!
//! Each dialect implements the storage options in its own way, and rejects unsupported ones.
//!
//! Start reading at [`layout`].

use tacho_core::{Error, HashPartitions, Reference, Result, Schema, StorageOption, Table};
use tacho_driver::Dialect;
use tacho_workload::{Options, written};

use crate::files::SQL;
use crate::params::{FOREIGN_KEYS, PARTITIONS, STORAGE_SYNONYMS, UNLOGGED};

/// Path of the file with HammerDB's table definitions, within a dialect's folder.
const TABLES: &str = "hammerdb/tables.sql";

/// Returns the tables in `logical` with the storage that the parameters require. If they are
/// HammerDB's, they also have foreign keys.
pub fn layout(
    logical: &Schema,
    options: &Options,
    last_order: u64,
    dialect: &dyn Dialect,
) -> Result<Schema> {
    let theirs = SQL.of(dialect.id(), TABLES);
    let theirs = theirs.filter(|_| options.on("hammerdb_tables"));
    let referring = options.on(FOREIGN_KEYS) || theirs.is_some() && refers(dialect);
    let parted = options.count(PARTITIONS) > 0;
    if parted && referring && options.on(UNLOGGED) {
        // Servers treat a partitioned table as a logged one, and a logged table must not refer to an unlogged one.
        let text = "references, partitions and unlogged cannot be combined: no server supports \
                    all three";
        return Err(Error::usage(text).hint("omit one of them"));
    }
    let mut schema = match theirs {
        Some(text) => written(logical, text)?,
        None => logical.clone(),
    };
    for table in &mut schema.tables {
        table.storage.unlogged = options.on(UNLOGGED);
        table.storage.options = options.storage(STORAGE_SYNONYMS)?;
        table.storage.partitions =
            partitions(table.name, options.count(PARTITIONS) as u32, last_order);
        if referring {
            table.references = references(table.name);
        }
        if !dialect.keeps_keys(&table.storage) {
            bare(table);
        }
    }
    Ok(schema)
}

fn refers(dialect: &dyn Dialect) -> bool {
    dialect.storage().iter().any(|option| option.key == StorageOption::FOREIGN_KEYS.key)
}

/// Removes the table's keys, indexes and references, and the statistics that depend on them.
fn bare(table: &mut Table) {
    table.key.clear();
    table.indexes.clear();
    table.searched.clear();
    table.references.clear();
}

/// Returns the partitions of a table. Both large tables are partitioned in the same way, so that
/// they can be joined partition by partition.
fn partitions(table: &str, count: u32, highest: u64) -> Option<HashPartitions> {
    let (column, prefix) = match table {
        "orders" => ("o_orderkey", "orders_"),
        "lineitem" => ("l_orderkey", "lineitem_"),
        _ => return None,
    };
    (count > 0).then_some(HashPartitions { column, prefix, count, highest })
}

/// Returns the references required by clause 1.4.2.3.
fn references(table: &str) -> Vec<Reference> {
    let to = |name, columns: &[&'static str], table, key: &[&'static str]| Reference {
        name,
        columns: columns.to_vec(),
        table,
        key: key.to_vec(),
    };
    match table {
        "nation" => vec![to("nation_region_fk", &["n_regionkey"], "region", &["r_regionkey"])],
        "supplier" => vec![to("supplier_nation_fk", &["s_nationkey"], "nation", &["n_nationkey"])],
        "customer" => vec![to("customer_nation_fk", &["c_nationkey"], "nation", &["n_nationkey"])],
        "partsupp" => vec![
            to("partsupp_part_fk", &["ps_partkey"], "part", &["p_partkey"]),
            to("partsupp_supplier_fk", &["ps_suppkey"], "supplier", &["s_suppkey"]),
        ],
        "orders" => vec![to("orders_customer_fk", &["o_custkey"], "customer", &["c_custkey"])],
        "lineitem" => vec![
            to("lineitem_orders_fk", &["l_orderkey"], "orders", &["o_orderkey"]),
            to(
                "lineitem_partsupp_fk",
                &["l_partkey", "l_suppkey"],
                "partsupp",
                &["ps_partkey", "ps_suppkey"],
            ),
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::schema;

    #[test]
    fn references_are_to_keys_that_there_are() {
        let schema = schema(true, tacho_core::Type::Char(15));
        let mut count = 0;
        for table in &schema.tables {
            for reference in references(table.name) {
                let other = schema.tables.iter().find(|other| other.name == reference.table);
                assert_eq!(other.map(|other| &other.key), Some(&reference.key), "{reference:?}");
                let exists = |name| table.columns.iter().any(|column| column.name == name);
                assert!(reference.columns.iter().all(|name| exists(*name)), "{reference:?}");
                count += 1;
            }
        }
        assert_eq!(count, 8);
    }
}
