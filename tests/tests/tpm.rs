//! TPM is computed from the client's own count of transactions. The server's counters only confirm it.

#![expect(clippy::disallowed_methods, reason = "a test gives a record another source")]

use crate::prepared::ONE;
use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Folder, unsealed};

/// PostgreSQL's counters count a SELECT outside a transaction as a commit.
#[test]
fn statements_outside_of_transactions_are_not_transactions() {
    let folder = Folder::new();
    let server = Postgres::shared();
    let oltp = format!("oltp '{}'", server.database("tpm_oltp").expect("a database"));
    let reads = "--profile read-only --set skip_trx=true --set table_size=100";
    folder.tacho(&format!("prepare {oltp} {reads} --progress none")).exits(0);
    // A rate of 10 events per second is 600 per minute, which is less than the limit. The limit must fail although the
    // server counts 14 commits per event.
    let load = "--rate 10 -c 2 -d 4s --ramp-up 0s --check none --threshold 'tpm>1000'";
    let done = folder.tacho(&format!("run {oltp} {reads} {load}")).done();
    done.says(&["transactions/s", "✗ tpm>1000"]);
    assert!(!done.out.contains(" TPM"), "{}", done.out);
    let result = &folder.record("latest")["result"];
    assert!(result["tpm"].is_null(), "{}", result["tpm"]);
}

/// At this low rate, a third of the server's commits come from Tacho's own monitoring.
#[test]
fn the_monitoring_of_a_run_is_not_work_of_other_clients() {
    let folder = Folder::new();
    // Use a separate server, because a server's counters include all of its databases.
    let server = Postgres::start().expect("a PostgreSQL server");
    let tprocc = format!("tprocc '{}'", server.target());
    folder.tacho(&format!("prepare {tprocc} --progress none")).exits(0);
    let run = format!("run {tprocc} --rate 20 -c 4 -d 8s --ramp-up 1s --check none");
    folder.tacho(&run).done().says(&["TPM (client)"]);
    let result = &folder.record("latest")["result"];
    let tpm = &result["tpm"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{result}"));
    let all = result["transactions"].as_array().and_then(|all| all.last()).expect("all");
    let count = number(&all["count"]);
    let (client, minutes) = (number(&tpm["per_minute"]), number(&result["measured_s"]) / 60.0);
    assert!((client * minutes - count).abs() < 0.01, "{tpm}, {count} transactions");
    let commits = number(&result["server_load"]["counters"]["commits"]);
    let server = number(&tpm["server_per_minute"]) * minutes;
    assert!(commits > 1.2 * count, "{commits} commits, {count} transactions");
    assert!(
        server < f64::midpoint(commits, count),
        "{server} in the server of {commits}, {count} here"
    );
    let notices = result["notices"].as_array().expect("notices");
    assert!(notices.iter().all(|notice| notice["id"] != "W07"), "{notices:?}");
}

/// TPM must include intended rollbacks, and `compare` must leave it out. `show` must state who counted the
/// transactions: the client or, in a record of an earlier version, the server.
#[test]
fn commits_and_intended_rollbacks_per_minute_are_counted() {
    let folder = ONE.folder();
    for _ in 0..2 {
        folder.tacho("run tprocc sqlite:a.db --transactions 1000 --ramp-up 0s -o quiet").exits(0);
    }
    let result = &folder.record("latest")["result"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{result}"));
    let of = |name: &str| number(&result["accounting"][name]);
    let (client, minutes) =
        (number(&result["tpm"]["per_minute"]), number(&result["measured_s"]) / 60.0);
    assert!(of("rolled_back") > 0.0, "{result}");
    assert!((client * minutes - of("committed") - of("rolled_back")).abs() < 0.01, "{result}");
    let compared = folder.tacho("compare -o json").exits(0).json();
    let metrics = compared[0]["metrics"].as_array().expect("metrics");
    let names: Vec<&str> = metrics.iter().filter_map(|metric| metric["name"].as_str()).collect();
    assert!(names.contains(&"NOPM") && !names.contains(&"TPM"), "{names:?}");
    folder.tacho("show").exits(0).says(&[" TPM (client)"]);
    // A record of an earlier version.
    let file = folder.runs().pop().expect("a run").join("run.json");
    let record = serde_json::from_slice(&std::fs::read(&file).expect("a record")).expect("JSON");
    let mut record: Value = unsealed(record);
    record["result"]["tpm"]["source"] = "server".into();
    std::fs::write(&file, record.to_string()).expect("a record");
    let id = record["id"].as_str().expect("an id");
    folder.tacho(&format!("show {id}")).exits(0).says(&[" TPM (server)"]);
}

#[test]
fn workloads_that_state_transactions_per_second_have_no_tpm() {
    let folder = Folder::new();
    folder.write("one.sql", "SELECT 1;");
    folder.write("a.db", "");
    let line = "2026-11-23 17:55:01.000 UTC,\"u\",\"shop\",7,\"[local]\",a.1,1,\"SELECT\",\
                2026-11-23 17:55:00 UTC,3/4,0,LOG,00000,\"duration: 0.5 ms  statement: SELECT 1\",\
                ,,,,,,,,\"psql\",\"client backend\",,0\n";
    folder.write("log.csv", &line.repeat(30));
    folder.tacho("init workload shop").exits(0);
    for run in [
        "tpcb noop --transactions 100 --ramp-up 0s",
        "oltp noop --transactions 100 --ramp-up 0s",
        "pgbench:one.sql noop --transactions 100 --ramp-up 0s",
        "./shop noop --transactions 100 --ramp-up 0s",
        "replay:log.csv sqlite:a.db",
    ] {
        let done = folder.tacho(&format!("run {run}")).exits(0);
        done.says(&[" transactions/s "]);
        assert!(!done.out.contains("TPM"), "{run}: {}", done.out);
        assert!(folder.record("latest")["result"]["tpm"].is_null(), "{run}");
    }
}
