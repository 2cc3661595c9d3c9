//! Tests which users may connect, and which error messages all other users get.

use crate::common;
use tacho_core::{Error, ErrorKind, Result, Retry};
use tacho_driver::{Environment, Target};
use tacho_testkit::conformance::Bench;
use tacho_testkit::live;
use tacho_testkit::servers::{Options, Postgres};

use crate::common::{check, driver, enter, eventually, server, transport, visit};

const ACCESS: [&str; 5] = [
    "host all scram 127.0.0.1/32 scram-sha-256",
    "host all hashed 127.0.0.1/32 md5",
    "host all clear 127.0.0.1/32 password",
    "host all unwanted 127.0.0.1/32 reject",
    "host all postgres 127.0.0.1/32 trust",
];
const USERS: &str = "CREATE ROLE scram LOGIN PASSWORD 'pencil ½';
SET password_encryption = md5;
CREATE ROLE hashed LOGIN PASSWORD 'secret';
CREATE ROLE clear LOGIN PASSWORD 'p@ss:word';
CREATE ROLE unwanted LOGIN";

fn place(server: &Postgres, user: &str) -> String {
    format!("postgres://{user}@127.0.0.1:{}/postgres", server.port())
}

fn refusal(target: &str) -> Error {
    visit(target).expect_err(target)
}

#[test]
fn passwords_are_proved_in_every_way() -> Result<()> {
    let _inside = enter();
    let server = Postgres::start_with(Options { access: &ACCESS, ..Options::default() })?;
    let driver = driver();
    Bench::new(&*driver, &server.target()).script(USERS)?;
    for who in ["scram:pencil%20%C2%BD", "hashed:secret", "clear:p%40ss%3Aword"] {
        visit(&place(&server, who))?;
    }
    visit(&format!("{}?password=secret", place(&server, "hashed")))?;
    for user in ["scram", "hashed", "clear"] {
        let error = refusal(&place(&server, &format!("{user}:wrong")));
        check(&error, ErrorKind::Auth, Some("28P01"), Retry::NewConnection);
        assert!(!error.hints().is_empty() && !format!("{error:?}").contains("wrong"), "{error}");
        let error = refusal(&place(&server, user));
        assert_eq!(error.kind(), ErrorKind::Auth, "{error}");
        assert!(error.to_string().contains("no password") || error.to_string().contains("none"));
    }
    let error = refusal(&place(&server, "unwanted"));
    check(&error, ErrorKind::Auth, Some("28000"), Retry::NewConnection);
    Ok(())
}

#[test]
fn reports_that_the_session_limit_is_reached() -> Result<()> {
    let _inside = enter();
    let settings = [("max_connections", "5"), ("superuser_reserved_connections", "0")];
    let server = Postgres::start_with(Options { settings: &settings, ..Options::default() })?;
    let driver = driver();
    for target in [server.target(), server.tcp_target()] {
        let bench = Bench::new(&*driver, &target);
        let sessions: Result<Vec<_>> = (0..6).map(|_| bench.session()).collect();
        let error = sessions.err().expect("one session too many");
        check(&error, ErrorKind::Resource, Some("53300"), Retry::NewConnection);
        assert!(error.hints()[0].contains("max_connections"), "{:?}", error.hints());
        eventually("an end of the dropped sessions", || visit(&target).is_ok());
    }
    Ok(())
}

#[test]
fn a_missing_database_and_a_missing_role_are_named() {
    let _inside = enter();
    let target = server().target();
    let error = visit_as_is(&format!("{target}&dbname=absent")).expect_err("no database");
    check(&error, ErrorKind::Missing, Some("3D000"), Retry::NewConnection);
    assert!(error.to_string().contains("absent") && !error.hints().is_empty(), "{error}");
    let error = refusal(&format!("{target}&user=absent"));
    check(&error, ErrorKind::Auth, Some("28000"), Retry::NewConnection);
}

/// Opens a session that must not create a database.
fn visit_as_is(target: &str) -> Result<()> {
    let driver = driver();
    let bench = Bench::new(&*driver, target);
    let environment = Environment { create: false, ..bench.environment() };
    let target = Target::parse(target)?;
    bench.wait(driver.connect(&target, environment)).map(|_| ())
}

