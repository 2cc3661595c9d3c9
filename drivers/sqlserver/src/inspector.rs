//! Queries that describe the server, run on a session's connection.
//!
//! The functions in this file add the name of the failed operation to an error. Start reading at
//! [`Inspector`].

use tacho_core::{Result, Schema};
use tacho_driver::{BoxFuture, Inspector, answers, during, no_answers};

use crate::session::SqlServer;
use crate::{facts, memory, objects};

impl Inspector for SqlServer {
    answers! { self;
        tables => facts::tables(&mut self.link).await;
        objects => objects::objects(&mut self.link).await;
        table_parts(_tables) => objects::table_parts(&mut self.link).await;
        obstacles(tables) => objects::obstacles(&mut self.link, tables).await;
        facts => facts::facts(&mut self.link, &self.version).await;
        machine => facts::machine(&mut self.link).await;
        sizes => facts::sizes(&mut self.link).await;
        counters => facts::counters(&mut self.link).await;
        headroom => facts::headroom(&mut self.link).await;
        privileges => facts::privileges(&mut self.link).await;
        server_time => facts::server_time(&mut self.link).await.map(Some);
        plan(statement, values) => facts::plan(&mut self.link, statement, values).await;
    }

    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        during("ask for memory-optimized tables", memory::accepts(&mut self.link, schema))
    }

    no_answers!(query_stats);
}
