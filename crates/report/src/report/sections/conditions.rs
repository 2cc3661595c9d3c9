//! Under which conditions: server, data, client machine, own cost.

use tacho_analysis::{clean, shares_machine};
use tacho_core::units::bytes;
use tacho_store::record::Record;

use crate::layout::{Fact, facts};
use crate::report::document::{Block, Remark, Section, Tone};
use crate::{conditions, server_conditions, words};

/// Above it a list of settings is folded.
const SETTINGS_OPEN: usize = 12;

/// The server, its settings and the data. What was switched off comes first.
pub(super) fn section(record: &Record) -> Option<Section> {
    let server = &record.server;
    let mut blocks = Vec::new();
    let risks = risks(record);
    if !risks.is_empty() {
        blocks.push(Block::Remarks { remarks: risks });
    }
    let fact = |label: &str, text: String| Fact { label: label.into(), paragraphs: vec![text] };
    let mut list = vec![
        fact("server", server_conditions::version(record)),
        fact(
            "target",
            format!("{}, {}", clean(&record.plan.target_name), clean(&record.plan.target)),
        ),
    ];
    list.extend(server_conditions::machine(record));
    let durable = record.data.is_some() && server.durability_risks.is_empty();
    if durable && !server.settings.is_empty() {
        list.push(fact("durability", "✓ no setting found that risks commits".into()));
    }
    list.extend(facts(|page| conditions::data(page, record.data.as_ref())));
    list.extend(server_conditions::data_size(record));
    blocks.push(Block::Facts { facts: list });
    blocks.push(match server_conditions::settings(record) {
        None => Block::text("The record holds no settings of the server."),
        Some(table) if server.settings.len() > SETTINGS_OPEN => {
            Block::folded("Settings of the server", &table)
        }
        Some(table) => Block::table("Settings of the server", &table),
    });
    let tables = server_conditions::tables(record);
    blocks.extend(tables.map(|table| Block::folded("Tables, before the run and after it", &table)));
    Section::of("conditions", "Conditions", blocks)
}

/// What was switched off.
pub(super) fn risks(record: &Record) -> Vec<Remark> {
    // A database that keeps no data has no commits to lose.
    let risks = if record.data.is_some() { &record.server.durability_risks[..] } else { &[] };
    let remark = |risk: &String| Remark {
        tone: Tone::Bad,
        text: format!("Durability is switched off: {}", clean(risk)),
        hint: "compare only with figures that were also measured without it".into(),
    };
    risks.iter().map(remark).collect()
}

/// The machine of the client, and what the measurement itself cost.
pub(super) fn host(record: &Record) -> Option<Section> {
    let host = &record.host;
    let fact = |label: &str, text: String| Fact { label: label.into(), paragraphs: vec![text] };
    let mut list = vec![
        fact("machine", clean(&host.name)),
        fact("processor", format!("{}, {}", words::cores(host.cores), clean(&host.cpu))),
        fact("memory", bytes(host.memory_bytes)),
        fact(
            "system",
            format!("{}, kernel {}, {}", clean(&host.os), clean(&host.kernel), clean(&host.arch)),
        ),
    ];
    if let Some(result) = &record.result {
        list.extend(facts(|page| conditions::tool(page, record, &result.tool)));
    }
    let mut blocks = vec![Block::Facts { facts: list }];
    if shares_machine(record) && !record.server.embedded {
        blocks.push(Block::text(
            "Client and server share this machine and compete for its resources.",
        ));
    }
    Section::of("host", "Client machine and own cost", blocks)
}
