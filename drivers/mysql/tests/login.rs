//! Tests which users may connect, and which messages the others get.

use tacho_core::{Error, ErrorKind, Result, Retry};
use tacho_driver::{Environment, Form, Session, Target};
use tacho_testkit::conformance::Bench;
use tacho_testkit::live;

use crate::common::{
    MariaDb, MySql, Options, Place, Servers, check, driver, enter, eventually, exchange, places,
    rows, transport, visit,
};

const USERS_MARIADB: &str = "CREATE USER native@'%' IDENTIFIED BY 'pencil ½';
CREATE USER nothing@'%';
GRANT ALL ON tacho.* TO native@'%', nothing@'%'";
const SIGNER: &str = "INSTALL SONAME 'auth_ed25519';
CREATE USER signer@'%' IDENTIFIED VIA ed25519 USING PASSWORD('p@ss:word');
GRANT ALL ON tacho.* TO signer@'%'";
const USERS_MYSQL: &str = "CREATE USER caching@'%' IDENTIFIED BY 'pencil ½';
CREATE USER nothing@'%' IDENTIFIED BY '';
GRANT ALL ON tacho.* TO caching@'%', nothing@'%'";

fn refusal(target: &str) -> Error {
    visit(target).expect_err(target)
}

/// Runs SQL as the administrator, who connects over the Unix socket.
fn administer(place: &Place, sql: &str) -> Result<()> {
    let driver = driver();
    Bench::new(&*driver, &place.database("tacho")).script(sql)
}

#[test]
fn passwords_are_proved_in_every_way_of_mariadb() -> Result<()> {
    let _inside = enter();
    let server = MariaDb::start()?;
    let place = Place::of_mariadb(&server);
    administer(&place, USERS_MARIADB)?;
    for who in ["native:pencil%20%C2%BD", "nothing"] {
        visit(&place.tcp_as(who))?;
    }
    refuses(&place, &["native"]);
    if signs(&place)? {
        visit(&place.tcp_as("signer:p%40ss%3Aword"))?;
        refuses(&place, &["signer"]);
    }
    Ok(())
}

/// Creates a user who authenticates with an Ed25519 signature. Returns false if the server was chosen by an environment
/// variable and lacks the plugin.
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn signs(place: &Place) -> Result<bool> {
    match administer(place, SIGNER) {
        Err(error)
            if error.native_code() == Some("1126")
                && std::env::var_os("TACHO_TEST_MARIADB").is_some() =>
        {
            eprintln!("NOT TESTED: ed25519, {error}");
            Ok(false)
        }
        made => made.map(|()| true),
    }
}

/// At a user's first login, the client has to send the full password. For later logins, the server uses its cache.
#[test]
fn passwords_are_proved_in_every_way_of_mysql() -> Result<()> {
    let _inside = enter();
    let Some(server) = MySql::start_if_there(Options::default())? else { return Ok(()) };
    let place = Place::of_mysql(&server);
    administer(&place, USERS_MYSQL)?;
    let who = place.tcp_as("caching:pencil%20%C2%BD");
    for mode in ["disabled", "required"] {
        administer(&place, "FLUSH PRIVILEGES")?;
        for time in ["full", "fast"] {
            let visited = visit(&format!("{who}?ssl-mode={mode}"));
            assert!(visited.is_ok(), "{mode} {time}: {visited:?}");
        }
    }
    administer(&place, "FLUSH PRIVILEGES")?;
    visit(&format!("{who}?socket={}/s.sock", server.folder().display()))?;
    visit(&place.tcp_as("nothing"))?;
    refuses(&place, &["caching"]);
    Ok(())
}

/// Wrong passwords are rejected and never displayed.
fn refuses(place: &Place, users: &[&str]) {
    for user in users {
        for mode in ["disabled", "preferred"] {
            let error =
                refusal(&format!("{}?ssl-mode={mode}", place.tcp_as(&format!("{user}:oops"))));
            check(&error, ErrorKind::Auth, Some("1045"), Retry::NewConnection);
            assert!(!error.hints().is_empty() && !format!("{error:?}").contains("oops"), "{error}");
        }
        let error = refusal(&place.tcp_as(user));
        assert_eq!(error.kind(), ErrorKind::Auth, "{error}");
        assert!(error.hints().iter().any(|hint| hint.contains("MYSQL_PWD")), "{:?}", error.hints());
    }
}

#[test]
fn the_other_product_is_refused_with_the_right_name() {
    let _inside = enter();
    for place in places() {
        let (_, rest) = place.scheme.split_at(2);
        let other = if rest == "sql" { "mariadb" } else { "mysql" };
        let target = place.database("tacho").replacen(place.scheme, other, 1);
        let error = refusal(&target);
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.hints()[0].contains(&format!("{}://", place.scheme)), "{:?}", error.hints());
    }
}

