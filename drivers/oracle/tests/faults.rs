//! Tests the messages for a database that cannot be reached. A scripted listener takes the place of the database.

use tacho_core::{Error, ErrorKind, Retry};
use tacho_driver::Driver;
use tacho_testkit::live::{check, silence_has_an_end, visit};
use tacho_testkit::tns::{Answer, Listener};

fn driver() -> Box<dyn Driver> {
    tacho_driver_oracle::driver()
}

fn target(port: u16, options: &str) -> String {
    format!("oracle://me:Secret1@127.0.0.1:{port}/SALES{options}")
}

/// Logs in to a listener that sends the given response, and returns the error. The error must contain the address but
/// not the password.
fn refusal(answer: Answer) -> Error {
    let shown = format!("{answer:?}");
    let port = Listener::start(answer).port();
    let error = visit(&*driver(), &target(port, "")).expect_err(&shown);
    let text = format!("{error} {error:?}");
    assert!(text.starts_with(&format!("cannot connect to 127.0.0.1:{port}: ")), "{text}");
    assert!(!text.contains("Secret1") && !error.hints().is_empty(), "{shown}: {text}");
    error
}

#[test]
fn reports_listener_errors() {
    let table = [
        (12_514, ErrorKind::Missing, Retry::Never, "the service \"SALES\""),
        (12_516, ErrorKind::Connect, Retry::NewConnection, "refused the connection"),
        (12_528, ErrorKind::Connect, Retry::NewConnection, "refused the connection"),
    ];
    for (number, kind, retry, text) in table {
        let error = refusal(Answer::Refuse(number));
        check(&error, kind, Some(&format!("ORA-{number}")), retry);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn reports_login_errors_with_a_hint() {
    let wrong = "ORA-01017: invalid credential or not authorized; logon denied\nHelp: https://x/";
    let error = refusal(Answer::Fail(1017, wrong));
    check(&error, ErrorKind::Auth, Some("ORA-01017"), Retry::Never);
    assert!(error.hints()[0].contains("ORACLE_PASSWORD"), "{:?}", error.hints());
    assert!(!error.to_string().contains("Help"), "{error}");
    let error = refusal(Answer::Fail(1033, "ORA-01033: initialization or shutdown in progress"));
    check(&error, ErrorKind::Connect, Some("ORA-01033"), Retry::NewConnection);
}

#[test]
fn a_connection_that_ends_is_lost() {
    for answer in [Answer::HangUp, Answer::AcceptAndHangUp] {
        let error = refusal(answer);
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    }
}

/// Whatever the listener sends as a response, Tacho must report an error and keep running.
#[test]
fn reports_servers_of_another_kind() {
    // Send two packet types that a listener never uses, and a packet that claims to be shorter than its header.
    for bytes in [[0, 8, 0, 0, 99, 0, 0, 0], [0, 8, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 2, 0, 0, 0]] {
        let error = refusal(Answer::Bytes(bytes.to_vec()));
        check(&error, ErrorKind::Protocol, None, Retry::NewConnection);
    }
    let web = refusal(Answer::Bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()));
    check(&web, ErrorKind::Connect, None, Retry::NewConnection);
}

#[test]
fn reports_closed_ports_and_silent_servers() {
    let at = |port: u16| target(port, "?connect_timeout=200ms");
    silence_has_an_end(&*driver(), at);
    // Wait longer here, because on a busy machine, even a closed port may take more than 200 ms to reject a connection.
    let patient = |port: u16| target(port, "?connect_timeout=30s");
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = free.expect("a free port").port();
    let error = visit(&*driver(), &patient(port)).expect_err("nobody listens");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    assert!(error.to_string().contains("refused the connection"), "{error}");
    let silent = Listener::start(Answer::Silence).port();
    let error = visit(&*driver(), &at(silent)).expect_err("silence");
    check(&error, ErrorKind::Timeout, None, Retry::Never);
    assert!(error.hints()[0].contains("connect_timeout"), "{:?}", error.hints());
}

/// TLS must use Tacho's cryptography provider. If the listener does not support TLS, the error must say so.
#[test]
fn reports_listeners_without_tls() {
    let answer = Answer::Bytes(b"this is no TLS, and long enough for a head".to_vec());
    let port = Listener::start(answer).port();
    let target = target(port, "?tls=verify&connect_timeout=5s");
    let error = visit(&*driver(), &target).expect_err("no TLS");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    assert!(error.hints().iter().any(|hint| hint.contains("TLS")), "{error} {:?}", error.hints());
    assert!(error.to_string().contains("InvalidContentType"), "the words of rustls: {error}");
}

#[test]
fn reports_a_missing_password() {
    let error = visit(&*driver(), "oracle://me@127.0.0.1:1/S").expect_err("no password");
    check(&error, ErrorKind::Auth, None, Retry::Never);
    assert!(error.hints()[0].contains("ORACLE_PASSWORD"), "{:?}", error.hints());
}
