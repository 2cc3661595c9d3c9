//! The top of the report: the title, the verdict and the key results.
//!
//! Start reading at [`top`].

use tacho_analysis::{
    Comparison, Mark, MetricRow, Overall, Reported, SweepComparison, SweepRow, SweepSide,
    SweepView, clean, warned,
};
use tacho_core::units::{counted, grouped, percent, significant};
use tacho_store::record::{Record, ResultRecord, RunEnd, RunVerdict};
use tacho_store::sweep::Found;

use super::comparison::contrast_of;
use super::{queries, sweep as alone};
use crate::compare::{self, changed, interval, throughput_claim, verdicts_counted, word};
use crate::document::{Document, Fact, Figure, Remark, Tone, Verdict};
use crate::notices::notices;
use crate::sweep::{self, interval_words, spread_words};
use crate::words::{duration, maybe_micros, micros, minute, relative, sentence};
use crate::{answer, headline, outcome, run_answer, server_conditions, sweep_compare};
use tacho_analysis::contrast;

/// Maximum number of searches in a sweep whose highest rates are shown among the key results. If
/// there are more, none is shown.
const RATES_MAX: usize = 4;

/// Returns the document without any sections.
pub(super) fn top(report: &Reported) -> Document {
    match (&report.sweeps[..], report.single()) {
        ([], Some(run)) => single(report, &run.record),
        ([], None) => several(report),
        ([side], _) => sweep(report, side),
        (sides, _) => sweeps(report, sides),
    }
}

fn single(report: &Reported, record: &Record) -> Document {
    let run = report.single();
    let gaps = run.map_or(&[][..], |run| &run.gaps);
    let mut remarks: Vec<Remark> =
        gaps.iter().map(|gap| warning(format!("Part of the record is missing: {gap}"))).collect();
    let answer = match &report.comparisons[..] {
        [] => run_answer::of_run(record),
        _ => only_answer(report),
    };
    let is_answered = report.comparisons.is_empty() && !answer.is_empty();
    let subtitle = subtitle(record, is_answered);
    let (verdict, figures, lead) = if let Some(result) = &record.result {
        remarks.splice(0..0, notices(&result.notices));
        remarks.splice(0..0, server_conditions::risks(record));
        let changes = change_figures(report);
        let figures = changes.into_iter().chain(figures(record, result)).collect();
        let lead = lead(report, record, result);
        (compared(report, verdict(result)), figures, lead)
    } else {
        let text = "INCOMPLETE: the run was killed or is still running".into();
        (Verdict { tone: Tone::Warn, text }, Vec::new(), String::new())
    };
    let title = match (&report.comparisons[..], contrast_of(report, 0)) {
        ([_], Some(contrast)) => format!("{}: {contrast}", subject(record)),
        _ => title(record),
    };
    Document { title, subtitle, verdict, figures, answer, lead, remarks, ..Document::default() }
}

/// Returns the parts of a run's subtitle. If the report contains an answer, the load and the length
/// are left out, because the answer states them.
fn subtitle(record: &Record, is_answered: bool) -> Vec<String> {
    let mut parts = Vec::new();
    if !is_answered {
        parts = headline::title_parts(record).split_off(1);
        let result = record.result.iter();
        parts.extend(result.flat_map(|it| headline::phases(record, it.measured_s, it.ended_by)));
    }
    parts.extend(headline::named(record));
    parts.push(minute(&record.started_at));
    parts.extend(record.tags.iter().map(|tag| format!("tag {}", clean(tag))));
    parts.extend(record.note.iter().map(|note| clean(note)));
    parts
}

/// Returns the title, such as `tprocc on pg, PostgreSQL 16.4`.
fn title(record: &Record) -> String {
    let server = contrast::server(record);
    // Do not add the server if the target already has the same name.
    if server == record.plan.target_name {
        return subject(record);
    }
    format!("{}, {server}", subject(record))
}

fn subject(record: &Record) -> String {
    format!("{} on {}", record.plan.workload, clean(&record.plan.target_name))
}

