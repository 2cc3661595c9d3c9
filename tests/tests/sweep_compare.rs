//! Comparison of sweeps: which points belong together, which conclusions are drawn, which
//! comparisons are rejected, and how often a conclusion is wrong.

use serde_json::Value;
use tacho_tests::{Done, Folder};

/// Runs a sweep over session counts on a simulated server with random round-trip times.
///
/// Returns the sweep's ID, because several sweeps may start in the same second.
fn ladder(folder: &Folder, latency: &str, sessions: &str, more: &str) -> String {
    let target = format!("'sim:?latency={latency}&statement=0s'");
    let load = format!("-d 5s --ramp-up 0s --vary sessions={sessions}");
    swept(folder, &format!("tpcb {target} {load} {more}"))
}

fn swept(folder: &Folder, line: &str) -> String {
    let view = folder.tacho(&format!("sweep {line} --progress none -o json")).done().json();
    view["sweep"]["id"].as_str().expect("an id").to_owned()
}

fn compared(folder: &Folder, a: &str, b: &str) -> Value {
    folder.tacho(&format!("compare {a} {b} -o json")).exits(0).json()[0].clone()
}

fn verdicts(comparison: &Value) -> Vec<&str> {
    let points = comparison["points"].as_array().expect("points");
    points.iter().filter_map(|point| point["metrics"][0]["verdict"].as_str()).collect()
}

