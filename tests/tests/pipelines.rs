//! Pipelines (servers × settings × workloads) are read from a file, compared with a baseline, and resumed.

use serde_json::Value;
use tacho_tests::{Data, Folder, Signal, violations};
use yaml_rust2::{Yaml, YamlLoader};

/// Two simulated servers, the second slower than the first, and a series of session counts.
const SIM: &str = r#"
baseline = "old"
repeat = 3

[servers.old]
target = "sim:?statement=0s&latency=1ms"

[servers.new]
target = "sim:?statement=0s&latency=2ms"

[workloads.bank]
workload = "tpcb"
[workloads.bank.run]
duration = "3s"
ramp_up = "0s"
check = "none"
[workloads.bank.vary]
sessions = [4, 8]
"#;

/// Two servers that are measured in real time, so that the test can interrupt a run.
const NOOP: &str = r#"
baseline = "a"
repeat = 2
fail_on = "never"

[servers.a]
target = "noop"

[servers.b]
target = "noop:"

[workloads.tprocc.run]
duration = "300ms"
ramp_up = "0s"
check = "none"
"#;

/// Returns the server and the session count of each run of the pipeline, in the order in which they ran.
fn order(folder: &Folder) -> Vec<(String, String)> {
    let point = |path: &std::path::PathBuf| {
        let record: Value =
            serde_json::from_slice(&std::fs::read(path.join("run.json")).expect("a record"))
                .expect("JSON");
        let words = |value: &Value| value.to_string().trim_matches('"').to_owned();
        (
            words(&record["started_at"]),
            words(&record["plan"]["target_name"]),
            words(&record["plan"]["sessions"]),
        )
    };
    let mut all: Vec<_> = folder.runs().iter().map(point).collect();
    all.sort();
    all.into_iter().map(|(_, server, sessions)| (server, sessions)).collect()
}

#[test]
fn what_is_slower_than_the_baseline_is_said_everywhere_and_fails() {
    let folder = Folder::new();
    folder.write("ci.toml", SIM);
    let exports = "--export page.html --export junit.xml --export summary.md --export all.json --export all.txt";
    let done = folder.tacho(&format!("pipeline ci.toml {exports}")).exits(7);
    done.says(&["── bank ──", "WORSE"]);
    done.complains(&[
        "Pipeline ci: 12 runs",
        "1 of 12: bank on old: sessions=4",
        "1 of 12 bank on old: sessions=4: ",
        "12 of 12: bank on",
    ]);
    let text = |name: &str| String::from_utf8(folder.read(name)).expect("text");
    assert!(text("all.txt").contains("WORSE") && text("summary.md").contains("WORSE"));
    let junit = text("junit.xml");
    assert!(junit.contains("bank: new (") && junit.contains(") against old ("), "{junit}");
    assert!(junit.contains("<failure message=\"worse: "), "{junit}");
    let page = text("page.html");
    assert!(page.contains("WORSE") && !page.contains("src=\"http") && page.len() < 3_000_000);
    let all: Value = serde_json::from_str(&text("all.json")).expect("JSON");
    let bank = &all["workloads"]["bank"];
    assert_eq!(bank["sweeps"].as_array().map(Vec::len), Some(2));
    assert_eq!(bank["sweep_comparisons"][0]["baseline"]["target_name"], "old");
    let points = bank["sweep_comparisons"][0]["points"].as_array().expect("points");
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|point| point["metrics"][0]["verdict"] == "worse"), "{points:?}");
    // The order of the servers is reversed from one point to the next, and the order of the points from one repetition
    // to the next.
    let order = order(&folder);
    let word = |(server, sessions): &(String, String)| format!("{server}{sessions}");
    let words: Vec<String> = order.iter().map(word).collect();
    let expected = "old4 new4 new8 old8 old8 new8 new4 old4 old4 new4 new8 old8";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn servers_that_are_alike_pass_and_several_workloads_share_a_page() {
    let folder = Folder::new();
    let two = SIM.replace("latency=2ms", "latency=1000us").replace("fail_on", "# fail_on")
        + "[workloads.mix]\nworkload = \"tprocc\"\n[workloads.mix.run]\nduration = \"3s\"\nramp_up = \"0s\"\ncheck = \"none\"\n";
    folder.write("two.toml", &two);
    let done = folder.tacho("pipeline two.toml --export page.html --export junit.xml").exits(0);
    done.says(&["── bank ──", "── mix ──"]);
    let page = String::from_utf8(folder.read("page.html")).expect("text");
    for place in ["id=\"outcome\"", "id=\"bank-comparison\"", "id=\"mix-comparison\""] {
        assert_eq!(page.matches(place).count(), 1, "{place}");
    }
    assert_eq!(page.matches("id=\"reading\"").count(), 1);
    let over_all = "all workloads, new against old: ";
    let last = done.out.trim_end().lines().last().expect("lines");
    assert!(last.starts_with(over_all) && last.contains("over 3 points"), "{last}");
    let place = page.find(over_all).expect("the effect over all workloads");
    assert!(place < page.find("bank, new against old: ").expect("a workload"), "{last}");
    let junit = String::from_utf8(folder.read("junit.xml")).expect("text");
    assert!(junit.contains("name=\"bank: ") && junit.contains("name=\"mix: "));
    folder.write("slow.toml", &two.replace("latency=1000us", "latency=1200us"));
    let done = folder.tacho("pipeline slow.toml").exits(7);
    let last = done.out.trim_end().lines().last().expect("lines");
    assert!(
        last.starts_with("all workloads, new against old: ") && last.contains("WORSE"),
        "{last}"
    );
    // The pipeline is complete, so running it again starts it from the beginning.
    folder.tacho("pipeline two.toml --dry-run").exits(0).says(&["Pipeline two: 18 runs"]);
}

