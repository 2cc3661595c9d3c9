//! Workloads in the SQL Server dialect, on a test server that speaks TDS and stores its tables in SQLite. Only a real
//! server can test speed and locks.

#![expect(clippy::disallowed_methods, reason = "the variables are for owners of a server")]

use tacho_testkit::tds::Server;
use tacho_testkit::tns::{Answer, Listener};
use tacho_tests::Folder;

/// Environment variables that contain the targets of live servers.
const LIVE: [&str; 4] =
    ["TACHO_TEST_SQLSERVER", "TACHO_TEST_BABELFISH", "TACHO_TEST_ORACLE", "TACHO_TEST_DB2"];

/// Creates a folder with a `tacho.toml` that names the server.
pub fn folder(server: &Server) -> Folder {
    let (port, options) = (server.port(), server.options());
    let (user, password, database) = (&options.user, &options.password, &options.database);
    named(&format!(
        "sqlserver://{user}:{password}@127.0.0.1:{port}/{database}?trust_server_certificate=yes"
    ))
}

pub fn named(url: &str) -> Folder {
    let folder = Folder::new();
    folder.write("tacho.toml", &format!("[targets.tds]\nurl = \"{url}\"\n"));
    folder
}

/// Option that ends a run early, for tests that need only a few orders.
pub const FEW: &str = "--transactions 60";

/// Checks that a run meets all conditions at its end and that its ledger is correct.
pub fn holds(folder: &Folder, form: &str, sessions: u32, length: &str) {
    let run =
        format!("run tprocc tds --form {form} -c {sessions} {length} --ramp-up 0s --retry same");
    let done = folder.tacho(&run).done();
    assert!([0, 4].contains(&done.code()), "{form}, {sessions} sessions: {}", done.err);
    done.says(&["24 of 24 after the run", "commits match"]);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["accounting"]["failed"], 0, "{form}: {}", result["errors"]);
    assert!(result["accounting"]["committed"].as_u64() > Some(0), "{form}: {result}");
}

#[test]
fn orders_are_worked_on_in_every_form() {
    let server = Server::start();
    let folder = folder(&server);
    folder.tacho("prepare tprocc tds -o quiet --progress none").exits(0);
    for form in ["sql", "simple", "procedures"] {
        // The server reports two deadlocks, which may both hit the same transaction. Tacho must retry it until it
        // succeeds, and the number of commits must still match.
        server.fail("update district", 1205, 2);
        holds(&folder, form, 2, FEW);
        let retried = folder.record("latest")["result"]["accounting"]["retried"].as_u64();
        assert!(retried >= Some(2), "{form}: {retried:?}");
    }
    folder.tacho("clean tprocc tds --yes").exits(0);
}

/// The server creates and drops natively compiled procedures only outside transactions, and rejects unsupported
/// statements in their bodies.
pub fn procedures_are_compiled(folder: &Folder, server: &Server) {
    folder.tacho("prepare tprocc tds -o quiet --progress none --storage memory=native").exits(0);
    let native = "SELECT COUNT(*) FROM \"tds.routines\" WHERE definition LIKE '%ATOMIC%'";
    let count = |sql: &str| server.sqlite(|db| db.query_row(sql, [], |row| row.get::<_, i64>(0)));
    assert_eq!(count(native).expect("a count"), 5);
    server.fail("update dbo . district", 41_302, 2);
    holds(folder, "procedures", 2, FEW);
    let accounting = folder.record("latest")["result"]["accounting"].clone();
    assert!(accounting["retried"].as_u64() >= Some(2), "{accounting}");
    // With this seed, one of the first orders contains an unused item number, so it is rolled back.
    let run = "run tprocc tds --form procedures -c 1 --transactions 8 --ramp-up 0s --seed 13";
    folder.tacho(run).done().says(&["24 of 24 after the run"]);
    let accounting = folder.record("latest")["result"]["accounting"].clone();
    assert_eq!([&accounting["committed"], &accounting["rolled_back"]], [7, 1], "{accounting}");
    folder.tacho("clean tprocc tds --yes").exits(0);
    let left = "SELECT (SELECT COUNT(*) FROM \"tds.routines\" WHERE name LIKE 'tprocc%') + \
                (SELECT COUNT(*) FROM sqlite_master WHERE name IN ('warehouse', 'tacho_marker'))";
    assert_eq!(count(left).expect("a count"), 0);
}

