//! The server's machine, and the disk space that the data uses on it.

use tacho_core::Result;
use tacho_driver::{DataSizes, ServerMachine, TableSize};
use tacho_net::is_last;

use crate::admin::{TextRow, rows, run};
use crate::link::Link;
use crate::product::Product;

const MACHINE: &str = include_str!("../sql/machine.sql");
const PROCESSORS_MARIADB: &str = include_str!("../sql/machine_processors_mariadb.sql");
const PROCESSORS_MYSQL: &str = include_str!("../sql/machine_processors_mysql.sql");
const SIZES: &str = include_str!("../sql/sizes.sql");
/// Statement that makes a MySQL session report current table sizes instead of sizes cached for up to a day.
const OF_NOW: &str = "SET SESSION information_schema_stats_expiry = 0";

/// Returns information about the machine that the server runs on.
pub async fn machine(link: &mut Link, product: Product) -> Result<Option<ServerMachine>> {
    let Some(row) = rows(link, MACHINE).await?.into_iter().next() else { return Ok(None) };
    let mut row = row.into_iter();
    let mut next = || row.next().flatten().unwrap_or_default();
    let [name, os, arch, data_path] = [next(), next(), next(), next()];
    let cores = processors(link, product).await?;
    Ok(Some(ServerMachine { name, os, arch, data_path, cores, ..ServerMachine::default() }))
}

/// Returns the number of processors, or `None` if the server does not report it.
async fn processors(link: &mut Link, product: Product) -> Result<Option<u32>> {
    let (question, count): (&str, fn(&str) -> Option<u32>) = match product {
        Product::MariaDb => (PROCESSORS_MARIADB, |text| text.parse().ok()),
        Product::MySql => (PROCESSORS_MYSQL, counted),
    };
    match rows(link, question).await {
        Ok(found) => {
            let text = found.into_iter().flatten().flatten().next();
            Ok(text.and_then(|text| count(&text)).filter(|cores| *cores > 0))
        }
        Err(error) if is_last(&error) => Err(error),
        // Older servers do not have this table.
        Err(_) => Ok(None),
    }
}

/// Returns the number of values in a list of ranges such as `0-3,8`.
fn counted(ranges: &str) -> Option<u32> {
    ranges.split(',').try_fold(0, |sum: u32, range| {
        let (from, to) = range.trim().split_once('-').unwrap_or((range.trim(), range.trim()));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        sum.checked_add(to.checked_sub(from)?.checked_add(1)?)
    })
}

/// Returns the size of each table.
pub async fn sizes(link: &mut Link, product: Product) -> Result<DataSizes> {
    if product == Product::MySql {
        match run(link, OF_NOW).await {
            Err(error) if is_last(&error) => return Err(error),
            // MySQL versions before 8.0 lack the variable that this statement sets, and always report current sizes.
            _ => {}
        }
    }
    let table = |row: TextRow| {
        let mut row = row.into_iter();
        let mut next = || row.next().flatten();
        let name = next()?;
        let mut number = || next()?.parse().ok();
        Some(TableSize { name, rows: number(), bytes: number(), index_bytes: number() })
    };
    let tables = rows(link, SIZES).await?.into_iter().filter_map(table).collect();
    Ok(DataSizes { database_bytes: None, tables })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn processors_are_counted() {
        let table =
            [("0-3", Some(4)), ("0", Some(1)), ("0-3,8", Some(5)), ("", None), ("3-1", None)];
        for (ranges, expected) in table {
            assert_eq!(counted(ranges), expected, "{ranges}");
        }
    }
}
