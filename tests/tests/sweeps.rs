//! Sweeps: lists of values, grids, comparisons of two settings, search for a rate, and failures.

use serde_json::Value;
use tacho_tests::{Folder, Signal, violations};

const SIM: &str = "'sim:?capacity=4' -d 5s --ramp-up 0s";

#[test]
fn a_ladder_has_a_peak_and_a_knee() {
    let folder = Folder::new();
    let vary = "--vary sessions=1,2,4,8,16";
    let done = folder.tacho(&format!("sweep tprocc {SIM} {vary} -o json")).exits(0);
    done.complains(&["1 of 5: sessions=1", "5 of 5: sessions=16"]);
    let view = done.json();
    let rows = view["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 5);
    let throughput = |at: usize| rows[at]["throughput"].as_f64().expect("a figure");
    assert!(throughput(1) > 1.7 * throughput(0) && throughput(2) > 1.7 * throughput(1));
    assert!(throughput(4) < 1.2 * throughput(2), "four at once is all the server does");
    assert_eq!(rows.iter().filter(|row| row["peak"] == true).count(), 1);
    assert_eq!(rows[2]["knee"], true);
    folder.tacho("sweep --show latest").exits(0).says(&["sessions", "nopm", "← knee"]);
    assert_eq!(folder.runs().len(), 5);
}

#[test]
fn what_lies_past_the_peak_is_left_out_on_request() {
    let folder = Folder::new();
    // With more than a hundred sessions, some would have to wait longer than the run lasts.
    let command = "sweep tprocc 'sim:?capacity=1&latency=9ms' -d 3s --ramp-up 0s --stop-past-peak \
                   --check none --vary sessions=1,100,200,400,800";
    let view = folder.tacho(&format!("{command} -o json")).done().json();
    let outcomes: Vec<&str> = view["sweep"]["points"]
        .as_array()
        .expect("points")
        .iter()
        .filter_map(|point| point["outcome"].as_str())
        .collect();
    assert_eq!(outcomes, ["measured", "measured", "measured", "skipped", "skipped"]);
}

#[test]
fn a_grid_varies_options_of_the_target_too() {
    let folder = Folder::new();
    let vary = "--vary target.latency=1ms,2ms --vary form=sql,pipelined";
    let done = folder.tacho(&format!("sweep tpcb sim -d 3s --ramp-up 0s {vary}")).exits(0);
    done.says(&["target.latency", "form", "1ms", "2ms", "sql", "pipelined", "4 runs"]);
}

#[test]
fn repeated_runs_in_turns_give_an_interval_of_the_change() {
    let folder = Folder::new();
    let vary = "--vary target.latency=1ms,1040us --repeat 4";
    let command = format!("sweep tpcb 'sim:?statement=0s' -c 16 -d 5s --ramp-up 0s {vary}");
    let view = folder.tacho(&format!("{command} -o json")).exits(0).json();
    let second = &view["rows"][1];
    assert_eq!(second["verdict"], "worse");
    let change = second["change"]["value"].as_f64().expect("a change");
    assert!((-0.05..-0.03).contains(&change), "{change}, −3.8 % expected");
    let share = format!("{:.1}\u{202f}% lower than with target.latency 1ms (", -100.0 * change);
    let words = [
        "With target.latency 1040us, throughput is ",
        &share,
        "% confidence interval −",
        ": WORSE.",
        "Each row shows its median run;",
    ];
    let told = folder.tacho("sweep --show latest").exits(0).out;
    let told: Vec<&str> = told.split([' ', '\n']).filter(|word| !word.is_empty()).collect();
    let told = told.join(" ");
    let page = folder.tacho("report sweep:latest --format md").exits(0).out;
    for word in words {
        assert!(told.contains(word) && page.contains(word), "no {word:?}: {told}\n{page}");
    }
    let order: Vec<&str> = view["sweep"]["points"]
        .as_array()
        .expect("points")
        .iter()
        .filter_map(|point| point["values"][0].as_str())
        .collect();
    let (a, b) = ("1ms", "1040us");
    assert_eq!(order, [a, b, b, a, a, b, b, a]);
}

#[test]
fn the_growth_of_data_that_is_not_restored_is_shown() {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:a.db").exits(0);
    let load = "'sqlite:a.db?synchronous=off' --transactions 5000 --ramp-up 0s --check none";
    let done = folder.tacho(&format!("sweep tpcb {load} --vary seed=1,2")).exits(0);
    let words = ["was not restored between the 2 runs: it grew from "];
    done.says(&words);
    folder.tacho("report sweep:latest --format md").exits(0).says(&words);
}

#[test]
fn equal_runs_are_measured_first_and_say_what_can_be_told() {
    let folder = Folder::new();
    // Both targets are the same simulated server, because 1 ms is 1000 µs.
    let vary = "--vary target.latency=1ms,1000us --repeat 4 --detect 3%";
    let command = format!("sweep tpcb 'sim:?statement=0s' -c 8 -d 5s --ramp-up 0s {vary}");
    let done = folder.tacho(&format!("{command} -o json")).exits(0);
    done.complains(&["calibration, side 1 of 2", "Calibration: 4 pairs"]);
    let view = done.json();
    assert_eq!(view["rows"].as_array().expect("rows").len(), 2);
    assert_eq!(view["rows"][1]["verdict"], "no_difference");
    assert_eq!(view["calibration"]["differs"], false);
    let points = view["sweep"]["points"].as_array().expect("points").clone();
    let sides: Vec<i64> = points.iter().filter_map(|point| point["equal_side"].as_i64()).collect();
    assert_eq!((points.len(), sides), (16, vec![1, 2, 2, 1, 1, 2, 2, 1]));
    let schema = folder.tacho("schema sweep").exits(0).json();
    assert_eq!(violations(&schema, &view["sweep"]), [""; 0]);
}

#[test]
fn noise_above_what_is_to_be_told_is_said_and_no_change_below_it_is_claimed() {
    let folder = Folder::new();
    // The smallest change to detect is 0.0001 %, which is far below the noise of a run in real time.
    let vary = "--vary form=sql,pipelined --repeat 2 --detect 0.0001%";
    let command = format!("sweep tprocc noop -d 300ms --ramp-up 0s {vary}");
    let done = folder.tacho(&command).exits(0);
    done.says(&["The noise is larger than the", "cannot be distinguished from no change"]);
    let refused = folder.tacho("sweep tprocc noop --vary sessions=1,2 --calibrate").exits(2);
    refused.is_error().complains(&["add --repeat"]);
    let refused = folder.tacho("sweep tprocc noop --vary sessions=1,2 --repeat 2 --detect x");
    refused.exits(2).is_error().complains(&["3% or 0.03"]);
}

#[test]
fn the_page_names_the_command_that_makes_the_sweep_again() {
    let folder = Folder::new();
    let vary = "--vary sessions=1,2 --vary target.latency=1ms,2ms";
    for line in [
        format!("tpcb 'sim:?capacity=4' {vary} --repeat 3 --order random --detect 5% --seed 7"),
        format!("tpcb 'sim:?capacity=4' {vary} --stop-past-peak --on-failure stop --interval 2s"),
        "tpcb --vary target=sim,noop --repeat 2 --calibrate".into(),
        format!("tpcb 'sim:?capacity=4' {vary} --vary interval=1s,2s --design half"),
        "tpcb sim -c 4 --find-max 'p99<30ms'".into(),
    ] {
        let first = folder.tacho(&format!("sweep {line} -d 1s --ramp-up 0s -o json")).done().json();
        let id = first["sweep"]["id"].as_str().expect("an id");
        let page = folder.tacho(&format!("report {id} --format md")).exits(0).out;
        let again =
            page.lines().find_map(|line| line.strip_prefix("tacho sweep ")).expect("a command");
        let again = folder.tacho(&format!("sweep {again} --dry-run -o json")).exits(0).json();
        let known = ["workload", "target_name", "settings", "vary", "calibration"];
        for key in known {
            assert_eq!(again["sweep"][key], first["sweep"][key], "{key}: {line}");
        }
        let planned = |view: &Value| {
            let points = view["sweep"]["points"].as_array().expect("points").iter();
            let plan = |point: &Value| {
                ["values", "repetition", "equal_side"].map(|key| point[key].clone())
            };
            points.map(plan).collect::<Vec<_>>()
        };
        // A search cannot be planned, because it chooses each rate from the previous results.
        if !line.contains("--find-max") {
            assert_eq!(planned(&again), planned(&first), "{line}");
        }
    }
}

#[test]
fn settings_that_vary_together_have_effects_and_interactions() {
    let folder = Folder::new();
    let vary = "--vary target.latency=1ms,2ms --vary sessions=2,4 --vary interval=500ms,1s";
    let sweep = format!("sweep tpcb 'sim:?statement=0s' -d 10s --ramp-up 0s {vary}");
    let view = folder.tacho(&format!("{sweep} --repeat 2 -o json")).exits(0).json();
    let effects = view["effects"].as_array().expect("effects").clone();
    let keys = |effect: &Value| -> Vec<String> {
        let of = effect["of"].as_array().expect("changes").iter();
        of.map(|one| one["key"].as_str().expect("a key").to_owned()).collect()
    };
    let terms: Vec<usize> = effects.iter().map(|effect| keys(effect).len()).collect();
    assert_eq!(terms, [1, 1, 1, 2, 2, 2], "{effects:?}");
    for (at, key, expected) in [(0, "target.latency", -0.5), (1, "sessions", 1.0)] {
        assert_eq!((keys(&effects[at])[0].as_str(), &effects[at]["found"]), (key, &true.into()));
        let change = effects[at]["change"]["value"].as_f64().expect("a change");
        assert!((change - expected).abs() < 0.05, "{key}: {change}");
    }
    let text = folder.tacho("sweep --show latest").exits(0);
    text.says(&["Effects", "target.latency 1ms → 2ms × sessions 2 → 4", "of 6 effects found"]);
    text.says(&["question", "sessions 2 → 4 changes", "target.latency 1ms → 2ms changes"]);
    folder.tacho("report sweep:latest --format md").exits(0).says(&["sessions 2 → 4"]);
    for (design, runs) in [("half", "4 runs"), ("one-at-a-time", "4 runs"), ("grid", "8 runs")] {
        folder.tacho(&format!("{sweep} --design {design} --dry-run")).exits(0).says(&[runs]);
    }
    let half = folder.tacho(&format!("{sweep} --design half --repeat 2")).exits(0);
    half.says(&["of 3 effects found", "includes the interaction of the other two"]);
    // There are as many combinations as in half of the grid, but the levels are not combined equally often.
    let one = folder.tacho(&format!("{sweep} --design one-at-a-time --repeat 2")).exits(0);
    assert!(!one.out.contains("Effects"), "{}", one.out);
    folder
        .tacho("sweep tpcb sim --vary sessions=1,2 --vary interval=1s,2s --design half")
        .exits(2)
        .complains(&["--design one-at-a-time"]);
}

#[test]
fn how_long_the_rest_takes_is_told() {
    let folder = Folder::new();
    let command = "sweep tprocc noop -d 200ms --ramp-up 100ms --vary sessions=1,2,3";
    let plain = folder.tacho(&format!("{command} --progress plain")).done();
    // Before the first measurement, the remaining time is computed from the plan: three runs of 300 ms.
    plain.complains(&["1 of 3: sessions=1, about 1s left", "3 of 3: sessions=3, about "]);
    let json = folder.tacho(&format!("{command} --progress json")).done();
    let events = json.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let points: Vec<Value> = events.filter(|event| event["event"] == "point").collect();
    assert_eq!(points.len(), 3, "{}", json.err);
    assert_eq!(points[0]["remaining_s"], 0.9);
    let left = |at: usize| points[at]["remaining_s"].as_f64().expect("a time");
    // After a run, the remaining time is computed from the duration of the runs so far.
    assert!(left(1) > 0.6 && left(2) < left(1), "{points:?}");
    // No remaining time is shown for a search, because it is not known how many rates the search will try.
    let search =
        folder.tacho("sweep tpcb sim -c 4 -d 1s --ramp-up 0s --find-max 'p99<30ms'").done();
    assert!(!search.err.contains("left"), "{}", search.err);
}

/// Whatever the rate, one second on the simulated server yields too few transactions for this percentile.
#[test]
fn a_limit_that_cannot_be_judged_ends_a_search() {
    let folder = Folder::new();
    let command = "sweep tpcb sim -c 1 -d 1s --ramp-up 0s --find-max 'p99.9<10s'";
    // A search that finds no rate exits with an error.
    let done = folder.tacho(command).exits(6);
    done.says(&["p99.9<10s could not be evaluated", "Measure longer"]);
    done.complains(&["too few transactions to evaluate the limit"]);
    let rows = folder.tacho("sweep --show latest -o json").done().json()["rows"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
}

#[test]
fn points_with_warnings_are_counted_and_named() {
    let folder = Folder::new();
    // With intervals of 1 s, the run has too few of them, so its verdict is TOO SHORT and it has a warning.
    let vary = "--vary interval=100ms,200ms,1s";
    let command = format!("sweep tpcb 'sim:?statement=0s' -c 4 -d 2s --ramp-up 0s {vary}");
    let done = folder.tacho(&format!("{command} -o json")).exits(0);
    let rows = done.json()["rows"].as_array().expect("rows").clone();
    let ids = |row: &Value| -> Vec<String> {
        let notices = row["notices"].as_array().expect("notices").iter();
        notices.map(|notice| notice["id"].as_str().expect("an id").to_owned()).collect()
    };
    for row in &rows {
        let run = folder.record(row["runs"][0].as_str().expect("a run"));
        let of_run = run["result"]["notices"].as_array().expect("notices").iter();
        let of_run: Vec<&str> = of_run.filter_map(|notice| notice["id"].as_str()).collect();
        assert_eq!(ids(row), of_run);
    }
    let warned = rows.iter().filter(|row| !ids(row).is_empty()).count();
    assert!((1..3).contains(&warned), "some have warnings: {rows:?}");
    let told = format!("{warned} of 3 points");
    let text = folder.tacho("sweep --show latest").exits(0);
    text.says(&[&told, "at interval 1s"]);
    let page = folder.tacho("report sweep:latest --format md").exits(0);
    page.says(&[
        &format!("**TOO SHORT: 1 of 3 points; {told} with warnings**"),
        "> ! interval 1s: ",
    ]);
    let html = folder.tacho("report sweep:latest -o -").exits(0);
    html.says(&["<p class=\"verdict warn\">TOO SHORT: 1 of 3 points; "]);
}

#[test]
fn sweeps_of_one_second_are_in_their_order() {
    let folder = Folder::new();
    let made: Vec<String> = (0..6)
        .map(|_| {
            let line = "sweep tpcb sim -d 1s --ramp-up 0s --vary sessions=1,2 --check none -o json";
            let view = folder.tacho(line).done().json();
            view["sweep"]["id"].as_str().expect("an id").to_owned()
        })
        .collect();
    for (back, id) in made.iter().rev().enumerate() {
        let shown = folder.tacho(&format!("sweep --show latest~{back} -o json")).exits(0).json();
        assert_eq!(shown["sweep"]["id"], id.as_str(), "latest~{back} of {made:?}");
    }
}

#[test]
fn the_highest_rate_of_a_limit_is_found() {
    let folder = Folder::new();
    let target = "'sim:?capacity=4&statement=0s'";
    let command = format!("sweep tpcb {target} -c 64 -d 5s --ramp-up 0s --find-max 'p99<30ms'");
    let view = folder.tacho(&format!("{command} -o json")).exits(0).json();
    let found = &view["sweep"]["found"];
    let holds = found["holds_at_per_s"].as_f64().expect("a rate that holds");
    let fails = found["fails_at_per_s"].as_f64().expect("a rate that fails");
    // The server has four slots. A transaction makes seven round trips of 500 µs each, so at most 1
    // 143 transactions per second are possible.
    assert!((700.0..1_143.0).contains(&holds) && fails > 700.0, "{holds} {fails}");
    let of_interval = |key: &str| found["interval"][key].as_f64().expect(key);
    let (low, high) = (of_interval("low_per_s"), of_interval("high_per_s"));
    assert!(low < holds && holds < high && high / low < 2.0, "{low} {high}");
    let windows = of_interval("windows");
    assert!((10.0..=32.0).contains(&windows) && of_interval("held") < windows, "{found}");
    let search = &view["searches"][0];
    let closed = search["closed_per_s"].as_f64().expect("a throughput");
    assert!((search["share_of_closed"].as_f64().expect("a share") - holds / closed).abs() < 1e-9);
    assert_eq!(search["with_checkpoint"], Value::Null, "sim counts no checkpoints");
    let broken = search["broken"]["run"].as_str().expect("a run").to_owned();
    assert!(search["broken"]["rate_per_s"].as_f64().expect("a rate") >= fails);
    let text = folder.tacho("sweep --show latest").exits(0);
    let run = format!("run {broken} ");
    assert!(search["headroom"]["p99_us"].as_f64().is_some_and(|p99| p99 < 30_000.0), "{search}");
    assert_eq!(search["sessions"], Value::Null, "they were specified");
    text.says(&[
        "p99<30ms is met in 95 % of windows of 5s at ",
        "of the throughput without a rate",
        "At 60 % of the highest rate, ",
        &run,
        "✗ ",
    ]);
    folder.tacho("report sweep:latest --format md").exits(0).says(&["highest rate with p99"]);
}

#[test]
fn other_settings_are_searched_one_after_another_with_chosen_sessions() {
    let folder = Folder::new();
    let target = "'sim:?statement=0s'";
    let vary = "--vary target.capacity=4,2";
    let command = format!("sweep tpcb {target} -d 5s --ramp-up 0s {vary} --find-max 'p99<50ms'");
    let view = folder.tacho(&format!("{command} -o json")).exits(0).json();
    let searches = view["searches"].as_array().expect("searches").clone();
    assert_eq!(searches.len(), 2, "{searches:?}");
    let number = |search: &Value, path: &[&str]| {
        path.iter().fold(search, |value, key| &value[*key]).as_f64().expect("a number")
    };
    for (search, capacity) in searches.iter().zip(["4", "2"]) {
        assert_eq!(search["values"][0], capacity);
        let (low, high) = (
            number(search, &["found", "interval", "low_per_s"]),
            number(search, &["found", "interval", "high_per_s"]),
        );
        let closed = number(search, &["closed_per_s"]);
        assert!(0.3 * closed < low && low < high && high < 1.2 * closed, "{search}");
        let sessions = number(search, &["sessions", "sessions"]);
        assert!(sessions >= 2.0 * number(search, &["sessions", "busiest"]).min(4.0), "{search}");
        assert!(number(search, &["headroom", "rate_per_s"]) < 0.7 * high, "{search}");
    }
    let rate = |at: usize| number(&searches[at], &["found", "holds_at_per_s"]);
    assert!(rate(0) > 1.3 * rate(1), "{searches:?}");
    let text = folder.tacho("sweep --show latest").exits(0);
    text.says(&[
        "Highest rates",
        "p99 at 60 %",
        "by target.capacity?",
        "With target.capacity 2, p99<50ms is met in 95 % of windows",
        "The rate is highest with target.capacity 4.",
        "the search used",
        "sessions, so that they do not limit the rate",
    ]);
    let page = folder.tacho("report sweep:latest --format md").exits(0);
    page.says(&["50ms, target.capacity 2, ", "### Highest rates", "--vary target.capacity=4,2"]);
    let redacted = folder.tacho("report sweep:latest --redact --format md").exits(0);
    redacted.says(&["Highest rates", "50ms is met, by target.capacity?"]);
    folder.tacho("runs --sweeps").exits(0).says(&["rate for p99<50ms, target"]);
    folder.tacho("sweep --resume latest").exits(2).complains(&["is complete"]);
    // If the last run of a search is lost, only this run is measured again.
    let points = view["sweep"]["points"].as_array().expect("points").clone();
    let lost = points.last().expect("a point")["run"].as_str().expect("a run").to_owned();
    let runs = folder.runs();
    let lost = runs.iter().find(|path| path.to_string_lossy().ends_with(&lost));
    std::fs::remove_dir_all(lost.expect("a folder")).expect("a run");
    let again = folder.tacho("sweep --resume latest -o json").exits(0).json();
    assert_eq!(again["sweep"]["points"].as_array().map(Vec::len), Some(points.len()));
    assert_eq!(folder.runs().len(), points.len());
}

#[test]
fn a_dry_run_states_the_time_of_a_search_and_of_a_single_run() {
    let folder = Folder::new();
    let command = "sweep tpcb sim -d 50s --ramp-up 10s --dry-run";
    let search = folder.tacho(&format!("{command} --find-max 'p99<30ms'")).exits(0);
    search.says(&["At most 40 runs, 40m", "search for the highest rate with p99<30ms"]);
    let given = folder.tacho(&format!("{command} -c 4 --find-max 'p99<30ms'")).exits(0);
    given.says(&["At most 34 runs, 34m of measurement"]);
    let vary = "--vary form=sql,pipelined --vary seed=1,2";
    let several = folder.tacho(&format!("{command} -c 4 {vary} --find-max 'p99<30ms'")).exits(0);
    several.says(&["At most 136 runs in 4 searches, ", "with p99<30ms, 4 times"]);
    assert!(!search.out.contains(" 0 runs"), "{}", search.out);
    let single = folder.tacho(&format!("{command} --vary sessions=4")).exits(0);
    single.says(&["1 run planned", "1 run, 1m of measurement"]);
    assert!(folder.runs().is_empty());
}

#[test]
fn the_best_target_is_marked() {
    let folder = Folder::new();
    let vary = "--vary target.latency=4ms,1ms,8ms";
    folder.tacho(&format!("sweep tpcb sim -d 5s --ramp-up 0s {vary}")).exits(0);
    let shown = folder.tacho("sweep --show latest").exits(0);
    let best: Vec<&str> = shown.out.lines().filter(|line| line.contains("← best")).collect();
    let [row] = best[..] else { panic!("{}", shown.out) };
    assert!(row.trim_start().starts_with("1ms") && row.ends_with("← best"), "{}", shown.out);
}

#[test]
fn a_run_that_fails_says_nothing_of_a_limit() {
    let folder = Folder::new();
    // Interrupt the sweep during its second run, and delete the database before the sweep is resumed. The first run has
    // no rate limit and completes.
    let limit = "--find-max 'p99<10s' --progress json --interval 100ms";
    folder.tacho("prepare tpcb sqlite:bench.db --progress none").exits(0);
    let mut run = folder
        .tacho(&format!("sweep tpcb sqlite:bench.db -c 1 -d 2s --ramp-up 0s --check none {limit}"))
        .start();
    run.until_event(|event| event["event"] == "interval");
    run.until_event(|event| event["event"] == "phase");
    run.signal(Signal::INT);
    run.wait().expect_code(130);
    std::fs::remove_file(folder.file("bench.db")).expect("a file");
    let done = folder.tacho("sweep --resume latest").exits(3);
    done.complains(&["file bench.db does not exist"]);
    done.says(&["could not be tested"]);
    assert!(!done.out.contains("fails even at"), "{}", done.out);
}

#[test]
fn a_sweep_that_is_stopped_goes_on() {
    let folder = Folder::new();
    // With short intervals, the first one ends long before the run does, so the test can interrupt the run.
    let spans = "-d 2s --ramp-up 0s --interval 100ms";
    let command = format!("sweep tprocc noop {spans} --vary sessions=1,2,3 --progress json");
    let mut run = folder.tacho(&command).start();
    run.until_event(|event| event["event"] == "interval");
    run.signal(Signal::INT);
    let stopped = run.wait();
    stopped.expect_code(130);
    stopped.complains(&["tacho sweep --resume"]);
    let done = folder.tacho("sweep --resume latest -o json").done();
    let view = done.json();
    assert_eq!(view["sweep"]["state"], "complete");
    let points = view["sweep"]["points"].as_array().expect("points").clone();
    assert!(points.iter().all(|point| point["outcome"] == "measured"), "{points:?}");
    // The interrupted run is kept but is not part of the sweep.
    assert_eq!(folder.runs().len(), 4);
    folder.tacho("sweep --resume latest").exits(2).is_error().complains(&["is complete"]);
}

#[test]
fn a_sweep_that_was_killed_goes_on_with_what_it_has() {
    let folder = Folder::new();
    let command = "sweep tprocc noop -d 1s --ramp-up 0s --vary sessions=1,2,3 --progress json";
    let mut run = folder.tacho(command).start();
    run.until_event(|event| event["event"] == "interval");
    // This event belongs to the second run.
    run.until_event(|event| event["event"] == "phase");
    run.signal(Signal::KILL);
    run.wait();
    let before = folder.tacho("sweep --show latest -o json").exits(0).json();
    let first = before["sweep"]["points"][0]["run"].clone();
    assert!(first.is_string() && before["sweep"]["state"] == "incomplete", "{before}");
    folder.tacho("sweep --resume latest").exits(0).says(&["3 runs"]);
    let after = folder.tacho("sweep --show latest -o json").exits(0).json();
    assert_eq!(after["sweep"]["points"][0]["run"], first, "what was measured is kept");
    assert_eq!(after["sweep"]["state"], "complete");
}

#[test]
fn a_failure_ends_a_sweep_on_request_and_is_measured_anew() {
    let folder = Folder::new();
    let vary = "--vary target=sim,sqlite:later.db,noop --on-failure stop";
    let done = folder.tacho(&format!("sweep tpcb {vary} -d 1s --ramp-up 0s")).exits(3);
    done.says(&["Not complete: 1 run left"]).complains(&["stopped because a run failed"]);
    folder.tacho("prepare tpcb sqlite:later.db --progress none").exits(0);
    folder.tacho("sweep --resume latest").exits(0).says(&["3 runs"]);
}

#[test]
fn a_point_that_fails_does_not_end_the_sweep() {
    let folder = Folder::new();
    let vary = "--vary target=sim,sqlite:none.db,noop";
    let done = folder.tacho(&format!("sweep tprocc {vary} -d 1s --ramp-up 0s")).exits(3);
    done.says(&["sqlite:none.db", "2 runs", "Not complete: 1 run failed."]);
    done.complains(&["this point failed", "hint: tacho prepare", "to repeat the failed runs"]);
    let shown = folder.tacho("sweep --show latest -o json").exits(0).json();
    assert_eq!(shown["sweep"]["state"], "incomplete");
    let measured = shown["sweep"]["points"][0]["run"].clone();
    folder.tacho("prepare tprocc sqlite:none.db --scale 1 --progress none").exits(0);
    folder.tacho("sweep --resume latest").done().says(&["3 runs"]);
    let shown = folder.tacho("sweep --show latest -o json").exits(0).json();
    assert_eq!(shown["sweep"]["state"], "complete");
    assert_eq!(shown["sweep"]["points"][0]["run"], measured);
}

/// A quota simulates a full disk. There is enough space for the sweep's record but not for the records of its runs.
#[test]
fn a_point_that_fails_on_a_full_disk_is_repeated() {
    let folder = Folder::new();
    let sweep = "sweep tpcb sim --vary sessions=1,2 -d 1s --ramp-up 0s";
    let full = folder.shell(&format!("ulimit -f 64; trap '' XFSZ; exec \"$TACHO\" {sweep}")).done();
    full.expect_code(3);
    full.complains(&["this point failed", "to repeat the failed runs"]);
    let view = || folder.tacho("sweep --show latest -o json").exits(0).json()["sweep"].clone();
    let outcomes = |sweep: &Value| {
        let points = sweep["points"].as_array().expect("points").clone();
        points.iter().map(|point| point["outcome"].to_string()).collect::<Vec<_>>()
    };
    let before = view();
    assert_eq!(before["state"], "incomplete");
    assert_eq!(outcomes(&before), ["\"failed\""; 2]);
    folder.tacho("sweep --resume latest").exits(0).says(&["2 runs"]);
    let after = view();
    assert_eq!(after["state"], "complete");
    assert_eq!(outcomes(&after), ["\"measured\""; 2]);
}

/// The number of points is computed before the grid is built, because a grid of this size would fill the memory.
#[test]
fn a_grid_of_too_many_runs_is_rejected_before_it_is_made() {
    let folder = Folder::new();
    let values =
        |factor: u32| (1..=300).map(|n| (n * factor).to_string()).collect::<Vec<_>>().join(",");
    let vary = format!(
        "--vary sessions={} --vary seed={} --vary transactions={}",
        values(1),
        values(2),
        values(3)
    );
    let done = folder.tacho(&format!("sweep tpcb sim {vary}")).exits(2);
    done.is_error().complains(&["too many runs: 27", "maximum 10", "--repeat"]);
}

#[test]
fn what_cannot_be_swept_is_told_before_anything_runs() {
    let folder = Folder::new();
    for (arguments, hint) in [
        ("", "--vary sessions=1,2,4,8"),
        ("--vary sesions=1,2", "did you mean sessions"),
        ("--vary sessions=1,x", "allowed: 1 to 100000"),
        ("--vary sessions=1,1", "--repeat"),
        ("--vary sessions", "use the form"),
        ("--vary sessions=1 --vary sessions=2", "single --vary"),
        ("--vary rate=1 --find-max 'p99<1ms'", "omit --vary"),
        ("--vary table_size=1,2", "target.OPTION"),
        ("--vary =1,2", "use the form"),
        ("--find-max 'nosuch.p99<10ms'", "new_order"),
        ("--vary sessions=1,2 --repeat 4294967295", "is not in 1..=1000"),
        ("--find-max 'new_order.p99<'", "such as"),
    ] {
        let done = folder.tacho(&format!("sweep tprocc sim {arguments}")).exits(2);
        done.is_error().complains(&[hint]);
    }
    folder.tacho("sweep --resume latest").exits(2).is_error().complains(&["no sweeps yet"]);
    assert!(folder.runs().is_empty());
}
