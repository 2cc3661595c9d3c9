//! pgbench and Tacho run the same scripts on the same server. Errors in scripts are reported.

#![expect(
    clippy::disallowed_methods,
    reason = "scripts and logs lie beside the tests, not in a run"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::Folder;

/// Scripts like those that users publish. Their values do not depend on random numbers, so that the results can be
/// compared.
const SCRIPTS: [&str; 18] = [
    "insert",
    "points",
    "transfer",
    "queue",
    "upsert",
    "partitions",
    "arrays",
    "loop",
    "aset",
    "given",
    "prepared",
    "kept",
    "pipeline",
    "compound",
    "star",
    "quotes",
    "asked",
    "uses",
];
/// Scripts that require prepared statements.
const PREPARED: [&str; 3] = ["prepared", "pipeline", "uses"];
/// Settings that make a server log each statement with the name of the program that sent it.
const LOGGED: [(&str, &str); 3] =
    [("log_statement", "all"), ("log_line_prefix", "%a:%p|"), ("log_duration", "off")];

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pgbench").join(name)
}

/// Returns the path of the `pgbench` program for the server's version.
fn pgbench() -> PathBuf {
    let config = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = config.map(|entry| entry.path().join("bin/pgbench")).collect();
    found.retain(|path| path.exists());
    found.sort();
    found.pop().expect("pgbench: install postgresql")
}

/// Runs pgbench with the given arguments and returns its output.
pub(crate) fn theirs(server: &Postgres, database: &str, words: &[&str]) -> String {
    let folder = server.folder().display().to_string();
    let port = server.port().to_string();
    let place = ["-h", &folder, "-p", &port, "-U", "postgres", "-n"];
    let done = Command::new(pgbench()).args(place).args(words).arg(database).output();
    let done = done.expect("pgbench runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{words:?}: {said}");
    String::from_utf8_lossy(&done.stdout).into_owned() + &said
}

/// Returns the statements that a program sent in one of its sessions, as the server logged them. The session is the one
/// whose first statement starts with `first`.
///
/// All commits are written as `COMMIT`, and the names of prepared statements are left out.
fn statements(server: &Postgres, program: &str, (first, from): (&str, usize)) -> Vec<String> {
    let log = std::fs::read_to_string(log_of(server)).expect("the log").split_off(from);
    let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut session = None;
    for line in log.lines() {
        let begins =
            line.split_once('|').filter(|(name, _)| !name.contains(' ') && name.contains(':'));
        let Some((name, rest)) = begins else {
            let last = session.as_ref().and_then(|name| sessions.get_mut(name)?.last_mut());
            if let Some(last) = last {
                last.extend([" ", line.trim()]);
            }
            continue;
        };
        session = None;
        let executed = rest.strip_prefix("LOG:  execute ").and_then(|text| text.split_once(": "));
        let text = rest.strip_prefix("LOG:  statement: ").or(executed.map(|(_, text)| text));
        let statements = sessions.entry(name.to_owned()).or_default();
        if let Some(text) = text {
            statements.push(text.to_owned());
            session = Some(name.to_owned());
        } else if let (Some(values), Some(last)) =
            (rest.strip_prefix("DETAIL:  "), statements.last_mut())
        {
            last.extend([" ", values]);
        }
    }
    let plain = |text: &String| {
        let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        match words.trim_end_matches(';').trim() {
            "END" | "COMMIT" => "COMMIT".to_owned(),
            other => other.to_owned(),
        }
    };
    let of = |(name, all): (&String, &Vec<String>)| {
        let start = all.iter().position(|text| text.starts_with(first))?;
        name.starts_with(program).then(|| all[start..].iter().map(plain).collect())
    };
    sessions.iter().find_map(of).unwrap_or_default()
}

fn log_of(server: &Postgres) -> PathBuf {
    let mut folders = vec![server.folder().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with("log") {
                return path;
            }
        }
    }
    panic!("no log in {}", server.folder().display())
}

