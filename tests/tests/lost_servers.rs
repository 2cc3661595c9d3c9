//! Servers that lose commits, never come back, or stall. The result must never be VALID, and no
//! command may wait forever.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

use std::process::Command;
use std::time::{Duration, Instant};

use crate::live::{TPROCC, hold, measuring, notices, server_with, sql};
use serde_json::Value;
use tacho_testkit::data_source;
use tacho_testkit::permits::{Group, permit};
use tacho_testkit::servers::{Kind, MariaDb, Options, Postgres, TestServer};
use tacho_tests::{Done, Folder, Running, Signal};

/// Time limit for commands that must not wait for an unresponsive server. It is far longer than they need.
const SOON: Duration = Duration::from_secs(45);
pub const RECONNECT: &str =
    "--on-disconnect reconnect --ramp-up 1s --check none --interval 200ms --progress json";

pub fn postgres(server: &Postgres, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{}/{database}", server.port())
}

pub fn mariadb(server: &MariaDb, database: &str) -> String {
    mariadb_at(server, server.port(), database)
}

pub fn mariadb_at(server: &MariaDb, port: u16, database: &str) -> String {
    format!("mariadb://tacho:{}@127.0.0.1:{port}/{database}", server.password())
}

/// Waits until the run has committed transactions for a while, so that a crash can lose some of them.
fn works_for_a_while(run: &mut Running) {
    let works = |event: &Value| event["event"] == "interval" && event["totals"]["committed"] != 0;
    (0..8).for_each(|_| run.until_event(works));
}

/// Kills and restarts a server during a run that reconnects.
pub fn crashes<K: Kind>(
    server: &mut TestServer<K>,
    mut run: Running,
    between: impl FnOnce(&TestServer<K>),
) -> Done {
    works_for_a_while(&mut run);
    server.kill();
    between(server);
    server.restart().expect("the server again");
    run.wait()
}

/// Checks that the run is INVALID because of lost commits, that it reports them, and that no metric counts them.
pub fn tells_what_was_lost(folder: &Folder, done: &Done) -> Value {
    done.expect_code(4);
    done.says(&["INVALID", "commits lost"]);
    let result = folder.record("latest")["result"].clone();
    let found = notices(&result);
    assert!(found.contains(&"V06") && !found.contains(&"W09"), "{found:?}");
    let headline = &result["headline"];
    let count =
        |name: &str| headline[name].as_u64().unwrap_or_else(|| panic!("{name}: {headline}"));
    let (kept, confirmed) = (count("whole_run_schema_count"), count("whole_run_client_count"));
    assert!(kept < confirmed, "{headline}");
    assert_eq!(headline["source"], "schema");
    assert!(count("schema_count") <= kept, "{headline}");
    let lost =
        &result["notices"].as_array().expect("notices").iter().find(|notice| notice["id"] == "V06");
    let text =
        lost.expect("V06")["text"].as_str().expect("a text").replace(['\u{202f}', '\u{a0}'], "");
    assert!(text.contains(&format!("{} lost", confirmed - kept)), "{text}");
    result
}

/// Crashes a server during runs until one of the runs loses commits. The report must state this loss. It must also
/// contain the text `became`, which states how the restart changed a setting.
pub fn loses_commits<K: Kind>(
    server: &mut TestServer<K>,
    (folder, tries, became): (&Folder, usize, &str),
    start: impl Fn(&TestServer<K>) -> Running,
) {
    let done = (0..tries).find_map(|_| {
        let run = start(server);
        let done = crashes(server, run, |_| {});
        let headline = &folder.record("latest")["result"]["headline"];
        let count = |name: &str| headline[name].as_u64();
        let lost = count("whole_run_schema_count") < count("whole_run_client_count");
        lost.then_some(done)
    });
    let done = done.expect("a crash that loses commits");
    let result = tells_what_was_lost(folder, &done);
    assert!(notices(&result).contains(&"V09"), "{:?}", notices(&result));
    done.says(&[became]);
}

