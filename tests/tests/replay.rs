//! Replays of statement logs preserve the order of the statements in each session. Differences from
//! the log, and errors in files, are reported.

#![expect(clippy::disallowed_methods, reason = "logs lie beside the tests, not in a run")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tacho_testkit::servers::{MariaDb, Options, Postgres};
use tacho_tests::Folder;

const LOGGED: [(&str, &str); 8] = [
    ("log_destination", "csvlog,jsonlog,stderr"),
    ("log_line_prefix", "%m [%p] %q%u@%d "),
    ("logging_collector", "on"),
    ("log_filename", "statements.log"),
    ("log_statement", "all"),
    ("log_duration", "on"),
    ("log_disconnections", "on"),
    ("log_timezone", "UTC"),
];

const TABLES: &str = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, note text);
    INSERT INTO accounts SELECT number, 0, 'it''s; $1' FROM generate_series(1, 100) AS all_numbers (number)";

/// A script whose sessions use parameters, transactions and random values.
const SCRIPT: &str = "\\set id random(1, 100)\n\\set delta random(-50, 50)\nBEGIN;\n\
    UPDATE accounts SET balance = balance + :delta WHERE id = :id;\n\
    SELECT balance, '$1; \"a\"' FROM accounts WHERE id = :id;\nEND;\n";

/// Finds the file with the given name in a folder or its subfolders.
fn find(folder: &Path, name: &str) -> PathBuf {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|file| file == name) {
                return path;
            }
        }
    }
    panic!("no {name} in {}", folder.display())
}

/// Returns the rows of a CSV file.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                all.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    all
}

/// Returns the statements that clients sent to a database, grouped by session and in order.
fn sessions(log: &str, database: &str) -> Vec<Vec<String>> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows(log).iter().filter(|row| row[2] == database) {
        let (message, detail) = (&row[13], &row[14]);
        let executed = message.strip_prefix("execute ").and_then(|rest| rest.split_once(": "));
        let text = message.strip_prefix("statement: ").or(executed.map(|(_, text)| text));
        let Some(text) =
            text.filter(|text| !text.starts_with("COPY") && !text.contains("; SELECT"))
        else {
            continue;
        };
        let mut text = text.to_owned();
        for pair in
            detail.strip_prefix("parameters: ").into_iter().flat_map(|rest| rest.rsplit(", "))
        {
            let (name, value) = pair.split_once(" = ").expect("a value");
            text = text.replace(&format!(" {name}"), &format!(" {value}"));
        }
        match found.iter_mut().find(|(session, _)| *session == row[5]) {
            Some((_, all)) => all.push(text),
            None => found.push((row[5].clone(), vec![text])),
        }
    }
    let mut all: Vec<Vec<String>> = found.into_iter().map(|(_, all)| all).collect();
    all.sort();
    all
}

