//! Queries that describe the database, run on a session's connection.
//!
//! DuckDB runs in Tacho's process, so it has no server counters, session limit or server clock.
//!
//! Start reading at [`Inspector`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{
    BoxFuture, DataSizes, Inspector, Object, Statement, Values, answers, during, no_answers,
};

use crate::handles::Connection;
use crate::session::DuckDb;
use crate::{dialect, facts, objects, plan};

const TABLES: &str = include_str!("../sql/tables.sql");

impl Inspector for DuckDb {
    answers! { self;
        tables => facts::texts(&self.connection, TABLES, 1);
        table_parts(_tables) => objects::table_parts(&self.connection);
        obstacles(tables) => objects::obstacles(&self.connection, tables);
        facts => facts::facts(&self.connection);
        machine => Ok(Some(facts::machine(&self.connection)));
        plan(statement, values) => explain(&self.connection, statement, values).map(Some);
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list the tables", async move { objects::objects(&self.connection) })
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during("read the size of the file", async move { facts::sizes(&self.connection).map(Some) })
    }

    no_answers!(accepts, counters, headroom, privileges, server_time, query_stats);
}

fn explain(connection: &Connection, statement: &Statement, values: &Values) -> Result<String> {
    let sql = statement.text("EXPLAIN (FORMAT json) ", &dialect::DuckDb, values)?;
    // Each row of the result has two columns: the kind of plan, and the plan itself.
    let rows = facts::texts(connection, &sql, 2)?;
    let json = rows.get(1).ok_or_else(|| Error::new(ErrorKind::Protocol, "there is no plan"))?;
    plan::lines(json)
}
