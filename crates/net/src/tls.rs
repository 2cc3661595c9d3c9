//! The TLS handshake, and the rules for trusting a server's certificate.
//!
//! The cryptography provider is ring, because it compiles within seconds and needs only a C compiler. It is used only
//! here and is not installed as the default for the whole program.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use tacho_core::{Error, ErrorKind, Result, file};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::carrier::{Carrier, Envelope};
use crate::stream::Stream;

/// A connection's encryption mode, which also determines how strictly the server is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsMode {
    /// Never encrypts.
    Disable,
    /// Encrypts only if the server requires it.
    Allow,
    /// Encrypts if the server supports it.
    Prefer,
    /// Always encrypts, but does not verify the server.
    Require,
    /// Accepts only a certificate signed by a trusted authority.
    VerifyCa,
    /// Accepts only a certificate for this host that is signed by a trusted authority.
    VerifyFull,
}

/// Settings for verifying the server, and the files with trusted certificates and with the client's own certificate.
#[derive(Clone, Copy, Debug)]
pub struct Trust<'a> {
    /// Extent of verification.
    pub mode: TlsMode,
    /// File with the trusted authorities, for [`TlsMode::VerifyCa`] and stricter modes.
    pub authorities: Option<&'a Path>,
    /// Files that contain the client certificate and its private key.
    pub identity: Option<(&'a Path, &'a Path)>,
    /// Names of the options for the encryption mode, the trusted certificates and the client certificate, for use in
    /// hints.
    pub words: [&'static str; 3],
}

/// Protocol-specific properties of the handshake.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handshake {
    /// The protocol to negotiate within TLS (RFC 7301). Empty if there is none.
    pub protocol: &'static [u8],
    /// Wrapper that the protocol puts around TLS handshake messages, or `None` if there is none.
    /// Protocols with a wrapper need TLS 1.2, because TLS 1.3 also sends messages after the handshake.
    pub envelope: Option<Envelope>,
}

/// Encrypts a connection on which the server has agreed to use TLS.
pub async fn encrypt(stream: TcpStream, host: &str, trust: Trust<'_>) -> Result<Stream> {
    encrypt_as(stream, host, trust, Handshake::default()).await
}

/// Encrypts a connection. Some protocols wrap the messages of the TLS handshake in their own
/// messages.
pub async fn encrypt_as(
    stream: TcpStream,
    host: &str,
    trust: Trust<'_>,
    handshake: Handshake,
) -> Result<Stream> {
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| Error::usage(format!("{host} is not a valid name for a certificate")))?;
    let mut client = client(trust, handshake.envelope.is_some())?;
    if !handshake.protocol.is_empty() {
        client.alpn_protocols.push(handshake.protocol.to_vec());
    }
    let connector = TlsConnector::from(Arc::new(client));
    let carrier = Carrier::new(stream, handshake.envelope);
    let mut stream = connector.connect(name, carrier).await.map_err(|error| {
        let [mode, authorities, _] = trust.words;
        let hint = if error.to_string().contains("UnsupportedCertVersion") {
            "the certificate uses X.509 version 1, which openssl creates if there are no extensions; only \
             version 3 certificates can be verified (openssl x509 -req ... -extfile)"
                .to_owned()
        } else {
            format!("use {mode} to choose what is verified, or {authorities} to choose the \
                     trusted authorities")
        };
        Error::new(ErrorKind::Connect, format!("TLS: {error}")).hint(hint).source(error)
    })?;
    stream.get_mut().0.finish();
    Ok(Stream::Tls(Box::new(stream)))
}

/// Makes ring the default TLS provider, unless there is one already. Without a default, rustls cannot choose between
/// ring and a second provider that a client library may add.
pub fn provide_tls() {
    let _ = ring::default_provider().install_default();
}

