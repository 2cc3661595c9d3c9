//! An error in a folder is reported with its file, line and column, and with the most similar name.

use crate::common::{workload, wrong};
use tacho_driver::Values;
use tacho_testkit::contract;
use tacho_workload::Slice;

const SQL: &str = "-- name: get(k int) -> (v int, note text)\nSELECT v, note FROM t WHERE k = :k\n";
const TABLE: &str =
    "[tables.t]\nrows = 10\nkey = ['k']\n[tables.t.columns]\nk = { type = 'int', value = 'row' }\n";

/// Returns a workload with the given steps, which start on line 3.
fn steps(text: &str) -> String {
    format!("name = 'w'\n[transactions.a]\nsteps = '''{text}'''\n")
}

#[test]
fn rejects_invalid_steps_at_their_line() {
    let table = [
        ("get(1", "workload.toml:3:17: unexpected the end of the text", ""),
        ("\nget(1)\n  gte(2)", "workload.toml:5:3: unknown statement \"gte\"", "get"),
        ("\nlet x = gte(2)\nget(x)", "workload.toml:4:9: unknown function \"gte\"", "get"),
        ("let x = unifrom(1, 2)\nget(x)", "workload.toml:3:20: unknown function", "uniform"),
        ("get(kee)", "workload.toml:3:16: unknown name \"kee\"", ""),
        ("get(randint(1, 9))", "unknown function \"randint\"", "uniform(low, high)"),
        ("let t = now()\nget(1)", "unknown function \"now\"", "CURRENT_TIMESTAMP"),
        ("get('a')", "workload.toml:3:16: expected a whole number, found a text", "k of get"),
        ("get(1, 2)", "get requires 1 values, but 2 were given", "get(k)"),
        ("get(1 / 0)", "workload.toml:3:18: division by zero", ""),
        ("get(9223372036854775807 + 1)", "out of range", ""),
        ("get(uniform(2, 1))", "the lower bound is greater than the upper bound", ""),
        ("get(zipf(1, 9, -1.0))", "out of range", ""),
        ("get(uniform(1))", "wrong number of arguments for uniform: 1", "uniform(low, high)"),
        ("let r = get(1)\nget(r.w)", "unknown column \"w\"", "did you mean v"),
        ("let r = get(1)\nget(r)", "r is the result of a statement", "r.COLUMN"),
        ("get(q.v)", "unknown answer \"q\"", ""),
        ("if 1\nget(1)\nend", "expected a condition, found a whole number", ""),
        ("if true\nget(1)", "this block has no \"end\"", ""),
        ("begin\nget(1)", "workload.toml:3:12: the transaction begins here", "commit"),
        ("get(1)\ncommit", "no transaction is open", "begin"),
        ("begin\nbegin\ncommit", "a transaction is already open", ""),
        ("begin\nif true\ncommit\nend\ncommit", "one branch ends the transaction", ""),
        ("repeat 2\nbegin\nend\nget(1)", "opens a transaction without ending it", ""),
        ("begin\nrollback\nget(1)", "this step is never reached", ""),
        ("let x = 1\nlet x = 'a'\nget(x)", "x is a whole number and cannot be set to a text", ""),
        ("let get = 1\nget(1)", "\"get\" is a statement", "a different name"),
        ("let x = 1", "the transaction does not execute any statements", ""),
        ("get(next(ids))", "unknown sequence \"ids\"", ""),
        ("get(1 $ 2)", "workload.toml:3:18: unexpected character \"$\"", ""),
    ];
    for (text, message, hint) in table {
        let (found, hints) = wrong(&[("workload.toml", &steps(text)), ("s.sql", SQL)]);
        assert!(found.contains(message), "{text:?}: {found}");
        assert!(hints.contains(hint), "{text:?}: {hints}");
    }
}

#[test]
fn quotes_and_comments_of_sql_files_are_read() {
    let good = steps("get(1)");
    let text = "-- name: get(k int) -> (v int, note text)\n\
                SELECT v, E'it\\'s :x' || $$don't :y$$ /* it's\n-- name: get()\n*/ FROM t WHERE k = :k; -- it's :z\n";
    let workload = workload(&[("workload.toml", &good), ("s.sql", text)]);
    let catalog = workload.catalog(tacho_driver_noop::driver().dialect()).expect("statements");
    assert_eq!(catalog.statements()[0].placeholders, [0]);
    for (text, message) in [
        (SQL.replace("k = :k", "k = ':k'"), "does not use its parameter \"k\""),
        (
            SQL.replace("k = :k", "k = :k -- ' :l\n AND :l > 1"),
            "s.sql:3:6: statement get: parameter \"l\"",
        ),
        (
            SQL.replace("k = :k", "k = :k AND 'x"),
            "s.sql:2:40: a string, name or comment is missing its closing delimiter",
        ),
    ] {
        let (found, _) = wrong(&[("workload.toml", &good), ("s.sql", &text)]);
        assert!(found.contains(message), "{text:?}: {found}");
    }
}

