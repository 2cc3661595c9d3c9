//! Tests that no sequence of commands changes or removes tables and views of users, even if their names are similar to
//! those of Tacho's tables.

use std::sync::atomic::{AtomicU64, Ordering};

use tacho_testkit::servers::{MariaDb, Postgres};

use super::trial::Trial;
use crate::live::{at, attempt, drop_database, texts};

/// Tacho's tables and their columns, starting with the ones that every workload has.
const TACHO: [(&str, &str); 3] = [
    ("tacho_commits", "session_id INT NOT NULL, commits BIGINT NOT NULL"),
    ("tacho_marker", "k VARCHAR(100) NOT NULL, v VARCHAR(200) NOT NULL"),
    ("tacho_units", "unit BIGINT NOT NULL, loaded BIGINT NOT NULL"),
];
const TPCB: [(&str, &str); 4] = [
    ("pgbench_history", "tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP, filler CHAR(22)"),
    ("pgbench_tellers", "tid INT NOT NULL, bid INT, tbalance INT, filler CHAR(84)"),
    ("pgbench_branches", "bid INT NOT NULL, bbalance INT, filler CHAR(88)"),
    ("pgbench_accounts", "aid INT NOT NULL, bid INT, abalance INT, filler CHAR(84)"),
];
const OLTP: [(&str, &str); 1] = [("sbtest1", "id INT NOT NULL, k INT, c CHAR(120), pad CHAR(60)")];
const QUIET: &str = "--progress none -o quiet";

/// A database product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Product {
    Sqlite,
    Postgres,
    MariaDb,
}

/// A database that is created for a trial and removed after it.
struct Database {
    product: Product,
    name: String,
    target: String,
}

impl Database {
    fn create(product: Product, trial: &Trial) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("destroyed{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let target = match product {
            Product::Sqlite => {
                trial.folder.write("a.db", "");
                format!("sqlite:{}", trial.folder.file("a.db").display())
            }
            Product::Postgres => {
                Postgres::shared().database(&name).expect("a database");
                at(Postgres::shared(), &name)
            }
            Product::MariaDb => {
                let create = format!("CREATE DATABASE {name}");
                MariaDb::shared().client(&create).expect("a database");
                at(MariaDb::shared(), &name)
            }
        };
        Self { product, name, target }
    }

    fn quoted(&self, name: &str) -> String {
        let quote = if self.product == Product::MariaDb { "`" } else { "\"" };
        format!("{quote}{}{quote}", name.replace(quote, &quote.repeat(2)))
    }

    /// Returns the rows of a query, or the error.
    fn rows(&self, query: &str) -> Vec<String> {
        texts(&self.target, query)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        match self.product {
            Product::Sqlite => {}
            Product::Postgres => drop_database(Postgres::shared(), &self.name),
            Product::MariaDb => drop_database(MariaDb::shared(), &self.name),
        }
    }
}

/// A user's table or view.
struct Object {
    /// The name without quotes and schema.
    name: String,
    query: String,
    rows: Vec<String>,
}

/// A database, the names of Tacho's tables in it, and the objects that a user created.
struct Objects {
    database: Database,
    tables: Vec<(&'static str, &'static str)>,
    users: Vec<Object>,
}

impl Objects {
    fn draw_name(&self, trial: &mut Trial) -> (String, &'static str) {
        let (base, columns) = *trial.pick(&self.tables);
        let name = match trial.below(9) {
            0..=2 => base.to_owned(),
            3 => base.to_uppercase(),
            4 => base[..1].to_uppercase() + &base[1..],
            5 => base.replace('_', "_x_"),
            6 => format!("{base}2"),
            7 => format!("own {base}"),
            _ => format!("{}\"`'é", &base[..4]),
        };
        (name, columns)
    }

    /// Creates a user's object with a random name. Does nothing if the database rejects it, for example because the
    /// name is in use.
    fn create(&mut self, trial: &mut Trial) {
        let (name, columns) = self.draw_name(trial);
        let in_schema = self.database.product == Product::Postgres && trial.chance(40);
        let quoted = self.database.quoted(&name);
        let place = if in_schema { format!("own.{quoted}") } else { quoted };
        let rows = 1 + trial.below(3);
        let all = |of: String| format!("SELECT CAST(count(*) AS CHAR(9)) FROM {of}");
        let (script, query) = match trial.below(4) {
            0 => {
                let script = format!("CREATE VIEW {place} AS SELECT 4711 AS k");
                (script, format!("SELECT CAST(k AS CHAR(9)) FROM {place}"))
            }
            1 => (format!("CREATE TABLE {place} ({columns})"), all(place.clone())),
            _ => {
                let values: Vec<String> = (0..rows).map(|row| format!("({row}, 'own')")).collect();
                let script = format!(
                    "CREATE TABLE {place} (k INT, own VARCHAR(9)); INSERT INTO {place} VALUES {}",
                    values.join(", ")
                );
                (script, format!("SELECT CONCAT(k, own) FROM {place} ORDER BY 1"))
            }
        };
        let query = match self.database.product {
            Product::Sqlite => query.replace("CONCAT(k, own)", "k || own"),
            _ => query,
        };
        if in_schema {
            drop(attempt(&self.database.target, "CREATE SCHEMA IF NOT EXISTS own"));
        }
        let is_created = attempt(&self.database.target, &script).is_ok();
        trial.note(format!("{script}{}", if is_created { "" } else { " (rejected)" }));
        if is_created {
            let rows = self.database.rows(&query);
            self.users.push(Object { name, query, rows });
        }
    }

