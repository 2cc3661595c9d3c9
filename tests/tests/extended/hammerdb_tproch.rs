//! HammerDB scripts for TPROC-H: they build the schema, check it, run query streams, read the results, and remove the
//! schema.

use crate::hammerdb;
use crate::hammerdb::{console, forget_settings, in_order, jobid, place};
use serde_json::Value;
use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};
use tacho_tests::{Call, Done, Folder};

/// Creates a console call that uses little data. At scale factor 1, it has only a hundredth of a gigabyte.
fn small(folder: &Folder, words: &str) -> Call {
    console(folder, words).env("TACHO_HAMMERDB_GIGABYTE", "0.01")
}

/// Returns the geometric means that were printed, each with the number of its queries.
fn means(done: &Done) -> Vec<(u64, f64)> {
    let start = "Geometric mean of query times returning rows (";
    let rests = done.out.lines().filter_map(|line| line.split_once(start));
    let pair = |(_, rest): (&str, &str)| {
        let (count, mean) = rest.split_once(") is ").expect("a mean");
        (count.parse().expect("a number"), mean.parse().expect("seconds"))
    };
    rests.map(pair).collect()
}

#[test]
fn scripts_for_postgres_run_from_build_to_removal() {
    let (folder, server) = (Folder::new(), Postgres::start().expect("a server"));
    let port = server.port().to_string();
    for name in ["build.tcl", "run.tcl", "result.tcl", "delete.py"] {
        place(&folder, &format!("pg/tproch_{name}"), &[("HOST", "127.0.0.1"), ("PORT", &port)]);
    }
    let built = small(&folder, "auto tproch_build.tcl").exits(0);
    in_order(
        &built,
        &[
            "Benchmark set to TPC-H for PostgreSQL",
            "SCHEMA BUILD STARTED",
            "Building Scale Factor 1 with 3 Virtual Users, 2 active + 1 Monitor VU(dict value \
             pg_num_tpch_threads is set to 2)",
            "Ready to create a Scale Factor 1 PostgreSQL TPROC-H schema",
            "Enter yes or no: replied yes",
            "Vuser 1:RUNNING",
            "Vuser 1:Monitor Thread",
            "Vuser 1:CREATING TPCH SCHEMA",
            "Vuser 1:CREATING DATABASE tpch under OWNER tpch",
            "Vuser 1:CREATING TPCH TABLES",
            "Vuser 1:Loading REGION COMPLETE",
            "Vuser 2:Worker Thread",
            "Vuser 1:ORDERS and LINEITEM Done Rows 1..15000",
            "Vuser 1:Loading TPCH TABLES COMPLETE",
            "Vuser 1:CREATING TPCH INDEXES",
            "Vuser 1:GATHERING SCHEMA STATISTICS",
            "Vuser 1:TPCH SCHEMA COMPLETE",
            "Vuser 1:FINISHED SUCCESS",
            "ALL VIRTUAL USERS COMPLETE",
            "SCHEMA BUILD COMPLETED",
            "CHECK SCHEMA STARTED",
            "Vuser 1:Checking tpch TPROC-H schema",
            "Vuser 1:Check consistency",
            "Vuser 1:tpch TPROC-H Schema has been checked successfully.",
        ],
    );
    jobid(&built, "Schema Build");
    measured(&folder);
    forget_settings(&folder);
    refreshed(&folder, &port);
    forget_settings(&folder);
    asked_the_cloud(&folder, &port);
    // Remove the settings that these two scripts have left, so that they do not affect the last script.
    forget_settings(&folder);
    let deleted = small(&folder, "py auto tproch_delete.py").exits(0);
    // The script must run two query sets and print the texts of the queries.
    assert_eq!(means(&deleted).len(), 2, "{}", deleted.out);
    deleted.says(&["Vuser 1:Completed 2 query set(s) in ", "query 14 returned 1 rows", "FROM"]);
    deleted.says(&["Vuser 1:tpch TPROC-H schema has been deleted successfully."]);
}

