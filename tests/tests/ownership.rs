//! Only tables and routines that a build has created belong to Tacho. `tacho clean` removes either
//! all of them or none.

#![expect(clippy::disallowed_methods, reason = "dates of creation are whole seconds")]

use crate::live::sql;
use tacho_testkit::servers::{Kind, Postgres, TestServer};
use tacho_tests::{Call, Data, Folder};

pub const QUIET: &str = "--progress none -o quiet";

pub fn tables(server: &TestServer<impl Kind>, query: &str) -> Vec<String> {
    let out = server.client(query).expect("the tables");
    out.lines().map(|line| line.trim().to_owned()).collect()
}

/// Removal does not start if a user's table replaces one of Tacho's, or if a view or a foreign key refers to one.
fn only_ours_is_removed(target: &str, folder: &Folder, tables: &dyn Fn() -> Vec<String>) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    let clean = || folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}"));
    let ours = tables();
    assert_eq!(ours.len(), 6, "{ours:?}");
    let stopped = |words: &[&str]| {
        clean().exits(3).is_error().complains(&["nothing was removed"]).complains(words);
    };

    sql(target, "CREATE VIEW own_view AS SELECT count(*) AS n FROM pgbench_branches");
    stopped(&["own_view", "pgbench_branches"]);
    sql(target, "DROP VIEW own_view");
    assert_eq!(tables(), ours);

    // Replace a table with a copy that has the same columns but was created a second later.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    sql(target, "CREATE TABLE own AS SELECT * FROM pgbench_tellers");
    sql(target, "DROP TABLE pgbench_tellers");
    sql(target, "ALTER TABLE own RENAME TO pgbench_tellers");
    stopped(&["table pgbench_tellers is not the one that tacho prepare created"]);
    assert_eq!(tables(), ours);
    sql(target, "ALTER TABLE pgbench_tellers RENAME TO own");
    clean().exits(0);
    assert_eq!(tables(), ["own"]);
    sql(target, "DROP TABLE own");
}

/// If a table that is not Tacho's has a foreign key to one of Tacho's, the error names the foreign
/// key and nothing is removed.
fn a_foreign_key_is_named(target: &str, folder: &Folder, tables: &dyn Fn() -> Vec<String>) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(
        target,
        "CREATE TABLE own (b INT NOT NULL, FOREIGN KEY (b) REFERENCES pgbench_branches (bid))",
    );
    let clean = || folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}"));
    clean().exits(3).complains(&["nothing was removed", "foreign key", "own", "pgbench_branches"]);
    assert_eq!(tables().len(), 7);
    sql(target, "DROP TABLE own");
    clean().exits(0);
    assert!(tables().is_empty());
}

/// An interrupted build is not resumed if it would write to a user's table, and it never removes such a table.
fn a_resumed_build_asks_too(target: &str, folder: &Folder) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(target, "UPDATE tacho_marker SET v = 'building' WHERE k = 'state'");
    sql(target, "DROP TABLE pgbench_history");
    // Wait, because some databases can distinguish two tables with the same name only by the second in which each was
    // created.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    sql(target, "CREATE TABLE pgbench_history (note CHAR(7) NOT NULL)");
    let resumed = folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(3);
    resumed.complains(&["cannot be resumed", "table pgbench_history is not the one"]);
    folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(3);
    sql(target, "DROP TABLE pgbench_history");
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(0);
}

/// The marker written by an earlier version does not list the tables, so they are recognized by their columns.
fn data_without_notes_stays_usable(
    target: &str,
    folder: &Folder,
    tables: &dyn Fn() -> Vec<String>,
) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(target, "DELETE FROM tacho_marker WHERE k LIKE 'table.%' OR k LIKE 'routine.%'");
    sql(target, "ALTER TABLE pgbench_tellers RENAME TO kept");
    sql(target, "CREATE TABLE pgbench_tellers (own INT)");
    let clean = || folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}"));
    clean().exits(3).complains(&["table pgbench_tellers is not the one"]);
    sql(target, "DROP TABLE pgbench_tellers");
    sql(target, "ALTER TABLE kept RENAME TO pgbench_tellers");
    folder.tacho(&format!("run tpcb '{target}' --transactions 20 --ramp-up 0s {QUIET}")).exits(0);
    clean().exits(0).complains(&["earlier version", "only by their columns"]);
    assert!(tables().is_empty());
}

pub const MARKED: &str = "--transactions 20 --ramp-up 0s --check none --verify commits";

/// Checks that a run was not rejected. It may be INVALID, because the machine may be busy.
#[track_caller]
pub fn began(run: Call) {
    let done = run.done();
    assert!(matches!(done.code(), 0 | 4), "{} {}", done.code(), done.err);
}

