//! Tests of memory-optimized tables on the scripted SQL Server.

use crate::scripted::{
    FEW, answers, doctor_says, folder, holds, lost_rows_are_loaded_again, named,
    procedures_are_compiled,
};
use tacho_testkit::tds::{Options, Server};

/// In a transaction, the server rejects the creation of memory-optimized tables, and lock hints on such tables.
#[test]
fn tables_are_kept_in_memory() {
    let server = Server::start();
    let folder = folder(&server);
    let without_data = folder.tacho("run tprocc tds --set unlogged=true -d 1s").done();
    without_data.complains(&["tacho prepare tprocc tds --scale 1 --set unlogged=true"]);
    let prepare = "prepare tprocc tds -o quiet --progress none --storage memory=on";
    let refused = folder.tacho(prepare).done();
    assert!(
        refused.code() != 0 && refused.err.contains("MEMORY_OPTIMIZED_DATA"),
        "{}",
        refused.err
    );
    let group =
        "DROP VIEW \"sys.filegroups\"; CREATE VIEW \"sys.filegroups\" AS SELECT 'FX' AS type";
    server.sqlite(|db| db.execute_batch(group)).expect("a filegroup");
    folder.tacho(prepare).exits(0);
    for form in ["sql", "procedures"] {
        // With error 41302, the server reports that another transaction has changed the row. Tacho must retry the
        // transaction.
        server.fail("update district", 41_302, 2);
        holds(&folder, form, 2, FEW);
        let retried = folder.record("latest")["result"]["accounting"]["retried"].as_u64();
        assert!(retried >= Some(2), "{form}: {retried:?}");
    }
    folder.tacho("clean tprocc tds --yes").exits(0);
    let left = "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('warehouse', 'tacho_marker')";
    let left = server.sqlite(|db| db.query_row(left, [], |row| row.get::<_, i64>(0)));
    assert_eq!(left.expect("a count"), 0);
    procedures_are_compiled(&folder, &server);
    lost_rows_are_loaded_again(&folder, &server);
}

/// After a load with `load=insert`, tables have no statistics, so the build must update them. In this test, the server
/// rejects the first attempt.
#[test]
fn a_load_by_inserts_updates_the_statistics() {
    let server = Server::start();
    let Options { user, password, database, .. } = server.options();
    let folder = named(&format!(
        "sqlserver://{user}:{password}@127.0.0.1:{}/{database}?trust_server_certificate=yes&load=insert",
        server.port()
    ));
    server.fail("update statistics", 1088, 1);
    let prepare = "prepare tpcb tds --progress plain";
    let refused = folder.tacho(prepare).done();
    assert!(refused.code() != 0 && refused.err.contains("1088"), "{}", refused.err);
    folder.tacho(prepare).exits(0);
    folder.tacho("check tpcb tds").exits(0);
}

/// Both the record and the output of `doctor` must name Babelfish and report its missing features. The client must
/// count the transactions itself.
#[test]
fn a_compatible_server_is_named_and_measured() {
    let server = Server::with(Options { babelfish: true, ..Options::default() });
    let folder = folder(&server);
    let product = "Babelfish 4.3.0 (PostgreSQL 16.4)";
    doctor_says(&folder, &[product, "attention", "except for"]);
    let prepare = folder.tacho("prepare tprocc tds --progress plain").exits(0);
    prepare.complains(&["statistics were not updated", "UPDATE STATISTICS"]);
    for form in ["sql", "simple", "procedures"] {
        holds(&folder, form, 2, FEW);
    }
    let record = folder.record("latest");
    let version = record["server"]["version"].as_str().unwrap_or_default();
    assert!(version.starts_with(product), "{version}");
    folder.tacho("clean tprocc tds --yes").exits(0);
    answers(&folder);
}
