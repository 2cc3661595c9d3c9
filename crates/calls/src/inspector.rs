//! Inspects the database on a session's connection, using the driver's own queries.
//!
//! Start reading at [`Inspector`].

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Inspector, Object, ServerFacts, Statement, TablePart, Values,
    during, no_answers,
};

use crate::library::Length;
use crate::questions::Questions;
use crate::session::Calls;

impl<L: Length, Q: Questions<L>> Inspector for Calls<L, Q> {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        during("list the tables", async move { self.questions.tables(&self.connection) })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        during("list the tables", async move { self.questions.objects(&self.connection) })
    }

    fn table_parts<'a>(&'a mut self, _: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<TablePart>>> {
        during("list the parts of the tables", async move {
            self.questions.table_parts(&self.connection)
        })
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        during(
            "read the version and settings",
            async move { self.questions.facts(&self.connection) },
        )
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        during(
            "read the sizes of the tables",
            async move { self.questions.sizes(&self.connection) },
        )
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        during("read the counters", async move { self.questions.counters(&self.connection) })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        during("read a plan", async move {
            self.leave_transactions()?;
            self.questions.plan(&self.connection, statement, values)
        })
    }

    no_answers!(obstacles, accepts, machine, headroom, privileges, server_time, query_stats);
}
