//! Tests that a run reports the bottleneck that the test has created.

use serde_json::Value;
use tacho_testkit::permits::{Group, permit};
use tacho_tests::{Done, Folder};

const RUN: &str = "run tpcb pg -d 6s --ramp-up 1s --check none";

/// Returns a folder that contains a private server with its data.
fn prepared(folder: Folder) -> Folder {
    folder.tacho("up postgres -o quiet").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    folder
}

/// Returns the server's process ID.
fn server(folder: &Folder) -> u64 {
    let state = folder.read("tacho-data/servers/pg.json");
    let state: Value = serde_json::from_slice(&state).expect("the state");
    state["process"]["pid"].as_u64().expect("a process")
}

/// Returns the `limit` line of a summary, with the lines that continue it.
fn limit(done: &Done) -> String {
    let mut lines = done.out.lines().skip_while(|line| !line.starts_with("  limit "));
    let first = lines.next().unwrap_or_else(|| panic!("no limit in {}", done.out));
    let more = lines.take_while(|line| line.starts_with("      "));
    [first].into_iter().chain(more).map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns true if other programs kept the processors so busy that the run was limited by them too.
fn is_machine_saturated(folder: &Folder) -> bool {
    let host = folder.record("latest")["result"]["hosts"][0]["load"]["cpu"].clone();
    let share = |name: &str| host[name].as_f64().unwrap_or(0.0);
    share("idle") + share("io_wait") <= 0.1
}

/// Repeats a run up to four times until the process that is limited by its core has had that core to itself. Other
/// programs may have used it.
fn with_a_core(folder: &Folder, cores_used: &str, run: impl Fn() -> Done) -> Done {
    let mut done = run();
    for _ in 0..4 {
        let used = folder.record("latest").pointer(cores_used).and_then(Value::as_f64);
        if used > Some(0.9) || is_machine_saturated(folder) {
            break;
        }
        done = run();
    }
    done
}

#[test]
fn a_server_on_one_core_is_limited_by_it() {
    let folder = prepared(Folder::open());
    folder.shell(&format!("taskset -a -c -p 0 {} >/dev/null", server(&folder))).exits(0);
    let _permit = permit(Group::Timing);
    // The eight sessions never wait for a disk, so they need more CPU time than the server's single core provides.
    let run = || folder.tacho(&format!("{RUN} -c 8 --profile select-only")).exits(0);
    let done = with_a_core(&folder, "/result/hosts/0/server_cores", run);
    let expected =
        if is_machine_saturated(&folder) { "CPU of this machine" } else { "the server's CPU" };
    assert!(limit(&done).contains(expected), "{}", limit(&done));
    let host = folder.record("latest")["result"]["hosts"][0].clone();
    assert_eq!(host["server_cores_allowed"], 1.0);
    assert!(
        host["server_cores"].as_f64().is_some_and(|cores| cores > 0.1 && cores < 1.1),
        "{host}"
    );
    folder.tacho("down pg").exits(0);
}

/// Tacho and the server have one core each. To compute the query's parameter, Tacho needs more CPU time than the server
/// needs for the query.
#[test]
fn a_client_on_one_core_is_limited_by_it() {
    let folder = prepared(Folder::open());
    folder.shell(&format!("taskset -a -c -p 1 {} >/dev/null", server(&folder))).exits(0);
    let sum = "\\set x :x + random(1, 1000)\n".repeat(500);
    folder.write("sum.sql", &format!("\\set x 1\n{sum}SELECT :x;\n"));
    let _permit = permit(Group::Timing);
    let run = RUN.replace("tpcb", "pgbench:sum.sql");
    let run = || folder.shell(&format!("taskset -c 0 \"$TACHO\" {run} -c 8")).done();
    let done = with_a_core(&folder, "/result/tool/cpu_cores", run);
    let is_expected = limit(&done).contains("Tacho's CPU") || is_machine_saturated(&folder);
    assert!(is_expected, "{}", limit(&done));
    folder.tacho("down pg").exits(0);
}

#[test]
fn sessions_that_update_one_row_wait_for_its_lock() {
    let folder = prepared(Folder::open());
    let _permit = permit(Group::Timing);
    let done = folder.tacho(&format!("{RUN} -c 64")).done();
    assert!(limit(&done).contains("row locks (Lock:"), "{}", limit(&done));
    folder.tacho("down pg").exits(0);
}

#[test]
fn a_session_behind_a_slow_network_waits_for_round_trips() {
    let folder = prepared(Folder::open());
    let done = folder.tacho(&format!("{RUN} -c 1 --fault 'at=0s delay by=20ms for=30s'")).done();
    let expected =
        if is_machine_saturated(&folder) { "CPU of this machine" } else { "round trips: " };
    assert!(limit(&done).contains(expected), "{}", limit(&done));
    folder.tacho("down pg").exits(0);
}

#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn a_slow_disk_makes_sessions_wait_for_the_log() {
    // Do not use a test's usual folder, because it is in memory, where no disk device can be slowed down.
    let folder = prepared(Folder::on_disk());
    let done = folder.tacho(&format!("{RUN} -c 1 --fault 'at=0s slow iops=50 for=30s'")).done();
    if done.code() == 2 {
        eprintln!("NOT TESTED: a slow disk: {}", done.err.lines().next().unwrap_or_default());
    } else {
        let expected = if is_machine_saturated(&folder) {
            "CPU of this machine"
        } else {
            "log writes (IO:WAL"
        };
        assert!(limit(&done).contains(expected), "{}", limit(&done));
    }
    folder.tacho("down pg").exits(0);
}

/// If the server keeps up with a fixed rate of transactions, no limit may be reported.
#[test]
fn a_rate_that_is_kept_reaches_no_limit() {
    let folder = prepared(Folder::open());
    let done = folder.tacho(&format!("{RUN} -c 4 -r 20 --spacing uniform")).done();
    let expected = if is_machine_saturated(&folder) {
        "CPU of this machine"
    } else {
        "none reached: the server kept up with 20"
    };
    assert!(limit(&done).contains(expected), "{}", limit(&done));
    folder.tacho("down pg").exits(0);
}
