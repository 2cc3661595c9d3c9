//! HammerDB's job database (`hammer.DB` in the temporary folder), which users' own scripts read.

use crate::hammerdb::{console, in_order, jobid, script};
use crate::live::small_disk::SmallDisk;
use tacho_tests::{Data, Folder, Signal};

/// Runs a custom script as a job, without a database server.
const RUN: &str = "dbset db pg\ncustomscript own.tcl\nputs [vurun]\nvudestroy\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("own.tcl", "puts WORKED\n");
    folder
}

#[test]
fn the_file_can_be_elsewhere_or_nowhere() {
    let folder = folder();
    script(&folder, &format!("giset commandline sqlite_db :memory:\n{RUN}")).exits(0);
    assert!(!folder.file("hammer.DB").exists());
    std::fs::create_dir(folder.file("below")).expect("a folder");
    for (value, file) in [("TMP", "hammer.DB"), ("below", "below/hammer.DB"), ("own.db", "own.db")]
    {
        let text = format!("giset commandline sqlite_db {value}\n{RUN}{RUN}citmp\n");
        let done = script(&folder, &text).exits(0);
        let data = Data::open(&folder.file(file));
        assert_eq!(data.number("SELECT count(*) FROM jobmain"), 2, "{value}");
        assert_eq!(
            done.out.matches("Initialized new Jobs on-disk database").count(),
            1,
            "{}",
            done.out
        );
        let shown = done.out.lines().find_map(|line| line.strip_prefix("Jobs DB file = "));
        assert!(shown.is_some_and(|shown| shown.ends_with(file)), "{value}: {}", done.out);
    }
    let again = script(&folder, RUN).exits(0);
    let id = jobid(&again, "Benchmark Run");
    again.says(&["own.db using existing tables ("]);
    let sql = format!("SELECT output FROM joboutput WHERE jobid = '{id}' AND vu = 1");
    assert_eq!(Data::open(&folder.file("own.db")).texts(&sql), ["WORKED"]);
}

/// If the job database cannot be used, this must not affect a script's exit code. A file with its name that belongs to
/// another program must be left unchanged.
#[test]
fn a_file_that_cannot_be_used_is_a_warning() {
    let folder = folder();
    let notes = "my notes about the hammer\n".repeat(100);
    folder.write("hammer.DB", &notes);
    let done = script(&folder, &format!("{RUN}{RUN}jobs\n")).exits(0);
    done.says(&[
        "was not added to ",
        "hammer.DB: file is not a database; hint: the command jobs shows it",
    ]);
    // Both runs in the script meet the same problem, but the warning is printed only once.
    assert_eq!(done.out.matches("Warning: ").count(), 1, "{}", done.out);
    assert_eq!(done.out.matches("Benchmark Run jobid=").count(), 4, "{}", done.out);
    assert_eq!(folder.read("hammer.DB"), notes.as_bytes());
    std::fs::remove_file(folder.file("hammer.DB")).expect("a file");
    script(&folder, RUN).exits(0);
    // Another program has begun to write.
    let data = Data::open(&folder.file("hammer.DB"));
    data.run("BEGIN IMMEDIATE; INSERT INTO jobmain (jobid) VALUES ('THEIRS')");
    let done = script(&folder, RUN).exits(0);
    done.says(&["hammer.DB: database is locked; hint: "]);
    data.run("COMMIT");
    assert_eq!(data.number("SELECT count(*) FROM jobmain"), 2);
}

