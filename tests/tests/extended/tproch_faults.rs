//! Faults during a load of analytic data and during query streams. They must be reported, and all other results must be
//! correct.

use crate::live::small_disk::SmallDisk;
use crate::live::{
    TPROCH, attempt, failures, hold, notices, server_with, server_with_if_there, sql, texts,
};
use serde_json::Value;
use tacho_testkit::servers::{
    Kind, MariaDb, MariaDbKind, MySql, MySqlKind, Options, Postgres, PostgresKind, TestServer,
};
use tacho_tests::{Folder, Running, Signal};

/// Number of loaded rows after which a test disturbs a build. A complete build of 0.04 gigabytes has 346,000 rows.
const SOME_ROWS: u64 = 130_000;
const QUERIES: usize = 22;

fn target<K: Kind>(server: &TestServer<K>, database: &str) -> String {
    let address = server.tcp_target();
    let (host, _) = address.rsplit_once('/').expect("a database");
    format!("{host}/{database}")
}

/// Starts a load and waits until a part of it is complete.
fn loading(folder: &Folder, target: &str, more: &str) -> Running {
    let line = format!("prepare tproch '{target}' -s 0.04 {more} --progress json");
    let mut build = folder.tacho(&line).start();
    let some = |event: &Value| event["rows"].as_u64() > Some(SOME_ROWS);
    build.until_event(|event| event["event"] == "build" && some(event));
    build
}

/// A run must reject the data of an interrupted load. Resuming the load must complete the data, so that the table
/// digests returned by `print` are the expected ones.
fn goes_on(folder: &Folder, place: &str, whole: &str, print: &Print<'_>) {
    let refused = folder.tacho(&format!("run tproch '{place}'")).exits(3);
    refused.is_error().complains(&["is incomplete", "resumes it"]);
    let again = folder.tacho(&format!("prepare tproch '{place}' -s 0.04")).exits(0);
    again.complains(&["resuming an interrupted build"]);
    is_whole(folder, place, whole, print);
}

type Print<'a> = dyn Fn(&str, &str) -> Vec<String> + 'a;

fn is_whole(folder: &Folder, place: &str, whole: &str, print: &Print<'_>) {
    folder.tacho(&format!("check tproch '{place}'")).exits(0).says(&["6 of 6 hold, 22 excused"]);
    for table in ["customer", "part", "partsupp", "orders", "lineitem"] {
        assert_eq!(print(place, table), print(whole, table), "{table}");
    }
}

/// A load can be killed on the client or on the server. In both cases, it must be possible to resume it or to start
/// again.
fn killed_loads<K: Kind>(server: &mut TestServer<K>, print: &Print<'_>) {
    let folder = Folder::new();
    let (whole, place) = (target(server, "whole"), target(server, "killed"));
    folder.tacho(&format!("prepare tproch '{whole}' -s 0.04")).exits(0);

    let build = loading(&folder, &place, "");
    build.signal(Signal::KILL);
    build.wait().expect_code(137);
    goes_on(&folder, &place, &whole, print);
    folder.tacho(&format!("clean tproch '{place}' --yes")).exits(0);

    // The incomplete data of a load can also be removed. The next load must then start from the beginning.
    let build = loading(&folder, &place, "");
    build.signal(Signal::KILL);
    build.wait().expect_code(137);
    folder.tacho(&format!("clean tproch '{place}' --yes")).exits(0);

    let build = loading(&folder, &place, "");
    server.kill();
    let done = build.wait();
    done.expect_code(3);
    done.is_error().complains(&["repeat the command to resume"]);
    server.restart().expect("the server again");
    goes_on(&folder, &place, &whole, print);
}

/// Returns a digest of a table. The order of the rows does not matter.
fn postgres_print(place: &str, table: &str) -> Vec<String> {
    texts(
        place,
        &format!("SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} AS t"),
    )
}

/// Returns a digest of all rows in a table.
fn family_print(place: &str, table: &str) -> Vec<String> {
    let columns = format!(
        "SELECT CONCAT('CONCAT_WS(''|'',', GROUP_CONCAT(column_name ORDER BY ordinal_position), ')') \
         FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '{table}'"
    );
    let row = texts(place, &columns).remove(0).replace("\\'", "'").replace("''", "'");
    texts(place, &format!("SELECT CAST(SUM(CRC32({row})) AS CHAR) FROM {table}"))
}

#[test]
fn killed_loads_of_postgresql_become_whole() {
    let mut server = Postgres::start().expect("a PostgreSQL server");
    killed_loads(&mut server, &postgres_print);
}

