//! Questions to the server, on the connection of a session.
//!
//! Each is answered in a file of its own; what was being done is added to an error here. Start reading at
//! [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, Values, no_answer,
};

use crate::session::Postgres;
use crate::{facts, machine, objects, privileges};

impl Inspector for Postgres {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move {
            let outcome = facts::tables(&mut self.wire).await;
            outcome.map_err(|error| error.during("list the tables"))
        })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        Box::pin(async move {
            let outcome = objects::objects(&mut self.wire).await;
            outcome.map_err(|error| error.during("list tables and routines"))
        })
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let outcome = objects::obstacles(&mut self.wire, tables).await;
            outcome.map_err(|error| error.during("look for what depends on the tables"))
        })
    }

    fn accepts<'a>(&'a mut self, _: &'a Schema) -> BoxFuture<'a, Result<()>> {
        no_answer()
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        Box::pin(async move {
            let outcome = facts::facts(&mut self.wire, &self.version, self.key).await;
            outcome.map_err(|error| error.during("read the settings"))
        })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        Box::pin(async move {
            let outcome = machine::machine(&mut self.wire).await;
            outcome.map_err(|error| error.during("ask for the machine of the server"))
        })
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        Box::pin(async move {
            let outcome = machine::sizes(&mut self.wire).await;
            outcome.map(Some).map_err(|error| error.during("read the sizes of the tables"))
        })
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        Box::pin(async move {
            let outcome = facts::counters(&mut self.wire, &self.version).await;
            outcome.map(Some).map_err(|error| error.during("read the server's counters"))
        })
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        Box::pin(async move {
            let outcome = facts::headroom(&mut self.wire, self.key).await;
            outcome.map_err(|error| error.during("read how many sessions fit"))
        })
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        Box::pin(async move {
            let outcome = privileges::privileges(&mut self.wire).await;
            outcome.map(Some).map_err(|error| error.during("read the privileges"))
        })
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        Box::pin(async move {
            let outcome = privileges::server_time(&mut self.wire).await;
            outcome.map(Some).map_err(|error| error.during("read the server's date"))
        })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            let outcome = facts::plan(&mut self.wire, statement, values).await;
            outcome.map(Some).map_err(|error| error.during(format!("explain {}", statement.name)))
        })
    }

    fn query_stats(&mut self, exclusive: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
        Box::pin(async move {
            if !exclusive {
                return Ok(None);
            }
            let outcome = facts::query_stats(&mut self.wire, &self.version).await;
            outcome.map_err(|error| error.during("read what the server has done"))
        })
    }
}
