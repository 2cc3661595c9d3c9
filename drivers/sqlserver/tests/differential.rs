//! Compares this driver with `tiberius`, another client for SQL Server. Each of the two reads rows that the other has
//! written.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Form, Session};
use tacho_testkit::conformance::{Bench, statement};
use tiberius::{AuthMethod, Client, Config, EncryptionLevel, Row};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

use crate::common::{Encryption, Server, driver, enter, server, target};

type Other = Client<Compat<TcpStream>>;

async fn other(server: &Server) -> Other {
    let mut config = Config::new();
    config.host("127.0.0.1");
    config.port(server.port());
    config.database("tacho");
    config.authentication(AuthMethod::sql_server("sa", "Secret1!"));
    config.encryption(EncryptionLevel::NotSupported);
    let stream = TcpStream::connect(config.get_addr()).await.expect("a connection");
    Client::connect(config, stream.compat_write()).await.expect("a login")
}

async fn ask(client: &mut Other, sql: &str) -> Vec<Row> {
    let answer = client.simple_query(sql).await.expect("an answer");
    answer.into_first_result().await.expect("rows")
}

/// Returns the values of a row, formatted as this driver formats them.
fn shown(row: &Row) -> Vec<Option<String>> {
    let number = |value: Option<i64>| value.map(|value| value.to_string());
    vec![
        row.get::<i32, _>(0).map(|id| id.to_string()),
        number(row.get::<i64, _>(1)),
        row.get::<tiberius::numeric::Numeric, _>(2).map(|value| value.to_string()),
        row.get::<&str, _>(3).map(str::to_owned),
    ]
}

#[test]
fn each_client_reads_rows_that_the_other_has_written() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Off);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, "&encrypt=optional"));
    bench.reset()?;
    let mut theirs = bench.wait(other(&server));
    for form in [Form::Sql, Form::Simple] {
        bench.script("DELETE FROM conformance")?;
        let mut ours = bench.exchange(form)?;
        ours.execute(statement::INSERT)
            .int(1)
            .int(i64::MAX)
            .decimal(-1_234)
            .text("naïve 数".as_bytes())
            .null();
        ours.execute(statement::INSERT).int(2).null().null().null().null();
        bench.send(&mut ours)?;
        let sql = "INSERT INTO conformance (id, n, d, s) VALUES (@P1, @P2, @P3, @P4)";
        let decimal = tiberius::numeric::Numeric::new_with_scale(99_999, 2);
        let written = bench.wait(theirs.execute(sql, &[&3_i32, &-5_i64, &decimal, &"it's 🦀"]));
        assert_eq!(written.expect("a write").total(), 1);
        let question = "SELECT id, n, d, s FROM conformance ORDER BY id";
        let found: Vec<_> = bench.wait(ask(&mut theirs, question)).iter().map(shown).collect();
        let rows: Vec<_> = bench.wait(text_rows(&mut *bench.session()?, question))?;
        assert_eq!(found, rows, "{form:?}");
        assert_eq!(found.len(), 3);
    }
    Ok(())
}

async fn text_rows(session: &mut dyn Session, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
    Ok(session.text_rows(sql).await?.rows)
}

#[test]
fn both_clients_receive_the_same_errors() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Off);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, "&encrypt=optional"));
    bench.reset()?;
    let mut theirs = bench.wait(other(&server));
    let table = [
        ("SELECT * FROM conformance_absent", ErrorKind::Missing),
        ("SELECT absent FROM conformance", ErrorKind::Missing),
        ("INSERT INTO conformance (id) VALUES (1), (1)", ErrorKind::UniqueViolation),
        ("INSERT INTO conformance (id) VALUES (NULL)", ErrorKind::Constraint),
    ];
    for (sql, kind) in table {
        let ours = bench.script(sql).expect_err(sql);
        let failed = bench.wait(async {
            match theirs.simple_query(sql).await {
                Ok(answer) => answer.into_results().await.err(),
                Err(error) => Some(error),
            }
        });
        let code = failed.and_then(|error| error.code()).map(|code| code.to_string());
        assert_eq!((ours.kind(), ours.native_code()), (kind, code.as_deref()), "{sql}: {ours}");
    }
    Ok(())
}
