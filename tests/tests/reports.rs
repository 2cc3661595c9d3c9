//! The `tacho report` command: output locations, formats and errors.

#![expect(clippy::disallowed_methods, reason = "a test damages and copies files of runs")]

use serde_json::Value;
use tacho_tests::{Folder, unsealed};

const RUN: &str = "run tpcb 'sim:?statement=0s' -c 8 -d 5s --ramp-up 1s --progress none -o quiet";

#[test]
fn the_form_follows_the_name_of_the_file() {
    let folder = Folder::new();
    folder.tacho(&format!("{RUN} --threshold 'p95<1ns'")).exits(6);
    let table = [
        ("report.html", "<!doctype html>"),
        ("report.md", "# tpcb on sim"),
        ("report.csv", "run,at_s,length_s,phase,"),
        ("report.json", "{"),
        ("report.xml", "<?xml version=\"1.0\""),
    ];
    for (file, begin) in table {
        let done = folder.tacho(&format!("report -o {file}")).exits(0);
        assert_eq!(done.out, "");
        done.complains(&["Saved  ", file]);
        let text = String::from_utf8(folder.read(file)).expect("UTF-8");
        assert!(text.starts_with(begin), "{file}");
    }
    let junit = folder.tacho("report --format junit").exits(0);
    junit.says(&["failures=\"1\"", "threshold p95&lt;1ns", "run is valid"]);
    folder.tacho("report -o -").exits(0).says(&["<!doctype html>"]);
    folder.tacho("report --table transactions").exits(0).says(&["run,transaction,share"]);
    assert_eq!(folder.names().len(), 1 + table.len(), "nothing else was left");
}

#[test]
fn its_json_holds_the_record_that_show_prints() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    let report = folder.report("");
    assert_eq!(report["format"], "tacho-report");
    assert_eq!(report["records"][0], folder.record("latest"));
}

#[test]
fn one_of_anything_is_in_the_singular() {
    let folder = Folder::new();
    folder.write("a.db", "");
    folder.write("one.sql", "SELECT 1;");
    let run =
        "run pgbench:one.sql sqlite:a.db --transactions 1 --ramp-up 0s --threshold 'errors<1%'";
    let summary = folder.tacho(run).exits(4);
    summary.says(&["only 1 transaction succeeded", "1 transaction: too few", "1 session, "]);
    let calls = ["show --errors --timeline", "runs", "report --format md", "timing"];
    let outputs = calls.map(|call| folder.tacho(call).exits(0).out);
    for output in outputs.iter().chain([&summary.out, &summary.err]) {
        let words: Vec<&str> = output.split_whitespace().collect();
        let plural = words.windows(2).find(|pair| {
            let is_one = pair[0].trim_start_matches('(') == "1";
            is_one && pair[1].ends_with('s') && !["is", "was", "has", "ms", "µs"].contains(&pair[1])
        });
        assert_eq!(plural, None, "{output}");
    }
}

#[test]
fn what_cannot_be_reported_is_told_with_a_remedy() {
    let folder = Folder::new();
    folder.tacho("report").exits(2).is_error().complains(&["use tacho run"]);
    folder.tacho(RUN).exits(0);
    let table = [
        ("report zzzz", "the nearest ids"),
        ("report tacho-data/runs", "use the run's id"),
        ("report sweep:latest", "use tacho sweep"),
        ("report tag:none", "tacho runs list"),
        ("report -o report.pdf", ".html, .md, .csv, .json or .xml"),
        ("report --format md --table runs", "--format csv"),
        ("report --table metrics", "--baseline"),
        ("report --table points", "sweep:latest"),
        ("report latest --baseline latest", "specify each run only once"),
        ("report -o nowhere/report.html", "a folder that exists"),
    ];
    for (line, hint) in table {
        folder.tacho(line).exits(2).is_error().complains(&[hint]);
    }
    assert_eq!(folder.names(), ["tacho-data"], "an error leaves no file");
}