#[test]
fn a_killed_pipeline_continues_and_measures_nothing_twice() {
    let folder = Folder::new();
    folder.write("ci.toml", NOOP);
    let mut run = folder.tacho("pipeline ci.toml --progress json").start();
    run.until_event(|event| event["event"] == "interval");
    // This event belongs to the second run.
    run.until_event(|event| event["event"] == "phase");
    run.signal(Signal::KILL);
    run.wait();
    let before = folder.runs();
    let plan = folder.tacho("pipeline ci.toml --dry-run").exits(0);
    plan.says(&["Pipeline ci, continued: 3 runs", "1 already done"]);
    folder.write("ci.toml", &NOOP.replace("300ms", "200ms"));
    let refused = folder.tacho("pipeline ci.toml").exits(2);
    refused.is_error().complains(&["the file has changed since", "--restart"]);
    folder.write("ci.toml", NOOP);
    folder.tacho("pipeline ci.toml").exits(0).complains(&["2 of 4: tprocc on b"]);
    assert!(folder.runs().starts_with(&before[..1]), "what was measured is kept");
    let servers: Vec<String> = order(&folder).into_iter().map(|run| run.0).collect();
    // The killed run is kept but is not part of the pipeline.
    assert_eq!(servers, ["a", "b", "b", "b", "a"]);
}

#[test]
fn a_pipeline_that_is_stopped_shows_what_it_has_and_continues() {
    let folder = Folder::new();
    folder.write("ci.toml", &NOOP.replace("300ms", "2s"));
    let mut run = folder.tacho("pipeline ci.toml --progress json").start();
    run.until_event(|event| event["event"] == "phase");
    run.signal(Signal::INT);
    let stopped = run.wait();
    stopped.expect_code(130);
    stopped.complains(&["tacho pipeline", "to resume it"]);
    folder.write("ci.toml", &NOOP.replace("300ms", "2s"));
    folder.tacho("pipeline ci.toml --dry-run").exits(0).says(&["continued: 4 runs"]);
}

#[test]
fn a_plan_touches_nothing_and_what_is_wrong_is_told_first() {
    let folder = Folder::new();
    folder.write("ci.toml", SIM);
    let plan = folder.tacho("pipeline ci.toml --dry-run").exits(0);
    plan.says(&[
        "Pipeline ci: 12 runs, 36s",
        "bank (tpcb) on old, new, sessions=4,8: 12 runs, 36s",
    ]);
    assert_eq!(folder.names(), ["ci.toml"]);
    for (from, to, code, hint) in [
        ("repeat", "repeats", 2, "did you mean repeat"),
        ("\"tpcb\"", "\"tpcx\"", 2, "did you mean"),
        ("sessions = [", "sesions = [", 2, "did you mean sessions"),
        ("\"3s\"", "\"3 parsecs\"", 2, "hint"),
        ("sim:?statement=0s&latency=2ms", "sim:?statment=0s", 2, "hint"),
    ] {
        folder.write("bad.toml", &SIM.replace(from, to));
        let done = folder.tacho("pipeline bad.toml").exits(code);
        done.is_error().complains(&[hint]);
    }
    folder.tacho("pipeline none.toml").exits(2).is_error().complains(&["none.toml"]);
    folder.tacho("pipeline ci.toml --export a.csv").exits(2).is_error().complains(&[".html"]);
    folder
        .tacho("pipeline ci.toml --export no/a.html")
        .exits(2)
        .is_error()
        .complains(&["no/a.html"]);
    assert!(folder.runs().is_empty());
}

