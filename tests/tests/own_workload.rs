//! Users' own workloads in folders, on SQLite and PostgreSQL, from `init` to `clean`.

#![expect(clippy::disallowed_methods, reason = "folders lie beside the tests, not in a run")]

use std::path::{Path, PathBuf};

use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

fn shipped(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    root.join("examples").join(name)
}

/// Replaces a string in one of a folder's files.
fn replace(folder: &Folder, file: &str, from: &str, to: &str) {
    let path = folder.path().join(file);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.contains(from), "{from} in {text}");
    std::fs::write(path, text.replace(from, to)).expect("a file");
}

/// Creates a workload and loads its data.
fn shop(folder: &Folder) {
    folder.tacho("init workload shop").exits(0).says(&["tacho prepare ./shop"]);
    folder.tacho("prepare ./shop sqlite:a.db?synchronous=off -o quiet --progress none").exits(0);
}

#[test]
fn a_new_workload_goes_through_all_commands() {
    let folder = Folder::new();
    shop(&folder);
    let schema: serde_json::Value =
        serde_json::from_slice(&folder.read("shop/workload.schema.json")).expect("JSON");
    assert_eq!(schema["title"], "Workload");
    let first = String::from_utf8(folder.read("shop/workload.toml")).expect("text");
    assert!(first.starts_with("#:schema ./workload.schema.json\n"), "{first}");
    let target = "sqlite:a.db?synchronous=off";
    let run = format!("run ./shop {target} --transactions 300 --ramp-up 0s --set skew=1.1");
    folder.tacho(&run).exits(0).says(&["2 of 2 after the run", "5 of 5 within", "commits match"]);
    let plan = folder.record("latest")["plan"].clone();
    assert_eq!((&plan["workload"], &plan["workload_folder"]), (&"shop".into(), &"./shop".into()));
    assert!(
        plan["command"].as_str().is_some_and(|command| command.starts_with("tacho run ./shop ")),
        "{plan}"
    );
    assert_eq!(plan["parameters"]["skew"], "1.1");
    folder.tacho("run --from latest --allow workload").exits(0).says(&["2 of 2 after the run"]);
    assert_eq!(folder.record("latest")["plan"]["parameters"]["skew"], "1.1");
    let sweep =
        format!("sweep ./shop {target} --vary skew=0.5,1 -d 300ms --ramp-up 0s --check none");
    folder.tacho(&sweep).exits(0).says(&["0.5"]);
    folder.tacho(&format!("check ./shop {target}")).exits(0).says(&["2 of 2 hold"]);
    folder.tacho("report latest -o page.html").exits(0);
    folder.tacho("trend ./shop").done().says(&["OPM of"]);
    folder.tacho("describe ./shop").exits(0).says(&["customers_per_shop", "skew"]);
    folder
        .tacho(&format!("clean ./shop {target} --yes"))
        .exits(0)
        .says(&["customer, product, orders"]);
    folder.tacho("run shop noop --transactions 100 --ramp-up 0s").exits(0);
}

#[test]
fn other_tables_and_failing_statements_give_no_valid_run() {
    let folder = Folder::new();
    shop(&folder);
    let run = "run ./shop sqlite:a.db --transactions 400 --ramp-up 0s -c 2";
    replace(
        &folder,
        "shop/workload.toml",
        "require taken.changed = 1",
        "require taken.changed = 2",
    );
    let done = folder.tacho(run).done();
    done.expect_code(4);
    done.says(&["INVALID", "shop/workload.toml:", "the required condition"]);
    replace(
        &folder,
        "shop/workload.toml",
        "require taken.changed = 2",
        "charge(1 / taken.rows, total)",
    );
    folder.tacho(run).done().says(&["INVALID", "division by zero"]);
    replace(&folder, "shop/statements.sql", "UPDATE product SET", "UPDATE produtc SET");
    let done = folder.tacho(run).done();
    done.expect_code(3);
    done.complains(&["produtc"]);
    replace(&folder, "shop/workload.toml", "scale * 500", "scale * 400");
    let done = folder.tacho(run).done();
    done.expect_code(3);
    done.complains(&["another version of ./shop", "tacho clean ./shop"]);
    replace(&folder, "shop/workload.toml", "weight = 50", "wieght = 50");
    let done = folder.tacho(run).done();
    done.expect_code(2);
    done.complains(&["shop/workload.toml:", "unknown key \"wieght\"", "did you mean weight"]);
    folder.tacho("init workload shop").done().expect_code(2);
    folder.tacho("init workload tpcb").done().expect_code(2);
    let done = folder.tacho("run ./shoop sqlite:a.db").done();
    done.expect_code(2);
    done.complains(&["shoop/workload.toml"]);
}

