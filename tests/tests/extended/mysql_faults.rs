//! MariaDB and MySQL servers that die, reject requests, run out of space, block on locks, or are unreachable.
//!
//! Each fault must have its own exit code, class and hint.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use crate::live::proxy::Proxy;
use crate::live::small_disk::SmallDisk;
use crate::live::{
    SHORT, TPROCC, attempt, begins_at_a_locked_table, cut_within_a_load, dies_and_is_found_again,
    expect_accounts, fails_to_serialize, failures, fills_up, go_on, hold, measuring, notices,
    server_with, server_with_if_there, sql, texts, waits_for_a_lock,
};
use tacho_testkit::servers::{Kind, MariaDb, MariaDbKind, MySql, MySqlKind, Options, TestServer};
use tacho_tests::{Done, Folder};

/// A server of either product.
struct Live {
    scheme: &'static str,
    port: u16,
    /// User who connects with a password over TCP.
    user: String,
}

impl Live {
    fn of<K: Kind>(server: &TestServer<K>) -> Self {
        let scheme = K::product().id();
        Self { scheme, port: server.port(), user: format!("tacho:{}", server.password()) }
    }

    /// Returns a target for a database. Its user is the administrator.
    fn target(&self, database: &str) -> String {
        self.target_as(&self.user, database)
    }

    fn target_as(&self, user: &str, database: &str) -> String {
        format!("{}://{user}@127.0.0.1:{}/{database}", self.scheme, self.port)
    }

    /// Runs statements as an administrator.
    fn sql(&self, statements: &str) {
        sql(&self.target("tacho"), statements);
    }

    /// Prepares a database for pgbench's workload. This takes about a second.
    fn small(&self, database: &str) -> (String, Folder) {
        let (target, folder) = (self.target(database), Folder::new());
        folder.tacho(&format!("prepare tpcb '{target}'")).exits(0);
        (target, folder)
    }

    /// Creates a user who has all privileges on one database, but no privileges on the server.
    fn guest(&self, name: &str, database: &str) -> String {
        self.sql(&format!("CREATE USER {name}@'%'; GRANT ALL ON {database}.* TO {name}@'%'"));
        self.target_as(name, database)
    }
}

/// Runs a test on a separate server of each installed product. The server is started with these additional settings.
fn each_with(settings: &[(&str, &str)], test: impl Fn(&Live)) {
    let settings = [&PLAIN, settings].concat();
    let options = Options { settings: &settings, ..Options::default() };
    let mariadb = MariaDb::start_with(options).expect("a MariaDB server");
    test(&Live::of(&mariadb));
    if let Some(mysql) = MySql::start_if_there(options).expect("a MySQL server") {
        test(&Live::of(&mysql));
    }
}

/// Runs a test on a separate server of each installed product. Its database `data` contains a warehouse.
fn each_with_tprocc(test: impl Fn(&Live)) {
    let options = Options { settings: &PLAIN, ..Options::default() };
    test(&Live::of(&server_with::<MariaDbKind>(TPROCC, options)));
    if let Some(mysql) = server_with_if_there::<MySqlKind>(TPROCC, options) {
        test(&Live::of(&mysql));
    }
}

/// Setting that avoids MariaDB's snapshot isolation, under which a transaction fails if another session has changed a
/// row before it.
const PLAIN: [(&str, &str); 1] = [("transaction-isolation", "READ-COMMITTED")];

/// Runs a test on the shared servers, which the test must not stop or change.
fn each(test: impl Fn(&Live)) {
    static SERVERS: OnceLock<(MariaDb, Option<MySql>)> = OnceLock::new();
    let (mariadb, mysql) = SERVERS.get_or_init(|| {
        let options = Options { settings: &PLAIN, ..Options::default() };
        let mysql = MySql::start_if_there(options).expect("a MySQL server");
        (MariaDb::start_with(options).expect("a MariaDB server"), mysql)
    });
    test(&Live::of(mariadb));
    if let Some(mysql) = mysql {
        test(&Live::of(mysql));
    }
}

