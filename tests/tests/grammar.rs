//! Checks statements for SQL Server, Oracle, TimesTen and Db2. Instead of the databases, independent grammars parse
//! them.

#![expect(clippy::disallowed_methods, reason = "another program reads the files")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_core::Seed;
use tacho_driver::{FileFormat, FileLoad, Form, RowFiles};
use tacho_registry::{drivers, workloads};
use tacho_workload::Choices;

/// Returns the parser that `cargo xtask servers` has downloaded. If there is none, prints a message and returns `None`.
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn parser() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers/sqlfluff");
    if folder.join("sqlfluff").is_dir() {
        return Some(folder);
    }
    eprintln!(
        "NOT TESTED: SQL files by their grammar, for which sqlfluff is not here; hint: cargo xtask servers"
    );
    None
}

/// Parses all files in a folder. Returns the errors.
fn parse(parser: &Path, grammar: &str, folder: &Path) -> Result<(), String> {
    let output = Command::new("python3")
        .args(["-m", "sqlfluff", "parse", "--dialect", grammar])
        .arg(folder)
        .env("PYTHONPATH", parser)
        .output()
        .expect("Python");
    // The parser prints a syntax tree of thousands of lines. Keep only the lines that describe errors.
    let text = String::from_utf8_lossy(&output.stdout);
    let wrong = text.lines().filter(|line| !line.starts_with('[') || line.contains("unparsable"));
    let wrong = wrong.map(str::trim_end).collect::<Vec<&str>>().join("\n");
    if output.status.success() { Ok(()) } else { Err(wrong) }
}

/// Checks that the grammar detects an error. Uses a separate folder with few files, because each file takes up to a
/// second.
fn sees_what_is_wrong(parser: &Path, grammar: &str, sql: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wrong.sql"), sql).expect("a file");
    let wrong = parse(parser, grammar, folder.path()).expect_err("no SQL");
    assert!(wrong.contains("unparsable"), "{wrong}");
}

/// A function that rewrites a statement, because the grammar does not support all of its syntax. It may return several
/// statements.
type Edit = fn(&str) -> Vec<String>;

fn whole(sql: &str) -> Vec<String> {
    vec![sql.to_owned()]
}

/// Rewrites what the Db2 grammar does not support: parameters, the CONCAT operator, and queries on rows that a write
/// has changed.
fn known_of_db2(sql: &str) -> Vec<String> {
    let sql = sql.replace('?', "1").replace(" CONCAT ", " || ");
    for table in ["FINAL", "OLD"] {
        if let Some((query, write)) = sql.split_once(&format!("FROM {table} TABLE (\n")) {
            let write = write.strip_suffix("\n)").expect("an end").to_owned();
            return vec![format!("{query}FROM changed"), write];
        }
    }
    vec![sql]
}

/// Rewrites what Oracle's grammar does not support: the parameters and row limits of TimesTen, and procedure calls
/// outside a block.
fn known_of_timesten(sql: &str) -> Vec<String> {
    let sql =
        sql.replace('?', ":p1").replace("CALL ttConfiguration()", "BEGIN ttConfiguration(); END;");
    let Some((before, limited)) = sql.split_once("SELECT FIRST ") else { return vec![sql] };
    let (rows, rest) = limited.split_once(char::is_whitespace).expect("a number and columns");
    assert!(rows.parse::<u32>().is_ok(), "{sql}");
    vec![format!("{before}SELECT {rest}")]
}

/// Writes each distinct statement of a dialect to its own file. Returns the number of files.
fn write_statements(dialect: &str, edit: Edit, folder: &Path) -> usize {
    let drivers = drivers();
    let driver = drivers.iter().find(|driver| driver.dialect().id() == dialect).expect("a driver");
    let (mut count, mut seen) = (0, std::collections::BTreeSet::new());
    for workload in workloads() {
        let id = workload.manifest().id;
        let catalog = workload.catalog(driver.dialect()).expect(id);
        for (at, statement) in catalog.statements().iter().enumerate() {
            if !seen.insert(statement.sql.clone()) {
                continue;
            }
            // Add the semicolon after a block, as the driver does.
            let ends = if statement.sql.starts_with("BEGIN") { ";" } else { "" };
            for (part, sql) in edit(&statement.sql).into_iter().enumerate() {
                let file = folder.join(format!("{id}_{at}_{part}_{}.sql", statement.name));
                std::fs::write(file, format!("{sql}{ends}\n")).expect("a file");
            }
            count += 1;
        }
    }
    count
}

/// Writes each routine in a file to a separate file. Returns the number of routines.
fn write_routines(path: &str, set: &str, folder: &Path) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = std::fs::read_to_string(path).expect("routines");
    let routines = text.split("-- routine:").skip(1);
    routines
        .map(|routine| {
            let (name, sql) = routine.split_once('\n').expect("a name");
            let file = folder.join(format!("routine_{set}_{}.sql", name.trim()));
            std::fs::write(file, sql).expect("a file");
        })
        .count()
}

