//! Hosts that die or stall during a run, and the files that they leave behind.

use crate::acknowledged::{count, rows};
use crate::hosts::{Place, balances, end, has_notice, sum};
use crate::live::sql;
use tacho_tests::Signal;

/// The coordinator must verify the commits of three hosts. A host that dies must leave a file with its commits.
#[test]
fn commits_of_many_hosts_are_compared() {
    let Some(place) = Place::new() else { return };
    let folder = &place.folder;
    let up = folder.tacho("up postgres -o json").exits(0).json();
    let target = up["target"].as_str().expect("a target");
    folder.tacho("prepare tpcb pg --profile simple-update").exits(0);
    let agents = place.agents(["a", "b", "c"]);
    let line = "run tpcb pg --hosts 3 -c 7 --ramp-up 0s --nats nats --verify commits --check none \
                --on-disconnect reconnect --lease 8s";
    // If the server crashes during the run, no commit may be lost. A host that received no response to a commit must
    // find out whether it succeeded.
    folder.tacho(&format!("{line} -d 5s --fault 'at=1s kill for=300ms'")).done();
    let record = folder.record("latest");
    let found = &record["result"]["acknowledged"];
    let known = count(found, "acknowledged") + count(found, "unknown_committed");
    assert_eq!((count(found, "lost"), count(found, "phantom")), (0, 0), "{found}");
    assert!(found["unread"].is_null() && !has_notice(&record, "V07"), "{record}");
    assert_eq!(known, rows(target), "{found}");
    assert!(record["result"]["outages"][0]["sessions_lost"].as_u64() > Some(0), "{record}");
    assert!(place.saved().is_empty(), "nothing is left of what the coordinator has");
    folder.tacho("check tpcb pg --commits latest").exits(0);
    // If too few agents respond, the commit marks of the earlier run must not be overwritten.
    let few = line.replace("--hosts 3", "--hosts 4 --hosts-within 1s -d 1s");
    folder.tacho(&few).done().complains(&["3 of 4 agents responded"]);
    folder.tacho("check tpcb pg --commits latest").exits(0);
    sql(target, "UPDATE tacho_commits SET commits = commits - 2 WHERE session_id = 4");
    folder.tacho("check tpcb pg --commits latest").exits(5).says(&["LOST: 2 of"]);

    let before = rows(target);
    let mut run = folder.tacho(&format!("{line} -d 6s --progress plain")).start();
    run.until(|line| line.contains("measure  "));
    agents[1].signal(Signal::KILL);
    run.wait().expect_code(4);
    let record = folder.record("latest");
    assert!(has_notice(&record, "V26") && has_notice(&record, "V13"), "{record}");
    let why = record["result"]["acknowledged"]["unread"].as_str().expect("a reason");
    assert!(
        why.contains("the commit log for 2 sessions was not received from its load host"),
        "{why}"
    );
    // Check the lost host's commit notes, first by themselves, and then together with those of the other hosts.
    let saved: Vec<String> =
        place.saved().into_iter().filter(|file| file.ends_with("jsonl")).collect();
    assert_eq!(saved.len(), 1, "{saved:?}");
    let import = format!("runs import tacho-data/shares/{}", saved[0]);
    let imported = folder.tacho(&import).exits(0).out;
    // The coordinator has not seen all commit notes, so it must not claim that no commit was lost.
    folder
        .tacho(&format!("check tpcb pg --commits {}", record["id"].as_str().expect("an id")))
        .exits(5)
        .says(&["the commit log for 2 sessions was not received from its load host"]);
    let check = format!("check tpcb pg --commits {} -o json", imported.trim());
    let check = folder.tacho(&check).exits(0).json();
    let lost = &check["acknowledged"];
    assert!(count(lost, "acknowledged") > 0 && count(lost, "phantom") == 0, "{lost}");
    let rest = &record["result"]["acknowledged"];
    let known: u64 = [lost, rest]
        .map(|part| count(part, "acknowledged") + count(part, "unknown_committed"))
        .iter()
        .sum();
    // There may be more rows than known commits, because nobody has verified those commits of the other hosts that
    // received no response.
    assert!(known <= rows(target) - before, "{lost} {rest}");
    assert!(known + 5 >= rows(target) - before, "{lost} {rest}");
    let [a, _, c] = agents;
    end([a, c]);
    folder.tacho("down pg").exits(0);
}

