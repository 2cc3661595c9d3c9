//! Passwords never appear in records, output, process lists or server logs.
//!
//! Saved data can still be used if the password comes from a different source.

#![expect(clippy::disallowed_methods, reason = "a sweep needs a moment of real time")]

use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::{Call, Done, Folder, Signal};

const PASSWORD: &str = "s3cret-word";
const SHORT: &str = "-d 1s --ramp-up 0s --check none";

/// Runs a command and checks that it exits with the given code and does not show a password.
#[track_caller]
fn quietly(call: Call, code: i32) -> Done {
    let done = call.exits(code);
    assert!(!done.out.contains(PASSWORD) && !done.err.contains(PASSWORD), "{}", done.err);
    done
}

#[test]
fn the_list_of_processes_shows_no_password() {
    let folder = Folder::new();
    // A server that accepts connections but never sends anything.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("a port").port();
    let script = format!(
        "\"$TACHO\" check tpcb 'postgres://u:{PASSWORD}@127.0.0.1:{port}/d?connect_timeout=60' & \
         for n in $(seq 100); do sleep 0.1; tr '\\0' ' ' < /proc/$!/cmdline > seen; \
         grep -q 'u:\\*\\*\\*@' seen && break; done; cat seen; kill -9 $!; wait $! || true"
    );
    let done = folder.shell(&script).exits(0);
    done.says(&["check tpcb postgres://u:***@127.0.0.1"]).complains(&["warning", "password file"]);
    assert!(!done.out.contains(PASSWORD), "{}", done.out);
    assert!(!done.err.lines().any(|line| line.contains(PASSWORD)), "{}", done.err);
}

#[test]
fn malformed_targets_are_refused_without_their_password() {
    let folder = Folder::new();
    for target in [
        format!("postgres//u:{PASSWORD}@h/d"),
        format!("postgres://u:{PASSWORD}/x@h/d"),
        format!("postgres://u:{PASSWORD}?x@h/d"),
        format!("postgres://u:{PASSWORD}@h:port/d"),
        format!("postgres:u:{PASSWORD}@h/d"),
        format!("postgres://u@h/d?pasword={PASSWORD}"),
        format!("mysql://u:{PASSWORD}@h/d?{PASSWORD}@"),
        format!("u:{PASSWORD}@h"),
        format!("{PASSWORD}@h"),
    ] {
        quietly(folder.tacho(&format!("run tpcb '{target}'")), 2).is_error();
        quietly(folder.tacho(&format!("run tpcb sim more '{target}'")), 2).is_error();
    }
    let url = format!("postgres://u:{PASSWORD}@h/d");
    folder.write("tacho.toml", &format!("[targets.a]\nurl = \"{url}\" x"));
    quietly(folder.tacho("config check"), 2).is_error();
    folder.write("tacho.toml", &format!("[defaults]\ntarget = \"{url}\""));
    quietly(folder.tacho("config show"), 0).says(&["postgres://u:***@h/d"]);
    quietly(folder.tacho("config show -o json"), 0).says(&["postgres://u:***@h/d"]);
}

#[test]
fn secrets_cannot_vary() {
    let folder = Folder::new();
    for key in ["target.password", "target.admin_password"] {
        let vary = format!("--vary {key}={PASSWORD},b");
        let refused = quietly(folder.tacho(&format!("sweep tpcb sim {vary} {SHORT}")), 2);
        refused.is_error().complains(&["cannot be varied, because it is a secret", "tacho.toml"]);
    }
    assert!(!folder.mentions(PASSWORD));
}

/// Starts a server that requires a password and has a database for its user.
fn locked() -> (Postgres, String, String) {
    let access = ["host all all 127.0.0.1/32 scram-sha-256"];
    let server = Postgres::start_with(Options { access: &access, ..Options::default() });
    let server = server.expect("a PostgreSQL server");
    let role = format!("CREATE ROLE bench LOGIN SUPERUSER PASSWORD '{PASSWORD}'");
    server.client(&role).expect("a role");
    let place = format!("127.0.0.1:{}/kept", server.port());
    let (open, full) = (format!("bench@{place}"), format!("bench:{PASSWORD}@{place}"));
    (server, format!("postgres://{open}"), format!("postgres://{full}"))
}

#[test]
fn targets_that_vary_are_saved_without_passwords_and_resumed_with_one_from_elsewhere() {
    let ((_server, open, full), folder) = (locked(), Folder::new());
    quietly(folder.tacho(&format!("prepare tpcb '{full}' --progress none")), 0);
    let vary = format!("--vary target={full},{full}?application_name=other");
    let sweep = format!("sweep tpcb '{full}' {vary} -d 60s --progress json");
    let mut running = folder.tacho(&sweep).start();
    running.until_event(|event| event["event"] == "interval");
    running.signal(Signal::KILL);
    running.wait();
    assert!(!folder.mentions(PASSWORD), "the sweep is saved with the password");
    let resume = || folder.tacho("sweep --resume latest");
    quietly(resume(), 3).complains(&["PGPASSWORD"]);
    let mut running = resume().env("PGPASSWORD", PASSWORD).start();
    running.until(|line| line.contains("of 2"));
    std::thread::sleep(std::time::Duration::from_secs(1));
    running.signal(Signal::INT);
    let done = running.wait();
    done.expect_code(130);
    assert!(!done.err.contains("this point failed"), "{}", done.err);
    quietly(folder.tacho(&format!("run tpcb '{open}' {SHORT}")).env("PGPASSWORD", PASSWORD), 0);
}

