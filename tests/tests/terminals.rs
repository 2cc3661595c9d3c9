//! Terminals that share the sessions of a run.

use std::collections::BTreeMap;

use serde_json::Value;
use tacho_tests::{Folder, Signal, violations};

use crate::hosts::{Place, balances, end, sum};
use crate::prepared::ONE;

/// A database on which 200 terminals at a tenth of the specified times cause no queueing worth mentioning.
const EASY: &str = "run tprocc 'sim:?latency=1ms' --scale 20 --terminals 200 --pacing x0.1 -d 60s";

fn number(record: &Value, pointer: &str) -> f64 {
    let found = record.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number {pointer} in {record}"))
}

#[test]
fn the_summary_shows_queueing_apart_from_service() {
    let folder = Folder::new();
    folder.tacho(&format!("{EASY} -c 20")).done().says(&[
        "200 terminals on 20 sessions",
        "queueing p50",
        "the database limits the latency",
    ]);
    let easy = folder.record("latest");
    folder.tacho(&format!("{EASY} -c 1")).done().says(&[
        "200 terminals on 1 session",
        "the number of sessions limits the latency",
        "tacho sweep --vary sessions=",
    ]);
    let few = folder.record("latest");
    for (record, sessions) in [(&easy, 20), (&few, 1)] {
        let found = &record["result"]["terminals"];
        assert_eq!((&found["terminals"], &found["sessions"]), (&200.into(), &sessions.into()));
        assert_eq!(record["plan"]["terminals"], 200);
        assert_eq!(record["plan"]["sessions"], sessions);
        balances(record);
        let schema = folder.tacho("schema run").exits(0).json();
        assert_eq!(violations(&schema, record), Vec::<String>::new());
    }
    let of = |record: &Value, name: &str| number(&record["result"]["terminals"], name);
    assert!(of(&easy, "/waited_share") < 0.01 && of(&few, "/waited_share") > 0.5);
    assert!(of(&easy, "/busy_share") < 0.2 && of(&few, "/busy_share") > 0.3);
    let mean = |record: &Value| of(record, "/queueing/mean_us");
    assert!(
        mean(&few) > of(&few, "/service_mean_us") && mean(&easy) < of(&easy, "/service_mean_us")
    );
}

#[test]
fn queueing_during_a_stall_is_not_blamed_on_the_number_of_sessions() {
    let folder = Folder::new();
    let stalling = EASY.replace("latency=1ms", "latency=1ms&stall_every=40s&stall=10s");
    folder.tacho(&format!("{stalling} -c 20")).done().says(&["although sessions were mostly idle"]);
    let found = folder.record("latest")["result"]["terminals"].clone();
    assert!(number(&found, "/queueing/mean_us") > number(&found, "/service_mean_us"), "{found}");
    assert!(number(&found, "/busy_share") < 0.5, "{found}");
}

#[test]
fn the_efficiency_is_that_of_the_terminals() {
    let folder = Folder::new();
    let line =
        "run tprocc 'sim:?latency=1ms' --scale 20 --terminals 200 --pacing spec -c 5 -d 600s";
    folder.tacho(line).done().says(&["the long-run limit for 200 terminals"]);
    let record = folder.record("latest");
    let [rate, most] =
        ["/per_minute", "/most_per_minute"].map(|name| number(&record["result"]["headline"], name));
    // Ten terminals reach 12.86 new orders per minute.
    assert!((most - 20.0 * 12.86).abs() < 0.01, "{most}");
    assert!((0.9..1.06).contains(&(rate / most)), "{rate} of {most}");
}

#[test]
fn the_report_and_the_shown_run_describe_the_terminals() {
    let folder = Folder::new();
    folder.tacho(&format!("{EASY} -c 20")).done();
    folder.tacho("show latest").exits(0).says(&["200 terminals on 20 sessions", "queueing p50"]);
    folder.tacho("report latest -o report.html").exits(0);
    let page = String::from_utf8(folder.read("report.html")).expect("text");
    assert!(page.contains("200 terminals on 20 sessions") && page.contains("queueing p50"));
}

