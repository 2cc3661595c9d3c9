//! Refreshes whose commits are gone.

use crate::commits::copy;
use crate::live::{measuring, sql};
use tacho_tests::Folder;

/// Rows of a refresh function that are gone, and then the same run with nothing lost.
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
