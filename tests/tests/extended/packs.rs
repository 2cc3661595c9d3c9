//! Tests the repository's database packs, each on a server that is compatible with the pack's database. For example,
//! the pack for `CockroachDB` is tested on PostgreSQL. Also tests packs with errors.

#![expect(clippy::disallowed_methods, reason = "the packs lie beside the tests, not in a run")]

use std::path::{Path, PathBuf};

use tacho_testkit::data_source;
use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_testkit::virtuoso::Virtuoso;
use tacho_tests::{Done, Folder};

/// Returns the path of a pack in the repository.
fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("packs").join(name)
}

/// Returns a target that starts with the name of a pack.
fn named(target: &str, pack: &str) -> String {
    let (_, place) = target.split_once(':').expect("a target");
    format!("'{pack}:{place}' --pack {}", shipped(pack).display())
}

/// Loads the data, makes a run, checks the data, and removes it.
fn works(folder: &Folder, target: &str, title: &str, forms: &[&str]) {
    folder.tacho(&format!("prepare tprocc {target} -o quiet --progress none")).exits(0);
    for form in forms {
        let run = format!("run tprocc {target} --form {form} -c 2 -d 2s --ramp-up 0s --retry same");
        folder.tacho(&run).exits(0).says(&["24 of 24 after the run"]);
        let record = folder.record("latest");
        assert!(record["result"]["accounting"]["committed"].as_u64() > Some(0), "{record}");
        assert!(record["plan"]["command"].as_str().is_some_and(|text| text.contains("--pack")));
        assert!(record["server"]["settings"].as_object().is_some_and(|all| !all.is_empty()));
    }
    let again = folder.tacho("run --from latest --transactions 20 --allow pack").done();
    assert!([0, 4].contains(&again.code()), "{}", again.err);
    folder.tacho(&format!("doctor {target}")).done().says(&[title, "pack in", "reachable"]);
    folder.tacho(&format!("clean tprocc {target} --yes")).exits(0);
    folder.tacho(&format!("prepare tpcb {target} -o quiet --progress none")).exits(0);
    folder.tacho(&format!("check tpcb {target}")).exits(0);
    folder.tacho(&format!("clean tpcb {target} --yes")).exits(0);
}

#[test]
fn cockroachdb_and_yugabytedb_work_on_postgresql() {
    let server = Postgres::shared();
    for (pack, title) in [("cockroachdb", "CockroachDB"), ("yugabytedb", "YugabyteDB")] {
        let folder = Folder::new();
        let target = named(&server.database(&format!("pack_{pack}")).expect("a database"), pack);
        works(&folder, &target, title, &["sql", "pipelined", "simple"]);
        let plan = folder.record("latest")["plan"].clone();
        assert_eq!(plan["driver"], pack, "{plan}");
    }
    let folder = Folder::new();
    let target = named(&server.database("pack_types").expect("a database"), "cockroachdb");
    let forms = folder.tacho(&format!("run tprocc {target} --form procedures")).done();
    forms.expect_code(2);
    forms.is_error().complains(&["procedures"]);
}

#[test]
fn tidb_works_on_mariadb() {
    let server = MariaDb::start().expect("a MariaDB server");
    // The pack expects MySQL, but this server identifies itself as MariaDB. Change the scheme in the pack.
    let folder = copy("tidb", "\"mysql\"", "\"mariadb\"");
    let (_, place) = server
        .target()
        .split_once(':')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .expect("a target");
    works(&folder, &format!("'tidb:{place}' --pack tidb"), "TiDB", &["sql", "simple"]);
}

