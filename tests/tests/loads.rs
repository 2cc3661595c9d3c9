//! The load types: open and closed arrivals, a fixed number of transactions, pacing, and retries.

use crate::prepared::{ONE, TWO};
use serde_json::Value;
use tacho_tests::{Data, Folder};

const RUN: &str = "run tprocc sqlite:a.db?synchronous=off";

fn number(record: &Value, pointer: &str) -> f64 {
    let found = record.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number {pointer} in {record}"))
}

fn accounts(record: &Value, name: &str) -> u64 {
    let found = record["result"]["accounting"][name].as_u64();
    found.unwrap_or_else(|| panic!("no account {name} in {record}"))
}

/// Checks that the ledger adds up, and that the database contains as many commits as the client counted.
fn accounts_are_right(record: &Value) {
    let of = |name: &str| accounts(record, name);
    assert_eq!(of("due"), of("started") + of("skipped"), "{record}");
    let ended = of("committed") + of("rolled_back") + of("failed");
    assert_eq!(of("started"), ended + of("unfinished"), "{record}");
    let headline = &record["result"]["headline"];
    // The simulation stores no data.
    if record["plan"]["driver"] != "sim" {
        assert_eq!(headline["whole_run_schema_count"], headline["whole_run_client_count"]);
    }
}

fn all_checks_hold(record: &Value) {
    let checks = record["result"]["checks"].as_array().expect("checks");
    assert_eq!(checks.iter().filter(|check| check["verdict"] == "holds").count(), 30, "{checks:?}");
}

#[test]
fn an_open_load_reaches_its_rate() {
    let folder = ONE.folder();
    let load = "-r 200 --spacing uniform -c 2 -d 4s --ramp-up 500ms";
    folder.tacho(&format!("{RUN} {load}")).done().says(&["open at 200/s uniform"]);
    let record = folder.record("latest");
    assert!((799..=801).contains(&accounts(&record, "due")), "{record}");
    let ended = accounts(&record, "committed") + accounts(&record, "rolled_back");
    let arrivals = &record["result"]["arrivals"];
    assert!((number(arrivals, "/due_per_s") - 200.0).abs() < 0.5, "{arrivals}");
    assert!(number(arrivals, "/session_wait/count") > 700.0, "{arrivals}");
    // On a busy machine, a few transactions may still be running at the end.
    assert!(ended > 700, "{ended} of 800 ended well");
    assert_eq!(record["plan"]["arrival"], "open");
    assert_eq!(accounts(&record, "failed"), 0);
    accounts_are_right(&record);
    all_checks_hold(&record);
}

#[test]
fn an_open_load_beyond_what_is_possible_is_invalid() {
    let folder = Folder::new();
    let load = "-r 1000 --backlog 50 -c 1 -d 20s --ramp-up 1s";
    let done = folder.tacho(&format!("run tprocc 'sim:?latency=2ms' {load}")).exits(4);
    done.says(&[
        "INVALID: rate not reached",
        "reached ",
        "/s of 1\u{202f}000/s",
        "V01",
        "W05",
        "skipped",
    ]);
    let record = folder.record("latest");
    assert!(accounts(&record, "skipped") > 1_000);
    // Latency is measured from the time at which a transaction was due, whereas service time is
    // measured from its start.
    let all = record["result"]["transactions"].as_array().and_then(|all| all.last()).expect("all");
    let wait = number(all, "/latency/mean_us") - number(all, "/service/mean_us");
    assert!(wait > 20_000.0, "{all}");
}

const OVER: &str = "run tprocc sim -c 2 -d 10s --ramp-up 5s";

/// Returns a timeline's lines for the measured phase, split into columns.
fn measured(folder: &Folder) -> Vec<Vec<String>> {
    let text = folder.tacho("show latest --timeline").exits(0).out;
    let text = text.replace('\u{202f}', "");
    let lines = text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect());
    lines
        .filter(|columns: &Vec<String>| columns.get(1).is_some_and(|phase| phase == "measure"))
        .collect()
}

