//! Round-trip tests for values of every size and shape.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Form, StatementId};
use tacho_testkit::conformance::{Bench, statement, tables};
use tacho_testkit::live::ManyRows;

use crate::common::{check, driver, enter, exchange, places, rows};

#[test]
fn decimals_are_exact() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: number(d decimal(2)) -> (d decimal(2), wide decimal(4), text text)
SELECT CAST(:d AS DECIMAL(20,2)), CAST(:d AS DECIMAL(24,4)), CAST(CAST(:d AS DECIMAL(20,2)) AS CHAR)
-- name: big(n int) -> (n int, sum int, cents decimal(2))
SELECT CAST(:n AS SIGNED), sum(v), CAST(:n AS SIGNED) FROM (SELECT CAST(:n AS SIGNED) AS v) t";
    let table = [
        (0, "0.00"),
        (1, "0.01"),
        (-1, "-0.01"),
        (99, "0.99"),
        (1_000_000, "10000.00"),
        (-123_456_789, "-1234567.89"),
        (92_233_720_368_547_758, "922337203685477.58"),
    ];
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("data"));
        let mut exchange = exchange(&bench, sql, Form::Sql)?;
        for (cents, text) in table {
            exchange.execute(StatementId(0)).decimal(cents);
            let row = format!("{cents}e {}e '{text}'", cents * 100);
            assert_eq!(bench.send(&mut exchange)?[0].0, [row]);
        }
        // The statement returns the value times one hundred, which here does not fit into 64 bits.
        exchange.execute(StatementId(0)).decimal(i64::MAX);
        assert_eq!(bench.send(&mut exchange).expect_err("overflow").kind(), ErrorKind::Protocol);
        exchange.execute(StatementId(1)).int(-5);
        assert_eq!(bench.send(&mut exchange)?[0].0, ["-5 -5 -500e"]);
    }
    Ok(())
}

/// A result column must have the same type whether its statement is sent alone or together with others.
///
/// The error must name the first statement whose result is wrong, and the session must remain usable.
#[test]
fn statements_alone_and_together_keep_their_types() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: next(x int) -> (a int)
SELECT :x + 1
-- name: shown(x int) -> (t text)
SELECT CAST(:x AS CHAR(9))
-- name: wrong(x int) -> (a int)
SELECT CONCAT(:x, '5')";
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("data"));
        let mut exchange = exchange(&bench, sql, Form::Pipelined)?;
        for round in 1..=3 {
            exchange.execute(StatementId(0)).int(round);
            exchange.execute(StatementId(1)).int(round);
            let all = bench.send(&mut exchange)?;
            assert_eq!(all[0].0, [(round + 1).to_string()]);
            assert_eq!(all[1].0, [format!("'{round}'")]);
            exchange.execute(StatementId(0)).int(-round);
            assert_eq!(bench.send(&mut exchange)?[0].0, [(1 - round).to_string()]);
            exchange.execute(StatementId(2)).int(round);
            exchange.execute(StatementId(0)).int(round);
            let error = bench.send(&mut exchange).expect_err("text is no number");
            assert_eq!(error.kind(), ErrorKind::Syntax);
            assert!(error.to_string().contains("wrong"), "{error}");
        }
    }
    Ok(())
}

/// A value that the declared kind cannot represent exactly is an error. The session must remain usable.
#[test]
fn rejects_values_that_do_not_fit_the_signature() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let table = [
        ("d decimal(2)", "0.125", ErrorKind::Protocol),
        ("d decimal(2)", "1e0", ErrorKind::Syntax),
        ("d decimal(2)", "CAST('1e17' AS DECIMAL(30))", ErrorKind::Protocol),
        ("n int", "'5'", ErrorKind::Syntax),
        ("n int", "18446744073709551615", ErrorKind::Protocol),
        ("n int", "1.5", ErrorKind::Protocol),
        ("s text", "5", ErrorKind::Syntax),
        ("t time", "CAST('11:00:00' AS TIME)", ErrorKind::Syntax),
    ];
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("data"));
        for (field, value, kind) in table {
            let sql = format!(
                "-- name: bad() -> ({field}, m int)\nSELECT {value}, 1\n\
                 -- name: good() -> (n int)\nSELECT 7"
            );
            let mut exchange = exchange(&bench, &sql, Form::Sql)?;
            exchange.execute(StatementId(0));
            let error = bench.send(&mut exchange).expect_err(value);
            assert_eq!(error.kind(), kind, "{value}: {error}");
            assert!(error.to_string().contains("bad") && !error.hints().is_empty(), "{error}");
            assert_eq!(rows(&bench, &mut exchange, 1)?, ["7"]);
        }
        let wide = "-- name: wide() -> (n int)\nSELECT 1, 2";
        let error = exchange(&bench, wide, Form::Sql).err().expect("two columns");
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
    }
    Ok(())
}