#[test]
fn settings_are_restored_with_a_password_from_elsewhere() {
    let ((server, _, full), folder) = (locked(), Folder::new());
    quietly(folder.tacho(&format!("prepare tpcb '{full}' --progress none")), 0);
    let vary = "--vary server.work_mem=16MB --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb '{full}' {vary} -d 60s")).start();
    running.until_event(|event| event["event"] == "interval");
    running.signal(Signal::KILL);
    running.wait();
    assert!(!folder.mentions(PASSWORD), "the journal has the password");
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "16MB");
    quietly(folder.tacho("restore"), 3).complains(&["PGPASSWORD"]);
    // The next sweep on this server finds the journal, even if the sweep's target is written differently.
    let other = format!("sweep tpcb '{full}' --vary server.jit=off {SHORT}");
    quietly(folder.tacho(&other), 0).complains(&["restoring the settings"]);
    assert_eq!(server.client("SHOW work_mem").expect("a setting").trim(), "4MB");
    quietly(folder.tacho("restore"), 0).says(&["nothing to do"]);
}

#[test]
fn a_restore_keeps_what_an_administrator_has_changed() {
    let (server, folder) = (Postgres::start().expect("a PostgreSQL server"), Folder::new());
    let target = server.target();
    folder.tacho(&format!("prepare tpcb '{target}' --progress none")).exits(0);
    let shown = |name: &str| server.client(&format!("SHOW {name}")).expect("a setting");
    let vary = "--vary server.work_mem=16MB --vary server.random_page_cost=1.5 --progress json";
    let mut running = folder.tacho(&format!("sweep tpcb '{target}' {vary} -d 60s")).start();
    running.until_event(|event| event["event"] == "interval");
    running.signal(Signal::KILL);
    running.wait();
    server.client("ALTER SYSTEM SET work_mem = '24MB'").expect("a change");
    server.client("SELECT pg_reload_conf()").expect("a reload");
    folder.tacho("restore").exits(0).says(&[
        "1 of 2 settings",
        "work_mem keeps the value 24MB",
        "4MB",
    ]);
    assert_eq!((shown("work_mem").trim(), shown("random_page_cost").trim()), ("24MB", "4"));
    folder.tacho("restore").exits(0).says(&["nothing to do"]);

    // If somebody else changes a setting during a sweep, the sweep does not restore this setting when it ends.
    let mut running = folder
        .tacho(&format!("sweep tpcb '{target}' --vary server.work_mem=16MB --progress json -d 60s"))
        .start();
    running.until_event(|event| event["event"] == "interval");
    server.client("ALTER SYSTEM SET work_mem = '32MB'").expect("a change");
    server.client("SELECT pg_reload_conf()").expect("a reload");
    running.signal(Signal::INT);
    let done = running.wait();
    done.expect_code(130);
    done.complains(&["work_mem keeps the value 32MB"]);
    assert_eq!(shown("work_mem").trim(), "32MB");
    assert!(!folder.file("tacho-data/journals").exists());
}

/// The server logs every statement, but the log never contains the password of a role that Tacho creates.
#[test]
fn roles_are_created_by_their_verifier() {
    let options = Options {
        settings: &[("log_statement", "all"), ("log_min_duration_statement", "0")],
        access: &["host all app 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"],
        ..Options::default()
    };
    let server = Postgres::start_with(options).expect("a PostgreSQL server");
    let folder = Folder::new();
    let place = format!("127.0.0.1:{}/appdata", server.port());
    let target = format!("postgres://app:{PASSWORD}@{place}?admin_user=postgres");
    quietly(folder.tacho(&format!("prepare tpcb '{target}' --progress none")), 0);
    let stored =
        "SELECT rolpassword LIKE 'SCRAM-SHA-256$4096:%' FROM pg_authid WHERE rolname = 'app'";
    assert_eq!(server.client(stored).expect("a role").trim(), "t");
    // The role was created with a SCRAM verifier instead of the password. The login succeeds only if this verifier is
    // correct.
    let run = format!("run tpcb 'postgres://app@{place}' {SHORT}");
    quietly(folder.tacho(&run).env("PGPASSWORD", PASSWORD), 0);
    quietly(folder.tacho(&run).env("PGPASSWORD", "wrong"), 3);
    let list = format!("grep -rl 'CREATE ROLE' {0}", server.folder().display());
    assert!(!folder.shell(&list).exits(0).out.trim().is_empty(), "the log has the statement");
    folder.shell(&format!("grep -r '{PASSWORD}' {}", server.folder().display())).exits(1);
}
