//! Tests the routines and statements for Db2 on other databases: the procedures on HSQLDB, and
//! queries on changed rows on H2.
//!
//! These databases do not support all of the syntax, so the tests rewrite it. A test fails if the syntax that it
//! rewrites is missing.
//!
//! The tests check the order of statements, the sums and the conditions, but not locking.

#![expect(clippy::disallowed_methods, reason = "another program reads the files")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_core::{Column, Type};
use tacho_driver::{Dialect, Driver, Statement, ValueKind, Values};
use tacho_registry::{drivers, workloads};
use tacho_testkit::contract;

/// Returns the folder with both downloaded databases. If they are missing, prints a message and returns `None`.
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn jars() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join("target/servers/java-sql");
    let compiler = Command::new("javac").arg("-version").output();
    if folder.join("h2-2.4.240.jar").is_file() && compiler.is_ok_and(|done| done.status.success()) {
        return Some(folder);
    }
    eprintln!(
        "NOT TESTED: SQL PL, for which HSQLDB, H2 or javac are not here; hint: cargo xtask servers"
    );
    None
}

/// Runs a script on the database with the given URL and returns the output of each statement.
fn run(jars: &Path, url: &str, script: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script.sql");
    std::fs::write(&file, script.join("\n/\n")).expect("a file");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/java/Statements.java");
    let output = Command::new("java")
        .args(["-Xmx256m", "-cp"])
        .arg(jars.join("*"))
        .args([program.as_os_str(), url.as_ref(), file.as_os_str()])
        .output()
        .expect("java");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn db2() -> std::sync::Arc<dyn Driver> {
    drivers().into_iter().find(|driver| driver.dialect().id() == "db2").expect("a driver")
}

fn tables(workload: &str, dialect: &dyn Dialect) -> Vec<String> {
    let all = workloads();
    let workload = all.iter().find(|known| known.manifest().id == workload).expect(workload);
    let profile = workload.profiles()[0].id;
    let instance = workload.instance(&contract::choices(1, profile)).expect("an instance");
    let layout = instance.layout(dialect).expect("tables");
    layout.tables.iter().map(|table| dialect.create_table(table)).collect()
}

/// Replaces a piece of text, which must exist.
fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} in {text}");
    text.replace(from, to)
}

/// Splits a text at two marks, and returns the parts before, between and after them.
fn cut<'a>(text: &'a str, from: &str, to: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(from)?;
    let (inside, after) = rest.split_once(to)?;
    Some((before, inside, after))
}

/// Splits a query on the rows changed by an UPDATE into two statements: the UPDATE, and a query that selects the same
/// rows.
fn written_then_read(mut text: String) -> String {
    while let Some((before, update, after)) = cut(&text, "FROM FINAL TABLE (", ");") {
        let start = before.rfind("SELECT").expect("a query");
        let (before, query) = before.split_at(start);
        let table = update.split_whitespace().nth(1).expect("a table");
        let (_, condition) = update.rsplit_once("WHERE ").expect("a condition");
        text = format!("{before}{update};\n{query}FROM {table} WHERE {condition};{after}");
    }
    text
}

/// Replaces the query that selects one of several customers with the same name: the one in the middle. The new
/// statements count these customers, then skip those before the middle one.
fn counted_then_skipped(text: &str) -> String {
    let (from, to) = ("SELECT c_id INTO p_c_id\n", ") / 2;");
    let Some((before, inside, after)) = cut(text, from, to) else { return text.to_owned() };
    let (_, condition, _) = cut(inside, "FROM customer\n            WHERE ", "\n").expect("WHERE");
    let (_, rounding) = inside.rsplit_once("found + ").expect("a place");
    let before = with(before, "BEGIN ATOMIC\n", "BEGIN ATOMIC\nDECLARE v_place INTEGER;\n");
    format!(
        "{before}SELECT (COUNT(*) + {rounding}) / 2 - 1 INTO v_place FROM customer WHERE {condition};\n\
         IF v_place >= 0 THEN SET p_c_id = (SELECT c_id FROM customer WHERE {condition} \
         ORDER BY c_first, c_id OFFSET v_place ROWS FETCH 1 ROWS ONLY); END IF;{after}"
    )
}

/// Converts a routine for HSQLDB, whose routines cannot roll back transactions. A rollback is replaced by an error.
fn for_hsqldb(routine: &str) -> String {
    let text = with(routine, "CREATE OR REPLACE", "CREATE");
    let text = with(&text, "SQL DATA\nBEGIN\n", "SQL DATA\nBEGIN ATOMIC\n");
    let handler = "    DECLARE EXIT HANDLER FOR SQLEXCEPTION\n    BEGIN\n        ROLLBACK;\n        RESIGNAL;\n    END;\n";
    let text = with(&text, handler, "");
    let text = with(&text, "COMMIT;", "").replace("ROLLBACK;", "SIGNAL SQLSTATE '70000';");
    let text = with(&text, "OUT p_", "INOUT p_").replace("CONCAT ", "|| ");
    let text = counted_then_skipped(&written_then_read(text));
    let group = text.replace("LISTAGG(", "GROUP_CONCAT(").replace(
        ", ',')\n                WITHIN GROUP (ORDER BY ol_number)",
        " ORDER BY ol_number SEPARATOR ',')",
    );
    group.replace(", ',') WITHIN GROUP (ORDER BY ol_number)", " ORDER BY ol_number SEPARATOR ',')")
}

