//! The shared suite against the scripted server, in each way of connecting and of loading.

use tacho_testkit::conformance;
use tacho_testkit::live::enter;
use tacho_testkit::tds::{Encryption, Options, Server};

/// The target of a scripted server.
pub fn target(server: &Server, options: &str) -> String {
    let port = server.port();
    format!("sqlserver://sa:Secret1!@127.0.0.1:{port}/tacho?trust_server_certificate=yes{options}")
}

#[test]
fn conformance_in_every_setting() {
    let settings = [
        (Encryption::Login, ""),
        (Encryption::Off, "&encrypt=optional&load=insert"),
        (Encryption::Login, "&encrypt=optional&packet_size=512"),
    ];
    for (encryption, options) in settings {
        let _inside = enter();
        let server = Server::with(Options { encryption, ..Options::default() });
        conformance::run(&*tacho_driver_sqlserver::driver(), &target(&server, options));
    }
}
