//! The next command reverts and reports the changes that a killed command left behind.

#![expect(clippy::disallowed_methods, reason = "processes and files are waited for in real time")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_tests::{Data, Folder, Signal};

use crate::outages::mount;

const RUN: &str = "run tpcb pg -c 2 --ramp-up 0s --check none --on-disconnect reconnect";

/// Waits up to a minute for a file that a command writes.
fn written(find: impl Fn() -> Option<PathBuf>) -> PathBuf {
    written_in_time(find).expect("no file was written")
}

fn written_in_time(find: impl Fn() -> Option<PathBuf>) -> Option<PathBuf> {
    (0..6000).find_map(|_| {
        let path = find();
        if path.is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        path
    })
}

/// Waits for a fault's journal to be written and returns its path.
fn journal(folder: &Folder, fault: &str) -> Option<PathBuf> {
    let journals = folder.file("tacho-data/journals");
    written_in_time(|| {
        let entries = std::fs::read_dir(&journals).ok()?.flatten().map(|entry| entry.path());
        let is_of_fault = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(fault) && name.ends_with(".json")
        };
        entries.into_iter().find(is_of_fault)
    })
}

/// Kills a run while a fault is active.
fn killed_during(folder: &Folder, fault: &str, word: &str) {
    let run = folder.tacho(&format!("{RUN} -d 60s --fault '{fault}'")).start();
    let Some(path) = journal(folder, word) else {
        run.signal(Signal::INT);
        let done = run.wait();
        panic!("no fault was noted: {}\n{}", done.out, done.err);
    };
    run.signal(Signal::KILL);
    run.wait();
    assert!(path.exists(), "the journal outlives the run");
}

#[test]
fn a_fault_of_a_killed_run_is_undone_by_the_next_command() {
    let folder = Folder::open();
    folder.tacho("up postgres -o quiet").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);

    killed_during(&folder, "at=100ms pause for=60s", "paused");
    folder.tacho("restore --list").exits(0).says(&["pg, paused by a run"]);
    let run = folder.tacho(&format!("{RUN} -d 1s")).done();
    run.complains(&["resumed pg, which had been paused by a run that was killed"]);
    folder.tacho("restore").exits(0).says(&["nothing to do"]);

    killed_during(&folder, "at=100ms kill for=60s", "stopped");
    let run = folder.tacho(&format!("{RUN} -d 1s")).done();
    run.complains(&["started pg, which a killed run had stopped"]);

    killed_during(&folder, "at=100ms pause for=60s", "paused");
    folder.tacho("restore").exits(0).says(&["pg: restored; a killed run had left it paused"]);
    folder.tacho("check tpcb pg").exits(0);

    killed_during(&folder, "at=100ms pause for=60s", "paused");
    folder.tacho("up pg").exits(0).says(&["is already running"]).complains(&["resumed pg"]);

    // `tacho down` must resume the suspended server first. Otherwise, stopping it would time out after a minute.
    killed_during(&folder, "at=100ms pause for=60s", "paused");
    folder.tacho("down pg").exits(0).says(&["pg stopped"]).complains(&["resumed pg"]);
    assert!(!folder.file("tacho-data/journals").exists());
}

/// A killed run leaves behind the file with which it filled the disk. The server cannot write until
/// the next command removes this file.
#[test]
fn a_disk_that_a_killed_run_filled_is_freed_by_the_next_command() {
    let folder = Folder::open();
    let servers = folder.file("tacho-data/servers");
    std::fs::create_dir_all(&servers).expect("a folder");
    let Some(_mounted) = mount(&servers) else { return };
    let ballast = servers.join("pg/tacho-ballast");
    folder.tacho("up postgres -o quiet").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let run = folder.tacho(&format!("{RUN} -d 60s --fault 'at=100ms fill for=60s'")).start();
    let journal = journal(&folder, "filled").expect("a journal");
    let is_full = || {
        let disk = rustix::fs::statvfs(&servers).expect("a file system");
        disk.f_bavail * disk.f_frsize < 1 << 20
    };
    written(|| is_full().then(|| ballast.clone()));
    run.signal(Signal::KILL);
    run.wait();
    let noted = std::fs::read(&journal).expect("the journal");
    let doctor = folder.tacho("doctor").done();
    doctor.says(&["free for servers in", "to undo an interrupted fault, use tacho restore"]);

    let again = format!("{RUN} -d 1s");
    let freed = "freed space on pg's disk, which a killed run had filled";
    for (next, words) in [
        ("restore", "pg: restored; a killed run had left it filled"),
        ("up pg", freed),
        (&again, freed),
        ("down pg", freed),
    ] {
        // At first, the disk is still full, because the killed run left the file with which it had filled the disk.
        // Before each later command, the test recreates the journal and a small file in place of the large one.
        if !ballast.exists() {
            folder.tacho("up pg -o quiet").exits(0);
            std::fs::create_dir_all(journal.parent().expect("a folder")).expect("a folder");
            std::fs::write(&journal, &noted).expect("a journal");
            std::fs::write(&ballast, [0; 4096]).expect("a file");
        }
        let done = folder.tacho(next).done();
        assert!(matches!(done.code(), 0 | 4), "{next}: {} {}", done.code(), done.err);
        assert!(done.out.contains(words) || done.err.contains(words), "{next}: {}", done.err);
        assert!(!ballast.exists() && !journal.exists(), "{next}");
    }
}