#[test]
fn the_schema_holds_for_a_file() {
    let folder = Folder::new();
    let schema = folder.tacho("schema pipeline").exits(0).json();
    for text in [SIM, NOOP] {
        let file: toml::Value = toml::from_str(text).expect("TOML");
        let file = serde_json::to_value(file).expect("JSON");
        assert_eq!(violations(&schema, &file), [""; 0]);
    }
}

/// Private servers are created, loaded, measured with two settings each, and removed.
#[test]
fn private_servers_are_started_measured_and_removed() {
    let folder = Folder::open();
    folder.write(
        "pg.toml",
        r#"
fail_on = "never"
repeat = 1

[servers.pg]
product = "postgres"
[servers.pg.set]
fsync = "off"

[settings]
work_mem = ["4MB", "16MB"]

[workloads.tpcb]
[workloads.tpcb.run]
duration = "1s"
ramp_up = "0s"
sessions = 2
"#,
    );
    folder.tacho("pipeline pg.toml --dry-run").exits(0).says(&[
        "2 runs",
        "server.work_mem=4MB,16MB",
        "loads",
        "plus up to 1s of warm-up after each server start, and the time for server starts",
    ]);
    let done = folder.tacho("pipeline pg.toml -o json").exits(0);
    done.complains(&["pg-pg: starting PostgreSQL", "pg-pg: stopping the server"]);
    let rows = done.json()["workloads"]["tpcb"]["sweep"]["rows"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
    folder.tacho("list servers").exits(0).complains(&["no servers"]);
    let settings: Vec<Value> = folder
        .runs()
        .iter()
        .map(|run| {
            let text = std::fs::read(run.join("run.json")).expect("a record");
            let record: Value = serde_json::from_slice(&text).expect("JSON");
            record["server"]["settings"]["work_mem"].clone()
        })
        .collect();
    assert_eq!(settings, ["4MB", "16MB"]);
}

/// Two databases in files, which are loaded before the pipeline starts.
const FILES: &str = r#"
baseline = "a"
repeat = 2
fail_on = "never"

[servers.a]
target = "sqlite:a.db"

[servers.b]
target = "sqlite:b.db"

[workloads.tpcb.run]
transactions = 20
ramp_up = "0s"
check = "none"
"#;

#[test]
fn results_that_cannot_be_compared_are_reported_with_the_error() {
    let folder = Folder::new();
    for (name, scale) in [("a", 1), ("b", 2)] {
        folder.tacho(&format!("prepare tpcb sqlite:{name}.db --scale {scale}")).exits(0);
    }
    folder.write("ci.toml", FILES);
    let exports = "--export page.html --export junit.xml --export all.json --export all.txt";
    let done = folder.tacho(&format!("pipeline ci.toml {exports}")).exits(2);
    done.complains(&["cannot be compared: plan.scale is 1 and 2"]);
    done.says(&["INCOMPLETE: ", "── tpcb-a ──", "── tpcb-b ──"]);
    let text = |name: &str| String::from_utf8(folder.read(name)).expect("text");
    for name in ["page.html", "junit.xml", "all.json", "all.txt"] {
        assert!(text(name).contains("plan.scale is 1 and 2"), "{name}");
    }
    assert!(text("junit.xml").contains("errors=\"1\""), "{}", text("junit.xml"));
    let all: Value = serde_json::from_str(&text("all.json")).expect("JSON");
    for server in ["tpcb-a", "tpcb-b"] {
        let rows = all["workloads"][server]["sweep"]["rows"].as_array().map(Vec::len);
        assert_eq!(rows, Some(1), "{server}: {all}");
    }
    folder.write("ci.toml", &format!("force = true\n{FILES}"));
    folder.tacho("pipeline ci.toml --restart").exits(0).says(&["── tpcb ──"]);
}

/// Two workloads that need different data in the same database.
const TWO: &str = r#"
repeat = 1

[servers.a]
target = "sqlite:a.db"

[workloads.bank]
workload = "tpcb"
prepare = true
[workloads.bank.run]
transactions = 20
ramp_up = "0s"

[workloads.rows]
workload = "oltp"
prepare = true
[workloads.rows.run]
transactions = 20
ramp_up = "0s"
set = ["table_size=100"]
"#;

#[test]
fn each_workload_replaces_the_data_of_the_one_before() {
    let folder = Folder::new();
    folder.write("two.toml", &TWO.replace("prepare = true", ""));
    let plan = folder.tacho("pipeline two.toml --dry-run").exits(2);
    plan.is_error().complains(&["workloads.bank and workloads.rows need different data on a"]);
    folder.write("two.toml", TWO);
    for _ in 0..2 {
        let done = folder.tacho("pipeline two.toml").exits(0);
        done.says(&["── bank ──", "── rows ──"]);
        done.complains(&["a: removing the data of tpcb"]);
    }
    // The pipeline does not replace data that its file does not describe.
    folder.tacho("clean oltp sqlite:a.db --yes").exits(0);
    folder.tacho("prepare tpcb sqlite:a.db --scale 2").exits(0);
    folder.write("two.toml", &TWO.replace("transactions", "scale = 1\ntransactions"));
    folder.tacho("pipeline two.toml").exits(3).complains(&["tpcb at scale 1", "was requested"]);
    folder.tacho("check tpcb sqlite:a.db").exits(0);
}

#[test]
fn an_sql_file_runs_once_before_a_server_is_measured() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        folder.tacho(&format!("prepare tpcb sqlite:{name}.db")).exits(0);
    }
    let file = FILES.replace("\"sqlite:b.db\"", "\"sqlite:b.db\"\nbefore = \"migration.sql\"");
    folder.write("ci.toml", &file);
    folder.tacho("pipeline ci.toml --dry-run").exits(2).complains(&["migration.sql"]);
    folder.write("migration.sql", "CREATE TABLE added (x INTEGER); INSERT INTO added VALUES (7);");
    folder.tacho("pipeline ci.toml").exits(0);
    assert_eq!(Data::open(&folder.file("b.db")).number("SELECT sum(x) FROM added"), 7);
    let tables = Data::open(&folder.file("a.db")).tables();
    assert!(!tables.contains(&"added".into()), "{tables:?}");
}

