//! Tests of builds and runs that are stopped, killed or blocked, or that run out of space. Nothing may be lost, and
//! Tacho must report data that already exists.

use crate::prepared::{ONE, TWO};
use serde_json::Value;
use tacho_tests::{Call, Data, Done, Folder, Signal};

pub const BUILD: &str = "prepare tprocc sqlite:b.db?synchronous=off --scale 2 --seed 11";
const RUN: &str = "run tprocc sqlite:a.db?synchronous=off";

/// Starts a build and stops it with a signal. At that time, the first warehouse is complete and the second has been
/// started.
pub fn stopped_build(folder: &Folder, signal: Signal) -> Done {
    let mut build = folder.tacho(&format!("{BUILD} --progress json")).start();
    build.until_event(|event| event["event"] == "build" && event["rows"].as_u64() > Some(650_000));
    build.signal(signal);
    build.wait()
}

/// A run must reject a partial build. After the build has been resumed, the data must be the same as without an
/// interruption.
pub fn build_goes_on(folder: &Folder) {
    let refused = folder.tacho("run tprocc sqlite:b.db").exits(3);
    let hint = "tacho prepare tprocc sqlite:b.db --scale 2 --profile spec --seed 11";
    refused.is_error().complains(&["is incomplete", hint]);
    folder.tacho("check tprocc sqlite:b.db").exits(3).is_error().complains(&["is incomplete"]);
    let resumed = folder.tacho(&format!("{BUILD} --check after -o json")).exits(0);
    resumed.complains(&["resuming an interrupted build"]);
    let report = resumed.json();
    assert_eq!((&report["resumed"], &report["already"]), (&true.into(), &false.into()));
    assert!(report["rows"].as_u64() < Some(1_000_000), "{report}");
    assert_eq!(report["checks"].as_array().map(Vec::len), Some(31));
    TWO.copy_to(folder, "whole.db");
    let of = |name: &str| Data::open(&folder.file(name)).fingerprint();
    assert_eq!(of("b.db"), of("whole.db"));
    folder.tacho(BUILD).exits(0).says(&["nothing to do"]);
}

#[test]
fn an_interrupted_build_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    let done = stopped_build(&folder, Signal::INT);
    done.expect_code(130);
    done.complains(&["the build was stopped", "hint: repeat the command to resume the build"]);
    build_goes_on(&folder);
}

#[test]
fn a_terminated_build_of_other_settings_tells_how_to_go_on() {
    let folder = Folder::new();
    let line = "prepare tprocc sqlite:b.db?synchronous=off -s 2 --profile hammerdb \
                --set zip_left=false --progress json";
    let mut build = folder.tacho(line).start();
    build.until_event(|event| event["rows"].as_u64() > Some(1_000));
    build.signal(Signal::TERM);
    build.wait().expect_code(143);
    let refused = folder.tacho("run tprocc sqlite:b.db?synchronous=off").exits(3);
    let hint = refused.err.lines().find_map(|line| line.split_once("hint: tacho "));
    let command = hint.and_then(|(_, hint)| hint.strip_suffix(" resumes it"));
    let command = command.unwrap_or_else(|| panic!("no command in {}", refused.err));
    folder.tacho(command).exits(0).complains(&["resuming an interrupted build"]);
    folder.tacho("check tprocc sqlite:b.db").exits(0).says(&["18 of 18 hold, 7 excused"]);
}

/// Starts a run and waits until its measured phase has begun.
fn measuring(call: Call) -> tacho_tests::Running {
    let mut run = call.start();
    run.until_event(|event| event["event"] == "interval" && event["phase"] == "measure");
    run
}

const LONG: &str = "-d 10m --ramp-up 200ms --interval 200ms --progress json";

