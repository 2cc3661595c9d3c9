//! Tests the work that the server reports for each query, such as pages, rows and space for temporary files.

use crate::live::{TPROCH, server_with, server_with_if_there, sql};
use serde_json::Value;
use tacho_testkit::library;
use tacho_testkit::servers::{
    Kind, MariaDbKind, MySqlKind, Options, Postgres, PostgresKind, TestServer,
};
use tacho_tests::{Folder, violations};

const QUERIES: usize = 22;

fn target<K: Kind>(server: &TestServer<K>, database: &str) -> String {
    let address = server.tcp_target();
    let (host, _) = address.rsplit_once('/').expect("a database");
    format!("{host}/{database}")
}

/// Makes a run with this number of sessions. Returns the work that each query has done.
fn work_of(folder: &Folder, target: &str, sessions: u32) -> Vec<Value> {
    let run = format!("run tproch '{target}' -c {sessions} --check none");
    let done = folder.tacho(&run).exits(0);
    let record = folder.record("latest");
    let schema = folder.tacho("schema run").exits(0).json();
    assert_eq!(violations(&schema, &record), Vec::<String>::new());
    let executions = record["result"]["executions"].as_array().expect("executions").clone();
    assert_eq!(executions.len(), QUERIES * sessions as usize);
    if sessions > 1 {
        done.says(&["all sessions together, so numbers per query are not"]);
    }
    executions.into_iter().map(|one| one["work"].clone()).collect()
}

/// Returns a count for each query, or `None` if the count is not reported.
fn counts(work: &[Value], name: &str) -> Vec<Option<u64>> {
    work.iter().map(|query| query[name].as_u64()).collect()
}

fn told(work: &[Value], name: &str) -> Vec<u64> {
    let told: Option<Vec<u64>> = counts(work, name).into_iter().collect();
    told.unwrap_or_else(|| panic!("{name} is told of each: {work:?}"))
}

fn untold(work: &[Value], names: &[&str]) {
    for name in names {
        assert!(counts(work, name).iter().all(Option::is_none), "{name}: {work:?}");
    }
}

#[test]
fn postgresql_tells_temporary_files_and_blocks_of_a_session_alone() {
    let server = Postgres::start().expect("a PostgreSQL server");
    server.client("CREATE DATABASE working").expect("a database");
    let (place, folder) = (target(&server, "working"), Folder::new());
    folder.tacho(&format!("prepare tproch '{place}' -s 0.02")).exits(0);
    let tight = format!("{place}?options=-c%20work_mem%3D64kB");
    let work = work_of(&folder, &tight, 1);
    let [bytes, files] = ["temp_bytes", "temp_files"].map(|name| told(&work, name));
    assert!(bytes.iter().any(|bytes| *bytes > 64 << 10), "some sort on disk: {bytes:?}");
    assert!(bytes.contains(&0), "and some do not: {bytes:?}");
    for (bytes, files) in bytes.iter().zip(&files) {
        assert_eq!(*bytes > 0, *files > 0);
    }
    // Each query reads tables in blocks of 8 KiB, from the cache or from the disk.
    let [cached, read] = ["cached_bytes", "read_bytes"].map(|name| told(&work, name));
    assert!(cached.iter().zip(&read).all(|(cached, read)| cached + read > 100 << 10), "{work:?}");
    untold(&work, &["temp_tables", "read_rows"]);
    let shown = folder.tacho("show latest").exits(0);
    shown.says(&["  temp  ", "  read  ", "KiB"]);
    let csv = folder.tacho("report latest --format csv --table executions").exits(0).out;
    let most = bytes.iter().max().expect("queries").to_string();
    assert!(csv.contains(&format!(",{most},")), "{csv}");

    // With enough memory, no temporary file is written. This must be reported as zero.
    let roomy = format!("{place}?options=-c%20work_mem%3D256MB");
    assert_eq!(told(&work_of(&folder, &roomy, 1), "temp_bytes"), [0; QUERIES]);

    // With several sessions, it is not known which query has written a temporary file.
    assert!(work_of(&folder, &tight, 2).iter().all(Value::is_null));
    let shared = format!("run tproch '{tight}' --shared yes --check none");
    folder.tacho(&shared).exits(0).says(&["numbers per query are not available"]);
    let silent = format!("{place}?options=-c%20track_counts%3Doff");
    assert!(work_of(&folder, &silent, 1).iter().all(Value::is_null));
    folder.tacho("show latest").exits(0).says(&["PostgreSQL does not report temporary space"]);
}

