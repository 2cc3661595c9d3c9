//! A sweep changes server settings, verifies and records their values, and always restores the original ones.

use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};
use tacho_tests::{Folder, Running, Signal};

/// Starts a PostgreSQL server that Tacho does not manage and loads a small amount of data.
fn postgres() -> (Postgres, Folder, String) {
    let server = Postgres::start().expect("a PostgreSQL server");
    let folder = Folder::new();
    let target = server.target();
    folder.tacho(&format!("prepare tpcb '{target}' --progress none")).exits(0);
    (server, folder, target)
}

/// Returns the value of a setting, read in a new session on a server started by `tacho up postgres`.
fn shown(folder: &Folder, setting: &str) -> String {
    let script = format!(
        "psql -XAtq -U postgres -h \"$PWD/tacho-data/servers/pg\" \
         -p $(sed -n 's/^port = .\\([0-9]*\\).*/\\1/p' tacho-data/servers/pg/postgresql.conf) \
         -d postgres -c 'SHOW {setting}'"
    );
    folder.shell(&script).exits(0).out.trim().to_owned()
}

/// Waits until the sweep is measuring with changed settings.
fn until_measuring(running: &mut Running) {
    running.until_event(|event| event["event"] == "interval");
}

const SHORT: &str = "-d 1s --ramp-up 0s --check none";
/// Fixes the number of transactions, because just after a restart, a busy machine might complete none in a second.
const COUNTED: &str = "--transactions 50 --ramp-up 0s --check none";

#[test]
fn a_setting_that_holds_at_once_is_set_recorded_and_put_back() {
    let (server, folder, target) = postgres();
    server.client("ALTER SYSTEM SET random_page_cost = '2.5'").expect("a setting");
    server.client("SELECT pg_reload_conf()").expect("a reload");
    let vary = "--vary server.work_mem=4MB,8192kB --vary server.random_page_cost=1.10";
    let done = folder.tacho(&format!("sweep tpcb '{target}' {vary} {SHORT}")).exits(0);
    done.says(&["server.work_mem", "server.random_page_cost", "8192kB", "2 runs"]);
    // The first value of the sweep is the one that the server already has. It is still recorded.
    let settings = |run: &str| folder.record(run)["server"]["settings"].clone();
    let (first, second) = (settings("latest~1"), settings("latest"));
    assert_eq!((&first["work_mem"], &second["work_mem"]), (&"4MB".into(), &"8MB".into()));
    assert_eq!(second["random_page_cost"], "1.1");
    folder.tacho("compare").exits(0).says(&["server.settings.work_mem", "4MB", "8MB"]);
    let now = |name: &str| server.client(&format!("SHOW {name}")).expect("a setting");
    assert_eq!((now("work_mem").trim(), now("random_page_cost").trim()), ("4MB", "2.5"));
    let stored = "SELECT name FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'";
    assert_eq!(server.client(stored).expect("the file").trim(), "random_page_cost");
    folder.tacho("restore").exits(0).says(&["nothing to do"]);
    // The server may report the compression method instead of `on`.
    let vary = "--vary server.wal_compression=on";
    folder.tacho(&format!("sweep tpcb '{target}' {vary} {COUNTED}")).exits(0);
    let found = settings("latest")["wal_compression"].clone();
    assert!(found == "pglz" || found == "on", "{found}");
    assert_eq!(now("wal_compression").trim(), "off");
}

#[test]
fn an_interrupted_sweep_puts_its_settings_back() {
    let (server, folder, target) = postgres();
    let vary = "--vary server.work_mem=16MB,32MB --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
    until_measuring(&mut running);
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "16MB");
    running.signal(Signal::INT);
    running.wait().expect_code(130);
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "4MB");
    folder.tacho("restore --list").exits(0).says(&["nothing to do"]);
}

#[test]
fn what_a_killed_sweep_has_left_is_put_back_by_restore_or_by_the_next_one() {
    let (server, folder, target) = postgres();
    let killed = || {
        let vary = "--vary server.work_mem=16MB --progress json";
        let mut running = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
        until_measuring(&mut running);
        running.signal(Signal::KILL);
        running.wait();
        assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "16MB");
    };
    killed();
    let run = folder.tacho(&format!("run tpcb '{target}' {SHORT}")).exits(0);
    run.complains(&["a killed sweep left changed settings on this server"]);
    folder.tacho("restore --list").exits(0).says(&["work_mem was 4MB"]);
    let json = folder.tacho("restore --list -o json").exits(0).json();
    assert_eq!(json[0]["settings"][0]["name"], "work_mem");
    folder.tacho("restore").exits(0).says(&["✓", "1 setting restored"]);
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "4MB");
    killed();
    let done = folder.tacho("sweep --resume latest").start();
    // The resumed sweep starts from the original settings and changes them again.
    let mut done = done;
    done.until(|line| line.contains("restoring the settings"));
    done.signal(Signal::INT);
    done.wait().expect_code(130);
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "4MB");
    assert!(!folder.file("tacho-data/journals").exists());
}

