//! Tests of the main use case: the user enters `tacho run` in an empty folder, and then works with the result.

use crate::prepared::ONE;
use serde_json::Value;
use tacho_tests::{Folder, violations};

/// Arguments of a run that is just long enough to have a result.
const SHORT: &str = "run tprocc sqlite:a.db?synchronous=off -d 1s --ramp-up 200ms";

fn checks(record: &Value) -> usize {
    let checks = record["result"]["checks"].as_array().expect("checks");
    assert!(checks.iter().all(|check| check["verdict"] == "holds"), "{checks:?}");
    checks.len()
}

/// Creates a folder that contains a prepared database and a saved run.
fn folder_with_run() -> Folder {
    let folder = ONE.folder();
    folder.tacho(SHORT).exits(0);
    folder
}

#[test]
fn without_arguments_everything_is_done_in_a_folder_of_its_own() {
    let folder = Folder::new();
    let done = folder.tacho("run -d 4s --ramp-up 500ms").exits(0);
    done.says(&["tprocc on sqlite", "\n  TOO SHORT: ", "NOPM (schema)", "24 of 24 after the run"]);
    done.says(&["Derived from the TPC-C benchmark", "Saved  ", "Next   "]);
    done.complains(&["preparing 1 warehouse", "ramp-up for 500ms", "measure"]);
    assert_eq!(folder.names(), ["tacho-data"]);
    let record = folder.record("latest");
    assert_eq!((&record["state"], &record["result"]["valid"]), (&"complete".into(), &true.into()));
    assert_eq!(record["result"]["ended_by"], "time");
    assert_eq!(record["data"]["runs_before"], 0);
    assert_eq!(checks(&record), 30);
}

#[test]
fn the_second_run_uses_the_data_of_the_first() {
    let folder = Folder::new();
    folder.tacho("run -d 1s --ramp-up 0s").exits(0).complains(&["preparing 1 warehouse"]);
    let second = folder.tacho("run -d 1s --ramp-up 0s").exits(0);
    assert!(!second.err.contains("preparing"), "{}", second.err);
    let record = folder.record("latest");
    assert_eq!(record["data"]["runs_before"], 1);
    assert_eq!(checks(&record), 30);
    assert_eq!(folder.runs().len(), 2);
}

#[test]
fn another_profile_gets_data_of_its_own() {
    let folder = Folder::new();
    folder.tacho("run -d 1s --ramp-up 0s --dir elsewhere").exits(0);
    let done = folder.tacho("run -d 1s --ramp-up 0s --dir elsewhere --profile hammerdb").exits(0);
    done.complains(&["preparing 1 warehouse"]);
    assert_eq!(folder.names(), ["elsewhere"]);
}

