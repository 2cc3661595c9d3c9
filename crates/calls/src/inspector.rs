//! Questions to the database, on the connection of a session: what a driver's own
//! queries answer.
//!
//! Start reading at [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Statement, Values, no_answer,
};

use crate::library::Length;
use crate::questions::Questions;
use crate::session::Calls;

impl<L: Length, Q: Questions<L>> Inspector for Calls<L, Q> {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        let found = self.questions.tables(&self.connection);
        Box::pin(async move { found.map_err(|error| error.during("list the tables")) })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        let found = self.questions.objects(&self.connection);
        Box::pin(async move { found.map_err(|error| error.during("list the tables")) })
    }

    fn obstacles<'a>(&'a mut self, _: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        no_answer()
    }

    fn accepts<'a>(&'a mut self, _: &'a Schema) -> BoxFuture<'a, Result<()>> {
        no_answer()
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        let found = self.questions.facts(&self.connection);
        Box::pin(async move { found.map_err(|error| error.during("read version and settings")) })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        no_answer()
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        let found = self.questions.sizes(&self.connection);
        Box::pin(async move { found.map_err(|error| error.during("read the sizes of the tables")) })
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        let found = self.questions.counters(&self.connection);
        Box::pin(async move { found.map_err(|error| error.during("read the counters")) })
    }

    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> {
        no_answer()
    }

    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
        no_answer()
    }

    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        no_answer()
    }

    fn plan<'a>(
        &'a mut self,
        _: &'a Statement,
        _: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        no_answer()
    }

    fn query_stats(&mut self, _: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
        no_answer()
    }
}