#[test]
fn points_are_matched_by_their_values_and_no_other_is_dropped_in_silence() {
    let folder = Folder::new();
    let a = ladder(&folder, "4ms", "1,2,4,8", "--seed 1");
    let b = ladder(&folder, "6ms", "2,4,16,1", "--seed 2");
    let done = folder.tacho(&format!("compare {a} {b}")).exits(0);
    done.says(&["Conditions that differ", "server.settings.latency", "4.00ms", "6.00ms", "WORSE"]);
    done.says(&["throughput, baseline", "95 % CI", "Holm", "level of 1 %", "Peak and knee"]);
    done.says(&["Not compared: sessions 8 (run: not in this sweep)"]);
    done.says(&["Not compared: sessions 16 (baseline: not in this sweep)"]);
    assert!(place(&done, "Conditions that differ") < place(&done, "Throughput"), "{}", done.out);

    let comparison = compared(&folder, &a, &b);
    let values = |key: &str| {
        let points = comparison[key].as_array().expect("points");
        points.iter().map(|point| point["values"][0].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(values("points"), ["1", "2", "4"], "in the order of the baseline");
    assert_eq!(values("unmatched"), ["8", "16"]);
    assert_eq!(verdicts(&comparison), ["worse"; 3]);
    assert_eq!(comparison["families"]["throughput"], 3);
    // The expected change in throughput is 4 ms ÷ 6 ms − 1 = −33 %. The measured change lies within
    // its confidence interval.
    let change = &comparison["points"][2]["metrics"][0]["change"];
    let value = change["value"].as_f64().expect("a change");
    assert!((-0.36..-0.31).contains(&value), "{change}");
    assert!(change["low"].as_f64() < Some(value) && Some(value) < change["high"].as_f64());
    // The mean over all points comes first.
    let overall = &comparison["overall"][0];
    assert_eq!((&overall["name"], &overall["verdict"]), (&"throughput".into(), &"worse".into()));
    assert!(done.out.starts_with("WORSE: throughput −3"), "{}", done.out);
    done.says(&["over 3 points (", "Over all points", "Over 3 points"]);
    // The peaks are at 8 and at 16 sessions.
    let peak = &comparison["ladders"][0]["peak"];
    assert_eq!((&peak["baseline"]["at"], &peak["run"]["at"]), (&"8".into(), &"16".into()));
    // The change at a point must be the same as when `compare` compares the two runs of this point.
    let runs = ["baseline_runs", "runs"]
        .map(|key| comparison["points"][0][key][0].as_str().expect("an id").to_owned());
    let alone = folder.tacho(&format!("compare {} -o json", runs.join(" "))).exits(0).json();
    assert_eq!(alone[0]["metrics"][0]["change"], comparison["points"][0]["metrics"][0]["change"]);
}

fn place(done: &Done, text: &str) -> usize {
    done.out.find(text).expect("it is there")
}

#[test]
fn a_gate_fails_on_what_is_worse_or_could_not_be_told() {
    let folder = Folder::new();
    let a = ladder(&folder, "4ms", "1,2,4", "--seed 1");
    let b = ladder(&folder, "6ms", "1,2,4", "--seed 2");
    folder.tacho(&format!("compare {a} {b} --fail-on regression")).exits(7);
    folder.tacho(&format!("compare {a} {b} --fail-on throughput -o json")).exits(7);
    folder.tacho(&format!("compare {b} {a} --fail-on regression")).exits(0).says(&["3 better"]);
    // Both sweeps contain this point, but it could not be measured.
    let vary = "--vary target=sim,sqlite:none.db";
    let [a, b] = [1, 2].map(|_| swept(&folder, &format!("tpcb {vary} -d 5s --ramp-up 0s")));
    let sides = format!("compare {a} {b}");
    folder.tacho(&sides).exits(0).says(&["Not compared: target sqlite:none.db (baseline:"]);
    folder.tacho(&format!("{sides} --fail-on throughput")).exits(7);
}

#[test]
fn repetitions_and_a_calibration_are_respected() {
    let folder = Folder::new();
    let more = "--repeat 3 --detect 3%";
    let a = ladder(&folder, "4ms", "2,8", &format!("{more} --seed 1"));
    let b = ladder(&folder, "6ms", "2,8", &format!("{more} --seed 5"));
    let c = ladder(&folder, "6ms", "2,8", &format!("{more} --seed 9"));
    let equal = compared(&folder, &b, &c);
    assert_eq!(equal["basis"], "between_runs");
    assert!(equal["baseline"]["floor"].is_number(), "{equal}");
    for verdict in verdicts(&equal) {
        assert!(!["better", "worse"].contains(&verdict), "{equal}");
    }
    let done = folder.tacho(&format!("compare {a} {b} {c}")).exits(0);
    done.says(&["spread between repeated runs", "WORSE", &b, &c]);
}

/// Compares sweeps that do not differ. Only a very small part of the comparisons may report a difference.
#[test]
fn equal_sweeps_hardly_ever_differ() {
    let folder = Folder::new();
    let claims = |pair: &u64| {
        let [a, b] = [2 * pair, 2 * pair + 1]
            .map(|seed| ladder(&folder, "4ms", "2,4,8", &format!("--seed {seed} --check none")));
        let comparison = compared(&folder, &a, &b);
        verdicts(&comparison).iter().any(|verdict| ["better", "worse"].contains(verdict))
    };
    let claimed = (0..20).filter(claims).count();
    assert!(claimed <= 3, "{claimed} of 20 comparisons of equal sweeps claim a difference");
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_remedy() {
    let folder = Folder::new();
    let short = ladder(&folder, "4ms", "1,2", "--seed 1");
    let refused = |line: &str, words: &[&str]| {
        folder.tacho(&format!("compare {line}")).exits(2).is_error().complains(words);
    };
    refused("sweep:latest~1 sweep:latest", &["the number of sweeps is 1", "hint:"]);
    refused("sweep:latest sweep:latest", &["on both sides"]);
    let mixed = ["is a sweep", "tacho compare sweep:latest~1 sweep:latest"];
    refused("sweep:latest latest", &mixed);
    refused(&format!("latest {short}"), &mixed);

    let plain = ladder(&folder, "4ms", "4,8", "--seed 1");
    let lone = ["no measured points in common", "sessions 4 (baseline: not in this sweep)"];
    refused(&format!("{short} {plain}"), &lone);

    let grid = ladder(&folder, "4ms", "4,8", "--seed 1 --vary form=sql");
    refused(&format!("{plain} {grid}"), &["varies sessions, the other sessions, form", "--force"]);
    folder.tacho(&format!("compare {plain} {grid} --force")).exits(0).says(&["sessions"]);

    let large = ladder(&folder, "4ms", "4,8", "--seed 1 --scale 2");
    refused(&format!("{large} {plain}"), &["plan.scale is 2 and 1", "--force"]);
    folder.tacho(&format!("compare {large} {plain} --force")).exits(0).says(&["plan.scale"]);

    let other = swept(&folder, "tprocc sim -d 2s --ramp-up 0s --vary sessions=4,8");
    refused(&format!("{plain} {other}"), &["workloads are tpcb and tprocc"]);
    let forms = swept(&folder, "tpcb sim -d 2s --ramp-up 0s --vary form=sql,pipelined");
    refused(&format!("{plain} {forms} --force"), &["vary the same settings"]);
}
