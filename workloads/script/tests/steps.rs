//! The effects of steps, tested on SQLite by inspecting the resulting data.

use crate::common::workload;
use tacho_core::{ErrorKind, Result, Seed};
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, load};
use tacho_workload::{Choices, Outcome, Purpose, Tally};

const SQL: &str = "
-- name: put(k int, v int, note text, price decimal(2), at time)
INSERT INTO log (k, v, note, price, at) VALUES (:k, :v, :note, :price, :at)
-- name: some(low int) -> (k int, price decimal(2), note text, at time)
SELECT k, price, note, at FROM t WHERE k >= :low ORDER BY k
-- name: last() -> (k int)
SELECT MAX(k) FROM log
-- name: log_sum() -> (n int, k int, v int, price decimal(2))
SELECT COUNT(*), SUM(k), SUM(v), SUM(price) FROM log
-- name: log_note() -> (note text)
SELECT note FROM log ORDER BY k DESC
LIMIT 1
-- name: change(k int)
UPDATE t SET price = price + 1 WHERE k = :k
";

const TABLES: &str = "
[sequences]
id = 'last'
[tables.t]
rows = 5
key = ['k']
[tables.t.columns]
k = { type = 'int', value = 'row' }
price = { type = 'decimal(8,2)', value = 'row + 0.25' }
note = { type = 'varchar(20)', value = \"'n' || text(row)\", nullable = true }
at = { type = 'timestamp', value = \"add_days(date('2026-01-01'), row)\" }
[tables.log]
rows = 0
[tables.log.columns]
k = { type = 'int', value = 'row' }
v = { type = 'int', value = 'row', nullable = true }
note = { type = 'varchar(40)', value = \"''\", nullable = true }
price = { type = 'decimal(8,2)', value = 0, nullable = true }
at = { type = 'timestamp', value = 'loaded_at', nullable = true }
";

/// Contents of the log table: the row count, the sums of k, v and price (in hundredths), and the
/// note in the last row.
type Log = ((i64, Option<i64>, Option<i64>, Option<i64>), Option<String>);

/// Runs steps once on a new database.
fn run(steps: &str, form: Form) -> (Result<Outcome>, Log) {
    let text = format!("name = 'w'\n{TABLES}\n[transactions.a]\nsteps = '''\n{steps}\n'''\n");
    let workload = workload(&[("workload.toml", &text), ("s.sql", SQL)]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("x.db").display());
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, &target);
    let choices = Choices { sessions: 2, ..contract::choices(1, "default") };
    let instance = contract::instance(&*workload, &choices);
    load(&bench, &*instance).expect("the data");
    let catalog = instance.catalog(driver.dialect()).expect("a catalog");
    let session = bench.session().expect("a session");
    let mut exchange = bench.wait(Exchange::new(session, catalog, form)).expect("an exchange");
    bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run)).expect("a look");
    let mut client = instance.client(0);
    client.next();
    let result = bench.wait(client.run(&mut exchange));
    bench.wait(exchange.reset()).expect("a reset");
    exchange.execute(tacho_driver::StatementId(3));
    let reply = bench.wait(exchange.send()).expect("the log");
    let row = reply.one(0).expect("a row");
    let number = |column| row.maybe_number(column).expect("a number");
    let sums = (row.number(0).expect("a count"), number(1), number(2), number(3));
    exchange.execute(tacho_driver::StatementId(4));
    let reply = bench.wait(exchange.send()).expect("the note");
    let note = reply.get(0, 0).and_then(|row| row.text(0).ok());
    let note = note.map(|note| String::from_utf8_lossy(note).into_owned());
    (result, (sums, note))
}

/// Runs the steps with separate statements, then with pipelined ones. Both runs must commit and write the same rows.
/// Returns the log table's contents.
fn log(steps: &str) -> Log {
    let (result, log) = run(steps, Form::Sql);
    assert_eq!(result.expect(steps), Outcome::Committed);
    let (result, piped) = run(steps, Form::Pipelined);
    assert_eq!(result.expect(steps), Outcome::Committed);
    assert_eq!(log, piped, "{steps}");
    log
}