#[test]
fn rejects_invalid_tables_and_keys_at_their_position() {
    let good = steps("get(1)");
    let table = [
        ("nmae = 1\n", "workload.toml:1:1: unknown key \"nmae\"", "name"),
        (
            "[let]\na = 'b + 1'\nb = 'a'\n",
            "the constants depend on each other in a cycle: a, b, a",
            "",
        ),
        ("[let]\na = 'uniform(1, 2)'\n", "the value must be constant", ""),
        ("[let]\na = '1 / 0'\n", "division by zero", ""),
        ("[let]\na = 'scael'\n", "unknown name \"scael\"", "scale"),
        (
            "[parameters]\np = { default = 5, max = 3 }\n",
            "invalid value for default: \"5\"",
            "0 to 3",
        ),
        ("[parameters]\np = { defualt = 5 }\n", "unknown key \"defualt\"", "default"),
        ("[profiles.x]\nabout = 'x'\nset = { q = 1 }\n", "unknown parameter \"q\"", ""),
        (
            "[headline]\nname = 'N'\ncounter = 'got'\ntransaction = 'a'\n",
            "unknown statement \"got\"",
            "get",
        ),
        (
            "[checks.C1]\nrule = 'r'\nstatement = 'get'\n",
            "get must take no parameters",
            "violation",
        ),
        ("[tables.t]\nrows = 'scale'\n", "t has no key \"columns\"", ""),
        (
            "[tables.t]\nrows = 1\nkey = ['x']\n[tables.t.columns]\nk = { type = 'int', value = 1 }\n",
            "unknown column \"x\"",
            "did you mean k",
        ),
        (
            "[tables.t]\nrows = 1\n[tables.t.columns]\nk = { type = 'itn', value = 1 }\n",
            "workload.toml:5:7: invalid type \"itn\"",
            "smallint",
        ),
        (
            "[tables.t]\nrows = 1\n[tables.t.columns]\nk = { type = 'int', value = \"'a'\" }\n",
            "expected a whole number, found a text",
            "",
        ),
        (
            "[tables.t]\nrows = 9\n[tables.t.columns]\nk = { type = 'int', value = '10 / (9 - row)' }\n",
            "division by zero, row 9 of t, column k",
            "",
        ),
        (
            "[tables.t]\nrows = 9\n[tables.t.columns]\nk = { type = 'smallint', value = '40000 * row' }\n",
            "does not fit into its column or parameter, row 1 of t",
            "",
        ),
        (
            "[tables.t]\nrows = 9\n[tables.t.columns]\nk = { type = 'char(3)', value = \"'abcd'\" }\n",
            "does not fit",
            "",
        ),
        (
            "[tables.t]\nrows = '1.5'\n[tables.t.columns]\nk = { type = 'int', value = 1 }\n",
            "whole number",
            "",
        ),
        ("[sequences]\ns = 'get'\n", "must take no parameters and return one number", ""),
        ("x = \n", "workload.toml:1:", "toml.io"),
    ];
    for (text, message, hint) in table {
        // Insert a new table between two other tables. If it were inserted inside a table, it would split that table in
        // two.
        let file = if text.starts_with('[') {
            format!("name = 'w'\n{text}[transactions.a]\nsteps = 'get(1)'\n")
        } else {
            format!("{text}{good}")
        };
        let (found, hints) = wrong(&[("workload.toml", &file), ("s.sql", SQL)]);
        assert!(found.contains(message), "{text:?}: {found}");
        assert!(hints.contains(hint), "{text:?}: {hints}");
    }
}

#[test]
fn rejects_invalid_sql_files_at_their_position() {
    let good = steps("get(1)");
    let table: [(&str, &str, &str, &str); 8] = [
        (
            "s.sql",
            "-- name: get(k itn)\nSELECT :k",
            "s.sql:1:1: invalid statement header",
            "-- name:",
        ),
        ("s.sql", "-- name: get(k int)\nSELECT 1", "get does not use its parameter \"k\"", ":k"),
        (
            "s.sql",
            "-- name: get(k int)\nSELECT :k,\n :kk",
            "s.sql:3:2: statement get: parameter \"kk\"",
            "k",
        ),
        (
            "s.sql",
            "-- name: get(k int)\nSELECT :k\n-- name: get(k int)\nSELECT :k",
            "two statements",
            "",
        ),
        ("s.sql", "-- name: get()\n\n", "statement get is empty", ""),
        ("t.sqlite.sql", "-- name: gte(k int)\nSELECT :k", "unknown statement \"gte\"", "get"),
        ("t.sqlite.sql", "-- name: get(k text)\nSELECT :k", "statement get has two signatures", ""),
        ("t.sqlit.sql", "", "unknown dialect \"sqlit\"", "sqlite"),
    ];
    for (name, text, message, hint) in table {
        let base = if name == "s.sql" { ("r.sql", "") } else { ("s.sql", SQL) };
        let (found, hints) = wrong(&[("workload.toml", &good), base, (name, text)]);
        assert!(found.contains(message), "{text:?}: {found}");
        assert!(hints.contains(hint), "{text:?}: {hints}");
    }
    let (found, hints) = wrong(&[]);
    assert!(found.contains("cannot read") && hints.contains("workload.toml"), "{found} {hints}");
}

#[test]
fn failed_rows_end_the_load_with_their_number() {
    let table = TABLE.replace("'row'", "'if(row = 5, row / (5 - row), row)'");
    let text = format!("name = 'w'\n{table}[transactions.a]\nsteps = 'get(1)'\n");
    let workload = workload(&[("workload.toml", &text), ("s.sql", SQL)]);
    let instance = contract::instance(&*workload, &contract::choices(1, "default"));
    let mut rows = instance.rows(&Slice { table: 0, slots: 0..10 });
    let mut values = Values::default();
    while rows.next_batch(&mut values) > 0 {}
    let error = rows.error().expect("an error").to_string();
    assert!(error.contains("division by zero, row 5 of t, column k"), "{error}");
    assert_eq!(values.len(), 5);
}