/// Settings with which commits survive if the server's process is killed, but not if the machine crashes.
const SAFE: Options<'_> =
    Options { settings: &[("innodb-flush-log-at-trx-commit", "2")], access: &[], version: None };

#[test]
fn a_mariadb_server_that_dies_ends_a_run_or_is_found_again() {
    let mut server: MariaDb = server_with(TPROCC, SAFE);
    let target = Live::of(&server).target("data");
    dies_and_is_found_again(&mut server, &target);
}

#[test]
fn a_mysql_server_that_dies_ends_a_run_or_is_found_again() {
    let Some(mut server): Option<MySql> = server_with_if_there(TPROCC, SAFE) else { return };
    let target = Live::of(&server).target("data");
    dies_and_is_found_again(&mut server, &target);
}

/// Kills a session that is working in `database`. Repeats the `KILL`, because the server may ignore it between two
/// statements.
fn kill_a_writer(live: &Live, target: &str, database: &str) {
    let processes = format!(
        "SELECT CAST(id AS CHAR) FROM information_schema.processlist WHERE db = '{database}'"
    );
    let writers = format!("{processes} AND info LIKE 'UPDATE %' ORDER BY id LIMIT 1");
    let victim = loop {
        if let [id] = &texts(target, &writers)[..] {
            break id.clone();
        }
    };
    let there = format!("{processes} AND id = {victim}");
    while !texts(target, &there).is_empty() {
        // The session may have ended in the meantime, and then it cannot be killed.
        let _ = attempt(&live.target("tacho"), &format!("KILL {victim}"));
    }
}

#[test]
fn a_session_that_is_killed_makes_a_run_invalid() {
    each(|live| {
        let (target, folder) = live.small("killed");
        let line = "-c 3 -d 2s --ramp-up 0s --interval 200ms --progress json";
        let run = measuring(folder.tacho(&format!("run tpcb '{target}' {line}")));
        kill_a_writer(live, &target, "killed");
        let done = run.wait();
        done.expect_code(4);
        done.says(&["INVALID", "session lost"]);
        let result = &folder.record("latest")["result"];
        assert_eq!(failures(result, "connect", None), 1, "{}", result["errors"]);
        assert_eq!(result["tool"]["sessions_lost"], 1);
        expect_accounts(result);
    });
}

#[test]
fn who_cannot_enter_is_told_why() {
    each(|live| {
        let folder = Folder::new();
        let nobody = Proxy::start(live.port, 0).port();
        live.sql("CREATE USER secretive@'%' IDENTIFIED BY 'right'; CREATE USER stranger@'%'");
        let place = |user: &str, port: u16, database: &str| {
            format!("{}://{user}@127.0.0.1:{port}/{database}", live.scheme)
        };
        let table = [
            (place("tacho", 1, "tacho"), "refused the connection", "it is running"),
            (place("tacho", nobody, "tacho"), "cannot connect", ""),
            (place("secretive:wr0ng", live.port, "tacho"), "1045", "MYSQL_PWD"),
            (place("secretive", live.port, "tacho"), "password", "MYSQL_PWD"),
            (place("stranger", live.port, "tacho"), "1044", "GRANT ALL ON"),
            (live.target("nowhere"), "1049", "tacho prepare tprocc"),
        ];
        for (target, text, hint) in table {
            let done = folder.tacho(&format!("run tprocc '{target}' {SHORT}")).exits(3);
            done.complains(&["error: ", text, hint]);
            assert!(done.out.is_empty() && !done.err.contains("wr0ng"), "{}", done.err);
        }
        assert!(folder.runs().is_empty(), "a run that did not begin leaves nothing");
    });
}