fn warning(text: String) -> Remark {
    Remark { tone: Tone::Warn, text, hint: String::new() }
}

fn verdict(result: &ResultRecord) -> Verdict {
    let tone = match result.verdict() {
        RunVerdict::Invalid => Tone::Bad,
        _ if headline::failed_thresholds(result).is_some() => Tone::Bad,
        RunVerdict::Valid if result.notices.is_empty() => Tone::Good,
        _ => Tone::Warn,
    };
    Verdict { tone, text: headline::verdict_line(result) }
}

/// Combines the outcome of a comparison with the run's verdict. The combination is good only if
/// both parts are good.
fn compared(report: &Reported, verdict: Verdict) -> Verdict {
    let [one] = &report.comparisons[..] else { return verdict };
    let tone = with_outcome(one.overall, verdict.tone);
    Verdict { tone, text: format!("{} · {}", compare::headline(one), verdict.text) }
}

fn with_outcome(overall: Overall, tone: Tone) -> Tone {
    match (overall, tone) {
        (_, Tone::Bad) | (Overall::Worse, _) => Tone::Bad,
        (Overall::Better | Overall::NoDifference, Tone::Good) => Tone::Good,
        _ => Tone::Warn,
    }
}

fn figures(record: &Record, result: &ResultRecord) -> Vec<Figure> {
    let figure =
        |value: String, name: &str, detail: String| Figure { value, name: name.into(), detail };
    if !result.streams.is_empty() {
        return queries::figures(result);
    }
    let mut figures = Vec::new();
    if result.arrivals.is_some() {
        let [reached, asked] = outcome::rates(&record.plan, result);
        figures.push(figure(reached, "reached", format!("of {asked} asked")));
    }
    if let Some(headline) = result.stated_headline() {
        figures.push(figure(
            significant(headline.per_minute),
            &headline.name,
            source(&headline.source),
        ));
    }
    match &result.tpm {
        Some(tpm) => figures.push(figure(significant(tpm.per_minute), "TPM", source(&tpm.source))),
        None => figures.push(figure(
            significant(result.throughput_per_s),
            "transactions/s",
            source("client"),
        )),
    }
    figures.extend(result.analytics.iter().flat_map(queries::stream_figures));
    figures.push(match &result.verdict_interval() {
        Some(interval) => figure(
            relative(interval.value, interval.low, interval.high),
            "95 % CI",
            headline::intervals(&record.plan, result, interval),
        ),
        None => figure("–".into(), "95 % CI", "unknown: too few intervals".into()),
    });
    if let Some(all) = result.transactions.iter().find(|transaction| transaction.name == "all") {
        let detail = format!(
            "of {}, max {}",
            counted(all.latency.count, "transaction"),
            micros(all.latency.max_us)
        );
        figures.push(figure(maybe_micros(all.latency.p95_us), "latency p95", detail));
    }
    if let Some(all) = result.transactions.last() {
        let share = all.failed as f64 / (all.count + all.failed).max(1) as f64;
        figures.push(figure(grouped(all.failed), "failed", format!("{} of all", percent(share))));
    }
    figures
}

fn source(source: &str) -> String {
    match source {
        "schema" => "counted in the database".into(),
        "server" => "by the server's counters".into(),
        _ => "counted by the client".into(),
    }
}

/// Returns the change from the baseline if only one run or group is compared with it.
fn change_figures(report: &Reported) -> Option<Figure> {
    let [one] = &report.comparisons[..] else { return None };
    let row = one.metrics.first()?;
    let figure = change_figure(row, format!("{} against the baseline", row.name));
    match one.overall {
        Overall::Mixed => {
            let ends =
                row.change.map(|change| format!(", {}", interval(change))).unwrap_or_default();
            Some(Figure { detail: format!("mixed{ends}; {}", compare::price(one)), ..figure })
        }
        _ => Some(figure),
    }
}

/// Returns a change along with its verdict and its confidence interval.
fn change_figure(row: &MetricRow, name: String) -> Figure {
    let ends = row.change.map(|change| format!(", {}", interval(change))).unwrap_or_default();
    Figure { value: changed(row), name, detail: format!("{}{ends}", word(row.verdict)) }
}