#[test]
fn texts_of_every_size_round_trip() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: echo(s text) -> (s text)\nSELECT CAST(:s AS CHAR CHARACTER SET utf8mb4)
-- name: after() -> (s text)\nSELECT 'after'";
    for place in places() {
        for target in [place.database("data"), place.tcp_database("data")] {
            let bench = Bench::new(&*driver, &target);
            let mut exchange = exchange(&bench, sql, Form::Sql)?;
            for size in [0, 1, 250, 251, 2_040, 2_048, 65_535, 65_536, 5_000_000] {
                let text: Vec<u8> = (0..size).map(|at| b'a' + (at % 26) as u8).collect();
                exchange.execute(StatementId(0)).text(&text);
                exchange.execute(StatementId(1));
                bench.wait(exchange.send())?;
                assert!(exchange.reply().one(0)?.text(0)? == text, "{size} bytes");
                assert_eq!(exchange.reply().one(1)?.text(0)?, b"after");
            }
            // Tacho must not send a packet larger than 16 MiB.
            exchange.execute(StatementId(0)).text(&vec![b'x'; 1 << 24]);
            let error = bench.send(&mut exchange).expect_err("too large");
            assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
            assert_eq!(rows(&bench, &mut exchange, 1)?, ["'after'"]);
        }
    }
    Ok(())
}

/// Parameter types are sent only once, even if the first value is NULL and thus has no type.
#[test]
fn parameters_change_between_null_and_values() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("nulls"));
        bench.reset()?;
        let mut exchange = bench.exchange(Form::Sql)?;
        for id in 0..4 {
            let insert = exchange.execute(statement::INSERT).int(id);
            if id % 2 == 0 {
                insert.null().null().null().null();
            } else {
                insert.int(id).decimal(id).text(b"x").time(id);
            }
            exchange.execute(statement::READ).int(id);
            let expected = if id % 2 == 0 {
                "NULL NULL NULL NULL".to_owned()
            } else {
                format!("{id} {id}e 'x' {id}us")
            };
            assert_eq!(bench.send(&mut exchange)?[1].0, [expected]);
        }
    }
    Ok(())
}

/// A prepared statement must still work after a column of its table has been altered.
#[test]
fn a_column_may_change_its_type() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: read() -> (n int)\nSELECT n FROM changing";
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("data"));
        bench.script("CREATE TABLE changing (n INT); INSERT INTO changing VALUES (-5)")?;
        let mut exchange = exchange(&bench, sql, Form::Sql)?;
        for ty in ["INT", "TINYINT", "BIGINT", "DECIMAL(9)", "SMALLINT"] {
            bench.script(&format!("ALTER TABLE changing MODIFY n {ty}"))?;
            for _ in 0..2 {
                assert_eq!(rows(&bench, &mut exchange, 0)?, ["-5"], "{} {ty}", place.scheme);
            }
        }
        bench.script("DROP TABLE changing")?;
    }
    Ok(())
}

const ROUTINES: &str = "DROP PROCEDURE IF EXISTS several;
DROP PROCEDURE IF EXISTS silent;
DROP PROCEDURE IF EXISTS gives;
DROP PROCEDURE IF EXISTS fails;
CREATE PROCEDURE several(IN a INT, OUT b INT)
BEGIN
    SELECT 'wide', 2, a;
    SELECT a + 1, 'one';
    SELECT a + 2, 'other';
    SET b = a * 2;
END;
CREATE PROCEDURE silent(IN a INT) BEGIN SET @kept = a; END;
CREATE PROCEDURE gives(IN a INT, OUT s VARCHAR(9), INOUT n DECIMAL(4,2), OUT b INT, IN c INT)
BEGIN
    SET s = 'text', n = n + c, b = a;
