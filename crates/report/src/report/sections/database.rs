//! What the server did meanwhile.

use tacho_analysis::{Measurement, clean};
use tacho_core::units::{grouped, percent, significant};
use tacho_store::record::{Record, ServerLoadRecord, WaitRecord};

use crate::report::charts::waits;
use crate::report::document::{Block, Remark, Section, Tone};
use crate::table::{Column, Table};

/// Waits over time and in sum, and the growth of counters.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let record = &run.record;
    let result = record.result.as_ref()?;
    let Some(load) = &result.server_load else {
        let text = "The server was not monitored: the driver does not support it, or the monitoring \
             failed.";
        return Section::of("database", "Database", vec![Block::text(text)]);
    };
    let mut blocks = Vec::new();
    if !load.missing.is_empty() {
        let remark = |text: &String| Remark {
            tone: Tone::Warn,
            text: format!("Not seen: {}", clean(text)),
            hint: String::new(),
        };
        blocks.push(Block::Remarks { remarks: load.missing.iter().map(remark).collect() });
    }
    blocks.extend(waits::waits(run).map(Block::Chart));
    blocks.extend(wait_table(load));
    blocks.extend(counters(record, load, result.measured_s));
    Section::of("database", "Database", blocks)
}

fn wait_table(load: &ServerLoadRecord) -> Option<Block> {
    let each = |cell: fn(&WaitRecord) -> String| load.waits.iter().map(cell);
    let columns = vec![
        Column::left("wait", each(waits::name)),
        Column::right("sessions", each(|own| significant(own.sessions))),
        Column::right("share", each(|own| percent(own.share))),
    ];
    let title = format!(
        "{} active sessions on average over the measured phase, from {} looks",
        significant(load.active_sessions),
        grouped(load.samples)
    );
    let table = Table { columns, indent: 0, gap: 2 };
    (!load.waits.is_empty()).then(|| Block::folded(title, &table))
}

fn counters(record: &Record, load: &ServerLoadRecord, measured_s: f64) -> Option<Block> {
    let grown: Vec<(&String, &u64)> = load.counters.iter().collect();
    if grown.is_empty() || measured_s <= 0.0 {
        return None;
    }
    let ended = record
        .result
        .as_ref()
        .map_or(0, |own| own.accounting.committed + own.accounting.rolled_back);
    let per =
        |count: u64, of: f64| if of > 0.0 { significant(count as f64 / of) } else { "–".into() };
    let columns = vec![
        Column::left("counter", grown.iter().map(|(name, _)| clean(name))),
        Column::right("growth", grown.iter().map(|(_, count)| grouped(**count))),
        Column::right("per second", grown.iter().map(|(_, count)| per(**count, measured_s))),
        Column::right("per transaction", grown.iter().map(|(_, count)| per(**count, ended as f64))),
    ];
    let title = "The server's own counters, growth over the measured phase";
    Some(Block::folded(title, &Table { columns, indent: 0, gap: 2 }))
}