#[test]
fn two_sweeps_do_not_change_one_server_at_once() {
    let (_server, folder, target) = postgres();
    let vary = "--vary server.work_mem=16MB --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
    until_measuring(&mut running);
    let refused = folder.tacho(&format!("sweep tpcb '{target}' --vary server.jit=off {SHORT}"));
    refused.exits(3).is_error().complains(&["is changing the settings", "wait until it has ended"]);
    folder.tacho("restore").exits(3).says(&["✗", "is changing the settings"]);
    running.signal(Signal::INT);
    running.wait().expect_code(130);
}

#[test]
fn a_journal_of_a_server_that_is_gone_stays() {
    let (mut server, folder, target) = postgres();
    let vary = "--vary server.work_mem=16MB --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
    until_measuring(&mut running);
    running.signal(Signal::KILL);
    running.wait();
    server.stop();
    let failed = folder.tacho("restore").exits(3);
    failed.says(&["✗"]).complains(&["no longer exists, remove"]);
    server.restart().expect("the server");
    folder.tacho("restore").exits(0);
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "4MB");
}

#[test]
fn what_cannot_be_set_is_told_before_the_first_run() {
    let (server, folder, target) = postgres();
    server.client("CREATE ROLE modest LOGIN").expect("a role");
    for grant in ["ALL ON SCHEMA public", "ALL ON ALL TABLES IN SCHEMA public"] {
        server.client(&format!("GRANT {grant} TO modest")).expect("rights");
    }
    let modest = target.replace("postgres://postgres@", "postgres://modest@");
    for (target, vary, code, hints) in [
        (&target, "wrk_mem=1MB", 2, ["no setting \"wrk_mem\"", "did you mean work_mem"]),
        (&target, "work_mem=8MB,1x", 2, ["work_mem to 1x", "Valid units"]),
        (&target, "work_mem=8MB,1kB", 2, ["outside the valid range", ".. 2147483647"]),
        (&target, "synchronous_commit=on,of", 2, ["Available values", "local"]),
        (&target, "block_size=4096", 2, ["cannot be changed", "leave it out"]),
        (&target, "shared_buffers=1GB", 2, ["requires a restart of the server", "tacho up"]),
        (&modest, "work_mem=8MB", 3, ["permission denied", "superuser"]),
    ] {
        let done = folder.tacho(&format!("sweep tpcb '{target}' --vary server.{vary} {SHORT}"));
        done.exits(code).is_error().complains(&hints);
    }
    folder.tacho(&format!("sweep tpcb sim --vary server.x=1 {SHORT}")).exits(2).is_error();
    folder.tacho(&format!("sweep tpcb --vary server.x=1 {SHORT}")).exits(2).is_error();
    assert!(folder.runs().is_empty() && !folder.file("tacho-data/journals").exists());
    folder.tacho("sweep --show latest").exits(2).is_error().complains(&["no sweeps yet"]);
    let stored = "SELECT count(*) FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'";
    assert_eq!(server.client(stored).expect("the file").trim(), "0");
}

#[test]
fn a_role_without_the_right_changes_nothing_and_leaves_nothing() {
    let (server, folder, target) = postgres();
    for sql in [
        "CREATE ROLE reader LOGIN",
        "GRANT ALL ON SCHEMA public TO reader",
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO reader",
        "GRANT SELECT ON pg_file_settings TO reader",
        "GRANT EXECUTE ON FUNCTION pg_show_all_file_settings() TO reader",
    ] {
        server.client(sql).expect(sql);
    }
    let target = target.replace("postgres://postgres@", "postgres://reader@");
    let done = folder.tacho(&format!("sweep tpcb '{target}' --vary server.work_mem=8MB {SHORT}"));
    done.exits(3).is_error().complains(&["cannot set work_mem to 8MB", "permission denied"]);
    folder.tacho("restore").exits(0).says(&["nothing to do"]);
}

