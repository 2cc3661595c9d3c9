//! TPM is computed from the client's transaction count; the server's counters only verify it.

use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

/// PostgreSQL's counters treat each SELECT outside a transaction as a commit.
#[test]
fn statements_outside_of_transactions_are_not_transactions() {
    let folder = Folder::new();
    let server = Postgres::shared();
    let oltp = format!("oltp '{}'", server.database("tpm_oltp").expect("a database"));
    let reads = "--profile read-only --set skip_trx=true --set table_size=100";
    folder.tacho(&format!("prepare {oltp} {reads} --progress none")).exits(0);
    // Ten events per second are 600 per minute, and the server counts 14 commits per event.
    let load = "--rate 10 -c 2 -d 4s --ramp-up 0s --check none --threshold 'tpm>1000'";
    let done = folder.tacho(&format!("run {oltp} {reads} {load}")).done();
    done.says(&["transactions/s", "✗ tpm>1000"]);
    assert!(!done.out.contains(" TPM"), "{}", done.out);
    let result = &folder.record("latest")["result"];
    assert!(result["tpm"].is_null(), "{}", result["tpm"]);
}

/// At this rate, Tacho's monitoring causes a third of the server's commits.
#[test]
fn the_monitoring_of_a_run_is_not_work_of_other_clients() {
    let folder = Folder::new();
    // A separate server, because the server's counters include all databases.
    let server = Postgres::start().expect("a PostgreSQL server");
    let tprocc = format!("tprocc '{}'", server.target());
    folder.tacho(&format!("prepare {tprocc} --progress none")).exits(0);
    let run = format!("run {tprocc} --rate 20 -c 4 -d 8s --ramp-up 1s --check none");
    folder.tacho(&run).done().says(&["TPM (client)"]);
    let result = &folder.record("latest")["result"];
    let tpm = &result["tpm"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("{result}"));
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