#[test]
fn a_signal_drains_and_summarises() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let folder = ONE.folder();
        let run = measuring(folder.tacho(&format!("{RUN} -c 2 {LONG}")));
        run.signal(signal);
        let done = run.wait();
        done.expect_code(code);
        done.says(&[
            "measured of 10\u{202f}min planned",
            "stopped by",
            "W11",
            "use --duration for a shorter run",
            "accounting",
            "Saved",
        ]);
        let record = folder.record("latest");
        assert_eq!(record["state"], "complete");
        let ended_by = record["result"]["ended_by"].as_str().expect("a word");
        assert!(matches!(ended_by, "interrupt" | "terminate"), "{ended_by}");
        assert!(record["result"]["accounting"]["committed"].as_u64() > Some(0));
        // After a run that was stopped, the data is not checked. The output must say so.
        let checks = record["result"]["checks"].as_array().expect("checks");
        assert!(checks.iter().all(|check| check["when"] != "after"), "{checks:?}");
        done.says(&["– not run: the run was stopped"]);
        folder.tacho("check tprocc sqlite:a.db").exits(0);
        let next = folder.tacho(&format!("{RUN} -d 1s --ramp-up 0s")).exits(0);
        next.says(&["24 of 24", "commits match"]);
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing tells that a signal has been seen")]
fn pause() {
    std::thread::sleep(std::time::Duration::from_secs(1));
}

#[test]
fn a_second_signal_aborts_a_run_that_hangs() {
    let folder = ONE.folder();
    let lock = Data::open(&folder.file("a.db"));
    let run = folder.tacho(&format!("{} -c 2 {LONG}", RUN.replace("off", "off&busy_timeout=10m")));
    let run = measuring(run);
    lock.run("BEGIN IMMEDIATE");
    // The lock is now blocking both sessions. Without the signals, they would wait for ten minutes.
    run.signal(Signal::INT);
    // Wait before the second signal, because two identical signals that are sent at once may arrive as one.
    pause();
    run.signal(Signal::INT);
    let done = run.wait();
    done.expect_code(130);
    assert_eq!(folder.record("latest")["state"], "complete");
    lock.run("ROLLBACK");
}

#[test]
fn a_killed_run_reads_as_incomplete() {
    let folder = ONE.folder();
    let run = measuring(folder.tacho(&format!("{RUN} {LONG}")));
    folder.tacho("runs list").exits(0).says(&["running"]);
    run.signal(Signal::KILL);
    run.wait().expect_code(137);
    folder.tacho("runs list").exits(0).says(&["incomplete"]);
    folder.tacho("show").exits(0).says(&["INCOMPLETE", "planned      10\u{202f}min", "Next"]);
    folder.tacho("show --timeline").exits(0).says(&["measure"]);
    for part in ["--transactions", "--errors", "--audit", "--checks"] {
        folder.tacho(&format!("show {part}")).exits(0).says(&["it has no result"]);
    }
    let record = folder.record("latest");
    assert_eq!((&record["state"], &record["result"]), (&"incomplete".into(), &Value::Null));
    folder.tacho("check tprocc sqlite:a.db").exits(0);
    folder.tacho(&format!("{RUN} -d 1s --ramp-up 0s")).exits(0);
    folder.tacho("runs prune --keep 1").exits(0).says(&["removed"]);
    assert_eq!(folder.runs().len(), 1);
}

#[test]
fn data_of_another_kind_is_refused_with_both_ways_out() {
    let folder = ONE.folder();
    let before = Data::open(&folder.file("a.db")).fingerprint();
    let target = "tprocc sqlite:a.db";
    let table = [
        (format!("run {target} --scale 2"), "at scale 1, but scale 2 was requested", "--scale 1"),
        (format!("run {target} --profile hammerdb"), "profile hammerdb", "--profile spec"),
        (format!("run {target} --set zip_left=true"), "zip_left=false", "tacho clean"),
        (format!("prepare {target} --scale 2"), "but tprocc at scale 2", "tacho clean"),
        (format!("prepare {target} --profile hammerdb"), "profile hammerdb", "tacho clean"),
        (format!("prepare {target} --seed 7"), "seed 42, but ", "tacho clean"),
    ];
    for (line, text, hint) in table {
        folder.tacho(&line).exits(3).is_error().complains(&[text, hint]);
    }
    assert_eq!(Data::open(&folder.file("a.db")).fingerprint(), before);
    assert!(folder.runs().is_empty());
}

