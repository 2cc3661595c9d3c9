//! Questions to the server, on the connection of a session.
//!
//! What was being done is added to an error here. Start reading at [`Inspector`].

use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, TablePart, Values, no_answers,
};

use crate::session::Oracle;
use crate::{facts, objects};

/// An answer that is there at once, since the client blocks.
fn answered<'a, T: Send + 'a>(outcome: Result<T>, what: &'static str) -> BoxFuture<'a, Result<T>> {
    Box::pin(std::future::ready(outcome.map_err(|error| error.during(what))))
}

impl Inspector for Oracle {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        answered(objects::tables(&self.connection), "list the tables")
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        answered(objects::objects(&self.connection), "list tables and routines")
    }

    fn table_parts<'a>(&'a mut self, _: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        answered(objects::table_parts(&self.connection), "list the parts of the tables")
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        answered(
            objects::obstacles(&self.connection, tables),
            "look for what depends on the tables",
        )
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        answered(facts::facts(&self.connection), "read the settings")
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        answered(facts::machine(&self.connection), "ask for the machine of the server")
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        answered(facts::sizes(&self.connection).map(Some), "read the sizes of the tables")
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        answered(facts::counters(&self.connection, self.rac), "read the server's counters")
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        answered(facts::headroom(&self.connection), "read how many sessions fit")
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        answered(facts::privileges(&self.connection).map(Some), "read the privileges")
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        answered(facts::server_time(&self.connection).map(Some), "read the server's date")
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        answered(facts::plan(&self.connection, statement, values), "explain a statement")
    }

    no_answers!(accepts, query_stats);
}