/// If a pipeline does not set `together`, its servers run one after the other. They may use different ports and
/// folders, which must not be reported as different conditions.
#[test]
fn private_servers_run_alone_and_their_places_are_no_conditions() {
    let folder = Folder::open();
    folder.write(
        "pg.toml",
        r#"
baseline = "a"
fail_on = "never"
repeat = 2

[servers.a]
product = "postgres"
[servers.b]
product = "postgres"
[servers.b.set]
synchronous_commit = "off"

[settings]
work_mem = ["8MB"]

[workloads.tpcb]
[workloads.tpcb.run]
duration = "1s"
ramp_up = "0s"
sessions = 2
check = "none"
"#,
    );
    let mut run = folder.tacho("pipeline pg.toml --progress json -o json").start();
    let mut seen = Vec::new();
    for _ in 0..4 {
        run.until_event(|event| event["event"] == "interval");
        let servers = folder.tacho("list servers -o json").exits(0).json();
        let servers = servers.as_array().cloned().expect("servers");
        let running = servers.iter().filter(|server| server["state"] == "running");
        let names = running.map(|server| server["name"].to_string()).collect::<Vec<_>>();
        seen.push(names.join(" "));
        run.until_event(|event| event["event"] == "note");
    }
    let done = run.wait();
    done.expect_code(0);
    // When two runs in a row use the same server, the second one needs no warm-up.
    assert_eq!(done.err.matches("warming up for at most 1s").count(), 3, "{}", done.err);
    // Warm-ups must not count as earlier runs on the data.
    let before = |run: &std::path::PathBuf| {
        let text = std::fs::read(run.join("run.json")).expect("a record");
        let record: Value = serde_json::from_slice(&text).expect("JSON");
        record["data"]["runs_before"].as_u64().expect("a number")
    };
    let mut runs_before: Vec<u64> = folder.runs().iter().map(before).collect();
    runs_before.sort_unstable();
    assert_eq!(runs_before, [0, 0, 1, 1]);
    // On a slow machine, the server may already have been stopped when the servers were listed.
    for (names, server) in seen.iter().zip(["\"pg-a\"", "\"pg-b\"", "\"pg-b\"", "\"pg-a\""]) {
        assert!(names.is_empty() || names == server, "{seen:?}");
    }
    assert!(seen.iter().any(|names| !names.is_empty()), "{seen:?}");
    let compared = &done.json()["workloads"]["tpcb"]["sweep_comparisons"][0];
    let conditions = compared["conditions"].as_array().expect("conditions");
    let names: Vec<&Value> = conditions.iter().map(|one| &one["name"]).collect();
    let expected = ["plan.target_name", "server.settings.synchronous_commit"];
    assert_eq!(names, expected, "{conditions:?}");
    folder.tacho("list servers").exits(0).complains(&["no servers"]);
}

