//! Questions to the database, as far as ODBC itself can answer them.
//!
//! Start reading at [`Data`].

use tacho_calls::{Questions, catalogue, query};
use tacho_core::Result;
use tacho_driver::{Counters, DataSizes, Dialect, NameCase, Object, ServerFacts};

use crate::dialect::SourceDialect;

type Connection = tacho_calls::Connection<isize>;

/// ODBC databases differ in how they compare names, and most take upper and lower case as the same.
const CASE: NameCase = NameCase::Insensitive;
/// What `SQLGetInfo` is asked.
const DRIVER_NAME: u16 = 6;
const DRIVER_VERSION: u16 = 7;

/// What is known of a data source.
pub struct Data {
    pub dialect: SourceDialect,
    /// The schema that the target names.
    pub schema: String,
}

impl Data {
    /// Catalog and schema of the tables.
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

    /// The database and, in parentheses, the ODBC driver. Settings cannot be asked for, and none are claimed:
    /// the defaults that a driver states are not those of the session.
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

    /// There are none.
    fn drop_set(&self, _: &Connection) -> Result<()> {
        Ok(())
    }
}
