//! A sweep: the profile first, then the conditions that all its runs share.

use tacho_store::record::Record;

use crate::headline;
use crate::report::charts::sweep;
use crate::report::document::{Block, Section};
use crate::sweep::SweepView;
use crate::sweep_compare::SweepSide;
use crate::transactions::full;
use crate::words::clean;

use super::{conditions, method};

/// All sections of a sweep.
pub(super) fn sections(side: &SweepSide) -> Vec<Section> {
    let view = &side.view;
    let first = side.runs.iter().flatten().next().map(|run| &run.record);
    [
        profile(view),
        points(side),
        first.and_then(|record| shared(view, record)),
        first.and_then(conditions::section),
        first.and_then(conditions::host),
        Section::of("reproduce", "Reproduce", reproduce(view)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn profile(view: &SweepView) -> Option<Section> {
    let charts = [sweep::profile(view), sweep::waits(view, true)];
    let mut blocks: Vec<Block> = charts.into_iter().flatten().map(Block::Chart).collect();
    blocks.push(Block::table("All points", &view.table()));
    Section::of("profile", "Profile", blocks)
}

/// Each point by itself: how it went over time, what each kind of transaction took, and what the run
/// says about itself.
fn points(side: &SweepSide) -> Option<Section> {
    let mut blocks: Vec<Block> = sweep::points(side).map(Block::Chart).into_iter().collect();
    for (name, run) in sweep::runs(side) {
        let Some(result) = &run.record.result else { continue };
        let title = format!("{name}: run {}, {}", run.record.id, headline::short_verdict(result));
        blocks.push(Block::folded(title, &full(&result.transactions)));
    }
    blocks.extend(notices(side));
    if !blocks.is_empty() {
        blocks.push(Block::text(
            "All of one run, with its heatmap, waits and server: tacho report and its id.",
        ));
    }
    Section::of("points", "Each point", blocks)
}

/// The warnings of all points, each once with the points that have it.
fn notices(side: &SweepSide) -> Vec<Block> {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for (name, run) in sweep::runs(side) {
        for own in run.record.result.iter().flat_map(|result| &result.notices) {
            let text = format!("{} ({})", clean(&own.text), own.id);
            match told.iter_mut().find(|(known, _)| *known == text) {
                Some((_, points)) => points.push(name.clone()),
                None => told.push((text, vec![name.clone()])),
            }
        }
    }
    let all = sweep::runs(side).count();
    let words = |(text, points): (String, Vec<String>)| match points.len() {
        count if count == all && all > 1 => format!("All points: {text}."),
        _ => format!("{}: {text}.", points.join("; ")),
    };
    told.into_iter().map(words).map(Block::text).collect()
}

/// What was measured; what varied is told first, since the rest is that of one run.
pub(super) fn shared(view: &SweepView, record: &Record) -> Option<Section> {
    let mut section = method::section(record)?;
    let varied = view.sweep.vary.iter().map(|own| match own.values.len() {
        0 => format!("{} was searched", own.key),
        _ => format!("{} went through {}", own.key, own.values.join(", ")),
    });
    let text = format!(
        "{}. All else is as in run {}, which is told here with its conditions.",
        varied.collect::<Vec<_>>().join("; "),
        record.id
    );
    section.blocks.insert(0, Block::text(clean(&text)));
    Some(section)
}

/// The command as it can be given again.
pub(super) fn reproduce(view: &SweepView) -> Vec<Block> {
    vec![
        Block::Code { text: command(view) },
        Block::text(format!(
            "With tacho {}. Sweep {}, begun {}.",
            view.sweep.tool_version, view.sweep.id, view.sweep.started_at
        )),
    ]
}

fn command(view: &SweepView) -> String {
    let sweep = &view.sweep;
    let mut words =
        vec!["tacho sweep".to_owned(), clean(&sweep.workload), clean(&sweep.target_name)];
    if sweep.found.is_none() {
        let varied = sweep.vary.iter();
        words.extend(varied.map(|own| {
            format!("--vary {}", quoted(&format!("{}={}", own.key, own.values.join(","))))
        }));
    }
    let repeat = sweep.points.iter().map(|point| point.repetition).max().unwrap_or(1);
    if repeat > 1 && sweep.found.is_none() {
        words.push(format!("--repeat {repeat}"));
    }
    for (key, values) in &sweep.settings {
        let flag = key.replace('_', "-");
        match key.as_str() {
            "workload" | "target" => {}
            "stop_past_peak" => words.extend((values == &["true"]).then(|| format!("--{flag}"))),
            _ => words.extend(values.iter().map(|value| format!("--{flag} {}", quoted(value)))),
        }
    }
    words.join(" ")
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.,=:/@%+".contains(c);
    let word = clean(word);
    if word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