/// The command must restart the server. If it only resumed the process, the server would reject
/// connections while it recovers from the loss of its other processes.
#[test]
fn a_kill_that_was_cut_short_is_completed() {
    let folder = Folder::open();
    folder.tacho("up postgres -o quiet").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let run = folder.tacho(&format!("{RUN} -d 60s --fault 'at=100ms kill for=60s'")).start();
    let journal = journal(&folder, "stopped").expect("a journal");
    let noted = std::fs::read(&journal).expect("the journal");
    run.signal(Signal::KILL);
    run.wait();
    folder.tacho("restore").exits(0);
    folder.tacho("up pg").exits(0);

    // Simulate a run that was killed after it had suspended the server and killed only one of its processes.
    let state = std::fs::read(folder.file("tacho-data/servers/pg.json")).expect("the state");
    let state: serde_json::Value = serde_json::from_slice(&state).expect("JSON");
    let server = state["process"]["pid"].as_u64().expect("a process").to_string();
    signal("STOP", &server);
    signal("KILL", &children(&server)[0]);
    std::fs::create_dir_all(journal.parent().expect("a folder")).expect("a folder");
    std::fs::write(&journal, noted).expect("a journal");

    let done = folder.tacho(&format!("{RUN} -d 1s")).done();
    done.complains(&["started pg, which a killed run had stopped"]);
    assert_eq!(folder.record("latest")["result"]["accounting"]["failed"], 0, "{}", done.err);
    folder.tacho("down pg").exits(0).says(&["pg stopped"]);
}

fn process(folder: &Folder, name: &str) -> String {
    let path = folder.file(&format!("tacho-data/servers/{name}.json"));
    let state = std::fs::read(path).expect("the state");
    let state: serde_json::Value = serde_json::from_slice(&state).expect("JSON");
    state["process"]["pid"].as_u64().expect("a process").to_string()
}

/// A suspended child process makes the server's shutdown take so long that the run can be killed during the restart.
#[test]
fn a_restart_that_was_cut_short_is_completed() {
    let folder = Folder::open();
    folder.tacho("up postgres -o quiet").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    for next in [format!("{RUN} -d 1s"), "up pg".into(), "restore".into(), "down pg".into()] {
        let children = children(&process(&folder, "pg"));
        for child in &children {
            signal("STOP", child);
        }
        killed_during(&folder, "at=100ms restart", "stopped");
        for child in &children {
            signal("CONT", child);
        }
        let done = folder.tacho(&next).done();
        assert!(matches!(done.code(), 0 | 4), "{next}: {} {}", done.code(), done.err);
        assert!(!folder.file("tacho-data/journals").exists(), "{next}");
        if next.starts_with("down") {
            assert!(!folder.file("tacho-data/servers/pg.json").exists());
        } else {
            folder.tacho("up pg").exits(0);
            folder.tacho("check tpcb pg").exits(0);
        }
    }
}

/// Kills the run just after it has recorded the start of a failover. The primary may be dead, but the replica has not
/// been promoted yet.
#[test]
fn a_failover_that_was_cut_short_is_completed() {
    let folder = Folder::open();
    for next in ["run", "restore", "down --all"] {
        folder.tacho("up postgres --replica async -o quiet").exits(0);
        folder.tacho("prepare tpcb pg").exits(0);
        killed_during(&folder, "at=100ms failover", "failing-over");
        let next = if next == "run" { format!("{RUN} -d 1s") } else { next.into() };
        let done = folder.tacho(&next).done();
        assert!(matches!(done.code(), 0 | 4), "{next}: {} {}", done.code(), done.err);
        assert!(!folder.file("tacho-data/journals").exists(), "{next}");
        if !next.starts_with("down") {
            folder.tacho("up pg").exits(0);
            folder.tacho("check tpcb pg").exits(0);
            folder.tacho("down --all").exits(0);
        }
        assert!(!folder.file("tacho-data/servers").exists(), "{next}");
    }
}

/// If two commands want to create the same server, one of them creates it. The other finds the
/// server or reports that it is being created.
#[test]
fn two_commands_create_one_server() {
    let folder = Folder::open();
    let both = [0, 1].map(|_| folder.tacho("up postgres -o quiet").start());
    let both = both.map(tacho_tests::Running::wait);
    assert!(both.iter().any(|done| done.code() == 0));
    for done in both.iter().filter(|done| done.code() != 0) {
        done.is_error();
    }
    let server = process(&folder, "pg");
    folder.tacho("prepare tpcb pg").exits(0);
    folder.tacho("down pg").exits(0).says(&["pg stopped"]);
    assert!(!group_lives(&server) && !folder.file("tacho-data/servers").exists());
}

fn signal(name: &str, pid: &str) {
    let done = std::process::Command::new("kill").args(["-s", name, pid]).status();
    let has_ended = !Path::new("/proc").join(pid).exists();
    assert!(has_ended || done.is_ok_and(|status| status.success()), "kill -s {name} {pid}");
}