/// Maximum number of comparisons that are described individually. If there are more, the text only
/// states how many there are.
const CLAIMS_MAX: usize = 3;

/// Returns the answer to the comparison, if the report contains exactly one.
fn only_answer(report: &Reported) -> Vec<Fact> {
    match &report.comparisons[..] {
        [one] => answer::of_comparison(one),
        _ => Vec::new(),
    }
}

/// Describes in words how the throughput changed from the baseline.
fn claims(report: &Reported) -> Vec<String> {
    let all = &report.comparisons;
    match all.len() {
        // With a single comparison, its answer is shown above, so it is not repeated here.
        0 | 1 => Vec::new(),
        some if some <= CLAIMS_MAX => {
            let claimed = |comparison: &Comparison| {
                let price = compare::price(comparison);
                let price = if price.is_empty() { price } else { format!(" {price}.") };
                format!("{}: {}{price}", clean(&comparison.run.name), throughput_claim(comparison))
            };
            all.iter().map(claimed).collect()
        }
        _ => {
            let count = |verdict| {
                all.iter().filter(|comparison| comparison.throughput() == verdict).count()
            };
            let metric = all[0].metrics.first().map_or("", |row| row.name.as_str());
            vec![format!(
                "{metric} of {}, each compared with the baseline: {}.",
                counted_sides(all),
                verdicts_counted(count)
            )]
        }
    }
}

/// Returns the number of runs or groups that are compared with the baseline, such as `500 runs`.
fn counted_sides(all: &[Comparison]) -> String {
    let single = all.iter().all(|comparison| comparison.run.runs.len() == 1);
    counted(all.len() as u64, if single { "run" } else { "group" })
}