/// For each of two workloads, writes a file with its table definitions for these storage options. Returns the number of
/// files.
fn write_tables(dialect: &str, kept: &[(&str, &str)], folder: &Path) -> usize {
    let drivers = drivers();
    let driver = drivers.iter().find(|driver| driver.dialect().id() == dialect).expect("a driver");
    let set = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let label: String = kept.iter().flat_map(|(key, value)| [*key, *value]).collect();
    let mut count = 0;
    for id in ["tprocc", "tproch"] {
        let workload = tacho_registry::workload(id).expect(id);
        let choices = Choices {
            scale: workload.manifest().scale_steps,
            data_seed: Seed(1),
            seed: Seed(1),
            loaded_at: 0,
            profile: workload.profiles()[0].id.into(),
            set: kept.iter().map(set).collect(),
            form: Form::Sql,
            sessions: 1,
            dialect: dialect.into(),
            sets: 1,
            turn: 0,
        };
        // Skip a workload that does not have this option.
        let Ok(instance) = workload.instance(&choices) else { continue };
        let layout = instance.layout(driver.dialect()).expect(id);
        for table in &layout.tables {
            let indexes = table.indexes.iter();
            let indexes = indexes.map(|index| driver.dialect().create_index(table, index));
            let paths = ["/files/a_1".to_owned(), "/files/a_2".to_owned()];
            let loads = [FileFormat::Csv, FileFormat::Tbl].into_iter().flat_map(|format| {
                match driver.dialect().load_files(&RowFiles { table, format, paths: &paths }) {
                    Some(FileLoad::Each(statements)) => statements,
                    Some(FileLoad::Replacing(statement)) => vec![statement],
                    None => Vec::new(),
                }
            });
            let all =
                std::iter::once(driver.dialect().create_table(table)).chain(indexes).chain(loads);
            for (at, sql) in all.filter(|sql| !sql.is_empty()).enumerate() {
                let file = folder.join(format!("{label}_{id}_{}_{at}.sql", table.name));
                std::fs::write(file, format!("{sql}\n")).expect("a file");
                count += 1;
            }
        }
    }
    count
}

/// Writes the queries that a driver sends to its server. Each query gets a file of its own.
fn write_questions(driver: &str, edit: Edit, folder: &Path) {
    let questions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../drivers").join(driver);
    for question in std::fs::read_dir(questions.join("sql")).expect("questions").flatten() {
        let text = std::fs::read_to_string(question.path()).expect("a question");
        std::fs::write(folder.join(question.file_name()), &edit(&text)[0]).expect("a file");
    }
}

#[test]
fn everything_for_sql_server_is_t_sql() {
    let Some(parser) = parser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let statements = write_statements("sqlserver", whole, folder.path());
    let routines = ["spec", "native"].map(|set| {
        let path = format!("workloads/tprocc/sql/sqlserver/{set}/routines.sql");
        write_routines(&path, set, folder.path())
    });
    assert!(statements > 100 && routines == [5, 5], "{statements} {routines:?}");
    write_questions("sqlserver", whole, folder.path());
    for kept in [("storage", ""), ("storage", "memory=on")] {
        assert!(write_tables("sqlserver", &[kept], folder.path()) >= 17, "{kept:?}");
    }
    parse(&parser, "tsql", folder.path()).expect("T-SQL");
    sees_what_is_wrong(&parser, "tsql", "SELECT FROM WHERE a LIMIT");
}

#[test]
fn everything_for_oracle_is_its_sql() {
    let Some(parser) = parser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let statements = write_statements("oracle", whole, folder.path());
    let path = "workloads/tprocc/sql/oracle/spec/routines.sql";
    let routines = write_routines(path, "spec", folder.path());
    assert!(statements > 100 && routines == 5, "{statements} {routines}");
    write_questions("oracle", whole, folder.path());
    // The Oracle grammar does not support partitions or clusters.
    assert!(write_tables("oracle", &[("tablespace", "fast")], folder.path()) >= 17);
    parse(&parser, "oracle", folder.path()).expect("Oracle's SQL");
    sees_what_is_wrong(&parser, "oracle", "BEGIN IF a THEN b; END;");
}

#[test]
fn everything_for_timesten_is_nearly_oracle_s_sql() {
    let Some(parser) = parser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let statements = write_statements("timesten", known_of_timesten, folder.path());
    let path = "workloads/tprocc/sql/timesten/spec/routines.sql";
    let routines = write_routines(path, "spec", folder.path());
    assert!(statements > 100 && routines == 2, "{statements} {routines}");
    write_questions("timesten", known_of_timesten, folder.path());
    for kept in [("storage", ""), ("storage", "amounts=double")] {
        assert!(write_tables("timesten", &[kept], folder.path()) >= 17, "{kept:?}");
    }
    parse(&parser, "oracle", folder.path()).expect("Oracle's SQL");
}

/// The Db2 grammar does not support routines, so `sql_pl.rs` tests them.
#[test]
fn everything_for_db2_is_its_sql() {
    let Some(parser) = parser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let statements = write_statements("db2", known_of_db2, folder.path());
    assert!(statements > 100, "{statements}");
    write_questions("db2", known_of_db2, folder.path());
    // The Db2 grammar does not support tablespaces or table organization clauses.
    assert!(write_tables("db2", &[("storage", "")], folder.path()) >= 17);
    parse(&parser, "db2", folder.path()).expect("Db2's SQL");
    sees_what_is_wrong(&parser, "db2", "SELECT FROM WHERE a LIMIT");
}
