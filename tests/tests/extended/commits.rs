//! Tests that Tacho detects lost commits of refresh functions, payments and deliveries.

use crate::commits::{ANOTHER_DELIVERY, ANOTHER_ORDER, NO_DELIVERY, NO_PAYMENTS, RUN, copy};
use crate::live::{measuring, notices, sql};
use tacho_tests::Folder;

/// If rows of a refresh function are lost, the run must be INVALID and name the function. If no rows are lost in
/// another run, the numbers of commits must match.
#[test]
fn refreshes_that_are_gone_are_named() {
    let (folder, target) = (Folder::new(), copy("refreshes"));
    folder.tacho(&format!("clean tprocc '{target}' --yes")).exits(0);
    folder.tacho(&format!("prepare tproch '{target}' -s 0.01")).exits(0);
    let run = format!("run tproch '{target}' --set refresh=true --progress json");
    let lossy = measuring(folder.tacho(&format!("{run} --check none")));
    sql(&target, "UPDATE refreshes SET f_orders = f_orders - 3 WHERE f_function = 1");
    let done = lossy.wait();
    done.expect_code(4);
    done.says(&["V06", "rows inserted: client", "✗ rf1"]);
    folder.tacho(&run).done().says(&["commits match", "(rows inserted)", "(rows deleted)"]);
}

#[test]
fn payments_and_deliveries_that_are_gone_are_named() {
    let folder = Folder::new();
    for (name, undo, kind, counters) in [
        ("payments", NO_PAYMENTS, "payment", &["w_ytd", "d_ytd"][..]),
        ("deliveries", NO_DELIVERY, "delivery", &["orders delivered", "o_carrier_id"]),
        ("orders", ANOTHER_ORDER, "new_order", &["o_c_id"]),
        ("carriers", ANOTHER_DELIVERY, "delivery", &["o_carrier_id"]),
    ] {
        let target = copy(name);
        let run = measuring(folder.tacho(&format!("run tprocc '{target}' {RUN}")));
        sql(&target, undo);
        let done = run.wait();
        done.expect_code(4);
        done.says(&["V06", "24 of 24", "commits differ", &format!("✗ {kind}: ")]);
        let result = &folder.record("latest")["result"];
        let differing: Vec<&str> = result["commits"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|found| found["schema"] != found["client"])
            .filter_map(|found| found["counter"].as_str())
            .collect();
        assert_eq!(differing, counters);
        assert!(!notices(result).contains(&"V11"), "{}", result["notices"]);
        folder.tacho(&format!("run tprocc '{target}' {RUN}")).exits(0).says(&["commits match"]);
    }
}
