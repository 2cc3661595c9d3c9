//! Describes the simulated server. Reports the target's options as settings, and its transactions as the only counters.

use tacho_core::{Result, units};
use tacho_driver::{BoxFuture, Counters, Inspector, ServerFacts, Setting, no_answers};

use crate::session::{Sim, done};

impl Inspector for Sim {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        done(Vec::new())
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

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        done(Some(self.server.counts.read()))
    }

    no_answers!(
        objects,
        table_parts,
        obstacles,
        accepts,
        machine,
        sizes,
        headroom,
        privileges,
        server_time,
        plan,
        query_stats
    );
}