/// Users' tables may have the same name as the commit mark table. `run` and `clean` report such
/// tables but do not change them.
pub fn a_table_of_marks_is_kept(target: &str, folder: &Folder, create: &[&str], name: &str) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    let run = || folder.tacho(&format!("run tpcb '{target}' {MARKED} {QUIET}"));
    let clean = || folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}"));
    for statement in create {
        sql(target, statement);
        run().exits(3).is_error().complains(&[name, "Tacho did not create it"]);
        clean().exits(3).is_error().complains(&["nothing was removed", name]);
        let kind = if statement.contains(" VIEW ") { "VIEW" } else { "TABLE" };
        sql(target, &format!("DROP {kind} {name}"));
    }
    // Tacho's own commit mark table is replaced by each run, and users can drop it.
    began(run());
    began(run());
    sql(target, "DROP TABLE tacho_commits");
    sql(target, create[0]);
    run().exits(3).complains(&[name]);
    sql(target, &format!("DROP TABLE {name}"));
    began(run());
    let cleaned = folder.tacho(&format!("clean tpcb '{target}' --yes --progress none")).exits(0);
    cleaned.says(&["pgbench_tellers", "tacho_commits", "tacho_marker", "tacho_units"]);
}

pub const OTHER_MARKS: [&str; 3] = [
    "CREATE TABLE tacho_commits (note VARCHAR(20))",
    "CREATE TABLE tacho_commits (session_id INT NOT NULL, commits BIGINT NOT NULL)",
    "CREATE VIEW tacho_commits AS SELECT bid FROM pgbench_branches",
];

/// A run does not write to a table that has been replaced since `prepare` created it.
pub fn a_replaced_table_is_not_written(target: &str, folder: &Folder) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    let run =
        || folder.tacho(&format!("run tpcb '{target}' --transactions 20 --ramp-up 0s {QUIET}"));
    sql(target, "ALTER TABLE pgbench_history RENAME TO kept");
    sql(target, "CREATE TABLE pgbench_history (tid INT, bid INT, aid INT, delta INT, note INT)");
    run().exits(3).is_error().complains(&[
        "the tables have changed",
        "table ",
        "pgbench_history has different columns",
    ]);
    sql(target, "DROP TABLE pgbench_history");
    sql(target, "ALTER TABLE kept RENAME TO pgbench_history");
    began(run());
    // On some databases, a renamed table gets a new internal ID, so `clean` would no longer recognize it as Tacho's.
    sql(target, "DROP TABLE pgbench_history");
    folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(0);
}

/// If a view has the same name as a table that `prepare` needs, nothing is created.
pub fn a_view_stops_the_build(target: &str, folder: &Folder, tables: &dyn Fn() -> Vec<String>) {
    for name in ["pgbench_history", "tacho_units"] {
        sql(target, &format!("CREATE VIEW {name} AS SELECT 1 AS x"));
        let stopped = folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(3);
        stopped.is_error().complains(&["nothing was created", "view ", name]);
        assert!(tables().is_empty(), "{:?}", tables());
        sql(target, &format!("DROP VIEW {name}"));
    }
}

/// On servers with case-sensitive names, a table whose name differs only in case is a different
/// table. `quote` is the dialect's quotation mark.
pub fn names_in_other_case_are_others(
    target: &str,
    folder: &Folder,
    quote: char,
    tables: &dyn Fn() -> Vec<String>,
) {
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    let mut others =
        ["PGBENCH_HISTORY", "TACHO_COMMITS", "TACHO_MARKER", "TACHO_UNITS", "Tacho_Units"];
    for name in others {
        sql(target, &format!("CREATE TABLE {quote}{name}{quote} (k INT, v INT)"));
        sql(target, &format!("INSERT INTO {quote}{name}{quote} VALUES (1, 2)"));
    }
    let view = format!("SELECT k FROM {quote}PGBENCH_HISTORY{quote}");
    sql(target, &format!("CREATE VIEW own_view AS {view}"));
    began(folder.tacho(&format!("run tpcb '{target}' {MARKED} {QUIET}")));
    folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(0);
    let mut left = tables();
    left.sort_unstable();
    others.sort_unstable();
    assert_eq!(left, others);
    // The tables that remain were created by users, so `prepare` refuses to build Tacho's tables next to them.
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(3);
    sql(target, "DROP VIEW own_view");
    for name in others {
        sql(target, &format!("DROP TABLE {quote}{name}{quote}"));
    }
}