#[test]
fn values_keep_their_types_when_bound() {
    let steps = "begin\nput(1, 2, 'a''b' || pad(7, 3), 1.25 * 3, date('2026-01-02'))\nput(2, null, null, 10, null)\ncommit";
    assert_eq!(log(steps), ((2, Some(3), Some(2), Some(1375)), None));
    let ((1, ..), Some(note)) = log("put(1, 2, 'a''b' || pad(7, 3), 0, null)") else {
        panic!("one row with a note")
    };
    assert_eq!(note, "a'b007");
}

#[test]
fn answers_are_values_and_rows_are_looped_over() {
    let steps = "let sum = 0\nlet text = ''\nbegin\nlet first = some(4)\nput(first.rows, first.k, first.note, first.price, first.at)\n\
                 for row in some(2)\nlet sum = sum + row.k\nlet text = text || row.note\n\
                 for inner in some(5)\nput(row.k * 10, inner.k, row.note, row.price, row.at)\nend\nend\n\
                 put(99, sum, text, 0, null)\ncommit";
    // The first row has the number 2, because `some(4)` returns two rows. It is followed by a row for each of the rows
    // 2 to 5, and by a row with the sums.
    let expected = 2 + 20 + 30 + 40 + 50 + 99;
    let prices = 425 + 225 + 325 + 425 + 525;
    assert_eq!(
        log(steps),
        ((6, Some(expected), Some(4 + 4 * 5 + 14), Some(prices)), Some("n2n3n4n5".into()))
    );
}

#[test]
fn branches_and_loops() {
    let steps = "begin\nrepeat 5 as i\nif i = 1\nput(i, 10, null, 0, null)\nelif i % 2 = 0\nput(i, 20, null, 0, null)\n\
                 else\nput(i, 30, null, 0, null)\nend\nend\nrepeat 0\nput(9, 9, null, 0, null)\nend\ncommit";
    assert_eq!(log(steps).0, (5, Some(15), Some(10 + 20 + 30 + 20 + 30), Some(0)));
    let steps = "let none = some(100)\nif none.rows = 0\nput(1, 0, null, 0, null)\nend\n\
                 let c = change(3)\nput(2, c.changed, null, 0, null)\nlet d = change(77)\nput(3, d.changed, null, 0, null)";
    assert_eq!(log(steps).0, (3, Some(6), Some(1), Some(0)));
}

#[test]
fn an_intended_rollback_leaves_nothing_and_is_no_failure() {
    let steps = "let k = 1\nbegin\nput(k, 2, null, 0, null)\nif k = 1\nrollback\nend\ncommit";
    let (result, log) = run(steps, Form::Sql);
    assert_eq!(result.expect("an end"), Outcome::RolledBack);
    assert_eq!(log.0.0, 0);
}

#[test]
fn sequences_continue_after_existing_rows() {
    // Two sessions share the sequence. The first session gets only odd numbers: 1, 3 and 5.
    let steps = "let a = next(id)\nlet b = next(id)\nput(a, last(id), null, 0, null)\nput(b, 0, null, 0, null)";
    assert_eq!(log(steps).0, (2, Some(4), Some(3), Some(0)));
}

