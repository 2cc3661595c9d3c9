//! The page for a long run.

use tacho_tests::Folder;

/// The run takes ten hours in virtual time, but only seconds in real time.
#[test]
fn ten_hours_of_2000_sessions_make_a_small_page() {
    let folder = Folder::new();
    let load = "-c 2000 -d 10h --ramp-up 5m --check none --progress none -o quiet";
    folder.tacho(&format!("run tpcb 'sim:?latency=20s&stall_every=1h&stall=2m' {load}")).done();
    folder.tacho("report").exits(0);
    let page = folder.read("report.html");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let report = folder.report("latest");
    assert_eq!(report["records"][0]["plan"]["sessions"], 2_000);
    assert_eq!(report["records"][0]["plan"]["duration_s"], 36_000.0);
    let columns = report["charts"]["throughput"]["from"].as_array().map(Vec::len);
    assert!(columns.is_some_and(|columns| (300..=600).contains(&columns)), "{columns:?}");
    // The chart condenses ten hours of data into a few hundred columns. The table of intervals must still contain every
    // second.
    let csv = folder.tacho("report --table intervals").exits(0).out;
    let seconds = csv.lines().filter(|line| line.contains(",measure,") && line.contains(",all,"));
    assert_eq!(seconds.count(), 36_000);
}
