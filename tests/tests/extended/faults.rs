//! Tests of builds that are killed, or whose database runs out of space.

use crate::faults::{BUILD, build_goes_on, stopped_build};
use tacho_tests::{Folder, Signal};

#[test]
fn a_killed_build_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    stopped_build(&folder, Signal::KILL).expect_code(137);
    build_goes_on(&folder);
}

#[test]
fn a_full_database_ends_the_build_and_a_larger_one_goes_on() {
    let folder = Folder::new();
    let done = folder.tacho(&BUILD.replace("off ", "off&max_pages=25000 ")).exits(3);
    done.is_error().complains(&["database or disk is full (SQLITE_FULL)", "free up some space"]);
    build_goes_on(&folder);
}