#[test]
fn our_own_server_is_started_again_where_a_setting_needs_it() {
    let folder = Folder::open();
    folder.tacho("up postgres --set work_mem=5MB").exits(0);
    folder.tacho("prepare tpcb pg --progress none").exits(0);
    // 8000GB exceeds any machine's memory, so the server cannot start with this value.
    let vary = "--vary server.shared_buffers=64MB,8000GB,32MB --vary server.work_mem=6MB";
    let plan = folder.tacho(&format!("sweep tpcb pg {vary} {SHORT} --dry-run")).exits(0);
    plan.says(&["3s of measurement, plus up to 1s of warm-up after each server restart, and the"]);
    let plan = folder.tacho("sweep tpcb pg --vary sessions=1,2 --dry-run").exits(0);
    plan.says(&["of measurement, plus the time for checks"]);
    let done = folder.tacho(&format!("sweep tpcb pg {vary} {SHORT}")).exits(3);
    done.says(&["64MB", "8000GB", "could not map", "2 runs"]);
    done.complains(&["restarting pg with shared_buffers=64MB", "does not start with this value"]);
    done.complains(&[
        "warming up for at most 1s, until the number of reads per transaction levels off",
    ]);
    let settings = folder.record("latest")["server"]["settings"].clone();
    assert_eq!(settings["shared_buffers"], "32MB");
    assert_eq!(settings["work_mem"], "6MB");
    assert_eq!(
        (shown(&folder, "shared_buffers"), shown(&folder, "work_mem")),
        ("128MB".into(), "5MB".into())
    );
    // If the sweep is killed, `tacho restore` restarts the server with its original settings.
    let vary = "--vary server.shared_buffers=64MB,32MB --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb pg {vary} -d 60s")).start();
    until_measuring(&mut running);
    assert_eq!(shown(&folder, "shared_buffers"), "64MB");
    running.signal(Signal::KILL);
    // All data fits into the cache, so the server soon stops reading from the disk, which ends the warm-up.
    let done = running.wait();
    assert!(done.err.contains("warmed up in "), "{}", done.err);
    folder
        .tacho("restore --list")
        .exits(0)
        .says(&["shared_buffers was 128MB", "requires a restart"]);
    folder.tacho("restore").exits(0).says(&["✓ pg"]);
    assert_eq!(shown(&folder, "shared_buffers"), "128MB");
    // A sweep that stopped because of a failure can be resumed.
    let vary = "--vary server.shared_buffers=8000GB,32MB --on-failure stop";
    let stopped = folder.tacho(&format!("sweep tpcb pg {vary} {SHORT}")).exits(3);
    stopped.says(&["Not complete"]).complains(&["stopped because a run failed"]);
    assert_eq!(shown(&folder, "shared_buffers"), "128MB");
    // Restoring is not needed after the server has been removed.
    let vary = "--vary server.work_mem=32MB --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb pg {vary} -d 60s")).start();
    until_measuring(&mut running);
    running.signal(Signal::KILL);
    running.wait();
    folder.tacho("down pg").exits(0);
    folder.tacho("restore").exits(0).says(&["✓ pg"]);
    folder.tacho("restore").exits(0).says(&["nothing to do"]);
}

#[test]
fn a_server_that_does_not_come_back_is_told_and_restored_once_it_can_start() {
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg --progress none").exits(0);
    // A running server does not notice this change until it is restarted.
    let file = "tacho-data/servers/pg/data/PG_VERSION";
    let good = String::from_utf8(folder.read(file)).expect("text");
    folder.write(file, "9\n");
    let vary = "--vary server.work_mem=4MB --vary server.shared_buffers=128MB,64MB";
    let done = folder.tacho(&format!("sweep tpcb pg {vary} {SHORT}")).exits(3);
    done.complains(&[
        "pg does not start with this value",
        "it does not start with the previous value either",
    ]);
    done.complains(&[
        "restarting pg with its previous settings",
        "hint: run tacho restore to try again",
    ]);
    // Results measured before the failure are still shown.
    done.says(&["server.shared_buffers", "1 run"]);
    folder.tacho("restore --list").exits(0).says(&["shared_buffers was 128MB"]);
    folder.tacho("restore").exits(3).says(&["✗"]);
    folder.write(file, &good);
    folder.tacho("restore").exits(0).says(&["✓ pg"]);
    assert_eq!(shown(&folder, "shared_buffers"), "128MB");
    folder.tacho("restore").exits(0).says(&["nothing to do"]);
    folder.tacho("down pg").exits(0);
}

