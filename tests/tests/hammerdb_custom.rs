//! Tests of `customscript`, which makes every virtual user run a file that the user provides.

use crate::hammerdb::{console, in_order, jobid, place, script};
use tacho_tests::{Folder, Signal};

#[test]
fn each_virtual_user_runs_the_file_in_an_interpreter_of_its_own() {
    let folder = Folder::new();
    place(&folder, "custom_driver.tcl", &[]);
    let done = script(
        &folder,
        "dbset db pg\ncustomscript custom_driver.tcl\nprint script\nsavescript saved\n\
         vuset vu 3\nvuset delay 20\nvuset iterations 2\nvuset repeat 20\nvuset logtotemp 1\n\
         vucreate\nset result [ vurun ]\nvustatus\nvudestroy\nputs \"RETURNED $result\"\n\
         job [ lindex [ split $result = ] 1 ] 2\nprint script",
    );
    let done = done.exits(0);
    in_order(
        &done,
        &[
            "Loaded custom_driver.tcl",
            "set total_iterations 3",
            "Vuser 1 created - WAIT IDLE",
            "3 Virtual Users Created",
            "Vuser 1:RUNNING",
            "Vuser 1:Processing 3 rounds",
            "Vuser 1:round 1 of 1",
            "ALL VIRTUAL USERS COMPLETE",
            " 3 = FINISH SUCCESS",
            "vudestroy success",
            // The script is still loaded.
            "set total_iterations 3",
        ],
    );
    let id = jobid(&done, "RETURNED Benchmark Run");
    done.says(&[&format!("Benchmark Run jobid={id}"), "Vuser 3:round 3 of 3", "\"round 1 of 2\""]);
    // Each of the three virtual users runs the file twice.
    assert_eq!(done.out.matches("Vuser 2:round 1 of 2").count(), 2, "{}", done.out);
    for user in 1..=3 {
        assert_eq!(folder.read(&format!("vuser_{user}.txt")), b"done\ndone\n");
    }
    let saved = String::from_utf8(folder.read("saved.tcl")).expect("text");
    assert!(saved.contains("puts \" of $::hammerdb::user\""), "{saved}");
    let log = String::from_utf8(folder.read("hammerdb.log")).expect("text");
    assert!(log.contains("\nVuser 2:round 2 of 2"), "{log}");
}

#[test]
fn what_fails_is_told_with_the_stack_and_the_others_go_on() {
    let folder = Folder::new();
    folder.write(
        "driver.tcl",
        "proc inner {} { if { $::hammerdb::user == 2 } { error broken } }\ninner\nputs AFTER\n\
         if { $::hammerdb::user == 1 } { exit 0 }\nputs UNREACHED_BY_1\n\
         if { $::hammerdb::user == 3 } { exit 4 }\nputs END",
    );
    let done = script(
        &folder,
        "dbset db pg\ncustommonitor timed\ncustomscript driver.tcl\nvuset vu 3\nvuset delay 0\n\
         vucreate\nvurun\nvustatus\nputs WENT_ON",
    );
    let done = done.exits(2);
    in_order(
        &done,
        &[
            "Monitor Virtual User enabled for customscript",
            "Vuser 1 created MONITOR - WAIT IDLE",
            "4 Virtual Users Created with Monitor VU",
            "ALL VIRTUAL USERS COMPLETE",
            " 1 = FINISH SUCCESS",
            " 2 = FINISH FAILED",
            " 3 = FINISH FAILED",
            " 4 = FINISH SUCCESS",
            "WENT_ON",
        ],
    );
    done.says(&["Error in Virtual User 2: broken", "(procedure \"inner\" line 1)"]);
    done.says(&["Error in Virtual User 3: exit 4", "Vuser 4:END", "Vuser 1:AFTER"]);
    assert!(!done.out.contains("Vuser 1:UNREACHED"), "{}", done.out);
}

#[test]
fn what_is_no_script_is_told_and_ours_comes_back() {
    let folder = Folder::new();
    folder.write("driver.tcl", "puts {no end");
    let done = script(
        &folder,
        "dbset db pg\ncustomscript\ncustommonitor\n\
         if { [ catch { customscript nosuch.tcl } message ] } { puts \"CAUGHT $message\" }\n\
         customscript driver.tcl\nvurun\nvudestroy\nloadscript\nprint script",
    );
    let done = done.exits(2);
    done.says(&["Usage: customscript scriptname.tcl", "Usage: custommonitor test|timed"]);
    done.says(&["CAUGHT Error: script nosuch.tcl failed to load", "missing close-brace"]);
    done.says(&["Vuser 1:FINISHED FAILED", "these commands ask for the same run"]);
}

#[test]
fn a_loop_without_end_is_stopped_by_the_user() {
    let folder = Folder::new();
    folder.write("driver.tcl", "puts BEGUN\nwhile 1 { catch { after 20 } }");
    folder.write("script.tcl", "customscript driver.tcl\nvuset vu 2\nvuset delay 0\nvurun\n");
    let mut run = console(&folder, "auto script.tcl").start();
    run.until_said(|line| line.contains("Vuser 2:BEGUN"));
    run.signal(Signal::INT);
    let done = run.wait();
    done.expect_code(130);
    done.says(&[
        "Vuser 1:FINISHED FAILED",
        "Vuser 2:FINISHED FAILED",
        "ALL VIRTUAL USERS COMPLETE",
    ]);
}
