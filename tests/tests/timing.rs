//! The time profile of complete runs, in the terminal and in files.

use tacho_tests::Folder;

/// Every transaction in the record must also be in the histograms. This includes the transactions of the ramp-up, which
/// are collected together with the first measured ones.
#[test]
fn every_transaction_of_the_record_is_in_the_histograms() {
    let folder = Folder::new();
    for _ in 0..3 {
        folder
            .tacho("run tprocc noop -c 64 -d 1s --ramp-up 300ms --ramp-down 100ms -o quiet")
            .exits(0);
        let all = &folder.record("latest")["result"]["transactions"];
        let all = all.as_array().and_then(|all| all.last()).expect("all");
        let timing = folder.tacho("timing latest -o json").exits(0).json();
        let calls = timing["procedures"].as_array().and_then(|all| all.last()).expect("all");
        assert_eq!(calls["latency"]["calls"], all["count"]);
        assert_eq!((&timing["missing"], &timing["truncated"]), (&0.into(), &false.into()));
    }
}

#[test]
fn the_time_profile_has_the_figures_of_the_record() {
    let folder = Folder::new();
    folder.tacho("run tprocc sim -c 4 -d 30s --ramp-up 5s -o quiet").exits(0);
    let files = "--export a.xlsx --export a.csv --export a.json --export a.hlog";
    let done = folder.tacho(&format!("timing {files}")).exits(0);
    done.says(&["service", "new_order", "ratio"]).complains(&["Saved  a.xlsx"]);
    let timing = folder.tacho("timing latest -o json").exits(0).json();
    let record = folder.record("latest");
    let known = record["result"]["transactions"].as_array().expect("transactions").clone();
    for procedure in timing["procedures"].as_array().expect("procedures") {
        let of_record =
            known.iter().find(|known| known["name"] == procedure["name"]).expect("known");
        assert_eq!(procedure["service"]["calls"], of_record["count"], "{procedure}");
        assert_eq!(procedure["service"]["p50_us"], of_record["service"]["p50_us"], "{procedure}");
        assert_eq!(procedure["latency"]["p99_us"], of_record["latency"]["p99_us"], "{procedure}");
        assert_eq!(procedure["latency"]["max_us"], of_record["latency"]["max_us"], "{procedure}");
    }
    // Sessions with closed arrivals and no think time spend all of their time on transactions.
    let all = timing["procedures"].as_array().and_then(|all| all.last()).expect("all");
    let ratio = all["ratio"].as_f64().expect("a ratio");
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
    assert_eq!(timing["spans"].as_array().expect("spans").len(), 3);
    assert_eq!(timing["intervals"].as_array().expect("intervals").len(), 35);
    assert!(folder.read("a.xlsx").starts_with(b"PK"));
    let log = folder.read("a.hlog");
    assert!(log.starts_with(b"#[Histogram log format version 1.3]"));
    let csv = String::from_utf8(folder.read("a.csv")).expect("text");
    assert!(
        csv.lines().any(|line| line.starts_with("interval,34.000,1,measure,new_order")),
        "{csv}"
    );
}

#[test]
fn waiting_for_a_turn_is_told_apart_from_the_work() {
    let folder = Folder::new();
    folder.tacho("run tpcb 'sim:?capacity=1' -c 4 -d 20s -r 300 -o quiet").done();
    let done = folder.tacho("timing").exits(0);
    done.says(&["service", "latency", "end − due"]);
}

#[test]
fn wrong_files_and_runs_are_told() {
    let folder = Folder::new();
    folder.tacho("timing").exits(2).is_error();
    folder.tacho("run tpcb sim -d 2s -o quiet").exits(0);
    let wrong = folder.tacho("timing --export a.ods").exits(2);
    wrong.is_error().complains(&[".xlsx, .csv, .json or .hlog"]);
    let nowhere = folder.tacho("timing --export none/a.csv").exits(2);
    nowhere.is_error().complains(&["a folder that exists"]);
}