#[test]
fn servers_are_compared_by_their_targets_each_with_its_settings_put_back() {
    let folder = Folder::open();
    folder.tacho("up postgres --name one").exits(0);
    folder.tacho("up mariadb --name two").exits(0);
    folder.tacho("prepare tpcb one --progress none").exits(0);
    folder.tacho("prepare tpcb two --progress none").exits(0);
    let vary = "--vary target=one,two --repeat 2 -o json";
    let view = folder.tacho(&format!("sweep tpcb {vary} {SHORT}")).exits(0).json();
    assert_eq!(view["sweep"]["target_name"], "one, two");
    assert_eq!(view["rows"][1]["values"][0], "two");
    assert!(view["rows"][1]["change"]["value"].is_number());
    let versions: Vec<String> = view["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let record = folder.record(row["runs"][0].as_str().expect("an id"));
            record["server"]["version"].as_str().expect("a version").to_owned()
        })
        .collect();
    assert!(versions[0].starts_with("PostgreSQL") && versions[1].starts_with("MariaDB"));
    // PostgreSQL and MariaDB both have this setting, and its value is restored on both.
    let limit = |run: &str| folder.record(run)["server"]["settings"]["max_connections"].clone();
    folder
        .tacho(&format!(
            "sweep tpcb --vary target=one,two --vary server.max_connections=60,70 {COUNTED}"
        ))
        .exits(0);
    assert_eq!((limit("latest~3"), limit("latest~2")), ("60".into(), "70".into()));
    assert_eq!((limit("latest~1"), limit("latest")), ("60".into(), "70".into()));
    for name in ["one", "two"] {
        folder.tacho(&format!("run tpcb {name} {SHORT} -o quiet")).exits(0);
        assert_ne!(limit("latest"), "70", "{name}");
    }
    folder.tacho("down --all").exits(0);
}

#[test]
fn mariadb_takes_settings_at_once_and_by_a_start() {
    let folder = Folder::open();
    folder.tacho("up mariadb --set innodb_buffer_pool_size=64M").exits(0);
    folder.tacho("prepare tpcb maria --progress none").exits(0);
    let vary = "--vary server.innodb_flush_method=fsync --vary server.innodb_spin_wait_delay=4,8";
    let done = folder.tacho(&format!("sweep tpcb maria {vary} {SHORT}")).exits(0);
    done.complains(&[
        "restarting maria with innodb_flush_method=fsync",
        "with its previous settings",
    ]);
    let settings = folder.record("latest")["server"]["settings"].clone();
    assert_eq!(settings["innodb_flush_method"], "fsync");
    assert_eq!(settings["innodb_spin_wait_delay"], "8");
    // Settings chosen when the server was created stay in effect.
    assert_eq!(settings["innodb_buffer_pool_size"], "67108864");
    let vary = "--vary server.innodb_flush_log_at_trx_commit=1,9";
    let refused = folder.tacho(&format!("sweep tpcb maria {vary} {SHORT}")).exits(2);
    refused.is_error().complains(&["the server allows 0 to 3"]);
    let now = folder.tacho("run tpcb maria -d 1s --check none -o json").exits(0).json();
    assert_ne!(now["server"]["settings"]["innodb_flush_method"], "fsync");
    folder.tacho("down maria").exits(0);
}

#[test]
fn mariadb_gets_back_what_a_killed_sweep_has_set() {
    let options = Options { settings: &[("innodb-spin-wait-delay", "5")], ..Options::default() };
    let server = MariaDb::start_with(options).expect("a MariaDB server");
    let (folder, target) = (Folder::new(), server.target());
    folder.tacho(&format!("prepare tpcb '{target}' --progress none")).exits(0);
    let now = || server.client("SELECT @@GLOBAL.innodb_spin_wait_delay").expect("a setting");
    let vary = "--vary server.innodb_spin_wait_delay=7,8 --progress json";
    for signal in [Signal::INT, Signal::KILL] {
        let mut running = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
        until_measuring(&mut running);
        assert_eq!(now().trim(), "7");
        running.signal(signal);
        running.wait();
        if signal == Signal::KILL {
            assert_eq!(now().trim(), "7");
            folder.tacho("restore").exits(0).says(&["1 setting restored"]);
        }
        assert_eq!(now().trim(), "5");
    }
    let refused =
        folder.tacho(&format!("sweep tpcb '{target}' --vary server.innodb_flush_method=fsync"));
    refused.exits(2).is_error().complains(&["requires a restart of the server"]);
}

