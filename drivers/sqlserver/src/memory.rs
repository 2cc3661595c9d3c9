//! Memory-optimized tables: their definition, and whether the database supports them.
//!
//! If the option `unlogged` is set, tables are memory-optimized, so that their rows are not logged.
//!
//! Start reading at [`holds`].

use tacho_core::{Error, ErrorKind, Result, Schema, Storage, Table};
use tacho_net::unexpected;

use crate::admin::{asked, number};
use crate::link::Link;
use crate::storage::{COLUMN, MEMORY, NATIVE, ON, ORGANIZE};

const QUESTION: &str = include_str!("../sql/memory.sql");
/// The maximum number of hash buckets that the server allows.
const BUCKETS_MAX: u64 = 1 << 30;

/// Returns true if a table is memory-optimized.
pub fn holds(storage: &Storage) -> bool {
    storage.unlogged || storage.option(MEMORY) == Some(ON) || has_native_routines(storage)
}

/// Returns true if the procedures that use a table are natively compiled.
pub fn has_native_routines(storage: &Storage) -> bool {
    storage.option(MEMORY) == Some(NATIVE)
}

/// Returns the key and index clauses of CREATE TABLE. For a table that does not grow, this is a hash index with one
/// bucket per row.
///
/// A memory-optimized table must have a key, so one is added if the table has none.
pub fn indexes(table: &Table) -> String {
    let name = match table.key_name {
        "" => String::new(),
        name => format!("CONSTRAINT {name} "),
    };
    let columns = table.key.join(", ");
    let rows: u64 = table.storage.ranges.iter().map(|(_, last)| last).product();
    let key = if table.key.is_empty() {
        format!("{}_key BIGINT IDENTITY NOT NULL PRIMARY KEY NONCLUSTERED", table.name)
    } else if table.storage.ranges.is_empty() {
        format!("{name}PRIMARY KEY NONCLUSTERED ({columns})")
    } else {
        let buckets = rows.clamp(1, BUCKETS_MAX);
        format!("{name}PRIMARY KEY NONCLUSTERED HASH ({columns}) WITH (BUCKET_COUNT = {buckets})")
    };
    let more = table.indexes.iter().map(|index| {
        let unique = if index.unique { "UNIQUE " } else { "" };
        format!("INDEX {} {unique}NONCLUSTERED ({})", index.name, index.columns.join(", "))
    });
    std::iter::once(key).chain(more).collect::<Vec<String>>().join(",\n  ")
}

/// Returns the table options, which follow the columns.
pub fn options(storage: &Storage) -> &'static str {
    match (holds(storage), storage.unlogged) {
        (false, _) => "",
        (true, false) => " WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)",
        (true, true) => " WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)",
    }
}

/// Returns an error if the database cannot make the tables memory-optimized as requested. This is checked before any
/// table is created.
pub async fn accepts(link: &mut Link, schema: &Schema) -> Result<()> {
    let Some(table) = schema.tables.iter().find(|table| holds(&table.storage)) else {
        return Ok(());
    };
    if schema.tables.iter().any(|table| !table.references.is_empty()) {
        return Err(unsupported("foreign keys of memory-optimized tables")
            .hint("set foreign_keys=false, or omit memory and unlogged"));
    }
    if table.storage.option(ORGANIZE) == Some(COLUMN) {
        return Err(unsupported("memory-optimized tables in columns")
            .hint("omit either organize=column, or both memory and unlogged"));
    }
    let found = asked(link, QUESTION).await?.and_then(|found| found.into_iter().next());
    let Some(row) = found else {
        return Err(unsupported("memory-optimized tables on this server"));
    };
    let is_on = |at| number(&row, at).map(|count| count > 0);
    if row.len() < 5 {
        return Err(unexpected("not the five requested columns"));
    }
    if row[0].is_none() || !is_on(0)? {
        return Err(unsupported("memory-optimized tables on this server")
            .hint("omit memory and unlogged, or use an edition that supports them"));
    }
    if !is_on(1)? {
        let text = "the database has no filegroup for memory-optimized tables";
        return Err(Error::new(ErrorKind::Unsupported, text).hint(
            "ALTER DATABASE name ADD FILEGROUP memory CONTAINS MEMORY_OPTIMIZED_DATA, then ALTER DATABASE name \
             ADD FILE (NAME = 'memory', FILENAME = 'FOLDER') TO FILEGROUP memory",
        ));
    }
    if !is_on(2)? {
        let text =
            "transactions at READ COMMITTED cannot use memory-optimized tables in this database";
        return Err(Error::new(ErrorKind::Unsupported, text)
            .hint("run ALTER DATABASE name SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON"));
    }
    if !has_native_routines(&table.storage) {
        return Ok(());
    }
    // A natively compiled procedure must name the schema of each table. In Tacho's procedures, this is always `dbo`.
    if !is_on(3)? {
        return Err(unsupported("natively compiled procedures in schemas other than dbo")
            .hint("run ALTER USER name WITH DEFAULT_SCHEMA = dbo, or use --storage memory=on"));
    }
    if !is_on(4)? {
        return Err(unsupported("natively compiled procedures that use CASE on this server")
            .hint("use SQL Server 2017 or later, or --storage memory=on"));
    }
    Ok(())
}

fn unsupported(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{what} are not supported"))
}

#[cfg(test)]
mod tests {
    use tacho_core::Index;

    use super::*;

    #[test]
    fn a_table_has_its_indexes_within_it() {
        let table = |key: &[&'static str], ranges: &[(&'static str, u64)]| Table {
            name: "t",
            key: key.to_vec(),
            indexes: vec![Index { name: "t_i2", columns: vec!["a", "b"], unique: false }],
            storage: Storage { ranges: ranges.to_vec(), ..Storage::default() },
            ..Table::default()
        };
        let cases = [
            (table(&["a"], &[]), "PRIMARY KEY NONCLUSTERED (a)"),
            (
                table(&["a", "b"], &[("a", 7), ("b", 10)]),
                "PRIMARY KEY NONCLUSTERED HASH (a, b) WITH (BUCKET_COUNT = 70)",
            ),
            (table(&[], &[]), "t_key BIGINT IDENTITY NOT NULL PRIMARY KEY NONCLUSTERED"),
        ];
        for (table, key) in cases {
            let expected = format!("{key},\n  INDEX t_i2 NONCLUSTERED (a, b)");
            assert_eq!(indexes(&table), expected);
        }
        let many = table(&["a"], &[("a", 1 << 40)]);
        assert!(indexes(&many).contains("BUCKET_COUNT = 1073741824"), "{}", indexes(&many));
    }

    #[test]
    fn rows_are_in_the_log_or_not() {
        let storage = |unlogged, memory: &str| Storage {
            unlogged,
            options: vec![(MEMORY.into(), memory.into())],
            ..Storage::default()
        };
        assert_eq!(options(&storage(false, "off")), "");
        assert!(options(&storage(false, ON)).ends_with("DURABILITY = SCHEMA_AND_DATA)"));
        assert!(options(&storage(true, ON)).ends_with("DURABILITY = SCHEMA_ONLY)"));
        assert!(options(&storage(true, "off")).ends_with("DURABILITY = SCHEMA_ONLY)"));
        assert!(options(&storage(false, NATIVE)).ends_with("DURABILITY = SCHEMA_AND_DATA)"));
        assert!(options(&storage(true, NATIVE)).ends_with("DURABILITY = SCHEMA_ONLY)"));
    }
}
