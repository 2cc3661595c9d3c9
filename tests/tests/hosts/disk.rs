//! Files that an agent cannot write, and agents that join late.

use super::{Place, balances, end, has_notice, sum};
use crate::live::small_disk::SmallDisk;

/// An agent whose disk is full takes part in the run until its end, but reports that it could not save its results.
#[test]
fn an_agent_with_a_full_disk_measures_on() {
    let Some(place) = Place::new() else { return };
    let disk = place.folder.file("small");
    std::fs::create_dir(&disk).expect("a folder");
    let Some(_disk) = SmallDisk::of(&disk, place.folder.path(), "64k") else { return };
    let full = place.stranger("exec $TACHO agent --name b --dir small");
    let agents = [place.agent("a", ""), full, place.agent("c", "")];
    place.measuring("-d 6s --interval 100ms").wait();
    let record = place.folder.record("latest");
    balances(&record);
    assert!(!has_notice(&record, "V26"), "{record}");
    assert_eq!(Some(sum(&record, "due")), record["result"]["accounting"]["due"].as_u64());
    let [a, b, c] = agents;
    end([a, c]);
    b.signal(tacho_tests::Signal::INT);
    let said = b.wait();
    assert!(
        said.err.contains("some results could not be saved on this host")
            && said.err.contains("No space"),
        "{}",
        said.err
    );
}

/// An agent that joins before a run starts takes part in it. An agent that joins later waits for the next run.
#[test]
fn an_agent_that_comes_late() {
    let Some(place) = Place::new() else { return };
    let first = place.agent("a", "");
    let line = "run tprocc noop --hosts 2 -c 4 -d 4s --ramp-up 1s --nats nats --progress plain";
    let mut run = place.folder.tacho(line).start();
    run.until(|line| line.contains("1 of 2 agents have responded"));
    let second = place.agent("b", "");
    run.until(|line| line.contains("measure  "));
    let third = place.agent("0", "");
    run.wait();
    let names = || {
        let record = place.folder.record("latest");
        balances(&record);
        let hosts = record["result"]["load_hosts"].as_array().expect("hosts").clone();
        hosts
            .iter()
            .map(|host| host["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(), ["a", "b"]);
    place.folder.tacho("run tprocc noop --hosts 3 -c 3 -d 1s --ramp-up 0s --nats nats").done();
    assert_eq!(names(), ["0", "a", "b"]);
    end([first, second, third]);
}
