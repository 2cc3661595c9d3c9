//! Schemas built by HammerDB can be checked, run and deleted as they are. The tests fill them with Tacho's rows.

use crate::hammerdb::{built_on_postgres, in_order, jobid, result, script};
use crate::live::blames_no_one;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Done, Folder};

const PG_C: &str = include_str!("../scripts/theirs/tprocc_pg.sql");
const PG_H: &str = include_str!("../scripts/theirs/tproch_pg.sql");
const MYSQL_H: &str = include_str!("../scripts/theirs/tproch_mysql.sql");
const MYSQL_C: &str = include_str!("../scripts/theirs/tprocc_mysql.sql");

/// Runs a script with an environment variable that makes HammerDB's gigabyte smaller. The amount of data then suits a
/// test.
fn runs(folder: &Folder, text: &str, code: i32) -> Done {
    script(folder, text).env("TACHO_HAMMERDB_GIGABYTE", "0.01").exits(code)
}

fn pg_head(server: &Postgres, benchmark: &str) -> String {
    format!(
        "dbset db pg\ndbset bm {benchmark}\ndiset connection pg_host 127.0.0.1\n\
         diset connection pg_port {}\ndiset tpcc pg_rampup 0\ndiset tpcc pg_duration 2\n",
        server.port()
    )
}

const RECOGNISED: &str = "Vuser 1:This schema was not built by Tacho; its tables and columns are those of \
                          HammerDB's TPROC-C: 1 warehouses, stored ";

