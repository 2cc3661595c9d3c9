//! Query streams on the command line: load, check, one stream, several streams, and failures.

use serde_json::Value;
use tacho_tests::{Data, Folder};

#[test]
fn a_stream_ends_with_its_queries_and_each_is_in_the_record() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01").exits(0).says(&["86"]);
    folder.tacho("check tproch sqlite:h.db").exits(0).says(&["✓ Q22", "28 of 28 hold"]);
    let done = folder.tacho("run tproch sqlite:h.db").exits(0);
    done.says(&["0.01 gigabytes", "VALID", "geometric mean of 22 transactions", "q14", "6 of 6"]);
    let record = folder.record("latest");
    assert_eq!(record["plan"]["scale"], 0.01);
    let result = &record["result"];
    assert_eq!(result["ended_by"], "done");
    let executions = result["executions"].as_array().expect("executions");
    assert_eq!(executions.len(), 22);
    // In a power test, q14 is the first query and q12 the last.
    assert_eq!(
        (&executions[0]["transaction"], &executions[21]["transaction"]),
        (&"q14".into(), &"q12".into())
    );
    let times = executions.iter().map(|one| one["took_s"].as_f64().expect("a time"));
    let longest = times.clone().fold(0.0, f64::max);
    let product: f64 = times.map(|took| took.max(longest / 1000.0).ln()).sum();
    let mean = result["streams"][0]["geometric_mean_s"].as_f64().expect("a mean");
    assert!(((product / 22.0).exp() / mean - 1.0).abs() < 1e-9, "{mean}");
    assert!(executions.iter().all(|one| one["rows"].is_u64() && one["failed"].is_null()));
    for one in executions {
        // If a query returns rows, the time until its first row is recorded. This time does not exceed the total time.
        let (first, took) = (one["first_row_s"].as_f64(), one["took_s"].as_f64());
        assert_eq!(first.is_some(), one["rows"] != 0, "{one}");
        assert!(first.is_none_or(|first| 0.0 < first && Some(first) <= took), "{one}");
    }
    let shown = folder.tacho("show latest").exits(0);
    shown.says(&["geometric mean of 22 transactions", "first row"]);
}

#[test]
fn a_plan_that_changed_is_told() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01").exits(0);
    folder.tacho("run tproch sqlite:h.db --seed 1 --tag before").exits(0);
    let before = folder.record("latest")["result"]["query_plans"].clone();
    assert_eq!(before.as_array().map(Vec::len), Some(22));
    // Query plans contain no parameter values, so a different seed does not change them.
    folder.tacho("run tproch sqlite:h.db --seed 2").exits(0);
    let plan = |plans: &Value, name: &str| {
        let all = plans.as_array().expect("plans");
        all.iter().find(|plan| plan["transaction"] == name).expect("a plan").clone()
    };
    for name in ["q1", "q6", "q9"] {
        let other = folder.record("latest")["result"]["query_plans"].clone();
        assert_eq!(plan(&before, name), plan(&other, name));
    }
    let database = Data::open(&folder.file("h.db"));
    database.run("CREATE INDEX by_discount ON lineitem (l_discount, l_quantity, l_shipdate)");
    drop(database);
    folder.tacho("run tproch sqlite:h.db --seed 1 --tag after").exits(0);
    let after = folder.record("latest")["result"]["query_plans"].clone();
    assert_ne!(plan(&before, "q6")["hash"], plan(&after, "q6")["hash"]);
    assert!(plan(&after, "q6")["plan"].as_str().is_some_and(|text| text.contains("by_discount")));
    let compared = folder.tacho("compare before after").done();
    compared.says(&["The plan differs in", "q6"]);
    let hash = plan(&after, "q6")["hash"].as_str().expect("a hash")[..8].to_owned();
    let shown = folder.tacho("show latest --transactions").exits(0);
    shown.says(&[&format!("Plan {hash} of q6"), "by_discount"]);
    folder.tacho("show latest").exits(0).says(&[&hash]);
}