#[test]
fn killed_loads_of_mariadb_become_whole() {
    let mut server = MariaDb::start_with(SAFE).expect("a MariaDB server");
    killed_loads(&mut server, &family_print);
}

#[test]
fn killed_loads_of_mysql_become_whole() {
    let Some(mut server) = MySql::start_if_there(SAFE).expect("a MySQL server") else { return };
    killed_loads(&mut server, &family_print);
}

/// Unlogged tables lose all their rows if the server crashes. The data must then be loaded again, even if it was
/// complete before the crash.
#[test]
fn what_is_kept_out_of_the_log_is_loaded_anew_after_a_crash() {
    let mut server = Postgres::start().expect("a PostgreSQL server");
    let folder = Folder::new();
    let (whole, place) = (target(&server, "whole"), target(&server, "unlogged"));
    let prepare = format!("prepare tproch '{place}'");
    folder.tacho(&format!("prepare tproch '{whole}' -s 0.04")).exits(0);
    let build = loading(&folder, &place, "--set unlogged=true");
    server.kill();
    build.wait().expect_code(3);
    server.restart().expect("the server again");
    folder.tacho(&prepare).exits(0).complains(&["were lost in a crash; starting the build again"]);
    is_whole(&folder, &place, &whole, &postgres_print);
    server.kill();
    server.restart().expect("the server again");
    for line in [format!("run tproch '{place}'"), format!("check tproch '{place}'")] {
        let refused = folder.tacho(&line).exits(3);
        refused.is_error().complains(&["is lost", "the server crashed", "rebuilds it"]);
    }
    folder.tacho(&prepare).exits(0).complains(&["were lost in a crash; starting the build again"]);
    is_whole(&folder, &place, &whole, &postgres_print);
}

/// Settings with which commits survive if the server's process is killed, but not if the machine crashes.
const SAFE: Options<'_> =
    Options { settings: &[("innodb-flush-log-at-trx-commit", "2")], access: &[], version: None };

/// Returns the value that this key has for the first stream of an event.
fn first<'a>(event: &'a Value, key: &str) -> &'a Value {
    &event["streams"][0][key]
}

fn asked(event: &Value) -> Option<u64> {
    first(event, "done").as_u64()
}

fn failed(event: &Value) -> Option<u64> {
    first(event, "failed").as_u64()
}

/// Returns why queries failed. Each reason is a single word, and they are in the order of the queries.
fn reasons(result: &Value) -> Vec<(String, String)> {
    let executions = result["executions"].as_array().expect("executions");
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let failed = executions.iter().filter_map(|one| Some((one, word(&one["failed"])?)));
    failed.map(|(one, why)| (word(&one["transaction"]).expect("a name"), why)).collect()
}

/// If queries fail, the run must be INVALID, even if all of its query sets have ended. Its geometric mean must include
/// only the queries that succeeded.
fn expect_penalised(result: &Value, sets: usize, why: &str) {
    let (stream, reasons) = (&result["streams"][0], reasons(result));
    assert!(!reasons.is_empty() && reasons.iter().all(|(_, word)| word == why), "{reasons:?}");
    let executions = result["executions"].as_array().expect("executions");
    assert_eq!((executions.len(), &result["ended_by"]), (sets * QUERIES, &"done".into()));
    assert_eq!(stream["failed"], reasons.len());
    assert_eq!(stream["good"], executions.len() - reasons.len());
    let time = |one: &Value| one["took_s"].as_f64().expect("a time");
    let longest = |all: &[Value]| all.iter().map(time).fold(0.0, f64::max);
    let good = executions.iter().filter(|one| one["failed"].is_null()).cloned();
    let good: Vec<Value> = good.collect();
    // Returns the geometric mean of the successful queries' times. Each failed query is included with ten times the
    // longest time.
    let mean = |longest: f64, penalties: usize| {
        let logs = good.iter().map(|one| time(one).max(longest / 1000.0).ln()).sum::<f64>();
        let more = (10.0 * longest).ln() * penalties as f64;
        ((logs + more) / (good.len() + penalties) as f64).exp()
    };
    for (key, expected) in [
        ("geometric_mean_s", mean(longest(&good), 0)),
        ("penalised_mean_s", mean(longest(executions), reasons.len())),
    ] {
        let told = stream[key].as_f64().unwrap_or_else(|| panic!("{key}: {stream}"));
        assert!((told / expected - 1.0).abs() < 1e-9, "{key}: {told} and {expected}");
    }
    assert!(executions.last().expect("a query")["failed"].is_null(), "the stream went on");
    assert!(notices(result).contains(&"V02"), "{:?}", notices(result));
    assert_eq!(failures(result, why, None), reasons.len() as u64, "{}", result["errors"]);
}