fn client(trust: Trust<'_>, only_1_2: bool) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = verifier(trust, provider.clone())?;
    let versions = ClientConfig::builder_with_provider(provider);
    let versions = if only_1_2 {
        versions.with_protocol_versions(&[&rustls::version::TLS12])
    } else {
        versions.with_safe_default_protocol_versions()
    };
    let versions = versions.map_err(unusable)?;
    let client = versions.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    let Some((certificate, key)) = trust.identity else { return Ok(client.with_no_client_auth()) };
    let unreadable = |error: Error, path: &Path| {
        reading(error, path).hint(format!(
            "{} specify the client certificate and private key, in PEM format",
            trust.words[2]
        ))
    };
    let chain = read(certificate).map_err(|error| unreadable(error, certificate))?;
    let text = file::read(key, file::SMALL_MAX);
    let text = text.map_err(|error| unreadable(Error::usage(error.to_string()), key))?;
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        unreadable(Error::usage(format!("the key must not be encrypted: {error}")), key)
    })?;
    client.with_client_auth_cert(chain, key).map_err(unusable)
}

fn verifier(trust: Trust<'_>, provider: Arc<CryptoProvider>) -> Result<Verifier> {
    let mut verifier = Verifier {
        authorities: None,
        pinned: Vec::new(),
        checks_name: trust.mode == TlsMode::VerifyFull,
        provider: provider.clone(),
    };
    if trust.mode < TlsMode::VerifyCa {
        return Ok(verifier);
    }
    let word = trust.words[1];
    let path = trust.authorities.ok_or_else(|| {
        Error::usage(format!("{word} is not set"))
            .hint(format!("specify the CA certificates with {word}"))
    })?;
    verifier.pinned = read(path).map_err(|error| {
        reading(error, path).hint(format!(
            "specify the CA certificates with {word}; on Debian, they are in /etc/ssl/certs/ca-certificates.crt",
        ))
    })?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(verifier.pinned.iter().cloned());
    let inner = WebPkiServerVerifier::builder_with_provider(roots.into(), provider).build();
    verifier.authorities = Some(inner.map_err(|error| {
        Error::usage(format!("{}: {error}", path.display()))
            .hint("it contains no usable certificate")
    })?);
    Ok(verifier)
}

fn reading(error: Error, path: &Path) -> Error {
    error.during(format!("read {}", path.display()))
}

fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    // Report a usage error, because the user chose this certificate file. The error kind `Missing` would wrongly mean
    // that the database does not exist.
    let bytes = file::read(path, file::CERTIFICATES_MAX);
    let bytes = bytes.map_err(|error| Error::usage(error.to_string()))?;
    CertificateDer::pem_slice_iter(&bytes)
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| Error::usage(format!("invalid list of certificates: {error}")))
}

fn unusable(error: TlsError) -> Error {
    Error::new(ErrorKind::Unsupported, format!("TLS: {error}")).source(error)
}

/// Verifies a server to the extent that the mode requires.
#[derive(Debug)]
struct Verifier {
    /// The trusted authorities. If `None`, any server is trusted.
    authorities: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that are trusted directly. libpq accepts a server's own certificate as an authority, but webpki
    /// does not.
    pinned: Vec<CertificateDer<'static>>,
    checks_name: bool,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    /// Accepts a certificate that cannot be parsed if the client trusts any server. For example, webpki cannot parse
    /// version 1 certificates, which openssl creates by default.
    fn readable(
        &self,
        verified: std::result::Result<HandshakeSignatureValid, TlsError>,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        match verified {
            Err(TlsError::InvalidCertificate(why))
                if self.authorities.is_none() && why != CertificateError::BadSignature =>
            {
                Ok(HandshakeSignatureValid::assertion())
            }
            verified => verified,
        }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, TlsError> {
        let Some(authorities) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        if self.pinned.iter().any(|pinned| pinned == end_entity) {
            if self.checks_name {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        let verified = authorities.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verified {
            // The verifier checks the host name last. If it reports only a wrong name, the rest of the certificate is
            // valid.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        self.readable(verify_tls12_signature(message, cert, dss, algorithms))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        self.readable(verify_tls13_signature(message, cert, dss, algorithms))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
