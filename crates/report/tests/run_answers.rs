//! Tests the five lines with which the page of a single run begins and its summary ends.

use crate::common::{WIDE, fitted, incomplete, interval, invalid, valid};
use tacho_analysis::{Measurement, Reported, Side};
use tacho_report::{Footer, Format, summary};
use tacho_store::record::{
    AcknowledgedRecord, ArrivalsRecord, Estimate, FaultRecord, OutageRecord, Record, ResultRecord,
    ThresholdRecord, UndisturbedRecord,
};

const LABELS: [&str; 5] = ["question", "answer", "cause", "conditions", "not shown"];

/// Returns the last block of the summary, with each label at the start of its text.
fn ending(record: &Record) -> [String; 5] {
    let text = fitted(&summary(record, &Footer::default(), &WIDE), &WIDE);
    let block = text.trim_end().rsplit("\n\n").next().expect("a block");
    let mut found: Vec<String> = Vec::new();
    for line in block.lines() {
        let label = LABELS.iter().find(|label| line.starts_with(&format!("  {label} ")));
        match (label, found.last_mut()) {
            (Some(label), _) => found.push(line.trim_start()[label.len()..].trim_start().into()),
            (None, Some(last)) => *last = format!("{last} {}", line.trim_start()),
            (None, None) => panic!("{line} has no label: {text}"),
        }
    }
    found.try_into().unwrap_or_else(|found| panic!("{found:?} are not five lines: {text}"))
}

fn changed(change: impl Fn(&mut Record)) -> Record {
    let mut record = valid();
    record.result.as_mut().expect("a result").notices.clear();
    change(&mut record);
    record
}

fn result(record: &mut Record) -> &mut ResultRecord {
    record.result.as_mut().expect("a result")
}

fn page(record: Record, format: Format) -> String {
    let intervals = vec![interval(10.0)];
    let run = Measurement { intervals, ..Measurement::of(record) };
    let side = Side { name: run.record.id.clone(), runs: vec![run] };
    let report = Reported {
        comparisons: Vec::new(),
        sides: vec![side],
        baseline: None,
        sweeps: Vec::new(),
        sweep_comparisons: Vec::new(),
        title: None,
        summary: None,
        notice: String::new(),
        tool_version: "0.1.0".into(),
    };
    let report = report.redacted(&[]);
    tacho_report::render(&report, format).expect("a report").replace('\u{202f}', " ")
}

#[test]
fn a_closed_run_states_its_throughput() {
    let [question, answer, cause, conditions, not_shown] = ending(&changed(|_| {}));
    assert_eq!(question, "What throughput does SQLite 3.51.1 reach in tprocc with 1 session?");
    assert_eq!(answer, "114 210 NOPM ±0.8 %, p95 420 µs: VALID.");
    assert_eq!(cause, "Unknown: nothing that was observed explains the result.");
    assert_eq!(
        conditions,
        "SQLite 3.51.1, 1 warehouse, 1 session, closed, no think time; 10 s measured after 2 s \
         ramp-up. Machine: 2 cores, a processor, 14.9 GiB memory. Durability is switched off: \
         synchronous=normal: the last commits may be lost."
    );
    assert!(not_shown.starts_with("How much the result varies between runs: "), "{not_shown}");
    assert!(!summary(&incomplete(), &Footer::default(), &WIDE).contains("  question"));
}

#[test]
fn conditions_name_the_settings_that_matter() {
    let set = changed(|record| {
        for (key, value, default) in
            [("port", "31990", "5432"), ("fsync", "off", "on"), ("a", "1", "1")]
        {
            record.server.settings.insert(key.into(), value.into());
            record.server.defaults.insert(key.into(), default.into());
        }
    });
    let [_, _, _, conditions, _] = ending(&set);
    assert!(
        conditions.contains("Server settings other than the default: fsync=off."),
        "{conditions}"
    );
}

/// The confidence interval of the run is ±4 %. An interval of ±2 % is half as wide, so reaching it
/// takes four times as long.
#[test]
fn a_wide_interval_states_how_long_to_measure() {
    let wide = changed(|record| {
        let (value, low, high) = (1_000.0, 960.0, 1_040.0);
        result(record).measured_s = 10.0;
        result(record).interval_95 = Some(Estimate { value, low, high, samples: 10, batches: 10 });
    });
    let [_, answer, .., not_shown] = ending(&wide);
    assert!(answer.starts_with("114 210 NOPM ±4.0 %"), "{answer}");
    let expected = "A confidence interval of ±2.0 %: at the same variation, it takes 40 s of";
    assert!(not_shown.starts_with(expected), "{not_shown}");
    // A run needs at least eight reporting intervals, even if its confidence interval would be
    // narrow enough after fewer.
    let short = changed(|record| {
        let (value, low, high) = (1_000.0, 989.0, 1_011.0);
        let result = result(record);
        result.interval_95 = Some(Estimate { value, low, high, samples: 5, batches: 5 });
        result.measured_s = 5.0;
    });
    let [.., not_shown] = ending(&short);
    assert!(
        not_shown
            .starts_with("A confidence interval of ±1.0 %: at the same variation, it takes 8 s"),
        "{not_shown}"
    );
    let [.., not_shown] = ending(&changed(|record| result(record).interval_95 = None));
    assert!(not_shown.starts_with("A confidence interval: it needs at least 8 "), "{not_shown}");
}