#[test]
fn the_lead_of_a_comparison_states_the_change_with_its_interval() {
    let folder = Folder::new();
    for latency in ["4ms", "6ms"] {
        folder
            .tacho(&format!("run tpcb 'sim:?latency={latency}' -c 16 -d 20s --ramp-up 0s -o quiet"))
            .exits(0);
    }
    let json = folder.tacho("compare -o json").exits(0).json();
    let change = &json[0]["metrics"][0]["change"];
    let percent = |end: &str| 100.0 * change[end].as_f64().expect("a share");
    let text = folder.tacho("report latest --baseline latest~1 --format md").exits(0).out;
    let lead = text.split("## ").next().expect("a top");
    let size =
        format!("throughput is {:.1}\u{202f}% lower than in the baseline (", -percent("value"));
    let interval = format!("95\u{202f}% confidence interval −{:.1}\u{202f}%", -percent("low"));
    for words in [&size, &interval, ": WORSE."] {
        assert!(lead.contains(words), "no {words:?} in {lead}");
    }
    // If there are four or more runs, the report states their number instead of listing them.
    folder.tacho("run tpcb sim -c 16 -d 20s --ramp-up 0s -o quiet").exits(0);
    folder.tacho("run tpcb sim -c 16 -d 20s --ramp-up 0s --seed 7 -o quiet").exits(0);
    folder.tacho("run tpcb sim -c 16 -d 20s --ramp-up 0s --seed 8 -o quiet").exits(0);
    let groups = "latest latest~1 latest~2 latest~3 --baseline latest~4 --force --format md";
    let lead = "throughput of 4 runs, each compared with the baseline: ";
    folder.tacho(&format!("report {groups}")).exits(0).says(&[lead]);
}

#[test]
fn runs_side_by_side_show_the_conditions_in_which_they_differ() {
    let folder = Folder::new();
    for (sessions, latency) in [(2, "4ms"), (3, "6ms")] {
        let target = format!("'sim:?latency={latency}'");
        folder.tacho(&format!("run tpcb {target} -c {sessions} -d 5s -o quiet")).exits(0);
    }
    let page = folder.tacho("report latest~1 latest --format md").exits(0).out;
    let first = folder.record("latest~1")["id"].as_str().expect("an id").to_owned();
    let differing = page.split("## Differences").nth(1).expect("a section");
    let row = |name: &str| differing.lines().find(|line| line.contains(name)).unwrap_or_default();
    let latency = row("server.settings.latency");
    assert!(latency.contains("4.00ms") && latency.contains("6.00ms"), "{differing}");
    let sessions = row("plan.sessions");
    assert!(sessions.contains("| 2") && sessions.contains("| 3"), "{differing}");
    assert!(page.contains(&format!("## Conditions, run {first}")), "{page}");
}

#[test]
fn figures_of_two_workloads_share_no_axis() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    folder.tacho("run tprocc sim -c 2 -d 5s --ramp-up 0s -o quiet").exits(0);
    let done = folder.tacho("report latest~1 latest --format md").exits(0);
    done.says(&["| figure |", " transactions/s |", " NOPM |"]);
    assert!(!done.out.contains("of each run"), "{}", done.out);
}

#[test]
fn a_sweep_without_figures_is_not_called_valid() {
    let folder = Folder::new();
    // The database contains the data of another workload, so no point of the sweep can be measured.
    folder.tacho("prepare tpcb sqlite:other.db").exits(0);
    folder.tacho("sweep tprocc sqlite:other.db --vary sessions=1,2 -d 1s --ramp-up 0s").exits(3);
    let done = folder.tacho("report sweep:latest --format md").exits(0);
    done.says(&["NO RESULTS: nothing was measured at 2 points", "contains tpcb"]);
    // Look only at the top of the report, because the glossary at its end also contains this word.
    let top = done.out.split("## ").next().expect("a top");
    assert!(!top.contains("**VALID"), "{top}");
}

#[test]
fn a_full_disk_costs_no_earlier_report() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    folder.tacho("report").exits(0);
    let before = folder.read("report.html");
    // A file size limit has the same effect as a full disk.
    let full = folder.shell("ulimit -f 64; trap '' XFSZ; exec \"$TACHO\" report").done();
    full.is_error().complains(&["write", "hint:"]);
    assert_eq!(folder.read("report.html"), before);
    assert_eq!(folder.names(), ["report.html", "tacho-data"], "nothing half written stays");
    folder.tacho("report -o /dev/full --format html").done().is_error().complains(&["free space"]);
}

