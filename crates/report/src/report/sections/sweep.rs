//! A sweep: the profile first, then the conditions that all its runs share.

use tacho_store::record::Record;
use tacho_store::sweep::SweepRecord;

use crate::headline;
use crate::report::charts::sweep;
use crate::report::document::{Block, Remark, Section, Tone};
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
    let charts = [sweep::frontier(view), sweep::profile(view), sweep::waits(view, true)];
    let mut blocks: Vec<Block> = charts.into_iter().flatten().map(Block::Chart).collect();
    blocks.push(Block::table("All points", &view.table()));
    Section::of("profile", "Profile", blocks)
}

/// Each point by itself: how it went over time, and what each kind of transaction took.
fn points(side: &SweepSide) -> Option<Section> {
    let mut blocks: Vec<Block> = sweep::points(side).map(Block::Chart).into_iter().collect();
    for (name, run) in sweep::runs(side) {
        let Some(result) = &run.record.result else { continue };
        let title = format!("{name}: run {}, {}", run.record.id, headline::short_verdict(result));
        blocks.push(Block::folded(title, &full(&result.transactions)));
    }
    if !blocks.is_empty() {
        blocks.push(Block::text(
            "All of one run, with its heatmap, waits and server: tacho report and its id.",
        ));
    }
    Section::of("points", "Each point", blocks)
}

/// What the runs say about themselves, each kind once with the points that say it: what is switched
/// off, reasons for INVALID, warnings.
pub(super) fn remarks(side: &SweepSide) -> Vec<Remark> {
    let mut told: Vec<Told> = Vec::new();
    for (name, run) in sweep::all_runs(side) {
        for risk in conditions::risks(&run.record) {
            Told::add(&mut told, &risk.text.clone(), risk, &name);
        }
        for own in run.record.result.iter().flat_map(|result| &result.notices) {
            let tone = if own.invalidates { Tone::Bad } else { Tone::Warn };
            let remark = Remark { tone, text: clean(&own.text), hint: own.hint.clone() };
            Told::add(&mut told, &own.id, remark, &name);
        }
    }
    // Stable: what is switched off came first.
    told.sort_by_key(|own| own.remark.tone != Tone::Bad);
    let measured = side.runs.iter().filter(|runs| !runs.is_empty()).count();
    told.into_iter().map(|own| own.in_words(measured)).collect()
}

/// A remark with the points that it is about, and its text at each of them.
struct Told {
    /// The id of a notice, or the text itself.
    key: String,
    remark: Remark,
    points: Vec<(String, String)>,
}

/// Points whose text is told where it differs; the others are named.
const TEXTS_MAX: usize = 3;

impl Told {
    fn add(told: &mut Vec<Self>, key: &str, remark: Remark, point: &str) {
        let at = told.iter().position(|own| own.key == key).unwrap_or_else(|| {
            told.push(Self { key: key.into(), remark: remark.clone(), points: Vec::new() });
            told.len() - 1
        });
        let points = &mut told[at].points;
        if points.iter().all(|(known, _)| known != point) {
            points.push((point.into(), remark.text));
        }
    }

    fn in_words(self, measured: usize) -> Remark {
        let names = |points: &[(String, String)]| {
            points.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("; ")
        };
        let is_same = self.points.iter().all(|(_, text)| *text == self.remark.text);
        let text = if is_same && self.points.len() == measured && measured > 1 {
            format!("All points: {}", self.remark.text)
        } else if is_same {
            format!("{}: {}", names(&self.points), self.remark.text)
        } else {
            let (shown, rest) = self.points.split_at(self.points.len().min(TEXTS_MAX));
            let shown = shown.iter().map(|(name, text)| format!("{name}: {text}"));
            let shown = shown.collect::<Vec<_>>().join("; ");
            if rest.is_empty() { shown } else { format!("{shown}; likewise {}", names(rest)) }
        };
        let is_notice = self.key != self.remark.text;
        let text = if is_notice { format!("{text} ({})", self.key) } else { text };
        Remark { text, ..self.remark }
    }
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
    let mut words = vec!["tacho sweep".to_owned(), clean(&sweep.workload)];
    words.extend(target(sweep));
    if sweep.found.is_none() {
        let varied = sweep.vary.iter();
        words.extend(varied.map(|own| {
            format!("--vary {}", quoted(&format!("{}={}", own.key, own.values.join(","))))
        }));
    }
    words.extend(sweep.calibration.map(|own| match own.wanted {
        Some(wanted) => format!("--detect {wanted}"),
        None => "--calibrate".into(),
    }));
    let repeat = sweep
        .points
        .iter()
        .filter(|own| own.equal_side.is_none())
        .map(|point| point.repetition)
        .max()
        .unwrap_or(1);
    if repeat > 1 && sweep.found.is_none() {
        words.push(format!("--repeat {repeat}"));
    }
    for (key, values) in &sweep.settings {
        let flag = key.replace('_', "-");
        match key.as_str() {
            "workload" | "target" => {}
            "stop_past_peak" => words.extend((values == &["true"]).then(|| format!("--{flag}"))),
            "stop_on_failure" => {
                words.extend((values == &["true"]).then(|| "--on-failure stop".into()));
            }
            _ => words.extend(values.iter().map(|value| format!("--{flag} {}", quoted(value)))),
        }
    }
    words.join(" ")
}

/// The target as it can be given: its name, or all of it where the name is only that of a driver.
fn target(sweep: &SweepRecord) -> Option<String> {
    if sweep.vary.iter().any(|varied| varied.key == "target") {
        return None;
    }
    let given = sweep.settings.iter().find(|(key, _)| key == "target");
    let given = given.and_then(|(_, values)| values.first()).map_or("", String::as_str);
    let name = &sweep.target_name;
    let is_driver = given.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(':'));
    Some(quoted(if is_driver { given } else { name }))
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.,=:/@%+".contains(c);
    let word = clean(word);
    if word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
