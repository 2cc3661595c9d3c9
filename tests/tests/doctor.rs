//! `tacho doctor` must report on the machine, the client and the database, even if one of them cannot be examined. It
//! must change nothing.

use std::net::TcpListener;

use crate::live::{SHORT, hold, sql, texts};
use crate::prepared::ONE;
use serde_json::Value;
use tacho_testkit::servers::{Kind, MariaDb, Options, Postgres, TestServer};
use tacho_tests::{Data, Done, Folder, Signal, violations};

/// Returns all lines with this name in the JSON output.
fn lines<'a>(answer: &'a Value, name: &str) -> Vec<&'a Value> {
    let sections = [&answer["machine"], &answer["client"], &answer["target"]["findings"]];
    let all = sections.into_iter().flat_map(|lines| lines.as_array().into_iter().flatten());
    all.filter(|line| line["name"] == name).collect()
}

/// Returns the line with this name, which must be the only one.
#[track_caller]
fn line<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let found = lines(answer, name);
    assert_eq!(found.len(), 1, "{name} in {answer:#}");
    found[0]
}

/// Asserts that there is exactly one line with this name. It must have this `health` and contain all of these strings.
#[track_caller]
pub fn expect(answer: &Value, name: &str, health: &str, texts: &[&str]) {
    let line = line(answer, name);
    assert_eq!(line["health"], health, "{line}");
    let hints = line["hints"].as_array();
    assert!(health == "good" || hints.is_some_and(|hints| !hints.is_empty()), "no hint: {line}");
    for text in texts {
        assert!(line.to_string().contains(text), "no {text:?} in {line}");
    }
}

/// Returns the JSON output, after checking that it matches its schema and that its totals are correct.
#[track_caller]
fn diagnosis(folder: &Folder, words: &str, code: i32) -> Value {
    let answer = folder.tacho(&format!("doctor {words} -o json")).exits(code).json();
    let schema = folder.tacho("schema doctor").exits(0).json();
    assert_eq!(violations(&schema, &answer), [""; 0]);
    let judged = |health: &str| answer.to_string().matches(&format!("\"{health}\"")).count();
    assert_eq!(answer["warnings"], judged("warning"), "{answer:#}");
    assert_eq!(answer["problems"], judged("problem"), "{answer:#}");
    assert_eq!(code == 0, answer["problems"] == 0);
    answer
}

/// Checks that the diagnosis includes the machine and the client, which do not depend on the target.
#[track_caller]
fn expect_the_rest(answer: &Value) {
    for name in ["cpu", "clock", "own cost", "sqlite", "postgres", "mysql", "duckdb"] {
        assert!(!lines(answer, name).is_empty(), "no {name} in {answer:#}");
    }
}