#[test]
fn refreshes_run_around_and_beside_the_streams_and_go_on_with_the_next_set() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01").exits(0);
    let power = folder.tacho("run tproch sqlite:h.db --set refresh=true").exits(0);
    power.says(&["geometric mean of 24 transactions", "rf1", "rf2", "6 of 6"]);
    let names = |run: &Value| -> Vec<String> {
        let all = run["result"]["executions"].as_array().expect("executions").clone();
        all.iter().map(|one| one["transaction"].as_str().expect("a name").to_owned()).collect()
    };
    let done = names(&folder.record("latest"));
    assert_eq!((done.len(), &*done[0], &*done[23]), (24, "rf1", "rf2"));
    folder.tacho("check tproch sqlite:h.db").exits(0).complains(&["update sets 1 to 1: 15 orders"]);
    let beside = folder.tacho("run tproch sqlite:h.db -c 3 --set refresh=true").exits(0);
    beside.says(&["session 2: ", "session 3: ", "of 4 transactions"]);
    assert_eq!(names(&folder.record("latest")).len(), 2 * 22 + 2 * 2);
    folder.tacho("check tproch sqlite:h.db").exits(0).complains(&["update sets 1 to 3: 45 orders"]);
    let database = Data::open(&folder.file("h.db"));
    database.run("UPDATE refreshes SET f_set = 3000");
    drop(database);
    let refused = folder.tacho("run tproch sqlite:h.db --set refresh=true").done();
    refused.is_error().complains(&["1 update set is requested, but only 0 of 3000 remain"]);
    folder.tacho("run tproch sim --set refresh=true -s 0.01").done().is_error();
}

#[test]
fn a_query_that_fails_is_named_and_makes_the_run_invalid() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01 --set indexes=none").exits(0);
    let database = Data::open(&folder.file("h.db"));
    database.run("ALTER TABLE customer RENAME COLUMN c_mktsegment TO c_lost");
    drop(database);
    // If a statement cannot be prepared, the run does not start, and the error names this statement.
    let done = folder.tacho("run tproch sqlite:h.db").exits(3);
    done.complains(&["q3"]);
    let failing = folder.tacho("run tproch 'sim:?errors=20%' -s 0.01 -c 2").done();
    failing.expect_code(4);
    failing.says(&["INVALID: too many failures", "FAILED", "session 2: "]);
}

#[test]
fn progress_tells_what_each_stream_asks() {
    let folder = Folder::new();
    let run = "run tproch 'sim:?latency=4s' -s 0.01 -c 2 --set query_sets=3 --check none";
    let lines = folder.tacho(&format!("{run} --progress json -o quiet")).exits(0).err;
    let events: Vec<Value> =
        lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let streams: Vec<&Value> =
        events.iter().filter(|one| one["event"] == "streams").map(|one| &one["streams"]).collect();
    let asked = |at: &Value| at[1]["done"].as_u64().expect("a number");
    for pair in streams.windows(2) {
        assert!(asked(pair[0]) <= asked(pair[1]));
    }
    for state in &streams {
        // The number of remaining queries includes the query that is running.
        let (done, left) = (asked(state), state[1]["left"].as_u64().expect("a number"));
        assert_eq!(done + left, 66);
        assert_eq!(state[1]["remaining_s"].is_null(), done <= 22, "{state}");
        assert_eq!(state[1]["transaction"].is_null(), state[1]["since_s"].is_null());
    }
    assert!(streams.iter().any(|state| state[0]["transaction"].is_string()));
    assert_eq!(asked(streams.last().expect("events")), 66);
    let told = folder.tacho(&format!("{run} --progress plain -o quiet")).exits(0);
    told.complains(&["session 2  q14", "1 row", "of 66 done"]);
}

#[test]
fn what_has_no_meaning_for_streams_is_refused() {
    let folder = Folder::new();
    for (flags, said) in [
        ("-d 5s", "duration is not supported"),
        ("--transactions 5", "transactions is not supported"),
        ("--rate 5", "rate is not supported"),
        ("--ramp-up 5s", "ramp_up is not supported"),
        ("-s 0.015", "invalid value for scale: 0.015"),
        ("-s 30001", "0.01 to 30000 gigabytes in steps of 0.01"),
    ] {
        folder.tacho(&format!("run tproch sim {flags}")).done().is_error().complains(&[said]);
    }
}
