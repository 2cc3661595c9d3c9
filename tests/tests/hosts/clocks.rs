//! Runs on several hosts, one of which has a wrong clock: off by an hour, changed during the run, or too fast.

use serde_json::Value;
use tacho_tests::{Call, Running};

use super::{Place, balances, end, has_notice, sum};
use crate::live::set_clock;

#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn not_tested(what: &str) {
    eprintln!("NOT TESTED: {what}");
}

fn agent(place: &Place, name: &str) -> Call {
    place.folder.tacho(&format!("agent --nats nats --name {name}"))
}

fn begun(call: Call) -> Running {
    let mut agent = call.start();
    agent.until_said(|line| line.starts_with("End"));
    agent
}

/// Checks that no host was lost or had a bad clock, and that the numbers of all hosts add up to the total.
fn whole(record: &Value) {
    balances(record);
    assert!(!has_notice(record, "V26") && !has_notice(record, "V10"), "{record}");
    assert_eq!(Some(sum(record, "due")), record["result"]["accounting"]["due"].as_u64());
}

/// Even if system clocks are off by an hour or changed during the run, only the recorded times are affected.
#[test]
fn calendars_that_are_wrong_do_not_matter() {
    let Some(place) = Place::new() else { return };
    let Some(ahead) = set_clock::with_clock(agent(&place, "b"), "+1h", false) else { return };
    let stepped = set_clock::with_calendar(agent(&place, "c"), &place.folder, "time");
    let stepped = stepped.expect("the library is there");
    let agents = [place.agent("a", ""), begun(ahead), begun(stepped)];
    let run = place.measuring("-d 5s");
    set_clock::step(&place.folder, "time", "-1h");
    run.wait();
    let record = place.folder.record("latest");
    whole(&record);
    let hosts = &record["result"]["load_hosts"];
    let ahead = |host: usize| hosts[host]["clock_offset_s"].as_f64().expect("an offset");
    assert!(ahead(0).abs() < 60.0 && (ahead(1) - 3600.0).abs() < 60.0, "{hosts}");
    assert!(ahead(2).abs() < 60.0, "of the start: {hosts}");
    for host in hosts.as_array().expect("hosts") {
        assert!(host["clock_drift_s"].as_f64().is_some_and(|drift| drift.abs() < 0.5), "{host}");
    }
    end(agents);
}

/// One host's monotonic clock is off by an hour. The load still starts on all hosts at once, and no arrival is lost.
#[test]
fn steady_clocks_that_are_an_hour_apart_agree() {
    let Some(place) = Place::new() else { return };
    let ahead = "unshare --time --monotonic 3600 --boottime 3600";
    let seen = place.folder.shell(&format!("cat /proc/uptime; {ahead} cat /proc/uptime")).done();
    if seen.code() != 0 {
        return not_tested("steady clocks an hour apart: no time namespaces");
    }
    let late = place.stranger(&format!("exec {ahead} $TACHO agent --name b"));
    let agents = [place.agent("a", ""), late];
    let load = "run tprocc noop -c 4 -r 400 -d 3s --ramp-up 1s --seed 5";
    place.folder.tacho(load).done();
    let alone = place.folder.record("latest");
    place.folder.tacho(&format!("{load} --hosts 2 --nats nats")).done();
    let many = place.folder.record("latest");
    whole(&many);
    let due = |record: &Value| record["result"]["accounting"]["due"].as_u64();
    assert_eq!(due(&alone), due(&many));
    let error = &many["result"]["load_hosts"][1]["clock_error_s"];
    assert!(error.as_f64().is_some_and(|error| error < 1.0), "{error}");
    end(agents);
}

/// If a host's monotonic clock is three times too fast, the report names the host and the run is
/// INVALID. A host that stalls is treated as lost.
#[test]
fn a_steady_clock_that_drifts_is_named() {
    let Some(place) = Place::new() else { return };
    let Some(fast) = set_clock::with_clock(agent(&place, "c"), "+0 x3", true) else { return };
    let fast = begun(fast);
    let agents = [place.agent("a", ""), place.agent("b", "")];
    let load = "run tprocc noop --hosts 3 -c 6 --pacing x0.001 --ramp-up 1s --nats nats";
    let done = place.folder.tacho(&format!("{load} -d 6s --lease 5s")).done();
    assert_eq!(done.code(), 4, "{}{}", done.out, done.err);
    let record = place.folder.record("latest");
    balances(&record);
    assert!(has_notice(&record, "V10"), "{record}");
    done.says(&["the clock on c drifted ahead by"]);
    end(agents);
    fast.signal(tacho_tests::Signal::KILL);
    fast.wait();
}