#[test]
fn a_schema_that_hammerdb_built_on_postgresql_is_checked_run_and_deleted() {
    let folder = Folder::new();
    let server = built_on_postgres(&folder);
    runs(&folder, &pg_head(&server, "TPROC-C"), 0);
    server.client_on("tpcc", PG_C).expect("tables of HammerDB's kind");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    let count = || server.client_on("tpcc", tables).expect("a number").trim().to_owned();
    let before = count();
    let checked = runs(&folder, "checkschema", 0);
    checked.says(&[
        RECOGNISED,
        "Check routines",
        "tpcc TPROC-C Schema has been checked successfully.",
    ]);
    let ran = runs(&folder, "vuset vu 2\nvurun\nvudestroy", 0);
    // The version must be printed first, because programs that parse the output look for it before anything else.
    in_order(&ran, &[&format!("{RECOGNISED}functions"), "ALL VIRTUAL USERS COMPLETE"]);
    let version = ran.out.find("Vuser 1:DBVersion:");
    assert!(version.is_some() && version < ran.out.find(RECOGNISED), "{}", ran.out);
    assert!(result(&ran, "PostgreSQL").0 > 0, "{}", ran.out);
    let record = folder.record(&jobid(&ran, "Benchmark Run"));
    assert_eq!(record["plan"]["form"], "procedures");
    assert_eq!(record["plan"]["parameters"]["routines"], "functions");
    // No table was added or removed.
    assert_eq!(count(), before);
    // The check detects a wrong warehouse count and missing objects.
    runs(&folder, "diset tpcc pg_count_ware 5\ncheckschema\ndiset tpcc pg_count_ware 1", 5)
        .says(&["warehouse count 1 does not equal dict warehouse count of 5"]);
    let deleted = runs(&folder, "deleteschema", 0);
    deleted.says(&[
        "tpcc TPROC-C schema has been deleted successfully.",
        "database tpcc was not dropped",
    ]);
    let left =
        server.client_on("tpcc", "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    let left = left.expect("names");
    assert!(left.contains("mine") && !left.contains("warehouse"), "{left}");
}

#[test]
fn a_schema_of_queries_that_hammerdb_built_is_checked_run_and_deleted() {
    let (folder, server) = (Folder::new(), Postgres::start().expect("a server"));
    let head = pg_head(&server, "TPROC-H");
    runs(&folder, &format!("{head}buildschema"), 0);
    server.client_on("tpch", PG_H).expect("tables of HammerDB's kind");
    let words = "its tables and columns are those of HammerDB's TPROC-H: scale factor 0.01";
    runs(&folder, "checkschema", 0)
        .says(&[words, "tpch TPROC-H Schema has been checked successfully."]);
    let ran = runs(&folder, "vuset vu 1\nvurun\nvudestroy", 0);
    ran.says(&[words, "Geometric mean of query times returning rows"]);
    blames_no_one(&folder.record(&jobid(&ran, "Benchmark Run"))["result"]);
    let refresh =
        runs(&folder, "diset tpch pg_refresh_on true\nvurun\ndiset tpch pg_refresh_on false", 2);
    refresh.says(&["refresh functions are not supported on a schema built by HammerDB"]);
    runs(&folder, "deleteschema", 0).says(&["tpch TPROC-H schema has been deleted successfully."]);
    let left =
        server.client_on("tpch", "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    let left = left.expect("names");
    assert!(left.contains("mine") && !left.contains("lineitem"), "{left}");
}

/// Tests the queries on MariaDB or MySQL. Both use the same protocol, and their tables have upper-case names.
pub fn queries_by_tcp(prefix: &str, login: (u16, &str), client: &dyn Fn(&str) -> String) {
    let (folder, (port, password)) = (Folder::new(), login);
    let keys = [
        ("connection", "host", "127.0.0.1"),
        ("connection", "port", &port.to_string()),
        ("connection", "socket", "null"),
        ("tpch", "tpch_user", "tacho"),
        ("tpch", "tpch_pass", password),
    ];
    let line = |(section, key, value)| format!("diset {section} {prefix}_{key} {{{value}}}");
    let lines: Vec<String> = keys.map(line).into();
    let head = format!("dbset db {prefix}\ndbset bm TPROC-H\n{}\n", lines.join("\n"));
    runs(&folder, &format!("{head}buildschema"), 0);
    client(MYSQL_H);
    let before = client("SHOW TABLES FROM tpch");
    assert!(before.contains("LINEITEM") && !before.contains("lineitem"), "{before}");
    let words = "its tables and columns are those of HammerDB's TPROC-H: scale factor 0.01";
    runs(&folder, "checkschema", 0)
        .says(&[words, "tpch TPROC-H Schema has been checked successfully."]);
    let ran = runs(&folder, "vuset vu 1\nvurun\nvudestroy", 0);
    ran.says(&[words, "Geometric mean of query times returning rows"]);
    let record = folder.record(&jobid(&ran, "Benchmark Run"));
    blames_no_one(&record["result"]);
    assert_eq!(record["plan"]["parameters"]["upper_names"], "true");
    // Tacho has not added anything.
    assert_eq!(client("SHOW TABLES FROM tpch"), before);
    let key = format!("{prefix}_refresh_on");
    let text = format!("diset tpch {key} true\nvurun\ndiset tpch {key} false");
    runs(&folder, &text, 2)
        .says(&["refresh functions are not supported on a schema built by HammerDB"]);
    // The consistency checks from HammerDB also detect missing and changed rows.
    client("UPDATE tpch.ORDERS SET O_TOTALPRICE = O_TOTALPRICE + 1");
    runs(&folder, "checkschema", 5).says(&["consistency check"]);
    client("SET foreign_key_checks = 0; DELETE FROM tpch.SUPPLIER WHERE S_SUPPKEY = 1");
    runs(&folder, "checkschema", 5).says(&["TPROC-H Schema check failed tpch schema "]);
    client("INSERT INTO tpch.SUPPLIER (S_SUPPKEY) VALUES (1)");
    runs(&folder, "deleteschema", 0).says(&["tpch TPROC-H Schema has been deleted successfully."]);
    let left = client("SHOW TABLES FROM tpch");
    assert!(left.contains("mine") && !left.contains("LINEITEM"), "{left}");
}

/// Tests TPROC-C schemas on MariaDB or MySQL, which share a protocol.
pub fn by_tcp(prefix: &str, label: &str, login: (u16, &str), client: &dyn Fn(&str) -> String) {
    let (folder, (port, password)) = (Folder::new(), login);
    let keys = [
        ("connection", "host", "127.0.0.1"),
        ("connection", "port", &port.to_string()),
        ("connection", "socket", "null"),
        ("tpcc", "user", "tacho"),
        ("tpcc", "pass", password),
        ("tpcc", "rampup", "0"),
        ("tpcc", "duration", "2"),
    ];
    let line = |(section, key, value)| format!("diset {section} {prefix}_{key} {{{value}}}");
    let lines: Vec<String> = keys.map(line).into();
    let head = format!("dbset db {prefix}\ndbset bm TPROC-C\n{}\n", lines.join("\n"));
    runs(&folder, &format!("{head}buildschema"), 0);
    client(MYSQL_C);
    let checked = runs(&folder, "checkschema", 0);
    checked.says(&[RECOGNISED, "Check procedures", "Schema has been checked successfully."]);
    let ran = runs(&folder, "vurun\nvudestroy", 0);
    assert!(result(&ran, label).0 > 0, "{}", ran.out);
    ran.says(&[RECOGNISED]);
    assert_eq!(folder.record(&jobid(&ran, "Benchmark Run"))["plan"]["form"], "procedures");
    // If the stored procedures are missing, a run sends plain statements instead and reports this.
    client("DROP PROCEDURE tpcc.neword");
    let ran = runs(&folder, "vurun\nvudestroy", 0);
    ran.says(&["1 warehouses, no stored routines"]);
    assert_eq!(folder.record(&jobid(&ran, "Benchmark Run"))["plan"]["form"], "sql");
    runs(&folder, "checkschema", 5).says(&["is missing stored procedures"]);
    runs(&folder, "deleteschema", 0).says(&["tpcc TPROC-C Schema has been deleted successfully."]);
    let left = client("SHOW TABLES FROM tpcc");
    assert!(left.contains("mine") && !left.contains("warehouse"), "{left}");
}
