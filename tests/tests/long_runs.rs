//! Runs of several days in virtual time. Every interval is saved on disk, but memory use and the
//! size of charts are limited.

use tacho_tests::Folder;

/// Number of two-minute intervals in a week.
const INTERVALS: usize = 7 * 24 * 30;
/// Maximum number of intervals kept in memory.
const HELD_MAX: usize = 3600;

#[test]
fn a_week_is_kept_whole_on_disk_and_shown_with_its_intervals_merged() {
    let folder = Folder::new();
    let run = "run tpcb sim:?latency=60s -c 1 -d 7d --ramp-up 0s --interval 2m --progress none";
    folder.tacho(&format!("{run} -o quiet")).exits(0);
    let committed = folder.record("latest")["result"]["accounting"]["committed"].as_u64();

    let table = folder.tacho("report latest --table intervals").exits(0).out;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let all: Vec<&Vec<&str>> = rows.iter().filter(|row| row[5] == "all").collect();
    assert_eq!(all.len(), INTERVALS, "each interval is in the table");
    let sum = all.iter().map(|row| row[6].parse::<u64>().expect("a count")).sum::<u64>();
    // The transaction still running at the end counts for the run but not for any interval.
    assert!(committed.is_some_and(|all| all.abs_diff(sum) <= 1), "{committed:?} {sum}");

    let shown = folder.tacho("show latest --timeline").exits(0).out.lines().count();
    assert!((HELD_MAX / 2..HELD_MAX + 10).contains(&shown), "{shown} lines");
    folder.tacho("report latest -o page.html").exits(0);
    let page = String::from_utf8(folder.read("page.html")).expect("a page");
    assert!(page.contains("intervals combined"), "the page says what a column is");
}
