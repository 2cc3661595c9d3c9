//! Questions to the server, on the connection of a session.
//!
//! What was being done is added to an error here. Start reading at [`Inspector`].

use std::time::Duration;

use tacho_core::{Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, TablePart, Values, during, no_answers,
};

use crate::session::SqlServer;
use crate::{facts, memory, objects};

impl Inspector for SqlServer {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        during("list the tables", facts::tables(&mut self.link))
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list tables and routines", objects::objects(&mut self.link))
    }

    fn table_parts<'a>(&'a mut self, _: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        during("list the parts of the tables", objects::table_parts(&mut self.link))
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        during("look for what depends on the tables", objects::obstacles(&mut self.link, tables))
    }

    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        during("ask for memory-optimized tables", memory::accepts(&mut self.link, schema))
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        during("read the settings", facts::facts(&mut self.link, &self.version))
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        during("ask for the machine of the server", facts::machine(&mut self.link))
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during("read the sizes of the tables", facts::sizes(&mut self.link))
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        during("read the server's counters", facts::counters(&mut self.link))
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        during("read how many sessions fit", facts::headroom(&mut self.link))
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        during("read the privileges", facts::privileges(&mut self.link))
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        during("read the server's date", async move {
            facts::server_time(&mut self.link).await.map(Some)
        })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        during(
            format!("explain {}", statement.name),
            facts::plan(&mut self.link, statement, values),
        )
    }

    no_answers!(query_stats);
}
