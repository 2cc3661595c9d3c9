//! A HammerDB script for a server that requires TLS and certificates.

use std::path::Path;

use crate::hammerdb::{console, in_order, keeps_secret, place, result};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tacho_testkit::servers::{MariaDb, Options};
use tacho_tests::Folder;

/// Creates a certificate authority. It signs a certificate for a server and one for a client.
fn papers() -> Result<Vec<(&'static str, String)>, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::<String>::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let mut papers = vec![("ca.pem", params.self_signed(&key)?.pem())];
    let issuer = Issuer::new(params, key);
    for (name, files) in [("localhost", ["s.pem", "t.pem"]), ("client", ["c.pem", "k.pem"])] {
        let key = KeyPair::generate()?;
        let mut certificate = CertificateParams::new(vec![name.to_owned()])?;
        certificate.distinguished_name.push(DnType::CommonName, name);
        papers.push((files[0], certificate.signed_by(&key, &issuer)?.pem()));
        papers.push((files[1], key.serialize_pem()));
    }
    Ok(papers)
}

/// Starts a server with these certificates, and makes them readable for the user that runs the server.
fn server(drawer: &Path) -> MariaDb {
    let path = |name: &str| drawer.join(name).display().to_string();
    let (certificate, key, authority) = (path("s.pem"), path("t.pem"), path("ca.pem"));
    let settings: [(&str, &str); 3] =
        [("ssl-cert", &certificate), ("ssl-key", &key), ("ssl-ca", &authority)];
    let options = Options { settings: &settings, ..Options::default() };
    MariaDb::start_with(options).expect("a server")
}

#[test]
fn a_script_over_tls_is_run_as_it_is() {
    let (folder, drawer) = (Folder::new(), Folder::open());
    for (name, text) in papers().expect("certificates") {
        drawer.write(name, &text);
    }
    let server = server(drawer.path());
    let user = "CREATE USER shower@'%' IDENTIFIED BY 'p{a $s\"s' REQUIRE X509; \
                GRANT ALL ON *.* TO shower@'%'";
    server.client(user).expect("a user");
    let (port, papers) = (server.port().to_string(), drawer.path().display().to_string());
    place(&folder, "maria/tprocc_tls.tcl", &[("PORT", port.as_str()), ("PAPERS", &papers)]);
    // The script's last build fails. The script continues to its end, but its exit code must report the failure.
    let done = console(&folder, "auto tprocc_tls.tcl").exits(3);
    in_order(
        &done,
        &[
            "Vuser 1:CREATING DATABASE tpcc_tls",
            "Vuser 1:TPCC_TLS SCHEMA COMPLETE",
            "BUILD NOTED",
            "Vuser 1:1 Active Virtual Users configured",
            "Vuser 1:tpcc_tls TPROC-C Schema has been deleted successfully.",
            "Vuser 1:FINISHED FAILED",
            "WENT ON",
        ],
    );
    let (nopm, tpm) = result(&done, "MariaDB");
    assert!(nopm > 0 && tpm > nopm, "{nopm} {tpm}");
    keeps_secret(&folder, "s\"s");
}
