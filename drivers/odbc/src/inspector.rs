//! Questions to the database, as far as ODBC itself can answer them.
//!
//! Start reading at [`Data`].

use tacho_calls::{Questions, query, read};
use tacho_core::Result;
use tacho_driver::{Counters, DataSizes, Dialect, Object, ObjectKind, ServerFacts};

use crate::dialect::Spoken;

type Connection = tacho_calls::Connection<isize>;

/// What `SQLGetInfo` is asked.
const DRIVER_NAME: u16 = 6;
const DRIVER_VERSION: u16 = 7;

/// Columns of the list of tables, and of the list of their columns.
const TABLE_NAME: usize = 2;
const COLUMN_NAME: usize = 3;
const TYPE_NAME: usize = 5;
const COLUMN_SIZE: usize = 6;

/// What is known of a data source.
pub struct Data {
    pub spoken: Spoken,
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
        let Some(question) = self.spoken.current_schema() else {
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
        let statement = connection.statement()?;
        statement.list_tables(&catalog, &schema)?;
        let found = read(&statement)?.rows;
        let names = found.into_iter().filter_map(|mut row| row.swap_remove(TABLE_NAME));
        let names = names.map(|name| name.to_lowercase());
        let mut names: Vec<String> =
            names.filter(|name| !self.spoken.is_system_table(name)).collect();
        names.sort();
        Ok(names)
    }

    fn objects(&self, connection: &Connection) -> Result<Vec<Object>> {
        let (catalog, schema) = self.place(connection)?;
        let statement = connection.statement()?;
        statement.list_columns(&catalog, &schema)?;
        let columns = read(&statement)?.rows;
        let text = |row: &[Option<String>], at: usize| row[at].clone().unwrap_or_default();
        Ok(self
            .tables(connection)?
            .into_iter()
            .map(|name| {
                let own = |row: &&Vec<Option<String>>| text(row, TABLE_NAME).to_lowercase() == name;
                let shape = columns.iter().filter(own).map(|row| {
                    let name = text(row, COLUMN_NAME).to_lowercase();
                    format!("{name} {}({})", text(row, TYPE_NAME), text(row, COLUMN_SIZE))
                });
                Object {
                    kind: ObjectKind::Table,
                    shape: shape.collect(),
                    identity: String::new(),
                    drop: format!("DROP TABLE {name}"),
                    name,
                }
            })
            .collect())
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
