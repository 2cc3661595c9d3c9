//! Runs with the same seed must have the same results, byte for byte. Runs with different seeds must not.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tacho_tests::Folder;

const LOAD: &str = "-c 50 -d 1m --ramp-up 10s --ramp-down 5s -o json --progress none";

/// Runs a load. Returns the result as text, the intervals, and the histograms. Dates are removed, because they differ
/// between runs.
fn run(folder: &Folder, line: &str) -> [Vec<u8>; 3] {
    let record = folder.tacho(&format!("run tprocc {line} {LOAD}")).done().json();
    let saved = folder.runs();
    let id = record["id"].as_str().expect("an id");
    let saved = saved.iter().find(|path| path.to_string_lossy().ends_with(id)).expect("a folder");
    assert!(record["result"]["accounting"]["committed"].as_u64() > Some(1_000));
    [record["result"].to_string().into_bytes(), read(saved, "intervals.jsonl.zst"), log(saved)]
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).expect("a file of the run")
}

/// Returns the histograms without the comments at their start, which contain the date.
fn log(folder: &Path) -> Vec<u8> {
    let text = String::from_utf8(read(folder, "histograms.hlog")).expect("text");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    assert!(lines.len() > 10, "{text}");
    lines.join("\n").into_bytes()
}

#[test]
fn equal_seeds_give_equal_records_and_others_do_not() {
    let table = [
        "sim:?latency=2ms --pacing x0.05",
        "sim:?deadlocks=1%&capacity=10&stall_every=20s&stall=1s --retry new",
        "sim:?latency=1ms&errors=0.1% -r 300 --form pipelined",
        "sim:?spread=fixed -s 20 --profile hammerdb",
    ];
    for line in table {
        let folder = Folder::new();
        let first = run(&folder, &format!("{line} --seed 7"));
        let again = run(&folder, &format!("{line} --seed 7"));
        let other = run(&folder, &format!("{line} --seed 8"));
        for (place, name) in ["result", "intervals", "histograms"].into_iter().enumerate() {
            assert!(first[place] == again[place], "{line}: two {name} of one seed differ");
            assert!(first[place] != other[place], "{line}: {name} do not depend on the seed");
        }
    }
}

#[test]
fn the_seed_decides_the_data() {
    let folder = Folder::new();
    let build = |name: &str, seed: u64| {
        let target = format!("sqlite:{name}?synchronous=off");
        folder.tacho(&format!("prepare tprocc {target} --seed {seed}")).exits(0);
        tacho_tests::Data::open(&folder.file(name)).fingerprint()
    };
    let (first, again, other) = (build("a.db", 1), build("b.db", 1), build("c.db", 2));
    assert_eq!(first, again);
    let table = |lines: &[String], name: &str| {
        lines.iter().find(|line| line.starts_with(&format!("{name}: "))).cloned().expect("a table")
    };
    for name in ["item", "stock", "customer", "orders", "order_line", "warehouse", "district"] {
        assert_ne!(table(&first, name), table(&other, name));
    }
    assert_eq!(table(&first, "new_order"), table(&other, "new_order"));
}

/// A run can be repeated from its saved plan. Its requests must be the same unless an option changes them.
#[test]
fn a_saved_run_is_repeated_from_its_plan() {
    let folder = Folder::new();
    let first = "run tprocc sim -c 3 -r 500 --spacing uniform -d 2s --ramp-up 0s --seed 9 --retry new \
                 --set mix=weights --threshold p99<9s --tag base --note first --drain 7s";
    folder.tacho(first).done();
    let plan = |line: &str| {
        folder.tacho(line).done();
        let mut record = folder.record("latest");
        let plan = record["plan"].as_object_mut().expect("a plan");
        let command = plan.remove("command").expect("a command");
        (record["plan"].clone(), record["result"]["accounting"].clone(), command)
    };
    let asked = folder.record("latest");
    let (same, accounting, command) = plan("run --from latest");
    let mut expected = asked["plan"].clone();
    assert_eq!(command, expected.as_object_mut().expect("a plan").remove("command").expect("one"));
    assert_eq!((same, &accounting), (expected.clone(), &asked["result"]["accounting"]));
    assert_eq!(folder.record("latest")["tags"], asked["tags"]);

    let (other, _, _) = plan("run --from base --sessions 5 --seed 10");
    (expected["sessions"], expected["seed"]) = (5.into(), 10.into());
    assert_eq!(other, expected);
    // A repeated run has the same fixed number of transactions as the original run, unless a duration is requested.
    folder.tacho("run tprocc sim --transactions 300 --ramp-up 0s").done();
    let by_number = folder.record("latest")["plan"].clone();
    assert_eq!(plan("run --from latest").0["transactions"], by_number["transactions"]);
    let (by_time, _, _) = plan("run --from latest -d 2s");
    assert_eq!(
        (&by_time["transactions"], by_time["duration_s"].as_f64()),
        (&Value::Null, Some(2.0))
    );
    let wrong = folder.tacho("run --from nothing").exits(2);
    wrong.complains(&["nothing"]);
}
