//! Tests comparisons and trends of runs with query streams.

use crate::common::{WIDE, fitted, valid};
use tacho_analysis::{Basis, Comparison, Measurement, Side, Trend};
use tacho_metrics::Verdict;
use tacho_report::Text;
use tacho_store::record::{ExecutionRecord, Record, StreamRecord};

/// Returns a run in which each session executes each query once. A time of zero means a failed query.
fn run(id: &str, sessions: u32, queries: &[(&str, f64)]) -> Record {
    let mut record = Record { id: id.into(), ..valid() };
    record.plan.load.sessions = sessions;
    let executions = (0..sessions).flat_map(|session| {
        queries.iter().map(move |(name, took_s)| ExecutionRecord {
            session,
            transaction: (*name).into(),
            took_s: *took_s,
            rows: Some(1),
            failed: (*took_s == 0.0).then(|| "timeout".into()),
            ..ExecutionRecord::default()
        })
    });
    let Some(result) = &mut record.result else { return record };
    result.executions = executions.collect();
    result.headline = None;
    result.streams = (0..sessions)
        .map(|session| StreamRecord { session, elapsed_s: 3.0, good: 2, ..StreamRecord::default() })
        .collect();
    record
}

fn side(name: &str, runs: Vec<Record>) -> Side {
    Side { name: name.into(), runs: runs.into_iter().map(Measurement::of).collect() }
}

fn compared(baseline: Vec<Record>, run: Vec<Record>) -> Comparison {
    Comparison::of(&side("a", baseline), &side("b", run), false).expect("a comparison")
}

fn near(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value / expected - 1.0).abs() < 1e-9)
}