fn pgbench(server: &Postgres, folder: &Folder, database: &str) {
    folder.write("script.sql", SCRIPT);
    let config = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = config.map(|entry| entry.path().join("bin/pgbench")).collect();
    found.retain(|path| path.exists());
    found.sort();
    let socket = server.folder().display().to_string();
    let port = server.port().to_string();
    let done = Command::new(found.pop().expect("pgbench: install postgresql"))
        .args([
            "-h", &socket, "-p", &port, "-U", "postgres", "-n", "-M", "extended", "-c", "3", "-t",
            "15", "-f",
        ])
        .arg(folder.file("script.sql"))
        .arg(database)
        .output()
        .expect("pgbench runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Names of a server's logs: the csvlog, the jsonlog and the text log.
const LOGS: [&str; 3] = ["statements.csv", "statements.json", "statements.log"];

/// Runs statements on a server that logs them, after copying the data. Returns the logs.
fn logged(server: &Postgres, folder: &Folder) -> [String; 3] {
    let on = |sql: &str| server.client_on("shop", sql);
    server.client("CREATE DATABASE shop").expect("a database");
    on(TABLES).expect("tables");
    on("CREATE TABLE only_then (a int)").expect("a table");
    server.client("CREATE DATABASE shop_copy TEMPLATE shop").expect("a copy");
    server.client_on("shop_copy", "DROP TABLE only_then").expect("a table less");
    server.client_on("shop_copy", "CREATE TABLE only_now (a int)").expect("a table more");
    for name in ["shop_same", "shop_other", "shop_json", "shop_text"] {
        server.client(&format!("CREATE DATABASE {name} TEMPLATE shop_copy")).expect("a copy");
    }
    let other = "DELETE FROM accounts WHERE id > 20; CREATE TABLE only_then (a int)";
    server.client_on("shop_other", other).expect("other data");
    let read = |name: &str| std::fs::read(find(server.folder(), name)).expect("the log");
    let from = LOGS.map(|name| read(name).len());
    pgbench(server, folder, "shop");
    on("SELECT 'a\n\"b\", 7'").expect("two lines");
    on("INSERT INTO accounts VALUES (1, 0, 'again')").expect_err("a duplicate");
    on("INSERT INTO only_now VALUES (1)").expect_err("no such table");
    on("INSERT INTO only_then VALUES (1)").expect("a row");
    on("SELECT 1; SELECT 2").expect("two statements");
    on("COPY accounts TO STDOUT").expect("rows");
    on("BEGIN").expect("a transaction that is not closed");
    // The server writes its log in a separate process, so wait until the disconnection of the last
    // session is in each log.
    for _ in 0..200 {
        let logs = [0, 1, 2]
            .map(|at| String::from_utf8(read(LOGS[at]).split_off(from[at])).expect("text"));
        let is_complete = |log: &String| {
            let last = log.rsplit_once("statement: BEGIN").map_or("", |(_, rest)| rest);
            last.contains("disconnection: session time") && last.ends_with('\n')
        };
        if logs.iter().all(is_complete) {
            return logs;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the log has no end");
}

fn sum(server: &Postgres, database: &str) -> String {
    server.client_on(database, "SELECT sum(balance * id), count(*) FROM accounts").expect("a sum")
}

fn kind<'a>(record: &'a Value, word: &str) -> &'a Value {
    let kinds = record["result"]["replay"]["kinds"].as_array().expect("kinds");
    let of = |kind: &&Value| kind["statement"].as_str().is_some_and(|text| text.starts_with(word));
    kinds.iter().find(of).unwrap_or_else(|| panic!("no {word} in {kinds:?}"))
}

#[test]
fn logs_of_postgresql_are_sent_again() {
    let server = Postgres::start_with(Options { settings: &LOGGED, ..Options::default() });
    let server = server.expect("a PostgreSQL server");
    let folder = Folder::new();
    let [log, json, text] = logged(&server, &folder);
    folder.write("shop.csv", &log);
    let expected = sum(&server, "shop");
    let from = std::fs::read(find(server.folder(), "statements.csv")).expect("the log").len();
    let (socket, port) = (server.folder().display().to_string(), server.port());
    let target = format!("'postgres://postgres@:{port}/shop_copy?host={socket}'");
    let run = folder.tacho(&format!("run replay:shop.csv {target} --set speed=max")).done();
    run.says(&["outcomes", "left out", "not compared", "COPY from or to the client", "line "]);
    assert_eq!(sum(&server, "shop_copy"), expected, "{}", run.out);
    let now =
        std::fs::read(find(server.folder(), "statements.csv")).expect("the log").split_off(from);
    let now = String::from_utf8(now).expect("text");
    let (then, now) = (sessions(&log, "shop"), sessions(&now, "shop_copy"));
    // The statements that Tacho itself sends before and after the load are not part of any logged session.
    let differ = then.iter().filter(|session| !session.is_empty()).find(|session| {
        let begin = session[0].as_str();
        !now.iter().any(|sent| {
            let at = sent.iter().position(|text| text == begin);
            at.is_some_and(|_| sent.windows(session.len()).any(|part| part == session.as_slice()))
        })
    });
    assert_eq!(differ, None, "{now:?}");
    let record = folder.record("latest");
    let replay = &record["result"]["replay"];
    let statements: usize = then.iter().map(Vec::len).sum();
    assert_eq!(replay["sent"], statements, "{replay:#}");
    assert_eq!((&replay["statements"], &replay["failed_then"]), (&replay["sent"], &Value::from(2)));
    assert_eq!(replay["unclosed"], 1, "{replay:#}");
    let (again, gone) =
        (kind(&record, "insert into accounts"), kind(&record, "insert into only_now"));
    assert_eq!(
        (&again["fails_again"], &gone["succeeds_now"]),
        (&1.into(), &1.into()),
        "{replay:#}"
    );
    assert_eq!(kind(&record, "insert into only_then")["fails_now"], 1, "{replay:#}");
    let update = kind(&record, "update accounts");
    assert_eq!((&update["sent"], &update["timed_then"]), (&45.into(), &45.into()), "{update:#}");
    assert!(
        update["mean_then_us"].as_f64() > Some(0.0) && update["now"]["count"] == 45,
        "{update:#}"
    );
    let examples = replay["differences"].as_array().expect("a list");
    assert!(
        examples.iter().any(|example| example["then"] == "42P01" && example["now"] == ""),
        "{examples:?}"
    );
    let reasons: Vec<&str> = replay["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["reason"].as_str())
        .collect();
    assert!(
        reasons.len() == 2 && reasons[0].starts_with("COPY") && reasons[1].starts_with("several"),
        "{reasons:?}"
    );
    folder.tacho("report latest -o page.html").exits(0);
    let page = String::from_utf8(folder.read("page.html")).expect("text");
    assert!(
        page.contains("Original and replayed times")
            && page.contains("update accounts set balance")
    );
    assert!(update["rows_now"] == 45 && update["counted_now"] == 45, "{update:#}");
    for (name, content, database) in
        [("shop.json", json, "shop_json"), ("shop.log", text, "shop_text")]
    {
        folder.write(name, &content);
        let target = target.replace("shop_copy", database);
        let run = folder.tacho(&format!("run replay:{name} {target} --set speed=max")).done();
        let other = folder.record("latest")["result"]["replay"].clone();
        for key in
            ["statements", "sent", "sessions", "timed", "failed_then", "unclosed", "left_out"]
        {
            let count = |replay: &Value| {
                replay[key].as_array().map_or(replay[key].clone(), |all| all.len().into())
            };
            assert_eq!(count(&other), count(replay), "{key} of {name}: {}", run.out);
        }
        assert_eq!(sum(&server, database), expected, "{name}: {}", run.out);
    }
    compare_replays(&folder, &target, &record, statements);
}

/// Compares a replay with two other replays: one on the same data, and one on different data.
fn compare_replays(folder: &Folder, target: &str, record: &Value, statements: usize) {
    let id = |record: &Value| record["id"].as_str().expect("an id").to_owned();
    let again = |database: &str| {
        let target = target.replace("shop_copy", database);
        folder.tacho(&format!("run replay:shop.csv {target} --set speed=max")).done();
        id(&folder.record("latest"))
    };
    let (first, same, other) = (id(record), again("shop_same"), again("shop_other"));
    let done = folder.tacho(&format!("compare {first} {same} --force")).done();
    done.says(&[&format!(
        "Rows and errors of {statements} statements are the same in both replays"
    )]);
    let done = folder.tacho(&format!("compare {first} {other} --force")).done();
    done.says(&[
        "Statements with different rows or errors",
        "update accounts set balance",
        "1 → 0",
    ]);
    let differ = folder.tacho(&format!("compare {first} {other} --force -o json")).done().json();
    let found = differ[0]["replayed"]["differences"].as_array().expect("a list");
    let texts: Vec<&str> =
        found.iter().filter_map(|difference| difference["statement"].as_str()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    for (text, has) in texts.iter().zip(found) {
        let (rows, failed) = (&has["rows"], &has["failed"]);
        match text.split(' ').next() {
            // Only one of the two databases has the table for this INSERT, so the statement fails in the other one.
            Some("insert") => assert_eq!((&failed[0], &failed[1]), (&1.into(), &0.into()), "{has}"),
            _ => assert!(rows[0] == 45 && rows[1].as_u64() < Some(45) && failed[1] == 0, "{has}"),
        }
    }
}

/// Differences show even if totals are equal, because the rows of each statement are compared.
#[test]
fn replays_with_other_rows_in_single_statements_are_named() {
    let folder = with_database();
    folder.tacho("prepare tpcb sqlite:moved.db").exits(0);
    folder.write(
        "small.csv",
        &small([
            "SELECT 1 FROM pgbench_branches WHERE bid = 1",
            "SELECT 1 FROM pgbench_branches WHERE bid = 2",
        ]),
    );
    rusqlite::Connection::open(folder.file("moved.db"))
        .and_then(|database| database.execute("UPDATE pgbench_branches SET bid = 2", []))
        .expect("a moved row");
    let run = |database: &str| {
        folder.tacho(&format!("run replay:small.csv sqlite:{database} --set speed=max")).done();
        folder.record("latest")["id"].as_str().expect("an id").to_owned()
    };
    let (first, second, moved) = (run("copy.db"), run("copy.db"), run("moved.db"));
    let done = folder.tacho(&format!("compare {first} {second} --force")).done();
    done.says(&["Rows and errors of 2 statements are the same"]);
    let done = folder.tacho(&format!("compare {first} {moved} --force")).done();
    done.says(&["select_pgbench_branches", "individual executions differ in rows or errors"]);
    folder.write("other.csv", &small(["SELECT 1", "SELECT 2"]));
    folder.tacho("run replay:other.csv sqlite:copy.db --set speed=max").done();
    let other = folder.record("latest")["id"].as_str().expect("an id").to_owned();
    let done = folder.tacho(&format!("compare {first} {other} --force")).done();
    done.says(&["the two runs replay different logs"]);
}

/// Returns csvlog rows of two sessions. The second session starts a second after the first.
fn small(texts: [&str; 2]) -> String {
    let row = |second: u32, session: &str, text: &str| {
        format!(
            "2026-11-23 17:55:0{second}.000 UTC,\"u\",\"d\",7,\"[local]\",{session},1,\"SELECT\",2026-11-23 17:55:00 UTC,3/4,0,\
             LOG,00000,\"statement: {text}\",,,,,,,,,\"psql\",\"client backend\",,0\n"
        )
    };
    row(1, "a.1", texts[0]) + &row(2, "b.2", texts[1])
}

/// Creates a folder with a database to replay into.
fn with_database() -> Folder {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:copy.db").exits(0);
    folder
}

#[test]
fn statements_are_due_when_they_were() {
    let folder = with_database();
    folder.write("small.csv", &small(["SELECT 1", "SELECT 2"]));
    for (speed, least, most) in [("1", 1.0, 30.0), ("4", 0.25, 30.0)] {
        folder
            .tacho(&format!("run replay:small.csv sqlite:copy.db --set speed={speed}"))
            .done()
            .says(&["all of them were sent"]);
        let seconds = folder.record("latest")["result"]["measured_s"].as_f64().expect("a length");
        assert!(seconds >= least && seconds < most, "speed {speed}: {seconds}");
    }
    let table = [
        ("--set speed=0", "invalid speed", "speed=2"),
        ("--sessions 9", "a number of sessions is not supported", "omit --sessions"),
        ("--rate 5", "a rate is not supported", "speed=2"),
        ("--duration 5s", "duration is not supported", "omit --duration"),
        ("--form sql", "supports only the simple form", "omit --form"),
        (
            "--set database=none",
            "contains no statements for database",
            "the log contains these databases: d",
        ),
    ];
    for (flags, text, hint) in table {
        folder
            .tacho(&format!("run replay:small.csv sqlite:copy.db {flags}"))
            .exits(2)
            .complains(&[text, hint]);
    }
    folder
        .tacho("prepare replay:small.csv sqlite:copy.db")
        .exits(2)
        .complains(&["has no data to prepare"]);
    let record = folder.record("latest");
    let command = record["plan"]["command"].as_str().expect("a command").to_owned();
    folder
        .tacho(command.strip_prefix("tacho ").expect("our command"))
        .done()
        .says(&["all of them were sent"]);
}

#[test]
fn a_log_that_is_cut_or_broken_says_so() {
    let folder = with_database();
    let whole = small(["SELECT 1", "SELECT\n2"]);
    let whole = whole.repeat(20);
    folder.write("cut.csv", &(whole[30..].to_owned() + &whole[..whole.len() - 60]));
    let run = folder.tacho("run replay:cut.csv sqlite:copy.db --set speed=max").done();
    run.says(&["before the first record", "damaged or truncated", "line "]);
    let record = folder.record("latest");
    let replay = &record["result"]["replay"];
    assert_eq!(
        (&replay["statements"], &replay["sent"], &replay["lines_before"]),
        (&78.into(), &78.into(), &1.into())
    );
    let table: [(&str, &[u8], &str, &str); 6] = [
        ("empty", b"", "the file is empty", "log_statement = all"),
        ("gzip", &[0x1f, 0x8b, 8, 0, 0, 0], "it is compressed", "decompress it first"),
        ("utf16", &[0xff, 0xfe, b'a', 0, b'\n', 0], "it is UTF-16", "UTF-8"),
        (
            "text",
            b"2026 LOG:  statement: SELECT 1\n",
            "a PostgreSQL text log with an unknown line prefix",
            "--set 'prefix=",
        ),
        ("other", b"[package]\nname = 'x'\n", "no record starts in the first MiB", "supported"),
        (
            "binary",
            &[0, 159, 146, 150, 10, 0, 255],
            "no record starts in the first MiB",
            "supported",
        ),
    ];
    for (name, bytes, text, hint) in table {
        std::fs::write(folder.file(name), bytes).expect("a file");
        let done = folder.tacho(&format!("run replay:{name} sqlite:copy.db")).done();
        assert_eq!(done.code(), 2, "{name}: {}", done.err);
        done.complains(&[text, hint]);
    }
    let line = |text: &str| format!("db1 | 2026-11-23 17:55:01 UTC [7] u@d LOG:  {text}\n");
    folder.write("text.log", &(line("statement: SELECT 1") + &line("statement: SELECT 2")));
    let prefixed = |prefix: &str| {
        folder.tacho(&format!(
            "run replay:text.log sqlite:copy.db --set speed=max --set 'prefix={prefix}'"
        ))
    };
    prefixed("%t [%p] %d").exits(2).complains(&[
        "no line of ",
        "text.log starts with the prefix \"%t [%p] %d\"",
        "SHOW log_line_prefix",
    ]);
    prefixed("db1 | %t [%p] %u@%d").done().says(&["2 statements"]);
    let plain = String::from_utf8(folder.read("text.log")).expect("text").replace("db1 | ", "");
    folder.write("text.log", &plain);
    prefixed("%t <%p> %d").exits(2).complains(&["omit the parameter prefix"]);
    folder.tacho("run replay:gone.csv sqlite:copy.db").exits(2).complains(&["gone.csv"]);
    folder.tacho("run replay:. sqlite:copy.db").exits(2).complains(&["not a regular file"]);
    let none = small(["x", "y"]).replace("statement: ", "Anweisung: ");
    folder.write("german.csv", &none);
    folder
        .tacho("run replay:german.csv sqlite:copy.db")
        .exits(2)
        .complains(&["german.csv:1: no statements", "lc_messages"]);
    let two = small(["SELECT 1", "SELECT 2"]);
    folder.write("two.csv", &(two.clone() + &two.replace("\"d\"", "\"e\"").replace(".1,", ".3,")));
    folder
        .tacho("run replay:two.csv sqlite:copy.db")
        .exits(2)
        .complains(&["several databases: d, e", "--set database=NAME"]);
    let zero = small(["SELECT 1", "SELECT '\0'"]);
    folder.write("zero.csv", &zero);
    folder
        .tacho("run replay:zero.csv sqlite:copy.db --set speed=max")
        .done()
        .says(&["1 × a zero byte in the text"]);
    let mut long = small(["SELECT 1", "SELECT 2"]).into_bytes();
    let text = small(["SELECT 3", "SELECT 4"]).replace("SELECT 3", &"x".repeat(17 << 20));
    long.extend_from_slice(text.as_bytes());
    std::fs::write(folder.file("long.csv"), long).expect("a file");
    folder
        .tacho("run replay:long.csv sqlite:copy.db --set speed=max")
        .done()
        .says(&["1 × longer than 16 MiB", "3 statements"]);
}

/// Returns the statements in a general log that contain `word`, grouped by connection.
fn connections(log: &str, word: &str) -> Vec<Vec<String>> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in log.lines() {
        let parts: Vec<&str> = line.split('\t').filter(|part| !part.is_empty()).collect();
        let Some((head, text)) = parts.split_last().map(|(text, head)| (head.join(" "), *text))
        else {
            continue;
        };
        let Some(id) = head.strip_suffix(" Query").and_then(|rest| rest.split_whitespace().last())
        else {
            continue;
        };
        if !text.contains(word) {
            continue;
        }
        match found.iter_mut().find(|(session, _)| session == id) {
            Some((_, all)) => all.push(text.to_owned()),
            None => found.push((id.to_owned(), vec![text.to_owned()])),
        }
    }
    let mut all: Vec<Vec<String>> = found.into_iter().map(|(_, all)| all).collect();
    all.sort();
    all
}

#[test]
fn logs_of_mariadb_are_sent_again() {
    let settings = [
        ("general_log", "ON"),
        ("general_log_file", "general.log"),
        ("log_output", "FILE"),
        ("slow_query_log", "ON"),
        ("slow_query_log_file", "slow.log"),
        ("long_query_time", "0"),
    ];
    let server = MariaDb::start_with(Options { settings: &settings, ..Options::default() });
    let server = server.expect("a MariaDB server");
    let folder = Folder::new();
    let tables = |name: &str| {
        format!(
            "CREATE DATABASE {name}; USE {name}; CREATE TABLE replayed (id int PRIMARY KEY, n int); \
             INSERT INTO replayed VALUES (1, 0), (2, 0)"
        )
    };
    for name in ["shop", "shop_copy", "shop_slow"] {
        server.client(&tables(name)).expect("tables");
    }
    let read = || std::fs::read(find(server.folder(), "general.log")).expect("the log");
    let read_slow = || std::fs::read(find(server.folder(), "slow.log")).expect("the log");
    let (from, from_slow) = (read().len(), read_slow().len());
    for number in 0..5 {
        let sql = format!(
            "USE shop; BEGIN; UPDATE replayed SET n = n + {number} WHERE id = 1; INSERT INTO replayed\nVALUES (1{number}, 7); \
             COMMIT; PREPARE p FROM 'UPDATE replayed SET n = n + ? WHERE id = 2'; SET @a = {number}; EXECUTE p USING @a"
        );
        server.client(&sql).expect("statements");
    }
    server
        .client("USE shop; BEGIN; DELETE FROM replayed")
        .expect("a transaction that is not closed");
    let log = String::from_utf8(read().split_off(from)).expect("text");
    folder.write("general.log", &log);
    let slow = String::from_utf8(read_slow().split_off(from_slow)).expect("text");
    folder.write("slow.log", &slow);
    let from = read().len();
    let target = server.target();
    let (place, options) = target.split_once('?').expect("options");
    let (place, _) = place.rsplit_once('/').expect("a database");
    let slow_target = format!("{place}/shop_slow?{options}");
    let target = format!("{place}/shop_copy?{options}");
    let run = folder
        .tacho(&format!("run replay:general.log '{target}' --set speed=max --set database=shop"))
        .done();
    run.says(&[
        "the log contains none",
        "all of them were sent",
        "the inner statements of PREPARE",
        "USE",
    ]);
    let sum = |name: &str| {
        server
            .client(&format!("SELECT GROUP_CONCAT(id, ':', n ORDER BY id) FROM {name}.replayed"))
            .expect("a sum")
    };
    assert_eq!(sum("shop_copy"), sum("shop"), "{}\n{log}", run.out);
    let now = String::from_utf8(read().split_off(from)).expect("text");
    let (then, now) = (connections(&log, "replayed"), connections(&now, "replayed"));
    assert!(
        then.len() == 6 && then.iter().all(|connection| now.contains(connection)),
        "{then:?}\n{now:?}"
    );
    let record = folder.record("latest");
    assert_eq!(record["result"]["replay"]["unclosed"], 1);
    for (word, rows) in [("update", 5), ("insert", 5)] {
        let kinds = record["result"]["replay"]["kinds"].as_array().expect("kinds");
        let matching = kinds
            .iter()
            .filter(|kind| kind["statement"].as_str().is_some_and(|text| text.starts_with(word)));
        assert_eq!(
            matching.filter_map(|kind| kind["rows_now"].as_u64()).sum::<u64>(),
            rows,
            "{word}: {kinds:#?}"
        );
    }
    let run = folder
        .tacho(&format!("run replay:slow.log '{slow_target}' --set speed=max --set database=shop"))
        .done();
    assert_eq!(sum("shop_slow"), sum("shop"), "{}\n{slow}", run.out);
    let record = folder.record("latest");
    let update = kind(&record, "update replayed");
    assert_eq!(
        (&update["rows_then"], &update["timed_then"]),
        (&8.into(), &10.into()),
        "{update:#}"
    );
}
