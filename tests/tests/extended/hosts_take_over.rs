//! A spare agent takes over the sessions of a lost host. The data in a real database must still be correct.

use crate::hosts::take_over::{LOST, NOT_TAKEN, at, hosts};
use crate::hosts::{LEASE, Place, balances, end, has_notice, sum};
use crate::live::drop_database;
use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::Signal;

/// If a host is killed, nobody starts its transactions until its lease expires, but they still count as due. Then the
/// spare agent takes over.
#[test]
fn the_share_of_a_host_that_died_is_continued() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    let spare = place.agent("d", "");
    let rate = 60.0;
    let mut run = place.measuring(&format!("-d 24s --rate {rate} --on-host-loss take-over"));
    agents[1].signal(Signal::KILL);
    run.until(|line| line.starts_with("host b is lost: no messages for 8s"));
    run.until(|line| line.starts_with("host d took over 2 sessions from b, "));
    let done = run.wait();
    let record = place.folder.record("latest");
    balances(&record);
    assert!(done.err.contains("available to take over a share: d"), "{}", done.err);
    assert!(has_notice(&record, LOST) && !has_notice(&record, NOT_TAKEN), "{record}");
    let [a, b, c, d] = <[Value; 4]>::try_from(hosts(&record)).expect("four hosts");
    assert_eq!((&d["name"], &d["share"], &d["sessions"]), (&"d".into(), &b["share"], &2.into()));
    let gap = at(&d, "entered_at_s") - at(&b, "lost_at_s");
    assert!(gap > 8.0, "a lease after the loss: {gap}");
    assert!(d["due"].as_u64() > Some(0) && d["lost"].is_null(), "{d}");
    assert!(a["due"].as_u64() > d["due"].as_u64() && c["entered_at_s"].is_null(), "{a} {c}");
    // Between the loss and the takeover, the lost host's arrivals must be counted as skipped.
    let accounting = &record["result"]["accounting"];
    let (due, told) = (accounting["due"].as_u64().expect("a count"), sum(&record, "due"));
    let missing = (due - told) as f64;
    assert!(accounting["skipped"].as_u64() >= Some(due - told), "{accounting}");
    assert!((missing / (gap * rate / 3.0) - 1.0).abs() < 0.35, "{missing} in {gap} s");
    assert_eq!(record["result"]["tool"]["sessions_lost"], 0, "{record}");
    let shown = place.folder.tacho("show latest").done().out;
    let shown: Vec<&str> = shown.split_whitespace().collect();
    let shown = shown.join(" ");
    assert!(shown.contains("d: 2 sessions") && shown.contains("joined "), "{shown}");
    assert!(shown.contains("into the load"), "{shown}");
    let [a, b, c] = agents;
    b.wait();
    end([a, c, spare]);
}

/// After the takeover, the data in a real database must be correct. The spare agent must use inputs that the lost host
/// has not used.
#[test]
fn a_database_is_whole_after_a_take_over() {
    let Some(place) = Place::new() else { return };
    let (folder, server) = (&place.folder, Postgres::shared());
    let target = server.database("hosts_taken").expect("a database");
    folder.tacho(&format!("prepare tprocc '{target}' --scale 2")).exits(0);
    let agents = place.agents(["a", "b", "c"]);
    let line = format!(
        "run tprocc '{target}' --hosts 2 -c 4 -d 10s --ramp-up 1s --nats nats --progress plain {LEASE} \
         --on-host-loss take-over --check after"
    );
    let mut run = folder.tacho(&line).start();
    run.until(|line| line.contains("measure  "));
    agents[1].signal(Signal::INT);
    run.until(|line| line.starts_with("host c took over 2 sessions from b, "));
    run.wait().expect_code(0);
    let record = folder.record("latest");
    balances(&record);
    assert!(has_notice(&record, LOST), "{record}");
    let checks = record["result"]["checks"].as_array().expect("checks").clone();
    assert!(
        checks.len() > 8 && checks.iter().all(|check| check["verdict"] == "holds"),
        "{checks:?}"
    );
    folder
        .tacho(&format!("{line} --verify commits"))
        .exits(2)
        .complains(&["a host's commit records are stored on that host and are lost with it"]);
    let [a, b, c] = agents;
    b.wait();
    end([a, c]);
    drop_database(server, "hosts_taken");
}