#[test]
fn a_reading_that_fails_is_told_once_with_its_cause() {
    let server = server_with::<PostgresKind>(TPROCH, Options::default());
    server.client("CREATE ROLE poor LOGIN").expect("a role");
    let (place, folder) = (target(&server, "data"), Folder::new());
    sql(
        &place,
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO poor; \
         REVOKE EXECUTE ON FUNCTION pg_stat_force_next_flush() FROM PUBLIC",
    );
    let poor = place.replacen("postgres@", "poor@", 1);
    assert!(work_of(&folder, &poor, 1).iter().all(Value::is_null));
    let untold = folder.record("latest")["result"]["unreported_queries"].clone();
    let untold = untold.as_array().expect("sentences");
    let cause = "query: cannot read the query statistics: ";
    let with_cause = |one: &&Value| one.as_str().is_some_and(|one| one.contains(cause));
    assert_eq!(untold.iter().filter(with_cause).count(), 1, "{untold:?}");
    folder.tacho("show latest").exits(0).says(&["not available", "42501"]);
}

/// Tests the work that MariaDB and MySQL report. They count pages only for all sessions together, so a run with two
/// sessions must not report pages for each query.
fn family_tells<K: Kind>(server: &TestServer<K>, small: &str) {
    let (place, folder) = (target(server, "data"), Folder::new());
    server.client(small).expect("small temporary tables");
    let work = work_of(&folder, &place, 1);
    let tables = told(&work, "temp_tables");
    assert!(tables.iter().any(|tables| *tables > 0), "{tables:?}");
    assert!(tables.contains(&0), "{tables:?}");
    assert!(told(&work, "read_rows").iter().all(|rows| *rows > 5), "{work:?}");
    assert!(told(&work, "cached_bytes").iter().all(|bytes| *bytes > 0), "{work:?}");
    told(&work, "read_bytes");
    untold(&work, &["temp_bytes"]);
    folder.tacho("show latest").exits(0).says(&["temp tables", "  read  "]);

    let work = work_of(&folder, &place, 2);
    assert!(told(&work, "temp_tables").iter().any(|tables| *tables > 0), "{work:?}");
    untold(&work, &["read_bytes", "cached_bytes", "temp_files", "temp_bytes"]);
}

#[test]
fn mariadb_tells_temporary_tables_of_each_session_and_pages_of_one_alone() {
    let server = server_with::<MariaDbKind>(TPROCH, Options::default());
    family_tells(&server, "SET GLOBAL tmp_memory_table_size = 1024");
}

#[test]
fn mysql_tells_temporary_tables_of_each_session_and_pages_of_one_alone() {
    let Some(server) = server_with_if_there::<MySqlKind>(TPROCH, Options::default()) else {
        return;
    };
    family_tells(&server, "SET GLOBAL tmp_table_size = 1024; SET GLOBAL temptable_max_mmap = 0");
}

#[test]
fn sqlite_tells_pages_and_no_temporary_files() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01").exits(0);
    let work = work_of(&folder, "sqlite:h.db", 1);
    let [cached, read] = ["cached_bytes", "read_bytes"].map(|name| told(&work, name));
    assert!(cached.iter().zip(&read).all(|(cached, read)| cached + read > 4096), "{work:?}");
    // The cache of 64 MiB can hold the whole file, so no page is read more than once.
    let size = folder.file("h.db").metadata().expect("the file").len();
    let all: u64 = read.iter().sum();
    assert!(0 < all && all <= size, "{all} of {size}");
    untold(&work, &["temp_bytes", "temp_files", "temp_tables", "read_rows"]);
    // With a small cache, pages have to be read more than once.
    let small = work_of(&folder, "sqlite:h.db?cache_mb=1", 1);
    assert!(told(&small, "read_bytes").iter().sum::<u64>() > all, "{small:?}");
}

#[test]
fn duckdb_tells_nothing_and_that_is_said() {
    let Some(library) = library::duckdb() else { return };
    let folder = Folder::new();
    let place = format!("duckdb:x.db?library={}", library.display());
    folder.tacho(&format!("prepare tproch '{place}' -s 0.01")).exits(0);
    assert!(work_of(&folder, &place, 1).iter().all(Value::is_null));
    folder.tacho("show latest").exits(0).says(&["DuckDB does not report temporary space"]);
}
