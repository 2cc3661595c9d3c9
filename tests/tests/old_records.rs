//! `tests/records` contains an earlier version's runs, a sweep and a pipeline. Every command must still read them.

use std::fs;
use std::path::Path;

use tacho_tests::Folder;

/// Copies the earlier version's data folder to a new folder.
fn earlier() -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("records");
    copy(&from, &folder.file("tacho-data"));
    fs::rename(folder.file("tacho-data/ci.toml"), folder.file("ci.toml")).expect("a pipeline");
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the records") {
        let from = entry.expect("an entry").path();
        let to = to.join(from.file_name().expect("a name"));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

#[test]
fn runs_of_an_earlier_version_are_shown_and_compared() {
    let folder = earlier();
    let list = folder.tacho("runs").exits(0);
    assert!(list.err.is_empty(), "{}", list.err);
    list.says(&["before", "after", "4\u{202f}320 CPM", "13\u{202f}000 CPM"]);
    let record = folder.record("before");
    assert_eq!(record["result"]["notices"][0]["id"], "W14", "{record}");
    let headline = &record["result"]["headline"];
    assert_eq!(headline["per_minute"].as_f64().map(f64::round), Some(12_563.0), "{headline}");
    let shown = folder.tacho("show before").exits(0);
    shown.says(&["12\u{202f}563 CPM", "accounting", "10.6 ms", "W14", "tps>1"]);
    // Intervals, histograms, and the statistics of the hosts are in separate files.
    folder.tacho("show before --timeline").exits(0).says(&["10.6"]);
    folder.tacho("timing before").exits(0).says(&["tpcb_like"]);
    folder.tacho("show before --plan").exits(0).says(&["duration"]);
    let compared = folder.tacho("compare before after").exits(0);
    compared.says(&["No recorded condition differs", "tpcb_like p95", "10.6 ms", "9.95 ms"]);
    assert!(!compared.err.contains("cut"), "{}", compared.err);
    folder.report("before after");
    folder.tacho("report before --baseline after").exits(0);
    folder.tacho("trend").done().says(&["CPM"]);
    // Adding a tag leaves the run's result unchanged.
    folder.tacho("runs tag before kept").exits(0);
    assert_eq!(folder.record("kept")["result"], record["result"]);
}

#[test]
fn sweeps_and_pipelines_of_an_earlier_version_are_shown() {
    let folder = earlier();
    let sweep = folder.tacho("sweep --show fhxp").exits(0);
    sweep.says(&["sessions", "2\u{202f}166", "4\u{202f}320"]);
    folder.report("fhxp");
    folder.tacho("compare pbs8 wvhs").exits(0).says(&["server.settings.latency", "WORSE"]);
    // The pipeline was killed during its second run and continues here. Runs from different
    // machines are not compared.
    let pipeline = folder.tacho("pipeline ci.toml").exits(2);
    pipeline.complains(&["continued: 1 run", "1 already done", "host.name is bench and"]);
}
