//! Tests that no output makes an unreliable result look reliable.

use std::time::Duration;

use crate::common::{WIDE, interval, valid};
use tacho_analysis::{Comparison, Measurement, Overall, Reported, Side, SweepView};
use tacho_config::Require;
use tacho_core::WaitKind;
use tacho_metrics::{Latencies, Verdict};
use tacho_report::{CsvTable, Footer, Format, Text, summary};
use tacho_store::record::{
    Estimate, Record, RunState, ServerLoadRecord, SteadinessVerdict, ThresholdRecord, WaitRecord,
};
use tacho_store::sweep::{Outcome, Point, SweepRecord, Varied};
use tacho_store::{HistogramEntry, IntervalRecord};

const EMPTY: Footer<'_> = Footer { notice: "", saved: None, next: &[] };

fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

/// Returns a run whose throughput varies by ±90 % and drops by 54 %.
fn unstable() -> Record {
    let mut record = valid();
    let result = record.result.as_mut().expect("a result");
    let (low, high) = (100.0, 1_900.0);
    result.interval_95 = Some(Estimate { value: 1_000.0, low, high, samples: 10, batches: 10 });
    result.steadiness.verdict = Some(SteadinessVerdict::Drifting);
    result.steadiness.drift = Some(-0.54);
    record
}

fn too_short() -> Record {
    let mut record = valid();
    record.result.as_mut().expect("a result").interval_95 = None;
    record
}

fn crossed() -> Record {
    let mut record = valid();
    record.result.as_mut().expect("a result").thresholds = vec![ThresholdRecord {
        expression: "new_order.p95<1ms".into(),
        measured: Some(5.0),
        measured_text: "5.00 ms".into(),
        passed: false,
    }];
    record
}

/// Returns a run whose throughput is multiplied by `more` and whose latencies are multiplied by
/// `slower`.
fn measured(mut record: Record, id: &str, more: f64, slower: u64) -> Measurement {
    record.id = id.into();
    let throughput: Vec<f64> = (0..30).map(|n| (1_000.0 + f64::from(n % 5)) * more).collect();
    let of = |(at, throughput_per_s): (usize, &f64)| IntervalRecord {
        throughput_per_s: *throughput_per_s,
        headline_per_minute: Some(throughput_per_s * 27.0),
        length_s: 1.0,
        ..interval(at as f64)
    };
    let intervals = throughput.iter().enumerate().map(of).collect();
    let part = |part: u32| {
        let mut latencies = Latencies::new();
        (1..=2_000).for_each(|n: u64| latencies.record(Duration::from_micros(slower * (n + 50))));
        let (start, length) = (Duration::from_secs(part.into()), Duration::from_secs(1));
        HistogramEntry::new("new_order".into(), start, length, &latencies)
    };
    let result = record.result.as_mut().expect("a result");
    if let Some(headline) = &mut result.headline {
        headline.per_minute *= more;
    }
    let latency = &mut result.transactions[0].latency;
    for quantile in [&mut latency.p50_us, &mut latency.p95_us, &mut latency.p99_us] {
        *quantile = quantile.map(|us| us * slower as f64);
    }
    let histograms = (0..30).map(part).collect();
    Measurement { intervals, histograms, ..Measurement::of(record) }
}

fn side(run: Measurement) -> Side {
    Side { name: run.record.id.clone(), runs: vec![run] }
}

fn report(run: Measurement, against: Option<Measurement>, force: bool) -> Reported {
    let (run, baseline) = (side(run), against.map(side));
    let compare = |baseline: &Side| Comparison::of(baseline, &run, force).expect("comparable");
    Reported {
        comparisons: baseline.iter().map(compare).collect(),
        sides: vec![run],
        baseline,
        sweeps: Vec::new(),
        sweep_comparisons: Vec::new(),
        title: None,
        summary: None,
        notice: String::new(),
        tool_version: "0.1.0".into(),
    }
}

fn render(report: &Reported, format: Format) -> String {
    plain(&tacho_report::render(report, format).expect("a report"))
}

