//! Tests of encryption and certificate verification.

#![expect(clippy::disallowed_methods, reason = "the tests write certificates")]

use std::path::PathBuf;

use rcgen::{CertificateParams, Issuer, KeyPair, SignatureAlgorithm};
use tacho_core::{ErrorKind, Result};
use tacho_testkit::conformance::{self, Bench};
use tacho_testkit::servers::Postgres;
use tempfile::TempDir;

use crate::common::{driver, enter, eventually, transport, visit};

/// A server, and a folder with the certificates that the client trusts.
struct Place {
    server: Postgres,
    folder: TempDir,
}

/// A certificate, its key, and the certificate of its authority, as PEM strings.
struct Papers {
    certificate: String,
    key: String,
    authority: String,
}

fn signed(name: &str) -> Papers {
    certified(CertificateParams::new(vec![name.to_owned()]))
}

/// Creates a client certificate whose common name is the user.
fn signed_as(user: &str) -> Papers {
    certified(CertificateParams::new(Vec::<String>::new()).map(|mut params| {
        params.distinguished_name.push(rcgen::DnType::CommonName, user);
        params
    }))
}

fn certified(params: std::result::Result<CertificateParams, rcgen::Error>) -> Papers {
    let made = move || -> std::result::Result<Papers, rcgen::Error> {
        let mut authority = CertificateParams::new(Vec::<String>::new())?;
        authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let authority_key = KeyPair::generate()?;
        let authority_text = authority.self_signed(&authority_key)?.pem();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate()?;
        let certificate = params?.signed_by(&key, &issuer)?.pem();
        Ok(Papers { certificate, key: key.serialize_pem(), authority: authority_text })
    };
    made().expect("certificates")
}

fn self_signed(name: &str) -> Papers {
    self_signed_by(name, &rcgen::PKCS_ECDSA_P256_SHA256)
}

fn self_signed_by(name: &str, algorithm: &'static SignatureAlgorithm) -> Papers {
    let made = || -> std::result::Result<Papers, rcgen::Error> {
        let key = KeyPair::generate_for(algorithm)?;
        let mut params = CertificateParams::new(vec![name.to_owned()])?;
        // A self-signed certificate that is marked as a CA. This is what openssl creates by default, and webpki rejects
        // it.
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key)?.pem();
        Ok(Papers { authority: certificate.clone(), certificate, key: key.serialize_pem() })
    };
    made().expect("a certificate")
}

