//! Questions to the database, on the connection of a session.
//!
//! It has no server: no counters of its own, no limit of sessions and no clock. Start reading at
//! [`Inspector`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{
    BoxFuture, DataSizes, Inspector, Object, ServerFacts, ServerMachine, Statement, TablePart,
    Values, during, no_answers,
};

use crate::handles::Connection;
use crate::session::DuckDb;
use crate::{dialect, facts, objects, plan};

const TABLES: &str = include_str!("../sql/tables.sql");

impl Inspector for DuckDb {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        during("list the tables", async move { facts::texts(&self.connection, TABLES, 1) })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list the tables", async move { objects::objects(&self.connection) })
    }

    fn table_parts<'a>(&'a mut self, _: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        during(
            "list the parts of the tables",
            async move { objects::table_parts(&self.connection) },
        )
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        during("look for what depends on the tables", async move {
            objects::obstacles(&self.connection, tables)
        })
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        during("read the settings", async move { facts::facts(&self.connection) })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        Box::pin(async move { Ok(Some(facts::machine(&self.connection))) })
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during("read the size of the file", async move { facts::sizes(&self.connection).map(Some) })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        during(format!("explain {}", statement.name), async move {
            explain(&self.connection, statement, values).map(Some)
        })
    }

    no_answers!(accepts, counters, headroom, privileges, server_time, query_stats);
}

fn explain(connection: &Connection, statement: &Statement, values: &Values) -> Result<String> {
    let sql = statement.text("EXPLAIN (FORMAT json) ", &dialect::DuckDb, values)?;
    // A key, which says what kind of plan it is, and the plan.
    let rows = facts::texts(connection, &sql, 2)?;
    let json = rows.get(1).ok_or_else(|| Error::new(ErrorKind::Protocol, "there is no plan"))?;
    plan::lines(json)
}