/// Returns the paragraph of a page that contains the overall verdict.
fn judgement(page: &str) -> &str {
    let from = page.find("<p class=\"verdict").expect("a verdict");
    page[from..].split("</p>").next().expect("an end")
}

#[test]
fn an_unstable_figure_is_called_so_on_every_surface() {
    let why = "UNSTABLE: 95 % confidence interval ±90.0 %; second half −54.0 % vs. the first";
    let text = plain(&summary(&unstable(), &EMPTY, &WIDE));
    let head: Vec<&str> = text.lines().take(5).collect();
    assert!(head.iter().any(|line| line.contains(why)), "{text}");
    let one = report(measured(unstable(), "7q3f", 1.0, 1), None, false);
    assert!(render(&one, Format::Markdown).contains(&format!("**{why}**")));
    let page = render(&one, Format::Html);
    assert!(judgement(&page).contains("verdict warn") && judgement(&page).contains(why), "{page}");
    let csv = render(&one, Format::Csv(CsvTable::Runs));
    assert!(csv.lines().nth(1).is_some_and(|row| row.ends_with(",UNSTABLE")), "{csv}");
    let junit = render(&one, Format::Junit);
    assert!(junit.contains(&format!("<skipped message=\"{why}\">")), "{junit}");
    let json: serde_json::Value = serde_json::from_str(&render(&one, Format::Json)).expect("JSON");
    assert_eq!(json["runs"][0]["verdict"], "unstable");
    let required = {
        let mut run = measured(unstable(), "7q3f", 1.0, 1);
        run.record.plan.judgement.require = Require::Steady;
        render(&report(run, None, false), Format::Junit)
    };
    assert!(required.contains(&format!("<failure message=\"{why}\">")), "{required}");
}

#[test]
fn distinguishes_short_runs_from_varying_runs() {
    let text = plain(&summary(&too_short(), &EMPTY, &WIDE));
    assert!(
        text.contains("\n  TOO SHORT: fewer than 5 full intervals, but 8 are needed\n"),
        "{text}"
    );
    assert!(!text.contains("VALID") && !text.contains("UNSTABLE"), "{text}");
}

#[test]
fn a_crossed_limit_comes_before_the_verdict() {
    let first = "THRESHOLD FAILED: new_order.p95<1ms (5.00 ms) · run VALID";
    let text = plain(&summary(&crossed(), &EMPTY, &WIDE));
    assert!(text.lines().take(4).any(|line| line.trim_start().starts_with(first)), "{text}");
    let page = render(&report(measured(crossed(), "7q3f", 1.0, 1), None, false), Format::Html);
    let top = judgement(&page);
    assert!(
        top.contains("verdict bad") && top.contains("THRESHOLD FAILED: new_order.p95"),
        "{top}"
    );
}

#[test]
fn no_winner_is_named_where_a_run_is_unstable() {
    let against = |force| {
        let (before, after) =
            (measured(unstable(), "aaaa", 1.0, 1), measured(valid(), "bbbb", 1.5, 1));
        let report = report(after, Some(before), force);
        let text = plain(&report.comparisons[0].text(&WIDE));
        (report, text)
    };
    let (refused, text) = against(false);
    let one = &refused.comparisons[0];
    assert_eq!((one.overall, one.throughput()), (Overall::NoWinner, Verdict::Unstable));
    assert_eq!(one.count(Verdict::Better) + one.count(Verdict::Worse), 0);
    assert!(
        text.starts_with("NO WINNER: run aaaa is UNSTABLE (95 % confidence interval ±90.0 %;"),
        "{text}"
    );
    assert!(!text.contains("better"), "{text}");
    assert!(judgement(&render(&refused, Format::Html)).contains("verdict warn"));
    let (forced, text) = against(true);
    assert_eq!(forced.comparisons[0].throughput(), Verdict::Better, "{text}");
}