/// Users can write their own CREATE statements for each database, because the workload file does not support all table
/// properties.
#[test]
fn tables_of_ones_own_statements_are_loaded_and_run() {
    let folder = Folder::new();
    folder.tacho("init workload shop").exits(0);
    let columns = "p_id INT PRIMARY KEY, p_kind VARCHAR(10) NOT NULL, p_price DECIMAL(8,2) NOT NULL, \
                   p_stock INT NOT NULL";
    let definition = String::from_utf8(folder.read("shop/workload.toml")).expect("text");
    let schema = |word: &str| {
        format!(
            "-- name: product()\nCREATE TABLE product ({columns}, p_note VARCHAR(9) DEFAULT '{word}' NOT NULL);\n"
        )
    };
    assert!(definition.contains("[tables.product.columns]"), "{definition}");
    folder.write("shop/schema.sql", &schema("any"));
    folder.write("shop/schema.sqlite.sql", &schema("lite"));
    let target = "sqlite:a.db?synchronous=off";
    folder.tacho(&format!("prepare ./shop {target}")).exits(0);
    let run = format!("run ./shop {target} --transactions 300 --ramp-up 0s");
    folder.tacho(&run).exits(0).says(&["2 of 2 after the run"]);
    let file = folder.read("a.db");
    assert!(String::from_utf8_lossy(&file).contains("DEFAULT 'lite' NOT NULL"));
    folder.tacho("run ./shop noop --transactions 100 --ramp-up 0s").exits(0);
    folder.tacho("prepare ./shop print:").exits(0).says(&["DEFAULT 'any'"]);
    replace(&folder, "shop/schema.sqlite.sql", "'lite'", "'other'");
    folder.tacho(&run).done().complains(&["another version of ./shop", "tacho clean ./shop"]);
    folder.write("shop/schema.sql", "-- name: produtc()\nCREATE TABLE produtc (a INT)\n");
    folder.tacho(&run).exits(2).complains(&[
        "shop/schema.sql:1:",
        "unknown table \"produtc\"",
        "did you mean product",
    ]);
    folder.write(
        "shop/schema.sql",
        "-- name: product(a int)\nCREATE TABLE product (p INT DEFAULT :a)\n",
    );
    folder
        .tacho(&run)
        .exits(2)
        .complains(&["the statement that creates product must not have a signature"]);
}

#[test]
fn a_new_workload_runs_on_postgresql_in_every_form() {
    let server = Postgres::shared();
    let folder = Folder::new();
    let target = server.database("own_workload").expect("a database");
    folder.tacho("init workload shop").exits(0);
    folder.tacho(&format!("prepare ./shop {target} -o quiet --progress none")).exits(0);
    for form in ["sql", "pipelined", "simple"] {
        let run = format!("run ./shop {target} --form {form} -c 4 --transactions 400 --ramp-up 0s");
        folder.tacho(&run).exits(0).says(&[
            "2 of 2 after the run",
            "commits match",
            "errors       none",
        ]);
    }
    let done = folder.tacho(&format!("run ./shop {target} --form procedures")).done();
    done.complains(&["stored routines"]);
    assert_ne!(done.code(), 0);
    folder.tacho(&format!("clean ./shop {target} --yes")).exits(0);
}