/// Replaces one of a server's folders with a copy of another, preserving file owners.
pub fn copy(server: &Postgres, from: &str, to: &str) {
    let (from, to) = (server.folder().join(from), server.folder().join(to));
    let done = Command::new("sh")
        .arg("-c")
        .arg("rm -rf \"$2\" && cp -a \"$1\" \"$2\"")
        .arg("sh")
        .args([&from, &to])
        .status();
    assert!(done.is_ok_and(|status| status.success()), "{} to {}", from.display(), to.display());
}

pub fn never_comes_back<K: Kind>(mut server: TestServer<K>, target: &str) {
    let folder = Folder::new();
    for check in ["none", "after"] {
        let line = format!(
            "run tprocc '{target}' -c 4 -d 5s {} --check {check}",
            RECONNECT.replace("--check none", "")
        );
        let mut run = measuring(folder.tacho(&line));
        works_for_a_while(&mut run);
        server.kill();
        let done = run.wait();
        done.expect_code(4);
        done.says(&["INVALID", "session lost", "4 sessions lost the connection"]);
        let result = folder.record("latest")["result"].clone();
        let found = notices(&result);
        assert!(
            found.contains(&"V04") && found.contains(&"W09") && found.contains(&"W18"),
            "{found:?}"
        );
        server.restart().expect("the server again");
    }
}

/// Checks that the given signals stop a call within seconds.
#[track_caller]
fn leaves(call: Running, signals: &[Signal], code: i32) -> Done {
    let begin = Instant::now();
    for signal in signals {
        call.signal(*signal);
        std::thread::sleep(Duration::from_millis(300));
    }
    let done = call.wait();
    done.expect_code(code);
    assert!(begin.elapsed() < SOON, "{}: {:?}", done.line, begin.elapsed());
    done
}

/// Tests the commands with a frozen network link, which forwards no data but reports no error. The link freezes before
/// a command starts or while it works.
pub fn a_silent_link(freeze: &dyn Fn() -> Link) {
    let folder = Folder::new();
    let run = "-c 4 --ramp-up 0s --interval 200ms --progress json";
    // The run ends at its time limit and reports the results that it has.
    let (target, cut) = freeze();
    let call = measuring(
        folder.tacho(&format!("run tprocc '{target}' {run} -d 4s --drain 2s --answer-timeout 3s")),
    );
    cut();
    let begin = Instant::now();
    let done = call.wait();
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    done.expect_code(4);
    done.says(&["INVALID", "session lost", "4 sessions got no response"]);
    let found = folder.record("latest")["result"].clone();
    assert!(notices(&found).contains(&"W09"), "{:?}", notices(&found));
    assert_eq!(found["accounting"]["unfinished"], 4, "{}", found["accounting"]);
    ends_by_signals(&folder, freeze);
    commands_find_it_silent(&folder, freeze);
}

/// A target, and a function that blocks all traffic to it.
type Link = (String, Box<dyn Fn()>);

/// After one signal, the run ends properly and prints a summary. After two, it ends immediately and
/// saves only what it has measured so far.
fn ends_by_signals(folder: &Folder, freeze: &dyn Fn() -> Link) {
    let run = "-c 4 --ramp-up 0s --interval 200ms --progress json";
    for signals in [&[Signal::INT][..], &[Signal::TERM, Signal::TERM]] {
        let (target, cut) = freeze();
        let call =
            measuring(folder.tacho(&format!("run tprocc '{target}' {run} -d 10m --drain 5m")));
        cut();
        std::thread::sleep(Duration::from_secs(1));
        let before = folder.runs().len();
        let code = if signals[0] == Signal::INT { 130 } else { 143 };
        leaves(call, signals, code).says(&["W11", "W09"]);
        assert_eq!(folder.runs().len(), before, "the record is the one that was begun");
        let result = folder.record("latest")["result"].clone();
        assert_eq!(result["accounting"]["unfinished"], 4, "{}", result["accounting"]);
    }
}