fn children(parent: &str) -> Vec<String> {
    let processes = Path::new("/proc").read_dir().expect("the list of processes").flatten();
    let is_child = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent_of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent_of == Some(parent)
    };
    let names = processes.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(is_child).collect()
}

/// While a run is alive, no other command may revert its fault.
#[test]
fn a_fault_of_a_living_run_is_left_alone() {
    let folder = Folder::open();
    folder.tacho("up postgres -o quiet").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let run = folder.tacho(&format!("{RUN} -d 60s --fault 'at=100ms pause for=60s'")).start();
    let path = journal(&folder, "paused").expect("a journal");
    folder.tacho("restore").exits(3).says(&["✗ pg", "a run is keeping pg paused"]);
    assert!(path.exists());
    run.signal(Signal::INT);
    run.wait();
    assert!(!path.exists(), "the run has undone its fault itself");
    folder.tacho("down pg").exits(0).says(&["pg stopped"]);
}

/// Returns true if any process in the given group is alive.
fn group_lives(group: &str) -> bool {
    let processes = Path::new("/proc").read_dir().expect("the list of processes").flatten();
    let mut stats =
        processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.any(|stat| {
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace());
        let fields: Vec<&str> = fields.into_iter().flatten().collect();
        fields.first() != Some(&"Z") && fields.get(2) == Some(&group)
    })
}

/// Kills `up` while it is creating a data directory. Returns the process group that is left behind.
fn killed_while_it_makes_a_server(folder: &Folder) -> String {
    let up = folder.tacho("up postgres").start();
    let state = folder.file("tacho-data/servers/pg.json");
    let setup = || {
        let state: serde_json::Value = serde_json::from_slice(&std::fs::read(&state).ok()?).ok()?;
        Some(state["setup"]["pid"].as_u64()?.to_string())
    };
    written(|| setup().map(|_| state.clone()));
    up.signal(Signal::KILL);
    up.wait();
    setup().expect("a process that was noted")
}

#[test]
fn a_server_whose_up_was_killed_is_ended_before_its_folder_is_removed() {
    let folder = Folder::open();
    let group = killed_while_it_makes_a_server(&folder);
    folder.tacho("list servers -o json").exits(0).says(&["half-made"]);
    folder.tacho("down pg").exits(0).says(&["pg was half-made", "removed"]);
    assert!(!group_lives(&group) && !folder.file("tacho-data/servers").exists());

    let group = killed_while_it_makes_a_server(&folder);
    let up = folder.tacho("up postgres").exits(0);
    up.complains(&["removing pg, which an interrupted command left incomplete"]);
    assert!(!group_lives(&group));
    folder.tacho("down pg").exits(0).says(&["pg stopped"]);
}

/// A suspended child process makes the server's shutdown take so long that `down` can be killed during it.
#[test]
fn a_server_whose_down_was_killed_is_not_taken_for_a_running_one() {
    let folder = Folder::open();
    folder.tacho("up postgres -o quiet").exits(0);
    let (server, state) = (process(&folder, "pg"), folder.file("tacho-data/servers/pg.json"));
    let children = children(&server);
    for child in &children {
        signal("STOP", child);
    }
    let down = folder.tacho("down pg").start();
    let is_half_removed = || {
        let state: serde_json::Value = serde_json::from_slice(&std::fs::read(&state).ok()?).ok()?;
        (state["made"] == false).then(|| folder.file("tacho-data/servers/pg.json"))
    };
    written(is_half_removed);
    down.signal(Signal::KILL);
    down.wait();
    for child in &children {
        signal("CONT", child);
    }
    let up = folder.tacho("up postgres").exits(0);
    up.complains(&["removing pg, which an interrupted command left incomplete"]);
    assert_ne!(process(&folder, "pg"), server);
    folder.tacho("prepare tpcb pg").exits(0);
    folder.tacho("down pg").exits(0).says(&["pg stopped"]);
}

/// A load that is killed between creating the marker tables and writing the marker leaves them without entries.
#[test]
fn marker_tables_without_entries_are_filled_by_the_next_load() {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:a.db").exits(0);
    let data = Data::open(&folder.file("a.db"));
    for table in data.tables() {
        let is_marker = table == "tacho_marker" || table == "tacho_units";
        data.run(&format!("{} {table}", if is_marker { "DELETE FROM" } else { "DROP TABLE" }));
    }
    data.run("CREATE TABLE other (a INT)");
    for command in
        ["run tpcb sqlite:a.db -d 1s", "prepare tpcb sqlite:a.db", "clean tpcb sqlite:a.db --yes"]
    {
        folder.tacho(command).exits(3).complains(&["other"]);
    }
    data.run("DROP TABLE other");
    folder.tacho("run tpcb sqlite:a.db -d 1s").exits(3).complains(&["tacho prepare"]);
    folder.tacho("clean tpcb sqlite:a.db --yes").exits(0);
    folder.tacho("prepare tpcb sqlite:a.db").exits(0);
    folder.tacho("check tpcb sqlite:a.db").exits(0);
}
