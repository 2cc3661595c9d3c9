//! Tests of the workloads over ODBC, on databases that have an ODBC driver that can be installed.

#![expect(clippy::disallowed_methods, reason = "a test writes what is no library")]

use crate::live::{hold, texts};
use tacho_testkit::data_source;
use tacho_testkit::live::eventually;
use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_tests::{Folder, Signal};

/// Loads the order data, makes a run, checks the data, and removes it.
fn works(folder: &Folder, target: &str) {
    let target = format!("'{target}'");
    folder.tacho(&format!("prepare tprocc {target} -o quiet --progress none")).exits(0);
    for form in ["sql", "simple", "procedures"] {
        let run = format!("run tprocc {target} --form {form} -c 2 -d 2s --ramp-up 0s");
        let done = folder.tacho(&run).exits(0);
        done.says(&["24 of 24 after the run", "commits match"]);
        let result = &folder.record("latest")["result"];
        assert_eq!(result["accounting"]["failed"], 0, "{}", result["errors"]);
        assert!(result["accounting"]["committed"].as_u64() > Some(0), "{result}");
    }
    folder.tacho(&format!("check tprocc {target}")).exits(0);
    folder.tacho(&format!("clean tprocc {target} --yes")).exits(0);
    counts(folder, &target);
}

/// Loads the account data, makes a run, checks the data, and removes it.
fn counts(folder: &Folder, target: &str) {
    folder.tacho(&format!("prepare tpcb {target} -o quiet --progress none")).exits(0);
    for form in ["sql", "simple"] {
        let run = format!("run tpcb {target} --form {form} --transactions 50 --ramp-up 0s");
        folder.tacho(&run).exits(0).says(&["7 of 7 after the run"]);
    }
    folder.tacho(&format!("clean tpcb {target} --yes")).exits(0);
}

#[test]
fn it_works_on_postgresql() {
    let server = Postgres::start().expect("a PostgreSQL server");
    let (folder, target) = (Folder::new(), data_source::postgres(&server, "postgres"));
    works(&folder, &target);
    folder.tacho(&format!("prepare tproch '{target}' -s 0.01 -o quiet --progress none")).exits(0);
    folder.tacho(&format!("check tproch '{target}'")).exits(0).says(&["28 of 28 hold"]);
    folder
        .tacho(&format!("doctor '{target}'"))
        .done()
        .says(&["ODBC driver manager", "PostgreSQL 15"]);
}

#[test]
fn it_works_on_mariadb() {
    let server = MariaDb::start().expect("a MariaDB server");
    server.client("CREATE DATABASE bench").expect("a database");
    let password = server.password();
    let target = format!("{}&password={password}", data_source::mariadb(&server, "bench"));
    let folder = Folder::new();
    works(&folder, &target);
    let record = folder.record("latest").to_string();
    assert!(!record.contains(password), "the record shows the password");
}

#[test]
fn it_works_on_sqlite() {
    let folder = Folder::new();
    // When all tables have been removed, only SQLite's own tables for statistics remain.
    folder.tacho("prepare tpcb sqlite:bench.db -o quiet --progress none").exits(0);
    folder.tacho("clean tpcb sqlite:bench.db --yes").exits(0);
    counts(&folder, &format!("'{}'", data_source::sqlite(&folder.path().join("bench.db"))));
}

#[test]
fn what_is_missing_is_named_with_a_remedy() {
    let folder = Folder::new();
    let no_manager = folder.tacho("run tpcb 'odbc:bench?library=/no/such.so'").done();
    no_manager.is_error().complains(&["driver manager cannot be loaded", "unixodbc"]);
    let no_source = folder.tacho("run tpcb odbc:no_such_source").done();
    no_source.is_error().complains(&["IM002", "odbcinst -q -s"]);
    let shown = folder.tacho("run tpcb 'odbc:DSN=a;PWD=s3cret'").done();
    shown.expect_code(2);
    shown.is_error().complains(&["contains a password", "ODBC_PWD"]);
    assert!(!format!("{}{}", shown.out, shown.err).contains("s3cret"), "{}", shown.err);
}

/// Returns the number of server sessions that are waiting for a lock.
fn waiting(target: &str) -> usize {
    let query =
        "SELECT CAST(pid AS VARCHAR(20)) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    texts(target, query).len()
}

/// Statements that are still running at the end of a run must be cancelled. Otherwise, they would remain on the server,
/// waiting for the lock.
#[test]
fn statements_that_wait_are_cancelled() {
    let server = Postgres::start().expect("a PostgreSQL server");
    let (folder, target) = (Folder::new(), data_source::postgres(&server, "postgres"));
    let direct = format!("postgres://postgres@127.0.0.1:{}/postgres", server.port());
    folder.tacho(&format!("prepare tpcb '{target}' -o quiet --progress none")).exits(0);
    let held = hold(&direct, "BEGIN; LOCK TABLE pgbench_branches");
    let run = "-c 3 -d 1s --ramp-up 0s --drain 500ms --answer-timeout 2s --check none";
    folder.tacho(&format!("run tpcb '{target}' {run}")).done();
    let result = &folder.record("latest")["result"];
    assert_eq!(result["accounting"]["unfinished"], 3, "{}", result["accounting"]);
    assert_eq!(waiting(&direct), 0, "the run left statements behind");

    let clean = folder.tacho(&format!("clean tpcb '{target}' --yes")).start();
    eventually("a DROP TABLE that waits", || waiting(&direct) == 1);
    clean.signal(Signal::INT);
    let done = clean.wait();
    done.expect_code(130);
    done.is_error().complains(&["stopped by the user", "hint"]);
    assert_eq!(waiting(&direct), 0, "the command left a statement behind");
    drop(held);
    folder.tacho(&format!("check tpcb '{target}'")).exits(0);
}

/// Writes a library for a different type of machine. It consists only of an ELF header, because the loader reads
/// nothing else.
fn foreign(folder: &Folder, class: u8, machine: u8) -> String {
    let path = folder.path().join(format!("lib{class}_{machine}.so"));
    let mut header = [0_u8; 64];
    header[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1]);
    (header[16], header[18], header[20]) = (3, machine, 1);
    std::fs::write(&path, header).expect("a file");
    path.display().to_string()
}

#[test]
fn a_library_of_another_word_size_is_named_with_a_remedy() {
    let folder = Folder::new();
    let (x86, arm) = (foreign(&folder, 1, 3), foreign(&folder, 2, 183));
    for (library, what) in [(&x86, "32 bits on x86"), (&arm, "64 bits on aarch64")] {
        let targets = [
            (format!("odbc:bench?library={library}"), "install unixODBC"),
            (format!("odbc:Driver={library};Database=x"), "install the library for x86_64"),
            (format!("db2://me@127.0.0.1:1/X?library={library}"), "install the IBM"),
            (format!("duckdb:x.db?library={library}"), "libduckdb"),
        ];
        for (target, remedy) in targets {
            let done = folder.tacho(&format!("run tpcb '{target}'")).done();
            done.expect_code(3);
            done.is_error().complains(&["is a library for", what, "hint", remedy]);
            let doctor = folder.tacho(&format!("doctor '{target}'")).done();
            assert!(format!("{}{}", doctor.out, doctor.err).contains(what), "{}", doctor.out);
        }
    }
}