/// Tests commands that start when the server is already unreachable, and a command that loses the
/// server while it works.
fn commands_find_it_silent(folder: &Folder, freeze: &dyn Fn() -> Link) {
    let (target, cut) = freeze();
    cut();
    let calls = [
        "run tprocc T",
        "prepare tprocc T -s 2",
        "check tprocc T",
        "clean tprocc T --yes",
        "doctor T",
        "sweep tprocc T --vary sessions=1,2",
    ]
    .map(|line| folder.tacho(&line.replace('T', &format!("'{target}'"))).start());
    std::thread::sleep(Duration::from_secs(1));
    for call in calls {
        let done = leaves(call, &[Signal::TERM], 143);
        assert!(!done.err.contains("panicked"), "{}", done.err);
    }
    let (target, cut) = freeze();
    let fresh = target.replace("/data", "/fresh");
    let mut call =
        folder.tacho(&format!("prepare tprocc '{fresh}' -s 20 -c 2 --progress json")).start();
    call.until_event(|event| event["event"] == "build" && event["rows"].as_u64() > Some(150_000));
    cut();
    std::thread::sleep(Duration::from_millis(500));
    leaves(call, &[Signal::INT], 130);
}

/// The driver in this test blocks the calling thread, so each call runs on its own thread. If a call is still running
/// when the run ends, Tacho abandons its thread.
#[test]
fn a_lock_over_a_data_source_holds_no_run_up() {
    let server: Postgres = server_with(TPROCC, Options::default());
    let library = data_source::library("psqlodbcw.so");
    let target = format!(
        "odbc:Driver={};Servername={};Port={};Database=data?user=postgres",
        library.display(),
        server.folder().display(),
        server.port()
    );
    let folder = Folder::new();
    let call = measuring(folder.tacho(&format!(
        "run tprocc '{target}' -c 4 --ramp-up 0s --interval 200ms --progress json -d 10m --drain 5m"
    )));
    // This table is needed by all transactions and by the query that reads the counters.
    let _held = hold(&postgres(&server, "data"), "BEGIN; LOCK TABLE district");
    std::thread::sleep(Duration::from_secs(1));
    leaves(call, &[Signal::INT], 130).says(&["4 unfinished", "W11", "W09"]);
}

#[test]
fn a_server_that_stands_still_holds_nobody_up() {
    let mut server: MariaDb = server_with(TPROCC, Options::default());
    let (target, folder) = (mariadb(&server, "data"), Folder::new());
    let call = measuring(folder.tacho(&format!(
        "run tprocc '{target}' -c 4 {} -d 10m --drain 5m",
        "--ramp-up 0s --interval 200ms --progress json"
    )));
    server.signal(Signal::STOP);
    std::thread::sleep(Duration::from_secs(1));
    let done = leaves(call, &[Signal::TERM], 143);
    server.signal(Signal::CONT);
    done.says(&["4 unfinished", "stopped after"]);
}

#[test]
fn a_server_that_stalls_over_the_end_of_the_phase_is_no_jump_of_the_clock() {
    let mut server = MariaDb::start().expect("a server");
    let (target, folder) = (mariadb(&server, "stalled"), Folder::new());
    folder.tacho(&format!("prepare tpcb '{target}' --progress none")).exits(0);
    let call = measuring(folder.tacho(&format!(
        "run tpcb '{target}' -c 4 -d 4s --ramp-up 0s --interval 200ms --progress json"
    )));
    std::thread::sleep(Duration::from_secs(2));
    server.signal(Signal::STOP);
    std::thread::sleep(Duration::from_secs(4));
    server.signal(Signal::CONT);
    let done = call.wait();
    let result = folder.record("latest")["result"].clone();
    let found = notices(&result);
    assert!(!found.contains(&"V10") && !found.contains(&"V12"), "{found:?}\n{}", done.out);
    // The times of the delayed transactions include the stall.
    let longest = result["accounting"]["longest_unfinished_us"].as_f64();
    assert!(longest > Some(1e6), "{}", result["accounting"]);
}

