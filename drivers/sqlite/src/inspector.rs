//! Queries that describe the database, run on a session's connection.
//!
//! SQLite runs in Tacho's process, so it has no server counters, session limit or server clock.
//!
//! Start reading at [`Inspector`].

use rusqlite::Connection;
use tacho_core::Result;
use tacho_driver::{
    BoxFuture, DataSizes, Inspector, Object, Privileges, answers, during, no_answers,
};

use crate::errors::native;
use crate::query_stats::Counted;
use crate::session::Sqlite;
use crate::{facts, objects};

impl Inspector for Sqlite {
    answers! { self;
        tables => table_names(&self.connection).map_err(native);
        table_parts(_tables) => objects::table_parts(&self.connection).map_err(native);
        obstacles(tables) => objects::obstacles(&self.connection, tables).map_err(native);
        facts => facts::facts(&self.connection);
        machine => Ok(Some(facts::machine(&self.connection)));
        plan(statement, values) => facts::plan(&self.connection, statement, values).map(Some);
        query_stats(_exclusive) => {
            let counted = match &mut self.counted {
                Some(counted) => counted,
                none => none.insert(Counted::of(&self.connection)?),
            };
            Ok(Some(counted.read(&self.connection)))
        };
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list the tables", async move { objects::objects(&self.connection).map_err(native) })
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during("read the size of the file", async move { facts::sizes(&self.connection).map(Some) })
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        during("write to the file", async move { facts::privileges(&self.connection).map(Some) })
    }

    no_answers!(accepts, counters, headroom, server_time);
}

fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT lower(name) FROM sqlite_master WHERE type = 'table' ORDER BY 1";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    // Omit tables whose names start with `sqlite_`, because SQLite reserves these names for its
    // internal tables.
    names.filter(|name| name.as_ref().map_or(true, |name| !name.starts_with("sqlite_"))).collect()
}