#[test]
fn a_full_disk_is_a_warning() {
    let folder = folder();
    std::fs::create_dir(folder.file("small")).expect("a folder");
    let Some(_disk) = SmallDisk::of(&folder.file("small"), folder.path(), "256k") else { return };
    let head = "giset commandline sqlite_db small/jobs.DB\n";
    let done = script(&folder, &format!("{head}{RUN}")).exits(0);
    let first = jobid(&done, "Benchmark Run");
    folder.shell("cat /dev/zero > small/filler").done();
    folder.write(
        "own.tcl",
        "for {set i 0} {$i < 3000} {incr i} { puts \"line $i of a long output\" }\n",
    );
    let done = script(&folder, RUN).exits(0);
    done.says(&["small/jobs.DB: database or disk is full; hint: "]);
    std::fs::remove_file(folder.file("small/filler")).expect("a filler");
    // What was stored before is complete.
    let data = Data::open(&folder.file("small/jobs.DB"));
    assert_eq!(data.texts("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(data.texts("SELECT jobid FROM jobmain"), [first]);
}

#[test]
fn processes_share_the_file_and_a_killed_one_leaves_it_whole() {
    let folder = folder();
    let text = RUN.repeat(5);
    folder.write("script.tcl", &text);
    let runs: Vec<_> = (0..3).map(|_| console(&folder, "auto script.tcl").start()).collect();
    for run in runs {
        let done = run.wait();
        assert_eq!(done.code(), 0, "{}", done.err);
        assert!(!done.out.contains("Warning: "), "{}", done.out);
    }
    let data = Data::open(&folder.file("hammer.DB"));
    assert_eq!(data.number("SELECT count(*) FROM jobmain"), 15);
    let worked = "SELECT count(DISTINCT jobid) FROM joboutput WHERE output = 'WORKED'";
    assert_eq!(data.number(worked), 15);
    folder.write("own.tcl", "puts LOOPING\nwhile 1 {after 10}\n");
    folder.write("script.tcl", RUN);
    let mut run = console(&folder, "auto script.tcl").start();
    run.until_said(|line| line.contains("LOOPING"));
    // The job is in the database as soon as it begins.
    assert_eq!(data.number("SELECT count(*) FROM jobmain"), 16);
    run.signal(Signal::KILL);
    run.wait();
    folder.write("own.tcl", "puts WORKED\n");
    script(&folder, RUN).exits(0);
    assert_eq!(data.texts("PRAGMA integrity_check"), ["ok"]);
    assert_eq!((data.number("SELECT count(*) FROM jobmain"), data.number(worked)), (17, 16));
}

/// If the Tcl package is missing, the error message must explain how to install it, because only the user can do this.
#[test]
#[expect(clippy::print_stderr, reason = "whoever runs the tests must know what was not tested")]
fn scripts_read_the_file_with_the_package_sqlite3() {
    let folder = folder();
    let calls = "foreach call {{package require sqlite3} {sqlite3 db hammer.DB} {hdbjobs eval {SELECT 1}}} {\n\
                 puts \"[catch $call message] $message\"\n}\n";
    let done = script(&folder, &format!("set auto_path [list $::tcl_library]\n{calls}")).exits(0);
    let message = "1 the Tcl package sqlite3 is not installed; hint: install it (Debian: apt-get install libsqlite3-tcl)";
    assert_eq!(done.out.matches(message).count(), 3, "{}", done.out);
    let python = "try:\n    hdbjobs('eval', 'SELECT 1')\nexcept RuntimeError as error:\n    print('CAUGHT', error)\n";
    folder.write(
        "script.py",
        &format!("tclpy.eval('set auto_path [list $::tcl_library]')\nkeepalive()\n{python}"),
    );
    console(&folder, "py auto script.py").exits(0).says(&["CAUGHT the Tcl package sqlite3"]);
    let text = format!(
        "{RUN}if {{[catch {{package require sqlite3}}]}} {{ puts MISSING; exit }}\n\
         set id [lindex [jobs joblist] 0]\n\
         puts \"OUT [hdbjobs eval {{SELECT output FROM joboutput WHERE jobid = $id AND vu = 1}}]\"\n\
         sqlite3 mine $::env(TMP)/hammer.DB\n\
         mine eval {{SELECT jobid, jobdict FROM jobmain}} row {{\n\
         puts \"HOST [string equal $row(jobid) $id] [dict get $row(jobdict) connection pg_host]\"\n}}\nmine close\n"
    );
    let done = script(&folder, &text).exits(0);
    if done.out.contains("MISSING") {
        return eprintln!("NOT TESTED: the Tcl package sqlite3, which libsqlite3-tcl contains");
    }
    in_order(&done, &["OUT WORKED", "HOST 1 localhost"]);
}