#[test]
fn too_few_connections_are_told_before_anything_begins() {
    each(|live| {
        let (target, folder) = live.small("crowded");
        let few = live.guest("few", "crowded");
        let limit = if live.scheme == "mysql" { "ALTER USER" } else { "GRANT USAGE ON *.* TO" };
        live.sql(&format!("{limit} few@'%' WITH MAX_USER_CONNECTIONS 5"));
        let done = folder.tacho(&format!("run tpcb '{few}' -c 3 {SHORT}")).exits(3);
        done.is_error().complains(&["accepts only 4 more sessions", "use --sessions 2 or fewer"]);
        done.complains(&["max_user_connections"]);
        let done = folder.tacho(&format!("run tpcb '{target}' -c 5000 {SHORT}")).exits(3);
        done.is_error().complains(&["max_connections", "or fewer"]);
        let empty = live.target("crowded2");
        let done = folder.tacho(&format!("prepare tprocc '{empty}' -s 1000 -c 900")).exits(3);
        done.is_error().complains(&["max_connections"]);
        assert!(folder.runs().is_empty());
        folder.tacho(&format!("run tpcb '{few}' -c 2 {SHORT}")).exits(0);
    });
}

/// When a lock wait times out, the server rolls back only the statement, so Tacho has to roll back the transaction.
#[test]
fn locks_that_are_not_granted_in_time_are_lock_timeouts() {
    each(|live| {
        let (target, folder) = live.small("locked");
        let impatient = format!("{target}?init-command=SET%20innodb_lock_wait_timeout%3D1");
        let line = "-c 2 -d 4s --ramp-up 0s --interval 200ms --progress json";
        let run = measuring(folder.tacho(&format!("run tpcb '{impatient}' {line}")));
        // A session updates its account and teller before it has to wait for the branch. After a lock timeout, these
        // updates must be rolled back.
        let mut held = hold(&target, "BEGIN");
        go_on(&target, held.as_mut(), "UPDATE pgbench_branches SET bbalance = bbalance");
        thread::sleep(Duration::from_millis(2_500));
        drop(held);
        let done = run.wait();
        done.says(&["lock timeout (1205)"]);
        let record = folder.record("latest");
        let result = &record["result"];
        let failed = failures(result, "lock_timeout", Some("1205"));
        assert!(failed >= 2, "{}", result["errors"]);
        assert_eq!(result["accounting"]["failed"].as_u64(), Some(failed));
        let undone = result["server_load"]["counters"]["rollbacks"].as_u64();
        assert!(undone >= Some(failed), "{undone:?} rollbacks for {failed} failures");
        expect_accounts(result);
        folder.tacho(&format!("check tpcb '{target}'")).exits(0);
    });
}

/// `InnoDB` resolves a deadlock by rolling back the transaction that has written less. It therefore never chooses one
/// that has written 900 rows.
#[test]
fn victims_of_deadlocks_are_counted_as_such() {
    each(|live| {
        let (target, folder) = live.small("crossed");
        live.sql("CREATE DATABASE ballast; CREATE TABLE ballast.t (a INT) ENGINE = InnoDB");
        // Write to a table that Tacho's sessions do not use, so that they have to wait only for the locked branch.
        let heavy = "INSERT INTO ballast.t WITH RECURSIVE n (a) AS \
                     (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 900) SELECT a FROM n";
        let line = "-c 2 -d 3s --ramp-up 0s --interval 200ms --progress json";
        let run = measuring(folder.tacho(&format!("run tpcb '{target}' {line}")));
        let mut held = hold(&target, "BEGIN");
        for statement in [heavy, "UPDATE pgbench_branches SET bbalance = bbalance"] {
            go_on(&target, held.as_mut(), statement);
        }
        // By now, each of Tacho's sessions has locked a teller and is waiting for the branch. Updating the tellers
        // therefore causes a deadlock.
        thread::sleep(Duration::from_millis(500));
        go_on(&target, held.as_mut(), "UPDATE pgbench_tellers SET tbalance = tbalance");
        drop(held);
        let done = run.wait();
        done.says(&["deadlock (1213)"]);
        let record = folder.record("latest");
        let result = &record["result"];
        let failed = failures(result, "deadlock", Some("1213"));
        assert!(failed >= 1, "{}", result["errors"]);
        assert_eq!(result["accounting"]["failed"].as_u64(), Some(failed));
        let seen = result["server_load"]["counters"]["deadlocks"].as_u64();
        assert!(seen >= Some(failed), "{seen:?} deadlocks for {failed} failures");
        expect_accounts(result);
        folder.tacho("show latest --server").exits(0).says(&["deadlocks", "history_length"]);
        folder.tacho(&format!("check tpcb '{target}'")).exits(0);
    });
}