#[test]
fn scripts_send_the_statements_of_pgbench() {
    let settings = Options { settings: &LOGGED, ..Options::default() };
    let server = Postgres::start_with(settings).expect("a PostgreSQL server");
    let setup = std::fs::read_to_string(shipped("setup.sql")).expect("the tables");
    let (folder, socket, port) =
        (Folder::new(), server.folder().display().to_string(), server.port());
    let extended = PREPARED.map(|name| (name, "extended"));
    let as_usual =
        SCRIPTS.map(|name| (name, if PREPARED.contains(&name) { "prepared" } else { "simple" }));
    for (number, (name, mode)) in as_usual.into_iter().chain(extended).enumerate() {
        let script = shipped(&format!("{name}.sql")).display().to_string();
        let form = if mode == "simple" { "simple" } else { "sql" };
        let parse = if mode == "extended" { "&parse=each" } else { "" };
        let mut lists = Vec::new();
        for program in ["pgbench", "tacho"] {
            let database = format!("{program}_{number}");
            server.client(&format!("CREATE DATABASE {database}")).expect("a database");
            server.client_on(&database, &setup).expect("the tables");
            let from = std::fs::read_to_string(log_of(&server)).expect("the log").len();
            if program == "pgbench" {
                let words = ["-f", &script, "-t", "30", "-c", "1", "-M", mode];
                theirs(
                    &server,
                    &database,
                    &[&words[..], &["-D", "size=21", "-D", "word=abc"]].concat(),
                );
            } else {
                let target =
                    format!("'postgres://postgres@:{port}/{database}?host={socket}{parse}'");
                let given = match name {
                    "given" => "-D size=21 -D word=abc",
                    "kept" => "-D size=21",
                    _ => "",
                };
                let run = format!(
                    "run pgbench:{script} {target} --transactions 30 --ramp-up 0s --form {form} {given}"
                );
                folder.tacho(&run).exits(0);
            }
            if mode == "extended" {
                let log = std::fs::read_to_string(log_of(&server)).expect("the log");
                let executed = |name: &str| log[from..].matches(&format!("execute {name}")).count();
                assert!(executed("<unnamed>") >= 30 && executed("s0") == 0, "{program} {name}");
            }
            let first = first_statement(&script);
            lists.push(statements(&server, program, (&first, from)));
        }
        assert!(lists[0].len() >= 30, "{name}: {lists:?}");
        let differ = lists[0].iter().zip(&lists[1]).find(|(theirs, ours)| theirs != ours);
        assert_eq!(differ, None, "{name}");
        let last = |list: &[String]| (list.len(), list.last().cloned());
        assert_eq!(last(&lists[0]), last(&lists[1]), "{name}");
    }
}

/// Returns the first words of a script's first statement.
fn first_statement(script: &str) -> String {
    let text = std::fs::read_to_string(script).expect("a script");
    let line =
        text.lines().find(|line| !line.trim().is_empty() && !line.trim().starts_with(['\\', '-']));
    let line = line.expect("a statement").trim_end_matches(';');
    line.split_whitespace().take(2).collect::<Vec<&str>>().join(" ")
}

#[test]
fn its_own_scripts_run_on_the_tables_of_pgbench() {
    let server = Postgres::shared();
    let database = server.database("pgbench_own").expect("a database");
    let name = "pgbench_own";
    theirs(server, name, &["-i", "-I", "dtgp", "-s", "2", "-q"]);
    let folder = Folder::new();
    for (script, statements) in [("tpcb-like", 7), ("simple-update", 5), ("select-only", 1)] {
        for form in ["sql", "simple", "pipelined"] {
            let run = format!(
                "run pgbench:{script} '{database}' --transactions 50 --ramp-up 0s --form {form}"
            );
            folder.tacho(&run).exits(0).says(&["50 committed", "✓"]);
            let record = folder.record("latest");
            assert_eq!(record["result"]["tool"]["statements"], 50 * statements, "{script} {form}");
        }
        theirs(server, name, &["-b", script, "-t", "10"]);
    }
    folder.tacho(&format!("run pgbench:select-only@9 pgbench:simple-update@1 '{database}' --transactions 400 --ramp-up 0s"))
        .exits(0)
        .says(&["select-only", "simple-update"])
        .complains(&["scale 2"]);
    folder
        .tacho(&format!("prepare pgbench:select-only '{database}'"))
        .exits(2)
        .complains(&["prepare tpcb"]);
}

