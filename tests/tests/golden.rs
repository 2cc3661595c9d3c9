//! Tests that the records, events, summaries and reports of simulated runs are the same as in `tests/golden`.
//!
//! If a change is intended, `TACHO_GOLDEN=write cargo xtask test` writes the files again.
//!
//! Start reading at [`RUNS`].

#![expect(
    clippy::disallowed_methods,
    reason = "files of the repository, and a variable for their author"
)]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tacho_tests::{Done, Folder};

/// The runs, each with the name of its expected files (without their extensions) and its arguments.
const RUNS: [(&str, &str); 20] = [
    ("plain", "tprocc sim -c 3 -d 10s --ramp-up 1s"),
    ("paced", "tprocc 'sim:?latency=2ms' -c 50 -d 20s --ramp-up 2s --pacing x0.05"),
    (
        "failing",
        "tprocc 'sim:?deadlocks=1%&capacity=10&stall_every=5s&stall=1s' -c 20 -d 9s --ramp-up 1s --retry new",
    ),
    (
        "open-pipelined",
        "tprocc 'sim:?latency=1ms&errors=0.1%' -c 20 -r 300 -d 10s --ramp-up 1s --form pipelined",
    ),
    ("hammerdb", "tprocc 'sim:?spread=fixed' -s 20 --profile hammerdb -c 8 -d 10s --ramp-up 1s"),
    ("overloaded", "tprocc sim -c 2 -r 2000 -d 5s --ramp-up 1s"),
    ("by-number", "tprocc sim -c 2 --transactions 300 --ramp-up 0s"),
    ("thresholds", "tprocc sim -c 4 -d 9s --ramp-up 1s --threshold p99<1ms --threshold nopm>10"),
    ("steps", "tprocc sim --ramp-up 1s --load 'steps: 2x4s, 8x4s, 4x4s'"),
    ("waves", "tprocc sim -c 8 --ramp-up 0s --load 'wave: 20..90/s period 5s for 10s'"),
    (
        "labelled",
        "tprocc sim -c 3 -r 200 --spacing uniform -d 3s --ramp-up 0s --set mix=weights --tag base --note first",
    ),
    ("wound-down", "tprocc sim -c 64 -d 5s --ramp-up 1s --ramp-down 2s --drain 7s"),
    ("tpcb", "tpcb sim -c 4 -d 9s --ramp-up 1s"),
    ("tpcb-select", "tpcb sim -c 4 --profile select-only -d 3s --ramp-up 1s"),
    ("oltp", "oltp sim -c 4 -d 3s --ramp-up 1s"),
    ("oltp-reads", "oltp sim -c 4 --profile read-only --set skip_trx=true -d 3s --ramp-up 1s"),
    ("chbench", "chbench sim -c 4 -d 2s --ramp-up 1s"),
    ("attempts", "tprocc 'sim:?deadlocks=5%' -c 8 -d 5s --ramp-up 1s --retry same --attempts 2"),
    ("sysbench", "tprocc sim -c 4 -d 5s --ramp-up 1s --profile sysbench-tpcc"),
    (
        "outage",
        "tprocc 'sim:?outage_at=3s&outage=2s' -c 4 -d 9s --ramp-up 1s --on-disconnect reconnect",
    ),
];
/// Runs whose events are compared too. There is one for each kind of load.
const WITH_EVENTS: [&str; 7] =
    ["by-number", "labelled", "overloaded", "steps", "oltp", "chbench", "attempts"];
/// Maximum length of a value in the expected files. If a value is longer, the file contains its hash instead.
const VALUE_MAX: usize = 20_000;
/// Number of digits that are compared. Further digits depend on the math library.
const DIGITS: usize = 9;
/// Kinds of events that were added after the expected files had been written. They are ignored, just as any program
/// that reads events may ignore kinds that it does not know.
const LATER: [&str; 2] = ["host", "mark"];
/// Parts of a record that are different on another machine, at another time or in another build.
const OF_THE_MOMENT: [&str; 6] =
    ["id", "started_at", "ended_at", "host", "tool_version", "checksums"];