#[test]
fn writes_to_rows_that_others_changed_are_failures_unless_they_are_tried_again() {
    let settings = &[("innodb-buffer-pool-size", "16M")];
    let server: MariaDb = server_with(TPROCC, Options { settings, ..Options::default() });
    let (target, folder) = (Live::of(&server).target("data"), Folder::new());
    let strict = format!("{target}?snapshot-isolation=on&isolation=repeatable-read");
    // Test only stored procedures here. With single statements, only 0 to 4 of 400 transactions failed, which is too
    // few to make a run INVALID.
    fails_to_serialize(&folder, &strict, "1020", &[]);
    let done = folder.tacho(&format!("run tprocc '{strict}' -c 1 {SHORT}")).exits(0);
    done.says(&["innodb_snapshot_isolation is ON", "W17"]);
    let loose = format!("{target}?snapshot-isolation=off");
    let done = folder.tacho(&format!("run tprocc '{loose}' -c 4 {SHORT}")).exits(0);
    done.says(&["innodb_buffer_pool_size is 16", "W17"]);
    assert!(!done.out.contains("innodb_snapshot_isolation"), "{}", done.out);
}

#[test]
fn the_profile_of_hammerdb_lets_sessions_write_what_others_changed() {
    let settings = &[("innodb-snapshot-isolation", "ON")];
    let server = MariaDb::start_with(Options { settings, ..Options::default() });
    let server = server.expect("a MariaDB server");
    let (target, folder) = (Live::of(&server).target("loose"), Folder::new());
    folder.tacho(&format!("prepare tprocc '{target}' --profile hammerdb")).exits(0);
    let run = format!("run tprocc '{target}' --profile hammerdb {SHORT}");
    let done = folder.tacho(&format!("{run} -c 4")).exits(0);
    done.says(&[
        "innodb_snapshot_isolation is OFF in these sessions, but ON in other sessions",
        "W17",
    ]);
    assert!(!done.out.contains("1020"), "{}", done.out);
    let settings = &folder.record("latest")["server"]["settings"];
    assert_eq!(settings["innodb_snapshot_isolation"], "OFF", "{settings}");
    let left = folder.tacho(&format!("{run} -c 1 --set stale_writes=false")).exits(0);
    left.says(&["innodb_snapshot_isolation is ON"]);
}

fn refuses_to_prepare(target: &str, options: &str, code: i32, words: &[&str]) -> Done {
    let done = Folder::new().tacho(&format!("prepare tpcb '{target}' {options}")).exits(code);
    done.is_error().complains(words);
    done
}

#[test]
fn servers_that_take_no_rows_of_clients_are_told_and_loaded_by_inserts() {
    each_with(&[("local-infile", "0")], |live| {
        let (target, folder) = (live.target("slowly"), Folder::new());
        let done = folder.tacho(&format!("prepare tpcb '{target}'")).exits(0);
        done.complains(&["by INSERT", "local_infile=ON"]);
        folder.tacho(&format!("check tpcb '{target}'")).exits(0);
    });
    each(|live| {
        let target = live.target("fast");
        let done = Folder::new().tacho(&format!("prepare tpcb '{target}'")).exits(0);
        assert!(!done.err.contains("INSERT"), "{}", done.err);
    });
}

#[test]
fn packets_that_are_too_large_are_told_with_the_limit() {
    each_with(&[], |live| {
        live.sql("SET GLOBAL max_allowed_packet = 16384");
        refuses_to_prepare(&live.target("narrow"), "", 3, &["1153", "raise max_allowed_packet"]);
    });
}