#[test]
fn a_rate_is_kept_up_with_or_not() {
    let arriving = |rate: f64, backlog_end: u64| {
        changed(|record| {
            record.plan.load.arrival.rate = Some(rate);
            let backlog_max = backlog_end;
            let arrivals = ArrivalsRecord { backlog_end, backlog_max, ..Default::default() };
            result(record).arrivals = Some(arrivals);
        })
    };
    let [question, answer, ..] = ending(&arriving(4_418.7, 0));
    assert_eq!(question, "Does SQLite 3.51.1 keep up with 4 419/s of tprocc?");
    assert!(answer.ends_with("VALID. Reached 4 419/s of 4 419/s; no backlog."), "{answer}");
    let [_, answer, ..] = ending(&arriving(9_000.0, 500));
    assert!(answer.contains("Reached 4 419/s of 9 000/s; 500 arrivals waiting"), "{answer}");
}

#[test]
fn thresholds_are_met_or_not() {
    let limited = |passed: bool| {
        changed(|record| {
            result(record).thresholds = vec![ThresholdRecord {
                expression: "p99<1ms".into(),
                measured: Some(0.98),
                measured_text: "0.98 ms".into(),
                passed,
            }];
        })
    };
    let [question, answer, ..] = ending(&limited(true));
    assert_eq!(question, "Does tprocc on SQLite 3.51.1 meet p99<1ms?");
    assert!(answer.ends_with("VALID. Met: p99<1ms (0.98 ms)."), "{answer}");
    let [_, answer, ..] = ending(&limited(false));
    assert!(answer.contains("THRESHOLD FAILED: p99<1ms (0.98 ms)"), "{answer}");
    assert!(!answer.contains("Met: "), "{answer}");
}

/// Returns a run with a restart, which made its only session reconnect.
fn restarted(verified: bool) -> Record {
    changed(|record| {
        let what = "restart secret".into();
        let (at_s, took_s, latency_normal_after_s) = (20.0, 1.1, Some(5.0));
        let fault =
            FaultRecord { at_s, took_s, what, latency_normal_after_s, ..Default::default() };
        let outage = OutageRecord {
            at_s,
            sessions_lost: 1,
            connected_after_s: Some(1.2),
            first_commit_after_s: Some(1.3),
            ..OutageRecord::default()
        };
        let (value, low, high) = (200.0, 198.0, 202.0);
        let interval_95 = Some(Estimate { value, low, high, samples: 42, batches: 21 });
        let result = result(record);
        let steadiness = std::mem::take(&mut result.steadiness);
        let [length_s, throughput_per_s] = [42.0, value];
        let quiet = UndisturbedRecord { length_s, throughput_per_s, interval_95, steadiness };
        (result.faults, result.outages) = (vec![fault], vec![outage]);
        result.undisturbed = Some(quiet);
        result.acknowledged =
            verified.then(|| AcknowledgedRecord { acknowledged: 9_000, ..Default::default() });
    })
}

#[test]
fn a_fault_has_both_parts_in_the_answer() {
    let [question, answer, cause, _, not_shown] = ending(&restarted(true));
    assert_eq!(question, "What effect does restart secret have on tprocc on SQLite 3.51.1?");
    assert_eq!(
        answer,
        "200/s ±1.0 % in the undisturbed 42 s; restart secret at 20 s: away 1.30 s, latency normal \
         after 5.00 s; nothing lost of 9 000 acknowledged commits. VALID."
    );
    assert_eq!(
        cause,
        "Restart secret took 1.10 s and ended 1 connection: first reconnection after 1.20 s, first \
         commit after 1.30 s."
    );
    assert!(!not_shown.contains("--verify"), "{not_shown}");
    let [_, answer, .., not_shown] = ending(&restarted(false));
    assert!(!answer.contains("lost"), "{answer}");
    assert!(not_shown.contains("measure with --verify commits"), "{not_shown}");
}

#[test]
fn an_invalid_run_is_not_to_be_quoted() {
    let [_, answer, .., not_shown] = ending(&invalid());
    assert!(answer.contains("INVALID: rate not reached; checks failed"), "{answer}");
    assert!(answer.ends_with("Do not quote these results: the run is INVALID."), "{answer}");
    let reason = "4 418/s of 5 000/s were reached; hint: what to do.";
    assert!(not_shown.contains(reason), "{not_shown}");
}

#[test]
fn a_redacted_page_begins_with_the_five_lines_and_no_name() {
    let html = page(restarted(true), Format::Html);
    let top = &html[..html.find("<ul class=\"tiles\">").expect("the figures")];
    let places = LABELS.map(|label| top.find(&format!("<dt>{label}</dt>")).expect("a line"));
    assert!(places.is_sorted(), "{top}");
    let text = page(restarted(true), Format::Markdown);
    let question = "- **question**: What effect does restart have on tprocc on SQLite 3.51.1?";
    assert!(text.contains(question), "{text}");
    assert!(!text.contains("secret") && !text.contains("bench1"), "{text}");
    // The answer states this once, and the text below the answer does not repeat it.
    assert_eq!(text.matches("in the undisturbed 42 s").count(), 1, "{text}");
}
