//! Tests that tables created by other tools can be checked, and that runs can use them without any changes. Each tool
//! is tested on all servers that it supports.
//!
//! The tools themselves are not installed. Each file `adopted/TOOL_DATABASE.txt` describes a tool's tables according to
//! its documentation.
//!
//! The `.sql` files are named after tools. They change Tacho's own tables, so that these get the same columns and keys
//! as the tool's tables.

use tacho_testkit::servers::{Kind, Postgres, TestServer};
use tacho_tests::Folder;

/// Profiles that imitate other tools. Each has the form in which its tool sends statements.
const TOOLS: [(&str, &str); 2] = [("go_tpc", "sql"), ("sysbench_tpcc", "simple")];

/// Queries that return the columns, keys and indexes of all tables in a schema or database.
pub struct Shape {
    pub columns: &'static str,
    pub indexes: &'static str,
}

pub fn adopts<K: Kind>(server: &TestServer<K>, shape: &Shape, ask: impl Fn(&str, &str) -> String) {
    let folder = Folder::new();
    for (name, form) in TOOLS {
        let profile = name.replace('_', "-");
        let database = format!("adopted_{name}");
        let target = crate::live::at(server, &database);
        let silent = "--progress none";
        let prepare = format!("prepare tprocc '{target}' --profile {profile} -s 1 -c 2 {silent}");
        folder.tacho(&prepare).exits(0);
        ask(&database, "DROP TABLE tacho_marker; DROP TABLE tacho_units");
        let now = || ask(&database, shape.columns) + &ask(&database, shape.indexes);
        let before = now();
        assert!(before.contains("ol_quantity") && before.matches('\n').count() > 90, "{before}");
        let tprocc = format!("tprocc '{target}'");
        folder.tacho(&format!("run {tprocc} -d 1s")).exits(3).complains(&["did not create"]);
        let adopt = format!("{tprocc} --adopt {profile}");
        folder.tacho(&format!("check {adopt}")).exits(0).says(&["C1", "C12"]);
        let run = format!(
            "run {adopt} --form {form} -c 2 --transactions 600 --ramp-up 0s -o json {silent}"
        );
        let record = folder.tacho(&run).exits(0).json();
        assert_eq!(record["plan"]["scale"].as_f64(), Some(1.0));
        let headline = &record["result"]["headline"];
        assert!(headline["schema_count"].as_u64().is_some_and(|count| count > 0), "{headline}");
        folder.tacho(&format!("check {adopt}")).exits(0);
        assert_eq!(now(), before, "{name}: a table has changed");
        crate::live::drop_database(server, &database);
    }
}

/// A tool whose tables have a description.
pub struct Described {
    pub profile: &'static str,
    /// Description of the tables as the server would report them. It has a line for each column, index and foreign key.
    pub shape: &'static str,
    /// Statements that change Tacho's tables so that they match the description exactly.
    pub changes: &'static str,
    /// Lines of the description that do not match Tacho's tables, each with the line that replaces it.
    pub replaced: &'static [(&'static str, &'static str)],
}

const POSTGRES: [Described; 2] = [
    Described {
        profile: "dbt2",
        shape: include_str!("adopted/dbt2_postgres.txt"),
        changes: include_str!("adopted/dbt2_postgres.sql"),
        replaced: &[(" real", " numeric(24,12)")],
    },
    Described {
        profile: "benchbase",
        shape: include_str!("adopted/benchbase_postgres.txt"),
        changes: include_str!("adopted/benchbase_postgres.sql"),
        replaced: &[("double precision", "numeric(12,2)"), (" on delete cascade", "")],
    },
];

pub const MARIADB: [Described; 3] = [
    Described {
        profile: "tpcc-mysql",
        shape: include_str!("adopted/tpcc-mysql_mysql.txt"),
        changes: "",
        replaced: &[],
    },
    Described {
        profile: "dbt2",
        shape: include_str!("adopted/dbt2_mysql.txt"),
        changes: include_str!("adopted/dbt2_mysql.sql"),
        replaced: &[(" double", " decimal(24,12)")],
    },
    Described {
        profile: "benchbase",
        shape: include_str!("adopted/benchbase_mysql.txt"),
        changes: include_str!("adopted/benchbase_mysql.sql"),
        replaced: &[(" float", " decimal(12,2)"), (" on delete cascade", "")],
    },
];

/// Checks that Tacho's tables match the description, except for the differences that are documented.
///
/// Also checks that Tacho can use tables that match the description exactly.
pub fn are_as_described<K: Kind>(
    server: &TestServer<K>,
    tools: &[Described],
    question: &str,
    ask: impl Fn(&str, &str) -> String,
) {
    let folder = Folder::new();
    for Described { profile, shape, changes, replaced } in tools {
        let database = format!("described_{}", profile.replace('-', "_"));
        let target = crate::live::at(server, &database);
        let prepare = format!("prepare tprocc '{target}' --profile {profile} -s 1 -c 2");
        folder.tacho(&format!("{prepare} --progress none")).exits(0);
        let are = |text: &str| same_lines(&ask(&database, question), text, profile);
        let ours = replaced.iter().fold(shape.to_string(), |text, (theirs, ours)| {
            assert!(text.contains(theirs), "{theirs}");
            text.replace(theirs, ours)
        });
        are(&ours);
        ask(&database, &format!("DROP TABLE tacho_marker; DROP TABLE tacho_units; {changes}"));
        are(shape);
        let adopt = format!("tprocc '{target}' --adopt {profile}");
        folder.tacho(&format!("check {adopt}")).exits(0).says(&["C1", "C12"]);
        let run =
            format!("run {adopt} -c 2 --transactions 300 --ramp-up 0s -o json --progress none");
        let record = folder.tacho(&run).exits(0).json();
        let headline = &record["result"]["headline"];
        assert!(headline["schema_count"].as_u64().is_some_and(|count| count > 0), "{headline}");
        folder.tacho(&format!("check {adopt}")).exits(0);
        are(shape);
        crate::live::drop_database(server, &database);
    }
}

/// Fails if a line occurs in only one of the texts. The order of the lines does not matter.
fn same_lines(found: &str, expected: &str, profile: &str) {
    let only = |these: &str, others: &str| -> Vec<String> {
        let has = |line: &&str| others.lines().any(|other| other == *line);
        these.lines().filter(|line| !has(line)).map(str::to_owned).collect()
    };
    let (more, less) = (only(found, expected), only(expected, found));
    assert!(more.is_empty() && less.is_empty(), "{profile}: found {more:#?}, not {less:#?}");
}

#[test]
fn tables_are_as_other_tools_have_them_on_postgres() {
    let server = Postgres::shared();
    let question = include_str!("adopted/shape_postgres.sql");
    let ask = |name: &str, sql: &str| server.client_on(name, sql).expect("an answer");
    are_as_described(server, &POSTGRES, question, ask);
}
