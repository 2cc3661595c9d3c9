//! An unassigned agent takes over the share of a lost host.

use serde_json::Value;
use tacho_tests::Signal;

use super::{Place, balances, end, has_notice};

pub const LOST: &str = "W26";
pub const NOT_TAKEN: &str = "V26";

/// Returns the hosts of the last run.
pub fn hosts(record: &Value) -> Vec<Value> {
    record["result"]["load_hosts"].as_array().expect("hosts").clone()
}

pub fn at(host: &Value, key: &str) -> f64 {
    host[key].as_f64().unwrap_or_else(|| panic!("{key} of {host}"))
}

/// A host that announces that it is stopping is replaced immediately. If its replacement stops as well, another host
/// replaces that one.
#[test]
fn the_share_of_a_host_that_leaves_is_continued_at_once() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    let mut run = place.measuring("-d 12s --on-host-loss take-over --hosts 2");
    agents[1].signal(Signal::INT);
    run.until(|line| line.starts_with("host c took over 3 sessions from b, "));
    let late = place.agent("d", "");
    agents[2].signal(Signal::INT);
    run.until(|line| line.starts_with("host d took over 3 sessions from c, "));
    run.wait();
    let record = place.folder.record("latest");
    balances(&record);
    assert!(has_notice(&record, LOST) && !has_notice(&record, NOT_TAKEN), "{record}");
    let hosts = hosts(&record);
    let names: Vec<&str> = hosts.iter().filter_map(|host| host["name"].as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert!(hosts[3]["cpu_cores"].is_number() && hosts[3]["due"].as_u64() > Some(0), "{record}");
    let [a, b, c] = agents;
    b.wait();
    c.wait();
    end([a, late]);
}

/// A run becomes INVALID if a host is lost and no free agent can replace it. If a take-over is impossible from the
/// start, the command is rejected before the run.
#[test]
fn a_share_without_an_heir_makes_the_run_invalid() {
    let Some(place) = Place::new() else { return };
    let [a, b, c] = place.agents(["a", "b", "c"]);
    let mut run = place.measuring("-d 6s --on-host-loss take-over --hosts 2");
    c.signal(Signal::INT);
    c.wait();
    b.signal(Signal::INT);
    run.until(|line| line.starts_with("host b is lost"));
    run.wait().expect_code(4);
    let record = place.folder.record("latest");
    balances(&record);
    assert!(has_notice(&record, NOT_TAKEN) && !has_notice(&record, LOST), "{record}");
    assert_eq!(record["result"]["tool"]["sessions_lost"], 3);
    let line =
        "run tprocc noop --hosts 1 -c 2 --nats nats --on-host-loss take-over --hosts-within 1s";
    place
        .folder
        .tacho(&format!("{line} -d 1s"))
        .done()
        .complains(&["1 of 2 agents responded", "take-over requires one more agent than --hosts"]);
    place
        .folder
        .tacho(&format!("{line} --transactions 9"))
        .exits(2)
        .complains(&["take-over is not possible: the load has no fixed duration", "hint: "]);
    b.wait();
    end([a]);
}
