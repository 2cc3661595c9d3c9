//! Questions to the database, on the connection of a session.
//!
//! It has no server: no counters of its own, no limit of sessions and no clock. Start reading at
//! [`Inspector`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, QueryStats, Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, Values, no_answer,
};

use crate::handles::Connection;
use crate::session::DuckDb;
use crate::{dialect, facts, objects, plan};

const TABLES: &str = "SELECT lower(table_name) FROM duckdb_tables() WHERE NOT internal ORDER BY 1";

impl Inspector for DuckDb {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move {
            facts::texts(&self.connection, TABLES, 1)
                .map_err(|error| error.during("list the tables"))
        })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        Box::pin(async move {
            objects::objects(&self.connection).map_err(|error| error.during("list the tables"))
        })
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            objects::obstacles(&self.connection, tables)
                .map_err(|error| error.during("look for what depends on the tables"))
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
        no_answer()
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
            let outcome = explain(&self.connection, statement, values);
            outcome.map(Some).map_err(|error| error.during(format!("explain {}", statement.name)))
        })
    }

    fn query_stats(&mut self, _: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
        no_answer()
    }
}

fn explain(connection: &Connection, statement: &Statement, values: &Values) -> Result<String> {
    let sql = statement.text("EXPLAIN (FORMAT json) ", &dialect::DuckDb, values)?;
    // A key, which says what kind of plan it is, and the plan.
    let told = facts::texts(connection, &sql, 2)?;
    let json = told.get(1).ok_or_else(|| Error::new(ErrorKind::Protocol, "there is no plan"))?;
    plan::lines(json)
}