#[test]
fn servers_that_only_read_refuse_at_once_or_in_the_midst_of_a_run() {
    each_with(&[], |live| {
        let (_, folder) = live.small("reading");
        let guest = live.guest("guest", "reading");
        // Use a single session, because with two sessions, changing the setting could cause a deadlock.
        let line = "-c 1 -d 3s --ramp-up 0s --interval 200ms --progress json";
        let run = measuring(folder.tacho(&format!("run tpcb '{guest}' {line}")));
        live.sql("SET GLOBAL read_only = ON");
        let done = run.wait();
        done.expect_code(4);
        done.says(&["INVALID", "(1290)"]);
        let record = folder.record("latest");
        let result = &record["result"];
        assert!(failures(result, "auth", Some("1290")) > 0, "{}", result["errors"]);
        assert!(notices(result).contains(&"V02"), "{:?}", notices(result));
        expect_accounts(result);
        let done = folder.tacho(&format!("run tpcb '{guest}' {SHORT}")).exits(3);
        done.is_error().complains(&["1290", "read_only=OFF"]);
        let done = folder.tacho(&format!("clean tpcb '{guest}' --yes")).exits(3);
        done.is_error().complains(&["1290", "read_only=OFF"]);
        live.sql("SET GLOBAL read_only = OFF");
        folder.tacho(&format!("check tpcb '{guest}'")).exits(0);
    });
}

#[test]
fn a_database_that_does_not_suit_is_refused_with_a_remedy() {
    each(|live| {
        let made_up = format!("{}?charset=klingon", live.target("klingon"));
        refuses_to_prepare(&made_up, "", 3, &["1115", "charset=utf8mb4"]);
        // Any character set will do, because all of them contain the characters that the workloads write.
        live.sql("CREATE DATABASE wide CHARACTER SET utf16");
        let wide = live.target("wide");
        let folder = Folder::new();
        folder.tacho(&format!("prepare tpcb '{wide}'")).exits(0);
        folder.tacho(&format!("run tpcb '{wide}' {SHORT}")).exits(0);
        folder.tacho(&format!("check tpcb '{wide}'")).exits(0);
        live.sql("CREATE DATABASE taken; CREATE TABLE taken.pgbench_branches (own INT)");
        live.sql("INSERT INTO taken.pgbench_branches VALUES (7)");
        let taken = live.target("taken");
        refuses_to_prepare(&taken, "", 3, &["pgbench_branches"]);
        let kept = "SELECT CAST(own AS CHAR) FROM pgbench_branches";
        assert_eq!(texts(&taken, kept), ["7"], "what is not ours is left alone");
        live.sql("CREATE USER reader@'%'; GRANT SELECT ON taken.* TO reader@'%'");
        refuses_to_prepare(&live.target_as("reader", "taken"), "", 3, &["pgbench_branches"]);
        live.sql("CREATE DATABASE bare; GRANT SELECT ON bare.* TO reader@'%'");
        refuses_to_prepare(&live.target_as("reader", "bare"), "", 3, &["1142", "GRANT ALL ON"]);
    });
}

/// Tables must use an engine that can roll back. Otherwise, transactions that should be rolled back would count as
/// committed.
#[test]
fn tables_are_of_an_engine_with_transactions_whatever_the_server_prefers() {
    each_with(&[("default-storage-engine", "MyISAM")], |live| {
        let (target, folder) = live.small("engines");
        let others = "SELECT table_name FROM information_schema.tables \
                      WHERE table_schema = 'engines' AND engine <> 'InnoDB'";
        assert_eq!(texts(&target, others), Vec::<String>::new());
        folder.tacho(&format!("run tpcb '{target}' {SHORT}")).exits(0);
    });
}

#[test]
fn a_network_cut_within_a_load_leaves_what_can_be_gone_on_with() {
    each(|live| {
        let through = |port: u16| format!("{}://{}@127.0.0.1:{port}/cut", live.scheme, live.user);
        let (straight, whole) = (live.target("cut"), live.target("whole"));
        cut_within_a_load((live.port, &through, &straight, &whole), |place, table| {
            let columns = format!(
                "SELECT group_concat(column_name ORDER BY 1) FROM information_schema.columns \
                 WHERE table_schema = database() AND table_name = '{table}'"
            );
            let columns = texts(place, &columns).remove(0);
            let digest = format!(
                "SELECT CAST(bit_xor(crc32(concat_ws('|', {columns}))) AS CHAR) FROM {table} \
                 UNION ALL SELECT CAST(count(*) AS CHAR) FROM {table}"
            );
            texts(place, &digest)
        });
    });
}

