//! CH-benCHmark on the command line, in which transactions and query streams run at the same time.

use crate::live::{blames_no_one, hold, measuring};
use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Folder, violations};

/// Loads the data and runs transactions and streams together. The data must still be correct afterwards.
pub fn works(target: &str) {
    let folder = Folder::new();
    folder.tacho(&format!("prepare chbench {target}")).exits(0);
    let run = format!("run chbench {target} -c 2 --set streams=2 -d 4s --ramp-up 1s -o json");
    let done = folder.tacho(&run).done();
    let record = done.json();
    assert_eq!((&record["plan"]["sessions"], &record["plan"]["streams"]), (&2.into(), &2.into()));
    let result = &record["result"];
    blames_no_one(result);
    assert_eq!(done.code(), if result["valid"] == true { 0 } else { 4 }, "{}", result["notices"]);
    assert_eq!(
        (&result["headline"]["name"], &result["headline"]["source"]),
        (&"NOPM".into(), &"schema".into())
    );
    assert!(result["headline"]["per_minute"].as_f64() > Some(0.0));
    assert_eq!(result["tpm"]["source"], "client");
    let checks = result["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), 35);
    assert!(checks.iter().all(|check| check["verdict"] == "holds"), "{checks:?}");
    let names = |of: &Value, key: &str| -> Vec<String> {
        let all = of.as_array().expect("a list").iter();
        all.map(|entry| entry[key].as_str().unwrap_or_default().to_owned()).collect()
    };
    let kinds = names(&result["transactions"], "name");
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    let analytics = &result["analytics"];
    let (good, failed) = (analytics["good"].as_u64().expect("a count"), &analytics["failed"]);
    assert!(good > 0 && *failed == 0, "{analytics}");
    assert!(analytics["geometric_mean_s"].as_f64() > Some(0.0));
    assert!(
        names(&analytics["executions"], "transaction").iter().all(|name| name.starts_with('q'))
    );
    let per_hour = analytics["queries_per_hour"].as_f64().expect("a figure");
    let measured = result["measured_s"].as_f64().expect("a time");
    assert!((per_hour - good as f64 * 3600.0 / measured).abs() < 1e-6);
    let schema = folder.tacho("schema run").exits(0).json();
    assert_eq!(violations(&schema, &record), Vec::<String>::new());
    folder.tacho("show latest").exits(0).says(&[
        "2 sessions and 2 streams",
        "NOPM",
        "queries/h in 2 streams",
    ]);
    folder.tacho(&format!("check chbench {target}")).exits(0).says(&["51 of 51 hold"]);
    folder.tacho(&format!("clean chbench {target} --yes")).exits(0);
}

#[test]
fn it_works_on_postgresql() {
    let server = Postgres::start().expect("a PostgreSQL server");
    works(&format!("'{}'", server.target()));
}

#[test]
fn it_works_on_sqlite() {
    works("'sqlite:c.db?synchronous=off'");
}

/// If a run measures the throughput of both transactions and queries, `compare` and `trend` must be able to use either
/// of them.
#[test]
fn both_throughputs_are_compared_and_followed() {
    let folder = Folder::new();
    let run = |capacity: u32, seed: u32| {
        let target = format!("'sim:?capacity={capacity}&latency=20ms'");
        let line = format!(
            "run chbench {target} -c 4 --set streams=2 -d 30s --ramp-up 0s --seed {seed} \
             --progress plain -o quiet --tag pair"
        );
        folder.tacho(&line).exits(0)
    };
    let told = run(4, 1);
    let last = |text: &str| -> String {
        let line = text.lines().rev().find(|line| line.contains("measure  ")).expect("a line");
        line.rsplit("  ").next().expect("a word").trim().to_owned()
    };
    told.complains(&["late    queries/h"]);
    assert!(last(&told.err).starts_with(|c: char| c.is_ascii_digit()), "{}", told.err);
    let shown = folder.tacho("show latest --timeline").exits(0);
    assert_eq!(last(&shown.out), last(&told.err));
    run(2, 2);
    let answer = folder.tacho("compare latest~1 latest --force -o json").exits(0).json();
    let rows = answer[0]["metrics"].as_array().expect("metrics");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(&names[..3], ["NOPM", "queries/h", "queries' mean"]);
    assert_eq!(&names[names.len() - 2..], ["failed", "failed queries"]);
    for (row, verdict) in rows.iter().zip(["worse", "worse", "worse"]) {
        assert_eq!(row["verdict"], verdict, "{row}");
        let (low, high) = (&row["change"]["low"], &row["change"]["high"]);
        assert!(low.as_f64() < high.as_f64(), "an interval: {row}");
    }
    folder.tacho("compare latest~1 latest --force").exits(0).says(&[
        "queries/h",
        "queries' mean",
        "WORSE",
    ]);
    for seed in 3..12 {
        run(2, seed);
    }
    for (metric, name) in
        [("queries", "queries/h of tag:pair"), ("geomean", "geometric mean of tag:pair")]
    {
        let trend = folder.tacho(&format!("trend tag:pair --metric {metric}")).exits(0);
        trend.says(&[name, "11 runs", "±"]);
    }
}

/// A query that takes too long must be reported as failed, and its stream must continue.
#[test]
fn the_limit_of_a_statement_holds_for_queries() {
    let server = Postgres::start().expect("a PostgreSQL server");
    let (target, folder) = (server.target(), Folder::new());
    folder.tacho(&format!("prepare chbench '{target}'")).exits(0);
    let mut run = measuring(folder.tacho(&format!(
        "run chbench '{target}' -c 1 -d 8s --ramp-up 0s --interval 200ms --check none --progress json \
         --set statement_timeout=1s"
    )));
    // Lock the supplier table. Transactions never read it, but half of the queries do.
    let held = hold(&target, "BEGIN; LOCK TABLE supplier");
    for _ in 0..25 {
        run.until_event(|event| event["event"] == "interval");
    }
    drop(held);
    run.wait();
    let record = folder.record("latest");
    let analytics = &record["result"]["analytics"];
    assert!(
        analytics["failed"].as_u64() > Some(0) && record["result"]["valid"] == false,
        "{analytics}"
    );
    let executions = analytics["executions"].as_array().expect("executions");
    let failed = executions.iter().filter_map(|one| one["failed"].as_str());
    assert!(failed.clone().count() > 1 && failed.clone().all(|why| why == "timeout"));
}

#[test]
fn a_sweep_over_streams_has_both_throughputs() {
    let folder = Folder::new();
    let sweep = "sweep chbench 'sim:?capacity=4' -c 4 -d 5s --ramp-up 0s --vary streams=0,1,2,4";
    let view = folder.tacho(&format!("{sweep} -o json")).exits(0).json();
    let rows = view["rows"].as_array().expect("rows");
    let figures = |key: &str| -> Vec<f64> {
        rows.iter().map(|row| row[key].as_f64().expect("a figure")).collect()
    };
    let (orders, queries) = (figures("throughput"), figures("queries_per_hour"));
    assert!(queries[0] == 0.0 && queries.is_sorted_by(|a, b| a < b), "{queries:?}");
    assert!(orders.is_sorted_by(|a, b| a > b), "streams take from the sessions: {orders:?}");
    assert!(rows.iter().all(|row| row["peak"] == false && row["below_frontier"] == false));
    let words = ["streams", "nopm", "queries/h", "geometric mean", "Each row is a pair"];
    folder.tacho("sweep --show latest").exits(0).says(&words);
    let csv = folder.tacho("report sweep:latest --format csv").exits(0);
    csv.says(&["queries_per_hour,below_frontier"]);
}

#[test]
fn without_streams_it_is_the_transactions_alone() {
    let folder = Folder::new();
    let alone = folder.tacho("run chbench sim --set streams=0 -d 2s --ramp-up 0s").exits(0);
    alone.says(&["no query streams", "1 session, closed"]);
    folder.tacho("run chbench sim --set streams=0 --transactions 500").exits(0);
    let counted = folder.tacho("run chbench sim --transactions 500").exits(2);
    counted.is_error().complains(&["query streams cannot be limited", "--set streams=0"]);
}

#[test]
fn a_failed_query_makes_a_run_invalid() {
    let folder = Folder::new();
    let run =
        "run chbench 'sim:?errors=0.2%' -c 1 --set streams=3 -d 10s --ramp-up 0s --retry none";
    let done = folder.tacho(&format!("{run} -o json")).done();
    let record = done.json();
    let analytics = &record["result"]["analytics"];
    assert!(analytics["failed"].as_u64() > Some(0), "{analytics}");
    assert_eq!(record["result"]["valid"], false);
    folder.tacho("show latest").done().says(&["queries failed", "FAILED"]);
}