fn measured(folder: &Folder) {
    let done = small(folder, "auto tproch_run.tcl").exits(0);
    in_order(
        &done,
        &[
            "TPROC-H Driver Script",
            "Script loaded, Type \"print script\" to view",
            "TEST STARTED",
            "1 VU TEST",
            "Vuser 1 created - WAIT IDLE",
            "1 Virtual Users Created",
            "Transaction Counter Started",
            "Vuser 1:RUNNING",
            "Vuser 1:Verifying the scale factor of the existing schema...",
            // The query order of a power test.
            "Vuser 1:Executing Query 14 (1 of 22)",
            "Vuser 1:Executing Query 2 (2 of 22)",
            "Vuser 1:Executing Query 12 (22 of 22)",
            "Vuser 1:FINISHED SUCCESS",
            "ALL VIRTUAL USERS COMPLETE",
            "2 VU TEST",
            "2 Virtual Users Created",
            // The order in which the first two streams of a throughput test run the queries.
            "Vuser 2:RUNNING",
            "TEST COMPLETE",
        ],
    );
    done.says(&[
        "Vuser 1:DBVersion:15",
        "Vuser 1:Executing Query 21 (1 of 22)",
        "Vuser 2:Executing Query 6 (1 of 22)",
        "a scale factor of 1 is 0.01 gigabytes",
        "Vuser 2:Completed 1 query set(s) in ",
        "RETURNED Benchmark Run jobid=",
    ]);
    assert_eq!(done.out.matches(" completed in ").count(), 66, "{}", done.out);
    assert!(!done.out.contains("MONITOR") && !done.out.contains("NOPM"), "{}", done.out);
    let means = means(&done);
    assert_eq!(means.len(), 3, "{}", done.out);
    // The result of the last run is that of its slowest stream. The printed numbers must match the record.
    let id = jobid(&done, "Benchmark Run");
    let record = folder.record(&id);
    let plan = &record["plan"];
    assert_eq!((&plan["workload"], &plan["sessions"]), (&"tproch".into(), &2.into()));
    let told = small(folder, "auto tproch_result.tcl").exits(0);
    answered(&told, &id, &record);
}

/// Runs the 13 cloud queries with two virtual users. Even if there are several sets, each query runs only once.
fn asked_the_cloud(folder: &Folder, port: &str) {
    let head = format!(
        "dbset db pg\ndbset bm TPC-H\ndiset connection pg_host 127.0.0.1\n\
         diset connection pg_port {port}\ndiset tpch pg_cloud_query true\n\
         diset tpch pg_total_querysets 3\nvuset vu 2\n"
    );
    folder.write("cloud.tcl", &format!("{head}vurun\n"));
    let done = small(folder, "auto cloud.tcl").exits(0);
    in_order(
        &done,
        &[
            "Vuser 2:Executing Query (1 of 13)",
            "Vuser 2:Executing Query (13 of 13)",
            "ALL VIRTUAL USERS COMPLETE",
        ],
    );
    done.says(&["Vuser 2:10 rows returned in ", "Vuser 2:Completed query set in "]);
    done.says(&["Vuser 2:Geometric mean of query times returning rows is 0."]);
    assert_eq!(done.out.matches(" rows returned in ").count(), 26, "{}", done.out);
}

/// Runs the refresh functions before and after a single stream, and then at the same time as a stream.
fn refreshed(folder: &Folder, port: &str) {
    let head = format!(
        "dbset db pg\ndbset bm TPC-H\ndiset connection pg_host 127.0.0.1\n\
         diset connection pg_port {port}\ndiset tpch pg_refresh_on true\n"
    );
    folder.write("refresh.tcl", &format!("{head}vurun\nvudestroy\nvuset vu 2\nvurun\nvudestroy\n"));
    let done = small(folder, "auto refresh.tcl").exits(0);
    in_order(
        &done,
        &[
            "Vuser 1:New Sales refresh",
            "Vuser 1:Executing Query 14 (1 of 22)",
            "Vuser 1:Executing Query 12 (22 of 22)",
            "Vuser 1:Old Sales refresh",
            "Vuser 1:FINISHED SUCCESS",
            "ALL VIRTUAL USERS COMPLETE",
            "Vuser 2:Executing Query 21 (1 of 22)",
            "ALL VIRTUAL USERS COMPLETE",
        ],
    );
    assert_eq!(
        done.out.matches("Vuser 1:Completed update set(s) 1 in ").count(),
        2,
        "{}",
        done.out
    );
    assert_eq!((means(&done).len(), done.out.matches("FINISHED SUCCESS").count()), (2, 3));
}

fn answered(told: &Done, id: &str, record: &Value) {
    let streams = record["result"]["streams"].as_array().expect("streams");
    let elapsed = |stream: &&Value| stream["elapsed_s"].as_f64().expect("a time");
    let slowest = streams.iter().max_by(|a, b| elapsed(a).total_cmp(&elapsed(b))).expect("one");
    let querytime = format!("\"querytime\": \"{:.3}\"", elapsed(&slowest));
    told.says(&[&format!("\"{id}\""), &querytime, "\"querysets\": \"1\"", "\"geomean\": \"0."]);
    told.says(&["\"Geometric mean of query times returning rows (", "\"Completed 1 query set(s)"]);
    told.says(&["\"Q1\": {", "\"Q22\": {", "TPC-H", "TOP", "Saved chart html to ", "hdb_"]);
}

