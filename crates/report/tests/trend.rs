//! Tests that a trend finds simulated changes between the right runs, and nothing else.

use crate::common::{WIDE, fitted, valid};
use tacho_analysis::Trend;
use tacho_core::Seed;
use tacho_report::{Text, json};
use tacho_store::record::Record;

/// Returns a run with the given result and server version.
fn run(number: usize, value: f64, server: &str) -> Record {
    let mut record = valid();
    record.id = format!("r{number:03}");
    record.started_at = format!("2026-03-{:02}T02:00:00+01:00", number % 28 + 1);
    record.plan.load.seed = Seed(number as u64);
    record.server.version = server.into();
    if let Some(headline) = record.result.as_mut().and_then(|result| result.headline.as_mut()) {
        headline.per_minute = value;
    }
    record
}

/// Returns runs whose throughput varies randomly by up to 1 %. From run `at` onwards, the throughput is 6 % lower.
fn history(count: usize, at: usize) -> Vec<Record> {
    let mut rng = Seed(at as u64).rng(count as u64);
    let mut noise = || 1.0 + 0.02 * (rng.unit() - 0.5);
    let one = |number: usize| {
        let (level, server) = if number < at { (1_000.0, "One 1.0") } else { (940.0, "One 1.1") };
        run(number, level * noise(), server)
    };
    (0..count).map(one).collect()
}

fn found(records: &[Record]) -> Trend {
    Trend::of("tag:nightly", records, None).expect("a trend")
}

#[test]
fn a_planted_change_is_found_where_it_was_planted() {
    for at in [5, 10, 15] {
        let trend = found(&history(20, at));
        assert_eq!(trend.changes.len(), 1, "at {at}");
        let (one, before) = (&trend.changes[0], format!("r{:03}", at - 1));
        assert_eq!((&one.before, &one.after), (&before, &format!("r{at:03}")));
        let change = one.change.expect("a change");
        assert!(change.low < -0.06 && -0.06 < change.high && change.significant, "{change:?}");
        let names: Vec<&str> =
            one.conditions.iter().map(|condition| condition.name.as_str()).collect();
        assert_eq!(names, ["server.version"]);
        assert_eq!(
            trend.levels.iter().map(|level| level.runs).collect::<Vec<_>>(),
            [at as u64, 20 - at as u64]
        );
    }
}

#[test]
fn a_steady_history_has_one_level() {
    let alarms = (0..100).filter(|trial| {
        let mut rng = Seed(*trial).rng(1);
        let records: Vec<Record> =
            (0..20).map(|number| run(number, 1_000.0 + rng.unit(), "One 1.0")).collect();
        !found(&records).changes.is_empty()
    });
    let alarms = alarms.count();
    assert!(alarms <= 11, "{alarms} of 100, 5 expected");
}

#[test]
fn reports_differences_and_excluded_runs() {
    let mut records = history(20, 10);
    records[3].result = None;
    records[4].plan.scale.0 += 1.0;
    if let Some(result) = &mut records[6].result {
        result.valid = false;
    }
    let trend = found(&records);
    assert_eq!(trend.runs.len(), 17);
    let text = fitted(&trend.text(&WIDE), &WIDE);
    for said in [
        "NOPM of tag:nightly · 17 runs",
        "WORSE",
        "Between r009",
        "server.version   One 1.0  →  One 1.1",
        "1 run left out: it has no result",
        "1 run left out: it is INVALID",
        "its plan.scale is",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&json(&trend).expect("JSON")).expect("JSON");
    assert_eq!(json["changes"][0]["after"], "r010");
    assert_eq!(json["left_out"].as_array().expect("a list").len(), 3);
}

#[test]
fn reports_too_few_runs() {
    let trend = found(&history(9, 4));
    assert!(!trend.enough && trend.changes.is_empty() && trend.levels.len() == 1);
    assert!(trend.text(&WIDE).contains("Not enough data"));
    let trend = found(&history(10, 5));
    assert!(trend.enough && trend.changes.len() == 1);
    assert!(Trend::of("x", &[], None).is_err());
}

#[test]
fn figures_are_chosen_by_name() {
    let records = history(8, 4);
    for (metric, name) in [
        ("nopm", "NOPM"),
        ("tps", "transactions/s"),
        ("p95", "all p95"),
        ("new_order.p95", "new_order p95"),
    ] {
        assert_eq!(Trend::of("x", &records, Some(metric)).expect("a trend").metric, name);
    }
    let error = Trend::of("x", &records, Some("nopn")).expect_err("no such figure");
    assert!(error.hints()[0].contains("nopm"), "{:?}", error.hints());
}

#[test]
fn tpm_of_another_source_is_left_out() {
    let mut records = history(12, 4);
    for record in &mut records[..8] {
        let tpm = record.result.as_mut().and_then(|result| result.tpm.as_mut()).expect("TPM");
        tpm.source = "server".into();
    }
    let trend = Trend::of("x", &records, Some("tpm")).expect("a trend");
    assert_eq!((trend.metric.as_str(), trend.left_out.len()), ("TPM (client)", 8));
    assert_eq!(trend.left_out[0].reason, "it has no TPM (client)");
}