const VERBS: [&str; 4] = ["prepare", "run", "check", "clean --yes"];

#[test]
fn tables_of_others_are_refused_and_stay() {
    let folder = Folder::new();
    folder.write("theirs.db", "");
    let theirs = Data::open(&folder.file("theirs.db"));
    theirs.run("CREATE TABLE orders (a); INSERT INTO orders VALUES (1), (2)");
    drop(theirs);
    let before = folder.read("theirs.db");
    for verb in VERBS {
        let done = folder.tacho(&format!("{verb} tprocc sqlite:theirs.db")).exits(3);
        done.is_error().complains(&["tables that Tacho did not create (orders)", "never changes"]);
    }
    assert!(folder.read("theirs.db") == before, "a file of somebody else was changed");
    let theirs = Data::open(&folder.file("theirs.db"));
    assert_eq!(theirs.tables(), ["orders"]);
    assert_eq!(theirs.number("SELECT sum(a) FROM orders"), 3);
}

#[test]
fn a_file_that_is_no_database_stays_as_it_is() {
    for content in ["hello\n".to_owned(), "x".repeat(100_000)] {
        let folder = Folder::new();
        folder.write("note.db", &content);
        for verb in VERBS {
            let done = folder.tacho(&format!("{verb} tprocc sqlite:note.db")).exits(3);
            done.is_error().complains(&["not an SQLite database", "SQLITE_NOTADB"]);
        }
        assert_eq!(folder.read("note.db"), content.as_bytes());
        assert_eq!(folder.names(), ["note.db"]);
    }
}

#[test]
fn a_locked_database_is_told_before_the_run() {
    let folder = ONE.folder();
    let lock = Data::open(&folder.file("a.db"));
    lock.run("BEGIN EXCLUSIVE");
    let target = "'sqlite:a.db?busy_timeout=200ms'";
    for verb in ["run", "clean --yes"] {
        let done = folder.tacho(&format!("{verb} tprocc {target}")).exits(3);
        done.is_error().complains(&["locked", "SQLITE_BUSY", "raise busy_timeout"]);
    }
    assert!(folder.runs().is_empty());
    lock.run("ROLLBACK");
    folder.tacho(&format!("run tprocc {target} -d 1s --ramp-up 0s")).exits(0);
}

#[test]
fn a_database_that_may_only_be_read_can_be_checked_and_not_run() {
    let folder = ONE.folder();
    let target = "'sqlite:a.db?mode=ro'";
    folder.tacho(&format!("check tprocc {target}")).exits(0).says(&["25 of 25 hold"]);
    for verb in ["run", "clean --yes"] {
        let done = folder.tacho(&format!("{verb} tprocc {target}")).exits(3);
        done.is_error().complains(&["readonly", "remove mode=ro"]);
    }
    assert!(folder.runs().is_empty());
    folder.tacho("check tprocc sqlite:a.db").exits(0);
}

#[test]
fn a_database_that_becomes_full_makes_the_run_invalid() {
    let folder = ONE.folder();
    let pages = Data::open(&folder.file("a.db")).number("PRAGMA page_count") + 40;
    let target = format!("'sqlite:a.db?synchronous=off&max_pages={pages}'");
    let done = folder.tacho(&format!("run tprocc {target} -d 2s --ramp-up 0s")).exits(4);
    done.says(&["INVALID: too many failures", "SQLITE_FULL", "24 of 24", "V02"]);
    folder.tacho("check tprocc sqlite:a.db").exits(0);
}

/// A folder on a separate file system of 2 MB. Some machines do not allow tests to mount such a file system.
struct SmallDisk<'a>(&'a Folder);

