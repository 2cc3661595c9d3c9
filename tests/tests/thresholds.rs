//! Limits on metrics, damaged data, and the exit code if several of them fail.

use crate::prepared::ONE;
use tacho_tests::Data;

const RUN: &str = "run tprocc sqlite:a.db?synchronous=off -d 1s --ramp-up 200ms";
const NOOP: &str = "run tprocc noop -d 1s --ramp-up 0s";

#[test]
fn limits_decide_the_exit_code() {
    let folder = ONE.folder();
    let table: &[(&str, &str, i32, &str)] = &[
        (RUN, "new_order.p50<1m", 0, "✓ new_order.p50"),
        (RUN, "nopm>1", 0, "✓ nopm"),
        (RUN, "errors<=0%", 0, "✓ errors"),
        (RUN, "nopm>900m", 6, "✗ nopm"),
        (RUN, "payment.max<1ns", 6, "✗ payment.max"),
        (NOOP, "tps>1", 0, "✓ tps"),
        (NOOP, "tps<1", 6, "✗ tps"),
        // If a metric has no data, a limit on it counts as missed. `late` has no data in a run without a schedule.
        (NOOP, "late<1m", 6, "no data"),
    ];
    for (run, threshold, code, text) in table {
        let done = folder.tacho(&format!("{run} --threshold '{threshold}'")).exits(*code);
        done.says(&[text]);
        // The first lines of the summary always mention a failed limit, even if the verdict is INVALID.
        let first: String = done.out.lines().take(5).collect();
        assert_eq!(first.to_lowercase().contains("threshold failed: "), *code == 6, "{first}");
        let limit = &folder.record("latest")["result"]["thresholds"][0];
        assert_eq!(
            (&limit["expression"], &limit["passed"]),
            (&(*threshold).into(), &(*code == 0).into())
        );
    }
}

#[test]
fn lists_have_the_verdict_of_the_summary() {
    let folder = ONE.folder();
    folder.tacho("run tpcb sim -d 20s --threshold 'tps<1' -o quiet").exits(6);
    let short = folder.tacho(&format!("{NOOP} --threshold 'tps<1'")).exits(6);
    short.says(&["TOO SHORT", "threshold failed"]);
    folder.tacho("show latest~1").done().says(&["THRESHOLD FAILED"]);
    let verdicts = ["THRESHOLD FAILED", "TOO SHORT, threshold failed"];
    folder.tacho("runs").exits(0).says(&verdicts);
    folder.tacho("report latest~1 latest --format md").done().says(&verdicts);
    let runs = folder.tacho("runs -o json").exits(0).json();
    assert_eq!(
        (&runs[1]["verdict"], &runs[0]["verdict"]),
        (&verdicts[0].into(), &"TOO SHORT".into())
    );
    assert_eq!(runs[0]["failed_thresholds"][0], "tps<1");
}

#[test]
fn one_crossed_limit_of_several_is_enough() {
    let folder = ONE.folder();
    let limits = "--threshold 'tps>1' --threshold 'tps>900m' --threshold 'max<10m'";
    let done = folder.tacho(&format!("{NOOP} {limits}")).exits(6);
    done.says(&["✓ tps>1", "✗ tps>900m", "✓ max<10m"]);
}

/// Statements that damage the data, each with the conditions that must be reported as violated. One
/// change may violate several conditions.
const DAMAGE: &[(&str, &[&str])] = &[
    ("UPDATE warehouse SET w_ytd = w_ytd + 1", &["C1", "C8"]),
    ("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 3", &["C2"]),
    ("UPDATE orders SET o_carrier_id = NULL WHERE o_d_id = 4 AND o_id = 17", &["C5", "C7"]),
    ("UPDATE history SET h_amount = h_amount + 1 WHERE rowid = 9", &["C8", "C9", "C10"]),
    (
        "UPDATE customer SET c_balance = c_balance - 1 WHERE c_d_id = 1 AND c_id = 5",
        &["C10", "C12"],
    ),
    (
        "DELETE FROM order_line WHERE ol_d_id = 2 AND ol_o_id = 99 AND ol_number = 1",
        &["C4", "C6", "D4"],
    ),
];

#[test]
fn damaged_rows_fail_the_right_checks() {
    for (damage, expected) in DAMAGE {
        let folder = ONE.folder();
        folder.tacho("check tprocc sqlite:a.db").exits(0).says(&["25 of 25 hold"]);
        Data::open(&folder.file("a.db")).run(damage);
        let done = folder.tacho("check tprocc sqlite:a.db").exits(5);
        let marked = done.out.lines().filter_map(|line| line.strip_prefix("✗ "));
        let violated: Vec<&str> =
            marked.filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(violated, *expected, "{damage}\n{}", done.out);
        done.says(&["1 violation, the first: ", &format!("{} of 25 hold", 25 - expected.len())]);
        let json = folder.tacho("check tprocc sqlite:a.db -o json").exits(5).json();
        assert_eq!(json["checks"].as_array().map(Vec::len), Some(31));
    }
}

#[test]
fn a_run_on_damaged_data_is_invalid() {
    let folder = ONE.folder();
    Data::open(&folder.file("a.db")).run("UPDATE warehouse SET w_ytd = w_ytd + 1");
    // The violated check determines the exit code, although a limit was crossed and the run is INVALID, too.
    let done = folder.tacho(&format!("{RUN} --threshold 'tps>900m'")).exits(5);
    done.says(&["INVALID: check failed", "C1", "V05", "✗ tps"]);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["valid"], false);
    let done = folder.tacho(&format!("{RUN} --check none")).exits(0);
    done.says(&["TOO SHORT", "not run: --check none"]);
    // If the check before a run finds a violation, the run does not start.
    for when in ["before", "both"] {
        let done = folder.tacho(&format!("{RUN} --check {when}")).exits(5);
        done.is_error().complains(&["inconsistent before the run: C1, C8", "tacho check"]);
    }
    assert_eq!(folder.runs().len(), 2);
}

#[test]
fn checks_before_and_after_are_both_recorded() {
    let folder = ONE.folder();
    folder.tacho(&format!("{RUN} --check both")).exits(0).says(&["24 of 24"]);
    let record = folder.record("latest");
    let checks = record["result"]["checks"].as_array().expect("checks");
    let count = |when: &str| checks.iter().filter(|check| check["when"] == when).count();
    assert_eq!((count("before"), count("after")), (31, 30));
}

#[test]
fn an_invalid_run_comes_before_a_crossed_limit() {
    let folder = ONE.folder();
    let errors = "run tprocc sim:?errors=5% -d 1m --ramp-up 0s";
    let done = folder.tacho(&format!("{errors} --threshold 'errors<0.1%'")).exits(4);
    done.says(&["INVALID: too many failures", "V02", "✗ errors"]);
    // A usage error takes precedence over everything else, so nothing is measured.
    folder.tacho(&format!("{errors} --threshold 'errors<x'")).exits(2).is_error();
    assert_eq!(folder.runs().len(), 1);
}

#[test]
fn prepare_checks_on_request() {
    let folder = ONE.folder();
    folder.tacho("prepare tprocc sqlite:a.db --check after").exits(0).says(&["✓ C12"]);
    Data::open(&folder.file("a.db")).run("UPDATE district SET d_ytd = 0 WHERE d_id = 1");
    folder.tacho("prepare tprocc sqlite:a.db --check after").exits(5).says(&["✗ C1 ", "✗ C9 "]);
}
