//! Runs the shared test suite on the scripted server, with every way to connect and to load rows.
//!
//! The suite also runs on a live server if the user specifies one.

#![expect(clippy::disallowed_methods, reason = "the variables are for owners of a server")]

use std::process::Command;

use tacho_testkit::conformance;

use crate::common::{Encryption, Options, Server, driver, enter, server, target};

#[test]
fn conformance_in_every_setting() {
    let _inside = enter();
    let settings = [
        (Encryption::Login, ""),
        (Encryption::Off, "&encrypt=optional&load=insert"),
        (Encryption::Login, "&encrypt=optional&packet_size=512"),
        (
            Encryption::Required,
            "&encrypt=optional&isolation=snapshot&lock_timeout=5s&set=ARITHABORT%20ON",
        ),
    ];
    for (encryption, options) in settings {
        let server = server(encryption);
        conformance::run(&*driver(), &target(&server, options));
    }
}

/// A response must have the same meaning no matter how it is divided into packets, and no matter how many bytes the
/// client reads at a time.
#[test]
fn conformance_with_packets_that_are_cut() {
    let _inside = enter();
    for (packet, write) in [(1, None), (7, Some(3)), (61, Some(1))] {
        let server = server(Encryption::Off);
        server.faults(|faults| {
            faults.packet_bytes = Some(packet);
            faults.write_bytes = write;
        });
        conformance::run(&*driver(), &target(&server, "&encrypt=optional"));
    }
}

/// Environment variables can name a live server for the suite. In this test, they name a scripted server.
#[test]
fn the_suite_runs_on_a_server_that_a_variable_names() {
    let _inside = enter();
    for (variable, babelfish) in [("TACHO_TEST_SQLSERVER", false), ("TACHO_TEST_BABELFISH", true)] {
        let server = Server::with(Options { babelfish, ..Options::default() });
        let program = std::env::current_exe().expect("the path of this program");
        let done = Command::new(program)
            .args(["--exact", "conformance::conformance_on_a_live_server", "--nocapture"])
            .env_remove("TACHO_TEST_SQLSERVER")
            .env_remove("TACHO_TEST_BABELFISH")
            .env(variable, target(&server, ""))
            .output()
            .expect("a run of the suite");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{variable}: {said}");
        assert!(!said.contains(variable), "it was left out: {said}");
        assert!(server.requests() > 0, "{variable}");
    }
}

/// No package registry has a live server.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the results must know")]
fn conformance_on_a_live_server() {
    type Suite = fn(&dyn tacho_driver::Driver, &str);
    let servers: [(&str, Suite); 2] = [
        ("TACHO_TEST_SQLSERVER", conformance::run),
        ("TACHO_TEST_BABELFISH", conformance::run_on_relative),
    ];
    for (variable, suite) in servers {
        match std::env::var(variable) {
            Ok(target) => suite(&*driver(), &target),
            Err(_) => eprintln!(
                "NOT TESTED: the driver sqlserver on a live server; hint: {variable}=sqlserver://USER:PASSWORD@HOST/DATABASE"
            ),
        }
    }
}
