//! Queries that describe the database. ODBC offers only a part of the information that other
//! drivers can report.
//!
//! Start reading at [`Data`].

use tacho_calls::{Questions, catalogue, query};
use tacho_core::Result;
use tacho_driver::{Counters, DataSizes, Dialect, NameCase, Object, ServerFacts};

use crate::dialect::SourceDialect;

type Connection = tacho_calls::Connection<isize>;

/// ODBC databases compare names in different ways, but most of them ignore case.
const CASE: NameCase = NameCase::Insensitive;
/// Information types for `SQLGetInfo`.
const DRIVER_NAME: u16 = 6;
const DRIVER_VERSION: u16 = 7;

/// Provides information about a data source.
pub struct Data {
    pub dialect: SourceDialect,
    /// The schema specified in the target.
    pub schema: String,
}

impl Data {
    /// Returns the catalog and schema that contain the tables.
    fn place(&self, connection: &Connection) -> Result<(String, String)> {
        let catalog = connection.catalog();
        if !self.schema.is_empty() {
            return Ok((catalog, self.schema.clone()));
        }
        let Some(question) = self.dialect.current_schema() else {
            return Ok((catalog, String::new()));
        };
        let found = query(connection, question)?;
        let schema = found.rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
        Ok((catalog, schema.unwrap_or_default()))
    }
}

impl Questions<isize> for Data {
    fn tables(&self, connection: &Connection) -> Result<Vec<String>> {
        let (catalog, schema) = self.place(connection)?;
        catalogue::tables(connection, (&self.dialect, CASE), &catalog, &schema)
    }

    fn objects(&self, connection: &Connection) -> Result<Vec<Object>> {
        let (catalog, schema) = self.place(connection)?;
        catalogue::objects(connection, (&self.dialect, CASE), &catalog, &schema)
    }

    /// Returns the database, and the ODBC driver in parentheses.
    ///
    /// Returns no settings, because ODBC has no way to query them.
    fn facts(&self, connection: &Connection) -> Result<ServerFacts> {
        let driver = [DRIVER_NAME, DRIVER_VERSION].map(|which| connection.info(which)).join(" ");
        let version = format!("{} ({driver})", connection.product());
        Ok(ServerFacts { version, ..ServerFacts::default() })
    }

    fn sizes(&self, _: &Connection) -> Result<Option<DataSizes>> {
        Ok(None)
    }

    fn counters(&self, _: &Connection) -> Result<Option<Counters>> {
        Ok(None)
    }

    /// Does nothing, because data sources do not support table sets.
    fn drop_set(&self, _: &Connection) -> Result<()> {
        Ok(())
    }
}