/// A check that takes more than a second is reported in the log. In a terminal, it is shown at once.
#[test]
fn long_checks_are_reported_while_they_run() {
    let server = Postgres::shared();
    let folder = Folder::new();
    let target = server.database("long_checks").expect("a database");
    folder.tacho("init workload shop").exits(0);
    let sleep = "UNION ALL SELECT 0 FROM pg_sleep(1.3) AS s WHERE s::text = 'x'";
    let end = "WHERE c_id IS NULL OR p_id IS NULL";
    replace(&folder, "shop/checks.sql", end, &format!("{end}\n{sleep}"));
    folder.tacho(&format!("prepare ./shop {target} -o quiet --progress none")).exits(0);
    let run = format!("run ./shop {target} --transactions 50 --ramp-up 0s");
    folder.tacho(&run).exits(0).complains(&["checking, 1 of 2 queries done   elapsed "]);
    folder.tacho(&format!("clean ./shop {target} --yes")).exits(0);
}

#[test]
fn ycsb_runs_in_each_of_its_workloads() {
    let folder = Folder::new();
    let (ycsb, target) = (shipped("ycsb"), "sqlite:y.db?synchronous=off");
    let ycsb = ycsb.display();
    folder.tacho(&format!("prepare {ycsb} {target} -o quiet --progress none")).exits(0);
    for (profile, kinds) in [
        ("a", &["read", "update"][..]),
        ("b", &["read", "update"]),
        ("c", &["read"]),
        ("d", &["read_latest", "insert"]),
        ("e", &["scan", "insert"]),
        ("f", &["read", "read_modify_write"]),
    ] {
        folder
            .tacho(&format!(
                "run {ycsb} {target} --profile {profile} -c 2 --transactions 500 --ramp-up 0s"
            ))
            .exits(0);
        let record = folder.record("latest");
        let transactions = record["result"]["transactions"].as_array().expect("transactions");
        let mut found: Vec<&str> = transactions
            .iter()
            .filter_map(|transaction| transaction["name"].as_str())
            .filter(|name| *name != "all")
            .collect();
        let mut kinds = kinds.to_vec();
        found.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(found, kinds, "{profile}");
        assert_eq!(record["result"]["accounting"]["failed"], 0, "{profile}");
    }
}

#[test]
fn workers_of_the_job_queue_pass_each_other() {
    let server = Postgres::shared();
    let folder = Folder::new();
    let target = server.database("job_queue").expect("a database");
    let queue = shipped("queue");
    let queue = queue.display();
    folder.tacho(&format!("prepare {queue} {target} -o quiet --progress none")).exits(0);
    let run =
        format!("run {queue} {target} -c 8 --transactions 800 --ramp-up 0s --set produce_share=20");
    folder.tacho(&run).exits(0).says(&["2 of 2 after the run", "errors       none"]);
    let record = folder.record("latest");
    assert_eq!(record["result"]["accounting"]["failed"], 0, "{record}");
}

/// Writes a workload folder with the given steps and with statements for SQLite.
fn steps(folder: &Folder, steps: &str, sql: &str) -> String {
    std::fs::create_dir_all(folder.file("bad")).expect("a folder");
    let text = format!("name = 'bad'\n[transactions.a]\nsteps = '''\n{steps}\n'''\n");
    folder.write("bad/workload.toml", &text);
    folder.write("bad/statements.sql", sql);
    folder.tacho("prepare ./bad sqlite:a.db").exits(0);
    let done =
        folder.tacho("run ./bad sqlite:a.db --transactions 3 --ramp-up 0s --drain 60s").done();
    done.expect_code(4);
    done.says(&["INVALID"]);
    done.out
}

/// Limits stop nested loops that would never end, and results that would fill the memory.
#[test]
fn endless_loops_and_huge_answers_are_failures_with_their_place() {
    let folder = Folder::new();
    let statement = "-- name: one(x int) -> (a int)\nSELECT :x\n";
    let found = steps(
        &folder,
        "let x = 1\nrepeat 100000\nrepeat 100000\nlet x = x + 1\nend\nend\none(x)",
        statement,
    );
    for part in ["bad/workload.toml:6:", "the transaction's loops have"] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let huge = "-- name: huge() -> (t text)\n\
                WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60)\n\
                SELECT hex(zeroblob(2500000)) FROM c\n";
    let found = steps(&folder, "let r = huge()\nrequire r.rows > 0", huge);
    for part in ["3 resource in a", "more than 256 MiB"] {
        assert!(found.contains(part), "{part}: {found}");
    }
}