/// Unlogged tables are empty after the server restarts, so their rows are loaded again.
pub fn lost_rows_are_loaded_again(folder: &Folder, server: &Server) {
    let prepare = "prepare tproch tds -s 0.01 --set unlogged=true --progress plain";
    folder.tacho(prepare).exits(0);
    let rows = "SELECT (SELECT COUNT(*) || ' ' || SUM(l_orderkey * l_linenumber) || ' ' || SUM(l_extendedprice) FROM lineitem) \
                || ' ' || (SELECT COUNT(*) || ' ' || SUM(o_orderkey) || ' ' || SUM(o_totalprice) FROM orders)";
    let rows = || server.sqlite(|db| db.query_row(rows, [], |row| row.get::<_, String>(0)));
    let loaded = rows().expect("sums");
    for table in ["lineitem", "orders", "tacho_units"] {
        let lost = format!("DELETE FROM {table}");
        server.sqlite(|db| db.execute_batch(&lost)).expect("lost rows");
    }
    folder.tacho(prepare).exits(0).complains(&["starting the build again"]);
    assert_eq!(rows().expect("sums"), loaded);
    folder.tacho("check tproch tds").exits(0).says(&["28 of 28 hold"]);
    folder.tacho("clean tproch tds --yes").exits(0);
}

#[test]
fn a_setting_is_varied_and_put_back() {
    let server = Server::start();
    let folder = folder(&server);
    let shown = "UPDATE \"tds.configurations\" SET value = 1 WHERE name LIKE 'show%'";
    server.sqlite(|db| db.execute_batch(shown)).expect("a setting");
    folder.tacho("prepare tpcb tds -o quiet --progress none").exits(0);
    let vary = "--vary server.max_degree_of_parallelism=2,4";
    let done = folder.tacho(&format!("sweep tpcb tds {vary} -d 1s --ramp-up 0s --check none"));
    done.exits(0).says(&["server.max_degree_of_parallelism", "2 runs"]);
    let degree =
        |run: &str| folder.record(run)["server"]["settings"]["max degree of parallelism"].clone();
    assert_eq!([degree("latest~1"), degree("latest")], ["2", "4"]);
    let now = "SELECT value FROM \"tds.configurations\" WHERE name LIKE 'max degree%'";
    let now = server.sqlite(|db| db.query_row(now, [], |row| row.get::<_, i64>(0)));
    assert_eq!(now.expect("a value"), 1, "it is put back");
}

/// `tacho doctor` tests a target before a run. It must also report the tests that it could not perform.
#[test]
fn doctor_says_what_was_not_tested_on_oracle() {
    let folder = Folder::new();
    let port = Listener::start(Answer::Refuse(12_514)).port();
    let done = folder.tacho(&format!("doctor oracle://me:x@127.0.0.1:{port}/absent")).done();
    let words = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in ["not tested against a live server", "how Tacho uses Instant Client"] {
        assert!(words.contains(said), "{}", done.out);
    }
}

#[test]
fn accounts_and_queries_are_right() {
    let server = Server::start();
    let folder = folder(&server);
    doctor_says(&folder, &["not tested against a live SQL Server"]);
    answers(&folder);
}

/// Checks the doctor's output, regardless of how the lines are wrapped.
pub fn doctor_says(folder: &Folder, said: &[&str]) {
    let done = folder.tacho("doctor tds").done();
    let words = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.iter().all(|said| words.contains(said)), "{said:?}: {}", done.out);
}

#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the results must know")]
fn live_servers_keep_their_accounts() {
    for variable in LIVE {
        let Ok(url) = std::env::var(variable) else {
            eprintln!(
                "NOT TESTED: the workloads on a live server; hint: set {variable} to its target"
            );
            continue;
        };
        let folder = named(&url);
        folder.tacho("prepare tprocc tds -o quiet --progress none").exits(0);
        for (form, sessions) in
            ["sql", "procedures"].into_iter().flat_map(|form| [1, 8, 64].map(|count| (form, count)))
        {
            holds(&folder, form, sessions, "-d 3s");
        }
        folder.tacho("clean tprocc tds --yes").exits(0);
        answers(&folder);
    }
}

pub fn answers(folder: &Folder) {
    folder.tacho("prepare tpcb tds -o quiet --progress none").exits(0);
    let run =
        folder.tacho("run tpcb tds -c 2 --transactions 1000 --ramp-up 0s --retry same").done();
    assert!([0, 4].contains(&run.code()), "{}", run.err);
    run.says(&["7 of 7 after the run", "commits match"]);
    folder.tacho("clean tpcb tds --yes").exits(0);
    folder.tacho("prepare tproch tds -s 0.01 -o quiet --progress none").exits(0);
    folder.tacho("check tproch tds").exits(0).says(&["28 of 28 hold"]);
    folder.tacho("clean tproch tds --yes").exits(0);
}