#[test]
fn an_unstable_run_among_repeated_ones_is_a_note() {
    let runs = |name: &str, runs: Vec<Measurement>| Side { name: name.into(), runs };
    let again = |id, more| measured(valid(), id, more, 1);
    let before =
        vec![measured(unstable(), "aaa1", 1.0, 1), again("aaa2", 1.01), again("aaa3", 1.0)];
    let after = vec![again("bbb1", 1.3), again("bbb2", 1.29), again("bbb3", 1.31)];
    let (before, after) = (runs("before", before), runs("after", after));
    let comparison = Comparison::of(&before, &after, false).expect("comparable");
    assert_eq!((comparison.throughput(), &comparison.unstable[..]), (Verdict::Better, &[][..]));
    let text = plain(&comparison.text(&WIDE));
    assert!(
        text.contains("Note: run aaa1 is UNSTABLE (95 % confidence interval ±90.0 %;"),
        "{text}"
    );
    assert!(!text.contains("NO WINNER"), "{text}");
}

#[test]
fn more_throughput_with_slower_latencies_is_not_called_better() {
    let (before, after) = (measured(valid(), "aaaa", 1.0, 1), measured(valid(), "bbbb", 1.2, 4));
    let mixed = report(after, Some(before), false);
    let one = &mixed.comparisons[0];
    let text = plain(&one.text(&WIDE));
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with("MIXED: NOPM +20.0 %") && first.contains("3 of 15 latencies WORSE"),
        "{text}"
    );
    let page = render(&mixed, Format::Html);
    let top = judgement(&page);
    assert!(top.contains("verdict warn") && top.contains("MIXED: NOPM"), "{top}");
    assert!(!top.contains("better"), "{top}");
}

/// Returns a run with eight sessions. On average, `log` of them are waiting for the log.
fn waiting(id: &str, more: f64, log: f64) -> Measurement {
    let mut run = measured(valid(), id, more, 1);
    let wait = |kind, event: &str, sessions| WaitRecord {
        class: "IO".into(),
        event: event.into(),
        kind: Some(kind),
        sessions,
        share: 0.0,
    };
    run.record.plan.load.sessions = 8;
    run.record.plan.load.pacing = 0.0;
    let result = run.record.result.as_mut().expect("a result");
    result.arrivals = None;
    result.accounting.committed = (more * 100_000.0) as u64;
    result.server_load = Some(ServerLoadRecord {
        samples: 100,
        active_sessions: log + 1.0,
        waits: vec![wait(WaitKind::Log, "WALSync", log), wait(WaitKind::Running, "", 1.0)],
        ..ServerLoadRecord::default()
    });
    run
}

/// Returns a sweep of five values with two runs each. With each value, throughput is higher and sessions wait less for
/// the log.
fn waiting_sweep() -> SweepView {
    let values = ["a", "b", "c", "d", "e"];
    let runs = (0..10).map(|n| (format!("r{n}"), values[n / 2], n as u32 % 2 + 1));
    let point = |(run, value, repetition): (String, &str, u32)| Point {
        values: vec![value.into()],
        repetition,
        equal_side: None,
        headroom: false,
        outcome: Outcome::Measured,
        run: Some(run),
        error: None,
    };
    let sweep = SweepRecord {
        format: "tacho-sweep".into(),
        version: 1,
        id: "s1s1".into(),
        state: RunState::Complete,
        started_at: "2026-03-02T10:14:05+01:00".into(),
        tool_version: "0.1.0".into(),
        workload: "tprocc".into(),
        target_name: "pg".into(),
        settings: Vec::new(),
        vary: vec![Varied { key: "wal".into(), values: values.map(String::from).to_vec() }],
        calibration: None,
        points: runs.map(point).collect(),
        found: None,
        found_for: Vec::new(),
    };
    SweepView::of(sweep, |id| {
        let n: u32 = id[1..].parse().expect("a number");
        let (value, repetition) = (f64::from(n / 2), f64::from(n % 2));
        let more = 1.0 + 0.2 * value + 0.004 * repetition;
        Some(waiting(id, more, 6.0 - value).record)
    })
}