    /// Replaces one of Tacho's tables with a user's table that has other columns.
    fn replace(&mut self, trial: &mut Trial) {
        let (table, _) = *trial.pick(&self.tables);
        let is_like = |object: &Object| object.name.eq_ignore_ascii_case(table);
        if self.users.iter().any(is_like) {
            return;
        }
        drop(attempt(&self.database.target, &format!("DROP TABLE {table}")));
        let script = format!("CREATE TABLE {table} (own INT); INSERT INTO {table} VALUES (7)");
        if attempt(&self.database.target, &script).is_ok() {
            trial.note(format!("{table} replaced"));
            let query = format!("SELECT CAST(own AS CHAR(9)) FROM {table}");
            self.users.push(Object { name: table.into(), rows: vec!["7".into()], query });
        }
    }

    /// Removes the notes about tables from Tacho's marker table, because earlier versions did not write these notes.
    fn forget(&self, trial: &mut Trial) {
        if !self.users.iter().any(|object| object.name.eq_ignore_ascii_case("tacho_marker")) {
            let sql = "DELETE FROM tacho_marker WHERE k LIKE 'table.%'";
            if attempt(&self.database.target, sql).is_ok() {
                trial.note("marker without notes");
            }
        }
    }

    fn are_kept(&self, after: &str) {
        for Object { query, rows, .. } in &self.users {
            let now: Vec<String> =
                self.database.rows(query).iter().map(|row| row.trim().into()).collect();
            let before: Vec<&str> = rows.iter().map(|row| row.trim()).collect();
            assert_eq!(now, before, "{query} after {after}");
        }
    }
}

pub fn perform(trial: &mut Trial) {
    let product = match trial.below(8) {
        0 => Product::Postgres,
        1 => Product::MariaDb,
        _ => Product::Sqlite,
    };
    let (workload, more, tables) = if trial.chance(70) {
        ("tpcb", "", &TPCB[..])
    } else {
        ("oltp", "--set table_size=100", &OLTP[..])
    };
    trial.note(format!("{workload} on {product:?}"));
    let database = Database::create(product, trial);
    let target = database.target.clone();
    let tables = TACHO.iter().chain(tables).copied().collect();
    let mut objects = Objects { database, tables, users: Vec::new() };
    if product == Product::Postgres && trial.chance(60) {
        let path = *trial.pick(&["public, own", "own, public"]);
        let name = &objects.database.name;
        trial.note(format!("search_path = {path}"));
        crate::live::sql(
            &target,
            &format!("CREATE SCHEMA own; ALTER DATABASE {name} SET search_path = {path}"),
        );
    }
    let short = "--transactions 10 --ramp-up 0s --check none";
    for _ in 0..5 + trial.below(6) {
        let (word, line) = match trial.below(12) {
            0..=2 => {
                objects.create(trial);
                continue;
            }
            3 => {
                objects.replace(trial);
                continue;
            }
            4 => {
                objects.forget(trial);
                continue;
            }
            5 | 6 => ("prepare", format!("prepare {workload} '{target}' {more} {QUIET}")),
            7 | 8 => (
                "run with marks",
                format!("run {workload} '{target}' {short} --verify commits {QUIET}"),
            ),
            9 => ("run", format!("run {workload} '{target}' {short} {QUIET}")),
            10 => ("clean", format!("clean {workload} '{target}' --yes {QUIET}")),
            _ => ("restore", "restore".to_owned()),
        };
        let done = trial.tacho(&line);
        trial.note(format!("{word} {}", done.code()));
        objects.are_kept(word);
    }
    for word in ["prepare", "clean"] {
        let end = if word == "clean" { "--yes" } else { more };
        let done = trial.tacho(&format!("{word} {workload} '{target}' {end} {QUIET}"));
        trial.note(format!("{word} {}", done.code()));
        objects.are_kept(word);
    }
}
