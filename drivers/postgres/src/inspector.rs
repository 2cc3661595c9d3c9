//! Questions to the server, on the connection of a session.
//!
//! Each is answered in a file of its own; what was being done is added to an error here. Start reading at
//! [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, TablePart, Values, during, no_answers,
};

use crate::session::Postgres;
use crate::{facts, machine, objects, privileges};

impl Inspector for Postgres {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        during("list the tables", facts::tables(&mut self.wire))
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list tables and routines", objects::objects(&mut self.wire))
    }

    fn table_parts<'a>(
        &'a mut self,
        tables: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        during("list the parts of the tables", objects::table_parts(&mut self.wire, tables))
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        during("look for what depends on the tables", objects::obstacles(&mut self.wire, tables))
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        during("read the settings", facts::facts(&mut self.wire, &self.version, self.key))
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        during("ask for the machine of the server", machine::machine(&mut self.wire))
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during("read the sizes of the tables", async move {
            machine::sizes(&mut self.wire).await.map(Some)
        })
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        during("read the server's counters", async move {
            facts::counters(&mut self.wire, &self.version).await.map(Some)
        })
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        during("read how many sessions fit", facts::headroom(&mut self.wire, self.key))
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        during("read the privileges", async move {
            privileges::privileges(&mut self.wire).await.map(Some)
        })
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        during("read the server's date", async move {
            privileges::server_time(&mut self.wire).await.map(Some)
        })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        during(format!("explain {}", statement.name), async move {
            facts::plan(&mut self.wire, statement, values).await.map(Some)
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

    no_answers!(accepts);
}