/// Tests a database for which Tacho has no driver, through the vendor's ODBC driver. Uses few rows.
#[test]
fn virtuoso_works() {
    let Some(server) = Virtuoso::start_if_there() else { return };
    let folder = Folder::new();
    let target = named(&format!("odbc:{}&password=bench", server.place()), "virtuoso");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for example in ["ycsb", "queue"] {
        let workload = examples.join(example).canonicalize().expect(example);
        let workload = workload.display();
        let data = folder.tacho(&format!("prepare {workload} {target} -o quiet --progress none"));
        if example == "queue" {
            // The workload must skip jobs that other sessions have locked, but the SQL of this database has no syntax
            // for this.
            data.done();
            let run = format!("run {workload} {target} --transactions 10 --ramp-up 0s");
            let run = folder.tacho(&run).done();
            run.expect_code(3);
            run.is_error().complains(&["next_job", "SQ074"]);
            continue;
        }
        data.exits(0);
        let run =
            format!("run {workload} {target} -c 2 --transactions 500 --ramp-up 0s --retry same");
        folder.tacho(&run).done().says(&["1 of 1 after the run"]);
        let record = folder.record("latest");
        assert_eq!(record["result"]["accounting"]["failed"], 0, "{record}");
        folder.tacho(&format!("doctor {target}")).done().says(&[
            "Virtuoso",
            "pack in",
            "reachable",
        ]);
        folder.tacho(&format!("clean {workload} {target} --yes")).exits(0);
    }
}

/// Creates a folder with a copy of one of the repository's packs. One word in the copy is replaced.
fn copy(name: &str, from: &str, to: &str) -> Folder {
    let folder = Folder::new();
    for below in [name.to_owned(), format!("{name}/sql")] {
        std::fs::create_dir_all(folder.file(&below)).expect("a folder");
        let source = shipped("").join(&below);
        for entry in
            source.read_dir().into_iter().flatten().flatten().filter(|e| e.path().is_file())
        {
            let text = std::fs::read_to_string(entry.path()).expect("a file").replace(from, to);
            folder.write(&format!("{below}/{}", entry.file_name().display()), &text);
        }
    }
    folder
}

#[test]
fn shipped_packs_are_read_listed_and_described() {
    let folder = Folder::new();
    let names = ["cockroachdb", "tidb", "virtuoso", "yugabytedb"];
    let found = std::fs::read_dir(shipped("")).expect("the packs").count();
    assert_eq!(found, names.len(), "each shipped pack is tested");
    let all: Vec<String> =
        names.iter().map(|name| format!("--pack {}", shipped(name).display())).collect();
    let list = folder.tacho(&format!("list drivers {}", all.join(" "))).exits(0);
    for name in names {
        list.says(&[name, "pack based on"]);
        let pack = shipped(name);
        let page = folder.tacho(&format!("describe {name} --pack {}", pack.display())).exits(0);
        page.says(&["Tested with", "Errors: ", "Limits"]);
        folder.tacho(&format!("describe tprocc --sql {name} --pack {}", pack.display())).exits(0);
    }
    let sql = format!("describe tprocc --sql tidb --pack {}", shipped("tidb").display());
    folder.tacho(&sql).exits(0).says(&["ORDER BY no_o_id LIMIT 1 FOR UPDATE"]);
    folder.tacho("describe tidb").done().expect_code(2);
}

/// Creates a folder with a pack for SQLite. `more` is added after the first lines of the pack.
fn pack(more: &str) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.file("own/sql")).expect("a folder");
    let head = "name = \"own\"\ntitle = \"Own\"\nbase = \"sqlite\"\ntested = \"nothing\"\n";
    folder.write("own/pack.toml", &format!("{head}{more}"));
    folder
}

fn refused(folder: &Folder, code: i32, texts: &[&str]) -> Done {
    let done = folder.tacho("run tpcb own:x.db --pack own --transactions 10").done();
    done.expect_code(code);
    done.is_error().complains(texts);
    done
}