#[test]
fn sqlite_keeps_tables_with_names_of_ours() {
    let folder = Folder::new();
    let target = format!("sqlite:{}", folder.file("a.db").display());
    let found = || Data::open(&folder.file("a.db")).tables();
    folder.write("a.db", "");
    a_view_stops_the_build(&target, &folder, &found);
    a_table_of_marks_is_kept(&target, &folder, &OTHER_MARKS, "tacho_commits");
    // SQLite's names are not case-sensitive.
    let upper = OTHER_MARKS.map(|statement| statement.replace("tacho_commits", "TACHO_COMMITS"));
    let upper = upper.each_ref().map(String::as_str);
    a_table_of_marks_is_kept(&target, &folder, &upper, "tacho_commits");
    a_replaced_table_is_not_written(&target, &folder);
}

#[test]
fn postgresql_keeps_tables_with_names_of_ours() {
    let (server, folder) = (Postgres::start().expect("a PostgreSQL server"), Folder::new());
    let target = server.target();
    let query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
    let found = || tables(&server, query);
    a_view_stops_the_build(&target, &folder, &found);
    a_table_of_marks_is_kept(&target, &folder, &OTHER_MARKS, "tacho_commits");
    a_replaced_table_is_not_written(&target, &folder);
    names_in_other_case_are_others(&target, &folder, '"', &found);

    // Another schema on the search path contains users' tables with the same name as Tacho's commit mark table.
    sql(&target, "CREATE SCHEMA own");
    let path = |path: &str| {
        sql(
            &target,
            &format!(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = {path}', \
                 current_database()); END $$"
            ),
        );
    };
    path("public, own");
    let elsewhere =
        OTHER_MARKS.map(|statement| statement.replace("tacho_commits", "own.tacho_commits"));
    let elsewhere = elsewhere.each_ref().map(String::as_str);
    a_table_of_marks_is_kept(&target, &folder, &elsewhere, "own.tacho_commits");
    // Sequences share a namespace with tables.
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(&target, "CREATE SEQUENCE tacho_commits");
    let run = || folder.tacho(&format!("run tpcb '{target}' {MARKED} {QUIET}"));
    run().exits(3).complains(&["sequence public.tacho_commits"]);
    sql(&target, "DROP SEQUENCE tacho_commits");
    // A user's table has the same columns as Tacho's and is in a schema that comes first on the search path.
    sql(&target, "CREATE TABLE own.pgbench_history AS SELECT * FROM public.pgbench_history");
    path("own, public");
    run().exits(3).complains(&["table own.pgbench_history differs from the one"]);
    let count = "DO $$ BEGIN ASSERT (SELECT count(*) FROM own.pgbench_history) = 0; END $$";
    sql(&target, count);
    path("public, own");
    folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(0);
    sql(&target, count);
}

#[test]
fn sqlite_keeps_what_is_not_ours() {
    let folder = Folder::new();
    let target = format!("sqlite:{}", folder.file("a.db").display());
    let found = || Data::open(&folder.file("a.db")).tables();
    only_ours_is_removed(&target, &folder, &found);
    a_foreign_key_is_named(&target, &folder, &found);
    a_resumed_build_asks_too(&target, &folder);
    data_without_notes_stays_usable(&target, &folder, &found);
}

#[test]
fn postgresql_keeps_what_is_not_ours() {
    let (server, folder) = (Postgres::start().expect("a PostgreSQL server"), Folder::new());
    let target = server.target();
    let query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
    let found = || tables(&server, query);
    only_ours_is_removed(&target, &folder, &found);
    a_foreign_key_is_named(&target, &folder, &found);
    a_resumed_build_asks_too(&target, &folder);
    data_without_notes_stays_usable(&target, &folder, &found);

    // In a copy of a database, every table has a new internal ID, even the marker table. Tacho's tables can then be
    // recognized only by their columns.
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(&target, "UPDATE tacho_marker SET v = '1 ' || right(v, 16) WHERE k LIKE 'table.%'");
    let cleaned = folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(0);
    cleaned.complains(&["is a copy", "only by their columns"]);
    assert!(found().is_empty());

    // A materialized view and a child table depend on Tacho's tables. One message names everything
    // that prevents the removal.
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(&target, "CREATE MATERIALIZED VIEW sums AS SELECT sum(bid) AS s FROM pgbench_accounts");
    sql(&target, "CREATE TABLE heir () INHERITS (pgbench_history)");
    let stopped = folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}")).exits(3);
    stopped.complains(&["view sums needs table pgbench_accounts", "heir inherits from"]);
}

