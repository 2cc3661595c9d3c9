//! The server's certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tacho_core::{Error, ErrorKind, Result, file};
use tokio_rustls::TlsAcceptor;

/// The certificate files, in PEM format.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// File that contains the certificate and any intermediate certificates.
    pub chain: PathBuf,
    /// File with the private key.
    pub key: PathBuf,
}

impl Certificate {
    /// Reads both files.
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor> {
        let unread = |path: &Path, error: &dyn std::fmt::Display| {
            Error::usage(format!("{} cannot be used: {error}", path.display())).hint(
                "use PEM files: --tls-cert for the certificate and its chain, and --tls-key for \
                    its key",
            )
        };
        let read = |path: &Path, most| file::read(path, most).map_err(|error| unread(path, &error));
        let chain = read(&self.chain, file::CERTIFICATES_MAX)?;
        let chain = CertificateDer::pem_slice_iter(&chain)
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|error| unread(&self.chain, &error))?;
        let key = read(&self.key, file::SMALL_MAX)?;
        let key = PrivateKeyDer::from_pem_slice(&key).map_err(|error| unread(&self.key, &error))?;
        let broken = |error: rustls::Error| {
            Error::new(ErrorKind::Usage, format!("the certificate cannot be used: {error}"))
                .hint("the key must belong to the first certificate in the file")
        };
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(broken)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(broken)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
