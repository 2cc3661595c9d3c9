//! Tests that `tacho attribute` measures known costs and their sum correctly, and rejects everything that it cannot
//! measure.

use serde_json::Value;
use tacho_tests::{Folder, Signal};

/// Arguments for a simulated server on which only a round trip takes time, which is 1 ms.
const SIM: &str = "'sim:?latency=1ms&spread=fixed&statement=0us' --sessions 4 -d 20s --check none";

fn group<'a>(found: &'a Value, title: &str) -> &'a Value {
    let groups = found["groups"].as_array().expect("groups");
    groups
        .iter()
        .find(|group| group["title"] == title)
        .unwrap_or_else(|| panic!("no {title}: {found}"))
}

#[test]
fn known_costs_are_within_their_intervals() {
    let folder = Folder::new();
    let sides = "--from spec,statements=apart --to \
                 spec,statements=apart,ping=true,terms=separate,target.latency=2ms";
    let done = folder.tacho(&format!("attribute tprocc {SIM} {sides} --rounds 4 -o json")).exits(0);
    let found = done.json();
    // Because only round trips take time, the average number of round trips per transaction can be calculated from the
    // rate.
    let per_s = found["from_per_s"].as_f64().expect("a figure");
    let trips = 4.0 * 1_000.0 / per_s;
    let known = [
        ("target.latency", 0.5),
        ("ping", trips / (trips + 1.0)),
        // This difference adds one round trip to each new-order transaction. New-order makes up 45 % of all
        // transactions.
        ("new-order statements", trips / (trips + 0.45)),
    ];
    let mut shares = 0.0;
    for (title, ratio) in known {
        let group = group(&found, title);
        let end = |name: &str| group["change"][name].as_f64().expect("an end");
        let (low, high) = (end("low"), end("high"));
        // Allow a small difference. Transactions are chosen at random, which changes the average number of round trips
        // by a few tenths of a percent.
        let room = 0.004;
        assert!((low - room..=high + room).contains(&(ratio - 1.0)), "{title} {ratio}: {group}");
        shares += group["share"].as_f64().expect("a share");
    }
    assert!((shares - 1.0).abs() < 0.02, "{shares}");
    assert_eq!(found["groups"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["second_order"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_cannot_be_attributed_is_refused() {
    let folder = Folder::new();
    let refused = |sides: &str, words: &[&str]| {
        folder.tacho(&format!("attribute tprocc {SIM} {sides}")).exits(2).complains(words);
    };
    refused("--from spec --to spec", &["do not differ"]);
    refused("--from spec --to spek", &["unknown profile", "spec"]);
    refused("--from spec --to spec,pign=true", &["unknown setting \"pign\"", "ping"]);
    refused("--from spec --to spec,target.password=x", &["is a secret"]);
    let setting = "spec,server.synchronous_commit";
    refused(&format!("--from spec --to {setting}=off"), &["--from does not specify server.sync"]);
    refused(&format!("--from {setting}=on --to {setting}=off"), &["no server settings"]);
    refused("--from spec --to spec,stock_read=plain", &["statements=apart"]);
    folder.tacho("attribute tprocc --from spec --to dbt2").exits(2).complains(&["no target"]);
    assert_eq!(folder.runs().len(), 0);
}

#[test]
fn a_run_that_is_not_valid_is_repeated_and_then_left_out() {
    let folder = Folder::new();
    // The runs of the last step are too short for any transaction to finish.
    let sides = "--from spec --to spec,target.latency=30s --rounds 2";
    let short = SIM.replace("-d 20s", "-d 5s --ramp-up 0s --drain 1s");
    let call = format!("attribute tprocc {short} {sides}");
    let done = folder.tacho(&call).done();
    assert_ne!(done.code(), 0, "{}", done.err);
    done.says(&["Not enough data"]);
    assert_eq!(done.err.matches("is not valid").count(), 2 * 3, "{}", done.err);
    // In each of the two rounds, the first step is run once. The last step is run three times, because Tacho repeats a
    // run that is not valid.
    assert_eq!(folder.runs().len(), 2 * 4);
}

#[test]
fn rounds_before_an_interruption_are_a_result() {
    let folder = Folder::new();
    let sides = "--from spec --to spec,target.latency=2ms --rounds 900 --progress plain -o json";
    let mut running = folder.tacho(&format!("attribute tprocc {SIM} {sides}")).start();
    running.until(|line| line.starts_with("9 of 1800"));
    running.signal(Signal::INT);
    let done = running.wait();
    done.expect_code(130);
    let found = done.json();
    assert!(found["rounds"].as_u64().is_some_and(|rounds| (2..900).contains(&rounds)), "{found}");
    assert_eq!(group(&found, "target.latency")["found"], true);
}

#[test]
fn a_plan_names_every_group_and_measures_nothing() {
    let folder = Folder::new();
    let sides = "--from spec --to sysbench-tpcc --dry-run";
    let done = folder.tacho(&format!("attribute tprocc {SIM} {sides}")).exits(0);
    done.says(&["tables and indexes", "tables: own, then sysbench-tpcc"]);
    assert_eq!(folder.runs().len(), 0);
}

#[test]
fn groups_that_need_each_other_are_changed_as_one() {
    let folder = Folder::new();
    let sides = "--from spec --to go-tpc";
    let plan = folder.tacho(&format!("attribute tprocc {SIM} {sides} --dry-run -o json")).exits(0);
    let plan = plan.json();
    let groups = plan.as_array().expect("groups");
    let joined = groups.iter().find(|group| group["changes"].to_string().contains("batches"));
    let joined = joined.expect("lists are a group");
    let title = joined["title"].as_str().expect("a title");
    assert!(title.contains(" + ") && title.contains("statements apart"), "{title}");
    // The switch for batched lists requires other switches and forms a group with them. Every other switch forms a
    // group of its own.
    for alone in ["tables and indexes", "choice of warehouse", "ping"] {
        assert!(groups.iter().any(|group| group["title"] == alone), "{alone}: {plan}");
    }
}

#[test]
fn an_attribution_is_a_page_and_markdown_too() {
    let folder = Folder::new();
    let sides = "--from spec --to spec,target.latency=2ms,mix=deck --rounds 3";
    let attribute = format!("attribute tprocc {SIM} {sides}");
    folder.tacho(&format!("{attribute} --export why.csv")).exits(2).complains(&[".html, .md"]);
    assert!(!folder.file("why.csv").exists() && folder.runs().is_empty());
    let files = "--export why.html --export why.md --export why.json --export why.txt";
    let done = folder.tacho(&format!("{attribute} {files}")).exits(0);
    let read = |name: &str| String::from_utf8(folder.read(name)).expect("text");
    let json: Value = serde_json::from_slice(&folder.read("why.json")).expect("JSON");
    // If a round trip takes twice as long, the rate is half as high, because nothing else takes time.
    let latency = group(&json, "target.latency");
    assert_eq!((latency["found"].as_bool(), json["rounds"].as_u64()), (Some(true), Some(3)));
    let share = |name: &str| {
        let groups = json["groups"].as_array().expect("groups").iter();
        let shares = groups.filter(|group| name.is_empty() || group["found"] == true);
        format!("{:.1} %", shares.filter_map(|group| group["share"].as_f64()).sum::<f64>() * 100.0)
    };
    let (markdown, page, text) = (read("why.md"), read("why.html"), read("why.txt"));
    let row = |title: &str| {
        let found = markdown.lines().find(|line| line.starts_with(&format!("| {title} |")));
        found.unwrap_or_else(|| panic!("no {title}: {markdown}")).to_owned()
    };
    assert!(row("group").contains("| effect | share |"), "{markdown}");
    assert!(row("target.latency").contains("| yes |"), "{markdown}");
    assert!(row("explained").contains(&share("found")), "{} {markdown}", share("found"));
    assert!(row("whole").contains(&share("")), "{markdown}");
    assert!(markdown.contains("## Changes in each group") && markdown.contains("TPC"));
    for output in [&page, &text, &done.out] {
        for word in [
            "target.latency: not set, then 2ms",
            "explained",
            "not explained",
            "Explained is the sum",
        ] {
            assert!(output.contains(word), "{word}: {output}");
        }
    }
    assert!(page.contains("\"id\":\"groups\"") || page.contains("data-chart=\"groups\""));
}

/// Without the marker table, Tacho's tables look as if the other tool had created them.
#[test]
fn tables_of_another_tool_are_used_when_asked_for() {
    let folder = Folder::new();
    let quiet = "--progress none -o quiet";
    let prepare = "prepare tprocc sqlite:theirs.db --profile sysbench-tpcc -s 2";
    folder.tacho(&format!("{prepare} {quiet}")).exits(0);
    let database = rusqlite::Connection::open(folder.path().join("theirs.db")).expect("the file");
    database.execute_batch("DROP TABLE tacho_marker; DROP TABLE tacho_units").expect("no marker");
    let shape = || -> Vec<String> {
        let mut query =
            database.prepare("SELECT sql FROM sqlite_schema ORDER BY 1").expect("a query");
        let rows = query.query_map([], |row| row.get::<_, Option<String>>(0)).expect("rows");
        rows.filter_map(|row| row.expect("a row")).collect()
    };
    let before = shape();
    folder.tacho("run tprocc sqlite:theirs.db -d 1s").exits(3).complains(&["did not create"]);
    let adopt = "tprocc sqlite:theirs.db --adopt";
    folder.tacho(&format!("check {adopt} benchbase")).exits(3).complains(&["oorder"]);
    folder.tacho(&format!("check {adopt} sysbench-tpcc")).exits(0).says(&["C12"]);
    let run =
        folder.tacho(&format!("run {adopt} sysbench-tpcc -d 2s --ramp-up 0s -o json")).exits(0);
    let record = run.json();
    assert_eq!(record["plan"]["scale"].as_f64(), Some(2.0));
    let counted = record["result"]["headline"]["schema_count"].as_u64();
    assert!(counted.is_some_and(|count| count > 0), "{record}");
    folder.tacho(&format!("check {adopt} sysbench-tpcc")).exits(0);
    assert_eq!(shape(), before, "no table has changed");
}

#[test]
fn server_settings_are_attributed_and_restored() {
    let folder = Folder::open();
    folder.tacho("up postgres --set synchronous_commit=local").exits(0);
    let sides = "--from tpcb-like,server.synchronous_commit=on --to tpcb-like,server.synchronous_commit=off";
    let run = "attribute tpcb pg -c 2 --transactions 50 --ramp-up 0s --check none --rounds 2";
    let done = folder.tacho(&format!("{run} {sides} -o json")).exits(0);
    group(&done.json(), "server.synchronous_commit");
    let setting = |path: &std::path::PathBuf| {
        let text = std::fs::read(path.join("run.json")).expect("a record");
        let record: Value = serde_json::from_slice(&text).expect("JSON");
        (
            record["started_at"].to_string(),
            record["server"]["settings"]["synchronous_commit"].clone(),
        )
    };
    // The time in a folder's name has a resolution of only one second, so sort the runs by the time in their records.
    let mut values: Vec<(String, Value)> = folder.runs().iter().map(setting).collect();
    values.sort_by(|a, b| a.0.cmp(&b.0));
    let values: Vec<&Value> = values.iter().map(|(_, value)| value).collect();
    assert_eq!(values, ["on", "off", "off", "on"]);
    folder.tacho("prepare tpcb pg").exits(0);
    folder.tacho("run tpcb pg --transactions 5 --ramp-up 0s --check none").done();
    assert_eq!(folder.record("latest")["server"]["settings"]["synchronous_commit"], "local");
    folder.tacho("down --all").exits(0);
}