#[test]
fn mysql_takes_settings_at_once_and_gets_them_back() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a MySQL server") else {
        return;
    };
    let (folder, target) = (Folder::new(), server.target());
    folder.tacho(&format!("prepare tpcb '{target}' --progress none")).exits(0);
    let now = |name: &str| server.client(&format!("SELECT @@GLOBAL.{name}")).expect("a setting");
    let before = (now("innodb_spin_wait_delay"), now("innodb_adaptive_hash_index"));
    let vary = "--vary server.innodb_spin_wait_delay=7 --vary server.innodb_adaptive_hash_index=on";
    folder.tacho(&format!("sweep tpcb '{target}' {vary} {SHORT}")).exits(0);
    assert_eq!(folder.record("latest")["server"]["settings"]["innodb_spin_wait_delay"], "7");
    assert_eq!((now("innodb_spin_wait_delay"), now("innodb_adaptive_hash_index")), before);
    // The server rounds this value up, so the sweep reports that the requested value is not in effect.
    let rounded =
        format!("sweep tpcb '{target}' --vary server.innodb_buffer_pool_size=100M {SHORT}");
    folder.tacho(&rounded).exits(3).complains(&["the server changed it to 134217728"]);
    for (vary, hint) in [
        ("innodb_flush_log_at_trx_commit=1,9", "the server allows 0 to 2"),
        ("innodb_flush_method=fsync", "requires a restart of the server"),
        ("innodb_spin_wait_dely=1", "did you mean innodb_spin_wait_delay"),
    ] {
        let refused = folder.tacho(&format!("sweep tpcb '{target}' --vary server.{vary} {SHORT}"));
        refused.exits(2).is_error().complains(&[hint]);
    }
}

/// Removes the sweep's runs, so that resuming it repeats them, and replaces a text in all files of a folder, such as
/// `sweeps`. The changed files have no checksums.
#[expect(clippy::disallowed_methods, reason = "files are forged")]
fn forge(folder: &Folder, below: &str, old: &str, new: &str) {
    for run in folder.runs() {
        std::fs::remove_dir_all(run).expect("a run");
    }
    for entry in std::fs::read_dir(folder.file("tacho-data").join(below)).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains(old), "{text}");
        let value = serde_json::from_str(&text.replace(old, new)).expect("JSON");
        std::fs::write(&path, tacho_tests::unsealed(value).to_string()).expect("a file");
    }
}

#[test]
fn a_forged_sweep_changes_no_setting_that_runs_code() {
    let (server, folder, target) = postgres();
    let sweep = format!("sweep tpcb '{target}' --vary server.work_mem=4MB,8MB {SHORT}");
    folder.tacho(&sweep).exits(0);
    forge(&folder, "sweeps", "server.work_mem", "server.session_preload_libraries");
    let stored = "SELECT count(*) FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'";
    let resume = folder.tacho("sweep --resume latest --progress none").exits(2);
    resume.complains(&[
        "would run a program or load code",
        "session_preload_libraries",
        "--allow server_setting",
    ]);
    assert!(!resume.err.contains("this point failed"), "{}", resume.err);
    assert_eq!(server.client(stored).expect("the file").trim(), "0");
    // A harmless setting needs no permission.
    forge(&folder, "sweeps", "server.session_preload_libraries", "server.random_page_cost");
    forge(&folder, "sweeps", "4MB", "2");
    forge(&folder, "sweeps", "8MB", "3");
    folder.tacho("sweep --resume latest --progress none").exits(0);
}

#[test]
fn a_forged_journal_changes_no_setting_that_runs_code() {
    let (server, folder, target) = postgres();
    let journal = serde_json::json!({
        "format": "tacho-journal", "version": 1, "sweep": "s1", "started_at": "2026-01-01T00:00:00+00:00",
        "target": target, "server": null, "process": 999_999_999, "process_started": "1",
        "settings": [{
            "name": "session_preload_libraries", "value": "evil", "stored": "evil", "restart": false,
        }],
    });
    let stored = "SELECT count(*) FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'";
    let plain: String =
        target.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    std::fs::create_dir_all(folder.file("tacho-data/journals")).expect("a folder");
    folder.write(&format!("tacho-data/journals/s1-{plain}.json"), &journal.to_string());
    let listed = folder.tacho("restore --list -o json").exits(0).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    folder.tacho("restore").exits(2).complains(&["--allow server_setting"]);
    let sweep = format!("sweep tpcb '{target}' --vary server.work_mem=4MB,8MB {SHORT}");
    folder.tacho(&sweep).exits(2).complains(&["session_preload_libraries"]);
    assert_eq!(server.client(stored).expect("the file").trim(), "0");
}