impl<'a> SmallDisk<'a> {
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    fn mount(folder: &'a Folder) -> Option<Self> {
        let script = "mkdir small && mount -t tmpfs -o size=2m tmpfs small";
        let done = folder.shell(script).done();
        if done.code() != 0 {
            eprintln!("no small disk, files are limited instead: {}", done.err);
            return None;
        }
        Some(Self(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        self.0.shell("umount -l small").done();
    }
}

/// Command of a run that writes more than two pages. Even on a full disk, the last page of a file may have free space,
/// so a shorter file might still fit.
const LOGGED: &str = "run tprocc noop --dir small -d 8s --ramp-up 0s --interval 100ms";

#[test]
fn a_disk_that_becomes_full_during_a_run_costs_no_figure() {
    let folder = Folder::new();
    let Some(_disk) = SmallDisk::mount(&folder) else { return limited_files(&folder) };
    let mut run = folder.tacho(&format!("{LOGGED} --progress json")).start();
    run.until_event(|event| event["event"] == "interval");
    // The command must fail, because the disk is full.
    folder.shell("cat /dev/zero > small/filler").done();
    let done = run.wait();
    done.expect_code(0);
    done.says(&["W08", "(os error 28)", "free disk space", "Saved"]);
    let record = folder.tacho("show --dir small -o json").exits(0).json();
    assert_eq!((&record["state"], &record["result"]["valid"]), (&"complete".into(), &true.into()));
    folder.tacho("show --dir small --timeline").exits(0).says(&["measure"]);
    // There is no space for another run on the disk.
    let refused = folder.tacho(LOGGED).exits(3);
    refused.is_error().complains(&["No space left on device", "tacho runs prune", "--dir"]);
    folder.tacho("runs list --dir small -o json").exits(0);
    folder.tacho("runs prune --dir small --keep 0").exits(0);
}

#[test]
fn a_disk_that_is_full_ends_a_build_and_a_run_before_it_begins() {
    let folder = Folder::new();
    let Some(_disk) = SmallDisk::mount(&folder) else { return limited_files(&folder) };
    let done = folder.tacho("prepare tprocc sqlite:small/a.db").exits(3);
    done.is_error().complains(&["SQLITE_FULL", "free up some space"]);
    let done = folder.tacho("run --dir small").exits(3);
    done.is_error().complains(&["full"]);
}

/// Limits the size of files, because tests on this machine cannot mount a small disk.
fn limited_files(folder: &Folder) {
    let script = format!("ulimit -f 8; exec \"$TACHO\" {LOGGED}");
    folder.shell(&script).exits(3).is_error().complains(&["File too large", "--dir"]);
}

#[test]
fn files_that_may_not_grow_are_an_error_and_no_crash() {
    limited_files(&Folder::new());
}

#[test]
fn damaged_and_newer_records_hide_no_other() {
    let folder = Folder::new();
    for _ in 0..3 {
        folder.tacho("run tprocc noop -d 1s --ramp-up 0s -o quiet").exits(0);
    }
    let id = |run: &str| folder.record(run)["id"].as_str().expect("an id").to_owned();
    let (good, newer, damaged) = (id("latest"), id("latest~1"), id("latest~2"));
    let file = |id: &str| {
        let runs = folder.runs();
        let run = runs.iter().find(|path| path.to_string_lossy().ends_with(id));
        run.expect("a folder").join("run.json").to_string_lossy().into_owned()
    };
    let text = String::from_utf8(folder.read(&file(&newer))).expect("text");
    let text = text.replace("\"version\": 1", "\"version\": 99");
    folder.write(&file(&newer), &text);
    folder.write(&file(&damaged), &text[..text.len() / 2]);
    let listed = folder.tacho("runs list").exits(0);
    listed.says(&[
        &good,
        "TOO SHORT",
        &newer,
        "newer version of Tacho",
        &damaged,
        "damaged",
        "hint:",
    ]);
    assert_eq!(id("latest"), good);
    for (run, text) in [(&newer, "newer version of Tacho"), (&damaged, "record is damaged")] {
        for line in
            [format!("show {run}"), format!("runs tag {run} x"), format!("runs note {run} x")]
        {
            let done = folder.tacho(&line).done();
            assert!(matches!(done.code(), 2 | 3), "{}", done.code());
            done.is_error().complains(&[text]);
        }
    }
    folder.tacho("runs prune --keep 0").exits(0).says(&[&good]);
    assert_eq!(folder.read(&file(&newer)), text.as_bytes());
}
