//! The protocols that are recognized by a server's first bytes, one per line.

use tacho_core::{Error, ErrorKind};
use tacho_driver::Target;
use tacho_net::{Greeting, recognize, tcp_address};

/// HTTP is not a database protocol. It is recognized because users sometimes enter the port of a web server by mistake.
const HTTP: Greeting = Greeting {
    driver: "http",
    title: "HTTP",
    port: 80,
    ask: b"GET / HTTP/1.0\r\n\r\n",
    is_answer: |answer| answer.starts_with(b"HTTP/"),
};

const GREETINGS: [Greeting; 4] = [
    tacho_driver_mysql::GREETING,
    tacho_driver_postgres::GREETING,
    tacho_driver_sqlserver::GREETING,
    HTTP,
];

/// Tries each known protocol in turn, without logging in. Returns an error if the server speaks a different protocol
/// than the target specifies.
pub fn other_protocol(target: &Target) -> Option<Error> {
    let driver = super::driver(&target.scheme).ok()?;
    let id = driver.manifest().id;
    let expected = GREETINGS.iter().find(|greeting| greeting.driver == id)?;
    let (host, port) = tcp_address(&target.place, expected.port)?;
    let found = recognize((&host, port), &GREETINGS).filter(|found| found.driver != id)?;
    let text = format!("the server speaks {}, not {}", found.title, expected.title);
    let error = Error::new(ErrorKind::Protocol, text).during(format!("connect to {host}:{port}"));
    let hint = format!("specify the host and port of a {} server", expected.title);
    Some(match super::driver(found.driver) {
        Ok(_) => error
            .hint(format!("write the target as {}://…", found.driver))
            .hint(format!("or {hint}")),
        Err(_) => error.hint(hint),
    })
}
