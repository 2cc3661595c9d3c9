//! The server's machine, and the disk space that the data uses on it.
//!
//! The queries must not read anything that the role is not allowed to see, because the server would log an error.

use tacho_core::Result;
use tacho_driver::{DataSizes, ServerMachine, TableSize};
use tacho_net::TextRow;

use crate::admin::{number, rows};
use crate::wire::Wire;

const MACHINE: &str = include_str!("../sql/machine.sql");
const FILES: &str = include_str!("../sql/machine_files.sql");
const SIZES: &str = include_str!("../sql/sizes.sql");
/// The text that precedes the build platform in a version string.
const BUILT_FOR: &str = " on ";

/// Returns information about the machine that the server runs on.
pub async fn machine(wire: &mut Wire) -> Result<Option<ServerMachine>> {
    let Some(row) = rows(wire, MACHINE).await?.into_iter().next() else { return Ok(None) };
    let mut row = row.into_iter();
    let mut next = || row.next().flatten().unwrap_or_default();
    let (version, data_path, may_read) = (next(), next(), next() == "t");
    let (arch, os) = built_for(&version);
    let machine = ServerMachine { arch, os, data_path, ..ServerMachine::default() };
    if !may_read {
        return Ok(Some(machine));
    }
    let Some(files) = rows(wire, FILES).await?.into_iter().next() else { return Ok(Some(machine)) };
    let mut files = files.into_iter().map(Option::unwrap_or_default);
    let mut next = || files.next().unwrap_or_default();
    let (processors, memory, name) = (next(), next(), next());
    let name = name.trim().to_owned();
    Ok(Some(ServerMachine { name, ..machine }.with_linux(&processors, &memory)))
}

/// Extracts `x86_64` and `pc-linux-gnu` from `PostgreSQL 15.18 on x86_64-pc-linux-gnu, compiled by gcc …`.
fn built_for(version: &str) -> (String, String) {
    let rest = version.split_once(BUILT_FOR).map_or("", |(_, rest)| rest);
    let triple = rest.split(',').next().unwrap_or_default();
    let (arch, os) = triple.split_once('-').unwrap_or((triple, ""));
    (arch.into(), os.into())
}

/// Returns the size of each table.
pub async fn sizes(wire: &mut Wire) -> Result<DataSizes> {
    let found = rows(wire, SIZES).await?;
    let table = |row: &TextRow| -> Result<TableSize> {
        Ok(TableSize {
            name: row.first().cloned().flatten().unwrap_or_default(),
            rows: Some(number(row, 1)?),
            bytes: Some(number(row, 2)?),
            index_bytes: Some(number(row, 3)?),
        })
    };
    Ok(DataSizes { database_bytes: None, tables: found.iter().map(table).collect::<Result<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::built_for;

    #[test]
    fn a_version_names_what_it_was_built_for() {
        let version =
            "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc";
        assert_eq!(built_for(version), ("x86_64".into(), "pc-linux-gnu".into()));
        assert_eq!(built_for("PostgreSQL 15"), (String::new(), String::new()));
    }
}
