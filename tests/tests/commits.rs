//! Lost commits must be reported for each type of transaction. Rollbacks by the server itself must not be attributed to
//! Tacho.

#![expect(clippy::disallowed_methods, reason = "the server is waited for in real time")]

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use crate::live::{TPROCC, measuring, notices, server_with, sql, texts};
use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::Folder;

pub const RUN: &str = "-c 2 -d 4s --ramp-up 0s --interval 200ms --progress json";
/// Statement that makes one of the run's orders look like an order by another client. The total number of orders stays
/// the same.
pub const ANOTHER_ORDER: &str = "UPDATE orders SET o_c_id = o_c_id % 3000 + 1
    WHERE ctid = (SELECT ctid FROM orders ORDER BY o_id DESC LIMIT 1)";
/// Statement that makes one of the run's deliveries look like one by another client.
pub const ANOTHER_DELIVERY: &str = "UPDATE orders SET o_carrier_id = o_carrier_id % 10 + 1
    WHERE ctid = (SELECT ctid FROM orders WHERE o_id > 2100 AND o_carrier_id IS NOT NULL LIMIT 1)";
/// Script that undoes six payments without violating any consistency condition. It skips customers with bad credit,
/// because each of their payments has also been recorded in the column `c_data` (TPC-C 2.5.2.2).
pub const NO_PAYMENTS: &str = "DO $$ DECLARE h record; BEGIN
    FOR h IN SELECT history.ctid AS place, history.* FROM history JOIN customer
        ON c_w_id = h_c_w_id AND c_d_id = h_c_d_id AND c_id = h_c_id
        WHERE c_credit = 'GC' ORDER BY h_date DESC LIMIT 6
    LOOP
        UPDATE warehouse SET w_ytd = w_ytd - h.h_amount WHERE w_id = h.h_w_id;
        UPDATE district SET d_ytd = d_ytd - h.h_amount WHERE d_w_id = h.h_w_id AND d_id = h.h_d_id;
        UPDATE customer SET c_balance = c_balance + h.h_amount,
            c_ytd_payment = c_ytd_payment - h.h_amount, c_payment_cnt = c_payment_cnt - 1
        WHERE c_w_id = h.h_c_w_id AND c_d_id = h.h_c_d_id AND c_id = h.h_c_id;
        DELETE FROM history WHERE ctid = h.place;
    END LOOP; END $$";
/// Undoes one delivery, which consists of ten orders.
pub const NO_DELIVERY: &str = "DO $$ DECLARE o int; d int; c int; total numeric; BEGIN
    LOCK TABLE new_order IN EXCLUSIVE MODE;
    FOR d IN 1..10 LOOP
        SELECT min(no_o_id) - 1 INTO o FROM new_order WHERE no_w_id = 1 AND no_d_id = d;
        INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, d, o);
        UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = d AND o_id = o
        RETURNING o_c_id INTO c;
        UPDATE order_line SET ol_delivery_d = NULL
        WHERE ol_w_id = 1 AND ol_d_id = d AND ol_o_id = o;
        SELECT sum(ol_amount) INTO total FROM order_line
        WHERE ol_w_id = 1 AND ol_d_id = d AND ol_o_id = o;
        UPDATE customer SET c_balance = c_balance - total, c_delivery_cnt = c_delivery_cnt - 1
        WHERE c_w_id = 1 AND c_d_id = d AND c_id = c;
    END LOOP; END $$";

fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Postgres::start().unwrap_or_else(|e| panic!("{e}; {}", e.hints().join("; ")));
        autovacuum(&target(&server, "postgres"), "off");
        Folder::new().tacho(&format!("prepare tprocc '{}'", target(&server, "one"))).exits(0);
        server
    })
}

pub fn target(server: &Postgres, database: &str) -> String {
    format!("{}&dbname={database}", server.target())
}

/// Maximum number of checks, 50 ms apart, for the start of an autovacuum worker. It usually starts within a few
/// seconds.
const PATIENCE: u32 = 400;

fn autovacuum(target: &str, state: &str) {
    sql(target, &format!("ALTER SYSTEM SET autovacuum = {state}"));
    sql(target, "SELECT pg_reload_conf()");
}

/// Creates a copy of the prepared database.
pub fn copy(name: &str) -> String {
    let create = format!("CREATE DATABASE {name} TEMPLATE one");
    sql(&target(server(), "postgres"), &create);
    target(server(), name)
}

