//! The observed machines: the load host and machines that run an agent.

use tacho_analysis::{Measurement, clean};
use tacho_core::units::{bytes, grouped, percent, significant};
use tacho_store::record::{CpuShares, HostLoadRecord, ObservedHostRecord};

use crate::document::{Block, Fact, Section};
use crate::report::charts::hosts::hosts;
use crate::table::{Column, Table};
use crate::words;

/// Returns each machine's charts and means. The means have one row per core.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let result = run.record.result.as_ref()?;
    let blocks = result.hosts.iter().enumerate().flat_map(|(place, host)| of(run, place, host));
    Section::of("hosts", "Observed machines", blocks.collect())
}

fn of(run: &Measurement, place: usize, observed: &ObservedHostRecord) -> Vec<Block> {
    let mut blocks = vec![Block::Facts { facts: facts(observed) }];
    blocks.extend(hosts(run, place, observed).into_iter().map(Block::Chart));
    if let Some(load) = &observed.load {
        blocks
            .push(Block::folded(format!("{}: each core", clean(&observed.host.name)), cores(load)));
    }
    blocks
}

fn facts(observed: &ObservedHostRecord) -> Vec<Fact> {
    let host = &observed.host;
    let role =
        if observed.source == "client" { "load host".to_owned() } else { clean(&observed.source) };
    let mut facts = vec![
        Fact::new("machine", format!("{} ({role})", clean(&host.name))),
        Fact::new("processor", format!("{}, {}", words::cores(host.cores), clean(&host.cpu))),
    ];
    if !observed.governors.is_empty() {
        let governors: Vec<String> = observed.governors.iter().map(|name| clean(name)).collect();
        facts.push(Fact::new("governor", governors.join(", ")));
    }
    if let Some((offset, error)) = observed.clock_offset_s.zip(observed.clock_error_s) {
        let text =
            format!("{:+.1} ms ± {:.1} ms relative to the load host", offset * 1e3, error * 1e3);
        facts.push(Fact::new("clock", text));
    }
    match &observed.load {
        Some(load) => facts.extend(means(load)),
        None => facts.push(Fact::new("load", "fewer than two readings during the measured phase")),
    }
    if observed.failures > 0 {
        let why = observed.failure.as_deref().unwrap_or_default();
        let text = format!("{} readings failed: {}", grouped(observed.failures), clean(why));
        facts.push(Fact::new("failures", text));
    }
    facts
}

fn means(load: &HostLoadRecord) -> Vec<Fact> {
    let CpuShares { user, system, interrupts, steal, io_wait, idle } = load.cpu;
    let parts = [
        ("user", user),
        ("system", system),
        ("interrupts", interrupts),
        ("steal", steal),
        ("waiting for disks", io_wait),
        ("idle", idle),
    ];
    let parts: Vec<String> =
        parts.iter().map(|(name, share)| format!("{name} {}", percent(*share))).collect();
    let mut facts = vec![Fact::new("CPU", parts.join(", "))];
    let free = bytes(load.available_bytes);
    let (dirty, swap) = (bytes(load.dirty_bytes), bytes(load.swap_used_bytes));
    facts.push(Fact::new(
        "memory",
        format!("{free} available, {dirty} not yet written to disk, {swap} swapped"),
    ));
    facts.extend(load.disks.iter().map(|(name, disk)| {
        let text = format!(
            "{}: {}/s read, {}/s written, {} transfers/s, busy {}",
            clean(name),
            bytes(disk.read_bytes_per_s as u64),
            bytes(disk.written_bytes_per_s as u64),
            significant(disk.reads_per_s + disk.writes_per_s),
            percent(disk.busy)
        );
        Fact::new("disk", text)
    }));
    facts.extend(load.networks.iter().map(|(name, network)| {
        let (received, sent) =
            (network.received_bytes_per_s as u64, network.sent_bytes_per_s as u64);
        let text = format!(
            "{}: {}/s received, {}/s sent, {} packets/s, {} errors/s",
            clean(name),
            bytes(received),
            bytes(sent),
            significant(network.packets_per_s),
            significant(network.errors_per_s)
        );
        Fact::new("network", text)
    }));
    if load.numa.len() > 1 {
        let misses: Vec<String> = load
            .numa
            .iter()
            .map(|node| format!("{} misses/s", significant(node.misses_per_s)))
            .collect();
        facts.push(Fact::new("NUMA", misses.join(", ")));
    }
    if let Some(mhz) = load.frequency_mhz {
        facts.push(Fact::new("frequency", format!("{} MHz at the end", grouped(mhz as u64))));
    }
    if let Some(pressure) = load.pressure {
        let text = format!(
            "CPU {}, memory {}, disks {} of the time (PSI, some)",
            percent(pressure.cpu_some),
            percent(pressure.memory_some),
            percent(pressure.io_some)
        );
        facts.push(Fact::new("pressure", text));
    }
    facts
}

fn cores(load: &HostLoadRecord) -> Table {
    let each =
        |share: fn(&CpuShares) -> f64| load.cores.iter().map(move |core| percent(share(core)));
    Table::new(vec![
        Column::right("core", (0..load.cores.len()).map(|core| core.to_string())),
        Column::right("user", each(|core| core.user)),
        Column::right("system", each(|core| core.system)),
        Column::right("interrupts", each(|core| core.interrupts)),
        Column::right("steal", each(|core| core.steal)),
        Column::right("waiting for disks", each(|core| core.io_wait)),
        Column::right("idle", each(|core| core.idle)),
    ])
}
