//! Tests of encryption and certificate verification.

#![expect(clippy::disallowed_methods, reason = "a certificate is given as a file")]

use tacho_core::{ErrorKind, Result};
use tacho_testkit::live::setting;

use crate::common::{Encryption, Server, driver, enter, server, visit};

/// Returns a target that verifies the server's certificate, and trusts the authority of the test server.
fn verified(server: &Server, host: &str, options: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("authority.pem");
    std::fs::write(&file, server.certificate()).expect("a file");
    let (port, file) = (server.port(), file.display().to_string());
    let target =
        format!("sqlserver://sa:Secret1!@{host}:{port}/tacho?ca_certificates={file}{options}");
    (folder, target)
}

#[test]
fn everything_is_encrypted_unless_told_otherwise() -> Result<()> {
    let _inside = enter();
    let table = [
        (Encryption::Login, "", "tls over tcp"),
        (Encryption::Login, "&encrypt=optional", "tcp"),
        (Encryption::Required, "&encrypt=optional", "tls over tcp"),
        (Encryption::Off, "&encrypt=no", "tcp"),
        (Encryption::Strict, "&encrypt=strict", "tls over tcp"),
    ];
    for (encryption, options, expected) in table {
        let server = server(encryption);
        let (_folder, target) = verified(&server, "127.0.0.1", options);
        assert_eq!(setting(&*driver(), &target, "transport")?, expected, "{encryption:?}");
    }
    Ok(())
}

#[test]
fn rejects_servers_without_tls() {
    let _inside = enter();
    let server = server(Encryption::Off);
    let (_folder, target) = verified(&server, "127.0.0.1", "");
    let error = visit(&target).expect_err("no TLS");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.hints()[0].contains("encrypt=optional"), "{:?}", error.hints());
}

#[test]
fn a_certificate_must_be_trusted_and_have_the_name() -> Result<()> {
    let _inside = enter();
    for (encryption, word) in [(Encryption::Login, ""), (Encryption::Strict, "&encrypt=strict")] {
        let tested = server(encryption);
        let (_folder, target) = verified(&tested, "127.0.0.1", word);
        visit(&target)?;
        let (_folder, target) =
            verified(&tested, "127.0.0.1", &format!("{word}&host_name_in_certificate=localhost"));
        visit(&target)?;
        let (_folder, target) =
            verified(&tested, "127.0.0.1", &format!("{word}&host_name_in_certificate=db2.example"));
        let error = visit(&target).expect_err("another name");
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        let other = server(encryption);
        let (_folder, target) = verified(&tested, "127.0.0.1", word);
        let target = target.replace(&tested.port().to_string(), &other.port().to_string());
        let error = visit(&target).expect_err("another authority");
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        assert!(error.hints()[0].contains("trust_server_certificate"), "{:?}", error.hints());
        let trusting = visit(&format!("{target}&trust_server_certificate=yes"));
        assert_eq!(trusting.is_ok(), encryption != Encryption::Strict, "strict is strict");
    }
    Ok(())
}

#[test]
fn both_ends_must_agree_on_the_protocol() {
    let _inside = enter();
    for (encryption, word) in [(Encryption::Strict, ""), (Encryption::Off, "&encrypt=strict")] {
        let server = server(encryption);
        let (_folder, target) =
            verified(&server, "127.0.0.1", &format!("{word}&connect_timeout=2"));
        let error = visit(&target).expect_err("another protocol");
        let kinds = [ErrorKind::Connect, ErrorKind::Protocol, ErrorKind::Timeout];
        assert!(kinds.contains(&error.kind()), "{error:?}");
    }
}