/// Describes a run in a few sentences. Its outcome is included only if the run is compared with
/// another one. Otherwise, the report's answer already states the outcome.
fn lead(report: &Reported, record: &Record, result: &ResultRecord) -> String {
    let is_compared = !report.comparisons.is_empty();
    let outcome = outcome::outcome(record, result).join(". ");
    let outcome = (is_compared && !outcome.is_empty()).then(|| sentence(&outcome));
    let quoted = headline::do_not_quote(result).filter(|_| is_compared);
    let all = outcome.into_iter().chain([figures_lead(result)]).chain(quoted);
    all.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Describes the main figures in one or two sentences.
fn figures_lead(result: &ResultRecord) -> String {
    if !result.streams.is_empty() {
        return queries::lead(result);
    }
    let Some(all) = result.transactions.iter().find(|transaction| transaction.name == "all") else {
        return String::new();
    };
    let mut sentences = vec![format!(
        "In {}, {} ended, {} a second.",
        duration(result.measured_s),
        counted(all.count, "transaction"),
        significant(result.throughput_per_s)
    )];
    if let (Some(p50), Some(p95)) = (all.latency.p50_us, all.latency.p95_us) {
        let (p50, p95) = (micros(p50), micros(p95));
        sentences.push(format!("Half of them took at most {p50}, and 95 % took at most {p95}."));
    }
    sentences.join(" ")
}

fn sweep(report: &Reported, side: &SweepSide) -> Document {
    let view = &side.view;
    let verdict = points_verdict(&[view]);
    let mut subtitle: Vec<String> = report
        .measurements()
        .next()
        .map(|run| headline::title_parts(&run.record).split_off(1))
        .unwrap_or_default();
    // Omit the sessions and the load, because they are listed among the conditions.
    subtitle.truncate(2);
    subtitle.extend(report.measurements().next().and_then(|run| {
        let measured_s = run.record.result.as_ref()?.measured_s;
        headline::method_parts(&run.record, measured_s, RunEnd::Time).into_iter().next()
    }));
    subtitle.extend([
        counted(view.runs(), "run"),
        format!("sweep {}", view.sweep.id),
        minute(&view.sweep.started_at),
    ]);
    let server = report.measurements().next().map(|run| contrast::server(&run.record));
    let server = server.filter(|server| *server != view.sweep.target_name);
    let server = server.map_or_else(String::new, |server| format!(", {server}"));
    let title = format!(
        "{} on {}{server}{}",
        view.sweep.workload,
        clean(&view.sweep.target_name),
        varied(view)
    );
    let answer = sweep::answer(view);
    let lead = sweep::sentences(view).join(" ");
    let (figures, remarks) = (peaks(view), alone::remarks(side));
    Document { title, subtitle, verdict, figures, answer, lead, remarks, ..Document::default() }
}

/// Describes the settings that a sweep varies, as in `: sessions 1 to 64, form sql and pipelined`.
fn varied(view: &SweepView) -> String {
    let each = view.sweep.vary.iter().filter_map(|varied| {
        let range = match &varied.values[..] {
            [] => return None,
            [one] => one.clone(),
            [first, second] => format!("{first} and {second}"),
            [first, .., last] if varied.values.iter().all(|value| value.parse::<f64>().is_ok()) => {
                format!("{first} to {last}")
            }
            several => several.join(", "),
        };
        Some(format!("{} {}", clean(&varied.key), clean(&range)))
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() { String::new() } else { format!(": {}", each.join("; ")) }
}

/// Returns the document that shows sweeps side by side. The first sweep is the baseline.
fn sweeps(report: &Reported, sides: &[SweepSide]) -> Document {
    let views: Vec<&SweepView> = sides.iter().map(|side| &side.view).collect();
    let title =
        |view: &SweepView| format!("{} on {}", view.sweep.workload, clean(&view.sweep.target_name));
    let mut titles: Vec<String> = views.iter().map(|view| title(view)).collect();
    titles.dedup();
    let first = |side: &SweepSide| side.runs.iter().flatten().next().map(|run| run.record.clone());
    let firsts: Vec<Record> = sides.iter().filter_map(first).collect();
    let contrast = match &firsts[..] {
        [before, after] => format!(": {}", contrast::contrast(before, after)),
        _ => String::new(),
    };
    let subtitle = views.iter().enumerate().map(|(place, view)| {
        let role = if place == 0 { "baseline " } else { "" };
        format!("{role}sweep {}, {}", view.sweep.id, minute(&view.sweep.started_at))
    });
    let lead = report.sweep_comparisons.iter().map(sweep_compare::outcome);
    // Show only the most severe remarks here. The others are shown with the points to which they
    // apply.
    let remarks = sides.iter().flat_map(|side| {
        let gravest = alone::remarks(side).into_iter().filter(|remark| remark.tone == Tone::Bad);
        gravest.map(|remark| Remark {
            text: format!("sweep {}: {}", side.view.sweep.id, remark.text),
            ..remark
        })
    });
    Document {
        title: titles.join(", against it ") + &contrast,
        subtitle: subtitle.collect(),
        verdict: sweeps_verdict(report, points_verdict(&views)),
        figures: sweeps_compared(report),
        answer: match &report.sweep_comparisons[..] {
            [one] => answer::of_sweeps(one),
            _ => Vec::new(),
        },
        lead: lead.collect::<Vec<_>>().join(" "),
        remarks: remarks.collect(),
        ..Document::default()
    }
}

/// Returns the verdict on the points, preceded by the outcome of the comparison of the two sweeps.
fn sweeps_verdict(report: &Reported, verdict: Verdict) -> Verdict {
    let [one] = &report.sweep_comparisons[..] else { return verdict };
    Verdict {
        tone: with_outcome(one.overall(), verdict.tone),
        text: format!("{} · {}", sweep_compare::headline(one), verdict.text),
    }
}

/// Returns the mean change between two sweeps over all their points. If each sweep has a single
/// series of increasing load, also compares their peaks.
fn sweeps_compared(report: &Reported) -> Vec<Figure> {
    let [one] = &report.sweep_comparisons[..] else { return Vec::new() };
    let points = counted(one.points.len() as u64, "point");
    let overall =
        one.overall.first().map(|row| change_figure(row, format!("{} over {points}", row.name)));
    overall.into_iter().chain(peaks_compared(one)).collect()
}

/// Compares the highest throughputs of two sweeps. Returns nothing unless the comparison contains
/// exactly one series of points with an increasing load.
fn peaks_compared(one: &SweepComparison) -> Vec<Figure> {
    let [ladder] = &one.ladders[..] else { return Vec::new() };
    let figure = |name: &str, mark: &Mark| Figure {
        value: mark
            .throughput
            .map(|throughput| grouped(throughput.round() as i64))
            .unwrap_or_default(),
        name: name.into(),
        detail: format!("peak, {}", sweep::at(&ladder.axis, &mark.at)),
    };
    let metric = ladder.peak.throughput.as_ref().map_or("", |row| row.name.as_str());
    let row = ladder.peak.throughput.as_ref();
    row.map(|row| change_figure(row, "peak against peak".into()))
        .into_iter()
        .chain([
            figure(&format!("{metric} in the baseline"), &ladder.peak.baseline),
            figure(&format!("{metric} in the run"), &ladder.peak.run),
        ])
        .collect()
}

/// Returns a verdict that covers all points. It counts the points that are missing, invalid,
/// unstable or too short, and the points with warnings.
fn points_verdict(views: &[&SweepView]) -> Verdict {
    let rows = || views.iter().flat_map(|view| &view.rows);
    let invalid = rows().filter(|row| !row.valid).count() as u64;
    let is = |verdict: RunVerdict| rows().filter(|row| row.run_verdict == verdict).count() as u64;
    let (unstable, short) = (is(RunVerdict::Unstable), is(RunVerdict::TooShort));
    let searched = views.iter().any(|view| view.sweep.searched().is_some());
    let crossed =
        rows().filter(|row| !searched && !row.failed_thresholds.is_empty()).count() as u64;
    let missing = rows().filter(|row| row.throughput.is_none()).count() as u64;
    let warned: u64 = views.iter().map(|view| warned(view)).sum();
    let all = rows().count() as u64;
    let points = counted(all, "point");
    if missing == all {
        let text = format!("NO RESULTS: nothing was measured at {points}");
        return Verdict { tone: Tone::Bad, text };
    }
    let mut parts = vec![match (invalid, unstable, short) {
        (0, 0, 0) if missing == 0 => "VALID, all points".to_owned(),
        (0, 0, 0) => "VALID".to_owned(),
        (0, 0, some) => format!("TOO SHORT: {some} of {points}"),
        (0, some, _) => format!("UNSTABLE: {some} of {points}"),
        (some, ..) => format!("INVALID: {some} of {points}"),
    }];
    if crossed > 0 {
        parts.insert(0, format!("THRESHOLD FAILED: {crossed} of {points}"));
    }
    parts.extend((invalid > 0 && unstable > 0).then(|| format!("{unstable} UNSTABLE")));
    parts.extend((missing > 0).then(|| format!("{missing} of {points} without a result")));
    parts.extend((warned > 0).then(|| format!("{warned} of {points} with warnings")));
    let tone = match (invalid + crossed, missing + warned + unstable + short) {
        (0, 0) => Tone::Good,
        (0, _) => Tone::Warn,
        _ => Tone::Bad,
    };
    Verdict { tone, text: parts.join("; ") }
}

/// Returns the highest rate that each search found, if it has a confidence interval.
fn highest_rates(view: &SweepView) -> Vec<Figure> {
    let figure = |(values, found): (&[String], &Found)| {
        let with = match values {
            [] => String::new(),
            values => format!(", {}", sweep::name(view, values)),
        };
        Some(Figure {
            value: format!("{}/s", significant(found.holds_at_per_s?)),
            name: format!("highest rate with {}{with}", clean(&found.limit)),
            detail: format!("{}, 95 % CI", interval_words(found.interval?)),
        })
    };
    view.sweep.searches().filter_map(figure).take(RATES_MAX).collect()
}

/// Returns the peak and knee of a single series of increasing load, or the difference between two
/// combinations of settings.
fn peaks(view: &SweepView) -> Vec<Figure> {
    let mut figures = highest_rates(view);
    let mut tell = |row: &SweepRow, name: &str| {
        let value =
            row.throughput.map(|throughput| grouped(throughput.round() as i64)).unwrap_or_default();
        let detail = format!("{}, {}", sweep::place(view, row), spread_words(row));
        figures.push(Figure { value, name: format!("{} at the {name}", view.metric), detail });
        let value = maybe_micros(row.p95_us);
        let name = format!("latency p95 at the {name}");
        figures.push(Figure { value, name, detail: sweep::place(view, row) });
    };
    match (sweep::marked(view, |row| row.peak), sweep::marked(view, |row| row.knee)) {
        (Some(peak), Some(knee)) if peak.values == knee.values => tell(peak, "peak and knee"),
        (Some(peak), Some(knee)) => {
            tell(peak, "peak");
            tell(knee, "knee");
        }
        _ => {}
    }
    let (first, changes) = view.against_the_first();
    if let [(name, row)] = &changes[..] {
        figures.push(change_figure(row, format!("with {name}")));
        for (row, name) in view.rows.iter().zip([&first, name]) {
            let value = row
                .throughput
                .map(|throughput| grouped(throughput.round() as i64))
                .unwrap_or_default();
            let detail = format!("{}, p95 {}", spread_words(row), maybe_micros(row.p95_us));
            figures.push(Figure { value, name: format!("{} with {name}", view.metric), detail });
        }
    }
    figures
}

fn several(report: &Reported) -> Document {
    let records: Vec<&Record> = report.measurements().map(|run| &run.record).collect();
    let invalid = records
        .iter()
        .filter(|record| record.result.as_ref().is_none_or(|result| !result.valid))
        .count();
    let warns = |record: &&&Record| {
        let notices = record.result.iter().flat_map(|result| &result.notices);
        notices.into_iter().any(|notice| !notice.invalidates)
    };
    let warned = records.iter().filter(warns).count();
    let results = || records.iter().filter_map(|record| record.result.as_ref());
    let crossed = results().filter(|result| headline::failed_thresholds(result).is_some()).count();
    let is = |verdict: RunVerdict| results().filter(|result| result.verdict() == verdict).count();
    let (unstable, short) = (is(RunVerdict::Unstable), is(RunVerdict::TooShort));
    let all = counted(records.len() as u64, "run");
    let verdict = match invalid {
        0 if crossed > 0 => {
            Verdict { tone: Tone::Bad, text: format!("THRESHOLD FAILED: {crossed} of {all}") }
        }
        0 if unstable > 0 => {
            Verdict { tone: Tone::Warn, text: format!("UNSTABLE: {unstable} of {all}") }
        }
        0 if short > 0 => {
            Verdict { tone: Tone::Warn, text: format!("TOO SHORT: {short} of {all}") }
        }
        0 if warned == 0 => Verdict { tone: Tone::Good, text: "VALID, all runs".into() },
        0 => Verdict {
            tone: Tone::Warn,
            text: format!("VALID, all runs; {warned} of {} with warnings", records.len()),
        },
        some => {
            Verdict { tone: Tone::Bad, text: format!("INVALID or incomplete: {some} of {all}") }
        }
    };
    let verdict = compared(report, verdict);
    let title = records.first().map(|record| title(record)).unwrap_or_default();
    let mut titles: Vec<String> = records.iter().map(|record| self::title(record)).collect();
    titles.dedup();
    let title = if titles.len() > 1 { format!("{title}, and more") } else { title };
    let mut subtitle = vec![counted(records.len() as u64, "run")];
    if let (Some(first), Some(last)) = (records.first(), records.last()) {
        let (first, last) = (minute(&first.started_at), minute(&last.started_at));
        subtitle.push(format!("{} to {}", first.clone().min(last.clone()), first.max(last)));
    }
    let figures = change_figures(report).into_iter().collect();
    let (answer, lead) = (only_answer(report), claims(report).join(" "));
    Document { title, subtitle, verdict, figures, answer, lead, ..Document::default() }
}
