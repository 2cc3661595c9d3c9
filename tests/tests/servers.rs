//! Private servers are started, killed, restarted on the same data, and removed without a trace.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use tacho_tests::Folder;

/// Returns true if any process started for this folder is still running.
fn runs_in(folder: &Path) -> bool {
    let wanted = folder.display().to_string();
    let processes = std::fs::read_dir("/proc").expect("the list of processes").flatten();
    let mut lines =
        processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(&wanted))
}

fn up_and_kill(folder: &Folder, up: &str) {
    let pid = folder.tacho(&format!("{up} -o json")).exits(0).json()["pid"].as_i64();
    let pid = pid.and_then(|pid| Pid::from_raw(pid as i32)).expect("a process");
    kill_process(pid, Signal::KILL).expect("it can be killed");
    let stat = format!("/proc/{}/stat", pid.as_raw_nonzero());
    // The process exits asynchronously. State Z means that it has exited but has not been waited for.
    while std::fs::read(&stat).is_ok_and(|stat| !String::from_utf8_lossy(&stat).contains(") Z ")) {
        std::thread::yield_now();
    }
}

/// The same installation may be found in several folders.
#[test]
fn a_version_that_is_missing_is_told_with_those_that_exist() {
    let folder = Folder::open();
    let done = folder.tacho("up postgres --version 99").exits(3);
    done.is_error().complains(&["PostgreSQL 99", "use --version to choose one"]);
    let line = done.err.lines().find(|line| line.contains("use --version")).expect("the hint");
    let list = line.split("found ").nth(1).and_then(|rest| rest.split(';').next());
    let versions: Vec<&str> = list.expect("the versions").split(", ").collect();
    let distinct: std::collections::BTreeSet<&&str> = versions.iter().collect();
    assert_eq!(distinct.len(), versions.len(), "{line}");
}

#[test]
fn a_server_is_measured_killed_started_again_and_removed() {
    let folder = Folder::open();
    // The server must get the setting exactly as given, including spaces and backslashes.
    let up = r"up postgres --set 'log_line_prefix=a\b %d '";
    folder.tacho(up).exits(0).says(&["PostgreSQL", "tacho down pg"]);
    folder.tacho("up postgres").exits(0).says(&["is already running"]);
    folder.write("same.sql", r"SELECT 1 / (current_setting('log_line_prefix') = 'a\b %d ')::int;");
    folder.tacho("run pgbench:same.sql pg --transactions 20 --ramp-up 0s").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    folder.tacho("run tpcb pg -d 1s --check none").exits(0);
    up_and_kill(&folder, "up pg");
    folder.tacho("list servers").exits(0).says(&["pg", "ended"]);
    let refused = folder.tacho("run tpcb pg -d 1s").exits(3);
    refused.is_error().complains(&["pg is ended", "tacho up pg"]);
    let away = folder.tacho("doctor pg").exits(3);
    away.says(&["✗ reachable", "pg is ended", "use tacho up pg", "✓ postgres"]);
    folder.tacho("up postgres").exits(0).says(&["with its previous data"]);
    folder.tacho("check tpcb pg").exits(0);
    folder.tacho("down --keep-data").exits(0).says(&["stopped", "remains"]);
    assert!(!runs_in(folder.path()));
    folder.tacho("list servers -o json").exits(0).says(&["\"stopped\""]);
    folder.tacho("up pg").exits(0).says(&["with its previous data"]);
    folder.tacho("down pg").exits(0).says(&["stopped", "removed"]);
    assert!(!runs_in(folder.path()) && !folder.file("tacho-data/servers").exists());
    folder.tacho("down").exits(0).says(&["nothing to do"]);
}

/// `up` must fail if the existing server has another name or product than requested. Otherwise, the user would measure
/// the wrong server.
#[test]
fn up_compares_the_name_and_the_product() {
    let folder = Folder::open();
    folder.tacho("up postgres -o quiet").exits(0);
    let other = folder.tacho("up pg --name other").exits(2);
    other.is_error().complains(&["pg is an existing server", "tacho up postgres --name other"]);
    let product = folder.tacho("up mariadb --name pg").exits(2);
    product.is_error().complains(&["pg is a PostgreSQL server, not MariaDB", "tacho down pg"]);
    folder.tacho("up pg --name pg").exits(0).says(&["is already running"]);
    folder.tacho("up postgres --name mariadb -o quiet").exits(0);
    let name = folder.tacho("up mariadb").exits(2);
    name.is_error().complains(&["mariadb is a PostgreSQL server, not MariaDB"]);
    folder.tacho("list servers -o json").exits(0).says(&["\"pg\"", "\"mariadb\""]);
    folder.tacho("down --all").exits(0);
}

#[test]
fn a_mariadb_server_comes_up_after_a_kill_and_goes() {
    let folder = Folder::open();
    up_and_kill(&folder, "up mariadb --set innodb_buffer_pool_size=64M");
    folder.tacho("up maria -o json").exits(0).says(&["restarted"]);
    folder.tacho("prepare tpcb maria").exits(0);
    folder.tacho("run tpcb maria -d 1s").exits(0).says(&["on maria", "MariaDB", "TOO SHORT"]);
    folder.tacho("down --all").exits(0).says(&["maria stopped"]);
    assert!(!runs_in(folder.path()) && !folder.file("tacho-data/servers").exists());
}

#[test]
fn a_start_that_fails_or_is_interrupted_leaves_nothing_behind() {
    let folder = Folder::open();
    let failed = folder.tacho("up postgres --set no_such_setting=1 -o quiet").exits(3);
    failed.is_error().complains(&["no_such_setting", "--set"]);
    assert!(!folder.file("tacho-data/servers").exists());
    let mut running = folder.tacho("up postgres").start();
    running.until(|line| line.contains("starting PostgreSQL"));
    running.signal(Signal::INT);
    let done = running.wait();
    // The signal may arrive just after the new server has been completed.
    if folder.file("tacho-data/servers").exists() {
        folder.tacho("down").exits(0).says(&["stopped"]);
    } else {
        done.expect_code(130);
    }
    assert!(!runs_in(folder.path()) && !folder.file("tacho-data/servers").exists());
}

#[test]
fn errors_tell_the_remedy() {
    let folder = Folder::open();
    let missing = folder.tacho("up postgres --version 9.1").exits(3);
    missing.is_error().complains(&["apt-get install postgresql-9", "searched"]);
    folder.tacho("up postgrs").exits(2).is_error().complains(&["did you mean postgres"]);
    folder.tacho("down pg").exits(2).is_error().complains(&["tacho list servers"]);
    folder.tacho("up postgres --name ../x").exits(2).is_error();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let taken = folder.tacho(&format!("up postgres --port {port} -o quiet")).exits(3);
    taken.is_error().complains(&["is in use", "omit --port"]);
    for (product, misspelt, meant) in [
        ("postgres", "shared_bufers=1GB", "shared_bufers: did you mean shared_buffers?"),
        ("mariadb", "innodb-buffer-pool-sise=1G", "did you mean innodb_buffer_pool_size"),
    ] {
        let up = folder.tacho(&format!("up {product} --set {misspelt}")).exits(3);
        up.is_error().complains(&["--set", meant]);
    }
    assert!(!folder.file("tacho-data/servers").exists());
}