#[test]
fn machine_and_client_are_told_without_a_target() {
    let folder = Folder::new();
    let answer = diagnosis(&folder, "", 0);
    expect_the_rest(&answer);
    assert_eq!((&answer["format"], &answer["target"]), (&"tacho-doctor".into(), &Value::Null));
    let of = |name: &str, value: &str| line(&answer, name)["values"][value].as_f64();
    assert!(of("cpu", "cores") >= Some(1.0));
    assert!(of("clock", "resolution_ns") > Some(0.0));
    assert!(of("own cost", "per_statement_us") > Some(0.0));
    assert!(of("own cost", "statements") > Some(1_000.0));
    assert!(of("memory", "available_bytes") <= of("memory", "total_bytes"));
    assert!(of("disk", "free_bytes") > Some(0.0));
    assert!(of("load", "others_share").is_some_and(|share| (0.0..=1.0).contains(&share)));
    let files = line(&answer, "open files");
    assert_eq!(files["values"]["files_per_session"], 1, "{files}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// Returns the symbol and the name of each diagnosed item, for example `✓ clock`. Leaves out items that can change at
/// any moment.
fn marks(text: &Done) -> Vec<String> {
    let marked =
        |line: &&str| ["  ✓ ", "  – ", "  ! ", "  ✗ "].iter().any(|mark| line.starts_with(mark));
    let marks = text.out.lines().filter(marked).map(|line| {
        let columns = line.chars().skip(2).take(15);
        columns.collect::<String>().trim().to_owned()
    });
    marks.filter(|mark| !mark.ends_with("load") && !mark.ends_with("memory")).collect()
}

#[test]
fn text_says_what_json_says() {
    let folder = ONE.folder();
    let text = folder.tacho("doctor sqlite:a.db?synchronous=off").exits(0);
    let json = diagnosis(&folder, "sqlite:a.db?synchronous=off", 0);
    let sections = [&json["machine"], &json["client"], &json["target"]["findings"]];
    let all: Vec<&Value> =
        sections.into_iter().flat_map(|section| section.as_array().unwrap()).collect();
    let mark = |line: &&Value| match line["health"].as_str() {
        Some("good") => format!("✓ {}", line["name"].as_str().unwrap()),
        Some("warning") => format!("! {}", line["name"].as_str().unwrap()),
        Some("absent") => format!("– {}", line["name"].as_str().unwrap()),
        _ => format!("✗ {}", line["name"].as_str().unwrap()),
    };
    let mut marks_of_json: Vec<String> = all.iter().map(mark).collect();
    marks_of_json.retain(|mark| !mark.ends_with("load") && !mark.ends_with("memory"));
    assert_eq!(marks(&text), marks_of_json);
    text.says(&["Machine\n", "\nClient\n", "\nTarget sqlite  sqlite:a.db?synchronous=off\n"]);
    let whole = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in ["sqlite", "version", "settings", "privileges", "data"] {
        for word in [&line(&json, name)["text"], &line(&json, name)["hints"][0]] {
            let word = word.as_str().unwrap_or_default();
            assert!(whole.contains(word), "no {word} in {}", text.out);
        }
    }
    let last = text.out.lines().last().unwrap();
    assert!(last.ends_with(", 0 problems") && last.contains(" warning"), "{last}");
    folder.tacho("doctor sqlite:a.db -o quiet").exits(0).says(&[]);
    assert_eq!(folder.tacho("doctor sqlite:none.db -o quiet").exits(3).out, "");
}

#[test]
fn a_file_is_looked_at_and_left_as_it_is() {
    let folder = ONE.folder();
    let before = (Data::open(&folder.file("a.db")).fingerprint(), folder.names());
    let answer = diagnosis(&folder, "sqlite:a.db", 0);
    expect(&answer, "data", "good", &["tprocc scale 1, seed 42, loaded 2"]);
    let data = &line(&answer, "data")["values"];
    assert_eq!((&data["workload"], &data["seed"]), (&"tprocc".into(), &42.into()), "{data}");
    expect(&answer, "version", "good", &["SQLite 3.", "\"tested\":true"]);
    expect(&answer, "privileges", "good", &["write to the file"]);
    let times = &line(&answer, "reachable")["values"];
    assert!(times["p99_us"].as_f64() >= times["p50_us"].as_f64(), "{times}");
    let answer = diagnosis(&folder, "sqlite:a.db?mode=ro", 3);
    expect(&answer, "privileges", "problem", &["mode=ro"]);
    assert_eq!((Data::open(&folder.file("a.db")).fingerprint(), folder.names()), before);
}

#[test]
fn data_that_is_missing_foreign_or_half_built_is_told() {
    let folder = ONE.folder();
    let answer = diagnosis(&folder, "sqlite:none.db", 3);
    expect_the_rest(&answer);
    expect(
        &answer,
        "reachable",
        "problem",
        &["file none.db does not exist", "tacho prepare tprocc sqlite:none.db"],
    );
    assert_eq!(folder.names(), ["a.db"]);

    folder.write("theirs.db", "");
    let answer = diagnosis(&folder, "sqlite:theirs.db", 0);
    expect(
        &answer,
        "data",
        "warning",
        &["contains no data", "tacho prepare tprocc sqlite:theirs.db"],
    );
    Data::open(&folder.file("theirs.db")).run("CREATE TABLE invoices (a INTEGER)");
    let answer = diagnosis(&folder, "sqlite:theirs.db", 3);
    expect(&answer, "data", "problem", &["Tacho did not create (invoices)", "another database"]);

    let ours = Data::open(&folder.file("a.db"));
    ours.run("UPDATE tacho_marker SET v = 'building' WHERE k = 'state'");
    let answer = diagnosis(&folder, "sqlite:a.db", 0);
    expect(&answer, "data", "warning", &["is incomplete", "tacho prepare tprocc sqlite:a.db"]);
    ours.run("UPDATE tacho_marker SET v = '99' WHERE k = 'version'");
    let answer = diagnosis(&folder, "sqlite:a.db", 3);
    expect(&answer, "data", "problem", &["data format 99", "tacho clean"]);
    ours.run("UPDATE tacho_marker SET v = 'tpcx' WHERE k = 'workload'");
    let answer = diagnosis(&folder, "sqlite:a.db", 3);
    expect(&answer, "data", "problem", &["tpcx", "not included in this build"]);
}

#[test]
fn data_of_another_workload_is_told_by_its_own_scale() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db --scale 0.01").exits(0);
    let answer = diagnosis(&folder, "sqlite:h.db", 0);
    expect(&answer, "data", "good", &["tproch scale 0.01, seed 42", "\"scale\":0.01"]);
}

#[test]
fn too_few_files_are_told_with_what_fits() {
    let folder = ONE.folder();
    let limited = |words: &str| {
        let script = format!("ulimit -Sn 80; exec \"$TACHO\" doctor {words} -o json");
        folder.shell(&script).done()
    };
    let done = limited("");
    done.expect_code(0);
    let answer = done.json();
    expect(
        &answer,
        "open files",
        "warning",
        &["limit 80, enough for ", "but not for 64", "ulimit -n "],
    );
    let fits = line(&answer, "open files")["values"]["sessions_that_fit"].as_u64().unwrap();
    assert!(fits < 64, "{fits}");
    let done = limited("--sessions 64");
    done.expect_code(3);
    expect(&done.json(), "open files", "problem", &["limit 80"]);
    // A session that uses a database file needs at least two open files.
    let answer = diagnosis(&folder, "sqlite:a.db --sessions 1", 0);
    let files = &line(&answer, "open files")["values"]["files_per_session"];
    assert!(files.as_u64() >= Some(2), "{files}");
}

#[test]
fn wrong_names_are_usage_errors() {
    let folder = Folder::new();
    for (words, hint) in [
        ("sqlit:a.db", "sqlite"),
        ("nop", "noop"),
        ("sqlite", "specify a file"),
        ("sqlite:a.db?journl=wal", "journal_mode"),
        ("sqlite:a.db --sessions 0", "sessions"),
        ("sqlite:a.db --sesions 1", "--sessions"),
    ] {
        folder.tacho(&format!("doctor {words}")).exits(2).is_error().complains(&[hint]);
    }
    folder.write("tacho.toml", "[targets.bench]\nurl = \"sqlite:a.db\"\n");
    folder.tacho("doctor bnch").exits(2).is_error().complains(&["did you mean bench"]);
    let answer = diagnosis(&folder, "bench", 3);
    assert_eq!(answer["target"]["name"], "bench");
    expect(&answer, "reachable", "problem", &["tacho prepare tprocc bench"]);
}

#[test]
fn what_keeps_no_data_has_nothing_to_look_at() {
    let folder = Folder::new();
    for target in ["noop", "print", "sim"] {
        let answer = diagnosis(&folder, target, 0);
        expect(&answer, "reachable", "good", &["no database to check"]);
        assert!(lines(&answer, "version").is_empty());
    }
}

#[test]
fn a_library_that_is_missing_is_a_problem_for_its_target_alone() {
    let folder = Folder::new();
    let answer = diagnosis(&folder, "duckdb:x.db?library=/nope.so", 3);
    expect(&answer, "duckdb", "problem", &["/nope.so", "npm package"]);
    expect(&answer, "reachable", "problem", &["not opened", "see duckdb, above"]);
    // If the library of another database is missing, there must be no warning.
    let answer = diagnosis(&folder, "noop", 0);
    for line in answer["client"].as_array().expect("lines") {
        assert!(line["health"] == "good" || line["health"] == "absent", "{line}");
    }
}

#[test]
fn who_is_away_or_never_answers_is_told() {
    let folder = Folder::new();
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let closed = closed.expect("an address").port();
    let doctor = |target: String| folder.tacho(&format!("doctor {target} -o json")).start();
    let silent_ones =
        ["postgres", "mysql"].map(|kind| doctor(format!("{kind}://u:p@127.0.0.1:{port}/d")));
    let closed_ones =
        ["postgres", "mysql"].map(|kind| doctor(format!("{kind}://u:p@127.0.0.1:{closed}/d")));
    for running in silent_ones {
        let done = running.wait();
        done.expect_code(3);
        assert!(!done.out.contains("u:p@"), "{}", done.out);
        expect_the_rest(&done.json());
        expect(
            &done.json(),
            "reachable",
            "problem",
            &["did not respond within 10s", "host and port"],
        );
    }
    for running in closed_ones {
        let done = running.wait();
        done.expect_code(3);
        expect_the_rest(&done.json());
        expect(&done.json(), "reachable", "problem", &["refused the connection", "it is running"]);
    }
}

#[test]
fn ctrl_c_ends_the_wait_for_a_silent_server() {
    let folder = Folder::new();
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let call = folder.tacho(&format!("doctor postgres://u@127.0.0.1:{port}/d")).start();
    // Interrupt the command while it waits for a response that never comes.
    let _client = silent.accept().expect("a client");
    call.signal(Signal::INT);
    call.wait().expect_code(130);
}

/// Starts a PostgreSQL server with three users: a guest, one with a password, and one who may open only two
/// connections.
fn postgres() -> Postgres {
    let access =
        ["host all secretive 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"];
    let options = Options { access: &access, ..Options::default() };
    let server = Postgres::start_with(options).expect("a PostgreSQL server");
    for statement in [
        "CREATE DATABASE a",
        "CREATE ROLE guest LOGIN",
        "CREATE ROLE secretive LOGIN PASSWORD 'right'",
        "CREATE ROLE rare LOGIN CONNECTION LIMIT 2",
    ] {
        sql(&server.target(), statement);
    }
    server
}

#[test]
fn a_postgresql_server_is_looked_at_and_nothing_remains() {
    let server = postgres();
    let folder = Folder::new();
    let target = |user: &str, database: &str| {
        format!("postgres://{user}@127.0.0.1:{}/{database}", server.port())
    };
    let admin = target("postgres", "a");
    // Before PostgreSQL 15, all users could create tables in the schema `public`.
    sql(&admin, "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    let count = "SELECT count(*)::text || ' ' || max(oid)::text FROM pg_class";
    let before = texts(&admin, count);
    let answer = diagnosis(&folder, &admin, 0);
    expect_the_rest(&answer);
    let version = format!("PostgreSQL {}", server.version());
    expect(&answer, "version", "good", &[&version, "\"tested\":true"]);
    expect(&answer, "transport", "good", &["tcp, not encrypted"]);
    expect(&answer, "privileges", "good", &["create tables and functions in schema public"]);
    // Test servers allow fewer sessions than a run has by default. This is only a warning, because the user has not
    // requested that many sessions.
    expect(&answer, "connections", "warning", &["free, but 64 sessions", "--sessions "]);
    expect(&answer, "statistics", "good", &[]);
    expect(&answer, "data", "warning", &["contains no data", "tacho prepare tprocc"]);
    // The settings of test servers favor speed over safety.
    let settings = lines(&answer, "settings");
    assert!(settings.iter().any(|line| line["text"].as_str().unwrap().starts_with("fsync=off: ")));
    let dates: Vec<_> =
        lines(&answer, "clock").iter().map(|line| &line["values"]["server_ahead_s"]).collect();
    assert!(dates.iter().any(|ahead| ahead.as_f64().is_some_and(|ahead| ahead.abs() < 60.0)));
    let answer = diagnosis(&folder, &format!("{admin} --sessions 60"), 3);
    expect(&answer, "connections", "problem", &["60 sessions", "raise max_connections"]);
    let answer = diagnosis(&folder, &format!("{admin} --sessions 6"), 0);
    expect(&answer, "connections", "good", &["free"]);
    assert_eq!(texts(&admin, count), before);

    let answer = diagnosis(&folder, &target("guest", "a"), 3);
    let words = [
        "guest is not allowed to create tables in schema public",
        "GRANT CREATE ON SCHEMA public TO guest",
    ];
    expect(&answer, "privileges", "problem", &words);
    let answer = diagnosis(&folder, &target("guest", "nowhere"), 3);
    expect(&answer, "reachable", "problem", &["nowhere", "3D000"]);
    for (password, words) in [("", "password"), (":wrong", "28P01")] {
        let answer = diagnosis(&folder, &target(&format!("secretive{password}"), "a"), 3);
        expect_the_rest(&answer);
        expect(&answer, "reachable", "problem", &[words]);
    }
    {
        let _held =
            [hold(&target("rare", "a"), "SELECT 1"), hold(&target("rare", "a"), "SELECT 1")];
        let answer = diagnosis(&folder, &target("rare", "a"), 3);
        expect_the_rest(&answer);
        expect(&answer, "reachable", "problem", &["too many connections", "53300"]);
    }
    may_be_measured_by_others(&folder, &admin, &target("guest", "a"));
    hangs_after_the_login(&folder, &admin);
}

/// To measure a database, a user must be allowed to write to the tables of the user who created them. Permission to
/// read the tables is not enough.
fn may_be_measured_by_others(folder: &Folder, admin: &str, guest: &str) {
    folder.tacho(&format!("prepare tpcb {admin}")).exits(0);
    sql(admin, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest");
    let answer = diagnosis(folder, guest, 3);
    expect(&answer, "privileges", "problem", &["is not allowed to create"]);
    expect(&answer, "data", "problem", &["permission denied for table tacho_marker", "42501"]);
    folder.tacho(&format!("run tpcb {guest} --transactions 5")).exits(3).complains(&["42501"]);
    sql(admin, "GRANT ALL ON ALL TABLES IN SCHEMA public TO guest");
    let marker = "SELECT k || '=' || v FROM tacho_marker ORDER BY k";
    let before = texts(admin, marker);
    let answer = diagnosis(folder, guest, 0);
    expect(&answer, "privileges", "warning", &["is not allowed to create"]);
    expect(&answer, "data", "good", &["tpcb scale 1"]);
    assert_eq!(texts(admin, marker), before);
    folder.tacho(&format!("run tpcb {guest} {SHORT}")).exits(0);
    let read_only = "ALTER ROLE guest SET default_transaction_read_only = on";
    sql(admin, read_only);
    let answer = diagnosis(folder, guest, 3);
    assert!(lines(&answer, "privileges")[0]["text"].to_string().contains("read-only"));
    expect(&answer, "data", "problem", &["read-only", "25006"]);
}

/// The last query has to wait for another client's lock. What was found before must still be reported.
fn hangs_after_the_login(folder: &Folder, target: &str) {
    let _locked = hold(target, "BEGIN; LOCK TABLE tacho_marker");
    let answer = diagnosis(folder, target, 3);
    expect(&answer, "reachable", "good", &["round trip"]);
    expect(
        &answer,
        "data",
        "problem",
        &["did not respond within 10s", "lock held by another session"],
    );
}

#[test]
fn a_mariadb_server_is_looked_at_and_nothing_remains() {
    let server = MariaDb::start().expect("a MariaDB server");
    is_looked_at(&server, "mariadb", "SET DEFAULT ROLE builders FOR member@'%'");
}

/// Privileges that were granted by patterns and roles must be recognized, and missing privileges reported.
pub fn is_looked_at<K: Kind>(server: &TestServer<K>, scheme: &str, give_role: &str) {
    let folder = Folder::new();
    for statement in [
        "CREATE DATABASE empty_one",
        "CREATE USER reader@'%' IDENTIFIED BY 'r'",
        "GRANT SELECT ON empty_one.* TO reader@'%'",
        "CREATE USER pattern@'%' IDENTIFIED BY 'p'",
        "GRANT ALL ON `empty%`.* TO pattern@'%'",
        "CREATE ROLE builders",
        "GRANT ALL ON empty_one.* TO builders",
        "CREATE USER member@'%' IDENTIFIED BY 'm'",
        "GRANT builders TO member@'%'",
        give_role,
    ] {
        server.client(statement).expect(statement);
    }
    let target = |who: &str| format!("{scheme}://{who}@127.0.0.1:{}/empty_one", server.port());
    for who in ["pattern:p", "member:m"] {
        let answer = diagnosis(&folder, &target(who), 0);
        expect(&answer, "privileges", "good", &["create tables, drop tables"]);
        expect(&answer, "version", "good", &[server.version(), "\"tested\":true"]);
        expect(&answer, "connections", "good", &["free"]);
        expect(&answer, "data", "warning", &["contains no data"]);
        let url = &answer["target"]["url"];
        assert!(url.as_str().is_some_and(|url| url.contains(":***@")), "{url}");
    }
    let answer = diagnosis(&folder, &target("reader:r"), 3);
    let rights = lines(&answer, "privileges");
    let refused = |what: &str| {
        let text = |line: &&&Value| line["text"].to_string().contains(what);
        rights.iter().find(text).is_some_and(|line| line["health"] == "problem")
    };
    let both = refused("CREATE command denied") && refused("DROP command denied");
    assert!(rights.len() == 2 && both, "{rights:#?}");
    let answer = diagnosis(&folder, &target("reader:wrong"), 3);
    expect_the_rest(&answer);
    expect(&answer, "reachable", "problem", &["1045"]);
    let answer = diagnosis(&folder, &target("pattern:p").replace("empty_one", "empty_two"), 3);
    expect(&answer, "reachable", "problem", &["empty_two", "1049"]);
    assert_eq!(server.client("SHOW TABLES IN empty_one").expect("a list"), "");
}
