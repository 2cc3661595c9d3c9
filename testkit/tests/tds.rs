//! Tests the scripted TDS server with independent clients, because it must follow the protocol rather than the
//! expectations of Tacho's driver.

#![expect(clippy::print_stderr, reason = "a client that is missing is said aloud")]
#![expect(clippy::disallowed_methods, reason = "a certificate is given to a client as a file")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use tacho_testkit::tds::{Encryption, Options, Server};

/// Runs a program that reads this text from standard input. Returns `None` if the program does not exist.
fn run(command: &mut Command, input: &str) -> Option<Output> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    child.wait_with_output().ok()
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}\n{err}")
}

/// Runs the client of `FreeTDS`. `settings` are the contents of its configuration file.
fn tsql(server: &Server, settings: &str, user: [&str; 2], sql: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("freetds.conf");
    let port = server.port();
    let global =
        format!("[tacho]\nhost = 127.0.0.1\nport = {port}\nclient charset = UTF-8\n{settings}\n");
    std::fs::write(&file, global).expect("a file");
    let mut command = Command::new("tsql");
    command
        .env("FREETDSCONF", &file)
        .args(["-S", "tacho", "-U", user[0], "-P", user[1], "-D", "tacho", "-o", "q"]);
    let output = run(&mut command, sql);
    if output.is_none() {
        eprintln!("NOT TESTED: the TDS server with FreeTDS; install freetds-bin");
    }
    output.map(|output| text(&output))
}

const SA: [&str; 2] = ["sa", "Secret1!"];

#[test]
fn freetds_logs_in_and_reads() {
    let server = Server::start();
    let sql = "CREATE TABLE dbo.[item] (id int NOT NULL PRIMARY KEY, price decimal(8,2), name nvarchar(20), day date)\n\
        INSERT INTO item VALUES (1, 12.50, N'naïve 数', '2024-02-29'), (2, NULL, NULL, NULL)\n\
        SELECT id, price, name, day FROM item WITH (NOLOCK) ORDER BY id\n\
        SELECT TOP 1 id * 2 AS twice, sum(price) FROM item GROUP BY id ORDER BY id DESC\n\
        INSERT INTO item (id) VALUES (1)\n\
        SELECT count(*) FROM absent\nGO\nexit\n";
    for settings in ["", "tds version = 7.3", "tds version = 7.4\nencryption = require"] {
        let Some(found) = tsql(&server, settings, SA, sql) else { return };
        let table = ["1\t12.50\tnaïve 数\t", "2\tNULL\tNULL\tNULL", "2627", "208"];
        for part in table {
            assert!(found.contains(part), "{settings}: no {part} in {found}");
        }
        server.sqlite(|db| db.execute_batch("DROP TABLE item")).expect("a table");
    }
}

#[test]
fn freetds_is_refused_with_the_number() {
    let server = Server::start();
    let Some(found) = tsql(&server, "", ["sa", "wrong"], "SELECT 1\nGO\n") else { return };
    assert!(found.contains("18456") || found.contains("Login failed"), "{found}");
    let required = Server::with(Options { encryption: Encryption::Required, ..Options::default() });
    let found = tsql(&required, "", SA, "SELECT 40 + 2\nGO\nexit\n").expect("it is there");
    assert!(found.contains("42"), "{found}");
}

#[test]
fn faults_cut_and_end_connections() {
    let server = Server::start();
    let sql = "SELECT 40 + 2\nGO\nexit\n";
    server.faults(|faults| {
        faults.packet_bytes = Some(7);
        faults.write_bytes = Some(3);
    });
    let Some(found) = tsql(&server, "", SA, sql) else { return };
    assert!(found.contains("42"), "{found}");
    server.faults(|faults| faults.drop_after = Some(600));
    let found = tsql(&server, "", SA, sql).expect("it is there");
    assert!(!found.contains("42"), "{found}");
    server.fail("40 + 2", 1205, 1);
    let found = tsql(&server, "", SA, sql).expect("it is there");
    assert!(found.contains("1205"), "{found}");
}

/// Runs a Python script if the module that it needs is installed.
fn python(server: &Server, module: &str, script: &str, mode: &str) {
    let there = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "NOT TESTED: the TDS server with {module}; pip install {module}, as python-tds or pymssql"
        );
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, server.certificate()).expect("a file");
    let mut command = Command::new("python3");
    command.args(["-", &server.port().to_string()]).arg(&authority).arg(mode);
    let output = run(&mut command, script).expect("Python");
    assert!(output.status.success(), "{}", text(&output));
    eprint!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn python_tds_prepares_and_loads() {
    python(&Server::start(), "pytds", include_str!("tds_pytds.py"), "");
}

#[test]
fn pymssql_has_transactions() {
    python(&Server::start(), "pymssql", include_str!("tds_pymssql.py"), "");
}

#[test]
fn odbc_prepares_and_cancels_in_every_encryption() {
    let script = include_str!("tds_odbc.py");
    python(&Server::start(), "pyodbc", script, "optional");
    python(&Server::start(), "pyodbc", script, "mandatory");
    let strict = Options { encryption: Encryption::Strict, ..Options::default() };
    python(&Server::with(strict), "pyodbc", script, "strict");
}
