//! Tests of encryption and certificate verification.

#![expect(clippy::disallowed_methods, reason = "the tests write certificates")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::common;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tacho_core::{ErrorKind, Result};
use tacho_testkit::conformance::Bench;
use tempfile::TempDir;

use crate::common::{MariaDb, Options, Place, Servers, driver, enter, transport, visit};

/// Certificates and keys as PEM strings: one pair for a server, one for a client, and the certificate of the authority
/// that signed both.
struct Papers {
    server: [String; 2],
    client: [String; 2],
    authority: String,
}

fn papers(name: &str) -> Papers {
    let made = || -> std::result::Result<Papers, rcgen::Error> {
        let mut params = CertificateParams::new(Vec::<String>::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let authority = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        let signed = |name: &str| {
            let key = KeyPair::generate()?;
            let mut certificate = CertificateParams::new(vec![name.to_owned()])?;
            // A certificate with the same name as its issuer would look self-signed.
            certificate.distinguished_name.push(DnType::CommonName, name);
            let certificate = certificate.signed_by(&key, &issuer)?.pem();
            Ok::<_, rcgen::Error>([certificate, key.serialize_pem()])
        };
        Ok(Papers { server: signed(name)?, client: signed("client")?, authority })
    };
    made().expect("certificates")
}

/// A temporary folder for files.
struct Drawer(TempDir);

impl Drawer {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

fn with(place: &Place, mode: &str, authority: &Path) -> String {
    format!("{}&ssl-mode={mode}&ssl-ca={}", place.tcp_database("tacho"), authority.display())
}

/// Tests all TLS modes with a MySQL or MariaDB server that uses these certificates.
fn trusts(place: &Place, papers: &Papers) -> Result<()> {
    let drawer = Drawer::new();
    let tcp = |mode: &str| format!("{}&ssl-mode={mode}", place.tcp_database("tacho"));
    for (mode, expected) in
        [("disabled", "tcp"), ("preferred", "tls over tcp"), ("REQUIRED", "tls over tcp")]
    {
        assert_eq!(transport(&tcp(mode))?, expected, "{mode}");
    }
    let socket = format!("{}&ssl-mode=required", place.database("tacho"));
    assert_eq!(transport(&socket)?, "unix socket");
    let trusted = drawer.file("ca.pem", &papers.authority);
    visit(&with(place, "verify-ca", &trusted))?;
    let localhost = |mode| with(place, mode, &trusted).replace("127.0.0.1", "localhost");
    let error = visit(&with(place, "verify-identity", &trusted)).expect_err("another name");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.hints()[0].contains("ssl-mode"), "{:?}", error.hints());
    // The host name matches the certificate, so TLS succeeds. The login may still fail, because the server may not
    // allow this user to connect from that address.
    if let Err(error) = visit(&localhost("VERIFY_IDENTITY")) {
        assert_eq!(error.kind(), ErrorKind::Auth, "{error}");
    }
    let stranger = drawer.file("other.pem", &self::papers("localhost").authority);
    for mode in ["verify-ca", "verify-identity"] {
        let error = visit(&with(place, mode, &stranger)).expect_err(mode);
        assert_eq!(error.kind(), ErrorKind::Connect, "{mode}: {error}");
    }
    let error = visit(&tcp("verify-ca")).expect_err("nobody is trusted");
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    let absent = visit(&with(place, "verify-ca", Path::new("/no/such"))).expect_err("no file");
    assert_eq!(absent.kind(), ErrorKind::Usage, "{absent}");
    knows_us(place, papers, &drawer)
}

/// Tests a user who has to present a client certificate.
fn knows_us(place: &Place, papers: &Papers, drawer: &Drawer) -> Result<()> {
    let driver = driver();
    let admin = Bench::new(&*driver, &place.database("tacho"));
    admin.script("CREATE USER shower@'%' REQUIRE X509; GRANT ALL ON tacho.* TO shower@'%'")?;
    let target = format!("{}?ssl-mode=required", place.tcp_as("shower"));
    let error = visit(&target).expect_err("no certificate");
    assert_eq!(error.kind(), ErrorKind::Auth, "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("X509")), "{:?}", error.hints());
    let [certificate, key] = &papers.client;
    let (certificate, key) = (drawer.file("c.pem", certificate), drawer.file("k.pem", key));
    let shown = format!("{target}&ssl-cert={}&ssl-key={}", certificate.display(), key.display());
    visit(&shown)?;
    let [certificate, key] = &self::papers("client").client;
    let (certificate, key) = (drawer.file("d.pem", certificate), drawer.file("l.pem", key));
    let strange = format!("{target}&ssl-cert={}&ssl-key={}", certificate.display(), key.display());
    let error = visit(&strange).expect_err("a certificate that nobody knows");
    assert!(matches!(error.kind(), ErrorKind::Auth | ErrorKind::Connect), "{error:?}");
    Ok(())
}

/// Writes the certificates to files that the server can read. Returns the server settings that refer to these files.
fn settings(papers: &Papers, drawer: &Drawer) -> [(&'static str, String); 3] {
    let [certificate, key] = &papers.server;
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(drawer.0.path(), open).expect("an open folder");
    let texts = [("ssl-cert", certificate), ("ssl-key", key), ("ssl-ca", &papers.authority)];
    texts.map(|(name, text)| (name, drawer.file(name, text).display().to_string()))
}

#[test]
fn certificates_are_verified_as_asked() -> Result<()> {
    let _inside = enter();
    let (papers, drawer) = (papers("localhost"), Drawer::new());
    let settings = settings(&papers, &drawer);
    let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, &**value)).collect();
    let options = Options { settings: &settings, ..Options::default() };
    let servers = Servers::start_with(options)?;
    servers.places().iter().try_for_each(|place| trusts(place, &papers))
}

#[test]
fn a_certificate_of_version_1_encrypts_and_cannot_be_verified() -> Result<()> {
    let _inside = enter();
    let drawer = Drawer::new();
    let papers = Papers {
        server: [
            include_str!("papers/version1.pem").into(),
            include_str!("papers/version1-key.pem").into(),
        ],
        client: [String::new(), String::new()],
        authority: include_str!("papers/version1-ca.pem").into(),
    };
    let settings = settings(&papers, &drawer);
    let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, &**value)).collect();
    let server = MariaDb::start_with(Options { settings: &settings, ..Options::default() })?;
    let place = Place::of_mariadb(&server);
    for mode in ["preferred", "required"] {
        let target = format!("{}&ssl-mode={mode}", place.tcp_database("tacho"));
        assert_eq!(transport(&target)?, "tls over tcp", "{mode}");
    }
    let authority = drawer.file("ca.pem", &papers.authority);
    let error = visit(&with(&place, "verify-ca", &authority)).expect_err("nothing to verify");
    assert!(error.hints().iter().any(|hint| hint.contains("version 3")), "{:?}", error.hints());
    Ok(())
}

#[test]
fn distinguishes_servers_with_and_without_tls() -> Result<()> {
    let _inside = enter();
    // Turns TLS off explicitly, because MySQL and newer versions of MariaDB create certificates by themselves.
    let options = Options { settings: &[("ssl", "0")], ..Options::default() };
    let server = MariaDb::start_with(options)?;
    let mariadb = Place::of_mariadb(&server);
    assert_eq!(transport(&mariadb.tcp_database("tacho"))?, "tcp", "preferred, and none there");
    let required = format!("{}&ssl-mode=required", mariadb.tcp_database("tacho"));
    let error = visit(&required).expect_err("no TLS there");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    if let Some(mysql) = common::places().get(1) {
        assert_eq!(transport(&mysql.tcp_database("tacho"))?, "tls over tcp");
    }
    Ok(())
}
