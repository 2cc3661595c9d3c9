//! Checks that the server supports the requested table storage, before creating any table.
//!
//! Depending on `sql_mode`, a server that does not know the requested engine uses another one and only sends a warning.
//!
//! An engine without transactions would keep a transaction's changes even after a rollback.
//!
//! Start reading at [`accepts`].

use tacho_core::{Error, ErrorKind, Result, Schema, Table};

use super::{ENGINE, USUAL_ENGINE, is_heatwave};
use crate::admin::{TextRow, rows};
use crate::link::Link;
use crate::product::Product;

const ENGINES: &str = include_str!("../../sql/engines.sql");
const HEATWAVE_READY: &str = include_str!("../../sql/heatwave.sql");
const KEY_NEEDED: &str = "SHOW VARIABLES WHERE Variable_name IN \
                          ('sql_require_primary_key', 'innodb_force_primary_key') AND Value = 'ON'";

/// Returns an error with a hint if the server cannot store the tables as requested.
pub async fn accepts(
    link: &mut Link,
    product: Product,
    version: &str,
    schema: &Schema,
) -> Result<()> {
    let asked = schema.tables.iter().find_map(|table| table.storage.option(ENGINE));
    let asked = asked.unwrap_or(USUAL_ENGINE);
    if is_heatwave(asked) {
        heatwave(link).await?;
    } else {
        engine(asked, &rows(link, ENGINES).await?)?;
    }
    if schema.tables.iter().any(|table| table.storage.hidden_key.is_some()) {
        return hides_columns(product, version);
    }
    references(schema)?;
    let bare = schema.tables.iter().find(|table| table.key.is_empty());
    let Some(table) = bare else { return Ok(()) };
    match rows(link, KEY_NEEDED).await?.first().and_then(|row| row.first()) {
        Some(Some(setting)) => {
            let text = format!("{setting} is on, but {} has no primary key", table.name);
            Err(unsupported(text)
                .hint("add a primary key, for example with --set history_pk=true, or turn the setting off"))
        }
        _ => Ok(()),
    }
}

/// Returns an error unless the server has HeatWave.
async fn heatwave(link: &mut Link) -> Result<()> {
    if rows(link, HEATWAVE_READY).await?.is_empty() {
        let text = "HeatWave is not available on the server: rapid_plugin_bootstrapped is not YES"
            .to_owned();
        return Err(
            unsupported(text).hint("add a HeatWave cluster to the server, or omit the engine")
        );
    }
    Ok(())
}

/// Returns an error if the schema has both partitioned tables and foreign keys. In the server, a partitioned table can
/// neither have nor be the target of a foreign key.
fn references(schema: &Schema) -> Result<()> {
    let any = |asked: fn(&Table) -> bool| schema.tables.iter().any(asked);
    if any(|table| table.storage.partitions.is_some()) && any(|t| !t.references.is_empty()) {
        let text = "the server does not support foreign keys on partitioned tables";
        return Err(unsupported(text.to_owned()).hint("omit one of them"));
    }
    Ok(())
}

/// Returns an error unless the server has the requested storage engine, can use it, and supports transactions with it.
fn engine(asked: &str, there: &[TextRow]) -> Result<()> {
    let field = |row: &TextRow, at: usize| row.get(at).cloned().flatten().unwrap_or_default();
    let usable = |row: &&TextRow| matches!(&*field(row, 1), "YES" | "DEFAULT");
    let transactional = |row: &&TextRow| field(row, 2) == "YES";
    let is_asked = |row: &&TextRow| field(row, 0).eq_ignore_ascii_case(asked);
    let names = there.iter().filter(usable).filter(transactional).map(|row| field(row, 0));
    let names: Vec<String> = names.collect();
    let allowed = format!("available engines that support transactions: {}", names.join(", "));
    match there.iter().filter(usable).find(is_asked) {
        Some(found) if transactional(&found) => Ok(()),
        Some(_) => {
            let text = format!(
                "the {asked} engine does not support transactions, so rollbacks would have no effect"
            );
            Err(unsupported(text).hint(allowed))
        }
        None => {
            Err(unsupported(format!("the server does not have the {asked} engine")).hint(allowed))
        }
    }
}

/// Returns an error if the server is too old to support invisible columns.
fn hides_columns(product: Product, version: &str) -> Result<()> {
    let first = match product {
        Product::MariaDb => [10, 3, 3],
        Product::MySql => [8, 0, 23],
    };
    let mut found = [0; 3];
    let numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    found.iter_mut().zip(numbers).for_each(|(place, number): (&mut u32, u32)| *place = number);
    if found >= first {
        return Ok(());
    }
    let text = format!("{} {version} does not support invisible columns", product.title());
    let [major, minor, patch] = first;
    Err(unsupported(text)
        .hint(format!("use version {major}.{minor}.{patch} or later, or omit the key")))
}

fn unsupported(text: String) -> Error {
    Error::new(ErrorKind::Unsupported, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_engines_with_transactions_are_taken() {
        let row = |text: &str| text.split(' ').map(|word| Some(word.to_owned())).collect();
        let there: Vec<TextRow> =
            ["InnoDB DEFAULT YES", "MyISAM YES NO", "ROCKSDB NO YES", "ndb YES YES"]
                .map(row)
                .into();
        let error = |asked| engine(asked, &there).expect_err(asked).to_string();
        assert!(engine("innodb", &there).is_ok() && engine("NDB", &there).is_ok());
        assert!(error("MyISAM").contains("does not support transactions"));
        assert!(
            error("RocksDB").contains("not have the RocksDB engine")
                && error("inodb").contains("not have the inodb engine")
        );
        let hints = engine("inodb", &there).expect_err("a hint").hints().to_vec();
        assert_eq!(hints, ["available engines that support transactions: InnoDB, ndb"]);
    }

    #[test]
    fn old_servers_hide_no_columns() {
        let table = [
            (Product::MariaDb, "10.11.19-MariaDB", true),
            (Product::MariaDb, "10.3.2-MariaDB", false),
            (Product::MySql, "8.0.22", false),
            (Product::MySql, "9.7.4-1", true),
            (Product::MySql, "5.5.9", false),
        ];
        for (product, version, can) in table {
            assert_eq!(hides_columns(product, version).is_ok(), can, "{version}");
        }
    }
}