/// Lost updates must be detected whether a pgbench script adds positive or negative amounts.
#[test]
fn moved_balances_that_are_gone_are_named() {
    let (folder, target) = (Folder::new(), copy("balances"));
    folder.tacho(&format!("clean tprocc '{target}' --yes")).exits(0);
    folder.tacho(&format!("prepare tpcb '{target}'")).exits(0);
    let run = measuring(folder.tacho(&format!("run tpcb '{target}' {RUN}")));
    // Undo the change that one transaction made to the balances, and set the delta in its history row to zero. The row
    // then looks as if another client had added it.
    sql(
        &target,
        "DO $$ DECLARE h record; BEGIN
        SELECT ctid AS place, * INTO h FROM pgbench_history WHERE delta <> 0 LIMIT 1;
        UPDATE pgbench_accounts SET abalance = abalance - h.delta WHERE aid = h.aid;
        UPDATE pgbench_tellers SET tbalance = tbalance - h.delta WHERE tid = h.tid;
        UPDATE pgbench_branches SET bbalance = bbalance - h.delta WHERE bid = h.bid;
        UPDATE pgbench_history SET delta = 0 WHERE ctid = h.place;
        END $$",
    );
    let done = run.wait();
    done.expect_code(4);
    done.says(&["V06", "tpcb_like: bbalance grew by"]);

    // Tacho detects the work of another client by the number of rows. The balances do not reveal it, because they may
    // grow or shrink.
    let first = measuring(folder.tacho(&format!("run tpcb '{target}' {RUN}")));
    let second = Folder::new();
    second.tacho(&format!("run tpcb '{target}' -c 2 --transactions 50 --ramp-up 0s")).done();
    let done = first.wait();
    done.expect_code(4);
    let record = folder.record("latest");
    let found = notices(&record["result"]);
    assert!(found.contains(&"V11") && !found.contains(&"V06"), "{}", record["result"]["notices"]);
}

/// Tacho may commit a transaction before it notices that a response was wrong. It must still count this commit as its
/// own.
#[test]
fn a_commit_with_a_wrong_reply_is_known() {
    let (folder, target) = (Folder::new(), copy("wrong"));
    sql(
        &target,
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER nothing BEFORE INSERT ON order_line FOR EACH ROW
         WHEN (NEW.ol_o_id % 20 = 0 AND NEW.ol_number = 2) EXECUTE FUNCTION nothing()",
    );
    let run = format!("run tprocc '{target}' {RUN} --check none");
    folder.tacho(&run).done().says(&["of them with a wrong reply"]);
    let result = &folder.record("latest")["result"];
    assert!(
        result["headline"]["whole_run_wrong_count"].as_u64() > Some(0),
        "{}",
        result["headline"]
    );
    let found = notices(result);
    assert!(!found.contains(&"V11") && !found.contains(&"V06"), "{found:?}");
}

/// Makes an autovacuum worker stop because of a lock. Returns its process ID, or `None` if it had already finished.
fn worker_that_gave_way(target: &str) -> Option<String> {
    for table in ["slow_a", "slow_b"] {
        sql(target, &format!("DROP TABLE IF EXISTS {table}"));
        sql(target, &format!("CREATE TABLE {table} AS SELECT generate_series(1, 200000) AS n"));
        sql(target, &format!("DELETE FROM {table} WHERE n % 2 = 0"));
    }
    let working = "SELECT c.relname || ' ' || p.pid FROM pg_stat_progress_vacuum p \
                   JOIN pg_class c ON c.oid = p.relid WHERE p.datname = current_database()";
    // The server has only one autovacuum worker, which is too slow to finish. If it is working in another database,
    // stop it, so that the server can start it in this one.
    let elsewhere = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE backend_type = 'autovacuum worker' AND datname <> current_database()";
    let wait_for = |wanted: &dyn Fn(&str) -> bool| {
        (0..PATIENCE).find_map(|_| {
            thread::sleep(Duration::from_millis(50));
            sql(target, elsewhere);
            texts(target, working).into_iter().find(|line| wanted(line))
        })
    };
    let first = wait_for(&|line| line.starts_with("slow"))?;
    let (table, pid) = first.split_once(' ').expect("a process");
    sql(target, &format!("BEGIN; LOCK TABLE {table} IN SHARE MODE; COMMIT"));
    wait_for(&|line| line.ends_with(pid) && !line.starts_with(table))?;
    Some(pid.to_owned())
}

/// An autovacuum worker may stop before the run because it is waiting for a lock. The server may count the worker's
/// rollback later, during the run.
#[test]
fn rollbacks_of_autovacuum_are_not_hidden_ones() {
    // Autovacuum must start at once, but must be too slow to finish. The settings for this require a separate server.
    let settings = &[
        ("autovacuum_naptime", "1"),
        ("autovacuum_max_workers", "1"),
        ("autovacuum_vacuum_cost_delay", "100"),
        ("autovacuum_vacuum_cost_limit", "1"),
        ("log_autovacuum_min_duration", "0"),
    ];
    let server: Postgres = server_with(TPROCC, Options { settings, ..Options::default() });
    let (folder, admin) = (Folder::new(), target(&server, "postgres"));
    // A copied database has no statistics, without which autovacuum does not process its large tables.
    sql(&admin, "CREATE DATABASE vacuumed TEMPLATE data");
    let target = target(&server, "vacuumed");
    let pid = (0..5).find_map(|_| worker_that_gave_way(&target)).expect("a worker that gave way");
    let run = measuring(folder.tacho(&format!("run tprocc '{target}' {RUN}")));
    autovacuum(&admin, "off");
    sql(&admin, &format!("SELECT pg_terminate_backend({pid})"));
    let done = run.wait();
    done.says(&["by maintenance"]);
    let result = &folder.record("latest")["result"];
    let rollbacks = &result["rollbacks"];
    assert!(rollbacks["maintenance"].as_u64() > Some(0), "{rollbacks}");
    assert_eq!(rollbacks["hidden"], 0, "{rollbacks}");
    assert!(!notices(result).contains(&"W16"), "{}", result["notices"]);
}