#[test]
fn a_dry_run_states_the_load_and_the_sessions_that_it_needs() {
    let folder = Folder::new();
    let line = "run tprocc sim --scale 100 --terminals 1k --pacing spec -c 4 --dry-run";
    // A terminal needs 20.99 s for a cycle.
    folder.tacho(line).exits(0).says(&["47.6/s", "21.0 ms", "4 sessions suffice up to 84.0 ms"]);
}

#[test]
fn more_terminals_than_the_specification_allows_are_mentioned() {
    let folder = Folder::new();
    let run = |scale: u32| {
        format!("run tprocc sim --scale {scale} --terminals 101 --pacing x0.1 -c 8 -d 60s")
    };
    let names = |record: &Value| -> Vec<String> {
        let notices = record["result"]["notices"].as_array().expect("notices").clone();
        notices.iter().filter_map(|notice| Some(notice["id"].as_str()?.to_owned())).collect()
    };
    folder.tacho(&run(10)).done().says(&["101 terminals use 10 warehouses", "allows 100"]);
    assert!(names(&folder.record("latest")).contains(&"W35".to_owned()));
    folder.tacho(&run(11)).done();
    assert!(!names(&folder.record("latest")).contains(&"W35".to_owned()));
}

#[test]
fn rejects_loads_that_terminals_cannot_have() {
    let folder = Folder::new();
    for (line, hint) in [
        ("tprocc sim --terminals 10", "--pacing spec"),
        ("tprocc sim --terminals 10 --pacing spec -c 11", "--sessions 10"),
        ("tprocc sim --terminals 10 --rate 5", "omit the rate"),
        ("tprocc sim --terminals 10 --load 'steps: 5/sx1s'", "omit the rate"),
        ("tprocc sim --terminals 10 --pacing spec --load 'steps: 11x1s'", "--terminals 11"),
        ("tprocc sim --terminals 10 --pacing spec --sets 2 -c 2", "omit --sets"),
        ("tpcb sim --terminals 10 --pacing spec", "omit --terminals"),
        ("oltp sim --terminals 10 --pacing spec", "omit --terminals"),
        ("tprocc sim --terminals 0 --pacing spec", "1 to"),
    ] {
        folder.tacho(&format!("run {line}")).exits(2).complains(&[hint]).is_error();
    }
}

#[test]
fn a_sweep_over_sessions_finds_the_pool_size() {
    let folder = Folder::new();
    // The simulated server serves eight requests at a time, which 2,000 terminals keep busy.
    let sweep = "sweep tprocc 'sim:?latency=2ms&capacity=8' --scale 200 --terminals 2k --pacing x0.1 \
                 --vary sessions=2,8,32 -d 60s";
    folder.tacho(sweep).done().says(&["sessions"]);
    let mut rates = BTreeMap::new();
    for run in folder.runs() {
        let name = run.file_name().expect("a name").to_string_lossy().into_owned();
        let record = folder.record(name.rsplit('-').next().expect("an id"));
        assert_eq!(record["plan"]["terminals"], 2_000);
        let sessions = record["plan"]["sessions"].as_u64().expect("a number");
        rates.insert(sessions, number(&record["result"], "/throughput_per_s"));
    }
    let [few, enough, many] = [2, 8, 32].map(|sessions| rates[&sessions]);
    assert!(few < 0.5 * enough && enough <= many * 1.05, "{few} {enough} {many}");
}

#[test]
fn steps_count_terminals() {
    let folder = Folder::new();
    let line = "run tprocc 'sim:?latency=1ms' --scale 100 --terminals 1k --pacing x0.1 -c 20 \
                --load 'steps: 100x30s, 1000x30s'";
    folder.tacho(line).done().says(&["100 terminals", "1000 terminals"]);
    let record = folder.record("latest");
    let rates: Vec<f64> =
        (0..2).map(|step| number(&record["result"]["steps"][step], "/throughput_per_s")).collect();
    assert!((rates[1] / rates[0] - 10.0).abs() < 1.0, "{rates:?}");
    assert_eq!(record["plan"]["sessions"], 20);
}

#[test]
fn a_run_can_be_repeated_from_its_record() {
    let folder = Folder::new();
    folder.tacho(&format!("{EASY} -c 20")).done();
    let first = folder.record("latest");
    let command = first["plan"]["command"].as_str().expect("a command");
    assert!(command.contains("--terminals 200") && command.contains("--sessions 20"), "{command}");
    folder.tacho("run --from latest").done();
    let second = folder.record("latest");
    assert_eq!(first["result"]["accounting"], second["result"]["accounting"]);
}

