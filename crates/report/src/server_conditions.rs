//! The conditions of the server: its machine, disk and settings, and the size of the data.
//!
//! Values that the server did not report are omitted, not guessed. Start reading at [`conditions`].

use tacho_analysis::clean;
use tacho_core::units::{bytes, grouped};
use tacho_store::record::{MachineRecord, Record, SizesRecord, TableSizeRecord};

use crate::conditions::data;
use crate::document::{Block, Fact, Remark, Tone};
use crate::layout::{TextOptions, page};
use crate::table::{Column, Table};
use crate::words::{ABSENT, cores};

/// Maximum number of settings in an expanded list. A longer list is collapsed.
const SETTINGS_OPEN: usize = 12;

/// Returns all server conditions of a run as text.
pub fn conditions(record: &Record, options: &TextOptions) -> String {
    page(blocks(record), options)
}

/// Returns the server, its settings and the data. Disabled durability comes first.
pub(crate) fn blocks(record: &Record) -> Vec<Block> {
    let mut blocks: Vec<Block> = Block::remarks(risks(record)).into_iter().collect();
    blocks.extend(Block::facts(facts(record)));
    blocks.push(match settings(record) {
        None => Block::text("The record does not contain any server settings."),
        Some(table) if table.length() > SETTINGS_OPEN => {
            Block::folded("Settings of the server", table)
        }
        Some(table) => Block::table("Settings of the server", table),
    });
    let tables = tables(record);
    blocks.extend(tables.map(|table| Block::folded("Tables before and after the run", table)));
    blocks
}

/// Returns a remark for each setting that disables durability, which may cause commits to be lost.
pub(crate) fn risks(record: &Record) -> Vec<Remark> {
    // A database that stores no data cannot lose commits.
    let risks = if record.data.is_some() { &record.server.durability_risks[..] } else { &[] };
    let remark = |risk: &String| Remark {
        tone: Tone::Bad,
        text: format!("Durability is switched off: {}", clean(risk)),
        hint: "compare only with results that were also measured without durability".into(),
    };
    risks.iter().map(remark).collect()
}

fn facts(record: &Record) -> impl Iterator<Item = Fact> {
    let (plan, server) = (&record.plan, &record.server);
    let target = format!("{}, {}", clean(&plan.target_name), clean(&plan.target));
    let is_durable = record.data.is_some() && server.durability_risks.is_empty();
    let durability = (is_durable && !server.settings.is_empty()).then(|| {
        Fact::new("durability", "✓ no settings found that could cause commits to be lost")
    });
    [Fact::new("server", version(record)), Fact::new("target", target)]
        .into_iter()
        .chain(machine(record))
        .chain(durability)
        .chain(data(record.data.as_ref()))
        .chain(data_size(record))
}

/// Returns the product and version, and mentions if the database is embedded in this process.
fn version(record: &Record) -> String {
    let server = &record.server;
    let embedded = if server.embedded { ", in the client's process" } else { "" };
    let version = if server.version.is_empty() { &record.plan.driver } else { &server.version };
    format!("{}{embedded}", clean(version))
}

/// Describes the server's machine and disk.
fn machine(record: &Record) -> Vec<Fact> {
    let Some(machine) = &record.server.machine else { return Vec::new() };
    let fact = |label: &'static str, parts: Vec<String>| {
        let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        (!text.is_empty()).then(|| Fact::new(label, text))
    };
    let here = machine.source == "client";
    let whose = match (here, record.server.embedded) {
        (true, true) => "",
        (true, false) => "the client's machine",
        (false, _) => "as reported by the server",
    };
    let parts = vec![
        clean(&machine.name),
        machine.cores.map_or_else(String::new, cores),
        clean(&machine.cpu),
        machine.memory_bytes.map_or_else(String::new, |size| format!("{} memory", bytes(size))),
        clean(&machine.os),
        clean(&machine.arch),
        whose.to_owned(),
    ];
    [fact("server machine", parts), fact("server disk", disk(machine))]
        .into_iter()
        .flatten()
        .collect()
}

fn disk(machine: &MachineRecord) -> Vec<String> {
    let kind = match machine.disk_rotational {
        // Earlier versions also recorded whether a virtual disk rotates. This value is ignored,
        // because the kernel does not know.
        Some(_) if machine.disk.contains("virtio") => "",
        Some(true) => "rotating",
        Some(false) => "not rotating",
        None => "",
    };
    let path = match machine.data_path.as_str() {
        "" => String::new(),
        path => format!("data in {}", clean(path)),
    };
    vec![
        clean(&machine.file_system),
        clean(&machine.disk),
        machine.disk_bytes.map_or_else(String::new, bytes),
        kind.into(),
        path,
    ]
}

/// Returns the size of the data before and after the run.
fn data_size(record: &Record) -> Option<Fact> {
    let data = record.data.as_ref()?;
    let total = |sizes: &Option<SizesRecord>| sizes.as_ref().and_then(SizesRecord::total_bytes);
    let before = total(&data.sizes_before)?;
    let text = match total(&data.sizes_after) {
        Some(after) => format!("{} before the run, {} after it", bytes(before), bytes(after)),
        None => format!("{} before the run", bytes(before)),
    };
    Some(Fact::new("data size", text))
}

/// Returns the settings along with their default values.
fn settings(record: &Record) -> Option<Table> {
    let server = &record.server;
    let mut columns = vec![
        Column::left("setting", server.settings.keys().map(|key| clean(key))),
        Column::left("value", server.settings.values().map(|value| clean(value))),
    ];
    if !server.defaults.is_empty() {
        let default = |key| server.defaults.get(key).map_or(ABSENT.into(), |value| clean(value));
        columns.push(Column::left("default", server.settings.keys().map(default)));
    }
    Table::new(columns).filled()
}

/// Returns the size of each table before and after the run.
fn tables(record: &Record) -> Option<Table> {
    let data = record.data.as_ref()?;
    let before = data.sizes_before.as_ref().filter(|sizes| !sizes.tables.is_empty())?;
    let after = data.sizes_after.as_ref();
    let at = |sizes: Option<&SizesRecord>, name: &str| -> Option<TableSizeRecord> {
        sizes?.tables.iter().find(|table| table.name == name).cloned()
    };
    let cell = |value: Option<u64>, text: fn(u64) -> String| value.map_or(ABSENT.into(), text);
    let count = |rows: u64| grouped(rows);
    let rows = &before.tables;
    let each = |of: &dyn Fn(&TableSizeRecord) -> String| rows.iter().map(of).collect::<Vec<_>>();
    let later = |of: fn(&TableSizeRecord) -> Option<u64>, text: fn(u64) -> String| {
        each(&|table| cell(at(after, &table.name).as_ref().and_then(of), text))
    };
    let mut columns = vec![
        Column::left("table", each(&|table| clean(&table.name))),
        Column::right("rows, about", each(&|table| cell(table.rows, count))),
    ];
    if rows.iter().any(|table| table.bytes.is_some()) {
        columns.extend([
            Column::right("data", each(&|table| cell(table.bytes, bytes))),
            Column::right("indexes", each(&|table| cell(table.index_bytes, bytes))),
        ]);
    }
    if after.is_some() {
        columns.push(Column::right("rows after", later(|table| table.rows, count)));
        if rows.iter().any(|table| table.bytes.is_some()) {
            columns.extend([
                Column::right("data after", later(|table| table.bytes, bytes)),
                Column::right("indexes after", later(|table| table.index_bytes, bytes)),
            ]);
        }
    }
    Some(Table::new(columns))
}
