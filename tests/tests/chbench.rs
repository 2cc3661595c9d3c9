//! The CH-benCHmark through the command line: transactions and streams of queries beside them.

use serde_json::Value;
use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_tests::{Folder, violations};

/// Data is made, worked on by sessions and streams at once, and right after it.
fn works(target: &str) {
    let folder = Folder::new();
    folder.tacho(&format!("prepare chbench {target}")).exits(0);
    let run = format!("run chbench {target} -c 2 --set streams=2 -d 8s --ramp-up 1s -o json");
    let record = folder.tacho(&run).exits(0).json();
    assert_eq!((&record["plan"]["sessions"], &record["plan"]["streams"]), (&2.into(), &2.into()));
    let result = &record["result"];
    assert_eq!(result["valid"], true, "{}", result["notices"]);
    assert_eq!(
        (&result["headline"]["name"], &result["headline"]["source"]),
        (&"NOPM".into(), &"schema".into())
    );
    assert!(result["headline"]["per_minute"].as_f64() > Some(0.0));
    assert_eq!(result["tpm"]["source"], "client");
    let checks = result["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), 16);
    assert!(checks.iter().all(|check| check["verdict"] == "holds"), "{checks:?}");
    let names = |of: &Value, key: &str| -> Vec<String> {
        let all = of.as_array().expect("a list").iter();
        all.map(|own| own[key].as_str().unwrap_or_default().to_owned()).collect()
    };
    let kinds = names(&result["transactions"], "name");
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    let own = &result["analytics"];
    let (good, failed) = (own["good"].as_u64().expect("a count"), &own["failed"]);
    assert!(good > 0 && *failed == 0, "{own}");
    assert!(own["geometric_mean_s"].as_f64() > Some(0.0));
    assert!(names(&own["executions"], "transaction").iter().all(|name| name.starts_with('q')));
    let per_hour = own["queries_per_hour"].as_f64().expect("a figure");
    let measured = result["measured_s"].as_f64().expect("a time");
    assert!((per_hour - good as f64 * 3600.0 / measured).abs() < 1e-6);
    let schema = folder.tacho("schema run").exits(0).json();
    assert_eq!(violations(&schema, &record), Vec::<String>::new());
    folder.tacho("show latest").exits(0).says(&[
        "2 sessions and 2 streams",
        "NOPM",
        "queries/h in 2 streams",
    ]);
    folder.tacho(&format!("check chbench {target}")).exits(0).says(&["38 of 38 hold"]);
    folder.tacho(&format!("clean chbench {target} --yes")).exits(0);
}

#[test]
fn it_works_on_postgresql() {
    let server = Postgres::start().expect("a PostgreSQL server");
    works(&format!("'{}'", server.target()));
}

#[test]
fn it_works_on_mariadb() {
    let server = MariaDb::start().expect("a MariaDB server");
    works(&format!("'{}&database=chbench'", server.target()));
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
    alone.says(&["no streams of queries", "1 session, closed"]);
    folder.tacho("run chbench sim --set streams=0 --transactions 500").exits(0);
    let counted = folder.tacho("run chbench sim --transactions 500").exits(2);
    counted.is_error().complains(&["streams of queries go on", "--set streams=0"]);
}

#[test]
fn a_failed_query_makes_a_run_invalid() {
    let folder = Folder::new();
    let run =
        "run chbench 'sim:?errors=0.2%' -c 1 --set streams=3 -d 10s --ramp-up 0s --retry none";
    let done = folder.tacho(&format!("{run} -o json")).done();
    let record = done.json();
    let own = &record["result"]["analytics"];
    assert!(own["failed"].as_u64() > Some(0), "{own}");
    assert_eq!(record["result"]["valid"], false);
    folder.tacho("show latest").done().says(&["queries failed", "FAILED"]);
}