#[test]
fn streams_run_alongside_terminals() {
    let folder = Folder::new();
    let line =
        "run chbench sim --scale 10 --terminals 100 --pacing x0.1 -c 5 --set streams=2 -d 30s";
    folder.tacho(line).done().says(&["100 terminals on 5 sessions and 2 streams"]);
    let record = folder.record("latest");
    assert_eq!((&record["plan"]["sessions"], &record["plan"]["streams"]), (&5.into(), &2.into()));
    assert!(number(&record["result"]["analytics"], "/good") > 10.0);
}

#[test]
fn a_real_database_keeps_every_commit() {
    let folder = ONE.folder();
    // SQLite blocks its thread, so each session is a group of its own.
    let line = "run tprocc sqlite:a.db?synchronous=off --terminals 40 --pacing x0.01 -c 4 -d 3s --ramp-up 500ms";
    folder.tacho(line).done().says(&["divided into 4 groups"]);
    let record = folder.record("latest");
    let headline = &record["result"]["headline"];
    assert_eq!(headline["whole_run_schema_count"], headline["whole_run_client_count"]);
    assert!(number(headline, "/client_count") > 50.0, "{headline}");
    let checks = record["result"]["checks"].as_array().expect("checks");
    assert!(checks.iter().all(|check| check["verdict"] == "holds"), "{checks:?}");
}

#[test]
fn an_interrupted_run_accounts_for_all_terminals() {
    let folder = ONE.folder();
    let line = "run tprocc sqlite:a.db?synchronous=off --terminals 40 --pacing x0.01 -c 4 -d 10m --ramp-up 0s";
    let mut run = folder.tacho(&format!("{line} --progress json")).start();
    run.until_event(|event| event["event"] == "interval");
    run.signal(Signal::INT);
    run.wait().expect_code(130);
    let record = folder.record("latest");
    balances(&record);
    let headline = &record["result"]["headline"];
    assert_eq!(headline["whole_run_schema_count"], headline["whole_run_client_count"]);
    assert!(number(&record["result"]["terminals"], "/queueing/count") > 10.0, "{record}");
}

#[test]
fn a_killed_server_loses_neither_terminals_nor_commits() {
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tprocc pg").exits(0);
    let line = "run tprocc pg --terminals 100 --pacing x0.02 -c 4 --workers 1 --ramp-up 0s -d 12s \
                --on-disconnect reconnect --verify commits --fault 'at=3s kill for=1s'";
    folder.tacho(line).done().says(&["100 terminals on 4 sessions", "✓ all of "]);
    let record = folder.record("latest");
    balances(&record);
    let result = &record["result"];
    assert_eq!(result["outages"].as_array().map(Vec::len), Some(1), "{result}");
    // The terminals that became due during the outage had to wait for its end.
    assert!(number(&result["terminals"], "/queueing/max_us") > 900_000.0, "{result}");
    folder.tacho("down pg").exits(0);
}

#[test]
fn hosts_share_the_terminals() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    let line = "run tprocc noop --scale 6 --hosts 3 --nats nats --terminals 60 --pacing x0.01 -c 6 \
                --ramp-up 1s -d 3s";
    place.folder.tacho(line).exits(0).says(&["60 terminals on 6 sessions", "a: 2 sessions"]);
    let record = place.folder.record("latest");
    balances(&record);
    let result = &record["result"];
    assert_eq!(sum(&record, "sessions"), 6);
    assert_eq!(Some(sum(&record, "due")), result["accounting"]["due"].as_u64());
    // Each of the hosts has a third of the terminals, which offer 286 transactions per second together.
    let due = result["load_hosts"].as_array().expect("hosts").iter().map(|host| &host["due"]);
    let due: Vec<u64> = due.map(|due| due.as_u64().expect("a count")).collect();
    assert!(due.iter().all(|due| (150..=400).contains(due)), "{due:?}");
    assert_eq!(
        (&result["terminals"]["terminals"], &result["terminals"]["groups"]),
        (&60.into(), &Value::Null)
    );
    end(agents);
}
