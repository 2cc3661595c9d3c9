//! Tests workload folders of users, and pgbench scripts that set variables from query results.

use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

use crate::live::sql;

const TABLES: &str = "CREATE TABLE things (id INT PRIMARY KEY, n INT, price DECIMAL(8,2), note VARCHAR(20)); \
                      INSERT INTO things VALUES (1, 10, 1.50, 'one'); \
                      INSERT INTO things VALUES (2, 20, 2.50, 'two')";
/// Script that reads numbers, decimals and strings from results. If a value is wrong, its transaction fails.
const GSET: &str = "SELECT n, price, note FROM things WHERE id = 1 \\gset\n\
                    \\if :n <> 10 or :price < 1.4 or :price > 1.6\n\\set bad 1 / (:n - :n)\n\\endif\n\
                    BEGIN;\nUPDATE things SET n = :n, note = :note WHERE id = 1;\nEND;\n\
                    SELECT * FROM things;\nSELECT count(*) FROM things WHERE price >= :price;\n";
const SEVERAL: &str = "UPDATE things SET n = n WHERE id = 2 \\; SELECT 1 AS a, 2 AS b \\; \
                       SELECT n AS second FROM things WHERE id = 2 \\gset\n\
                       \\if :second <> 20\n\\set bad 1 / (:second - :second)\n\\endif\n";
const STAR: &str = "SELECT * FROM things WHERE id = 2 \\gset t_\n\
                    \\if :t_n <> 20\n\\set bad 1 / (:t_n - :t_n)\n\\endif\nSELECT :t_n AS n;\n";

/// Runs the scripts on a new database. `has_several` is true if it supports several statements in one request, and
/// `has_names` is true if it reports column names.
pub fn scripts(target: &str, has_several: bool, has_names: bool) {
    sql(target, TABLES);
    let folder = Folder::new();
    folder.write("gset.sql", GSET);
    folder.write("several.sql", SEVERAL);
    folder.write("star.sql", STAR);
    let run = |script: &str, form: &str| {
        folder.tacho(&format!(
            "run pgbench:{script}.sql '{target}' --transactions 20 --ramp-up 0s --form {form}"
        ))
    };
    for form in ["sql", "simple"] {
        let script = if form == "simple" { "quoted" } else { "gset" };
        folder.write("quoted.sql", &GSET.replace("note = :note", "note = ':note'"));
        run(script, form).exits(0).says(&["20 committed", "errors       none"]);
        if has_names {
            run("star", form).exits(0).says(&["20 committed", "errors       none"]);
        } else {
            let refused = run("star", form).done();
            refused.complains(&["addressed by column name", "name the columns"]);
            assert_ne!(refused.code(), 0);
        }
    }
    if has_several {
        run("several", "simple").exits(0).says(&["20 committed", "errors       none"]);
    } else {
        let refused = run("several", "simple").done();
        refused.complains(&["several statements in one request", "send each separately"]);
        assert_ne!(refused.code(), 0);
    }
    let refused = run("several", "sql").done();
    refused.complains(&["several statements in one request", "--form simple"]);
    assert_ne!(refused.code(), 0);
}

/// Runs a new workload folder and two example workloads on the database at `target`.
pub fn folders(target: &str) {
    let folder = Folder::new();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    folder.tacho("init workload shop").exits(0);
    for (name, more) in [
        ("./shop".to_owned(), ""),
        (format!("{examples}/ycsb"), "--profile f"),
        (format!("{examples}/queue"), ""),
    ] {
        folder.tacho(&format!("prepare {name} '{target}' -o quiet --progress none")).exits(0);
        folder
            .tacho(&format!("run {name} '{target}' --transactions 100 --ramp-up 0s {more}"))
            .exits(0)
            .says(&["after the run", "errors       none"]);
        folder.tacho(&format!("clean {name} '{target}' --yes")).exits(0);
    }
}

