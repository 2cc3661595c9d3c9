//! Questions to the simulated server: its options are its settings, and it counts what it ended.

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema, units};
use tacho_driver::{
    BoxFuture, Counters, DataSizes, Headroom, Inspector, Object, Privileges, ServerFacts,
    ServerMachine, Setting, Statement, Values, no_answer,
};

use crate::session::{Sim, done};

impl Inspector for Sim {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        done(Vec::new())
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        no_answer()
    }

    fn obstacles<'a>(&'a mut self, _: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        no_answer()
    }

    fn accepts<'a>(&'a mut self, _: &'a Schema) -> BoxFuture<'a, Result<()>> {
        no_answer()
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        let config = &self.config;
        let setting = |name: &str, value: String| Setting {
            name: name.into(),
            value,
            default: None,
            durability_risk: None,
        };
        let settings = vec![
            setting("latency", units::span(config.latency)),
            setting("spread", format!("{:?}", config.spread).to_ascii_lowercase()),
            setting("statement", units::span(config.statement)),
            setting("errors", config.errors.to_string()),
            setting("deadlocks", config.deadlocks.to_string()),
            setting("stall_every", units::span(config.stall_every)),
            setting("stall", units::span(config.stall)),
            setting("outage_at", units::span(config.outage_at)),
            setting("outage", units::span(config.outage)),
            setting("capacity", config.capacity.to_string()),
        ];
        done(ServerFacts { version: "sim".into(), settings, ..ServerFacts::default() })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        no_answer()
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        no_answer()
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        done(Some(self.server.counts.read()))
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