#[test]
fn what_is_wrong_in_a_script_has_its_place() {
    let folder = Folder::new();
    let table = [
        ("SELECT :aid + 1;", "bad.sql:1:9: unknown variable \"aid\"", "-D aid=VALUE"),
        ("\\set a 1 /\n\\set b 2\nSELECT 1;", "bad.sql:1:11: unexpected the end of the line", ""),
        ("\\set a 1\n\\set b :a / 0\nSELECT 1;", "bad.sql:2:11: division by zero", ""),
        ("\\sett a 1\nSELECT 1;", "bad.sql:1:1: unknown command \"\\sett\"", "\\set"),
        ("\\shell ls\nSELECT 1;", "\\shell is not supported", "remove the command"),
        ("\\setshell a ls\nSELECT 1;", "\\setshell is not supported", ""),
        (
            "\\setrandom a 1 9\nSELECT :a;",
            "\\setrandom is not supported",
            "write \\set a random(1, 9)",
        ),
        ("SELECT 1;\n\\if true\nSELECT 2;", "bad.sql:2:1: \\if without \\endif", ""),
        ("SELECT 1;\n\\endif", "bad.sql:2:1: \\endif without \\if", ""),
        ("\\set a 1", "bad.sql:1:1: the script does not send any statements", ""),
        ("", "bad.sql:1:1: the script does not send any statements", ""),
        (
            "UPDATE t SET a = 1 \\gset",
            "bad.sql:1:1: the statement returns no columns",
            "returns rows",
        ),
        (
            "\\set 1a 5\nSELECT 1;",
            "bad.sql:1:6: invalid variable name \"1a\"",
            "must not start with a digit",
        ),
        ("SELECT 1 AS \"a b\" \\gset", "invalid variable name \"a b\"", "AS name"),
        ("/* it's", "bad.sql:1:1: the comment has no closing */", ""),
        ("SELECT E'it\\'s", "bad.sql:1:9: the string has no closing '", ""),
        (
            "SELECT 1 AS a \\; SELECT 2 AS b \\aset\nSELECT :b;",
            "bad.sql:1:1: \\aset is not supported after several statements",
            "\\gset stores the row of the last statement",
        ),
        ("SELECT 'a", "bad.sql:1:8: the string has no closing '", ""),
        ("\\startpipeline\nSELECT 1;", "\\startpipeline without \\endpipeline", ""),
    ];
    for (text, message, hint) in table {
        folder.write("bad.sql", text);
        let run = "run pgbench:bad.sql postgres://nowhere.invalid/x --transactions 1";
        let done = folder.tacho(run).done();
        assert_eq!(done.code(), 2, "{text}: {}", done.err);
        done.complains(&[message, hint]);
    }
    folder.write("good.sql", "SELECT 1;");
    let wrong = |word: &str, message: &str| {
        folder.tacho(&format!("run {word} noop --transactions 1")).exits(2).complains(&[message]);
    };
    wrong("pgbench:none.sql", "none.sql");
    wrong("pgbench:good.sql@x", "invalid weight");
    wrong("pgbench:good.sql@0", "no script has a weight above 0");
    wrong("pgbench:tpcb", "tpcb-like");
    folder
        .tacho("run pgbench:good.sql --transactions 1")
        .exits(2)
        .complains(&["requires a target"]);
    folder
        .tacho("run pgbench:good.sql noop --transactions 30 --ramp-up 0s")
        .exits(0)
        .says(&["30 committed"]);
    let server = Postgres::shared();
    let database = server.database("pgbench_bad").expect("a database");
    folder.write("late.sql", "SELECT 5 AS a \\gset\n\\set b 1 / (:a - 5)\nSELECT :b;");
    folder.write(
        "made.sql",
        "CREATE TEMP TABLE made (a int);\nSELECT a FROM made;\nDROP TABLE made;",
    );
    let made = format!("run pgbench:made.sql '{database}' --transactions 20 --ramp-up 0s");
    folder.tacho(&made).exits(3).complains(&["made.sql:2:1", "\"made\"", "--form simple"]);
    folder.tacho(&format!("{made} --form simple")).exits(0).says(&["20 committed"]);
    let late = folder
        .tacho(&format!("run pgbench:late.sql '{database}' --transactions 5 --ramp-up 0s"))
        .done();
    late.says(&["division by zero", "late.sql:2:10"]);
    assert_ne!(late.code(), 0);
}