impl Place {
    fn new() -> Self {
        let server = Postgres::start().expect("a PostgreSQL server");
        Self { server, folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn equip(&mut self, papers: &Papers) -> Result<()> {
        self.server.write("server.crt", &papers.certificate)?;
        self.server.write("server.key", &papers.key)?;
        let driver = driver();
        Bench::new(&*driver, &self.server.target()).script("ALTER SYSTEM SET ssl = on")?;
        self.server.restart()
    }

    fn trusted(&self, papers: &Papers) -> PathBuf {
        let path = self.folder.path().join("root.crt");
        std::fs::write(&path, &papers.authority).expect("a file");
        path
    }

    fn target(&self, host: &str, mode: &str) -> String {
        format!("postgres://postgres@{host}:{}/postgres?sslmode={mode}", self.server.port())
    }
}

#[test]
fn modes_decide_whether_to_encrypt() -> Result<()> {
    let _inside = enter();
    let mut place = Place::new();
    let modes = ["disable", "allow", "prefer", "require"];
    for mode in &modes[..3] {
        assert_eq!(transport(&place.target("127.0.0.1", mode))?, "tcp", "{mode}, no TLS there");
    }
    let error = visit(&place.target("127.0.0.1", "require")).expect_err("no TLS there");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    place.equip(&signed("localhost"))?;
    for (mode, expected) in modes.iter().zip(["tcp", "tcp", "tls over tcp", "tls over tcp"]) {
        assert_eq!(transport(&place.target("127.0.0.1", mode))?, expected, "{mode}");
    }
    assert_eq!(transport(&format!("{}&sslmode=require", place.server.target()))?, "unix socket");
    let only = |kind: &str| {
        place.server.set_access(&format!("local all all trust\n{kind} all all all trust"))?;
        let driver = driver();
        Bench::new(&*driver, &place.server.target()).script("SELECT pg_reload_conf()")
    };
    only("hostssl")?;
    // The server takes a moment to reload its files after the request.
    let is = |mode: &str, expected: &str| {
        transport(&place.target("127.0.0.1", mode)).is_ok_and(|transport| transport == expected)
    };
    eventually("TLS", || is("allow", "tls over tcp"));
    assert!(visit(&place.target("127.0.0.1", "disable")).is_err());
    only("hostnossl")?;
    eventually("no TLS", || is("prefer", "tcp"));
    let error = visit(&place.target("127.0.0.1", "require")).expect_err("plain only");
    assert_eq!(error.native_code(), Some("28000"), "{error}");
    Ok(())
}

#[test]
fn certificates_are_verified_as_asked() -> Result<()> {
    let _inside = enter();
    let mut place = Place::new();
    let papers = signed("localhost");
    place.equip(&papers)?;
    let with = |host, mode, file: &PathBuf| {
        visit(&format!("{}&sslrootcert={}", place.target(host, mode), file.display()))
    };
    let trusted = place.trusted(&papers);
    with("localhost", "verify-full", &trusted)?;
    with("127.0.0.1", "verify-ca", &trusted)?;
    with("127.0.0.1", "require", &trusted)?;
    let error = with("127.0.0.1", "verify-full", &trusted).expect_err("another name");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let stranger = place.trusted(&signed("localhost"));
    for mode in ["verify-full", "verify-ca", "require"] {
        let error = with("localhost", mode, &stranger).expect_err(mode);
        assert_eq!(error.kind(), ErrorKind::Connect, "{mode}: {error}");
        assert!(!error.hints().is_empty(), "{error}");
    }
    let absent = with("localhost", "verify-ca", &"/no/such/file".into()).expect_err("no file");
    assert_eq!(absent.kind(), ErrorKind::Usage, "{absent}");
    Ok(())
}

/// A client certificate replaces a password.
#[test]
fn a_client_can_show_a_certificate() -> Result<()> {
    let _inside = enter();
    let mut place = Place::new();
    let (papers, ours) = (signed("localhost"), signed_as("visitor"));
    place.server.write("root.crt", &ours.authority)?;
    place.equip(&papers)?;
    let driver = driver();
    let admin = Bench::new(&*driver, &place.server.target());
    admin.script("ALTER SYSTEM SET ssl_ca_file = 'root.crt'")?;
    admin.script("CREATE ROLE visitor LOGIN")?;
    let lines = "local all all trust\nhostssl all all all cert";
    place.server.set_access(lines)?;
    place.server.restart()?;
    let (certificate, key) = (place.folder.path().join("c.pem"), place.folder.path().join("k.pem"));
    std::fs::write(&certificate, &ours.certificate).expect("a file");
    std::fs::write(&key, &ours.key).expect("a file");
    let files = format!("&sslcert={}&sslkey={}", certificate.display(), key.display());
    let target = place.target("127.0.0.1", "require").replacen("postgres@", "visitor@", 1);
    assert_eq!(transport(&format!("{target}{files}"))?, "tls over tcp");
    assert!(visit(&target).is_err(), "nothing to show");
    let other = place.target("127.0.0.1", "require");
    assert!(visit(&format!("{other}{files}")).is_err(), "another's name");
    let swapped = format!("&sslcert={}&sslkey={}", key.display(), certificate.display());
    let error = visit(&format!("{target}{swapped}")).expect_err("the wrong files");
    assert!(!error.hints().is_empty(), "{error}");
    Ok(())
}

#[test]
fn a_self_signed_certificate_can_be_trusted_by_itself() -> Result<()> {
    let _inside = enter();
    let mut place = Place::new();
    let papers = self_signed("localhost");
    place.equip(&papers)?;
    let file = place.trusted(&papers);
    let with =
        |host, mode| visit(&format!("{}&sslrootcert={}", place.target(host, mode), file.display()));
    with("localhost", "verify-full")?;
    with("127.0.0.1", "verify-ca")?;
    assert!(with("127.0.0.1", "verify-full").is_err(), "another name");
    conformance::run(&*driver(), &place.target("127.0.0.1", "require"));
    Ok(())
}

/// The client's proof includes a hash of the server's certificate. If the login is relayed through another server, the
/// hash differs and the login fails.
#[test]
fn a_login_is_bound_to_the_certificate() -> Result<()> {
    let _inside = enter();
    let mut place = Place::new();
    let driver = driver();
    let roles =
        "CREATE ROLE bound LOGIN PASSWORD 'secret'; CREATE ROLE clear LOGIN PASSWORD 'secret'";
    Bench::new(&*driver, &place.server.target()).script(roles)?;
    place.server.set_access(
        "local all all trust\nhost all bound all scram-sha-256\n\
         host all clear all password\nhost all all all trust",
    )?;
    let log_in = |place: &Place, user: &str, mode: &str, binding: &str| {
        let target = place.target("127.0.0.1", mode).replacen("postgres@", user, 1);
        visit(&format!("{target}&channel_binding={binding}"))
    };
    for algorithm in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384] {
        place.equip(&self_signed_by("localhost", algorithm))?;
        for binding in ["require", "prefer", "disable"] {
            log_in(&place, "bound:secret@", "require", binding)?;
        }
        let error = log_in(&place, "bound:wrong@", "require", "require").expect_err("a password");
        assert_eq!(error.native_code(), Some("28P01"), "{error}");
    }
    // Channel binding requires TLS, a password, and a method in which the server proves that it also knows the
    // password.
    for (user, mode) in
        [("bound:secret@", "disable"), ("clear:secret@", "require"), ("postgres@", "require")]
    {
        log_in(&place, user, mode, "prefer")?;
        let error = log_in(&place, user, mode, "require").expect_err(user);
        assert_eq!(error.kind(), ErrorKind::Auth, "{user}: {error}");
        assert!(error.to_string().contains("channel_binding"), "{user}: {error}");
    }
    Ok(())
}