#[test]
fn reports_that_the_session_limit_is_reached() -> Result<()> {
    let _inside = enter();
    let settings = [("max-connections", "10")];
    let options = Options { settings: &settings, ..Options::default() };
    let servers = Servers::start_with(options)?;
    for place in servers.places() {
        let driver = driver();
        let bench = Bench::new(&*driver, &place.database("tacho"));
        let sessions: Result<Vec<_>> = (0..15).map(|_| bench.session()).collect();
        let error = sessions.err().expect("one session too many");
        check(&error, ErrorKind::Resource, Some("1040"), Retry::NewConnection);
        assert!(error.hints()[0].contains("max_connections"), "{:?}", error.hints());
        eventually("an end of the dropped sessions", || visit(&place.database("tacho")).is_ok());
    }
    Ok(())
}

/// The server limits the number of connections, and the number of statements that all sessions together have prepared.
#[test]
fn reports_the_headroom_for_sessions() -> Result<()> {
    let _inside = enter();
    let sql = "-- name: a() -> (n int)\nSELECT 1\n-- name: b() -> (n int)\nSELECT 2";
    let settings = [("max-connections", "20"), ("max-prepared-stmt-count", "16")];
    let options = Options { settings: &settings, ..Options::default() };
    let servers = Servers::start_with(options)?;
    for place in servers.places() {
        let driver = driver();
        let bench = Bench::new(&*driver, &place.database("tacho"));
        let mut plain = bench.session()?;
        let room = |session: &mut Box<dyn Session>| {
            bench.wait(session.inspector().headroom()).map(|room| room.expect("a limit"))
        };
        // Sessions of earlier tests may take a moment to end.
        eventually("room for all but one", || {
            room(&mut plain).is_ok_and(|room| room.sessions == 19)
        });
        assert!(room(&mut plain)?.remedy.contains("max_connections"));
        let mut second = exchange(&bench, sql, Form::Sql)?.into_session();
        assert_eq!(room(&mut plain)?.sessions, 18);
        let found = room(&mut second)?;
        assert_eq!(found.sessions, 7, "14 statements are left, and it has two");
        assert!(found.remedy.contains("max_prepared_stmt_count"), "{found:?}");
    }
    Ok(())
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
    for place in places() {
        let target = place.database("made%20%60here%60");
        let error = visit_as_is(&target).expect_err("no database");
        check(&error, ErrorKind::Missing, Some("1049"), Retry::NewConnection);
        assert!(error.to_string().contains("here") && !error.hints().is_empty(), "{error}");
        visit(&target)?;
        visit_as_is(&target)?;
        administer(&place, "CREATE USER weak@'%' IDENTIFIED BY 'weak'")?;
        let error = refusal(&place.tcp_as("weak:weak").replace("/tacho", "/other"));
        assert_eq!(error.kind(), ErrorKind::Auth, "{error}");
        administer(&place, "DROP USER weak@'%'")?;
        for (options, expected) in [("", "latin1"), ("&charset=utf8mb4", "utf8mb4")] {
            let target = format!("{}{options}", place.database("by_option"));
            let target =
                if options.is_empty() { target.replace("&charset=utf8mb4", "") } else { target };
            let driver = driver();
            let bench = Bench::new(&*driver, &target);
            let sql = "-- name: a() -> (c text)\nSELECT @@character_set_database";
            let mut asked = exchange(&bench, sql, Form::Sql)?;
            assert_eq!(rows(&bench, &mut asked, 0)?, [format!("'{expected}'")]);
            bench.script("DROP DATABASE by_option")?;
        }
    }
    Ok(())
}

#[test]
fn both_transports_are_shown() -> Result<()> {
    let _inside = enter();
    for place in places() {
        assert_eq!(transport(&place.database("tacho"))?, "unix socket");
        let plain = format!("{}&ssl-mode=disabled", place.tcp_database("tacho"));
        assert_eq!(transport(&plain)?, "tcp");
    }
    Ok(())
}

#[test]
fn reports_the_address_if_nobody_listens() {
    let _inside = enter();
    let at_port = |port| format!("mysql://u@127.0.0.1:{port}/d");
    live::nobody_is_told(
        &*driver(),
        at_port,
        "mysql://u@localhost/d?socket=/no/such/file",
        "/no/such/file",
    );
}

#[test]
fn does_not_wait_forever_for_a_silent_server() {
    let _inside = enter();
    let at_port = |port| format!("mysql://u@127.0.0.1:{port}/d?connect-timeout=100ms");
    live::silence_has_an_end(&*driver(), at_port);
}

#[test]
fn settings_of_the_session_are_passed_on() -> Result<()> {
    let _inside = enter();
    let options = "&isolation=read-committed&init-command=SET%20@a=42";
    for place in places() {
        let driver = driver();
        let bench = Bench::new(&*driver, &format!("{}{options}", place.database("tacho")));
        let name = if place.scheme == "mariadb" { "tx_isolation" } else { "transaction_isolation" };
        let sql = format!(
            "-- name: a() -> (i text, a int, z text)\nSELECT @@{name}, CAST(@a AS SIGNED), @@time_zone"
        );
        let mut asked = exchange(&bench, &sql, Form::Sql)?;
        assert_eq!(rows(&bench, &mut asked, 0)?, ["'READ-COMMITTED' 42 '+00:00'"]);
    }
    let Some(mysql) = places().into_iter().nth(1) else { return Ok(()) };
    let error = refusal(&format!("{}&snapshot-isolation=off", mysql.database("tacho")));
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    Ok(())
}