#[test]
fn wrong_packs_are_refused_with_file_and_line() {
    let table: &[(&str, &[&str])] = &[
        ("capability = 1", &["own/pack.toml:5", "\"capability\"", "capabilities"]),
        ("[capabilities]\ncounter = true", &["own/pack.toml:6", "\"counter\"", "counters"]),
        ("[capabilities]\ncounters = 1", &["own/pack.toml:6", "true, false"]),
        ("[ask]\nversions = \"x\"", &["own/pack.toml:6", "\"versions\"", "version"]),
        ("[ask]\nmachine = \"SELECT 1\"", &["own/pack.toml:6", "true, false"]),
        ("[errors]\n7 = \"dead\"", &["own/pack.toml:6", "deadlock"]),
        ("[types]\nint = 4", &["own/pack.toml:6", "a text"]),
        ("[types]\nint = \"INT({length})\"", &["{length}"]),
        ("sql = 1", &["own/pack.toml:5", "[sql]"]),
        ("x = ", &["TOML"]),
    ];
    for (more, texts) in table {
        refused(&pack(more), 2, texts);
    }
    let folder = pack("");
    folder.write("own/pack.toml", "name = \"own\"\ntitle = \"Own\"\ntested = \"x\"\n");
    refused(&folder, 2, &["base is missing"]);
    folder.write(
        "own/pack.toml",
        "name = \"own\"\ntitle = \"O\"\ntested = \"x\"\nbase = \"sqlit\"\n",
    );
    refused(&folder, 2, &["\"sqlit\" is not a driver", "sqlite"]);
    folder.write(
        "own/pack.toml",
        "name = \"sqlite\"\ntitle = \"O\"\ntested = \"x\"\nbase = \"sqlite\"\n",
    );
    refused(&folder, 2, &["sqlite is the name of a driver"]);
    let absent = folder.tacho("run tpcb own:x.db --pack nowhere").done();
    absent.expect_code(2);
    absent.is_error().complains(&["nowhere/pack.toml", "contains a pack.toml file"]);
}

#[test]
fn wrong_statements_are_refused_before_a_connection() {
    let table: &[(&str, &str, &[&str])] = &[
        ("tpcc.sql", "-- name: x()\nSELECT 1\n", &["\"tpcc\" is not a workload", "tpcb"]),
        ("notes.txt", "x", &["notes.txt", "not a statement file"]),
        (
            "tpcb.sql",
            "-- one\n-- name: branch_updat(a int)\nSELECT :a\n",
            &["tpcb.sql:2", "branch_update"],
        ),
        (
            "tpcb.sql",
            "-- name: branch_update(a int)\nSELECT :a\n",
            &["two signatures", "describe tpcb"],
        ),
        ("tpcb.sql", "-- name: branch_update\nSELECT 1\n", &["invalid header"]),
        ("tpcb.sql", "SELECT 1\n", &["no statement"]),
    ];
    for (file, text, texts) in table {
        let folder = pack("");
        folder.write(&format!("own/sql/{file}"), text);
        refused(&folder, 2, texts);
        assert!(!folder.names().contains(&"x.db".to_owned()), "{file}: nothing is made");
    }
}

/// If the server rejects a statement, the error must name the file that contains the statement.
#[test]
fn what_a_server_refuses_is_told_with_the_file() {
    let target = Postgres::shared().database("pack_refused").expect("a database");
    let (_, place) = target.split_once(':').expect("a target");
    let folder = copy("yugabytedb", "SELECT version()", "SELECT absent FROM nothing");
    let done = folder.tacho(&format!("doctor 'yugabytedb:{place}' --pack yugabytedb")).done();
    let words = ["ask for version of YugabyteDB", "nothing", "[ask]", "yugabytedb/pack.toml"];
    done.says(&words);
    let target = format!("'yugabytedb:{place}' --pack yugabytedb");
    folder.tacho(&format!("prepare tpcb {target}")).done();
    let run = folder.tacho(&format!("run tpcb {target} --transactions 10")).done();
    run.expect_code(3);
    run.is_error().complains(&words);
    let bare = pack("[ask]\nversion = \"SELECT 1\"\n");
    bare.tacho("prepare tpcb own:x.db --pack own").done();
    refused(&bare, 2, &["ask for version of Own", "cannot return rows as text"]);

    let folder = pack("");
    folder.tacho("prepare tpcb own:x.db --pack own").exits(0);
    let header = "-- name: account_balance(aid int) -> (abalance int)\n";
    let text = format!("{header}SELECT absent FROM pgbench_accounts WHERE aid = :aid\n");
    folder.write("own/sql/tpcb.sql", &text);
    refused(&folder, 3, &["account_balance", "absent", "own/sql/tpcb.sql"]);
}