#[test]
fn a_stop_of_the_client_is_not_charged_to_the_database() {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:own.db").exits(0);
    let call = measuring(folder.tacho(
        "run tpcb sqlite:own.db -d 6s --ramp-up 0s --interval 200ms --check none --progress json",
    ));
    call.signal(Signal::STOP);
    std::thread::sleep(Duration::from_secs(2));
    call.signal(Signal::CONT);
    let done = call.wait();
    done.expect_code(4);
    done.says(&["INVALID"]);
    let result = folder.record("latest")["result"].clone();
    let found = notices(&result);
    assert!(found.contains(&"V12") && !found.contains(&"V10"), "{found:?}\n{}", done.out);
    let longest = result["tool"]["hiccups"]["longest_s"].as_f64();
    assert!(longest > Some(1.5), "{}", result["tool"]);
}

#[test]
fn a_terminal_that_is_closed_and_a_key_that_quits_leave_nothing_changed() {
    let _permit = permit(Group::Timing);
    let server = Postgres::start().expect("a server");
    let (target, folder) = (postgres(&server, "swept"), Folder::new());
    folder.tacho(&format!("prepare tpcb '{target}' --progress none")).exits(0);
    let shown = || server.client("SHOW work_mem").expect("a setting").trim().to_owned();
    for (signal, code) in [(Signal::HUP, 129), (Signal::QUIT, 131)] {
        let vary = "--vary server.work_mem=16MB,32MB --progress json";
        let mut call = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
        call.until_event(|event| event["event"] == "interval");
        assert_eq!(shown(), "16MB");
        leaves(call, &[signal], code);
        assert_eq!(shown(), "4MB", "{signal:?}");
        let record = folder.record("latest");
        assert_eq!(record["result"]["ended_by"], "terminate", "{signal:?}");
    }
    // `nohup` makes a program ignore the hangup signal. The run must therefore continue when it receives one.
    sql(&target, "SELECT 1");
    let mut call = folder.shell(&format!("trap '' HUP; exec \"$TACHO\" run tpcb '{target}' -d 3s --ramp-up 0s --check none --progress json")).start();
    call.until_event(|event| event["event"] == "interval");
    call.signal(Signal::HUP);
    call.wait().says(&["transactions/s"]);
    assert_eq!(folder.record("latest")["result"]["ended_by"], "time");
}

/// Returns the number of processes that run the script with the given name.
fn interpreters(script: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(script)).count()
}

#[test]
fn a_script_in_python_that_never_ends_is_ended() {
    for (name, text, signals) in [
        ("spin_once.py", "print('spins', flush=True)\nwhile True: pass\n", &[Signal::TERM][..]),
        (
            "spin_deaf.py",
            "print('spins', flush=True)\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass\n",
            &[Signal::TERM],
        ),
        (
            "spin_twice.py",
            "print('spins', flush=True)\nwhile True: pass\n",
            &[Signal::TERM, Signal::TERM],
        ),
    ] {
        let folder = Folder::new();
        folder.write(name, text);
        let path = folder.file(name).display().to_string();
        let temp = folder.path().display().to_string();
        let mut call = folder.tacho(&format!("hammerdb py auto {path}")).env("TMP", &temp).start();
        call.until_said(|line| line.contains("spins"));
        leaves(call, signals, 143);
        assert_eq!(interpreters(&path), 0, "{name}");
        let left =
            folder.names().into_iter().filter(|file| file.starts_with("tacho-python")).count();
        assert_eq!(left, 0, "{:?}", folder.names());
    }
}

#[test]
fn a_named_pipe_in_the_place_of_a_record_is_not_waited_for() {
    let folder = Folder::new();
    folder.tacho("run tprocc noop: --transactions 100 --ramp-up 0s").done();
    let record = folder.runs()[0].join("run.json");
    std::fs::remove_file(&record).expect("a record");
    let made = Command::new("mkfifo").arg(&record).status();
    assert!(made.is_ok_and(|status| status.success()));
    // The output is wrapped after the path, so join its lines.
    let told = folder.tacho("runs").done().out;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("not a regular file"), "{told}");
    folder.tacho("show latest").done();
}