#[test]
fn one_observation_has_no_interval() {
    let before = run("aaaa", 1, &[("q10", 1.0), ("q2", 4.0), ("q3", 0.5)]);
    let after = run("bbbb", 1, &[("q10", 2.0), ("q2", 4.0), ("q3", 2.0)]);
    let comparison = compared(vec![before], vec![after]);
    assert_eq!(comparison.basis, Basis::OneObservation);
    insta::assert_snapshot!(fitted(&comparison.text(&WIDE), &WIDE), @r"
    NO DIFFERENCE SHOWN: geometric mean of 3 +100.0 % (−64.3 % … ×11.2)

      baseline     aaaa  2026-03-02 10:14  SQLite 3.51.1
      run          bbbb  2026-03-02 10:14  SQLite 3.51.1

    No recorded condition differs.

    Metrics
                            baseline      run     change           95 % CI   verdict
      geometric mean of 3     1.26 s   2.52 s   +100.0 %   −64.3 % … ×11.2   no difference
      slowest stream          3.00 s   3.00 s     +0.0 %                 –   not enough data
      q2                      4.00 s   4.00 s     +0.0 %                 –   not enough data
      q3                      500 ms   2.00 s   +300.0 %                 –   not enough data
      q10                     1.00 s   2.00 s   +100.0 %                 –   not enough data
      failed                       0        0         +0                 –   no difference

    Of 6 metrics: 2 without a difference, 4 without enough data.
    Each query ran once: its ratio is one observation and has no interval. The geometric mean has a 95 %
    interval, based on the spread of the ratios between the queries. To measure the variation of each
    query, repeat query sets or runs.

      question     Does geometric mean of 3 differ between the baseline and the run?
      answer       geometric mean of 3 is 100.0 % higher than in the baseline (1.26 s → 2.52 s), 95 %
                   confidence interval −64.3 % … ×11.2: no difference is shown.
      cause        Unknown: nothing that was observed explains the result.
      conditions   No recorded condition differs.
      not shown    A change in any of 6 metrics.
                   An interval for a single query requires repeated query sets or runs.
    ");
}

/// The three query times change by the factors 2, 1 and 4. The mean of the factors' logarithms is ln 2, with a standard
/// error of ln 2 / √3. For three values, Student's t is 4.3027 (two degrees of freedom, 95 % confidence).
#[test]
fn the_interval_of_the_mean_is_student_s_over_the_queries() {
    let before = run("aaaa", 1, &[("q1", 1.0), ("q2", 4.0), ("q3", 0.5)]);
    let after = run("bbbb", 1, &[("q1", 2.0), ("q2", 4.0), ("q3", 2.0)]);
    let comparison = compared(vec![before], vec![after]);
    let mean = &comparison.metrics[0];
    assert!(near(mean.baseline, 2.0_f64.cbrt() * 1e6) && near(mean.run, 16.0_f64.cbrt() * 1e6));
    let change = mean.change.expect("an interval");
    let half = 4.302_653 * 2.0_f64.ln() / 3.0_f64.sqrt();
    assert!(near(Some(change.value), 1.0), "{change:?}");
    let (low, high) = ((2.0_f64.ln() - half).exp() - 1.0, (2.0_f64.ln() + half).exp() - 1.0);
    assert!((change.low - low).abs() < 1e-5 && (change.high - high).abs() < 1e-3, "{change:?}");
}

#[test]
fn repeated_runs_and_several_streams_have_intervals() {
    let runs = |ids: [&str; 3], factor: f64| -> Vec<Record> {
        let noise = [0.99, 1.0, 1.01];
        ids.iter()
            .zip(noise)
            .map(|(id, noise)| run(id, 1, &[("q1", factor * noise), ("q2", 3.0 * factor / noise)]))
            .collect()
    };
    let comparison = compared(runs(["a1", "a2", "a3"], 1.0), runs(["b1", "b2", "b3"], 1.5));
    assert_eq!(comparison.basis, Basis::BetweenRuns);
    let verdicts: Vec<Verdict> = comparison.metrics.iter().map(|row| row.verdict).collect();
    let (worse, none) = (Verdict::Worse, Verdict::NoDifference);
    // The rows are the mean, the slowest stream, two queries, and the failures.
    assert_eq!(verdicts, [worse, none, worse, worse, none]);
    // These values are those of the median run. Means over the runs would differ slightly, because the logarithms of
    // 0.99, 1 and 1.01 do not add up to zero.
    let q1 = &comparison.metrics[2];
    assert!(near(q1.baseline, 1e6) && near(q1.run, 1.5e6), "{q1:?}");
    assert!(q1.effect.as_ref().is_some_and(|effect| effect.noise().is_some()), "{q1:?}");
    let text = fitted(&comparison.text(&WIDE), &WIDE);
    assert!(text.contains("those of the median run"), "{text}");

    let streams = |id: &str, factor: f64| run(id, 3, &[("q1", factor), ("q2", 3.0)]);
    let comparison = compared(vec![streams("a", 1.0)], vec![streams("b", 2.0)]);
    assert_eq!(comparison.basis, Basis::WithinRun);
    let change = comparison.metrics[2].change.expect("three streams");
    assert!((change.value - 1.0).abs() < 1e-9, "{change:?}");
}

#[test]
fn failed_queries_are_named_and_excluded_from_means() {
    let before = run("aaaa", 1, &[("q1", 1.0), ("q2", 4.0), ("q3", 1.0)]);
    let mut after = run("bbbb", 1, &[("q1", 2.0), ("q2", 0.0), ("q3", 2.0)]);
    if let Some(result) = &mut after.result {
        result.executions[2].rows = Some(7);
    }
    let comparison = compared(vec![before], vec![after]);
    assert_eq!(comparison.metrics[0].name, "geometric mean of 2");
    let failed = comparison.metrics.iter().find(|row| row.name == "q2").expect("a row");
    assert_eq!((failed.baseline, failed.run, failed.change), (None, None, None));
    assert_eq!(
        comparison.notes,
        [
            "NOT COMPARED, because they failed or did not run on both sides: q2 (1 of 1). They are \
             excluded from the means.",
            "Row counts differ in q3, so either the queries or the data are different.",
        ]
    );
}

#[test]
fn rejects_other_questions() {
    let before = || run("aaaa", 1, &[("q1", 1.0)]);
    let other = |change: fn(&mut Record)| {
        let mut after = run("bbbb", 1, &[("q1", 2.0)]);
        change(&mut after);
        let sides = (side("a", vec![before()]), side("b", vec![after]));
        let refused = Comparison::of(&sides.0, &sides.1, false).expect_err("refused").to_string();
        assert!(Comparison::of(&sides.0, &sides.1, true).is_ok());
        refused
    };
    assert!(
        other(|run| run.plan.load.seed = tacho_core::Seed(43)).contains("plan.seed is 42 and 43")
    );
    assert!(other(|run| run.plan.load.sessions = 2).contains("plan.sessions"));
    assert!(other(|run| run.plan.scale = tacho_core::units::Amount(2.0)).contains("plan.scale"));
    let asked = other(|run| {
        run.plan.parameters.insert("query_parameters".into(), "validation".into());
    });
    assert!(asked.contains("plan.parameters.query_parameters is absent and validation"), "{asked}");
}

#[test]
fn a_trend_follows_the_geometric_mean() {
    let records: Vec<Record> = (0..12)
        .map(|number| {
            let time = if number < 6 { 1.0 } else { 2.0 } + f64::from(number) * 1e-3;
            run(&format!("r{number}"), 1, &[("q1", time), ("q2", 4.0 * time)])
        })
        .collect();
    let trend = Trend::of("tproch", &records, None).expect("a trend");
    assert_eq!((trend.metric.as_str(), trend.unit), ("geometric mean", "us"));
    assert!(near(Some(trend.runs[0].value), 2e6));
    assert_eq!(trend.changes.len(), 1);
    assert_eq!(trend.changes[0].verdict, Verdict::Worse);
    assert!(Trend::of("tproch", &records, Some("slowest")).is_ok());
}
