//! Questions to the server, on the connection of a session.
//!
//! Each is answered in a file of its own; what was being done is added to an error here. Start reading at
//! [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, TablePart, Values, during,
};

use crate::dialect::keeping;
use crate::objects::table_parts::table_parts;
use crate::session::MySql;
use crate::{facts, machine, objects, privileges};

impl Inspector for MySql {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        during("list the tables", facts::tables(&mut self.link))
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list tables and routines", objects::objects(&mut self.link))
    }

    fn table_parts<'a>(
        &'a mut self,
        tables: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        during("list the parts of the tables", table_parts(&mut self.link, tables))
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        during("look for what depends on the tables", objects::obstacles(&mut self.link, tables))
    }

    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            keeping::accepts(&mut self.link, self.product, &self.version, schema).await
        })
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        during("read the settings", facts::facts(&mut self.link, self.product, &self.version))
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        during("ask for the machine of the server", machine::machine(&mut self.link, self.product))
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during("read the sizes of the tables", async move {
            machine::sizes(&mut self.link, self.product).await.map(Some)
        })
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        during("read the server's counters", async move {
            facts::counters(&mut self.link).await.map(Some)
        })
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        Box::pin(async move {
            let statements = self.catalog.statements().len();
            let outcome = facts::headroom(&mut self.link, statements).await;
            outcome.map_err(|error| error.during("read how many sessions fit"))
        })
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        during("read the privileges", async move {
            privileges::privileges(&mut self.link).await.map(Some)
        })
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        during("read the server's date", async move {
            privileges::server_time(&mut self.link).await.map(Some)
        })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        during(format!("explain {}", statement.name), async move {
            facts::plan(&mut self.link, statement, values).await.map(Some)
        })
    }

    fn query_stats(&mut self, exclusive: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
        during("read what the server has done", async move {
            facts::query_stats(&mut self.link, exclusive).await.map(Some)
        })
    }
}
