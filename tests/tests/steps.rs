//! Tests of loads that vary over time: their steps in the summary, the record and the report.

use serde_json::Value;
use tacho_tests::Folder;

use crate::prepared::ONE;

fn steps(record: &Value) -> &Vec<Value> {
    record["result"]["steps"].as_array().unwrap_or_else(|| panic!("no steps in {record}"))
}

fn number(value: &Value, pointer: &str) -> f64 {
    value
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no {pointer} in {value}"))
}

/// Checks that each arrival was either started or skipped, that each started transaction has an
/// outcome, and that the steps add up to the run.
fn accounts_hold(record: &Value) {
    let of = |part: &Value, name: &str| part["accounting"][name].as_u64().expect("an account");
    let mut due = 0;
    for step in steps(record) {
        assert_eq!(of(step, "due"), of(step, "started") + of(step, "skipped"), "{step}");
        let ended = ["committed", "rolled_back", "failed", "unfinished"];
        assert_eq!(
            of(step, "started"),
            ended.iter().map(|name| of(step, name)).sum::<u64>(),
            "{step}"
        );
        due += of(step, "due");
    }
    assert_eq!(due, of(&record["result"], "due"));
}

#[test]
fn each_step_agrees_with_a_run_of_its_own() {
    let folder = Folder::new();
    let target = "run tprocc 'sim:?latency=2ms&capacity=4' --check none --ramp-up 1s";
    let load = "--load 'steps: 2x20s, 8x20s'";
    folder.tacho(&format!("{target} {load}")).exits(0).says(&[
        "2 steps",
        "1  2 sessions",
        "2  8 sessions",
    ]);
    let changing = folder.record("latest");
    assert_eq!(changing["plan"]["sessions"], 8);
    accounts_hold(&changing);
    for (place, sessions) in [2, 8].into_iter().enumerate() {
        folder.tacho(&format!("{target} -c {sessions} -d 20s")).exits(0);
        let alone = folder.record("latest");
        let (step, run) =
            (&steps(&changing)[place]["interval_95"], &alone["result"]["interval_95"]);
        let disjoint = number(step, "/low") > number(run, "/high")
            || number(run, "/low") > number(step, "/high");
        assert!(!disjoint, "{sessions} sessions: {step} {run}");
        assert_eq!(steps(&changing)[place]["verdict"], "valid");
    }
    folder.tacho("report latest~2 -o page.html").exits(0);
    let page = String::from_utf8_lossy(&folder.read("page.html")).into_owned();
    assert!(page.contains("Steps of the load") && page.contains("step 2: 8 sessions"));
    // The plan from the record is repeated.
    folder.tacho("run --from latest~2").exits(0).says(&["2 steps"]);
    assert_eq!(steps(&folder.record("latest")), steps(&changing), "the same seed on virtual time");
}

#[test]
fn rates_of_a_file_are_replayed_and_a_step_beyond_reach_is_invalid() {
    let folder = Folder::new();
    folder.write("rates.csv", "0,20/s\n20,20k/s\n40,end\n");
    let load = "--load 'file: rates.csv' -c 16 --ramp-up 0s --check none --backlog 100";
    let done = folder.tacho(&format!("run tprocc 'sim:?latency=5ms' {load}")).exits(4);
    done.says(&["INVALID: step invalid", "step 2 (20\u{202f}000/s): reached"]);
    let record = folder.record("latest");
    accounts_hold(&record);
    let verdicts: Vec<_> = steps(&record).iter().map(|step| step["verdict"].as_str()).collect();
    assert_eq!(verdicts, [Some("valid"), Some("invalid")]);
    assert!((number(&steps(&record)[0], "/throughput_per_s") - 20.0).abs() < 3.0);
}

#[test]
fn steps_on_a_database_keep_its_accounts() {
    let folder = ONE.folder();
    let load = "--load 'steps: 1x1s, 3x1s' --ramp-up 200ms --interval 100ms";
    folder.tacho(&format!("run tprocc sqlite:a.db?synchronous=off {load}")).exits(0);
    let record = folder.record("latest");
    accounts_hold(&record);
    let headline = &record["result"]["headline"];
    assert_eq!(headline["whole_run_schema_count"], headline["whole_run_client_count"]);
    assert_eq!(steps(&record).len(), 2);
}

#[test]
fn the_plan_shows_the_steps_and_errors_name_the_place() {
    let folder = Folder::new();
    let plan = folder.tacho("run tprocc sim --load 'ramp: 2..6 over 10s in 3' --dry-run").exits(0);
    plan.says(&["Steps of --load 'ramp: 2..6 over 10s in 3'", "4 sessions", "6.7s"]);
    folder.tacho("run tprocc sim --load 'steps: 10x1m, 20'").exits(2).complains(&[
        "invalid load at character 15: \"20\" is not a step",
        "hint: use a step such as 20x1m",
    ]);
    folder
        .tacho("run tprocc sim --load 'steps: 10x1m' -d 5s")
        .exits(2)
        .complains(&["both --load and a value for duration were given"]);
}

#[test]
fn one_run_finds_the_highest_rate() {
    let folder = Folder::new();
    let load = "--load 'ramp: 50..800/s over 160s in 4' -c 64 --ramp-up 1s --check none";
    let target = "'sim:?latency=1ms&capacity=8&spread=fixed'";
    let sweep = format!("sweep tprocc {target} --find-max 'p95<150ms' {load} -o json");
    let found = folder.tacho(&sweep).exits(0).json();
    let record = folder.record("latest");
    let holds: Vec<bool> =
        steps(&record).iter().map(|step| step["thresholds"][0]["passed"] == true).collect();
    assert_eq!((holds.first(), holds.last()), (Some(&true), Some(&false)), "{holds:?}");
    let rates = [50.0, 300.0, 550.0, 800.0];
    let crossed = holds.iter().position(|holds| !holds).expect("the last");
    let text = found.to_string();
    let (low, high) = (rates[crossed - 1], rates[crossed]);
    assert!(text.contains(&format!("\"holds_at_per_s\":{low:?}")), "{text}");
    assert!(text.contains(&format!("\"fails_at_per_s\":{high:?}")), "{text}");
    folder.tacho("sweep --show latest").exits(0).says(&["measured once, in a step"]);
    let named = format!("sweep tprocc {target} --find-max 'new_order.p95<1s' {load}");
    folder.tacho(&named).exits(2).complains(&["the limit new_order.p95<1s cannot be evaluated"]);
}
