//! A sweep's report: the profile first, then the conditions that all runs share.

use tacho_analysis::{SweepSide, SweepView, clean};
use tacho_core::shell_word;
use tacho_store::record::Record;
use tacho_store::sweep::SweepRecord;

use crate::document::{Block, Remark, Section, Tone};
use crate::headline;
use crate::report::charts::sweep;
use crate::server_conditions;
use crate::sweep::{effects, rates, table};
use crate::transactions;

use super::{conditions, host, method};

/// Returns all sections of a sweep.
pub(super) fn sections(side: &SweepSide) -> Vec<Section> {
    let view = &side.view;
    let first = side.runs.iter().flatten().next().map(|run| &run.record);
    [
        profile(view),
        points(side),
        first.and_then(|record| shared(view, record)),
        first.and_then(conditions),
        first.and_then(host::section),
        Section::of("reproduce", "Reproduce", reproduce(view)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn profile(view: &SweepView) -> Option<Section> {
    let charts = [sweep::frontier(view), sweep::profile(view), sweep::waits(view, true)];
    let mut blocks: Vec<Block> = charts.into_iter().flatten().map(Block::Chart).collect();
    blocks.extend(rates(view).map(|table| Block::table("Highest rates", table)));
    blocks.extend(effects(view).map(|table| Block::table("Effects", table)));
    blocks.push(Block::table("All points", table(view)));
    Section::of("profile", "Profile", blocks)
}

/// Returns details of each point: its throughput over time, and its latencies by transaction type.
fn points(side: &SweepSide) -> Option<Section> {
    let mut blocks: Vec<Block> = sweep::points(side).map(Block::Chart).into_iter().collect();
    for (name, run) in sweep::runs(side) {
        let Some(result) = &run.record.result else { continue };
        let title = format!("{name}: run {}, {}", run.record.id, headline::short_verdict(result));
        blocks.push(Block::folded(title, transactions::table(&result.transactions)));
    }
    if !blocks.is_empty() {
        blocks.push(Block::text(
            "To see the heatmap, waits and server of a single run, use tacho report with the run's ID.",
        ));
    }
    Section::of("points", "Each point", blocks)
}

/// Collects the remarks on all runs, such as reasons for the verdict INVALID. Equal remarks are
/// combined and list the points to which they apply.
pub(super) fn remarks(side: &SweepSide) -> Vec<Remark> {
    let mut collected: Vec<SharedRemark> = Vec::new();
    for (name, run) in sweep::all_runs(side) {
        for risk in server_conditions::risks(&run.record) {
            SharedRemark::add(&mut collected, &risk.text.clone(), risk, &name);
        }
        for notice in run.record.result.iter().flat_map(|result| &result.notices) {
            let tone = if notice.invalidates { Tone::Bad } else { Tone::Warn };
            let remark = Remark { tone, text: clean(&notice.text), hint: notice.hint.clone() };
            SharedRemark::add(&mut collected, &notice.id, remark, &name);
        }
    }
    // The sort is stable, so remarks about disabled durability stay in front of other remarks of
    // the same severity.
    collected.sort_by_key(|shared| shared.remark.tone != Tone::Bad);
    let measured = side.runs.iter().filter(|runs| !runs.is_empty()).count();
    collected.into_iter().map(|shared| shared.in_words(measured)).collect()
}

/// A remark on one or more points of a sweep. Its text may be different for each point, for example because it contains
/// a number.
struct SharedRemark {
    /// The notice ID, or the text if the remark has no ID.
    key: String,
    remark: Remark,
    points: Vec<(String, String)>,
}

/// Maximum number of different texts of a remark that are shown. If there are more, only the points
/// are listed.
const TEXTS_MAX: usize = 8;

impl SharedRemark {
    fn add(collected: &mut Vec<Self>, key: &str, remark: Remark, point: &str) {
        let at = collected.iter().position(|known| known.key == key).unwrap_or_else(|| {
            collected.push(Self { key: key.into(), remark: remark.clone(), points: Vec::new() });
            collected.len() - 1
        });
        let points = &mut collected[at].points;
        if points.iter().all(|(known, _)| known != point) {
            points.push((point.into(), remark.text));
        }
    }

    /// Combines the texts, as in `All points: …`. If several texts start with the same words, these are shown only
    /// once: `it is 51 MB (a 1, a 4); 52 MB (a 2)`.
    fn in_words(self, measured: usize) -> Remark {
        let texts = self.texts();
        let text = match &texts[..] {
            [(text, _)] if self.points.len() == measured && measured > 1 => {
                format!("All points: {text}")
            }
            [(text, names)] => format!("{}: {text}", names.join("; ")),
            several => {
                let shared = shared_words(several.iter().map(|(text, _)| text.as_str()));
                let has_rest = several.iter().all(|(text, _)| text.len() > shared.len());
                let shared = if has_rest { shared } else { "" };
                let (shown, rest) = several.split_at(several.len().min(TEXTS_MAX));
                let shown = shown.iter().map(|(text, names)| {
                    format!("{} ({})", text[shared.len()..].trim_start(), names.join(", "))
                });
                let rest: Vec<&str> =
                    rest.iter().flat_map(|(_, names)| names.iter().copied()).collect();
                let rest = if rest.is_empty() {
                    String::new()
                } else {
                    format!("; likewise {}", rest.join(", "))
                };
                format!("{shared} {}{rest}", shown.collect::<Vec<_>>().join("; "))
                    .trim_start()
                    .to_owned()
            }
        };
        let is_notice = self.key != self.remark.text;
        let text = if is_notice { format!("{text} ({})", self.key) } else { text };
        Remark { text, ..self.remark }
    }

    /// Returns each distinct text with the points to which it applies.
    fn texts(&self) -> Vec<(String, Vec<&str>)> {
        let mut texts: Vec<(String, Vec<&str>)> = Vec::new();
        for (name, text) in &self.points {
            match texts.iter_mut().find(|known| known.0 == *text) {
                Some((_, names)) => names.push(name),
                None => texts.push((text.clone(), vec![name])),
            }
        }
        texts
    }
}

/// Returns the words that all the texts have in common at the start.
fn shared_words<'a>(mut texts: impl Iterator<Item = &'a str>) -> &'a str {
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |shared, text| {
        let same = shared.char_indices().zip(text.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, last), _)| at + last.len_utf8());
        // If the common part ends in the middle of a word, it is cut back to the last space.
        let is_whole = |text: &str| text[end..].chars().next().is_none_or(|next| next == ' ');
        if is_whole(shared) && is_whole(text) {
            &shared[..end]
        } else {
            &shared[..shared[..end].rfind(' ').unwrap_or(0)]
        }
    })
}

