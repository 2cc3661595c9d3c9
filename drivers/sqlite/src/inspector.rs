//! Questions to the database, on the connection of a session.
//!
//! It has no server: no counters of its own, no limit of sessions and no clock. Start reading at
//! [`Inspector`].

use rusqlite::Connection;
use tacho_core::{QueryStats, Result};
use tacho_driver::{
    BoxFuture, DataSizes, Inspector, Object, Privileges, ServerFacts, ServerMachine, Statement,
    TablePart, Values, during, no_answers,
};

use crate::errors::native;
use crate::query_stats::Counted;
use crate::session::Sqlite;
use crate::{facts, objects};

impl Inspector for Sqlite {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move {
            table_names(&self.connection).map_err(|error| native(error).during("list the tables"))
        })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        Box::pin(async move {
            objects::objects(&self.connection)
                .map_err(|error| native(error).during("list the tables"))
        })
    }

    fn table_parts<'a>(&'a mut self, _: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        Box::pin(async move {
            objects::table_parts(&self.connection)
                .map_err(|error| native(error).during("list the parts of the tables"))
        })
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            objects::obstacles(&self.connection, tables)
                .map_err(|error| native(error).during("look for what depends on the tables"))
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

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        during("write to the file", async move { facts::privileges(&self.connection).map(Some) })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        during(format!("explain {}", statement.name), async move {
            facts::plan(&self.connection, statement, values).map(Some)
        })
    }

    fn query_stats(&mut self, _: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
        Box::pin(async move {
            let counted = match &mut self.counted {
                Some(counted) => counted,
                none => none.insert(Counted::of(&self.connection)?),
            };
            Ok(Some(counted.read(&self.connection)))
        })
    }

    no_answers!(accepts, counters, headroom, server_time);
}

fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT lower(name) FROM sqlite_master WHERE type = 'table' ORDER BY 1";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    // Names of this form are SQLite's own.
    names.filter(|name| name.as_ref().map_or(true, |name| !name.starts_with("sqlite_"))).collect()
}
