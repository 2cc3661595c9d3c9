//! Attribution: known costs are found, parts make the whole, and what cannot be measured is refused.

use serde_json::Value;
use tacho_tests::Folder;

/// Every round trip takes the same time, and nothing else takes any.
const SIM: &str = "'sim:?latency=1ms&spread=fixed&statement=0us' --sessions 4 -d 20s --check none";

fn group<'a>(found: &'a Value, title: &str) -> &'a Value {
    let groups = found["groups"].as_array().expect("groups");
    groups.iter().find(|own| own["title"] == title).unwrap_or_else(|| panic!("no {title}: {found}"))
}

#[test]
fn known_costs_are_within_their_intervals() {
    let folder = Folder::new();
    let sides = "--from spec,statements=apart --to \
                 spec,statements=apart,ping=true,terms=separate,target.latency=2ms";
    let done = folder.tacho(&format!("attribute tprocc {SIM} {sides} --rounds 4 -o json")).exits(0);
    let found = done.json();
    // Without any spread between round trips, a mean transaction has as many as a millisecond fits.
    let per_s = found["from_per_s"].as_f64().expect("a figure");
    let trips = 4.0 * 1_000.0 / per_s;
    let known = [
        ("target.latency", 0.5),
        ("ping", trips / (trips + 1.0)),
        // One more in each new-order, which is 45 % of the mix.
        ("new-order statements", trips / (trips + 0.45)),
    ];
    let mut shares = 0.0;
    for (title, ratio) in known {
        let own = group(&found, title);
        let end = |name: &str| own["change"][name].as_f64().expect("an end");
        let (low, high) = (end("low"), end("high"));
        // The mix that is drawn within the time moves the mean number of round trips by a few per mille.
        let room = 0.004;
        assert!((low - room..=high + room).contains(&(ratio - 1.0)), "{title} {ratio}: {own}");
        shares += own["share"].as_f64().expect("a share");
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
    refused("--from spec --to spec,stock_read=plain", &["statements=apart"]);
    folder.tacho("attribute tprocc --from spec --to dbt2").exits(2).complains(&["no target"]);
    assert_eq!(folder.runs().len(), 0);
}

#[test]
fn a_plan_names_every_group_and_measures_nothing() {
    let folder = Folder::new();
    let sides = "--from spec --to sysbench-tpcc --dry-run";
    let done = folder.tacho(&format!("attribute tprocc {SIM} {sides}")).exits(0);
    done.says(&["tables and indexes", "tables: own, then sysbench-tpcc"]);
    assert_eq!(folder.runs().len(), 0);
}

/// The marker is all that tells our tables from those of the tool.
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
    folder.tacho("run tprocc sqlite:theirs.db -d 1s").exits(3).complains(&["did not make"]);
    let adopt = "tprocc sqlite:theirs.db --adopt";
    folder.tacho(&format!("check {adopt} benchbase")).exits(3).complains(&["oorder"]);
    folder.tacho(&format!("check {adopt} sysbench-tpcc")).exits(0).says(&["C12"]);
    let run =
        folder.tacho(&format!("run {adopt} sysbench-tpcc -d 2s --ramp-up 0s -o json")).exits(0);
    let record = run.json();
    assert_eq!(record["plan"]["scale"].as_f64(), Some(2.0));
    let committed = record["result"]["headline"]["count"].as_u64();
    assert!(committed.is_none_or(|count| count > 0), "{record}");
    folder.tacho(&format!("check {adopt} sysbench-tpcc")).exits(0);
    assert_eq!(shape(), before, "no table has changed");
}
