//! The page about the machine that generates the load: processors and disks.

use ratatui::layout::Rect;
use tacho_analysis::clean;
use tacho_core::units::{bytes, grouped, significant};
use tacho_report::ChartPoint;
use tacho_store::event::HostState;

use super::axes::{AXIS, Plot};
use super::stacks::{self, FILLS, MARKS, Part};
use super::{Look, Pen, halves, palette, panels};
use crate::Model;
use crate::words::{ceiling, name, parts, round};

/// Maximum number of columns for a machine's address.
const SOURCE: usize = 24;

/// Draws the number of processors used by Tacho and by everything else on the machine.
pub(super) fn processors(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let columns = model.columns(usize::from(area.width - AXIS));
    let plot = Plot::new(area, &columns);
    let cores = model.history.standing.as_ref().map_or(0.0, |standing| f64::from(standing.cores));
    let last = plot.points.iter().rev().find_map(|point| point.host.as_ref());
    let mut words = vec![format!("client CPU, {} cores", plain(cores))];
    if let Some(last) = last {
        let tacho = last.of(|host| host.own_cores);
        let others = (last.of(|host| host.busy_cores) - tacho).max(0.0);
        words.push(format!("█ Tacho {}", significant(tacho)));
        words.push(format!("{} other {}", other_fill(pen), significant(others)));
    }
    pen.rule(area, &parts(&words, " · ", usize::from(area.width) - 4));
    let busiest = plot.points.iter().filter_map(|point| point.host.as_ref());
    let busiest = busiest.map(|host| host.of(|load| load.busy_cores)).fold(0.0, f64::max);
    let top = if cores > 0.0 { cores.max(busiest) } else { ceiling(busiest) };
    plot.heights(&plain(top), &plain(top / 2.0), pen);
    let tacho = Part {
        value: Box::new(|point| Some(point.host.as_ref()?.of(|host| host.own_cores))),
        color: palette::FIRST,
        fill: FILLS[0],
    };
    let others = Part {
        value: Box::new(|point| {
            let host = point.host.as_ref()?;
            Some((host.of(|load| load.busy_cores) - host.of(|load| load.own_cores)).max(0.0))
        }),
        color: palette::REST,
        fill: other_fill(pen),
    };
    stacks::draw(&plot, top, &[tacho, others], pen);
    plot.axis(pen);
}

/// Formats a number of processors. An integer has no decimal places.
fn plain(cores: f64) -> String {
    if cores.fract() == 0.0 { grouped(cores as u64) } else { significant(cores) }
}

fn other_fill(pen: &Pen<'_, '_>) -> &'static str {
    if pen.color { FILLS[2] } else { MARKS[2] }
}

/// Draws the number of bytes read and written by all disks of the machine.
fn disks(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let columns = model.columns(usize::from(area.width - AXIS));
    let plot = Plot::new(area, &columns);
    let mut words = vec!["disks of this machine, MB/s".to_owned()];
    if let Some(last) = plot.points.iter().rev().find_map(|point| point.host.as_ref()) {
        words.push(format!("{}/s", bytes(last.of(|host| host.disk_bytes_per_s) as u64)));
        let transfers = last.of(|host| host.disk_transfers_per_s);
        words.push(format!("{} transfers/s", grouped(transfers.round() as u64)));
    }
    pen.rule(area, &parts(&words, " · ", usize::from(area.width) - 4));
    let megabytes =
        |point: &ChartPoint| Some(point.host.as_ref()?.of(|host| host.disk_bytes_per_s) / 1e6);
    let top = ceiling(plot.points.iter().filter_map(megabytes).fold(0.0, f64::max));
    plot.heights(&round(top), &round(top / 2.0), pen);
    let part = Part { value: Box::new(megabytes), color: palette::REST - 1, fill: FILLS[0] };
    stacks::draw(&plot, top, &[part], pen);
    plot.axis(pen);
}

/// Draws the charts of processors and disks, and the health of the measurement.
pub(super) fn page(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let below = (area.height / 4).max(5);
    let charts = Rect { height: area.height - below - 1, ..area };
    if model.history.timeline.has_host() {
        let (left, right) = halves(charts, area.width / 2 - 1);
        processors(model, left, pen);
        disks(model, right, pen);
    } else {
        pen.rule(charts, "client machine");
        let words = "no data yet, or the run uses virtual time";
        pen.text(area.x + 1, area.y + 1, words, Look::Dim);
    }
    let rest = Rect { y: area.y + area.height - below, height: below, ..area };
    if model.history.hosts.is_empty() {
        return panels::health(model, rest, pen);
    }
    let (left, right) = halves(rest, area.width / 2 - 1);
    panels::health(model, left, pen);
    machines(&model.history.hosts, right, pen);
}

/// Draws the processors, memory and disks of each observed machine in the latest interval.
fn machines(hosts: &[HostState], area: Rect, pen: &mut Pen<'_, '_>) {
    pen.rule(area, "machines in the last interval");
    for (row, host) in (1..area.height).zip(hosts) {
        let words = [
            name(&clean(&host.source), SOURCE),
            format!("CPU {} of {}", significant(host.busy_cores), host.cores),
            format!("{} of {} free", bytes(host.available_bytes), bytes(host.memory_bytes)),
            format!("disks {}/s", bytes((host.read_bytes_per_s + host.written_bytes_per_s) as u64)),
        ];
        let text = parts(&words, "  ", usize::from(area.width) - 1);
        pen.text(area.x + 1, area.y + row, &text, Look::Plain);
    }
}
