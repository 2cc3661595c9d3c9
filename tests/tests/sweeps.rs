//! Sweeps: ladders, grids, one setting against another, the search for a rate, and what breaks.

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
    // Every session beyond a hundred waits longer than the run lasts.
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
fn equal_runs_are_measured_first_and_say_what_can_be_told() {
    let folder = Folder::new();
    // The same server under two names.
    let vary = "--vary target.latency=1ms,1000us --repeat 4 --detect 3%";
    let command = format!("sweep tpcb 'sim:?statement=0s' -c 8 -d 5s --ramp-up 0s {vary}");
    let done = folder.tacho(&format!("{command} -o json")).exits(0);
    done.complains(&["calibration, side 1 of two equal ones", "Calibration: 4 pairs"]);
    let view = done.json();
    assert_eq!(view["rows"].as_array().expect("rows").len(), 2);
    assert_eq!(view["rows"][1]["verdict"], "no_difference");
    assert_eq!(view["calibration"]["differs"], false);
    let points = view["sweep"]["points"].as_array().expect("points").clone();
    let sides: Vec<i64> = points.iter().filter_map(|own| own["equal_side"].as_i64()).collect();
    assert_eq!((points.len(), sides), (16, vec![1, 2, 2, 1, 1, 2, 2, 1]));
    let schema = folder.tacho("schema sweep").exits(0).json();
    assert_eq!(violations(&schema, &view["sweep"]), [""; 0]);
}

#[test]
fn noise_above_what_is_to_be_told_is_said_and_no_change_below_it_is_claimed() {
    let folder = Folder::new();
    // Real time, and a change that no clock could tell.
    let vary = "--vary form=sql,pipelined --repeat 2 --detect 0.0001%";
    let command = format!("sweep tprocc noop -d 300ms --ramp-up 0s {vary}");
    let done = folder.tacho(&command).exits(0);
    done.says(&["The noise is larger than the", "cannot be told from none"]);
    let refused = folder.tacho("sweep tprocc noop --vary sessions=1,2 --calibrate").exits(2);
    refused.is_error().complains(&["add --repeat"]);
    let refused = folder.tacho("sweep tprocc noop --vary sessions=1,2 --repeat 2 --detect x");
    refused.exits(2).is_error().complains(&["3% or 0.03"]);
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
    // Four places of 500 µs and seven round trips: 1 143 transactions a second at most.
    assert!((700.0..1_143.0).contains(&holds) && fails / holds < 1.05, "{holds} {fails}");
    folder.tacho("sweep --show latest").exits(0).says(&["p99<30ms holds at", "twice measured"]);
}

#[test]
fn a_sweep_that_is_stopped_goes_on() {
    let folder = Folder::new();
    // The first interval is over long before the run.
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
    // The run that was cut short is kept, and is none of the sweep's.
    assert_eq!(folder.runs().len(), 4);
    folder.tacho("sweep --resume latest").exits(2).is_error().complains(&["is complete"]);
}

#[test]
fn a_sweep_that_was_killed_goes_on_with_what_it_has() {
    let folder = Folder::new();
    let command = "sweep tprocc noop -d 1s --ramp-up 0s --vary sessions=1,2,3 --progress json";
    let mut run = folder.tacho(command).start();
    run.until_event(|event| event["event"] == "interval");
    // Of the second run.
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
    done.says(&["Not complete: 1 run left"]).complains(&["stopped, since a run has failed"]);
    folder.tacho("prepare tpcb sqlite:later.db --progress none").exits(0);
    folder.tacho("sweep --resume latest").exits(0).says(&["3 runs"]);
}

#[test]
fn a_point_that_fails_does_not_end_the_sweep() {
    let folder = Folder::new();
    let vary = "--vary target=sim,sqlite:none.db,noop";
    let done = folder.tacho(&format!("sweep tprocc {vary} -d 1s --ramp-up 0s")).exits(3);
    done.says(&["sqlite:none.db", "2 runs"]);
    done.complains(&["this point failed", "hint: tacho prepare"]);
}

#[test]
fn what_cannot_be_swept_is_told_before_anything_runs() {
    let folder = Folder::new();
    for (arguments, hint) in [
        ("", "--vary sessions=1,2,4,8"),
        ("--vary sesions=1,2", "did you mean sessions"),
        ("--vary sessions=1,x", "allowed: 1 to 100000"),
        ("--vary sessions=1,1", "--repeat"),
        ("--vary sessions", "write it as"),
        ("--vary sessions=1 --vary sessions=2", "one --vary"),
        ("--vary sessions=1 --find-max 'p99<1ms'", "leave out --vary"),
    ] {
        let done = folder.tacho(&format!("sweep tprocc sim {arguments}")).exits(2);
        done.is_error().complains(&[hint]);
    }
    folder.tacho("sweep --resume latest").exits(2).is_error().complains(&["no sweeps yet"]);
    assert!(folder.runs().is_empty());
}
