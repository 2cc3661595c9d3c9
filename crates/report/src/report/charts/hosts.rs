//! Time series charts of the observed hosts, on the same axis as the throughput.
//!
//! Start reading at [`hosts`].

use serde_json::{Value, json};
use tacho_analysis::{Measurement, clean};
use tacho_store::record::{HostIntervalRecord, HostLoadRecord, ObservedHostRecord};

use super::columns::{Column, columns, note};
use super::events::events;
use super::timeline::phases;
use super::{at, short};
use crate::document::Chart;

/// Number of bytes in a megabyte. Disk and network rates use decimal units.
const MEGA: f64 = 1e6;

/// A time series, with its ID, title, unit and explanation, and a function that returns its values.
struct Line {
    id: &'static str,
    title: &'static str,
    metric: &'static str,
    reading: &'static str,
    figure: fn(&HostLoadRecord) -> Option<f64>,
}

/// The ID of the chart of processor use, which is split by program if possible.
const CPU: &str = "cpu";

/// A part of the processor use, such as that of one program. It consists of a name, and of a
/// function that returns the number of cores used in an interval.
type Part = (&'static str, fn(&HostIntervalRecord) -> Option<f64>);

const LINES: [Line; 5] = [
    Line {
        id: CPU,
        title: "CPU in use",
        metric: "cores",
        reading: "If the line is close to the number of cores, the processors limit the throughput.",
        figure: |load| {
            let busy = 1.0 - load.cpu.idle - load.cpu.io_wait;
            Some(busy * load.cores.len() as f64)
        },
    },
    Line {
        id: "queue",
        title: "Tasks that are running or waiting for a processor",
        metric: "tasks",
        reading: "If there are more tasks than cores, some tasks have to wait for a processor.",
        figure: |load| Some(load.running as f64),
    },
    Line {
        id: "disk",
        title: "Disks, read and written",
        metric: "MB/s",
        reading: "A flat line at the disk's limit means that the disk limits the throughput.",
        figure: |load| {
            let each = load.disks.values();
            Some(each.map(|one| one.read_bytes_per_s + one.written_bytes_per_s).sum::<f64>() / MEGA)
        },
    },
    Line {
        id: "network",
        title: "Network, received and sent",
        metric: "MB/s",
        reading: "A flat line at the link's limit means that the network limits the throughput.",
        figure: |load| {
            let each = load.networks.values();
            Some(
                each.map(|one| one.received_bytes_per_s + one.sent_bytes_per_s).sum::<f64>() / MEGA,
            )
        },
    },
    Line {
        id: "pressure",
        title: "Time during which a task was waiting for a disk (PSI)",
        metric: "share",
        reading: "1 means that at least one task waited for a disk all the time.",
        figure: |load| load.pressure.map(|pressure| pressure.io_some),
    },
];

/// Returns the charts of the host at this index in the record.
pub(in crate::report) fn hosts(
    run: &Measurement,
    place: usize,
    host: &ObservedHostRecord,
) -> Vec<Chart> {
    let intervals: Vec<&HostIntervalRecord> =
        run.hosts.iter().filter(|one| one.host as usize == place).collect();
    let split = cpu(run, place, host, &intervals);
    let is_drawn = |line: &&Line| split.is_none() || line.id != CPU;
    let lines = LINES.iter().filter(is_drawn);
    let lines: Vec<Chart> =
        lines.filter_map(|line| chart(run, place, host, &intervals, line)).collect();
    split.into_iter().chain(lines).collect()
}

/// Returns the chart of the cores used by Tacho, the server and other programs. Returns `None`
/// unless Tacho ran on this machine.
fn cpu(
    run: &Measurement,
    place: usize,
    host: &ObservedHostRecord,
    intervals: &[&HostIntervalRecord],
) -> Option<Chart> {
    intervals.iter().find_map(|one| one.tacho_cores)?;
    let has_server = intervals.iter().any(|one| one.server_cores.is_some());
    let rest = |one: &HostIntervalRecord| {
        let known = one.tacho_cores.unwrap_or(0.0) + one.server_cores.unwrap_or(0.0);
        Some((one.busy_cores() - known).max(0.0))
    };
    let server: Part = ("server", |one| one.server_cores);
    let rest: Part =
        (if has_server { "other programs" } else { "server and other programs" }, rest);
    let tacho: Part = ("Tacho", |one| one.tacho_cores);
    let parts: Vec<Part> = if has_server { vec![server, tacho, rest] } else { vec![tacho, rest] };
    let columns = columns(&run.intervals);
    let series = |part: &Part| -> Vec<f64> {
        columns.iter().map(|one| short(mean(one, intervals, part.1).unwrap_or(0.0))).collect()
    };
    let colors = parts.iter().enumerate().map(|(at, _)| [at, 0]);
    let data = json!({
        "label": "cores in use by program",
        "axis": "cores in use",
        "from": columns.iter().map(Column::from).collect::<Vec<_>>(),
        "to": columns.iter().map(Column::to).collect::<Vec<_>>(),
        "measured_from": columns.iter().find(|one| one.phase() == "measure").map(Column::from),
        "cores": host.load.as_ref().map(|load| load.cores.len()),
        "waits": parts.iter().map(|part| part.0).collect::<Vec<_>>(),
        "looks": colors.collect::<Vec<_>>(),
        "sessions": parts.iter().map(series).collect::<Vec<_>>(),
        "events": events(run),
    });
    Some(Chart {
        id: format!("host-{place}-{CPU}"),
        kind: "waits",
        title: format!("{}: CPU in use", clean(&host.host.name)),
        reading: "The height is the number of cores in use. If it is close to the number of cores, the processors \
            limit the throughput; the colours show which programs use them.",
        note: note(&run.intervals),
        data,
    })
}

fn chart(
    run: &Measurement,
    place: usize,
    host: &ObservedHostRecord,
    intervals: &[&HostIntervalRecord],
    line: &Line,
) -> Option<Chart> {
    let columns = columns(&run.intervals);
    let figure = |one: &HostIntervalRecord| (line.figure)(&one.load);
    let values: Vec<Option<f64>> = columns.iter().map(|one| mean(one, intervals, figure)).collect();
    values.iter().flatten().next()?;
    let each = |value: &dyn Fn(&Column<'_>) -> Value| -> Vec<Value> {
        columns.iter().map(value).collect()
    };
    let data = json!({
        "metric": line.metric,
        "from": each(&|one| json!(one.from())),
        "to": each(&|one| json!(one.to())),
        "value": values.iter().map(|value| value.map(short)).collect::<Vec<_>>(),
        "per_s": each(&|one| json!(one.rate(|i| Some(i.throughput_per_s)).map(short))),
        "phases": phases(&run.intervals),
        "mean": Value::Null,
        "events": events(run),
    });
    Some(Chart {
        id: format!("host-{place}-{}", line.id),
        kind: "throughput",
        title: format!("{}: {}", clean(&host.host.name), line.title),
        reading: line.reading,
        note: note(&run.intervals),
        data,
    })
}

/// Returns the mean over a column's intervals, weighted by their lengths.
fn mean(
    column: &Column<'_>,
    intervals: &[&HostIntervalRecord],
    figure: impl Fn(&HostIntervalRecord) -> Option<f64>,
) -> Option<f64> {
    let begin = intervals.partition_point(|one| at(one.at_s) <= column.from());
    let end = intervals.partition_point(|one| at(one.at_s) <= column.to()).max(begin);
    let some =
        intervals[begin..end].iter().filter_map(|one| Some((figure(one)?, one.load.length_s)));
    let (sum, length) =
        some.fold((0.0, 0.0), |(sum, all), (value, length)| (sum + value * length, all + length));
    (length > 0.0).then(|| sum / length)
}

#[cfg(test)]
mod tests {
    use tacho_store::record::{DiskRates, NetworkRates};

    use super::*;

    #[test]
    fn bytes_are_drawn_as_megabytes() {
        let disk =
            DiskRates { read_bytes_per_s: 499e6, written_bytes_per_s: 1e6, ..DiskRates::default() };
        let network = NetworkRates {
            received_bytes_per_s: 2e6,
            sent_bytes_per_s: 1e6,
            ..NetworkRates::default()
        };
        let load = HostLoadRecord {
            disks: [("a".to_owned(), disk)].into(),
            networks: [("b".to_owned(), network)].into(),
            ..HostLoadRecord::default()
        };
        for (id, expected) in [("disk", 500.0), ("network", 3.0)] {
            let line = LINES.iter().find(|line| line.id == id).expect("a line");
            assert_eq!((line.metric, (line.figure)(&load)), ("MB/s", Some(expected)));
        }
    }
}
