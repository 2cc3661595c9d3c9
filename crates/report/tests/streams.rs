//! Tests the summary of runs whose sessions end on their own.

use crate::common::{NARROW, WIDE, fitted, valid};
use tacho_report::{Footer, TextOptions, summary};
use tacho_store::record::{ExecutionRecord, Record, StreamRecord, WorkRecord};

/// Returns the key results and the table of a summary.
fn text(record: &Record, options: &TextOptions) -> String {
    let all = fitted(&summary(record, &Footer::default(), options), options);
    let parts: Vec<&str> = all.split("\n\n").collect();
    let verdict = parts[0].find("  VALID").expect("a verdict");
    [&parts[0][verdict..], parts[2]].join("\n\n")
}

fn execution(session: u32, name: &str, took_s: f64, rows: Option<u64>) -> ExecutionRecord {
    let failed = rows.is_none().then(|| "timeout".into());
    let first_row_s = rows.map(|_| took_s / 2.0);
    let transaction = name.into();
    ExecutionRecord {
        session,
        transaction,
        took_s,
        rows,
        first_row_s,
        failed,
        ..Default::default()
    }
}

fn stream(session: u32, elapsed_s: f64, mean: Option<f64>, failed: u64) -> StreamRecord {
    let penalised_mean_s = mean.filter(|_| failed > 0).map(|mean| 3.0 * mean);
    StreamRecord { session, good: 2, failed, elapsed_s, geometric_mean_s: mean, penalised_mean_s }
}

#[test]
fn one_stream_has_a_time_for_each_query() {
    let mut record = valid();
    if let Some(result) = &mut record.result {
        result.executions =
            vec![execution(0, "q14", 0.25, Some(1)), execution(0, "q2", 1.0, Some(1_100))];
        result.streams = vec![stream(0, 1.2504, Some(0.5), 0)];
    }
    insta::assert_snapshot!(text(&record, &WIDE), @r"
    VALID with 1 warning: shared machine
    500 ms geometric mean of 2 transactions · 1.25 s in all
    geometric mean: (t1 · … · tn)^(1/n) over the times of the n successful ones, each at least a
      thousandth of the longest

    transaction    time  first row   rows  failed
    q14          250 ms     125 ms      1       0
    q2           1.00 s     500 ms  1 100       0
    ");
}

#[test]
fn several_streams_have_their_spread_and_failures_are_named() {
    let mut record = valid();
    if let Some(result) = &mut record.result {
        result.executions = vec![
            execution(0, "q14", 0.25, Some(1)),
            execution(1, "q2", 3.0, None),
            execution(0, "q2", 1.0, Some(100)),
            execution(1, "q14", 0.75, Some(2)),
        ];
        result.streams = vec![stream(0, 1.25, Some(0.5), 0), stream(1, 3.75, Some(0.75), 1)];
    }
    insta::assert_snapshot!(text(&record, &NARROW), @r"
    VALID with 1 warning: shared machine
    session 2: 750 ms geometric mean of 2 transactions · 3.75 s in all · 1 FAILED
      and not in the mean, penalised 2.25 s
    session 1: 500 ms geometric mean of 2 transactions · 1.25 s in all
    geometric mean: (t1 · … · tn)^(1/n) over the times of the n successful ones,
      each at least a thousandth of the longest; penalised mean: includes failed
      transactions, each counted as ten times the longest time

    transaction  count  shortest    mean  longest  first row    rows  failed
    q14              2    250 ms  500 ms   750 ms     250 ms  1 to 2       0
    q2               1    1.00 s  1.00 s   1.00 s     500 ms     100       1
    ");
}

/// The summary shows the work that a database did, such as bytes read. Values that the database does not report must
/// not appear as zeros.
#[test]
fn the_work_of_a_database_stands_beside_its_times() {
    let mut record = valid();
    if let Some(result) = &mut record.result {
        let work = |temp_bytes, read_bytes| {
            Some(WorkRecord { temp_bytes, read_bytes, ..WorkRecord::default() })
        };
        let mut all: Vec<ExecutionRecord> =
            ["q1", "q2", "q3"].map(|name| execution(0, name, 0.25, Some(1))).into();
        all[0].work = work(Some(12_345_678), Some(0));
        all[1].work = work(Some(0), None);
        result.executions = all;
        result.streams = vec![stream(0, 1.25, Some(0.5), 0)];
        result.unreported_queries = vec!["a thing".into()];
    }
    insta::assert_snapshot!(text(&record, &WIDE), @r"
    VALID with 1 warning: shared machine
    500 ms geometric mean of 2 transactions · 1.25 s in all
    geometric mean: (t1 · … · tn)^(1/n) over the times of the n successful ones, each at least a
      thousandth of the longest

    transaction    time  first row  rows      temp  read  failed
    q1           250 ms     125 ms     1  11.8 MiB   0 B       0
    q2           250 ms     125 ms     1       0 B     –       0
    q3           250 ms     125 ms     1         –     –       0
    not available: a thing
    ");
}
