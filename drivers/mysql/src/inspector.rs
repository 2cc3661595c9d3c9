//! Queries that describe the server, run on a session's connection.
//!
//! Each query is implemented in its own file. The functions in this file add the name of the failed
//! operation to an error.
//!
//! Start reading at [`Inspector`].

use tacho_core::{Result, Schema};
use tacho_driver::{BoxFuture, Inspector, answers};

use crate::dialect::keeping;
use crate::objects::table_parts::table_parts;
use crate::session::MySql;
use crate::{facts, machine, objects, privileges};

impl Inspector for MySql {
    answers! { self;
        tables => facts::tables(&mut self.link).await;
        objects => objects::objects(&mut self.link).await;
        table_parts(tables) => table_parts(&mut self.link, tables).await;
        obstacles(tables) => objects::obstacles(&mut self.link, tables).await;
        facts => facts::facts(&mut self.link, self.product, &self.version).await;
        machine => machine::machine(&mut self.link, self.product).await;
        sizes => machine::sizes(&mut self.link, self.product).await.map(Some);
        counters => facts::counters(&mut self.link).await.map(Some);
        headroom => facts::headroom(&mut self.link, self.catalog.statements().len()).await;
        privileges => privileges::privileges(&mut self.link).await.map(Some);
        server_time => privileges::server_time(&mut self.link).await.map(Some);
        plan(statement, values) => facts::plan(&mut self.link, statement, values).await.map(Some);
        query_stats(exclusive) => facts::query_stats(&mut self.link, exclusive).await.map(Some);
    }

    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        Box::pin(keeping::accepts(&mut self.link, self.product, &self.version, schema))
    }
}