/// Prefixes of lines that describe the machine.
const MACHINE: [&str; 9] = [
    "  name     ",
    "**machine**",
    "  os     ",
    "  cpu     ",
    "  memory     ",
    "  host     ",
    "**processor**",
    "**memory**",
    "**system**",
];

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Compares a string with the contents of a file or, if requested, writes the file.
fn compare(name: &str, found: &str) {
    let path = place(name);
    if std::env::var("TACHO_GOLDEN").is_ok_and(|value| value == "write") {
        return fs::write(path, found).expect("a golden file is written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if let Some((number, (was, is))) =
        expected.lines().zip(found.lines()).enumerate().find(|(_, (was, is))| was != is)
    {
        panic!("{name}, line {}: was\n{was}\nis\n{is}", number + 1);
    }
    assert_eq!(expected.lines().count(), found.lines().count(), "{name}: number of lines");
}

/// Normalizes a value. Sorts its keys, rounds its numbers, and removes the keys in `left_out`.
fn settled(value: &Value, left_out: &[&str]) -> Value {
    match value {
        Value::Object(fields) => {
            let mut kept: Vec<_> =
                fields.iter().filter(|(key, _)| !left_out.contains(&key.as_str())).collect();
            kept.sort_by_key(|(key, _)| *key);
            let pairs =
                kept.into_iter().map(|(key, value)| (key.clone(), settled(value, left_out)));
            Value::Object(pairs.collect())
        }
        Value::Array(values) => values.iter().map(|value| settled(value, left_out)).collect(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().expect("a number");
            format!("{number:.*e}", DIGITS - 1).parse::<f64>().expect("a number").into()
        }
        other => other.clone(),
    }
}

/// Returns a line for each key of an object. If a key's value is an object too, returns a line for each of its keys
/// instead.
fn lines(value: &Value) -> String {
    let mut text = String::new();
    for (outer, value) in value.as_object().expect("an object") {
        match value.as_object() {
            Some(fields) => fields.iter().for_each(|(inner, value)| {
                text.extend([outer, ".", inner, " = ", &shortened(value), "\n"]);
            }),
            None => text.extend([outer, " = ", &value.to_string(), "\n"]),
        }
    }
    text
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= VALUE_MAX {
        return text;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{} characters, {:016x}", text.len(), hasher.finish())
}

/// Removes the name and the time of the run from a text.
fn masked(text: &str, record: &Value, folder: &Folder) -> String {
    let id = record["id"].as_str().expect("an id");
    let started = record["started_at"].as_str().expect("a time");
    let (day, minute) = (&started[..10], &started[11..16]);
    let moment = started[..19].replace(':', "-");
    let place = folder.path().display().to_string();
    let text = text.replace(&place, "FOLDER").replace(started, "BEGIN").replace(&moment, "BEGIN");
    // Replace the ID only after certain words, because an ID that consists of digits could be a part of a number.
    let named = |text: String, before: &str| {
        text.replace(&format!("{before}{id}"), &format!("{before}RUN_"))
    };
    let text = ["run ", "Run ", "-", "\n"].into_iter().fold(text, named);
    let text = text.replace(day, "DAY").replace(minute, "HH:MM");
    let of_machine = |line: &&str| MACHINE.iter().any(|word| line.contains(word));
    let lines: Vec<&str> = text.lines().filter(|line| !of_machine(line)).collect();
    lines.join("\n") + "\n"
}

/// Returns the events, one per line. If `exact` is false, returns only their keys, because their values may differ.
fn events(done: &Done, exact: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in done.err.lines().filter(|line| line.starts_with('{')) {
        let event: Value = serde_json::from_str(line).expect("an event");
        if LATER.iter().any(|name| event["event"] == *name) {
            continue;
        }
        let line = if exact {
            let left_out = [&OF_THE_MOMENT[..], &["run", "remaining_s"]].concat();
            settled(&event, &left_out).to_string()
        } else {
            let mut keys: Vec<_> = event.as_object().expect("an object").keys().collect();
            keys.sort();
            format!("{} {keys:?}", event["event"])
        };
        // Consecutive events of the same kind count as one, because their number depends on the speed of the machine.
        if exact || lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    assert!(!lines.is_empty(), "{}", done.err);
    lines.join("\n") + "\n"
}

#[test]
fn runs_leave_the_same_records_events_and_summaries() {
    for (name, line) in RUNS {
        let folder = Folder::new();
        let done = folder.tacho(&format!("run {line} --progress json")).done();
        let record = folder.record("latest");
        compare(&format!("{name}.record"), &lines(&settled(&record, &OF_THE_MOMENT)));
        if WITH_EVENTS.contains(&name) {
            compare(&format!("{name}.events"), &events(&done, true));
        }
        compare(&format!("{name}.txt"), &masked(&done.out, &record, &folder));
    }
}

#[test]
fn a_report_and_a_plan_are_the_same() {
    let folder = Folder::new();
    folder.tacho(&format!("run {} --progress none", RUNS[0].1)).done();
    let record = folder.record("latest");
    for format in ["md", "csv", "xml"] {
        folder.tacho(&format!("report latest -o report.{format}")).exits(0);
        let text = String::from_utf8(folder.read(&format!("report.{format}"))).expect("text");
        compare(&format!("report.{format}"), &masked(&text, &record, &folder));
    }
    let plan = folder.tacho("show latest --plan").exits(0);
    compare("plan.txt", &masked(&plan.out, &record, &folder));
}

#[test]
fn other_commands_report_the_same_events() {
    let folder = Folder::new();
    let line = "sweep tprocc sim --vary sessions=1,2,4 -d 3s --ramp-up 1s --progress json";
    compare("sweep.events", &events(&folder.tacho(line).done(), true));
    let target = "sqlite:a.db?synchronous=off";
    let line = format!("prepare tpcb '{target}' --progress json");
    compare("prepare.events", &events(&folder.tacho(&line).exits(0), false));
    let line = format!("check tpcb '{target}' --progress json");
    compare("check.events", &events(&folder.tacho(&line).exits(0), false));
}