/// Runs the bulk inserts of sysbench at `target` with prepared statements. Also runs them as statements of half a
/// megabyte if the server accepts these.
pub fn bulk(target: &str, more: &[&str]) {
    let folder = Folder::new();
    let oltp = format!("oltp '{target}'");
    let prepare = format!("prepare {oltp} --profile bulk-insert --scale 2 -c 2 --progress none");
    folder.tacho(&prepare).exits(0).says(&["Loaded 0 rows"]);
    let mut rows = 0;
    for (flags, each, count) in
        [("", 100, 40)].into_iter().chain(more.iter().map(|flags| (*flags, 40_000, 4)))
    {
        let run = format!("run {oltp} -c 2 --transactions {count} --ramp-up 0s {flags} -o json");
        let done = folder.tacho(&run).done();
        let record = done.json();
        // Inserting a million rows takes long, so make only four transactions, although these are too few for a valid
        // result.
        done.expect_code(if count < 20 { 4 } else { 0 });
        assert_eq!(record["result"]["accounting"]["committed"], count, "{}", record["result"]);
        let commits = &record["result"]["commits"][0];
        rows += count * each;
        let wanted = &(count * each).into();
        assert_eq!((&commits["client"], &commits["schema"]), (wanted, wanted), "{commits}");
    }
    folder.tacho(&format!("check {oltp}")).exits(0).says(&["B1", "B2", "2 of 2 hold"]);
    let scripted = "SELECT COUNT(*) AS found FROM sbtest1 \\gset a_\nSELECT COUNT(*) AS found FROM sbtest2 \\gset b_\n";
    let judged = format!(
        "\\if :a_found + :b_found <> {rows}\n\\set bad 1 / (:a_found - :a_found)\n\\endif\n"
    );
    folder.write("count.sql", &format!("{scripted}{judged}"));
    let count = format!("run pgbench:count.sql '{target}' --transactions 20 --ramp-up 0s");
    folder.tacho(&count).exits(0).says(&["20 committed", "errors       none"]);
    folder
        .tacho(&format!("run {oltp} -c 3 --transactions 3"))
        .exits(2)
        .complains(&["2 tables for 3 sessions"]);
    folder.tacho(&format!("run {oltp} --profile insert")).exits(3).complains(&["bulk_tables=true"]);
    folder.tacho(&format!("clean {oltp} --yes")).exits(0).says(&["sbtest1, sbtest2"]);
}

/// The size that sysbench sends.
pub const TEXTS: &str = "--form simple --set bulk_rows=40000";

#[test]
fn on_sqlite() {
    let folder = Folder::new();
    let target = |name: &str| format!("sqlite:{}", folder.file(name).display());
    folders(&target("folders.db"));
    bulk(&target("bulk.db"), &[TEXTS]);
    let target = target("scripts.db");
    rusqlite::Connection::open(folder.file("scripts.db")).expect("a new file");
    scripts(&target, true, true);
}

#[test]
fn on_postgres() {
    let server = Postgres::shared();
    let target = |name: &str| server.database(name).expect("a database");
    folders(&target("every_folders"));
    bulk(&target("every_bulk"), &[TEXTS]);
    scripts(&target("every_scripts"), true, true);
}

/// There are no servers for these dialects, so the statements are only printed.
#[test]
fn as_text_for_oracle_db2_and_timesten() {
    let folder = Folder::new();
    folder.tacho("init workload shop").exits(0);
    for (driver, value, limit) in [
        ("oracle", ":p1", "FETCH FIRST 5 ROWS ONLY"),
        ("db2", "?", "FETCH FIRST 5 ROWS ONLY"),
        ("timesten", "?", "SELECT FIRST 5 "),
    ] {
        let text = folder.tacho(&format!("describe ./shop --sql {driver}")).exits(0);
        text.says(&[&format!("SELECT p_price FROM product WHERE p_id = {value};"), limit]);
        assert!(!text.out.contains("LIMIT 5"), "{driver}: {}", text.out);
    }
}