#[test]
fn damaged_and_missing_parts_are_named() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    let run = folder.runs().remove(0);
    std::fs::remove_file(run.join("intervals.jsonl.zst")).expect("it is there");
    std::fs::write(run.join("histograms.hlog"), "#[Histogram log]\n1,1,1,AAAA\n").expect("a file");
    let done = folder.tacho("report --format md").exits(0);
    done.says(&[
        "Part of the record is missing",
        "histograms.hlog",
        "intervals",
        "there are no charts over time",
        "distributions cannot be drawn",
        "## Transactions",
    ]);
    folder.report("latest");
}

/// Removes all fields that the schema does not require, so that the record looks like one written
/// by the first version.
fn oldest(value: &mut Value, schema: &Value, root: &Value) {
    let schema = match schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        Some(path) => root.pointer(path).expect("a definition"),
        None => schema,
    };
    match value {
        Value::Object(fields) => {
            let Some(known) = schema["properties"].as_object() else { return };
            let demanded = schema["required"].as_array().cloned().unwrap_or_default();
            fields.retain(|key, _| demanded.contains(&key.as_str().into()));
            fields.iter_mut().for_each(|(key, field)| oldest(field, &known[key], root));
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                oldest(item, &schema["items"], root);
            }
        }
        _ => {}
    }
}

#[test]
fn a_record_without_what_came_later_is_reported_and_compared() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    folder.tacho(RUN).exits(0);
    let schema = folder.tacho("schema run").exits(0).json();
    let file = folder.runs().remove(0).join("run.json");
    let mut record: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("a record")).expect("JSON");
    let whole = record.to_string().len();
    // The schema does not require a result, because a killed run has none. Keep it here.
    let result = record["result"].clone();
    oldest(&mut record, &schema, &schema);
    record["result"] = result;
    let definition = schema.pointer("/$defs/ResultRecord").expect("a definition");
    oldest(&mut record["result"], definition, &schema);
    assert!(record.to_string().len() < whole * 3 / 4, "much came later");
    std::fs::write(&file, record.to_string()).expect("a record");
    let old = "latest~1";
    folder.tacho(&format!("show {old}")).exits(0).says(&["tpcb on sim", "TOO SHORT"]);
    folder.report(old);
    for format in ["html -o -", "md", "csv", "junit"] {
        folder.tacho(&format!("report {old} --format {format}")).exits(0);
    }
    folder.tacho(&format!("report latest --baseline {old} --force -o change.html")).exits(0);
    folder
        .tacho(&format!("compare {old} latest --force"))
        .exits(0)
        .says(&["throughput", "no difference"]);
    folder.tacho(&format!("timing {old}")).exits(0).says(&["tpcb_like"]);
    // A record written by a later version is rejected, and the error gives the reason.
    record["version"] = 99.into();
    std::fs::write(&file, record.to_string()).expect("a record");
    let later = folder.tacho(&format!("report {}", record["id"].as_str().expect("an id"))).done();
    later.is_error().complains(&["newer version"]);
}

#[test]
fn runs_that_are_not_drawn_are_counted_and_compared_all_the_same() {
    let folder = Folder::new();
    for seed in 1..=9 {
        folder.tacho(&format!("{RUN} --seed {seed}")).exits(0);
    }
    let others: Vec<String> = (0..8).map(|back| format!("latest~{back}")).collect();
    let what = format!("{} --baseline latest~8", others.join(" "));
    let page = folder.tacho(&format!("report {what} -o -")).exits(0);
    page.says(&["1 of 9 runs are not drawn: their results are in the table of all runs"]);
    let json = folder.report(&what);
    for chart in ["over-throughput", "over-curves"] {
        assert_eq!(json["charts"][chart]["runs"].as_array().map(Vec::len), Some(8), "{chart}");
    }
    // Only some of the comparisons have a chart, but the changes in all of them have confidence intervals.
    let comparisons = json["comparisons"].as_array().expect("comparisons");
    assert_eq!(comparisons.len(), 8);
    for comparison in comparisons {
        assert!(comparison["metrics"][0]["change"]["low"].is_number(), "{comparison}");
    }
    let few = folder.tacho("report latest latest~1 -o -").exits(0);
    assert!(!few.out.contains("not drawn:"), "nothing is missing");
}