#[test]
fn outcomes_and_variables_are_read_past_quotes_and_comments() {
    let folder = Folder::new();
    folder.write("back.sql", "BEGIN;\nSELECT 1;\n/* don't */ ROLLBACK;");
    let run = "--transactions 20 --ramp-up 0s";
    // SQLite treats an empty file as an empty database.
    folder.write("a.db", "");
    folder.tacho(&format!("run pgbench:back.sql sqlite:a.db {run}")).exits(0);
    assert_eq!(folder.record("latest")["result"]["transactions"][0]["rolled_back"], 20);
    // A BEGIN with options, such as IMMEDIATE, is sent unchanged. The statement that ends the transaction is sent
    // unchanged too.
    folder.write("modes.sql", "BEGIN IMMEDIATE;\nSELECT 'it''s' AS a \\gset\n-- it's\nROLLBACK;");
    folder.tacho(&format!("run pgbench:modes.sql sqlite:a.db {run} --form simple")).exits(0);
    assert_eq!(folder.record("latest")["result"]["transactions"][0]["rolled_back"], 20);
    // A variable keeps its value if the result has no column with its name. Using a variable that
    // was never set is an error.
    folder.write(
        "kept.sql",
        "\\set a 1\nVALUES (2) \\gset\nSELECT 10 / (:a + :column1 - 2) AS b \\gset\nSELECT 1 / :b;",
    );
    folder.tacho(&format!("run pgbench:kept.sql sqlite:a.db {run} --form simple")).exits(0);
    folder.write("none.sql", "VALUES (2) \\gset\nSELECT :column2;");
    let none =
        folder.tacho(&format!("run pgbench:none.sql sqlite:a.db {run} --form simple")).done();
    assert_ne!(none.code(), 0);
    let said = format!("{}{}", none.out, none.err);
    // The output is wrapped at the terminal width.
    let words = said.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("has no column \"column2\""), "{said}");
}

#[test]
fn what_the_default_form_cannot_send_names_the_one_that_can() {
    let server = Postgres::shared();
    let database = server.database("pgbench_form").expect("a database");
    let folder = Folder::new();
    for (text, message) in [
        ("SELECT ':scale';", "uses a variable within quotes"),
        ("SELECT E'it\\'s' || ':scale';", "uses a variable within quotes"),
        ("SELECT 1 \\; SELECT 2;", "several statements in one request"),
        ("SET work_mem = :scale;", "syntax error"),
        ("SELECT * FROM table_:scale;", "uses a variable within a name"),
        ("SELECT :scale IS NULL;", "cannot prepare form at form.sql:1:1: could not determine"),
        ("FETCH c \\gset", "returns no rows"),
        ("SELECT * FROM gone;", "gone"),
        ("\\set a 1.5\nSELECT :a + 1;", "invalid input syntax"),
    ] {
        folder.write("form.sql", text);
        let run = format!("run pgbench:form.sql '{database}' --transactions 2 --ramp-up 0s");
        let done = folder.tacho(&run).done();
        assert_ne!(done.code(), 0, "{text}");
        // The output is wrapped at the terminal width.
        let said = format!("{}{}", done.out, done.err);
        let said = said.split_whitespace().collect::<Vec<&str>>().join(" ");
        assert!(said.contains(message) && said.contains("--form simple"), "{text}: {said}");
    }
}

#[test]
fn many_uses_of_a_variable_take_linear_time() {
    let folder = Folder::new();
    let time = |uses: usize| {
        let values = vec!["(:a, '12:30', $$:x$$)"; uses].join(",");
        folder.write(
            "many.sql",
            &format!("\\set a 1\nSELECT count(*) AS n FROM (VALUES {values}) v \\gset\n"),
        );
        let begun = std::time::Instant::now();
        let dialect = tacho_registry::driver("sim").expect("a driver");
        let workload =
            tacho_registry::pgbench(&format!("pgbench:{}", folder.file("many.sql").display()));
        let catalog = workload.and_then(|workload| workload.catalog(dialect.dialect()));
        assert_eq!(catalog.expect("a script").statements()[0].places.len(), uses);
        begun.elapsed().as_secs_f64()
    };
    let quickest = |uses| (0..3).map(|_| time(uses)).fold(f64::INFINITY, f64::min);
    // One script uses variables 16 times as often as the other. A quadratic algorithm would take 256 times as long for
    // this script.
    let ratio = quickest(20_000) / quickest(1_250);
    assert!(ratio < 64.0, "{ratio}");
}

#[test]
fn names_before_a_file_are_described() {
    let folder = Folder::new();
    for (name, word) in [("pgbench", "pgbench:FILE"), ("replay", "replay:FILE")] {
        folder.tacho(&format!("describe {name}")).exits(0).says(&[word, "Profiles"]);
        folder.tacho(&format!("describe {name} -o json")).exits(0).says(&[&format!("\"{name}\"")]);
        folder
            .tacho(&format!("run {name} noop"))
            .exits(2)
            .complains(&[&format!("no file was specified for workload {name}"), word]);
    }
    folder.tacho("describe replay").exits(0).says(&["speed", "database"]);
    folder.tacho("describe pgbnch").exits(2).complains(&["did you mean pgbench"]);
    folder.tacho("describe pgbench --sql sqlite").exits(2).complains(&["pgbench:FILE"]);
}