/// Describes the measurement. The varied settings come first; the other conditions are taken from
/// one of the runs.
pub(super) fn shared(view: &SweepView, record: &Record) -> Option<Section> {
    let mut section = method::section(record)?;
    let varied = view.sweep.vary.iter().map(|varied| match varied.values.len() {
        0 if varied.key == "sessions" => "the search chose the sessions".into(),
        0 => format!("{} was searched", varied.key),
        _ => format!("{} went through {}", varied.key, varied.values.join(", ")),
    });
    let text = format!(
        "{}. All other conditions are taken from run {} and shown here.",
        varied.collect::<Vec<_>>().join("; "),
        record.id
    );
    section.blocks.insert(0, Block::text(clean(&text)));
    Some(section)
}

/// Returns the command that repeats the sweep.
pub(super) fn reproduce(view: &SweepView) -> Vec<Block> {
    vec![
        Block::Code { text: command(view) },
        Block::text(format!(
            "With tacho {}. Sweep {}, started {}.",
            view.sweep.tool_version, view.sweep.id, view.sweep.started_at
        )),
    ]
}

fn command(view: &SweepView) -> String {
    let sweep = &view.sweep;
    let mut words = vec!["tacho sweep".to_owned(), clean(&sweep.workload)];
    words.extend(target(sweep));
    // A search chooses the remaining settings.
    words.extend(sweep.vary.iter().take(sweep.fixed()).map(|varied| {
        format!("--vary {}", quoted(&format!("{}={}", varied.key, varied.values.join(","))))
    }));
    words.extend(sweep.calibration.as_ref().map(|calibration| match calibration.wanted {
        Some(wanted) => format!("--detect {wanted}"),
        None => "--calibrate".into(),
    }));
    let repeat = sweep
        .points
        .iter()
        .filter(|point| point.equal_side.is_none())
        .map(|point| point.repetition)
        .max()
        .unwrap_or(1);
    if repeat > 1 && sweep.searched().is_none() {
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

/// Returns the target for use in a command. Usually, this is its name. If the name is only that of a driver, it does
/// not identify the target, so the complete target is returned.
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

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    shell_word(&clean(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(texts: &[(&str, &str)], measured: usize) -> String {
        let remark =
            |text: &str| Remark { tone: Tone::Warn, text: text.into(), hint: String::new() };
        let mut all = Vec::new();
        for (name, text) in texts {
            SharedRemark::add(&mut all, "W14", remark(text), name);
        }
        all.remove(0).in_words(measured).text
    }

    #[test]
    fn shared_texts_are_shown_once() {
        assert_eq!(
            collected(&[("a 1", "it is 5 %"), ("a 2", "it is 5 %")], 2),
            "All points: it is 5 % (W14)"
        );
        assert_eq!(
            collected(&[("a 1", "it is 5 %"), ("a 2", "it is 5 %")], 3),
            "a 1; a 2: it is 5 % (W14)"
        );
        let texts = [("a 1", "it is 51 MB"), ("a 2", "it is 52 MB"), ("a 4", "it is 51 MB")];
        assert_eq!(collected(&texts, 3), "it is 51 MB (a 1, a 4); 52 MB (a 2) (W14)");
        assert_eq!(
            collected(&[("a 1", "no"), ("a 2", "none at all")], 2),
            "no (a 1); none at all (a 2) (W14)"
        );
        // The first text is the beginning of the second one. If the common words were omitted, nothing would be left of
        // the first text, so both are shown in full.
        assert_eq!(
            collected(&[("a 1", "it is"), ("a 2", "it is so")], 2),
            "it is (a 1); it is so (a 2) (W14)"
        );
    }

    #[test]
    fn of_many_texts_the_rest_is_named() {
        let texts: Vec<(String, String)> =
            (0..10).map(|at| (format!("a {at}"), format!("it is {at}"))).collect();
        let texts: Vec<(&str, &str)> =
            texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert!(collected(&texts, 10).ends_with("7 (a 7); likewise a 8, a 9 (W14)"));
    }
}