#[test]
fn run_time_errors_name_their_position() {
    let table = [
        (
            "let none = some(100)\nput(none.k, 0, null, 0, null)",
            ":5: the statement returned no row",
            ErrorKind::Missing,
        ),
        (
            "let c = change(77)\nrequire c.changed = 1",
            "required condition is not met",
            ErrorKind::Missing,
        ),
        (
            "let c = change(77)\nput(1 / c.changed, 0, null, 0, null)",
            "division by zero",
            ErrorKind::Usage,
        ),
        (
            "let zero = uniform(0, 0)\nput(1 / zero, 0, null, 0, null)",
            "division by zero",
            ErrorKind::Usage,
        ),
        (
            "let zero = uniform(0, 0)\nlet x = 1 / zero\nput(x, 0, null, 0, null)",
            "division by zero",
            ErrorKind::Usage,
        ),
        (
            "repeat 1000000\nput(1, 0, null, 0, null)\nend",
            "more than 100000 iterations",
            ErrorKind::Usage,
        ),
        (
            "let x = ''\nrepeat 1000\nlet x = x || fill('abc', 900000)\nlet x = ''\nend\nput(1, 0, null, 0, null)",
            "more than 256 MiB of text",
            ErrorKind::Resource,
        ),
        ("put(1, 0, fill('abc', 2000000), 0, null)", "longer than 1000000 bytes", ErrorKind::Usage),
    ];
    for (steps, message, kind) in table {
        let (found, kind) = match std::panic::catch_unwind(|| run(steps, Form::Sql)) {
            Ok((result, _)) => {
                let error = result.expect_err(steps);
                assert_eq!(error.kind(), kind, "{steps}: {error}");
                (error.to_string(), kind)
            }
            // Errors in constants are detected when the folder is read.
            Err(panic) => (*panic.downcast::<String>().expect("a text"), kind),
        };
        assert!(found.contains(message), "{steps}: {found} {kind:?}");
        assert!(found.contains("workload.toml:"), "{steps}: {found}");
    }
}

#[test]
fn the_first_requirement_that_is_not_met_is_named() {
    // The requirements check three things: the last statement, an earlier statement, and numbers that later steps read
    // too.
    let steps = |numbers: [i64; 4]| {
        let [rows, first, earlier, second] = numbers;
        format!(
            "let two = some(4)\nlet one = change(3)\nrequire two.rows = {rows} and two.changed = 0\n\
             require one.changed = {first}\nlet none = change(77)\nrequire one.changed = {earlier}\n\
             require none.changed = {second}\nput(two.rows, none.changed, null, 0, null)"
        )
    };
    let met = [2, 1, 1, 0];
    assert_eq!(log(&steps(met)).0, (1, Some(2), Some(0), Some(0)));
    let before = TABLES.lines().count() + 4;
    for (at, line) in [(0, 3), (1, 4), (2, 6), (3, 7)] {
        for form in [Form::Sql, Form::Pipelined] {
            let mut numbers = met;
            numbers[at] = 7;
            let (result, log) = run(&steps(numbers), form);
            let error = result.expect_err("a requirement that is not met").to_string();
            let place = format!("workload.toml:{}:", before + line);
            assert!(error.contains(&place), "{error}, expected at {place}");
            assert!(error.contains("required condition is not met"), "{error}");
            assert_eq!(log.0.0, 0, "{error}");
        }
    }
}

#[test]
fn inputs_follow_from_seed_session_and_sequence() {
    let text = format!(
        "name = 'w'\n{TABLES}\n[transactions.a]\nweight = 3\nsteps = '''let k = uniform(1, 1000)\nlet z = zipf(1, 50, 0.9)\nput(k, z, random_text(3, 9), random() * 10, null)'''\n[transactions.b]\nsteps = 'put(uniform(1, 9), 0, null, 0, null)'\n"
    );
    let workload = workload(&[("workload.toml", &text), ("s.sql", SQL)]);
    let draw = |seed, session| {
        let choices = Choices { seed: Seed(seed), ..contract::choices(1, "default") };
        let instance = contract::instance(&*workload, &choices);
        let mut client = instance.client(session);
        let kinds: Vec<usize> = (0..5_000).map(|_| client.next().transaction).collect();
        let rules = instance.audit_rules();
        let mut tally = Tally::new(rules.len());
        client.audit(&mut tally);
        for (at, rule) in rules.iter().enumerate() {
            let (sum, draws) = tally.get(at);
            let (low, high) = rule.band_for(draws);
            let share = sum as f64 / draws as f64;
            assert!((low..=high).contains(&share), "{rule:?}: {share}");
        }
        assert_eq!(rules.len(), 4, "{rules:?}");
        (kinds, tally)
    };
    assert!(draw(1, 0) == draw(1, 0));
    assert!(draw(1, 0) != draw(1, 1) && draw(1, 0) != draw(2, 0));
}
