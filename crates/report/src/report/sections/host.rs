//! The client's machine, and the resources that Tacho used.

use tacho_analysis::{clean, shares_machine};
use tacho_core::units::bytes;
use tacho_store::record::{Record, ResultRecord};

use crate::document::Fact;
use crate::document::{Block, Section};
use crate::{conditions, words};

/// Returns the resources that Tacho used and the hosts that it ran on.
pub(super) fn facts(record: &Record, result: &ResultRecord) -> impl Iterator<Item = Fact> {
    let facts = [
        conditions::tool(record, &result.tool),
        conditions::load_hosts(&result.load_hosts),
        conditions::addresses(&result.addresses),
    ];
    facts.into_iter().flatten()
}

/// Describes the client's machine and Tacho's use of its resources.
pub(super) fn section(record: &Record) -> Option<Section> {
    let host = &record.host;
    let mut list = vec![
        Fact::new("machine", clean(&host.name)),
        Fact::new("processor", format!("{}, {}", words::cores(host.cores), clean(&host.cpu))),
        Fact::new("memory", bytes(host.memory_bytes)),
        Fact::new(
            "system",
            format!("{}, kernel {}, {}", clean(&host.os), clean(&host.kernel), clean(&host.arch)),
        ),
    ];
    list.extend(record.result.iter().flat_map(|result| facts(record, result)));
    let mut blocks = vec![Block::Facts { facts: list }];
    if shares_machine(record) && !record.server.embedded {
        blocks.push(Block::text(
            "The client and the server share this machine and compete for its resources.",
        ));
    }
    Section::of("host", "Client machine and own cost", blocks)
}