#[test]
fn names_are_hidden_on_request() {
    let folder = Folder::new();
    folder.write("tacho.toml", "[targets.vault7]\nurl = \"sim:\"\n");
    folder
        .tacho("run tpcb vault7 -d 5s --tag vault7tag --note 'for vault7' --progress none -o quiet")
        .exits(0);
    let shown = folder.tacho("report --format json").exits(0);
    shown.says(&["vault7"]);
    folder.report("latest --redact");
    for format in ["html -o -", "md", "csv", "json", "junit"] {
        let hidden = folder.tacho(&format!("report latest --redact --format {format}")).exits(0);
        assert!(!hidden.out.contains("vault7"), "{format}");
    }
}

#[test]
fn hundreds_of_runs_are_read_in_one_go() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    let run = folder.runs().remove(0);
    let name = run.file_name().expect("a name").to_string_lossy().into_owned();
    let record: Value =
        serde_json::from_slice(&std::fs::read(run.join("run.json")).expect("a record"))
            .expect("JSON");
    let record = serde_json::to_string_pretty(&unsealed(record)).expect("text");
    let (begin, id) = name.rsplit_once('-').expect("an id");
    for number in 0..500 {
        let new_id = format!("{number:04}");
        let copy = run.with_file_name(format!("{begin}-{new_id}"));
        std::fs::create_dir(&copy).expect("a folder");
        let tag = if number % 2 == 0 { "even" } else { "odd" };
        let record = record
            .replace(&format!("\"id\": \"{id}\""), &format!("\"id\": \"{new_id}\""))
            .replace("\"tags\": []", &format!("\"tags\": [\"{tag}\"]"));
        std::fs::write(copy.join("run.json"), record).expect("a record");
    }
    folder.tacho("report tag:odd --baseline tag:even -o many.html").exits(0);
    assert!(folder.read("many.html").len() < 2_000_000);
    let csv = folder.tacho("report tag:odd tag:even --format csv").exits(0).out;
    assert_eq!(csv.lines().count(), 501);
    let ids: Vec<String> = (0..500).map(|number| format!("{number:04}")).collect();
    let csv = folder.tacho(&format!("report {} --format csv", ids.join(","))).exits(0).out;
    assert_eq!(csv.lines().count(), 501);
}

#[test]
fn sweeps_of_different_workloads_are_not_compared_with_each_other() {
    let folder = Folder::new();
    let sweep = |workload: &str, latency: &str| {
        let target = format!("'sim:?statement=0s&latency={latency}'");
        let load = "--vary sessions=2,4 --repeat 2 -d 2s --ramp-up 0s";
        let done = folder.tacho(&format!("sweep {workload} {target} {load} -o json")).exits(0);
        done.json()["sweep"]["id"].as_str().expect("an id").to_owned()
    };
    let all = [("tpcb", "1ms"), ("oltp", "1ms"), ("tpcb", "2ms"), ("oltp", "2ms")];
    let ids = all.map(|(workload, latency)| sweep(workload, latency)).join(" ");
    let report: Value =
        serde_json::from_str(&folder.tacho(&format!("report {ids} --format json")).exits(0).out)
            .expect("JSON");
    for workload in ["tpcb", "oltp"] {
        let part = &report["workloads"][workload];
        assert_eq!(part["sweeps"].as_array().map(Vec::len), Some(2), "{workload}");
        assert_eq!(part["sweep_comparisons"].as_array().map(Vec::len), Some(1), "{workload}");
    }
    let page = folder.tacho(&format!("report {ids} --format md")).exits(0);
    page.says(&["# Sweeps of several workloads", "tpcb: ", "oltp: "]);
    let csv = folder.tacho(&format!("report {ids} --format csv")).exits(2);
    csv.is_error().complains(&["one workload at a time"]);
}