/// The configuration file names a pack and a target. The statements and the properties of the database come from the
/// pack.
#[test]
fn a_pack_is_found_by_the_file_and_used() {
    let target = Postgres::shared().database("pack_file").expect("a database");
    let (_, place) = target.split_once(':').expect("a target");
    let folder = pack(
        "[ask]\nversion = \"SELECT 'Own 1.0'\"\nsettings = \"SELECT 'a', 'b'\"\ncounters = false\n\
         [capabilities]\ncounters = false\n",
    );
    let file = String::from_utf8(folder.read("own/pack.toml")).expect("UTF-8");
    folder.write("own/pack.toml", &file.replace("\"sqlite\"", "\"postgres\""));
    let url = format!("[defaults]\npack = [\"own\"]\n[targets.bench]\nurl = \"own:{place}\"\n");
    folder.write("tacho.toml", &url);
    let header = "-- name: account_balance(aid int) -> (abalance int)\n";
    let text = format!("{header}SELECT 0 FROM pgbench_accounts WHERE aid = :aid\n");
    folder.write("own/sql/tpcb.sql", &text);
    folder.tacho("config check").exits(0);
    folder.tacho("prepare tpcb bench").exits(2).complains(&["tacho config trust", "--allow pack"]);
    folder.tacho("prepare tpcb bench --allow pack").exits(0);
    folder.tacho("run tpcb bench --allow pack --transactions 2000 --ramp-up 0s").exits(0);
    let record = folder.record("latest");
    assert_eq!(record["server"]["version"], "Own 1.0", "{record}");
    assert_eq!(record["server"]["settings"]["a"], "b", "{record}");
    assert_eq!(record["plan"]["driver"], "own", "{record}");
    folder.tacho("list drivers").exits(0).says(&["own", "pack based on postgres in own"]);
    folder.tacho("describe tpcb --sql own").exits(0).says(&["SELECT 0"]);
    let other = folder.tacho("run tpcb 'postgres://a@b/c' --pack own --transactions 10").done();
    other.expect_code(2);
    other.is_error().complains(&["pack own is not used", "own:"]);
}

/// If a pack is used with an ODBC data source, Tacho must ask the data source for the database's name. The name
/// determines the SQL dialect.
#[test]
fn a_pack_can_be_over_a_data_source() {
    let server = Postgres::start().expect("a PostgreSQL server");
    let source = data_source::postgres(&server, "postgres");
    let (_, place) = source.split_once(':').expect("a target");
    let folder = pack("[types]\nint = \"INT4\"\n");
    let file = String::from_utf8(folder.read("own/pack.toml")).expect("UTF-8");
    folder.write("own/pack.toml", &file.replace("\"sqlite\"", "\"odbc\""));
    let target = format!("'own:{place}' --pack own");
    folder.tacho(&format!("prepare tpcb {target}")).exits(0);
    let run = format!("run tpcb {target} --transactions 500 --ramp-up 0s");
    folder.tacho(&run).exits(0).says(&["7 of 7 after the run"]);
    folder.tacho(&format!("clean tpcb {target} --yes")).exits(0);
}

/// An error code of the database must have the kind that the pack specifies.
#[test]
fn an_error_has_the_kind_of_the_pack() {
    for (errors, code) in [("", 3), ("[errors]\nSQLITE_ERROR = \"unsupported\"\n", 2)] {
        let folder = pack(errors);
        folder.tacho("prepare tpcb own:x.db --pack own").exits(0);
        let header = "-- name: account_balance(aid int) -> (abalance int)\n";
        let text = format!("{header}SELECT absent FROM pgbench_accounts WHERE aid = :aid\n");
        folder.write("own/sql/tpcb.sql", &text);
        refused(&folder, code, &["absent", "SQLITE_ERROR"]);
    }
}
