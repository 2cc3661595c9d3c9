//! Queries that describe the server, run on a session's connection.
//!
//! Each query has its own file. This file adds the operation's name to errors.
//!
//! Start reading at [`Inspector`].

use tacho_driver::{Inspector, answers, no_answers};

use crate::session::Postgres;
use crate::{facts, machine, objects, privileges};

impl Inspector for Postgres {
    answers! { self;
        tables => facts::tables(&mut self.wire).await;
        objects => objects::objects(&mut self.wire).await;
        table_parts(tables) => objects::table_parts(&mut self.wire, tables).await;
        obstacles(tables) => objects::obstacles(&mut self.wire, tables).await;
        facts => facts::facts(&mut self.wire, &self.version, self.key).await;
        machine => machine::machine(&mut self.wire).await;
        sizes => machine::sizes(&mut self.wire).await.map(Some);
        counters => facts::counters(&mut self.wire, &self.version, self.key).await.map(Some);
        headroom => facts::headroom(&mut self.wire, self.key).await;
        privileges => privileges::privileges(&mut self.wire).await.map(Some);
        server_time => privileges::server_time(&mut self.wire).await.map(Some);
        plan(statement, values) => facts::plan(&mut self.wire, statement, values).await.map(Some);
        query_stats(exclusive) => if exclusive {
            facts::query_stats(&mut self.wire, &self.version).await
        } else {
            Ok(None)
        };
    }

    no_answers!(accepts);
}
