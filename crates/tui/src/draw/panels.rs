//! Draws the panels below the table, which show the database's waits and the health of the measurement.

use std::collections::BTreeMap;
use std::time::Duration;

use ratatui::layout::Rect;
use tacho_analysis::{is_for_the_client, sessions_by_place};
use tacho_core::units::{grouped, significant, span};
use tacho_store::event::{Standing, StreamState};
use tacho_store::record::{ServerLoadRecord, WaitRecord};

use super::{Look, Pen, halves};
use crate::Model;
use crate::words::{ABSENT, clock, counter, micros, name, parts, sentence, width};

/// Number of columns for the name of a wait.
const WAIT: usize = 24;

pub(super) fn draw(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    match &model.history.server {
        Some(server) => {
            let (left, right) = halves(area, area.width / 2 - 1);
            database(&server.load, left, pen);
            health(model, right, pen);
        }
        None => health(model, area, pen),
    }
}

/// Returns the number of rows that the complete panels need, including the line above them.
pub(super) fn height(model: &Model) -> u16 {
    let seen = model.history.server.as_ref().map_or(0, |server| {
        held_up(&server.load).len().max(1) + usize::from(!counters(&server.load).is_empty())
    });
    let limits = model.history.standing.as_ref().map_or(&[][..], |standing| &standing.thresholds);
    let crossed = limits.iter().filter(|limit| !limit.passed).count();
    let healthy = 2 + usize::from(!limits.is_empty()) + crossed;
    seen.max(healthy) as u16 + 1
}

/// Returns the wait events of the server's sessions. Waits for the client are omitted, because the database does not
/// cause them.
fn held_up(load: &ServerLoadRecord) -> Vec<&WaitRecord> {
    load.waits.iter().filter(|wait| !is_for_the_client(wait)).collect()
}

fn database(load: &ServerLoadRecord, area: Rect, pen: &mut Pen<'_, '_>) {
    let [in_server, _] = sessions_by_place(load);
    let title = format!("{} in the server", significant(in_server));
    let title = if load.samples > 0 { title } else { "no samples".into() };
    pen.rule(area, &format!("database, {title}"));
    let room = usize::from(area.width) - 1;
    let rest = counters(load);
    let lines = usize::from(area.height) - 1;
    // Keep one line for the counters, if there are any.
    let waits = lines - usize::from(!rest.is_empty() && lines > 1);
    let held = held_up(load);
    let most = held.first().map_or(0.0, |wait| wait.sessions).max(f64::MIN_POSITIVE);
    let figures = held.iter().map(|wait| width(&significant(wait.sessions)));
    let bar = room.saturating_sub(WAIT + 3 + figures.max().unwrap_or(0));
    let mut y = area.y + 1;
    for wait in held.iter().take(waits) {
        let event = if wait.event.is_empty() { String::new() } else { format!(" {}", wait.event) };
        let figure = significant(wait.sessions);
        pen.text(area.x + 1, y, &name(&format!("{}{event}", wait.class), WAIT), Look::Plain);
        let long = ((wait.sessions / most * bar as f64).round() as usize).min(bar);
        pen.text(area.x + WAIT as u16 + 2, y, &"━".repeat(long), Look::Figure);
        pen.right(area.x + area.width, y, &figure, Look::Plain);
        y += 1;
    }
    if held.is_empty() && load.samples > 0 {
        pen.text(area.x + 1, y, "no active sessions in the samples", Look::Dim);
        y += 1;
    }
    if y < area.y + area.height {
        pen.text(area.x + 1, y, &parts(&rest, "  ", room), Look::Dim);
    }
}

/// Returns the counters that increased in the latest interval, starting with the largest increase, followed by the
/// gauges.
fn counters(load: &ServerLoadRecord) -> Vec<String> {
    let mut grown: Vec<(&String, &u64)> = load.counters.iter().filter(|one| *one.1 > 0).collect();
    grown.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let grown = grown.into_iter().map(|(name, by)| format!("{name} +{}", counter(name, *by)));
    let gauges = load.gauges.iter().filter(|(_, gauge)| gauge.last > 0);
    let gauges = gauges.map(|(name, gauge)| format!("{name} {}", counter(name, gauge.last)));
    grown.chain(gauges).collect()
}