/// Transactions that queue up during the ramp-up are still waiting when the measured phase starts. The results must
/// count them too, although they were due before this phase.
#[test]
fn what_ends_is_shown_whenever_it_was_due() {
    let folder = Folder::new();
    let done = folder.tacho(&format!("{OVER} -r 2000")).exits(4);
    let first = done.out.lines().take(5).collect::<Vec<_>>().join("\n");
    assert!(first.contains("reached ") && first.contains("/s of 2\u{202f}000/s;"), "{first}");
    assert!(first.contains("arrivals waiting at the end"), "{first}");
    let record = folder.record("latest");
    let result = &record["result"];
    let all = result["transactions"].as_array().and_then(|all| all.last()).expect("all").clone();
    let (count, measured_s) = (number(&all, "/count"), number(result, "/measured_s"));
    assert!((count / measured_s - number(result, "/throughput_per_s")).abs() < 1e-6, "{all}");
    assert!(count > 500.0 && number(&all, "/latency/p50_us") > 1e6, "{all}");
    let new_orders = number(&result["transactions"][0], "/count")
        - number(&result["transactions"][0], "/rolled_back");
    assert!((number(result, "/headline/client_count") - new_orders).abs() < 0.5, "{result}");
    // The ledger counts the transactions that were due in the phase, whereas the table counts those
    // that finished in it.
    assert_eq!(accounts(&record, "committed"), 0);
    assert!((accounts(&record, "carried_over") as f64 - count).abs() < 0.5, "{result}");
    assert!((19_000..21_000).contains(&accounts(&record, "due")), "{result}");
    accounts_are_right(&record);
    let arrivals = &result["arrivals"];
    assert!(number(arrivals, "/backlog_end") > number(arrivals, "/backlog_start") + 10_000.0);
    assert!(number(&result["tool"], "/lateness/max_us") < 1.0, "the scheduler was not late");
    for columns in measured(&folder) {
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let [.., late, backlog] = columns[..] else { panic!("{columns:?}") };
        let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{columns:?}"));
        assert!(number(columns[3]) > 50.0 && number(backlog) > 5_000.0, "{columns:?}");
        assert!(late.ends_with("ns"), "lateness is filled in: {late}");
    }
    let ids: Vec<&str> =
        notices(&record).iter().map(|notice| notice["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["V01", "W05"], "{result}");
}

fn notices(record: &Value) -> &[Value] {
    record["result"]["notices"].as_array().map_or(&[], |all| all.as_slice())
}

#[test]
fn the_hint_of_a_rate_that_is_not_reached_names_one_that_is() {
    let folder = Folder::new();
    folder.tacho(&format!("{OVER} -r 2000")).exits(4);
    let record = folder.record("latest");
    let hint = notices(&record)[0]["hint"].as_str().expect("a hint");
    let rate = hint.split("--rate ").nth(1).and_then(|rest| rest.split(',').next());
    let rate = rate.expect("a rate");
    assert!(rate.parse::<f64>().is_ok_and(|rate| rate > 50.0), "{hint}");
    folder.tacho(&format!("{OVER} -r {rate}"));
    folder.tacho(&format!("{OVER} -r {rate} --spacing uniform")).done();
    let record = folder.record("latest");
    assert!(notices(&record).iter().all(|notice| notice["id"] != "V01"), "{rate}: {record}");
}

#[test]
fn a_run_in_which_nothing_ends_claims_no_steadiness() {
    let folder = Folder::new();
    // The database never responds.
    let target = "'sim:?latency=1h'";
    let done =
        folder.tacho(&format!("run tprocc {target} -c 2 -r 50 -d 10s --ramp-up 1s --drain 1s"));
    let done = done.exits(4);
    done.says(&["INVALID: ", "reached 0.00/s of 50.0/s", "no transaction ended for 10\u{202f}s"]);
    assert!(!done.out.contains("steady") && !done.out.contains('±'), "{}", done.out);
    let result = folder.record("latest")["result"].clone();
    assert!(result.get("steadiness").is_none() && result["interval_95"].is_null(), "{result}");
}

#[test]
fn a_number_of_transactions_is_exact() {
    for (target, sessions) in [("sqlite:a.db?synchronous=off", 1), ("sqlite:a.db", 3), ("noop", 4)]
    {
        let folder = ONE.folder();
        let line = format!("run tprocc {target} --transactions 500 -c {sessions} --ramp-up 100ms");
        folder.tacho(&line).exits(0);
        let record = folder.record("latest");
        let ended = ["committed", "rolled_back", "failed"].map(|name| accounts(&record, name));
        assert_eq!(ended.iter().sum::<u64>(), 500, "{line}");
        assert_eq!(accounts(&record, "unfinished"), 0);
        assert_eq!(record["result"]["ended_by"], "count");
        assert_eq!(record["plan"]["duration_s"], Value::Null);
    }
}

#[test]
fn several_writers_lose_no_commit() {
    let folder = ONE.folder();
    let before = "SELECT sum(d_next_o_id) FROM district";
    let start = Data::open(&folder.file("a.db")).number(before);
    let done = folder.tacho(&format!("{RUN} -c 4 -d 3s --ramp-up 500ms --retry same")).exits(0);
    done.says(&["4 sessions", "commits match", "24 of 24"]);
    let record = folder.record("latest");
    accounts_are_right(&record);
    all_checks_hold(&record);
    let grown = Data::open(&folder.file("a.db")).number(before) - start;
    assert_eq!(record["result"]["headline"]["whole_run_client_count"], grown);
    assert_eq!(record["result"]["tool"]["sessions_lost"], 0);
}

#[test]
fn pacing_slows_the_sessions_down() {
    let folder = ONE.folder();
    let load = "-c 10 --pacing x0.01 -d 3s --ramp-up 500ms";
    folder.tacho(&format!("{RUN} {load}")).exits(0).says(&["10 sessions"]);
    let record = folder.record("latest");
    assert_eq!(record["plan"]["pacing"], 0.01);
    // With a pacing of 0.01, a cycle lasts a hundredth of 21 s on average, so ten sessions finish
    // about 143 transactions in 3 s.
    let ended = accounts(&record, "committed") + accounts(&record, "rolled_back");
    assert!((20..400).contains(&ended), "{ended}");
}

#[test]
fn retries_save_what_a_deadlock_undoes() {
    let folder = Folder::new();
    let run = |retry: &str| {
        let target = "sim:?deadlocks=0.5%";
        let line = format!("run tprocc '{target}' -c 5 -d 1m --ramp-up 0s --retry {retry}");
        folder.tacho(&format!("{line} -o json")).done().json()
    };
    let (none, same, new) = (run("none"), run("same"), run("new"));
    assert_eq!(accounts(&none, "retried"), 0);
    assert!(accounts(&none, "failed") > 100, "{none}");
    for record in [&same, &new] {
        assert!(accounts(record, "retried") > 100, "{record}");
        assert!(accounts(record, "failed") < accounts(&none, "failed") / 5, "{record}");
    }
    assert_eq!(none["result"]["errors"][0]["kind"], "deadlock");
}

#[test]
fn warehouses_are_home_all_or_owned() {
    // The two sessions follow a schedule. Without pauses between transactions, one session might
    // block the other until the end.
    let table = [
        ("home", "-c 1", [true, false]),
        ("all", "-c 1", [true, true]),
        ("owned", "-c 2 -r 200", [true, true]),
    ];
    for (mode, sessions, worked) in table {
        let folder = TWO.folder();
        let load = format!("--set warehouses={mode} {sessions} --transactions 400 --ramp-up 0s");
        let done = folder.tacho(&format!("{RUN} {load}")).exits(0);
        done.says(&["2 warehouses"]);
        let record = folder.record("latest");
        accounts_are_right(&record);
        all_checks_hold(&record);
        let data = Data::open(&folder.file("a.db"));
        let orders = |warehouse: u8| {
            let sql = "SELECT count(*) > 30000 FROM orders WHERE o_w_id =";
            data.number(&format!("{sql} {warehouse}")) == 1
        };
        assert_eq!([orders(1), orders(2)], worked, "{mode}");
        let audit = record["result"]["audit"].as_array().expect("an audit");
        let remote = audit.iter().find(|entry| entry["name"] == "remote payments").expect("a rule");
        assert_eq!((&remote["expected"], &remote["passed"]), (&0.15.into(), &true.into()));
    }
}

#[test]
fn the_print_driver_writes_statements() {
    let folder = Folder::new();
    let run = folder.tacho("run tprocc print --transactions 30 --ramp-up 0s").exits(0);
    run.says(&["BEGIN;", "UPDATE district", "INSERT INTO history", "COMMIT;"]);
    let done = folder.tacho("prepare tprocc print --scale 1").hung_up();
    done.expect_code(0);
    assert!(!done.err.contains("error"), "{}", done.err);
    folder.shell("\"$TACHO\" prepare tprocc print | head -n 5 > first.sql").exits(0);
    assert!(folder.read("first.sql").windows(12).any(|part| part == b"CREATE TABLE"));
    let script = "( \"$TACHO\" run tprocc print -d 5s --ramp-up 0s; echo $? > code ) | head -n 1";
    folder.shell(script).exits(0);
    assert_eq!(folder.read("code"), b"0\n");
}

#[test]
fn targets_and_runs_have_names() {
    let folder = ONE.folder();
    let file = "[targets.bench]\nurl = \"sqlite:a.db?synchronous=off\"\n\
                [defaults]\nramp_up = \"0s\"\n\
                [run.quick]\nworkload = \"tprocc\"\ntarget = \"bench\"\nduration = \"1s\"\n\
                threshold = [\"errors<1%\", \"tps>1\"]\nset = { warehouses = \"all\" }\n";
    folder.write("tacho.toml", file);
    folder.tacho("run quick -c 2").exits(0).says(&["tprocc on bench", "✓ tps>1", "2 sessions"]);
    let record = folder.record("latest");
    assert_eq!(record["plan"]["target_name"], "bench");
    assert_eq!(record["plan"]["parameters"]["warehouses"], "all");
    folder.tacho("check tprocc bench").exits(0);
}

#[test]
fn a_rate_that_differs_by_chance_is_not_the_fault_of_the_database() {
    let folder = Folder::new();
    let run = "run tpcb 'sim:?statement=0s&latency=1ms' -c 16 -d 3s --ramp-up 0s --rate 1075";
    let chance = folder.tacho(run).exits(0);
    chance.says(&["served all arrivals", "with a mean of 1 075/s"]);
    let slow = run.replace("latency=1ms", "latency=50ms");
    folder.tacho(&slow).done().says(&["reached ", " of 1 075/s"]);
}

#[test]
fn intervals_too_short_for_a_p99_are_said_at_the_start() {
    let folder = Folder::new();
    let run = "run tpcb 'sim:?statement=0s&latency=1ms' -c 2 -d 2s --ramp-up 0s";
    let note = "are too short for a p99";
    let done = folder.tacho(&format!("{run} --interval 100ms")).exits(0);
    done.complains(&["intervals of 100ms are too short for a p99", "1 000 are needed"]);
    assert_eq!(done.err.matches(note).count(), 1, "{}", done.err);
    let done = folder.tacho(&format!("{run} -c 64 --interval 1s")).done();
    assert!(!done.err.contains(note), "{}", done.err);
}
