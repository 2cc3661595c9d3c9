//! Tests routes to several addresses, which fail and recover. Also tests how Tacho measures the delay of a replica.

use serde_json::Value;
use tacho_testkit::servers::{MariaDb, Options, Postgres};
use tacho_tests::{Done, Folder, Running, Signal};

use crate::live::{TPROCC, at, server_with};

/// Returns the addresses from the record of the last run.
fn addresses(folder: &Folder) -> Vec<Value> {
    folder.record("latest")["result"]["addresses"].as_array().cloned().unwrap_or_default()
}

/// Returns true if the record of the last run contains this notice.
fn has_notice(folder: &Folder, id: &str) -> bool {
    let record = folder.record("latest");
    record["result"]["notices"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == id))
}

/// If the server at an address fails, the other addresses must take over its transactions until it recovers. The record
/// must name the address that failed.
#[test]
fn an_address_that_fails_is_left_out_and_tried_again() {
    let folder = Folder::new();
    let [one, mut two] = [(); 2].map(|()| -> Postgres { server_with(TPROCC, Options::default()) });
    let [first, second] = [&one, &two].map(|server| at(server, "data"));
    let route = format!("stock_level=round_robin:{first},{second}");
    let line = format!(
        "run tprocc '{first}' -c 4 --pacing x0.002 -d 5m --ramp-up 1s --check none --progress plain \
         --set mix=weights --route '{route}' --route 'order_status={first},{second}'"
    );
    let mut run: Running = folder.tacho(&line).start();
    run.until(|line| line.contains("measure  "));
    two.kill();
    run.until(|line| line.contains("is excluded from its routes"));
    two.restart().expect("the server again");
    run.until(|line| line.contains("is back after"));
    run.signal(Signal::INT);
    let done: Done = run.wait();
    let found = addresses(&folder);
    assert_eq!(found.len(), 2, "{}", done.err);
    assert!(found[0]["left_out"].is_null(), "{found:?}");
    let times = found[1]["left_out"].as_array().expect("times");
    let [from, to] = ["from_s", "to_s"].map(|key| times[0][key].as_f64().expect("a time"));
    assert!(from > 0.0 && to > from, "{times:?}");
    assert!(has_notice(&folder, "W27") && !has_notice(&folder, "V04"), "{}", done.out);
    let words: Vec<&str> = done.out.split_whitespace().collect();
    assert!(words.join(" ").contains("left out from"), "{}", done.out);
    assert!(!done.err.contains("password"), "there is none: {}", done.err);
    // Only the transactions that are running when an address fails may fail. Each session has at most one of them per
    // failure.
    let record = folder.record("latest");
    let accounts = &record["result"]["accounting"];
    let failed = accounts["failed"].as_u64().expect("a count");
    assert!(failed <= 4 * times.len() as u64 * 2, "{accounts}");
    assert_eq!(record["result"]["tool"]["sessions_lost"], 0);
    // The server whose address has failed must respond again.
    assert!(two.client("SELECT 1").is_ok());
}

/// Writes rows on the primary and reads them on a replica. The delay must be recorded and printed, and a threshold must
/// check it.
pub fn staleness_is_measured(up: &str, name: &str, replica: &str) {
    let folder = Folder::new();
    let done = folder.tacho(&format!("up {up}")).exits(0);
    folder.tacho(&format!("prepare tprocc {name}")).exits(0);
    let line = format!(
        "run tprocc {name} -c 2 -d 5s --ramp-up 1s --check none --route 'stock_level={replica}' \
         --route 'order_status={replica}' --threshold stale<1m --threshold stale<1us"
    );
    let run = folder.tacho(&line).done();
    let found = addresses(&folder);
    assert_eq!(found.len(), 2, "{}{}{}", done.out, run.out, run.err);
    let fed: Vec<&Value> = found.iter().filter(|one| !one["staleness"].is_null()).collect();
    assert_eq!(fed.len(), 1, "of the replica alone: {found:?}");
    let (stale, written) = (&fed[0]["staleness"], fed[0]["written"].as_u64().expect("a count"));
    assert!(written >= 5 && stale["count"].as_u64() >= Some(written - 1), "{found:?}");
    assert!(stale["max_us"].as_f64() > Some(0.0), "{stale}");
    assert!(stale["max_us"].as_f64() >= stale["p50_us"].as_f64(), "{stale}");
    // Lines may be wrapped at any word.
    let words = run.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    // With few rows, no median is reported.
    let first = if stale["p50_us"].is_null() { "stale at most " } else { "stale p50 " };
    assert!(words.contains(first), "{}", run.out);
    let record = folder.record("latest");
    let passed: Vec<&Value> = record["result"]["thresholds"]
        .as_array()
        .expect("thresholds")
        .iter()
        .map(|one| &one["passed"])
        .collect();
    assert_eq!(passed[1], false, "{record}");
    // Tacho writes rows to measure the delay. They must not be counted in any metric.
    let sources = ["tpm", "headline"].map(|figure| record["result"][figure]["source"].clone());
    assert_eq!(sources, ["client", "client"], "{record}");
    folder.tacho("down --all").exits(0);
}

/// Tacho can measure staleness only on replicas of the target. It must not report any for other databases.
#[test]
fn a_database_that_is_no_replica_has_no_staleness() {
    let folder = Folder::new();
    let server = MariaDb::shared();
    let targets = ["one", "two"].map(|name| at(server, &format!("addresses_{name}")));
    for target in &targets {
        folder.tacho(&format!("prepare tpcb '{target}'")).exits(0);
    }
    let [one, two] = targets;
    let done = folder
        .tacho(&format!(
            "run tpcb '{one}' -d 2s --ramp-up 0s --check none --route 'tpcb_like={two}'"
        ))
        .done();
    assert!(
        addresses(&folder).iter().all(|address| address["staleness"].is_null()),
        "{}",
        done.err
    );
}