pub(super) fn health(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    pen.rule(area, "health");
    let room = usize::from(area.width) - 1;
    let mut lines = vec![(own_cost(model), Look::Plain)];
    lines.push(errors(model));
    lines.extend(model.history.standing.iter().filter_map(limits));
    let crossed = model.history.standing.iter().flat_map(|standing| &standing.thresholds);
    lines.extend(crossed.filter(|limit| !limit.passed).map(|limit| {
        (vec![format!("✗ {}:", limit.expression), limit.measured_text.clone()], Look::Bad)
    }));
    lines.extend(model.history.marks.back().map(|(at_s, text)| {
        (
            vec![clock(Duration::try_from_secs_f64(*at_s).unwrap_or_default()), text.clone()],
            Look::Dim,
        )
    }));
    let rows = usize::from(area.height) - 1;
    for (place, (words, look)) in lines.iter().take(rows).enumerate() {
        pen.text(area.x + 1, area.y + 1 + place as u16, &parts(words, "  ", room), *look);
    }
}

/// Describes the resources that Tacho uses and how late its timers are.
fn own_cost(model: &Model) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(standing) = &model.history.standing {
        if let Some(used) = standing.cpu_cores {
            words.push(format!("client CPU {} of {} cores", significant(used), standing.cores));
        }
        if standing.lateness.count > 0 {
            words.push(format!("late p99 {}", micros(standing.lateness.p99_us)));
        }
        if standing.session_wait.count > 0 {
            let wait = standing.session_wait.p99_us.or(Some(standing.session_wait.max_us));
            words.push(format!("waited for a session {}", micros(wait)));
        }
    }
    if let Some(last) = &model.history.interval {
        words.push(format!(
            "sessions {} of {}",
            grouped(last.sessions),
            grouped(last.sessions_planned)
        ));
        if let Some(waiting) = last.backlog {
            words.insert(0, format!("{} arrivals waiting", grouped(waiting)));
        }
        if last.skipped > 0 {
            words.push(format!("skipped {} in the interval", grouped(last.skipped)));
        }
    }
    if model.lost > 0 {
        words.push(format!("not drawn {}", grouped(model.lost)));
    }
    if words.is_empty() { vec!["nothing measured yet".into()] } else { words }
}

fn errors(model: &Model) -> (Vec<String>, Look) {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for error in model.history.standing.iter().flat_map(|standing| &standing.errors) {
        *kinds.entry(&error.kind).or_default() += error.count;
    }
    if kinds.is_empty() {
        return (vec!["errors none".into()], Look::Plain);
    }
    let all = kinds.into_iter().map(|(kind, count)| format!("{} {kind}", grouped(count)));
    (std::iter::once("errors".to_owned()).chain(all).collect(), Look::Bad)
}

/// Returns how many thresholds are met so far.
fn limits(standing: &Standing) -> Option<(Vec<String>, Look)> {
    let all = standing.thresholds.len();
    let good = standing.thresholds.iter().filter(|limit| limit.passed).count();
    let (mark, look) = if good == all { ('✓', Look::Good) } else { ('✗', Look::Bad) };
    (all > 0).then(|| (vec![format!("thresholds {mark} {good} of {all} hold so far")], look))
}

/// Draws the query streams. They replace the latency chart in a run that ends when its streams end.
pub(super) fn streams(model: &Model, area: Rect, pen: &mut Pen<'_, '_>) {
    let (at, streams) = &model.history.streams;
    pen.rule(area, "streams");
    let rows = usize::from(area.height) - 1;
    let room = usize::from(area.width) - 1;
    let hidden = if streams.len() > rows { streams.len() - (rows - 1) } else { 0 };
    let shown = streams.len() - hidden;
    for (place, stream) in streams.iter().take(shown).enumerate() {
        let y = area.y + 1 + place as u16;
        let look = if stream.now().is_some() { Look::Plain } else { Look::Dim };
        pen.text(area.x + 1, y, &parts(&words(*at, stream), "  ", room), look);
    }
    if hidden > 0 {
        let text = sentence(&format!("and {hidden} more"), room);
        debug_assert!(width(&text) <= room);
        pen.text(area.x + 1, area.y + 1 + shown as u16, &text, Look::Dim);
    }
}

/// Describes a stream: `2  q14 for 12s  3 of 22 done  1 failed  about 2m left`.
fn words(at: Duration, stream: &StreamState) -> Vec<String> {
    let mut words = vec![format!("{:>3}", stream.session)];
    words.push(match stream.now() {
        Some((name, since)) => format!("{name} for {}", span(whole(at.saturating_sub(since)))),
        None => ABSENT.into(),
    });
    words.push(match stream.left {
        Some(left) => format!("{} of {} done", grouped(stream.done), grouped(stream.done + left)),
        None => format!("{} done", grouped(stream.done)),
    });
    if stream.failed > 0 {
        words.push(format!("{} failed", grouped(stream.failed)));
    }
    words.extend(stream.remaining.map(|rest| format!("about {} left", span(whole(rest)))));
    words
}

fn whole(span: Duration) -> Duration {
    Duration::from_secs(span.as_secs_f64().ceil() as u64)
}