END;
CREATE PROCEDURE fails() BEGIN SELECT 1, 'x'; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'own words'; END";

/// If a table does not have the declared number of columns, it is skipped. The first table with this number of columns
/// is the result.
#[test]
fn a_call_gives_what_its_signature_declares() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: several(a int) -> (n int, s text)\nCALL several(:a, @out)
-- name: out() -> (b int)\nSELECT CAST(@out AS SIGNED)
-- name: silent(a int)\nCALL silent(:a)
-- name: ignored(a int)\nCALL several(:a, @out)
-- name: fails() -> (n int, s text)\nCALL fails()
-- name: missing() -> (n int)\nCALL silent(5)
-- name: gives(a int, c int) -> (s text, n decimal(2), b int)\nCALL gives(:a, :a, :a, :a, :c)";
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("calls"));
        bench.script(ROUTINES)?;
        let mut exchange = exchange(&bench, sql, Form::Procedures)?;
        for a in 0..3 {
            exchange.execute(StatementId(0)).int(a);
            exchange.execute(StatementId(1));
            exchange.execute(StatementId(2)).int(a);
            exchange.execute(StatementId(3)).int(a);
            let found: Vec<_> =
                bench.send(&mut exchange)?.into_iter().map(|(rows, _)| rows.join(";")).collect();
            let expected =
                [format!("{} 'one'", a + 1), (2 * a).to_string(), String::new(), String::new()];
            assert_eq!(found, expected);
            // Output parameters are returned as rows, and this must work for every execution of the statement.
            exchange.execute(StatementId(6)).int(a).int(2);
            let found = bench.send(&mut exchange)?.remove(0).0;
            assert_eq!(found, [format!("'text' {}e {a}", (a + 2) * 100)]);
        }
        exchange.execute(StatementId(4));
        let error = bench.send(&mut exchange).expect_err("own words");
        assert_eq!(error.native_code(), Some("1644"), "{error}");
        exchange.execute(StatementId(5));
        let error = bench.send(&mut exchange).expect_err("no rows");
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
        assert_eq!(rows(&bench, &mut exchange, 1)?, ["4"]);
    }
    Ok(())
}

const ROWS: i64 = 30_000;

/// A number that does not fit must be an error. By itself, the server would truncate it and only send a warning.
#[test]
fn many_rows_are_loaded_and_none_is_bent() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("loads"));
        bench.reset()?;
        let mut session = bench.session()?;
        let table = &tables()[0];
        let spoiled = bench.wait(session.load(table, &mut ManyRows::spoiled(ROWS)));
        let error = spoiled.expect_err("no integer");
        check(&error, ErrorKind::Constraint, Some("1264"), tacho_core::Retry::Never);
        assert_eq!(bench.totals()?, ["0 NULL"]);
        let loaded = bench.wait(session.load(table, &mut ManyRows::sound(ROWS)))?;
        assert_eq!(loaded, ROWS as u64);
        assert_eq!(bench.totals()?, [ManyRows::totals(ROWS)]);
        let mut exchange = bench.exchange(Form::Sql)?;
        exchange.execute(statement::READ).int(ROWS - 1);
        let expected = "-29999 -90007e 'naïve' 29999000000us";
        assert_eq!(bench.send(&mut exchange)?[0].0, [expected]);
        bench.wait(session.close())?;
    }
    Ok(())
}

