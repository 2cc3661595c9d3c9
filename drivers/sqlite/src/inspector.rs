//! Questions to the database, on the connection of a session.
//!
//! It has no server: no counters of its own, no limit of sessions and no clock. Start reading at
//! [`Inspector`].

use std::time::Duration;

use rusqlite::Connection;
use tacho_core::{QueryStats, Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, Values, no_answer,
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

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            objects::obstacles(&self.connection, tables)
                .map_err(|error| native(error).during("look for what depends on the tables"))
        })
    }

    fn accepts<'a>(&'a mut self, _: &'a Schema) -> BoxFuture<'a, Result<()>> {
        no_answer()
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        Box::pin(async move {
            facts::facts(&self.connection).map_err(|error| error.during("read the settings"))
        })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        Box::pin(async move { Ok(Some(facts::machine(&self.connection))) })
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        Box::pin(async move {
            let outcome = facts::sizes(&self.connection);
            outcome.map(Some).map_err(|error| error.during("read the size of the file"))
        })
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        no_answer()
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        no_answer()
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        Box::pin(async move {
            let outcome = facts::privileges(&self.connection);
            outcome.map(Some).map_err(|error| error.during("write to the file"))
        })
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        no_answer()
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            let outcome = facts::plan(&self.connection, statement, values);
            outcome.map(Some).map_err(|error| error.during(format!("explain {}", statement.name)))
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
}

fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT lower(name) FROM sqlite_master WHERE type = 'table' ORDER BY 1";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    // Names of this form are SQLite's own.
    names.filter(|name| name.as_ref().map_or(true, |name| !name.starts_with("sqlite_"))).collect()
}