/// Tests streams in which some queries are too slow, fail, or return wrong rows.
fn queries_fail(place: &str, lock: &str, why: &str) {
    let folder = Folder::new();
    let begin = |more: &str| {
        let line = format!(
            "run tproch '{place}' --set query_sets=12 --set query_parameters=validation \
             --interval 200ms --progress json {more}"
        );
        let mut run = folder.tacho(&line).start();
        run.until_event(|event| asked(event) > Some(12));
        run
    };

    let mut run = begin("--set statement_timeout=1s");
    let held = hold(place, lock);
    run.until_event(|event| failed(event) > Some(1));
    drop(held);
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID: too many failures", "FAILED and not in the mean", "6 of 6"]);
    expect_penalised(&folder.record("latest")["result"], 12, "timeout");

    let mut run = begin("");
    sql(place, "ALTER TABLE part RENAME TO hidden");
    run.until_event(|event| failed(event) > Some(1));
    sql(place, "ALTER TABLE hidden RENAME TO part");
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID: too many failures", &format!("{why} ("), "6 of 6"]);
    expect_penalised(&folder.record("latest")["result"], 12, why);

    let mut run = begin("");
    sql(place, "UPDATE nation SET n_regionkey = n_regionkey + 5");
    run.until_event(|event| failed(event) > Some(1));
    sql(place, "UPDATE nation SET n_regionkey = n_regionkey - 5");
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID: too many failures", "returned a wrong result", "0 rows instead of"]);
    let result = &folder.record("latest")["result"];
    expect_penalised(result, 12, "wrong_answer");
    let wrong = reasons(result);
    let of_regions = ["q2", "q5", "q8"];
    assert!(wrong.iter().all(|(name, _)| of_regions.contains(&&**name)), "{wrong:?}");
}

#[test]
fn queries_that_fail_on_postgresql_are_named_and_penalised() {
    let server = server_with::<PostgresKind>(TPROCH, Options::default());
    queries_fail(&target(&server, "data"), "BEGIN; LOCK TABLE lineitem", "missing");
}

#[test]
fn queries_that_fail_on_mariadb_are_named_and_penalised() {
    let server = server_with::<MariaDbKind>(TPROCH, Options::default());
    queries_fail(&target(&server, "data"), "LOCK TABLES lineitem WRITE", "missing");
}

#[test]
fn queries_that_fail_on_mysql_are_named_and_penalised() {
    let Some(server) = server_with_if_there::<MySqlKind>(TPROCH, Options::default()) else {
        return;
    };
    queries_fail(&target(&server, "data"), "LOCK TABLES lineitem WRITE", "missing");
}

/// The space for temporary files is limited in one of two ways: each session has a limit, or all sessions share a small
/// disk. Only queries that need more space may fail.
#[test]
fn queries_that_need_more_temp_space_than_there_is_are_named() {
    let server = Postgres::start().expect("a PostgreSQL server");
    sql(&server.target(), "CREATE DATABASE spilling");
    let (place, folder) = (target(&server, "spilling"), Folder::new());
    folder.tacho(&format!("prepare tproch '{place}' -s 0.02")).exits(0);
    let tight = format!("{place}?options=-c%20work_mem%3D64kB%20-c%20temp_file_limit%3D200kB");
    let run = |target: &str| {
        let done = folder.tacho(&format!("run tproch '{target}' --check none")).done();
        done.expect_code(4);
        (done, folder.record("latest"))
    };
    let (done, record) = run(&tight);
    done.says(&["resource (53400)", "INVALID: too many failures"]);
    expect_penalised(&record["result"], 1, "resource");

    let small = server.folder().join("small");
    std::fs::create_dir(&small).expect("a folder");
    let Some(disk) = SmallDisk::of(&small, &server.folder().join("data"), "1m") else { return };
    sql(&server.target(), &format!("CREATE TABLESPACE small LOCATION '{}'", small.display()));
    let full = format!("{place}?options=-c%20work_mem%3D64kB%20-c%20temp_tablespaces%3Dsmall");
    let (done, record) = run(&full);
    done.says(&["resource (53100)", "INVALID: too many failures"]);
    expect_penalised(&record["result"], 1, "resource");
    disk.grow();
    folder.tacho(&format!("run tproch '{full}'")).exits(0).says(&["VALID"]);
    drop((server, disk));
}

/// If the connection of a query stream is lost, the stream must end, unless the run's options allow it to reconnect.
/// The time limit of its queries must still apply.
///
/// `cut` ends the session of a stream while it is running a query.
fn connections_are_cut(place: &str, lock: &str, cut: &dyn Fn()) {
    let folder = Folder::new();
    let begin = |more: &str| {
        let line = format!(
            "run tproch '{place}' --set query_sets=20 --interval 200ms --progress json {more}"
        );
        let mut run = folder.tacho(&line).start();
        run.until_event(|event| asked(event) > Some(12));
        cut();
        run
    };

    let done = begin("-c 2").wait();
    done.expect_code(4);
    done.says(&["INVALID: ", "session lost", "too many failures", "6 of 6"]);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["tool"]["sessions_lost"], 1);
    assert_eq!(failures(result, "connect", None), 1, "{}", result["errors"]);
    let mut good: Vec<u64> = result["streams"]
        .as_array()
        .expect("streams")
        .iter()
        .map(|one| one["good"].as_u64().expect("a number"))
        .collect();
    good.sort_unstable();
    assert!(good[0] < 440 && good[1] == 440, "the other stream goes to its end: {good:?}");

    let mut run = begin("--on-disconnect reconnect --set statement_timeout=4s");
    run.until_event(|event| failed(event) > Some(0));
    run.until_event(|event| asked(event) > Some(80));
    let held = hold(place, lock);
    run.until_event(|event| failed(event) > Some(1));
    drop(held);
    let done = run.wait();
    done.expect_code(4);
    done.says(&["outages", "1 connection lost", "INVALID: too many failures"]);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["executions"].as_array().map(Vec::len), Some(20 * QUERIES));
    let words: Vec<String> = reasons(result).into_iter().map(|(_, why)| why).collect();
    let cuts = words.iter().filter(|why| *why == "connect").count();
    assert!(cuts == 1 && words.iter().all(|why| why == "connect" || why == "timeout"), "{words:?}");
    assert_eq!(words.last().map(String::as_str), Some("timeout"), "the limit holds again");
    assert_eq!(result["outages"][0]["sessions_missing"], 0);
}