#[test]
fn server_messages_have_their_kind() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let table = [
        ("SELEC 1", ErrorKind::Syntax, "1064"),
        ("SELECT * FROM absent", ErrorKind::Missing, "1146"),
        ("SELECT absent FROM p", ErrorKind::Missing, "1054"),
        ("CALL absent()", ErrorKind::Missing, "1305"),
        ("CREATE TABLE absent.t (a int)", ErrorKind::Missing, "1049"),
        ("SET absent = 1", ErrorKind::Missing, "1193"),
        ("INSERT INTO p VALUES (1, 'a')", ErrorKind::UniqueViolation, "1062"),
        ("INSERT INTO p VALUES (2, 'abcd')", ErrorKind::Constraint, "1406"),
        ("INSERT INTO p VALUES (NULL, 'a')", ErrorKind::Constraint, "1048"),
        ("INSERT INTO p VALUES (1 << 40, 'a')", ErrorKind::Constraint, "1264"),
        ("INSERT INTO c VALUES (7)", ErrorKind::Constraint, "1452"),
        ("SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'own'", ErrorKind::Other, "1644"),
        ("START TRANSACTION READ ONLY; DELETE FROM c", ErrorKind::Auth, "1792"),
    ];
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("complaints"));
        bench.script(
            "CREATE TABLE p (id int PRIMARY KEY, s varchar(3));
             CREATE TABLE c (id int, FOREIGN KEY (id) REFERENCES p (id)); INSERT INTO p VALUES (1, 'a')",
        )?;
        let mut session = bench.session()?;
        for (sql, kind, code) in table {
            let error = bench.wait(session.script(sql)).expect_err(sql);
            check(&error, kind, Some(code), tacho_core::Retry::Never);
        }
        let limit = if place.scheme == "mariadb" {
            ("SET STATEMENT max_statement_time = 0.2 FOR SELECT sleep(9) FROM p a, p b", "1969")
        } else {
            (
                "SELECT /*+ MAX_EXECUTION_TIME(200) */ count(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c",
                "3024",
            )
        };
        let error = bench.wait(session.script(limit.0)).expect_err("a limit");
        check(&error, ErrorKind::Timeout, Some(limit.1), tacho_core::Retry::Never);
        bench.wait(session.script("ROLLBACK"))?;
        let file = "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE p";
        let error = bench.wait(session.script(file)).expect_err("no file of ours is read");
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        bench.wait(session.script("ROLLBACK;\n-- the end\n"))?;
        bench.wait(session.script("\n"))?;
        bench.wait(session.close())?;
    }
    Ok(())
}

#[test]
fn facts_show_what_was_set() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for (place, product) in places().into_iter().zip(["MariaDB 1", "MySQL 9"]) {
        let bench = Bench::new(&*driver, &place.database("tacho"));
        let facts = bench.wait(bench.session()?.inspector().facts())?;
        assert!(facts.version.starts_with(product), "{}", facts.version);
        let expected = [
            ("transport", "unix socket", false),
            ("innodb_flush_log_at_trx_commit", "0", true),
            ("innodb_buffer_pool_size", "67108864", false),
            ("log_bin", "OFF", false),
            ("local_infile", "ON", false),
        ];
        for (name, value, risky) in expected {
            let mut found = facts.settings.iter().filter(|setting| setting.name == name);
            let setting = found.next().expect(name);
            assert!(found.next().is_none(), "{name} stands there once");
            let found = (setting.value.as_str(), setting.durability_risk.is_some());
            assert_eq!(found, (value, risky), "{name}");
        }
        let text = format!("{:?}", facts.settings);
        assert!(!text.contains("s.sock") && !text.contains("data/"), "{text}");
        assert!(text.contains("skip_name_resolve"), "what somebody changed: {text}");
        for name in ["character_set_database", "collation_database"] {
            let charset = facts.settings.iter().find(|setting| setting.name == name).expect(name);
            assert!(
                ["latin1", "utf8mb4"].iter().any(|set| charset.value.starts_with(set)),
                "{charset:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn advises_on_settings() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let advice = |target: &str| -> Result<String> {
            let bench = Bench::new(&*driver, target);
            let advice = bench.wait(bench.session()?.inspector().facts())?.advice;
            assert!(advice.iter().all(|item| !item.hint.is_empty()), "{advice:?}");
            Ok(advice.into_iter().map(|item| item.text + "\n").collect())
        };
        let target = place.database("advised");
        let bench = Bench::new(&*driver, &target);
        bench.reset()?;
        bench.script("SET GLOBAL innodb_adaptive_hash_index = OFF")?;
        assert_eq!(advice(&format!("{target}&isolation=read-committed"))?, "");
        bench.script("SET GLOBAL innodb_adaptive_hash_index = ON")?;
        assert!(advice(&target)?.contains("innodb_adaptive_hash_index is ON"));
        bench.script("SET GLOBAL innodb_adaptive_hash_index = OFF")?;
        if place.scheme == "mariadb" {
            let told = advice(&format!("{target}&snapshot-isolation=on"))?;
            assert!(told.contains("innodb_snapshot_isolation is ON"), "{told}");
            assert_eq!(advice(&format!("{target}&snapshot-isolation=off"))?, "");
        }
    }
    Ok(())
}