#[test]
fn a_build_that_was_stopped_between_an_index_and_its_note_is_resumed() {
    each_with_tprocc(|live| {
        let (target, folder) = (live.target("data"), Folder::new());
        let prepare = format!("prepare tprocc '{target}' --progress none");
        // Imitate a build that was stopped during CREATE INDEX. The server has created the index, but the build has not
        // recorded this step.
        sql(&target, "DELETE FROM tacho_units WHERE loaded = 0 ORDER BY unit LIMIT 1");
        sql(&target, "UPDATE tacho_marker SET v = 'building' WHERE k = 'state'");
        folder
            .tacho(&format!("run tprocc '{target}' {SHORT}"))
            .exits(3)
            .complains(&["is incomplete"]);
        folder.tacho(&prepare).exits(0);
        folder.tacho(&format!("check tprocc '{target}'")).exits(0);
    });
}

#[test]
fn a_build_that_was_stopped_between_a_routine_and_its_note_is_resumed() {
    each_with_tprocc(|live| {
        let (target, folder) = (live.target("data"), Folder::new());
        let prepare = format!("prepare tprocc '{target}' --progress none");
        sql(&target, "DELETE FROM tacho_units WHERE loaded = 0");
        sql(&target, "DELETE FROM tacho_marker WHERE k LIKE 'routine.%'");
        sql(&target, "UPDATE tacho_marker SET v = 'building' WHERE k = 'state'");
        folder.tacho(&prepare).exits(0);
        folder.tacho(&format!("check tprocc '{target}'")).exits(0);
        // The resumed build must record its routine again. Otherwise, `clean` would not remove the routine.
        folder.tacho(&format!("clean tprocc '{target}' --yes")).exits(0);
        let left = "SELECT routine_name FROM information_schema.routines \
                    WHERE routine_schema = DATABASE()";
        assert_eq!(texts(&target, left), Vec::<String>::new());
    });
}

#[test]
fn who_waits_for_a_lock_says_so() {
    each(|live| waits_for_a_lock(&live.target("waiting"), "LOCK TABLES pgbench_accounts WRITE"));
}

#[test]
fn a_check_that_gives_a_lock_up_says_what_to_do() {
    each(|live| {
        let (target, folder) = live.small("given_up");
        let held = hold(&target, "LOCK TABLES pgbench_accounts WRITE");
        let soon = format!("{target}?init-command=SET%20lock_wait_timeout%3D1");
        let done = folder.tacho(&format!("check tpcb '{soon}'")).exits(5);
        done.says(&[
            "could not be run",
            "(1205); another session holds the lock: end that session",
        ]);
        drop(held);
        folder.tacho(&format!("check tpcb '{target}'")).exits(0);
    });
}

#[test]
fn runs_and_checks_tell_of_locks_and_leave_when_they_are_told_to() {
    let waiting = "SELECT info FROM information_schema.processlist WHERE db = DATABASE() \
                   AND state LIKE 'Waiting for % lock'";
    let lock = |table: &str| format!("LOCK TABLES {table} WRITE");
    each(|live| {
        // Unlike MariaDB, MySQL does not notice that a waiting session has lost its client.
        let how = (waiting, live.scheme == "mariadb");
        begins_at_a_locked_table(&live.target("begins"), &lock, how);
    });
}

/// Fills up a small disk that contains a single database. This is possible because each database has a folder of its
/// own.
fn full<K: Kind>(server: &mut TestServer<K>) {
    let live = Live::of(server);
    live.sql("CREATE DATABASE full_up");
    let data = server.folder().join("data");
    let Some(small) = SmallDisk::on(&data.join("full_up"), &data) else { return };
    let (target, folder) = (live.target("full_up"), Folder::new());
    let prepare = format!("prepare tprocc '{target}'");
    fills_up(&folder, &small, &target, &prepare, "1114");
    server.stop();
}

#[test]
fn a_full_disk_ends_a_load_and_a_larger_one_goes_on() {
    full(&mut MariaDb::start().expect("a MariaDB server"));
    if let Some(mut mysql) = MySql::start_if_there(Options::default()).expect("a MySQL server") {
        full(&mut mysql);
    }
}
