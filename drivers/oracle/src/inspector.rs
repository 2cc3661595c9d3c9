//! Queries that describe the server, run on a session's connection.
//!
//! This file adds the operation's name to errors. Start reading at [`Inspector`].

use tacho_driver::{Inspector, answers, no_answers};

use crate::session::Oracle;
use crate::{facts, objects};

impl Inspector for Oracle {
    answers! { self;
        tables => objects::tables(&self.connection);
        objects => objects::objects(&self.connection);
        table_parts(_tables) => objects::table_parts(&self.connection);
        obstacles(tables) => objects::obstacles(&self.connection, tables);
        facts => facts::facts(&self.connection);
        machine => facts::machine(&self.connection);
        sizes => facts::sizes(&self.connection).map(Some);
        counters => facts::counters(&self.connection, self.rac);
        headroom => facts::headroom(&self.connection);
        privileges => facts::privileges(&self.connection).map(Some);
        server_time => facts::server_time(&self.connection).map(Some);
        plan(statement, values) => facts::plan(&self.connection, statement, values);
    }

    no_answers!(accepts, query_stats);
}
