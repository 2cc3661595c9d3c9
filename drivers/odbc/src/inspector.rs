//! Questions to the database, on the connection of a session, as far as ODBC itself can answer them.
//!
//! Start reading at [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Dialect, Headroom, Inspector, Object, ObjectKind, Privileges,
    ServerFacts, ServerMachine, Statement, Values, no_answer,
};

use crate::rows;
use crate::session::Odbc;

/// What `SQLGetInfo` is asked.
const DBMS_NAME: u16 = 17;
const DBMS_VERSION: u16 = 18;
const DRIVER_NAME: u16 = 6;
const DRIVER_VERSION: u16 = 7;

/// Columns of the list of tables, and of the list of their columns.
const TABLE_NAME: usize = 2;
const COLUMN_NAME: usize = 3;
const TYPE_NAME: usize = 5;
const COLUMN_SIZE: usize = 6;

impl Odbc {
    /// Catalog and schema of the tables.
    fn place(&self) -> Result<(String, String)> {
        let catalog = self.connection.catalog();
        if !self.schema.is_empty() {
            return Ok((catalog, self.schema.clone()));
        }
        let Some(question) = self.spoken.current_schema() else {
            return Ok((catalog, String::new()));
        };
        let found = rows::query(&self.connection, question)?;
        let schema = found.rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
        Ok((catalog, schema.unwrap_or_default()))
    }

    fn table_names(&self) -> Result<Vec<String>> {
        let (catalog, schema) = self.place()?;
        let statement = self.connection.statement()?;
        statement.list_tables(&catalog, &schema)?;
        let found = rows::read(&statement)?.rows;
        let names = found.into_iter().filter_map(|mut row| row.swap_remove(TABLE_NAME));
        let mut names: Vec<String> = names.map(|name| name.to_lowercase()).collect();
        names.sort();
        Ok(names)
    }

    fn described(&self) -> Result<Vec<Object>> {
        let (catalog, schema) = self.place()?;
        let statement = self.connection.statement()?;
        statement.list_columns(&catalog, &schema)?;
        let columns = rows::read(&statement)?.rows;
        let text = |row: &[Option<String>], at: usize| row[at].clone().unwrap_or_default();
        Ok(self
            .table_names()?
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

    /// The database and, in parentheses, the ODBC driver.
    fn version(&self) -> String {
        let [database, version, driver, own] =
            [DBMS_NAME, DBMS_VERSION, DRIVER_NAME, DRIVER_VERSION]
                .map(|which| self.connection.info(which));
        format!("{database} {version} ({driver} {own})")
    }
}

impl Inspector for Odbc {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move { self.table_names().map_err(|error| error.during("list the tables")) })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        Box::pin(async move { self.described().map_err(|error| error.during("list the tables")) })
    }

    fn obstacles<'a>(&'a mut self, _: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        no_answer()
    }

    fn accepts<'a>(&'a mut self, _: &'a Schema) -> BoxFuture<'a, Result<()>> {
        no_answer()
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        Box::pin(async move {
            // Settings cannot be asked for, and none are claimed: the defaults that a driver states are not
            // those of the session.
            Ok(ServerFacts { version: self.version(), ..ServerFacts::default() })
        })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        no_answer()
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        no_answer()
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        no_answer()
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        no_answer()
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        no_answer()
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        no_answer()
    }

    fn plan<'a>(
        &'a mut self,
        _: &'a Statement,
        _: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        no_answer()
    }

    fn query_stats(&mut self, _: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
        no_answer()
    }
}