#[test]
fn the_answer_is_alone_on_standard_output() {
    let folder = ONE.folder();
    let done = folder.tacho(&format!("{SHORT} --output json")).exits(0);
    assert_eq!(done.json(), folder.record("latest"));
    done.complains(&["time  phase", "measure"]);
    let quiet = folder.tacho(&format!("{SHORT} --output quiet --progress none")).exits(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn the_record_is_as_its_schema_says() {
    let folder = folder_with_run();
    let schema = folder.tacho("schema run").exits(0).json();
    let record = folder.record("latest");
    assert_eq!(violations(&schema, &record), Vec::<String>::new());
    let on_disk = std::path::Path::new("tacho-data/runs").join(&folder.runs()[0]);
    let on_disk = folder.read(&on_disk.join("run.json").to_string_lossy());
    let mut on_disk: Value = serde_json::from_slice(&on_disk).expect("JSON");
    assert_eq!(violations(&schema, &on_disk), Vec::<String>::new());
    let checksums = on_disk.as_object_mut().expect("an object").remove("checksums");
    assert!(checksums.is_some_and(|sums| sums["files"]["intervals.jsonl.zst"].is_string()));
    assert_eq!(on_disk, record);
    assert_eq!((&record["format"], &record["version"]), (&"tacho-run".into(), &1.into()));
}

#[test]
fn progress_as_json_is_one_event_per_line_as_the_schema_says() {
    let folder = Folder::new();
    let line = "run -d 1s --ramp-up 200ms --interval 200ms --progress json";
    let done = folder.tacho(line).exits(0);
    let schema = folder.tacho("schema interval").exits(0).json();
    let mut kinds = Vec::new();
    for line in done.err.lines() {
        let mut event: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let kind = event["event"].as_str().expect("a kind").to_owned();
        if kind == "interval" {
            event.as_object_mut().expect("an object").remove("event");
            assert_eq!(violations(&schema, &event), Vec::<String>::new(), "{line}");
        }
        kinds.push(kind);
    }
    for (kind, least) in [("note", 1), ("build", 1), ("phase", 2), ("interval", 5), ("check", 8)] {
        let count = kinds.iter().filter(|known| *known == kind).count();
        assert!(count >= least, "{count} × {kind}: {kinds:?}");
    }
}

#[test]
fn exports_hold_the_result() {
    let folder = ONE.folder();
    let done =
        folder.tacho(&format!("{SHORT} --export x.json --export x.txt --export x.html")).exits(0);
    let exported: Value = serde_json::from_slice(&folder.read("x.json")).expect("JSON");
    assert_eq!(exported, folder.record("latest"));
    assert_eq!(String::from_utf8_lossy(&folder.read("x.txt")).trim_end(), done.out.trim_end());
    // If a result is written to an existing file that is longer, the whole old content must be replaced.
    folder.write("x.txt", &"long ".repeat(10_000));
    folder.tacho(&format!("{SHORT} --export x.txt --output quiet")).exits(0);
    let text = folder.read("x.txt");
    assert!(text.starts_with(b"tprocc on sqlite") && !text.ends_with(b"long "));
}

#[test]
fn every_part_of_a_run_can_be_shown() {
    let folder = folder_with_run();
    let table: &[(&str, &[&str])] = &[
        ("", &["TOO SHORT", "new_order", "accounting", "24 of 24", "Next   tacho show"]),
        ("latest", &["TOO SHORT"]),
        ("--timeline", &["time  phase", "00:01  measure"]),
        ("--transactions", &["Latency (end − due)", "Service time (end − sent)", "delivery"]),
        ("--errors", &["No errors."]),
        ("--plan", &["scale                    1 warehouse", "synchronous", "Again", "tacho run "]),
        ("--audit", &["new-order share", "5.2.3", "mean order lines"]),
        ("--checks", &["✓ C1 ", "✓ C12 ", "3.3.2.12"]),
        ("latest --checks --errors", &["✓ C7 ", "No errors."]),
    ];
    for (arguments, texts) in table {
        let done = folder.tacho(&format!("show {arguments}")).exits(0);
        done.says(texts);
        assert_eq!(done.err, "", "show {arguments}");
    }
    let [server, waits] =
        ["--server", "--waits"].map(|part| folder.tacho(&format!("show {part}")).exits(0).out);
    assert_eq!(server, waits);
}

#[test]
fn the_command_in_the_record_repeats_the_run() {
    let folder = ONE.folder();
    folder.tacho(&format!("{SHORT} -c 2 --retry same --threshold 'errors<50%'")).exits(0);
    let first = folder.record("latest");
    let command = first["plan"]["command"].as_str().expect("a command").to_owned();
    folder.shell(&format!("tacho() {{ \"$TACHO\" \"$@\"; }}; {command}")).exits(0);
    let second = folder.record("latest");
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["plan"], second["plan"]);
}

#[test]
fn runs_are_listed_labelled_and_pruned() {
    let folder = ONE.folder();
    folder.tacho("runs list").exits(0).complains(&["no runs in", "use tacho run"]);
    for tag in ["--tag first", "--tag second --note 'a remark'", ""] {
        folder.tacho(&format!("{SHORT} {tag}")).exits(0);
    }
    folder.tacho("runs list").exits(0).says(&["first", "second", "TOO SHORT", "warnings", "W01"]);
    assert_eq!(folder.record("second")["note"], "a remark");
    assert_eq!(folder.record("latest~2")["tags"][0], "first");
    let id = folder.record("first")["id"].as_str().expect("an id").to_owned();
    assert_eq!(folder.record(&id[..3])["tags"][0], "first");
    folder.tacho("runs tag first baseline kept").exits(0).says(&[&id, "first, baseline, kept"]);
    folder.tacho("runs tag baseline first kept --remove").exits(0).says(&["baseline"]);
    assert_eq!(folder.tacho("runs tag baseline quiet -o quiet").exits(0).out, "");
    let labels = folder.tacho("runs tag baseline quiet --remove -o json").exits(0).json();
    assert_eq!(labels["tags"], serde_json::json!(["baseline"]));
    folder.tacho("runs note baseline 'ein Wort'").exits(0);
    assert_eq!(folder.record("baseline")["note"], "ein Wort");
    folder.tacho("runs note baseline ''").exits(0);
    assert_eq!(folder.record("baseline")["note"], Value::Null);
    folder.tacho("runs prune --keep 0 --dry-run").exits(0).says(&["1 run would be removed"]);
    assert_eq!(folder.runs().len(), 3);
    folder.tacho("runs prune --keep 0").exits(0).says(&["removed"]);
    let left = folder.tacho("runs list --output json").exits(0).json();
    let tags: Vec<&Value> =
        left.as_array().expect("a list").iter().map(|r| &r["tags"][0]).collect();
    assert_eq!(tags, ["second", "baseline"]);
}

#[test]
fn a_plan_leaves_the_scale_to_the_loaded_data() {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:a.db --scale 2 --progress none").exits(0);
    let run = "run tpcb sqlite:a.db --dry-run";
    let plan = folder.tacho(run).exits(0);
    plan.says(&["taken from the loaded data, or 1 scale unit if no data is loaded"]);
    assert!(!plan.out.contains("--scale 1"), "{}", plan.out);
    let record = folder.tacho(&format!("{run} -o json")).exits(0).json();
    assert_eq!(record["plan"]["from_data"], serde_json::json!(["scale", "profile"]));
    folder.tacho("run tpcb sqlite:a.db -d 1s --ramp-up 0s -o quiet").exits(0);
    let record = folder.record("latest");
    assert_eq!((&record["plan"]["scale"], &record["plan"]["from_data"]), (&2.into(), &Value::Null));
    folder.tacho(&format!("{run} --scale 2")).exits(0).says(&["--scale 2"]);
    let simulated = folder.tacho("run tpcb sim --dry-run").exits(0);
    assert!(!simulated.out.contains("loaded data"), "{}", simulated.out);
}

/// The workload and the target may be given as options instead of arguments.
#[test]
fn workload_and_target_may_be_given_as_options() {
    let folder = Folder::new();
    let calls = [
        ("prepare", "--progress none"),
        ("check", ""),
        ("run", "--transactions 20 --ramp-up 0s"),
        ("sweep", "--vary sessions=1 --transactions 20 --ramp-up 0s"),
        ("attribute", "--from tpcb-like --to simple-update --dry-run"),
        ("generate", "--to files"),
        ("clean", "--yes"),
    ];
    let commands = folder.tacho("--help").exits(0).out;
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let documents = |name: &str| {
        let help = folder.tacho(&format!("{name} --help")).done().out;
        ["--workload <NAME>", "--target <NAME|URL>"].iter().all(|option| help.contains(option))
    };
    let mut documented: Vec<&str> = names.filter(|name| documents(name)).collect();
    documented.sort_unstable();
    let mut called = calls.map(|(command, _)| command);
    called.sort_unstable();
    assert_eq!(documented, called);
    for (command, rest) in calls {
        folder.tacho(&format!("{command} --workload tpcb --target sqlite:b.db {rest}")).exits(0);
    }
    folder.tacho("prepare --target sqlite:b.db --workload=tpcb --progress none").exits(0);
    folder.tacho("doctor --target sqlite:b.db").exits(0).says(&["tpcb scale 1"]);
}

#[test]
fn a_closed_pipe_is_success() {
    let folder = folder_with_run();
    for line in ["show", "runs list", "describe tprocc", "completions bash", "schema run", "--help"]
    {
        let done = folder.tacho(line).hung_up();
        done.expect_code(0);
        assert_eq!(done.err, "", "{line}");
    }
    // A run must complete even if nobody reads its progress output.
    let run = format!("{SHORT} --interval 100ms");
    folder.shell(&format!("\"$TACHO\" {run} 2>&1 | head -n 1")).exits(0);
    let line = format!("( \"$TACHO\" {run} 2>&1; echo $? > code ) | head -n 1");
    folder.shell(&line).exits(0);
    assert_eq!(folder.read("code"), b"0\n");
    assert_eq!(folder.record("latest")["state"], "complete");
    assert_eq!(folder.runs().len(), 3);
}