#[test]
fn a_large_sweep_without_a_peak_has_an_answer_and_its_cause() {
    let view = waiting_sweep();
    let text = plain(&view.text(&WIDE));
    for words in [
        "question",
        "How does NOPM depend on wal?",
        "With wal e, NOPM is",
        "1 other point differs from it less; see the table.",
        "With wal e, sessions spend",
        "less per transaction in IO:WALSync",
        "Limit at e: round trips",
        "conditions",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("With wal b, NOPM"), "{text}");
    assert!(view.rows[0].observed.is_none() && view.rows[4].observed.is_some());
}

#[test]
fn a_comparison_names_both_limits_and_the_largest_change() {
    let report = report(waiting("bbbb", 1.3, 2.0), Some(waiting("aaaa", 1.0, 5.0)), false);
    let text = plain(&report.comparisons[0].text(&WIDE));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts = |start: &str| lines.iter().any(|line| line.starts_with(start));
    assert!(starts("baseline limit log writes (IO:WALSync), 62.5 % of session time"), "{text}");
    assert!(starts("run limit"), "{text}");
    let sentence = lines.iter().find(|line| line.contains("Sessions spend"));
    assert!(
        sentence.is_some_and(|line| line.contains("less per transaction in IO:WALSync (")),
        "{text}"
    );
    let end: Vec<&str> = lines.iter().rev().take(12).rev().copied().collect();
    let labels = ["question", "answer", "cause", "conditions", "not shown"];
    let places: Vec<_> = labels
        .iter()
        .map(|label| end.iter().position(|line| line.starts_with(label)).expect("a line"))
        .collect();
    assert!(places.is_sorted(), "{end:?}");
    assert!(
        end[places[0]].contains("Does NOPM differ between the baseline and the run?"),
        "{end:?}"
    );
    assert!(end[places[1]].contains("NOPM is 30.0 % higher"), "{end:?}");
    assert!(end[places[3]].contains("No recorded condition differs."), "{end:?}");
    // The page starts with the same lines.
    let page = render(&report, Format::Html);
    let top = &page[..page.find("<nav").expect("the contents")];
    assert!(labels.iter().all(|label| top.contains(&format!("<dt>{label}</dt>"))), "{top}");
}

#[test]
fn the_title_and_the_summary_are_those_of_the_sender() {
    let mut report = report(waiting("bbbb", 1.3, 2.0), Some(waiting("aaaa", 1.0, 5.0)), false);
    report.title = Some("Does the new <disk> pay?".into());
    report.summary = Some("It does, *twice over*.".into());
    let page = render(&report, Format::Html);
    for part in ["<h1>Does the new &lt;disk&gt; pay?</h1>", "It does, <em>twice over</em>."] {
        assert!(page.contains(part), "{part}");
    }
    let text = render(&report, Format::Markdown);
    assert!(text.contains("- **question**: Does the new \\<disk\\> pay?"), "{text}");
    assert!(text.contains("\n\nIt does, *twice over*.\n"), "{text}");
}

#[test]
fn what_the_server_did_is_compared_where_no_difference_is_shown_too() {
    let report = report(waiting("bbbb", 1.0, 5.0), Some(waiting("aaaa", 1.0, 4.0)), false);
    let text = plain(&report.comparisons[0].text(&WIDE));
    assert!(text.contains("NO DIFFERENCE SHOWN") && !text.contains("Sessions spend"), "{text}");
    assert!(text.contains("Server time per transaction, by wait"), "{text}");
}

#[test]
fn a_setting_that_only_one_repetition_lists_is_no_difference_between_them() {
    let again = |id, more| measured(valid(), id, more, 1);
    let sides = |value: [Option<&str>; 2]| {
        let mut runs = vec![again("aaa1", 1.0), again("aaa2", 1.01)];
        for (run, value) in runs.iter_mut().zip(value) {
            let settings = &mut run.record.server.settings;
            settings.extend(value.map(|value| ("scan_depth".to_owned(), value.into())));
        }
        let before = Side { name: "before".into(), runs };
        Comparison::of(&before, &side(again("bbbb", 1.0)), false)
    };
    assert!(sides([None, Some("1024")]).is_ok());
    let error = sides([Some("100"), Some("1024")]).expect_err("two values");
    assert!(error.to_string().contains("cannot be grouped as repeated runs"), "{error}");
}
