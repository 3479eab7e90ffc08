//! TLS to the database, with the library that all other traffic uses.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

use model::{
    config::settings::DatabaseSsl,
    error::{Code, Error, Result},
};

/// Takes any certificate: the way is encrypted, and nobody knows to whom.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// What makes TLS connections. Reads the file of trusted certificates, if one is named.
pub(super) fn connector(ssl: DatabaseSsl, roots: Option<&Path>) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let failed = |_| Error::new(Code::Internal, "TLS cannot be set up");
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(failed)?;
    let builder = match (ssl, roots) {
        (DatabaseSsl::VerifyFull | DatabaseSsl::Auto, Some(path)) => builder.with_root_certificates(read_roots(path)?),
        (DatabaseSsl::VerifyFull | DatabaseSsl::Auto, None) => builder.with_platform_verifier().map_err(|_| {
            Error::new(Code::Config, "the system has no certificates that are trusted").remedy(
                "Install them (package ca-certificates), or name the database's own in store.postgres.sslRootCert",
            )
        })?,
        (DatabaseSsl::Require, _) => builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider))),
        // Never asked.
        (DatabaseSsl::Disable, _) => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

fn read_roots(path: &Path) -> Result<RootCertStore> {
    let unusable = || {
        Error::new(Code::Config, "the file of store.postgres.sslRootCert holds no certificate that can be used")
            .remedy("It has to be the PEM file of the authority that signed the server's certificate")
    };
    let text = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        roots.add(certificate.map_err(|_| unusable())?).map_err(|_| unusable())?;
    }
    if roots.is_empty() { Err(unusable()) } else { Ok(roots) }
}