fn routines() -> Vec<String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../workloads/tprocc/sql/db2/spec/routines.sql");
    let text = std::fs::read_to_string(path).expect("routines");
    let routine = |text: &str| {
        let (_, sql) = text.split_once('\n').expect("a name");
        let (sql, _) = sql.rsplit_once("\nEND\n").expect("an end");
        for_hsqldb(&format!("{sql}\nEND"))
    };
    text.split("-- routine:").skip(1).map(routine).collect()
}

/// Rows for the tests: two items, a customer who shares a name with others, and stock in two warehouses.
const ROWS: &str = include_str!("sql_pl/rows.sql");
/// Calls, each with its output.
const CALLS: &str = include_str!("sql_pl/calls.sql");

#[test]
fn procedures_do_what_the_standard_says() {
    let Some(jars) = jars() else { return };
    let driver = db2();
    let mut script = tables("tprocc", driver.dialect());
    script.extend(routines());
    assert_eq!(script.len(), 9 + 5);
    let split = |text: &str| text.split("\n/\n").map(str::to_owned).collect::<Vec<String>>();
    script.extend(split(ROWS));
    let (mut calls, mut wanted) = (Vec::new(), Vec::new());
    for call in split(CALLS) {
        let (lines, sql): (Vec<&str>, Vec<&str>) =
            call.lines().partition(|line| line.starts_with("-- "));
        wanted.extend(lines.iter().map(|line| line[3..].to_owned()));
        calls.push(sql.join("\n"));
    }
    script.extend(calls);
    let printed = run(&jars, "jdbc:hsqldb:mem:tacho", &script);
    assert_eq!(printed.join("\n"), wanted.join("\n"));
}

/// Returns a value for each parameter.
fn values(statement: &Statement) -> Values {
    let mut values = Values::default();
    for field in &statement.params {
        match field.kind {
            ValueKind::Int => values.int(1),
            ValueKind::Decimal(_) => values.decimal(1),
            ValueKind::Text => values.text(b"1"),
            ValueKind::Time => values.time(800_000_000_000_000),
        }
    }
    values
}

/// Converts a statement for H2, where TIMESTAMP is not a function and DELETE does not accept a query.
fn for_h2(sql: &str) -> String {
    let mut text = sql.to_owned();
    while let Some((before, inside, after)) = cut(&text, "TIMESTAMP('", "')") {
        text = format!("{before}TIMESTAMP '{inside}'{after}");
    }
    match cut(&text, "DELETE FROM (\n        SELECT no_o_id\n        FROM new_order\n", "ORDER BY")
    {
        Some((before, condition, _)) => format!("{before}DELETE FROM new_order {condition})"),
        None => text,
    }
}

#[test]
fn statements_fit_the_tables() {
    let Some(jars) = jars() else { return };
    let driver = db2();
    let dialect = driver.dialect();
    for workload in workloads() {
        let id = workload.manifest().id;
        let mut script = tables(id, dialect);
        let catalog = workload.catalog(dialect).expect(id);
        let mut count = 0;
        for statement in catalog.statements() {
            if statement.sql.starts_with("CALL") {
                continue;
            }
            let text = statement.text("", dialect, &values(statement)).expect(&statement.name);
            script.extend([format!("VALUES '{}'", statement.name), for_h2(&text)]);
            count += 1;
        }
        assert!(count > 5, "{id}");
        let url = format!("jdbc:h2:mem:{id};MODE=DB2;NON_KEYWORDS=VALUE");
        let printed = run(&jars, &url, &script);
        let names = printed.iter().filter(|line| !line.starts_with("ERROR")).count();
        assert!(names >= count, "{id}: {names} of {count}");
        let wrong: Vec<&[String]> =
            printed.windows(2).filter(|pair| pair[1].starts_with("ERROR")).collect();
        // Some statements insert rows that another statement has already inserted, so duplicate keys are not treated as
        // errors.
        let wrong: Vec<_> =
            wrong.into_iter().filter(|pair| !pair[1].starts_with("ERROR 23505")).collect();
        assert!(wrong.is_empty(), "{id}: {wrong:#?}");
    }
    // The database detects errors.
    let wrong = run(&jars, "jdbc:h2:mem:wrong;MODE=DB2", &["SELECT a FROM nothing".into()]);
    assert!(wrong[0].starts_with("ERROR"), "{wrong:?}");
    let column = Column { name: "a", ty: Type::Int, nullable: false, declared: None };
    assert_eq!(dialect.column(&column), "a INTEGER NOT NULL");
}