#[test]
fn postgresql_keeps_routines_that_are_not_ours() {
    let (server, folder) = (Postgres::start().expect("a PostgreSQL server"), Folder::new());
    let target = server.target();
    let function = "CREATE FUNCTION slev(int, int, int) RETURNS int LANGUAGE sql AS 'SELECT 4711'";
    sql(&target, function);
    let prepare = format!("prepare tprocc '{target}' -s 1 --profile hammerdb {QUIET}");
    let refused = folder.tacho(&prepare).exits(3);
    refused.complains(&["nothing was created", "routine slev already exists", "rename or drop it"]);
    sql(&target, "DO 'BEGIN ASSERT slev(1, 2, 3) = 4711; END'");
    sql(&target, "DROP FUNCTION slev(int, int, int)");
    folder.tacho(&prepare).exits(0);
    let other = "CREATE FUNCTION slev(text) RETURNS int LANGUAGE sql AS 'SELECT 4711'";
    sql(&target, other);
    folder.tacho(&format!("clean tprocc '{target}' --yes {QUIET}")).exits(0);
    sql(&target, "DO 'BEGIN ASSERT slev(''x'') = 4711; END'");
    sql(
        &target,
        "DO 'BEGIN ASSERT (SELECT count(*) FROM pg_proc WHERE proname = ''neword'') = 0; END'",
    );
    // The marker written by an earlier version does not list the routines, and a routine's name
    // does not prove that Tacho created it.
    folder.tacho(&prepare).exits(0);
    sql(&target, "DELETE FROM tacho_marker WHERE k LIKE 'table.%' OR k LIKE 'routine.%'");
    sql(&target, "DROP ROUTINE slev(int, int, int); DROP ROUTINE delivery(int, int)");
    sql(&target, function);
    sql(&target, "CREATE FUNCTION delivery(int, int) RETURNS int LANGUAGE sql AS 'SELECT 4711'");
    let cleaned = folder.tacho(&format!("clean tprocc '{target}' --yes {QUIET}")).exits(0);
    cleaned.complains(&["note: routines delivery, slev are kept, because Tacho may not"]);
    let left = "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1";
    assert_eq!(tables(&server, left), ["delivery", "slev", "slev"]);
    sql(&target, "DO 'BEGIN ASSERT slev(1, 2, 3) = 4711; END'");
    // The users' routines must not have been removed. The next build finds them and stops before it creates anything.
    let refused = folder.tacho(&prepare).exits(3);
    refused.complains(&[
        "nothing was created",
        "routine delivery already exists",
        "routine slev already exists",
        "rename or drop these 2 routines",
    ]);
    let found = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
    assert!(tables(&server, found).is_empty());
}

pub fn family_keeps_what_is_not_ours<K: Kind>(server: &TestServer<K>) {
    let (folder, target) = (Folder::new(), server.target());
    let query = "SELECT table_name FROM information_schema.tables \
                 WHERE table_schema = 'tacho' AND table_type = 'BASE TABLE' ORDER BY 1";
    let found = || tables(server, query);
    only_ours_is_removed(&target, &folder, &found);
    a_foreign_key_is_named(&target, &folder, &found);
    a_resumed_build_asks_too(&target, &folder);
    data_without_notes_stays_usable(&target, &folder, &found);
    // With these storage options, the build alters the tables that it created. The marker must
    // still identify them correctly.
    let prepare = "--set partitions=4 --profile hammerdb";
    folder.tacho(&format!("prepare tprocc '{target}' -s 1 {prepare} {QUIET}")).exits(0);
    let procedure = "CREATE PROCEDURE own() SELECT 4711";
    sql(&target, procedure);
    folder.tacho(&format!("clean tprocc '{target}' --yes {QUIET}")).exits(0);
    sql(&target, "CALL own()");
    sql(&target, "DROP PROCEDURE own");
    // If the marker does not list the routines, they are recognized by their text.
    folder.tacho(&format!("prepare tprocc '{target}' -s 1 {prepare} {QUIET}")).exits(0);
    sql(&target, "DELETE FROM tacho_marker WHERE k LIKE 'table.%' OR k LIKE 'routine.%'");
    sql(&target, "DROP PROCEDURE PAYMENT");
    sql(&target, "CREATE PROCEDURE payment() SELECT 4711");
    let cleaned = folder.tacho(&format!("clean tprocc '{target}' --yes {QUIET}")).exits(0);
    cleaned.complains(&["note: routine payment is kept"]);
    let left = "SELECT routine_name FROM information_schema.routines WHERE \
                routine_schema = 'tacho'";
    assert_eq!(tables(server, left), ["payment"]);
    sql(&target, "DROP PROCEDURE payment");
    folder
        .tacho(&format!("prepare tproch '{target}' -s 0.01 --set foreign_keys=true {QUIET}"))
        .exits(0);
    folder.tacho(&format!("clean tproch '{target}' --yes {QUIET}")).exits(0);
    assert!(found().is_empty());
}
