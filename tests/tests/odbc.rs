//! The workloads over ODBC, on the databases whose ODBC drivers can be installed.

use tacho_testkit::data_source;
use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_tests::Folder;

/// Orders are loaded, worked on, checked and removed.
fn works(folder: &Folder, target: &str) {
    let target = format!("'{target}'");
    folder.tacho(&format!("prepare tprocc {target} -o quiet --progress none")).exits(0);
    for form in ["sql", "simple", "procedures"] {
        let run = format!("run tprocc {target} --form {form} -c 2 -d 2s --ramp-up 0s");
        let done = folder.tacho(&run).exits(0);
        done.says(&["12 of 12 after the run", "commits match"]);
        let result = &folder.record("latest")["result"];
        assert_eq!(result["accounting"]["failed"], 0, "{}", result["errors"]);
        assert!(result["accounting"]["committed"].as_u64() > Some(0), "{result}");
    }
    folder.tacho(&format!("check tprocc {target}")).exits(0);
    folder.tacho(&format!("clean tprocc {target} --yes")).exits(0);
    counts(folder, &target);
}

/// The same for accounts.
fn counts(folder: &Folder, target: &str) {
    folder.tacho(&format!("prepare tpcb {target} -o quiet --progress none")).exits(0);
    for form in ["sql", "simple"] {
        let run = format!("run tpcb {target} --form {form} --transactions 50 --ramp-up 0s");
        folder.tacho(&run).exits(0).says(&["6 of 6 after the run"]);
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
    shown.is_error().complains(&["holds a password", "ODBC_PWD"]);
    assert!(!format!("{}{}", shown.out, shown.err).contains("s3cret"), "{}", shown.err);
}