/// Runs the scripts for MariaDB or MySQL. They differ only in the prefix of their keys.
fn on_mariadb_or_mysql(port: u16, password: &str, (prefix, title): (&str, &str)) {
    let folder = Folder::new();
    let port = port.to_string();
    let values = [
        ("PORT", port.as_str()),
        ("SOCKET", "/tmp/no/server.sock"),
        ("USER", "tacho"),
        ("PASSWORD", password),
    ];
    place(&folder, "maria/tproch.tcl", &values);
    let text = String::from_utf8(folder.read("tproch.tcl")).expect("text");
    let text = text.replace("dbset db maria", &format!("dbset db {prefix}"));
    folder.write("tproch.tcl", &text.replace(" maria_", &format!(" {prefix}_")));
    let done = small(&folder, "auto tproch.tcl").exits(0);
    in_order(
        &done,
        &[
            "Building Scale Factor 1 with 1 Virtual User",
            "Vuser 1:CREATING DATABASE tpch",
            "Vuser 1:TPCH SCHEMA COMPLETE",
            "SCHEMA BUILD COMPLETED",
            "Vuser 1:tpch TPROC-H Schema has been checked successfully.",
            "2 Virtual Users Created",
            "ALL VIRTUAL USERS COMPLETE",
            "DROP SCHEMA COMPLETED",
        ],
    );
    done.says(&["query 1 returned 4 rows", &format!(" {title} qph\n"), "\"queries\": \"2"]);
    done.says(&["tpch TPROC-H Schema has been deleted successfully."]);
    assert_eq!(means(&done).len(), 2, "{}", done.out);
}

#[test]
fn scripts_for_mariadb_run_from_build_to_removal() {
    let server = MariaDb::start().expect("a server");
    on_mariadb_or_mysql(server.port(), server.password(), ("maria", "MariaDB"));
}

#[test]
fn scripts_for_mysql_run_from_build_to_removal() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a server or none") else {
        return;
    };
    on_mariadb_or_mysql(server.port(), server.password(), ("mysql", "MySQL"));
}

#[test]
fn a_query_that_fails_is_told_and_ends_the_run_if_that_is_asked_for() {
    let (folder, server) = (Folder::new(), MariaDb::start().expect("a server"));
    let (port, password) = (server.port(), server.password());
    let head = format!(
        "dbset db maria\ndbset bm TPROC-H\ndiset connection maria_host 127.0.0.1\n\
         diset connection maria_port {port}\ndiset connection maria_socket null\n\
         diset tpch maria_tpch_user tacho\ndiset tpch maria_tpch_pass {password}\n"
    );
    hammerdb::script(&folder, &format!("{head}buildschema"))
        .env("TACHO_HAMMERDB_GIGABYTE", "0.01")
        .exits(0);
    // Replace a table by a view that causes an error only when it is read. The query can therefore be prepared, but it
    // fails when it runs.
    let broken = "USE tpch; RENAME TABLE region TO r0; CREATE VIEW region AS SELECT (SELECT \
                  n_nationkey FROM nation WHERE n_nationkey < 2) AS r_regionkey, r_name, r_comment \
                  FROM r0";
    server.client(broken).expect("a view");
    let run = |raise: &str, sets: u32| {
        let text = format!(
            "{head}diset tpch maria_raise_query_error {raise}\n\
             diset tpch maria_total_querysets {sets}\nvurun\nputs WENT_ON"
        );
        hammerdb::script(&folder, &text).env("TACHO_HAMMERDB_GIGABYTE", "0.01")
    };
    let goes_on = run("false", 1).exits(0);
    goes_on.says(&[
        "Query Failed : query 2 : ",
        "returns more than 1 row",
        "Completed 1 query set(s)",
        "INVALID",
    ]);
    goes_on.says(&["Vuser 1:FINISHED SUCCESS", "WENT_ON"]);
    let (count, _) = means(&goes_on)[0];
    assert!(count < 22, "{}", goes_on.out);
    let ends = run("true", 1000).exits(3);
    ends.says(&["Error in Virtual User 1: Query Error : ", "Vuser 1:FINISHED FAILED", "WENT_ON"]);
    assert!(means(&ends).len() < 1000, "{}", ends.out);
}
