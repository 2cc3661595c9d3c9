//! Analytic streams from the command line: load, check, one stream, several, failures.

use tacho_tests::{Data, Folder};

#[test]
fn a_stream_ends_with_its_queries_and_each_is_in_the_record() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01").exits(0).says(&["86"]);
    folder.tacho("check tproch sqlite:h.db").exits(0).says(&["✓ Q22", "27 of 27 hold"]);
    let done = folder.tacho("run tproch sqlite:h.db").exits(0);
    done.says(&["0.01 gigabytes", "VALID", "geometric mean of 22 transactions", "q14", "27 of 27"]);
    let record = folder.record("latest");
    assert_eq!(record["plan"]["scale"], 0.01);
    let result = &record["result"];
    assert_eq!(result["ended_by"], "done");
    let executions = result["executions"].as_array().expect("executions");
    assert_eq!(executions.len(), 22);
    // The order of a power test begins and ends so.
    assert_eq!(
        (&executions[0]["transaction"], &executions[21]["transaction"]),
        (&"q14".into(), &"q12".into())
    );
    let product: f64 =
        executions.iter().map(|one| one["took_s"].as_f64().expect("a time").ln()).sum();
    let mean = result["streams"][0]["geometric_mean_s"].as_f64().expect("a mean");
    assert!(((product / 22.0).exp() / mean - 1.0).abs() < 1e-9, "{mean}");
    assert!(executions.iter().all(|one| one["rows"].is_u64() && one["failed"].is_null()));
    folder.tacho("show latest").exits(0).says(&["geometric mean of 22 transactions"]);
}

#[test]
fn a_query_that_fails_is_named_and_makes_the_run_invalid() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01 --set indexes=none").exits(0);
    let database = Data::open(&folder.file("h.db"));
    database.run("ALTER TABLE customer RENAME COLUMN c_mktsegment TO c_lost");
    drop(database);
    // A statement that cannot be prepared ends the run before it begins, and says which.
    let done = folder.tacho("run tproch sqlite:h.db").exits(3);
    done.complains(&["q3"]);
    let failing = folder.tacho("run tproch 'sim:?errors=20%' -s 0.01 -c 2").done();
    failing.expect_code(4);
    failing.says(&["INVALID: too many failures", "FAILED", "session 2: "]);
}

#[test]
fn what_has_no_meaning_for_streams_is_refused() {
    let folder = Folder::new();
    for (flags, said) in [
        ("-d 5s", "duration is given"),
        ("--transactions 5", "transactions is given"),
        ("--rate 5", "rate is given"),
        ("--ramp-up 5s", "ramp_up is given"),
        ("-s 0.015", "scale is 0.015"),
        ("-s 30001", "0.01 to 30000 gigabytes in steps of 0.01"),
    ] {
        folder.tacho(&format!("run tproch sim {flags}")).done().is_error().complains(&[said]);
    }
}