/// If the coordinator is gone, agents must stop when their lease expires, and print where their measurements are.
#[test]
fn a_coordinator_that_dies_leaves_files() {
    let Some(place) = Place::new() else { return };
    for signal in [Signal::KILL, Signal::STOP] {
        let mut agents = place.agents(["a", "b", "c"]);
        let run = place.measuring("-d 60s");
        run.signal(signal);
        for agent in &mut agents {
            agent.until(|line| line.contains("no messages from the coordinator for 8s"));
        }
        if signal == Signal::STOP {
            run.signal(Signal::CONT);
            run.signal(Signal::INT);
            run.wait();
            assert!(has_notice(&place.folder.record("latest"), "V26"));
        } else {
            run.wait();
        }
        let files = place.saved();
        assert_eq!(files.len(), 3, "{files:?}");
        let line = format!("runs import tacho-data/shares/{}", files[0]);
        let id = place.folder.tacho(&line).exits(0).out;
        place
            .folder
            .tacho(&format!("show {}", id.trim()))
            .exits(0)
            .says(&["INVALID: host lost", "load hosts"]);
        place.folder.shell("rm tacho-data/shares/*").exits(0);
        end(agents);
    }
    place.folder.write("bad.jsonl", "{}\n");
    place.folder.tacho("runs import bad.jsonl").done().complains(&["not saved by an agent"]);
}

/// If an agent stalls for less than its lease, it must continue, and all of its work must be counted.
#[test]
fn an_agent_that_stands_still_comes_back_or_is_given_up() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    let mut run = place.measuring("-d 7s --lease 30s");
    agents[2].signal(Signal::STOP);
    run.until(|line| line.starts_with("host c has not responded"));
    agents[2].signal(Signal::CONT);
    run.until(|line| line.starts_with("host c is back"));
    run.wait();
    let record = place.folder.record("latest");
    balances(&record);
    assert!(!has_notice(&record, "V26"));
    assert!(has_notice(&record, "V12"), "its sessions did not run meanwhile: {record}");
    let mut run = place.measuring("-d 8s");
    agents[2].signal(Signal::STOP);
    run.until(|line| line.starts_with("host c is lost"));
    agents[2].signal(Signal::CONT);
    run.wait();
    assert!(has_notice(&place.folder.record("latest"), "V26"));
    // The agent must notice that it was considered lost, and must take part in the next run.
    place.folder.tacho("run tprocc noop --hosts 3 -c 3 -d 1s --ramp-up 0s --nats nats").done();
    assert!(!has_notice(&place.folder.record("latest"), "V26"));
    end(agents);
}

/// The NATS server first stalls, and is later killed and started again. No data may be lost.
#[test]
fn a_nats_server_that_comes_back_loses_nothing() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    for what in ["kill -STOP PID; sleep 2; kill -CONT PID", "kill -9 PID; sleep 1; $TACHO up nats"]
    {
        let pid = place.state()["process"]["pid"].to_string();
        let run = place.measuring("-d 7s --lease 30s");
        place.folder.shell(&what.replace("PID", &pid)).done();
        let done = run.wait();
        let record = place.folder.record("latest");
        balances(&record);
        assert!(!has_notice(&record, "V26"), "{}", done.err);
        let sum: u64 = sum(&record, "due");
        assert_eq!(Some(sum), record["result"]["accounting"]["due"].as_u64());
    }
    assert!(place.saved().is_empty());
    end(agents);
}