#[test]
fn creates_a_missing_database_if_permitted() -> Result<()> {
    let _inside = enter();
    let target = format!("{}&dbname=Made%20%22here%22", server().target());
    assert!(visit_as_is(&target).is_err());
    visit(&target)?;
    visit_as_is(&target)?;
    let driver = driver();
    Bench::new(&*driver, &server().target()).script("CREATE ROLE weak LOGIN")?;
    let error = refusal(&format!("{}&user=weak&dbname=other", server().target()));
    check(&error, ErrorKind::Missing, Some("3D000"), Retry::NewConnection);
    assert!(error.hints().iter().any(|hint| hint.contains("42501")), "{:?}", error.hints());
    Ok(())
}

#[test]
fn both_transports_are_shown() -> Result<()> {
    let _inside = enter();
    assert_eq!(transport(&server().target())?, "unix socket");
    assert_eq!(transport(&server().tcp_target())?, "tcp");
    let folder = server().folder().display().to_string().replace('/', "%2F");
    let place = format!("postgres://postgres@{folder}:{}/postgres", server().port());
    assert_eq!(transport(&place)?, "unix socket");
    Ok(())
}

#[test]
fn reports_the_address_if_nobody_listens() {
    let _inside = enter();
    let at_port = |port| format!("postgres://u@127.0.0.1:{port}/d");
    live::nobody_is_told(
        &*driver(),
        at_port,
        "postgres://u@:5432/d?host=/no/such/folder",
        "/no/such/folder/.s.PGSQL.5432",
    );
}

#[test]
fn does_not_wait_forever_for_a_silent_server() {
    let _inside = enter();
    let at_port = |port| format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=100ms");
    live::silence_has_an_end(&*driver(), at_port);
}

#[test]
fn settings_of_the_session_are_passed_on() -> Result<()> {
    let _inside = enter();
    let options = "&options=-c%20work_mem=12MB&application_name=suite";
    let driver = driver();
    let bench = Bench::new(&*driver, &format!("{}{options}", server().target()));
    let sql = "-- name: a() -> (m text, a text)
SELECT current_setting('work_mem'), current_setting('application_name')";
    let mut exchange = common::exchange(&bench, sql, tacho_driver::Form::Sql)?;
    assert_eq!(common::rows(&bench, &mut exchange, 0)?, ["'12MB' 'suite'"]);
    assert!(driver.check(&Target::parse("postgres://u@h/d?sslmode=no")?).is_err());
    Ok(())
}

/// Only `tacho prepare` creates a role and a database, and only if the target specifies an administrator. Existing ones
/// stay unchanged.
#[test]
fn an_administrator_makes_role_and_database() -> Result<()> {
    let _inside = enter();
    let access =
        ["host all postgres 127.0.0.1/32 trust", "host all all 127.0.0.1/32 scram-sha-256"];
    let server = Postgres::start_with(Options { access: &access, ..Options::default() })?;
    let driver = driver();
    let port = server.port();
    let place = |user: &str| format!("postgres://{user}@127.0.0.1:{port}/new?admin_user=postgres");
    let open = |target: &str, create| -> Result<()> {
        let bench = Bench::new(&*driver, target);
        let environment = Environment { create, ..bench.environment() };
        let session = bench.wait(driver.connect(&Target::parse(target)?, environment))?;
        bench.wait(session.close())
    };
    let prepare = |target: &str| open(target, true);
    let target = place("fresh:it%27s");
    let error = open(&target, false).expect_err("a run");
    assert_eq!(error.native_code(), Some("28P01"), "a run makes nothing: {error}");
    assert!(prepare(&target.replace("?admin_user=postgres", "")).is_err(), "nobody to make it");
    prepare(&target)?;
    prepare(&target)?;
    visit(&target)?;
    Bench::new(&*driver, &target).script("CREATE TABLE public.own (a int)")?;
    let error = prepare(&place("fresh:other")).expect_err("a password is never changed");
    assert_eq!(error.native_code(), Some("28P01"), "{error}");
    visit(&target)
}