/// The file in the guide is valid.
#[test]
fn the_file_of_the_guide_is_right() {
    let folder = Folder::new();
    let guide = include_str!("../../docs/guides/pipelines.md");
    let file = guide.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    folder.write("nightly.toml", file.expect("a file"));
    let plan = folder.tacho("pipeline nightly.toml --dry-run").exits(0);
    plan.says(&["Pipeline nightly: 24 runs, 28m", "tprocc on pg, tuned", "loads about"]);
}

fn yaml(text: &str) -> Yaml {
    YamlLoader::load_from_str(text).expect("YAML").swap_remove(0)
}

/// Puts `tacho` into a folder in `PATH`, where the action and the CI job look for it.
const IN_PATH: &str =
    "mkdir -p bin && ln -sf \"$TACHO\" bin/tacho && export PATH=\"$PWD/bin:$PATH\"\n";

#[test]
fn the_action_for_github_shows_the_comparison_in_the_summary_and_fails_with_it() {
    let action = yaml(include_str!("../../contrib/github-action/action.yml"));
    for key in ["name", "description"] {
        assert!(action[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let steps = action["runs"]["steps"].as_vec().expect("steps");
    let (measure, keep) = (&steps[0], &steps[1]);
    assert_eq!(keep["if"].as_str(), Some("always()"));
    let inputs = action["inputs"].as_hash().expect("inputs");
    // Steps of a composite action require a shell, and receive inputs only through the environment.
    assert_eq!(measure["shell"].as_str(), Some("bash"));
    let environment = measure["env"].as_hash().expect("an environment");
    for value in environment.values().filter_map(Yaml::as_str) {
        let name = value.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        assert!(inputs.contains_key(&Yaml::String(name.into())), "{value}");
    }
    let script = measure["run"].as_str().expect("a script");
    assert!(!script.contains("${{"), "{script}");
    let folder = Folder::new();
    folder.write("ci.toml", SIM);
    folder.write("step.sh", &format!("{IN_PATH}{script}"));
    let done = folder
        .shell("bash -eo pipefail step.sh")
        .env("PIPELINE_FILE", "ci.toml")
        .env("REPORT_FOLDER", "out")
        .env("GITHUB_STEP_SUMMARY", "step-summary.md")
        .done();
    assert_eq!(done.code(), 7, "{}\n{}", done.out, done.err);
    let summary = String::from_utf8(folder.read("step-summary.md")).expect("text");
    assert!(summary.starts_with("# ") && summary.contains("WORSE"), "{summary}");
    for name in ["out/index.html", "out/junit.xml"] {
        assert!(!folder.read(name).is_empty(), "{name}");
    }
}

#[test]
fn the_template_for_gitlab_keeps_page_and_verdicts() {
    let text = include_str!("../../contrib/gitlab-ci.yml");
    let template = yaml(text);
    let job = &template[".tacho-pipeline"];
    let lines = job["script"].as_vec().expect("a script").iter().filter_map(Yaml::as_str);
    let script: Vec<&str> = lines.collect();
    let variables = job["variables"].as_hash().expect("variables");
    let folder = Folder::new();
    let mut values = String::new();
    for (key, value) in variables {
        let (key, value) = (key.as_str().expect("a name"), value.as_str().expect("a text"));
        values.extend([key, "=", value, "\n"]);
        if key == "PIPELINE_FILE" {
            folder.write(value, SIM);
        }
    }
    let done = folder.shell(&format!("set -e\n{values}{IN_PATH}{}", script.join("\n"))).done();
    assert_eq!(done.code(), 7, "{}\n{}", done.out, done.err);
    let artifacts = &job["artifacts"];
    assert_eq!(artifacts["when"].as_str(), Some("always"));
    let junit = artifacts["reports"]["junit"].as_str().expect("a path");
    let report = variables[&Yaml::String("REPORT_FOLDER".into())].as_str().expect("a folder");
    let junit = junit.replace("$REPORT_FOLDER", report);
    assert!(String::from_utf8_lossy(&folder.read(&junit)).contains("<testsuites"));
    // The file contains a hint as a comment. Once uncommented, the hint must be valid YAML that names the job.
    let told: String = text
        .lines()
        .filter_map(|line| line.strip_prefix("#   "))
        .flat_map(|line| [line, "\n"])
        .collect();
    let told = yaml(&told);
    assert_eq!(told["benchmark"]["extends"].as_str(), Some(".tacho-pipeline"));
}