#[test]
fn connections_cut_in_streams_of_postgresql_are_told() {
    let server = server_with::<PostgresKind>(TPROCH, Options::default());
    let place = target(&server, "data");
    connections_are_cut(&place, "BEGIN; LOCK TABLE lineitem", &|| {
        let one = "DO $$ DECLARE victim int; BEGIN WHILE victim IS NULL LOOP \
                   PERFORM pg_stat_clear_snapshot(); SELECT max(pid) INTO victim FROM \
                   pg_stat_activity WHERE datname = 'data' AND state = 'active' AND query ~ 'lineitem' \
                   AND pid <> pg_backend_pid(); END LOOP; PERFORM pg_terminate_backend(victim); END $$";
        sql(&server.target(), one);
    });
}

/// Kills a session that is running a query. Repeats the `KILL`, because the server may ignore it between two queries.
fn kill_one(place: &str, administrator: &str) {
    let ours = "SELECT CAST(id AS CHAR) FROM information_schema.processlist WHERE db = 'data'";
    let asking =
        format!("{ours} AND info LIKE '%lineitem%' AND info NOT LIKE '%processlist%' LIMIT 1");
    let victim = loop {
        if let [id] = &texts(place, &asking)[..] {
            break id.clone();
        }
    };
    let there = format!("{ours} AND id = {victim}");
    while !texts(place, &there).is_empty() {
        // The session may have ended in the meantime, and then it cannot be killed.
        let _ = attempt(administrator, &format!("KILL {victim}"));
    }
}

#[test]
fn connections_cut_in_streams_of_mariadb_are_told() {
    let server = server_with::<MariaDbKind>(TPROCH, Options::default());
    let place = target(&server, "data");
    connections_are_cut(&place, "LOCK TABLES lineitem WRITE", &|| {
        kill_one(&place, &server.tcp_target());
    });
}

#[test]
fn connections_cut_in_streams_of_mysql_are_told() {
    let Some(server) = server_with_if_there::<MySqlKind>(TPROCH, Options::default()) else {
        return;
    };
    let place = target(&server, "data");
    connections_are_cut(&place, "LOCK TABLES lineitem WRITE", &|| {
        kill_one(&place, &server.tcp_target());
    });
}
