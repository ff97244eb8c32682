//! The trust of the gateway as a client of TLS, and its own identity there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// Where the certificates of public authorities are on the usual systems.
const SYSTEM_ROOTS: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The client's own certificate.
#[derive(Clone, Debug)]
pub struct ClientIdentity {
    /// The file of its chain.
    pub certificate: PathBuf,
    /// The file of its key.
    pub private_key: PathBuf,
}

/// TLS of a client that trusts the authorities in a file, or those of the system.
///
/// # Errors
/// There are none, a file cannot be read, or a key is not its certificate's.
pub fn client_config(ca: Option<&Path>, identity: Option<&ClientIdentity>) -> Result<ClientConfig, String> {
    let roots = match ca {
        Some(file) => roots(file)?,
        None => {
            let configured = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
            let known = SYSTEM_ROOTS.iter().map(PathBuf::from);
            let found = configured.into_iter().chain(known).find(|file| file.is_file());
            roots(&found.ok_or("found no certificates of public authorities; name some")?)?
        }
    };
    config(roots, identity)
}

/// TLS of a client that trusts nobody, for connections without it.
///
/// # Errors
/// None that is known.
pub fn distrustful_config() -> Result<ClientConfig, String> {
    config(RootCertStore::empty(), None)
}

fn config(roots: RootCertStore, identity: Option<&ClientIdentity>) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots);
    let Some(identity) = identity else { return Ok(builder.with_no_client_auth()) };
    let (certificate, key) = (identity.certificate.as_path(), identity.private_key.as_path());
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(certificate).and_then(|certificates| certificates.collect());
    let chain = chain.map_err(|error| format!("{}: {error}", certificate.display()))?;
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| format!("{}: {error}", key.display()))?;
    builder.with_client_auth_cert(chain, key_der).map_err(|error| format!("{}: {error}", key.display()))
}

/// The certificates of a PEM file. Of the many of a system some are too odd for anybody; one must do.
///
/// # Errors
/// The file cannot be read, or has no certificate.
pub fn roots(file: &Path) -> Result<RootCertStore, String> {
    let describe = |error: rustls_pki_types::pem::Error| format!("{}: {error}", file.display());
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(describe)?.collect();
    let mut roots = RootCertStore::empty();
    let (taken, _) = roots.add_parsable_certificates(found.map_err(describe)?);
    if taken == 0 {
        return Err(format!("{}: no certificate in it", file.display()));
    }
    Ok(roots)
}
